"""Put the answers of a submission into the assignment's own cells.

What is graded is made from the assignment: its cells, in its order, with its settings. From the submission come the
text of the answer cells and the student's own extra cells. So it does not matter which cells were deleted, copied,
moved or edited, and each such change is reported in a sentence.
"""

from __future__ import annotations

import copy
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import ClearHiddenTests, ClearMarkScheme, ClearSolutions, NbGraderPreprocessor


class Rebuild(NbGraderPreprocessor):
    """nbgrader's first step of autograding here, in place of its repair of single cells."""

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict[str, Any]]:
        """Return the rebuilt notebook; its metadata list the changes under ``autograder.problems``."""
        names = resources["nbgrader"]
        folder = CourseDirectory(parent=self)
        path = folder.format_path(folder.source_directory, ".", names["assignment"])
        source = nbformat.read(f"{path}/{names['notebook']}.ipynb", as_version=4)
        template, _ = ClearSolutions(parent=self).preprocess(source, {})
        released = copy.deepcopy(template)
        for clear in (ClearHiddenTests, ClearMarkScheme):
            released, _ = clear(parent=self).preprocess(released, {})
        rebuilt, problems = rebuild(nb, template, released)
        rebuilt.metadata["autograder"] = {"problems": problems}
        return rebuilt, resources


def rebuild(submitted: NotebookNode, template: NotebookNode, released: NotebookNode) -> tuple[NotebookNode, list[str]]:
    """Make the notebook to grade.

    Args:
        submitted: what the student handed in.
        template: the assignment with stubs for answers, and with its hidden tests.
        released: the assignment as students received it.

    Returns:
        The notebook to grade, and a sentence for each change that was found.
    """
    known = {_key(cell): cell for cell in template.cells}
    given = {_key(cell): cell.source for cell in released.cells}
    found: dict[str, NotebookNode] = {}
    extra: dict[str | None, list[NotebookNode]] = {}
    problems: list[str] = []
    before = None
    for cell in submitted.cells:
        key = _key(cell)
        if key in known and key not in found:
            found[key] = cell
            before = key
        else:
            if key in known and _role(known[key]):
                problems.append(f"The cell {key} is there more than once; the copies were run as ordinary cells.")
            extra.setdefault(before, []).append(_plain(cell))

    cells = extra.pop(None, [])
    for key, original in known.items():
        cell = copy.deepcopy(original)
        theirs = not _role(cell) or _role(cell)["solution"]
        if key in found and theirs:
            cell.source = found[key].source
        elif key in found and found[key].source.strip() != given[key].strip():
            problems.append(f"The cell {key} was edited; the original was used.")
        elif key not in found and _role(cell):
            problems.append(
                f"The answer cell {key} was deleted; it counts as not attempted."
                if theirs
                else f"The cell {key} was deleted; it was put back."
            )
        cells += [cell, *extra.get(key, [])]
    if list(found) != [key for key in known if key in found]:
        problems.append("Cells were moved; they were run in the order of the assignment.")

    rebuilt = nbformat.v4.new_notebook(cells=cells, metadata=copy.deepcopy(template.metadata))
    return rebuilt, problems


def _role(cell: NotebookNode) -> dict[str, Any]:
    return cell.metadata.get("nbgrader") or {}


def _key(cell: NotebookNode) -> str | None:
    return _role(cell).get("grade_id") or cell.get("id")


def _plain(cell: NotebookNode) -> NotebookNode:
    new = nbformat.v4.new_code_cell if cell.cell_type == "code" else nbformat.v4.new_markdown_cell
    return new(cell.source)
