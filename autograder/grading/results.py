"""What became of a submission: its score, and every problem in plain words."""

from __future__ import annotations

from dataclasses import dataclass, field

from autograder.grading.gradebook import Marks
from autograder.grading.record import Record


@dataclass
class Result:
    """One submission after grading.

    Attributes:
        student: name of the student's folder in submitted/.
        assignment: name of the assignment.
        state: "graded", "missing" (not handed in), "unreadable" or "failed" (could not be graded).
        score: points so far, without the penalty for being late.
        max_score: points of the assignment.
        by_hand: points that wait for a person.
        penalty: points lost for being late.
        scores: points of each graded cell by its id; None where a person has yet to mark.
        problems: sentences, in the order of the notebook.
    """

    student: str
    assignment: str
    state: str
    score: float = 0.0
    max_score: float = 0.0
    by_hand: float = 0.0
    penalty: float = 0.0
    scores: dict[str, float | None] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def result_of(record: Record, marks: Marks, more: list[str] | None = None) -> Result:
    """Put together what the record and the gradebook say.

    Args:
        record: of the submission.
        marks: of the submission.
        more: problems that are not about its content.
    """
    scores = {name: None if mark.waits else mark.score for name, mark in marks.cells.items()}
    problems = [*record.problems, *(more or [])]
    if record.state != "graded":
        score = sum(filter(None, scores.values()))  # what a person may have given
        return Result(
            record.student, record.assignment, record.state, score, marks.max_score, marks.waiting, problems=problems
        )
    return Result(
        record.student,
        record.assignment,
        "graded",
        sum(filter(None, scores.values())),
        marks.max_score,
        marks.waiting,
        marks.penalty,
        scores,
        problems,
    )
