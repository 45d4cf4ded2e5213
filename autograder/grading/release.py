"""Make release/ from source/, by nbgrader, without overwriting anybody's work."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import nbformat

from autograder.grading.course import ROOT, Course

UNANSWERED = ("raise NotImplementedError()", "YOUR ANSWER HERE")


def release(assignments: list[str] | None = None, folder: Path = ROOT / "release") -> dict[str, str]:
    """Generate the students' notebooks and put them into `folder`.

    Args:
        assignments: their names, by default all in source/.
        folder: where they go. A notebook there that holds answers is kept as it is.

    Returns:
        What became of each assignment: "written", "unchanged" or "kept".

    Raises:
        GradingError: an assignment in source/ is not fit for release.
    """
    outcome = {}
    with tempfile.TemporaryDirectory() as scratch:
        course = Course(class_folder=Path(scratch))
        for assignment in assignments or course.assignments:
            made = course.generate(assignment, Path(scratch) / "release")
            outcome[assignment] = _put(made, folder / assignment / made.name)
    return outcome


def _put(made: Path, place: Path) -> str:
    if place.exists():
        if place.read_bytes() == made.read_bytes():
            return "unchanged"
        if _holds_answers(place):
            return "kept"
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(made, place)
    return "written"


def _holds_answers(path: Path) -> bool:
    try:
        cells = nbformat.read(path, as_version=4).cells
    except Exception:  # nbformat raises its own errors and those of json
        return True  # whatever it is, somebody put it there
    answers = [cell.source for cell in cells if cell.metadata.get("nbgrader", {}).get("solution")]
    return any(not any(stub in source for stub in UNANSWERED) for source in answers)
