"""Penalties for late work, by nbgrader's own plugin, for a whole class at once.

nbgrader's step sees to it when a submission is graded. Here it is done in each run, since a deadline, an extension or a
mark given by hand may have changed although the submission has not.
"""

from __future__ import annotations

from collections.abc import Iterable

from nbgrader.api import Gradebook, SubmittedAssignment, SubmittedNotebook
from nbgrader.preprocessors import AssignLatePenalties
from sqlalchemy import select, update
from traitlets.config import Config

from autograder.grading.course import Course
from autograder.grading.gradebook import all_marks


def settle_all(course: Course, assignments: Iterable[str]) -> None:
    """Bring the penalties of a class up to date: before marks are told to anybody.

    Args:
        course: the course and its class.
        assignments: names of assignments.
    """
    with course.nbgrader.gradebook as gradebook:
        for assignment in assignments:
            settle(gradebook, assignment, course.nbgrader.config)
        gradebook.db.commit()


def settle(gradebook: Gradebook, assignment: str, config: Config) -> None:
    """Write the penalties of an assignment, without a commit.

    Args:
        gradebook: an open gradebook.
        assignment: name of the assignment.
        config: nbgrader's settings, which name the plugin (``c.AssignLatePenalties.plugin_class``) and its method.
    """
    step = AssignLatePenalties(config=config)
    step.init_plugin()
    for student, marks in all_marks(gradebook, assignment).items():
        penalty = None
        if marks.seconds_late > 0:
            before = sum(mark.score for mark in marks.cells.values())
            penalty = step.plugin_inst.late_submission_penalty(student, before, marks.seconds_late)
            if penalty is not None:
                penalty = min(max(0.0, penalty), before)
        if (penalty or 0.0) != marks.penalty:
            submitted = select(SubmittedNotebook.id).join(
                SubmittedAssignment, SubmittedAssignment.id == SubmittedNotebook.assignment_id
            )
            of_student = submitted.where(
                SubmittedAssignment.student_id == student,
                SubmittedAssignment.assignment_id == gradebook.find_assignment(assignment).id,
            )
            gradebook.db.execute(
                update(SubmittedNotebook)
                .where(SubmittedNotebook.id.in_(of_student))
                .values(late_submission_penalty=penalty)
            )
