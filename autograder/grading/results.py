"""What became of a submission: its score, and every problem in plain words."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import nbformat
from nbformat import NotebookNode
from nbgrader.api import MissingEntry

from autograder.examiner.examine import NOT_RUN
from autograder.examiner.student_kernel import CELL_STOPPED
from autograder.grading import intake
from autograder.grading.course import Course
from autograder.outcomes import AnswerRaised, CheckFailed, NotAttempted

# Characters of one problem.
MOST_TEXT = 3000
NO_SANDBOX = "Graded without a sandbox: this code ran with the rights of whoever graded it."
_OURS = {kind.__name__ for kind in (AnswerRaised, CheckFailed, NotAttempted)}


@dataclass
class Result:
    """One submission after grading.

    Attributes:
        student: name of the student's folder in submitted/.
        assignment: name of the assignment.
        state: "graded", "missing" (not handed in), "unreadable" or "failed" (could not be graded).
        score: points so far.
        max_score: points of the assignment.
        by_hand: points that wait for a person.
        scores: points of each graded cell by its id; None where a person has yet to mark.
        problems: sentences, in the order of the notebook.
    """

    student: str
    assignment: str
    state: str
    score: float = 0.0
    max_score: float = 0.0
    by_hand: float = 0.0
    scores: dict[str, float | None] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def collect(course: Course, student: str, assignment: str, failure: str | None = None) -> Result:
    """Read the result of one submission from the gradebook and from its autograded notebook.

    Args:
        course: the course and its class.
        student: name of the student.
        assignment: name of the assignment.
        failure: why the submission could not be graded, if it could not.
    """
    max_score, has_deadline = _about(course, assignment)
    try:
        submission = intake.take(
            course.folder("submitted", student, assignment), assignment, course.intake, has_deadline=has_deadline
        )
    except intake.Unreadable as problem:
        state = "missing" if isinstance(problem, intake.Missing) else "unreadable"
        return Result(student, assignment, state, max_score=max_score, problems=[str(problem)])
    if failure:
        return Result(student, assignment, "failed", max_score=max_score, problems=[failure])
    with course.nbgrader.gradebook as gradebook:
        grades = gradebook.find_submission_notebook(assignment, assignment, student).grades
        scores = {grade.name: None if grade.needs_manual_grade else grade.score for grade in grades}
        by_hand = sum(grade.max_score for grade in grades if grade.needs_manual_grade)
    notebook = nbformat.read(course.notebook("autograded", student, assignment), as_version=4)
    about = notebook.metadata.get("autograder", {})
    problems = [
        *submission.problems,
        *([] if about.get("sandbox", True) else [NO_SANDBOX]),
        *about.get("problems", []),
        *_failures(notebook, _headings(course.source(assignment))),
    ]
    score = sum(filter(None, scores.values()))
    return Result(student, assignment, "graded", score, max_score, by_hand, scores, problems)


def _about(course: Course, assignment: str) -> tuple[float, bool]:
    """Points of an assignment, and whether it has a deadline."""
    with course.nbgrader.gradebook as gradebook:
        try:
            found = gradebook.find_assignment(assignment)
        except MissingEntry:
            return 0.0, False
        return found.max_score, found.duedate is not None


def _failures(notebook: NotebookNode, headings: dict[str, str]) -> list[str]:
    failures = []
    for cell in notebook.cells:
        role = cell.metadata.get("nbgrader", {})
        error = next((out for out in cell.get("outputs", []) if out.output_type == "error"), None)
        if error and role.get("solution"):
            failures.append(f"{headings[cell.id]}: the answer cell did not run to its end: {_in_words(error)}")
        elif error and role.get("grade"):
            failures.append(f"{headings[cell.id]}: {_in_words(error)}")
    # The tests of one exercise may all say the same.
    return list(dict.fromkeys(map(_printable, failures)))


def _printable(text: str) -> str:
    """Without what a terminal takes for a command, and not longer than anybody reads."""
    kept = "".join(char if char.isprintable() or char == "\n" else " " for char in text[: MOST_TEXT + 1])
    return kept if len(kept) <= MOST_TEXT else kept[:MOST_TEXT].rstrip() + " …"


def _headings(source: NotebookNode) -> dict[str, str]:
    """The heading above each cell, by the cell's id."""
    above, heading = {}, ""
    for cell in source.cells:
        if cell.cell_type == "markdown" and (found := re.search(r"^#+ (.+)$", cell.source, flags=re.MULTILINE)):
            heading = found[1]
        above[cell.id] = heading
    return above


def _in_words(error: NotebookNode) -> str:
    if error.ename == NotAttempted.__name__:
        return "not attempted."
    if error.ename in _OURS or error.ename in (CELL_STOPPED, NOT_RUN):
        return error.evalue
    if error.ename == "NameError" and (name := re.search(r"name '(\w+)' is not defined", error.evalue)):
        return f"{name[1]} is not defined. Did its cell run to the end, and does it define this name?"
    if error.ename in ("KeyboardInterrupt", "CellTimeoutError"):
        return "stopped because it took too long. Is there a loop that never ends?"
    # The file of a cell has a number for a name, which says nothing.
    return re.sub(r"\(\S+\.py, line", "(line", f"{error.ename}: {error.evalue}")
