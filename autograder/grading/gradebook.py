"""Marks in nbgrader's gradebook: its own steps that write them, one that writes those of many submissions, and how
they are read; asking for all cells of a submission at once.

nbgrader's own ask for every cell and open the gradebook anew for every step: with tests that take a tenth of a second,
that is where most of the time would go.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any

import nbgrader.api
from nbformat import NotebookNode
from nbgrader import utils
from nbgrader.api import (
    Assignment,
    BaseCell,
    Comment,
    Grade,
    Gradebook,
    GradeCell,
    MissingEntry,
    Notebook,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
    TaskCell,
)
from nbgrader.preprocessors import NbGraderPreprocessor
from nbgrader.preprocessors import OverwriteCells as StockOverwriteCells
from sqlalchemy import and_, insert, not_, or_, select, true

from autograder.grading.record import Record


def keep_engines() -> None:
    """Let nbgrader open each gradebook of this process through one SQLAlchemy engine.

    nbgrader makes an engine each time, and with it loses the compiled form of each statement. Closing a gradebook
    disposes of the engine's connections, so nothing stays open.
    """
    if not hasattr(nbgrader.api.create_engine, "cache_info"):
        nbgrader.api.create_engine = functools.cache(nbgrader.api.create_engine)


class OverwriteCells(StockOverwriteCells):
    """nbgrader's step which holds the cells against what the gradebook says they are."""

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict[str, Any]]:
        """Repair what differs from the gradebook, and note each cell's checksum."""
        names = resources["nbgrader"]
        self.notebook_id, self.assignment_id = names["notebook"], names["assignment"]
        with Gradebook(names["db_url"]) as gradebook:
            notebook = gradebook.find_notebook(self.notebook_id, self.assignment_id)
            known = {cell.name: cell for cell in notebook.source_cells}
            graded = {cell.name: cell for cell in (*notebook.grade_cells, *notebook.task_cells)}
            self.gradebook = SimpleNamespace(
                find_source_cell=functools.partial(_find, known), find_graded_cell=functools.partial(_find, graded)
            )
            return NbGraderPreprocessor.preprocess(self, nb, resources)


class SaveMarks(NbGraderPreprocessor):
    """Takes the place of ``nbgrader.preprocessors.SaveAutoGrades`` and writes the same, in one transaction.

    That one commits after each cell: a grader that is killed leaves half of the marks of a submission.
    """

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict[str, Any]]:
        """Write the automatic marks and comments; marks and comments that a person gave stay as they are."""
        names = resources["nbgrader"]
        with Gradebook(names["db_url"]) as gradebook:
            saved = gradebook.find_submission_notebook(names["notebook"], names["assignment"], names["student"])
            source = saved.notebook
            cells = {cell.id: cell.name for cell in (*source.grade_cells, *source.solution_cells, *source.task_cells)}
            grades = {cells[grade.cell_id]: grade for grade in saved.grades}
            comments = {cells[comment.cell_id]: comment for comment in saved.comments}
            for cell in nb.cells:
                if utils.is_grade(cell):
                    self._grade(_find(grades, cell.metadata.nbgrader.grade_id), cell)
                if utils.is_solution(cell):
                    _find(comments, cell.metadata.nbgrader.grade_id).auto_comment = _comment(cell)
            gradebook.db.commit()
        return nb, resources

    def _grade(self, grade: Any, cell: NotebookNode) -> None:
        grade.auto_score, _ = utils.determine_grade(cell, self.log)
        # A person has to look again at what a person marked, and at what no test marks.
        grade.needs_manual_grade = grade.manual_score is not None or grade.auto_score is None


def _find(known: dict[str, Any], name: str, *place: str) -> Any:
    if name not in known:
        raise MissingEntry(f"The gradebook has no cell {name}. Generate the assignment again: make grade does it.")
    return known[name]


def _comment(cell: NotebookNode) -> str | None:
    untouched = cell.metadata.nbgrader.get("checksum") == utils.compute_checksum(cell)
    return "No response." if untouched and not utils.is_task(cell) else None


@dataclass
class Mark:
    """What the gradebook holds of one graded cell.

    Attributes:
        max_score: points of the cell.
        auto: points that the machine gave, None before it did and where a person marks.
        manual: points that a person gave; they take the place of the machine's.
        extra_credit: points beside those.
        waits: whether a person has yet to look at it.
    """

    max_score: float
    auto: float | None = None
    manual: float | None = None
    extra_credit: float = 0.0
    waits: bool = False

    @property
    def score(self) -> float:
        """Points that count, as nbgrader counts them."""
        counts = self.auto if self.manual is None else self.manual
        return 0.0 if counts is None else counts + self.extra_credit


@dataclass
class Marks:
    """What the gradebook holds of one submission.

    Attributes:
        student: name of the student.
        assignment: name of the assignment.
        cells: by the id of the graded cell.
        comments: what a person wrote about answers, by the id of the answer cell.
        penalty: points lost for being late.
        received: time of submission in UTC, without a time zone, if it is known.
        seconds_late: time after the deadline, the student's own if it was extended.
    """

    student: str
    assignment: str
    cells: dict[str, Mark] = field(default_factory=dict)
    comments: dict[str, str] = field(default_factory=dict)
    penalty: float = 0.0
    received: datetime | None = None
    seconds_late: float = 0.0

    @property
    def score(self) -> float:
        """Points so far, as nbgrader counts them."""
        return max(0.0, sum(mark.score for mark in self.cells.values()) - self.penalty)

    @property
    def max_score(self) -> float:
        """Points of the assignment."""
        return sum(mark.max_score for mark in self.cells.values())

    @property
    def waiting(self) -> float:
        """Points that wait for a person."""
        return sum(mark.max_score for mark in self.cells.values() if mark.waits)


def all_marks(gradebook: Gradebook, assignment: str) -> dict[str, Marks]:
    """Read the marks of a class in a few queries.

    Args:
        gradebook: an open gradebook.
        assignment: name of the assignment.

    Returns:
        Marks by student, of those who have a submission in the gradebook.
    """
    found: dict[str, Marks] = {}
    of_notebook: dict[str, Marks] = {}
    submissions = gradebook.db.execute(
        select(
            SubmittedAssignment.student_id,
            SubmittedAssignment.timestamp,
            SubmittedAssignment.extension,
            Assignment.duedate,
            SubmittedNotebook.id,
            SubmittedNotebook.late_submission_penalty,
        )
        .join(Assignment, Assignment.id == SubmittedAssignment.assignment_id)
        .join(SubmittedNotebook, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
        .where(Assignment.name == assignment)
        .order_by(SubmittedAssignment.student_id)
    )
    for student, received, extension, due, notebook, penalty in submissions:
        late = received - due - (extension or timedelta()) if received and due else timedelta()
        marks = Marks(student, assignment, received=received, seconds_late=max(0.0, late.total_seconds()))
        of_notebook[notebook] = found.setdefault(student, marks)
        found[student].penalty += penalty or 0.0
    of_assignment = _of_assignment(assignment)
    points = dict(gradebook.db.execute(select(GradeCell.id, GradeCell.max_score)).all())
    points |= dict(gradebook.db.execute(select(TaskCell.id, TaskCell.max_score)).all())
    grades = gradebook.db.execute(
        select(
            Grade.notebook_id,
            BaseCell.id,
            BaseCell.name,
            Grade.auto_score,
            Grade.manual_score,
            Grade.extra_credit,
            Grade.needs_manual_grade,
        )
        .join(BaseCell, BaseCell.id == Grade.cell_id)
        .where(Grade.notebook_id.in_(of_assignment))
    )
    for notebook, cell, name, auto, manual, extra, waits in grades:
        of_notebook[notebook].cells[name] = Mark(points[cell], auto, manual, extra or 0.0, bool(waits))
    comments = gradebook.db.execute(
        select(Comment.notebook_id, BaseCell.name, Comment.manual_comment)
        .join(BaseCell, BaseCell.id == Comment.cell_id)
        .where(Comment.notebook_id.in_(of_assignment), Comment.manual_comment.is_not(None))
    )
    for notebook, name, comment in comments:
        of_notebook[notebook].comments[name] = comment
    return found


def _of_assignment(assignment: str) -> Any:
    """The ids of all submitted notebooks of an assignment, as a subquery."""
    return (
        select(SubmittedNotebook.id)
        .join(Notebook, Notebook.id == SubmittedNotebook.notebook_id)
        .join(Assignment, Assignment.id == Notebook.assignment_id)
        .where(Assignment.name == assignment)
    )


def holds(gradebook: Gradebook, assignment: str, stubs: NotebookNode) -> bool:
    """Whether nbgrader has stored an assignment as it is now.

    Args:
        gradebook: an open gradebook.
        assignment: name of the assignment.
        stubs: the assignment with stubs for answers, and with hidden tests.
    """
    try:
        notebook = gradebook.find_notebook(assignment, assignment)
    except MissingEntry:
        return False
    return {cell.name: cell.checksum for cell in notebook.source_cells} == checksums(stubs)


def checksums(stubs: NotebookNode) -> dict[str, str]:
    """The checksum that nbgrader gives each cell which it knows, by its id.

    Args:
        stubs: the assignment with stubs for answers, and with hidden tests.
    """
    return {
        cell.metadata.nbgrader.grade_id: utils.compute_checksum(cell)
        for cell in stubs.cells
        if any(is_one(cell) for is_one in (utils.is_grade, utils.is_solution, utils.is_locked, utils.is_task))
    }


class Writer:
    """Writes the marks of many submissions to an open gradebook, several in one transaction.

    It writes what nbgrader's own steps write; these ask the gradebook for each cell, and commit after each.
    """

    def __init__(self, gradebook: Gradebook, assignment: str) -> None:
        """Look up the assignment.

        Args:
            gradebook: an open gradebook.
            assignment: name of the assignment, which nbgrader has stored there.

        Raises:
            MissingEntry: it has not.
        """
        self.db = gradebook.db
        self.assignment = assignment
        notebook = gradebook.find_notebook(assignment, assignment)
        self._assignment_id, self._notebook_id = notebook.assignment_id, notebook.id
        self._graded = {cell.name: cell.id for cell in (*notebook.grade_cells, *notebook.task_cells)}
        self._commented = {cell.name: cell.id for cell in (*notebook.solution_cells, *notebook.task_cells)}
        self._submitted = self._read()

    def _read(self) -> dict[str, tuple[str, str]]:
        """Ids of the submission and of its notebook, by student."""
        return {
            student: (submission, submitted)
            for student, submission, submitted in self.db.execute(
                select(SubmittedAssignment.student_id, SubmittedAssignment.id, SubmittedNotebook.id)
                .join(SubmittedNotebook, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
                .where(SubmittedNotebook.notebook_id == self._notebook_id)
            )
        }

    def put(
        self,
        record: Record,
        received: datetime | None = None,
        *,
        is_doubted: bool = False,
        look_again: bool = False,
    ) -> None:
        """Write the machine's marks of a submission. What a person gave or wrote stays as it is.

        Args:
            record: the submission.
            received: time of submission in UTC, if it is known.
            is_doubted: whether a time that the gradebook may hold comes from where it is not believed: it is taken out.
            look_again: ask for a person's look at what a person has marked: the answers are others than then.

        Raises:
            MissingEntry: the gradebook has another version of the assignment.
        """
        if record.student not in self._submitted:
            self._submitted = self._read()  # another program may have added it
        if record.student not in self._submitted:
            self._add(record.student)
        submission, submitted = self._submitted[record.student]
        if received is not None or is_doubted:
            table = SubmittedAssignment.__table__
            self.db.execute(table.update().where(table.c.id == submission).values(timestamp=received))
        grades, comments = Grade.__table__, Comment.__table__
        is_marked, waits = grades.c.manual_score.is_not(None), grades.c.needs_manual_grade
        for test in record.tests:
            if test.score is None:  # no test marks it
                needed = true() if look_again else or_(not_(is_marked), waits)
            else:
                needed = is_marked if look_again else and_(is_marked, waits)
            of_test = self._of(grades, _find(self._graded, test.name), submitted)
            self.db.execute(of_test.values(auto_score=test.score, needs_manual_grade=needed))
        for answer in record.answers:
            comment = "No response." if answer in record.empty else None
            of_answer = self._of(comments, _find(self._commented, answer), submitted)
            self.db.execute(of_answer.values(auto_comment=comment))

    def _of(self, table: Any, cell: str, submitted: str) -> Any:
        # Both columns: they have an index together, and none alone.
        return table.update().where(table.c.cell_id == cell, table.c.notebook_id == submitted)

    def _add(self, student: str) -> None:
        if self.db.get(Student, student) is None:
            self.db.add(Student(id=student))
        submission = SubmittedAssignment(assignment_id=self._assignment_id, student_id=student)
        self.db.add(submission)
        self.db.flush()
        notebook = SubmittedNotebook(notebook_id=self._notebook_id, assignment_id=submission.id)
        self.db.add(notebook)
        self.db.flush()
        self.db.execute(insert(Grade), [{"cell_id": id, "notebook_id": notebook.id} for id in self._graded.values()])
        self.db.execute(
            insert(Comment), [{"cell_id": id, "notebook_id": notebook.id} for id in self._commented.values()]
        )
        self._submitted[student] = (submission.id, notebook.id)
