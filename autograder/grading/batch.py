"""Grade a class: every submission by itself, in parallel, so that none can stop the others."""

from __future__ import annotations

import dataclasses
import functools
import multiprocessing
import os
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from autograder.grading import intake
from autograder.grading.course import Course, GradingError, last_error
from autograder.grading.results import Result, collect
from autograder.kernels import sandbox

# How often a submission is tried whose worker was killed.
ATTEMPTS = 3


def grade(
    course: Course,
    assignments: list[str] | None = None,
    students: list[str] | None = None,
    *,
    jobs: int | None = None,
    regrade: bool = False,
    progress: Callable[[str, int, int], None] = lambda what, done, total: None,
) -> list[Result]:
    """Autograde the submissions of a class and write their feedback.

    What was graded before and has not changed since is kept, so an interrupted run goes on where it stopped.

    Args:
        course: the course and its class.
        assignments: which, by default all in source/.
        students: which, by default all in submitted/.
        jobs: how many submissions at a time, by default one for each processor.
        regrade: grade again what was graded before.
        progress: called as ``progress(what, done, total)`` while the work goes on.

    Returns:
        A result for each student and assignment, missing submissions too.

    Raises:
        GradingError: there is nothing to grade, an assignment in source/ is broken, or there is no sandbox here.
    """
    try:
        sandbox.check(confined=not course.limits.unsafe_no_sandbox)
    except sandbox.SandboxUnavailable as error:
        raise GradingError(str(error)) from None
    assignments = assignments or course.assignments
    students = students or course.students
    if not students:
        raise GradingError(
            f"There are no submissions in {course.step('submitted')}. "
            "Put them there as <student>/<assignment>/<assignment>.ipynb."
        )
    if unknown := sorted(set(assignments) - set(course.assignments)):
        raise GradingError(
            f"No such assignment in source/: {', '.join(unknown)}. Known: {', '.join(course.assignments)}."
        )
    with tempfile.TemporaryDirectory() as scratch:
        for done, assignment in enumerate(assignments):
            progress(f"preparing {assignment}", done, len(assignments))
            course.generate(assignment, Path(scratch))

    pairs = [(student, assignment) for student in students for assignment in assignments]
    todo = [pair for pair in pairs if regrade or not _is_done(course, *pair)]
    failures = _grade_all(course, todo, jobs, progress)
    return [_collected(course, *pair, failures.get(pair)) for pair in pairs]


def _grade_all(
    course: Course,
    todo: list[tuple[str, str]],
    jobs: int | None,
    progress: Callable[[str, int, int], None],
) -> dict[tuple[str, str], str | None]:
    """Grade in worker processes; for each student and assignment, why it failed or None."""
    failures: dict[tuple[str, str], str | None] = {}
    bare = dataclasses.replace(course)  # without the connections that this one has opened
    for attempt in range(ATTEMPTS):
        left = [pair for pair in todo if pair not in failures]
        # Who was at work when a worker died is tried again, in the end alone.
        pool = ProcessPoolExecutor(
            jobs or os.cpu_count() if attempt < ATTEMPTS - 1 else 1,
            # A fork would share the parent's connections to the gradebook.
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_log_to,
            initargs=(course.class_folder / "grading.log",),
        )
        with pool:
            running = {pool.submit(_grade_one, bare, *pair): pair for pair in left}
            for future in as_completed(running):
                pair = running[future]
                try:
                    failures[pair] = future.result()
                except BrokenProcessPool:
                    continue
                except Exception as error:  # nothing that one submission does may stop the others
                    failures[pair] = f"The submission could not be graded: {type(error).__name__}: {error}"
                progress(" ".join(pair), len(failures), len(todo))
        if len(failures) == len(todo):
            break
    gone = "The submission could not be graded: the process that graded it ended. Is the machine out of memory?"
    return {pair: failures.get(pair, gone) for pair in todo}


def _collected(course: Course, student: str, assignment: str, failure: str | None) -> Result:
    try:
        return collect(course, student, assignment, failure=failure)
    except Exception as error:
        return Result(student, assignment, "failed", problems=[f"{type(error).__name__}: {error}"])


def _grade_one(course: Course, student: str, assignment: str) -> str | None:
    """Autograde one submission and write its feedback; return None, or a sentence that says why it failed."""
    course = _once(course)
    nbgrader = course.nbgrader
    try:
        submission = intake.take(course.folder("submitted", student, assignment), assignment, course.intake)
    except intake.Unreadable:
        return None  # the results say so
    with tempfile.TemporaryDirectory(prefix="submission-") as scratch:
        intake.put(submission, Path(scratch, student, assignment), assignment)
        nbgrader.coursedir.submitted_directory = scratch
        for step, run in (("graded", nbgrader.autograde), ("given feedback", nbgrader.generate_feedback)):
            result = run(assignment, student, force=True)
            if not result["success"]:
                return f"The submission could not be {step}: {last_error(result)}"
    return None


def _log_to(path: Path) -> None:
    """Send what kernels and libraries print to a file; each worker appends to it."""
    with path.open("a", encoding="utf-8") as log:
        os.dup2(log.fileno(), sys.stderr.fileno())


@functools.cache
def _once(course: Course) -> Course:
    # Each task brings a copy of its own; the first one opens the gradebook for all.
    return course


def _is_done(course: Course, student: str, assignment: str) -> bool:
    made = course.step("feedback") / student / assignment / f"{assignment}.html"
    if not made.exists():
        return False
    needed = [
        course.root / "source" / assignment / f"{assignment}.ipynb",
        course.root / "nbgrader_config.py",
        *Path(__file__).parents[1].rglob("*.py"),
        *course.folder("submitted", student, assignment).rglob("*"),
    ]
    # Not the time of modification: unzip and rsync keep that of the original.
    return all(path.lstat().st_ctime < made.stat().st_mtime for path in needed)
