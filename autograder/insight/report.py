"""Make the report: execute ``report.ipynb`` on a class, and export it as a page."""

from __future__ import annotations

import copy
import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path

import nbformat
from jupyter_client import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, DeadKernelError
from nbconvert.exporters import HTMLExporter
from nbformat import NotebookNode

from autograder.grading.course import Course, GradingError
from autograder.grading.lateness import settle_all
from autograder.grading.record import write
from autograder.insight.results import GRADEBOOK, assignments_of

Progress = Callable[[str, int, int], None]

_HERE = Path(__file__).parent
# A cell of the notebook that stands there once for each assignment, with the name in place of this word.
_EACH, _NAME = "each-assignment", "ASSIGNMENT"
# Reading 40,000 records takes a minute, comparing them some more.
_CELL_SECONDS = 3600


def make(
    course: Course,
    assignments: Sequence[str] = (),
    folder: Path | None = None,
    progress: Progress = lambda what, done, total: None,
) -> tuple[Path, Path]:
    """Make the report on a class.

    Args:
        course: the course and its class.
        assignments: names; all of which anybody handed in anything, when left out.
        folder: where it goes; report/ in the class folder when left out.
        progress: is told what is being done, how much of it is done, and of how much.

    Returns:
        Paths of the executed notebook and of the page.

    Raises:
        GradingError: there is no such assignment, or the notebook failed on this class.
        OSError: the files cannot be written.
    """
    names = assignments_of(course)
    known = {*names, *course.assignments}
    if unknown := [name for name in assignments if name not in known]:
        raise GradingError(f"No such assignment: {', '.join(unknown)}. Known: {', '.join(sorted(known))}.")
    names = [*dict.fromkeys(assignments)] or names
    folder = (folder or course.class_folder / "report").resolve()
    about = {
        "class": os.path.relpath(course.class_folder, folder),
        "course": os.path.relpath(course.root, folder),
        "assignments": names,
    }
    if names:
        settle_all(course, names)
    write(folder / "report.json", json.dumps(about, indent=1, ensure_ascii=False))
    notebook = _notebook(names, f"Report on the class {course.class_folder.name}")
    _execute(notebook, folder, course.db, progress)
    page, _ = _Page().from_notebook_node(notebook)
    paths = folder / "report.ipynb", folder / "report.html"
    write(paths[0], nbformat.writes(notebook))
    write(paths[1], page)
    return paths


def _notebook(assignments: Sequence[str], title: str) -> NotebookNode:
    """The report's notebook, with the cells that show one assignment repeated for each."""
    notebook = nbformat.read(_HERE / "report.ipynb", as_version=4)
    notebook.metadata.title = title
    each = [cell for cell in notebook.cells if _EACH in cell.metadata.get("tags", [])]
    notebook.cells = [cell for cell in notebook.cells if cell not in each]
    for number, name in enumerate(assignments):
        for cell in copy.deepcopy(each):
            text = json.dumps(name, ensure_ascii=False)[1:-1] if cell.cell_type == "code" else escape(name)
            cell.source = cell.source.replace(_NAME, text)
            cell.id = f"{cell.id}-{number}"
            notebook.cells.append(cell)
    return notebook


def _execute(notebook: NotebookNode, folder: Path, gradebook: str | None, progress: Progress) -> None:
    total = len(notebook.cells)
    environment = {**os.environ, **({GRADEBOOK: gradebook} if gradebook else {})}
    try:
        with tempfile.TemporaryDirectory(prefix="report-") as private:
            # Sockets that are files of their owner, in place of open ports.
            kernel = AsyncKernelManager(
                kernel_name="python3",
                transport="ipc",
                ip=f"{private}/kernel",
                connection_file=f"{private}/kernel.json",
            )
            client = NotebookClient(
                notebook,
                km=kernel,
                timeout=_CELL_SECONDS,
                resources={"metadata": {"path": str(folder)}},
                on_cell_start=lambda cell, cell_index: progress("making the report", cell_index, total),
            )
            # What nbgrader logs when it is loaded is about its exchange, which the report does not use.
            client.execute(env=environment, stderr=subprocess.DEVNULL)
    except (CellExecutionError, DeadKernelError) as error:
        write(folder / "report.ipynb", nbformat.writes(notebook))
        reason = str(getattr(error, "evalue", "") or "its kernel died, perhaps for want of memory").rstrip(".")
        raise GradingError(
            f"The report could not be made: {reason}. {folder / 'report.ipynb'} shows in which cell it happened."
        ) from None


class _Page(HTMLExporter):
    """nbconvert's exporter with this package's template, which loads and runs nothing."""

    def __init__(self) -> None:
        super().__init__(template_name="page", extra_template_basedirs=[str(_HERE)])
