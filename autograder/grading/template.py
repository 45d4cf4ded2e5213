"""The instructor's notebook of an assignment, in the three forms that grading needs."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import ClearHiddenTests, ClearMarkScheme, ClearSolutions, NbGraderPreprocessor


@dataclass(frozen=True)
class Template:
    """An assignment. The notebooks are shared: whoever changes one makes a copy first.

    Attributes:
        folder: where the assignment's files lie.
        source: with solutions and hidden tests.
        stubs: with stubs for answers, and with hidden tests.
        released: as students received it.
    """

    folder: Path
    source: NotebookNode
    stubs: NotebookNode
    released: NotebookNode


_known: dict[tuple[Path, int, int], Template] = {}


def template_of(step: NbGraderPreprocessor, assignment: str, notebook: str) -> Template:
    """Read an assignment, or take it from memory if its file has not changed.

    Args:
        step: one of nbgrader's steps, whose settings say where things lie and what marks a solution or a hidden test.
        assignment: name of the assignment.
        notebook: name of its notebook, without ``.ipynb``.
    """
    courses = CourseDirectory(parent=step)
    path = Path(courses.format_path(courses.source_directory, ".", assignment)) / f"{notebook}.ipynb"
    key = (path, path.stat().st_mtime_ns, path.stat().st_size)
    if key not in _known:
        source = nbformat.read(path, as_version=4)
        stubs, _ = ClearSolutions(parent=step).preprocess(copy.deepcopy(source), {})
        released = copy.deepcopy(stubs)
        for clear in (ClearHiddenTests, ClearMarkScheme):
            released, _ = clear(parent=step).preprocess(released, {})
        _known[key] = Template(path.parent, source, stubs, released)
    return _known[key]
