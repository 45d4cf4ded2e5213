"""Grade a class: executed in parallel, written down by one, kept when it is interrupted.

Executing a submission is a pure function of it, the assignment and the environment (`autograder.grading.execution`). A
hash of these three is the key of its record. A run executes what has no record with its key, and sees to it that the
gradebook and the feedback say what the records say. So it does not matter at which moment an earlier run ended.
"""

from __future__ import annotations

import os
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from datetime import datetime

from nbgrader.api import Gradebook

from autograder.grading import executors, intake, lateness
from autograder.grading.course import Course, GradingError
from autograder.grading.execution import Assignment, Job, environment, execute, unreadable
from autograder.grading.gradebook import Marks, Writer, all_marks, holds
from autograder.grading.handback import write_feedback
from autograder.grading.intake import Missing, Unreadable
from autograder.grading.lock import alone
from autograder.grading.record import Record, Records, write
from autograder.grading.results import Result, result_of
from autograder.grading.template import Template
from autograder.grading.trouble import in_plain_words
from autograder.kernels import sandbox
from autograder.lms.ledger import Ledger

# How often a submission is tried whose worker was killed.
ATTEMPTS = 3
# Submissions on their way for each that is executed, and on their way to a cluster, whose workers come and go.
AHEAD = 2
QUEUE = 256
# Characters of a student's name that a gradebook takes.
LONGEST_NAME = 128
# Seconds between two commits to the gradebook.
COMMIT = 1.0

Pair = tuple[str, str]
Progress = Callable[[str, int, int], None]
GONE = "The submission could not be graded: the process that graded it ended. Is the machine out of memory?"


@dataclass(frozen=True)
class Plan:
    """What a run would do.

    Attributes:
        execute: students and assignments whose submissions are to be executed.
        keep: those that were graded before and have not changed.
        unreadable: those that cannot be read, and why.
        missing: those that were not handed in, and why that is thought.
    """

    execute: list[Pair] = field(default_factory=list)
    keep: list[Pair] = field(default_factory=list)
    unreadable: dict[Pair, str] = field(default_factory=dict)
    missing: dict[Pair, str] = field(default_factory=dict)


def grade(
    course: Course,
    assignments: list[str] | None = None,
    students: list[str] | None = None,
    *,
    jobs: int | None = None,
    force: bool = False,
    scheduler: str | None = None,
    progress: Progress = lambda what, done, total: None,
) -> list[Result]:
    """Autograde the submissions of a class and write their feedback.

    What was graded before and has not changed since is kept, so an interrupted run goes on where it stopped.

    Args:
        course: the course and its class.
        assignments: which, by default all in source/.
        students: which, by default all in submitted/.
        jobs: how many submissions at a time, by default one for each processor.
        force: execute again what was graded before.
        scheduler: address of a Dask scheduler whose workers execute the submissions.
        progress: called as ``progress(what, done, total)`` while the work goes on.

    Returns:
        A result for each student and assignment, missing submissions too.

    Raises:
        GradingError: there is nothing to grade, an assignment in source/ is broken, there is no sandbox here, another
            grader is at work, or something cannot be written. The message says what to do.
    """
    if scheduler is None:
        _check_sandbox(course)
    assignments, students = _chosen(course, assignments, students)
    with in_plain_words(course), alone(course.class_folder):
        for number, assignment in enumerate(assignments):
            progress(f"preparing {assignment}", number, len(assignments))
            _store(course, assignment)
        with course.nbgrader.gradebook as gradebook:
            batch = _Batch(course, gradebook, assignments, progress)
            plan = batch.plan(students, force=force)
            batch.keep(plan)
            failures = batch.execute(plan.execute, jobs, scheduler)
            batch.finish()
            return batch.results(students, plan, failures)


def look(
    course: Course, assignments: list[str] | None = None, students: list[str] | None = None, *, force: bool = False
) -> Plan:
    """Say what `grade` would do with the same arguments. Nothing is written.

    Raises:
        GradingError: there is nothing to grade.
    """
    assignments, students = _chosen(course, assignments, students)
    return _plan(course, {name: course.template(name) for name in assignments}, students, force=force)


def _check_sandbox(course: Course) -> None:
    try:
        sandbox.check(confined=not course.limits.unsafe_no_sandbox)
    except sandbox.SandboxUnavailable as error:
        raise GradingError(str(error)) from None


def _chosen(course: Course, assignments: list[str] | None, students: list[str] | None) -> tuple[list[str], list[str]]:
    course.check_names(assignments)
    if not course.students:
        raise GradingError(
            f"There are no submissions in {course.step('submitted')}. "
            "Put them there as <student>/<assignment>/<assignment>.ipynb, or let `python -m autograder collect` do it "
            "with what the LMS gives you."
        )
    for name in students or course.students:
        if len(name) > LONGEST_NAME or not name.isprintable():  # what is no UTF-8 is not printable either
            raise GradingError(
                f"The folder {name!a} in {course.step('submitted')} cannot be a student's name. Rename it: no control "
                f"characters, valid UTF-8, at most {LONGEST_NAME} characters."
            )
    if unknown := sorted(set(students or ()) - set(course.students)):
        raise GradingError(f"No such student in {course.step('submitted')}: {', '.join(unknown)}.")
    return assignments or course.assignments, students or course.students


def _store(course: Course, assignment: str) -> None:
    """Let nbgrader store an assignment in the gradebook, unless it is there as it is in source/."""
    with course.nbgrader.gradebook as gradebook:
        if holds(gradebook, assignment, course.template(assignment).stubs):
            return
    course.store(assignment)


@dataclass
class _Ran:
    """What came of the work of one pool: what was lost with a worker, what was not begun, and why others failed."""

    lost: list[Pair] = field(default_factory=list)
    left: list[Pair] = field(default_factory=list)
    failures: dict[Pair, str] = field(default_factory=dict)
    is_broken: bool = False


class _Batch:
    """One run."""

    def __init__(self, course: Course, gradebook: Gradebook, assignments: list[str], progress: Progress) -> None:
        self.course = course
        self.gradebook = gradebook
        self.progress = progress
        self.records = Records(course.step("records"))
        self.ledger = Ledger(course.class_folder)
        self.templates = {name: course.template(name) for name in assignments}
        self.packed = {name: Assignment.of(name, template) for name, template in self.templates.items()}
        self.writers = {name: Writer(gradebook, name) for name in assignments}
        self.committed = time.monotonic()
        # Of submissions whose marks are not committed yet.
        self.pending: list[Record] = []

    def plan(self, students: list[str], *, force: bool) -> Plan:
        return _plan(self.course, self.templates, students, force=force, packed=self.packed, progress=self.progress)

    def keep(self, plan: Plan) -> None:
        """See to it that the gradebook says what the records say of submissions that need not be executed."""
        marks = self.marks()
        for student, assignment in plan.keep:
            record = self.records.find(student, assignment)
            assert record is not None
            self._enter(record, marks[assignment].get(student))
        for (student, assignment), problem in plan.unreadable.items():
            record = unreadable(student, self.packed[assignment], self.templates[assignment].source, problem)
            old = self.records.find(student, assignment)
            if old and (old.state, old.problems) == (record.state, record.problems):
                self._enter(old, marks[assignment].get(student))
            else:
                self._write(record, None)
        self.commit()

    def _enter(self, record: Record, marks: Marks | None) -> None:
        """Write marks that the gradebook does not hold as the record says them."""
        received, doubt = self.received(record.student, record.assignment)
        is_doubted = received is None and doubt is not None
        is_right = (
            marks is not None
            and all(name in marks.cells and marks.cells[name].auto == score for name, score in _scores(record))
            and (received == marks.received if received or is_doubted else True)
        )
        if not is_right:
            self.writers[record.assignment].put(record, received, is_doubted=is_doubted)

    def received(self, student: str, assignment: str) -> tuple[datetime | None, str | None]:
        """When a submission came, and a sentence if a file that says so is not believed."""
        if known := self.ledger.received(student, assignment):
            return known, None
        return intake.received(self.course.folder("submitted", student, assignment), self.course.intake)

    def marks(self) -> dict[str, dict[str, Marks]]:
        return {name: all_marks(self.gradebook, name) for name in self.templates}

    def commit(self) -> None:
        self.gradebook.db.commit()
        # A record says that all else is written. Whoever is killed before this executes the submission again.
        for record in self.pending:
            self.records.put(record)
        self.pending.clear()
        self.committed = time.monotonic()

    def execute(self, todo: list[Pair], jobs: int | None, scheduler: str | None) -> dict[Pair, str]:
        """Execute submissions and write down what came of them; return why some could not be."""
        if not todo:
            return {}
        if scheduler is None:
            return self._execute_here(todo, jobs or os.cpu_count() or 1)
        try:
            with executors.on_a_cluster(scheduler) as pool:
                return self._run(pool, todo, QUEUE, len(todo)).failures
        except OSError as error:
            raise GradingError(f"The Dask scheduler {scheduler} cannot be used: {error}") from error

    def _execute_here(self, todo: list[Pair], jobs: int) -> dict[Pair, str]:
        log = self.course.class_folder / "grading.log"
        left, suspects, failures, idle = todo, [], {}, 0
        # When a worker dies, those at work are looked at later, and the others go on.
        while left and idle < ATTEMPTS:
            with executors.on_this_machine(jobs, log) as pool:
                ran = self._run(pool, left, jobs * AHEAD, len(todo))
            idle = 0 if len(ran.left) + len(ran.lost) < len(left) else idle + 1
            left, suspects, failures = ran.left, suspects + ran.lost, failures | ran.failures
        # One by one, it is clear by whom a worker was ended.
        tries: Counter[Pair] = Counter()
        while suspects and idle < ATTEMPTS:
            with executors.on_this_machine(1, log) as pool:
                ran = self._run(pool, suspects, 1, len(todo))
            suspects, failures = ran.left, failures | ran.failures
            tries.update(ran.lost)
            suspects += [pair for pair in ran.lost if tries[pair] < ATTEMPTS - 1]
            failures |= {pair: GONE for pair in ran.lost if tries[pair] >= ATTEMPTS - 1}
        return failures | dict.fromkeys([*left, *suspects], GONE)

    def _run(self, pool: Executor, todo: list[Pair], at_a_time: int, total: int) -> _Ran:
        """Execute in a pool for as long as it works."""
        waiting, ran = deque(todo), _Ran()
        running: dict[Future[tuple[Record, str | None]], Pair] = {}
        done_before = total - len(todo)
        while waiting or running:
            while waiting and len(running) < at_a_time and not ran.is_broken:
                student, assignment = waiting[0]
                try:
                    running[pool.submit(execute, _job(self.course, self.packed[assignment], student))] = waiting[0]
                except Unreadable as problem:  # it could be read a moment ago
                    ran.failures[waiting[0]] = f"The submission could not be graded: {problem}"
                except BrokenProcessPool:
                    ran.is_broken = True
                    break
                waiting.popleft()
            if ran.is_broken and not running:
                break
            done, _ = wait(running, timeout=COMMIT, return_when=FIRST_COMPLETED)
            for future in done:
                pair = running.pop(future)
                try:
                    record, notebook = future.result()
                except BrokenProcessPool:
                    ran.is_broken = True
                    ran.lost.append(pair)
                    continue
                except Exception as error:  # nothing that one submission does may stop the others
                    ran.failures[pair] = f"The submission could not be graded: {type(error).__name__}: {error}"
                else:
                    self._write(record, notebook)
                self.progress(" ".join(pair), done_before + len(todo) - len(waiting) - len(running), total)
            # Not only when something is done: nobody else can write while this has not been committed.
            if self.pending and time.monotonic() > self.committed + COMMIT:
                self.commit()
        ran.left = list(waiting)
        return ran

    def _write(self, record: Record, notebook: str | None) -> None:
        """Write down what came of a submission."""
        student, assignment = record.student, record.assignment
        before = self.records.find(student, assignment)
        if before is not None and before.key:
            # From here on what is there is no longer what that record tells of.
            before.key = ""
            self.records.put(before)
        place = self.course.notebook("autograded", student, assignment)
        if notebook is not None:
            write(place, notebook)
        else:
            place.unlink(missing_ok=True)
        received, doubt = self.received(student, assignment)
        self.writers[assignment].put(
            record,
            received,
            is_doubted=received is None and doubt is not None,
            look_again=before is None or before.submission != record.submission,
        )
        if not self.pending:
            self.committed = time.monotonic()
        self.pending.append(record)

    def finish(self) -> None:
        """Penalties for late work, and feedback."""
        self.commit()
        for name in self.templates:
            lateness.settle(self.gradebook, name, self.course.nbgrader.config)
        self.commit()

    def results(self, students: list[str], plan: Plan, failures: dict[Pair, str]) -> list[Result]:
        """Write feedback and say what became of each submission."""
        marks = self.marks()
        deadlines = {name: self.gradebook.find_assignment(name).duedate is not None for name in self.templates}
        points = {name: self.gradebook.find_assignment(name).max_score for name in self.templates}
        found = []
        for number, student in enumerate(students):
            self.progress("feedback", number, len(students))
            for assignment, template in self.templates.items():
                pair = student, assignment
                if pair in plan.missing:
                    problems = [plan.missing[pair]]
                    if before := marks[assignment].get(student):
                        problems.append(f"It was graded before: {before.score:g} points are still in the gradebook.")
                    found.append(Result(*pair, "missing", max_score=points[assignment], problems=problems))
                    continue
                if pair in failures:
                    found.append(Result(*pair, "failed", max_score=points[assignment], problems=[failures[pair]]))
                    continue
                record, of_student = self.records.find(*pair), marks[assignment][student]
                assert record is not None
                write_feedback(self.course, record, of_student, template.released)
                _, doubt = self.received(*pair)
                found.append(result_of(record, of_student, [doubt] if doubt and deadlines[assignment] else []))
        return found


def _plan(
    course: Course,
    templates: dict[str, Template],
    students: list[str],
    *,
    force: bool,
    packed: dict[str, Assignment] | None = None,
    progress: Progress = lambda what, done, total: None,
) -> Plan:
    packed = packed or {name: Assignment.of(name, template) for name, template in templates.items()}
    records, plan = Records(course.step("records")), Plan()
    for number, student in enumerate(students):
        progress("looking for changes", number, len(students))
        for name, assignment in packed.items():
            try:
                job = _job(course, assignment, student)
            except Missing as problem:
                plan.missing[student, name] = str(problem)
                continue
            except Unreadable as problem:
                plan.unreadable[student, name] = str(problem)
                continue
            record = records.find(student, name)
            is_known = record is not None and record.key == job.key and not force
            if is_known and (record.state != "graded" or course.notebook("autograded", student, name).exists()):
                plan.keep.append((student, name))
            else:
                plan.execute.append((student, name))
    return plan


def _job(course: Course, assignment: Assignment, student: str) -> Job:
    handed_in = intake.gather(course.folder("submitted", student, assignment.name), assignment.name, course.intake)
    limits, taken = _values(course.limits), _values(course.intake)
    del taken["believe_timestamps"]  # which is about the time only
    return Job(student, assignment, handed_in, limits, taken, environment())


def _values(settings: object) -> dict[str, object]:
    return {name: getattr(settings, name) for name in sorted(settings.trait_names(config=True))}


def _scores(record: Record) -> Iterator[tuple[str, float | None]]:
    return ((test.name, test.score) for test in record.tests)
