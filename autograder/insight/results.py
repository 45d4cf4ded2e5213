"""Everything that is known about a class, in a few DataFrames, read once."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
from nbformat import NotebookNode
from nbgrader.api import Student
from nbgrader.preprocessors import ClearSolutions
from sqlalchemy import select

from autograder.grading.course import Course, GradingError
from autograder.grading.gradebook import Marks, all_marks
from autograder.grading.record import Record, Records
from autograder.lms.ledger import Ledger

GRADED, UNREADABLE, WAITING, MISSING = "graded", "unreadable", "not graded yet", "not handed in"
STATES = (GRADED, UNREADABLE, WAITING, MISSING)

# Where a command says which gradebook is meant: the URL may hold a password, so no file of the report does.
GRADEBOOK = "AUTOGRADER_GRADEBOOK"

# What is said of the environment in which a submission was graded.
_VERSIONS = ("python", "torch", "nbgrader", "autograder")
_SQLITE = "sqlite:///"
_SUBMISSIONS = (
    "student",
    "assignment",
    "state",
    "score",
    "max_score",
    "by_hand",
    "seconds",
    "kernels",
    "sandbox",
    "environment",
)
_TESTS = ("student", "assignment", "test", "exercise", "answer", "max_score", "score", "outcome", "message", "seconds")
_ANSWERS = ("student", "assignment", "answer", "text")
_NOTES = ("student", "assignment", "kind", "text")
_HANDED_IN = ("student", "assignment", "state")
# Values that come again and again: pandas keeps each once.
_REPEATED = (
    "student",
    "assignment",
    "state",
    "environment",
    "test",
    "exercise",
    "answer",
    "outcome",
    "message",
    "kind",
    "text",
)


@dataclass(frozen=True)
class ClassResults:
    """A class and all its results.

    Attributes:
        name: name of the class folder.
        assignments: names, in course order: those asked for, or else those of which anything is known.
        submissions: one row for each record. ``score`` counts marks given by hand and penalties, ``by_hand`` is what
            waits for a person.
        tests: one row for each graded cell of each graded submission, in the order of the notebook. ``score`` is
            missing where a person has yet to mark.
        answers: the text of each answer cell.
        notes: what the records say in sentences; ``kind`` is intake, repair, stopped (an answer
            cell that did not run to its end) or problem (all else).
        handed_in: one row for each student and assignment, with one of `STATES`.
        stubs: what the assignment gives for each answer cell, by assignment and id of the cell.
        warnings: what could not be read, in sentences.
    """

    name: str
    assignments: list[str]
    submissions: pd.DataFrame
    tests: pd.DataFrame
    answers: pd.DataFrame
    notes: pd.DataFrame
    handed_in: pd.DataFrame
    stubs: dict[tuple[str, str], str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    def only(self, assignment: str) -> ClassResults:
        """The same of one assignment."""
        frames = ("submissions", "tests", "answers", "notes", "handed_in")
        part = {name: (frame := getattr(self, name))[frame.assignment == assignment] for name in frames}
        stubs = {key: stub for key, stub in self.stubs.items() if key[0] == assignment}
        return ClassResults(self.name, [assignment], **part, stubs=stubs)


def load(folder: Path | str = ".") -> ClassResults:
    """Read the class that the file ``report.json`` in a folder names. The report does this in its first cell.

    Raises:
        FileNotFoundError: there is no such file.
    """
    folder = Path(folder).resolve()
    about = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    course = Course(
        class_folder=(folder / about["class"]).resolve(),
        root=(folder / about["course"]).resolve(),
        db=os.environ.get(GRADEBOOK),
    )
    return read(course, about["assignments"])


def read(course: Course, assignments: Sequence[str] = ()) -> ClassResults:
    """Read the records, the gradebook and who handed in.

    Args:
        course: the course and its class.
        assignments: names; all when left out.
    """
    warnings: list[str] = []
    records = Records(course.step("records"))
    roster, marks = _gradebook(course, assignments)
    rows: dict[str, list[tuple[Any, ...]]] = {"submissions": [], "tests": [], "answers": [], "notes": []}
    known: dict[tuple[str, str], str] = {}
    for record in _records(records, assignments):
        known[record.student, record.assignment] = UNREADABLE if record.state == "unreadable" else GRADED
        _add(rows, record, marks.get((record.student, record.assignment)))
    there = sum(1 for name in assignments or ["[!.]*"] for _ in course.step("records").glob(f"*/{name}.json"))
    unread = there - len(known)
    if unread:
        warnings.append(
            f"{unread} record{'s' if unread > 1 else ''} in {course.step('records').name}/ could not be read and "
            f"{'are' if unread > 1 else 'is'} left out. Grade the class again; that writes them anew."
        )
    submitted = set(_submitted(course))
    received = _received(course, warnings)
    students = roster | received | set(course.students) | {student for student, _ in known}
    names = list(assignments) or assignments_of(course)
    handed_in = [
        (student, name, known.get((student, name), WAITING if (student, name) in submitted else MISSING))
        for student in sorted(students)
        for name in names
    ]
    return ClassResults(
        course.class_folder.name,
        names,
        _frame(rows["submissions"], _SUBMISSIONS),
        _frame(rows["tests"], _TESTS),
        _frame(rows["answers"], _ANSWERS),
        _frame(rows["notes"], _NOTES),
        _frame(handed_in, _HANDED_IN),
        {key: stub for name in names for key, stub in _stubs(course, name)},
        warnings,
    )


def _records(records: Records, assignments: Sequence[str]) -> Iterator[Record]:
    for assignment in assignments or [None]:
        yield from records.all(assignment)


def _add(rows: dict[str, list[tuple[Any, ...]]], record: Record, marks: Marks | None) -> None:
    """Spread one record over the frames; the gradebook's marks take the place of the record's."""
    who = (record.student, record.assignment)
    score = sum(test.score or 0.0 for test in record.tests)
    max_score = sum(test.max_score for test in record.tests)
    by_hand = sum(test.max_score for test in record.tests if test.score is None)
    if marks and marks.cells:
        score, max_score, by_hand = marks.score, marks.max_score, marks.waiting
    versions = ", ".join(f"{name} {record.environment[name][:12]}" for name in _VERSIONS if name in record.environment)
    rows["submissions"].append(
        (*who, record.state, score, max_score, by_hand, record.seconds, record.kernels, record.sandbox, versions)
    )
    for test in record.tests if record.state == GRADED else []:
        points = test.score
        if marks and (mark := marks.cells.get(test.name)):
            points = None if mark.waits else mark.score - mark.extra_credit
        rows["tests"].append(
            (
                *who,
                test.name,
                test.exercise,
                test.answer or test.name,
                test.max_score,
                points,
                test.outcome,
                test.message,
                test.seconds,
            )
        )
    rows["answers"] += [(*who, cell, text) for cell, text in record.answers.items()]
    headings = {test.answer or test.name: test.exercise for test in record.tests}
    # What a test says about an answer is counted with the tests.
    told = (*record.intake, *record.repairs)
    about_answers = tuple(f"{heading}: " for heading in {*headings.values(), ""})
    notes = {
        "intake": record.intake,
        "repair": record.repairs,
        "stopped": [f"{headings.get(cell, cell)}: {why}" for cell, why in record.stopped.items()],
        "problem": [text for text in record.problems if text not in told and not text.startswith(about_answers)],
    }
    rows["notes"] += [(*who, kind, text) for kind, texts in notes.items() for text in texts]


def _gradebook(course: Course, assignments: Sequence[str]) -> tuple[set[str], dict[tuple[str, str], Marks]]:
    """The students of the gradebook, and the marks by student and assignment."""
    url = course.nbgrader.coursedir.db_url
    if url.startswith(_SQLITE) and not Path(url.removeprefix(_SQLITE)).exists():
        return set(), {}  # nbgrader would make an empty one
    with course.nbgrader.gradebook as gradebook:
        students = set(gradebook.db.scalars(select(Student.id)))
        names = assignments or [assignment.name for assignment in gradebook.assignments]
        marks = {(who, name): found for name in names for who, found in all_marks(gradebook, name).items()}
    return students, marks


def _submitted(course: Course) -> Iterator[tuple[str, str]]:
    for student in course.students:
        with os.scandir(course.step("submitted") / student) as folders:
            for folder in folders:
                if folder.is_dir(follow_symlinks=False) and any(os.scandir(folder.path)):
                    yield student, folder.name


def _received(course: Course, warnings: list[str]) -> set[str]:
    """Students of whom an LMS sent anything."""
    try:
        return set(Ledger(course.class_folder).people)
    except GradingError as error:
        warnings.append(str(error))
        return set()


def assignments_of(course: Course) -> list[str]:
    """Assignments of which anybody handed in anything, in course order. Before that, nobody is late with them."""
    recorded = {path.stem for path in course.step("records").glob("*/[!.]*.json")}
    return sorted(recorded | ({name for _, name in _submitted(course)} & set(course.assignments)))


def _stubs(course: Course, assignment: str) -> Iterator[tuple[tuple[str, str], str]]:
    if assignment not in course.assignments:
        return
    notebook, _ = ClearSolutions(config=course.nbgrader.config).preprocess(course.source(assignment), {})
    for cell in notebook.cells:
        if _role(cell).get("solution"):
            yield (assignment, cell.metadata.nbgrader.grade_id), cell.source


def _role(cell: NotebookNode) -> dict[str, Any]:
    return cell.metadata.get("nbgrader", {})


def _frame(rows: list[tuple[Any, ...]], columns: tuple[str, ...]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=list(columns))
    repeated = [name for name in columns if name in _REPEATED]
    kinds = {name: "float64" for name in ("score", "max_score", "by_hand", "seconds") if name in columns}
    return frame.astype(dict.fromkeys(repeated, "category") | kinds)
