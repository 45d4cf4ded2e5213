"""Read an autograded notebook: what came of each graded cell, in words."""

from __future__ import annotations

import logging
import re

from nbformat import NotebookNode
from nbgrader.utils import compute_checksum, determine_grade

from autograder.examiner.examine import NOT_RUN
from autograder.examiner.student_kernel import CELL_STOPPED
from autograder.grading.record import BY_HAND, NOT_ATTEMPTED, PARTIAL, PASSED, WRONG, Record, TestRecord
from autograder.outcomes import AnswerRaised, CheckFailed, NotAttempted

# Characters of one problem.
MOST_TEXT = 3000
NO_SANDBOX = "Graded without a sandbox: this code ran with the rights of whoever graded it."
_OURS = {kind.__name__ for kind in (AnswerRaised, CheckFailed, NotAttempted)}
_log = logging.getLogger(__name__)


def record_of(notebook: NotebookNode, source: NotebookNode, student: str, assignment: str) -> Record:
    """Make a record of an autograded notebook.

    Args:
        notebook: the notebook, as this grader rebuilt and executed it.
        source: the instructor's notebook of the assignment.
        student: name of the student.
        assignment: name of the assignment.

    Returns:
        The record, without what the notebook does not hold: hashes, environment, intake and time of grading.
    """
    about = notebook.metadata.get("autograder", {})
    headings = _headings(source)
    record = Record(
        student,
        assignment,
        state="graded",
        seed=about.get("seed", 0),
        sandbox=about.get("sandbox", True),
        kernels=about.get("kernels", 0),
        in_kernel=list(about.get("in_kernel", [])),
        repairs=list(about.get("problems", [])),
    )
    # Sentences, in the order of the notebook; the tests of one exercise may all say the same.
    failures: dict[str, None] = {}
    answer = None
    for cell in notebook.cells:
        role = cell.metadata.get("nbgrader") or {}
        if not (role.get("solution") or role.get("grade") or role.get("task")):
            continue
        heading = headings.get(cell.id, "")
        if role.get("solution"):
            answer = role["grade_id"]
            record.answers[answer] = cell.source
            if role.get("checksum") == compute_checksum(cell):
                record.empty.append(answer)
            if sentence := _sentence(cell):
                record.stopped[answer] = sentence
                failures[f"{heading}: the answer cell did not run to its end: {sentence}"] = None
        if role.get("grade") or role.get("task"):
            test = _test(cell, heading, answer, about.get("seconds", {}).get(cell.id, 0.0))
            record.tests.append(test)
            if test.outcome == NOT_ATTEMPTED and not role.get("solution"):
                failures[f"{heading}: not attempted."] = None
            elif test.message:
                failures[f"{heading}: {test.message}"] = None
    record.problems = [*([] if record.sandbox else [NO_SANDBOX]), *record.repairs, *failures]
    return record


def untouched(source: NotebookNode) -> list[TestRecord]:
    """What comes of the graded cells of an assignment that was not worked on.

    Args:
        source: the instructor's notebook.
    """
    headings, tests, answer = _headings(source), [], None
    for cell in source.cells:
        role = cell.metadata.get("nbgrader") or {}
        if role.get("solution"):
            answer = role["grade_id"]
        if role.get("grade") or role.get("task"):
            name, most = role["grade_id"], float(role["points"])
            tests.append(TestRecord(name, headings[cell.id], answer, most, 0.0, NOT_ATTEMPTED))
    return tests


def _test(cell: NotebookNode, heading: str, answer: str | None, seconds: float) -> TestRecord:
    role = cell.metadata.nbgrader
    most = float(role["points"])
    score = None if role.get("task") else determine_grade(cell, _log)[0]
    error = _error(cell)
    message = None
    if score is None:
        outcome = BY_HAND
    elif (error and error.ename == NotAttempted.__name__) or role.get("solution"):
        outcome = NOT_ATTEMPTED
    else:
        outcome = PASSED if score >= most else PARTIAL if score > 0 else WRONG
        message = _sentence(cell)
    return TestRecord(role["grade_id"], heading, answer, most, score, outcome, message, seconds)


def _error(cell: NotebookNode) -> NotebookNode | None:
    return next((output for output in cell.get("outputs", []) if output.output_type == "error"), None)


def _sentence(cell: NotebookNode) -> str | None:
    """What the error of a cell says, if it has one."""
    return _printable(_in_words(error)) if (error := _error(cell)) else None


def _printable(text: str) -> str:
    """Without what a terminal takes for a command, and not longer than anybody reads."""
    kept = "".join(char if char.isprintable() or char == "\n" else " " for char in text[: MOST_TEXT + 1])
    return kept if len(kept) <= MOST_TEXT else kept[:MOST_TEXT].rstrip() + " …"


def _headings(source: NotebookNode) -> dict[str, str]:
    """The heading above each cell, by the cell's id."""
    above, heading = {}, ""
    for cell in source.cells:
        is_answer = (cell.metadata.get("nbgrader") or {}).get("solution")
        if (
            cell.cell_type == "markdown"
            and not is_answer
            and (found := re.search(r"^#+ (.+)$", cell.source, flags=re.MULTILINE))
        ):
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
    return re.sub(r"\(\S{1,300}\.py, line", "(line", f"{error.ename}: {error.evalue}"[: MOST_TEXT + 1])
