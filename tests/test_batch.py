"""A class as a whole: interrupted anywhere and taken up again, by two at once, on other machines, in another database.

Where only the writing is tested, submissions are executed once and their results replayed.
"""

import contextlib
import copy
import datetime
import errno
import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest
from conftest import BANK, ROOT, read
from nbgrader.api import Gradebook
from typer.testing import CliRunner

from autograder.cli import app
from autograder.grading import answer_bank, batch, executors, handback, record
from autograder.grading.course import Course, GradingError
from autograder.grading.gradebook import all_marks
from autograder.grading.lock import alone
from autograder.grading.record import Records
from autograder.lms import exports
from autograder.lms.ledger import Ledger

pytestmark = pytest.mark.sandbox
NAME = "02_grad"
STUDENTS = ["ana", "bo", "cy", "di"]
DUE = datetime.datetime(2026, 3, 1, 12)


class Crash(BaseException):
    """The end of a process, as far as one can be made inside of it."""


class Replay(Executor):
    """Executes here, each submission once."""

    known: dict = {}  # noqa: RUF012 - shared on purpose

    def submit(self, function, job):
        future = Future()
        if job.key not in self.known:
            self.known[job.key] = function(job)
        record, notebook = copy.deepcopy(self.known[job.key])
        record.student = job.student  # the same work has the same key, whoever it is from
        future.set_result((record, notebook))
        return future


@pytest.fixture(scope="module")
def handed_in(tmp_path_factory):
    """A folder with submissions: two with answers of the bank, one that is empty, one that is no notebook."""
    folder = tmp_path_factory.mktemp("handed_in")
    released = read(ROOT / "release" / NAME / f"{NAME}.ipynb")
    answers = answer_bank.load(BANK, NAME)
    for number, student in enumerate(STUDENTS):
        chosen = {}
        for exercise in answer_bank.exercises(released):
            choice = [a for a in answers if a.exercise == exercise and (a.right or number)]
            chosen[exercise] = choice[number % len(choice)].source
        text = json.dumps(answer_bank.fill(released, {} if student == "cy" else chosen))
        path = folder / "submitted" / student / NAME / f"{NAME}.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(text if student != "di" else text[:500], encoding="utf-8")
    Course(class_folder=folder).store(NAME)  # which takes nbgrader seconds
    return folder


@pytest.fixture
def course(handed_in, tmp_path, monkeypatch):
    """A class that is executed here."""

    @contextlib.contextmanager
    def here(jobs, log):
        yield Replay()

    monkeypatch.setattr(executors, "on_this_machine", here)
    return new_class(handed_in, tmp_path / "class")


def new_class(handed_in, folder, **more):
    shutil.copytree(handed_in, folder)
    return Course(class_folder=folder, **more)


def state(course):
    """All that grading leaves behind, without times and with nothing that differs from run to run."""
    with course.nbgrader.gradebook as gradebook:
        marks = all_marks(gradebook, NAME)
    found = {"marks": marks}
    for student in course.students:
        kept = Records(course.step("records")).find(student, NAME)
        kept.graded_at, kept.seconds = "", 0
        for test in kept.tests:
            test.seconds = 0
        found[student, "record"] = kept
        path = course.notebook("autograded", student, NAME)
        found[student, "notebook"] = read(path) if path.exists() else None
        if path.exists():
            del found[student, "notebook"].metadata["autograder"]["seconds"]
        page = course.folder("feedback", student, NAME) / f"{NAME}.txt"
        found[student, "feedback"] = [line for line in page.read_text().splitlines() if "raded" not in line]
    found["stray files"] = [path for path in course.class_folder.rglob(".new-*")]
    return found


@pytest.fixture(scope="module")
def unbroken(handed_in, tmp_path_factory):
    """What a run leaves behind that nothing interrupts, in worker processes."""
    course = new_class(handed_in, tmp_path_factory.mktemp("unbroken") / "class")
    batch.grade(course, [NAME])
    return state(course)


def test_the_same_submission_gets_the_same_record_again(course, unbroken):
    batch.grade(course, [NAME])
    assert state(course) == unbroken


def test_it_may_end_at_any_moment(course, handed_in, tmp_path, unbroken, monkeypatch):
    """Ended at each write and each commit in turn, then run again: the same as if nothing had happened."""
    steps = 0
    for point in range(1000):
        broken = new_class(handed_in, tmp_path / str(point))
        left = point

        def count(real):
            def step(*args, **kwargs):
                nonlocal left
                if left == 0:
                    raise Crash
                left -= 1
                return real(*args, **kwargs)

            return step

        with monkeypatch.context() as patched:
            patched.setattr(record.os, "replace", count(os.replace))
            patched.setattr(batch._Batch, "commit", count(batch._Batch.commit))
            patched.setattr(batch, "COMMIT", 0 if point % 2 else 60)  # after each submission, or after all
            try:
                batch.grade(broken, [NAME])
            except Crash:
                steps += 1
            else:
                break
        batch.grade(broken, [NAME])
        assert state(broken) == unbroken, point
        shutil.rmtree(broken.class_folder)
    assert steps > 15


def test_it_may_be_killed_at_any_moment(handed_in, tmp_path, unbroken):
    """The real command, ended by SIGKILL: in its start, at work, and near its end. Its workers end with it."""
    course = new_class(handed_in, tmp_path / "class")
    (course.class_folder / "gradebook.db").unlink()
    command = [sys.executable, "-m", "autograder", "grade", NAME, "--class", str(course.class_folder), "--jobs", "2"]
    for moment in ("gradebook.db", "autograded/*/*/*.ipynb", "records/*/*.json"):
        with (tmp_path / "out").open("w") as out:
            process = subprocess.Popen(command, cwd=ROOT, stdout=out, stderr=out, start_new_session=True)
        while process.poll() is None and not list(course.class_folder.glob(moment)):
            time.sleep(0.02)
        workers = children(process.pid)
        process.kill()
        process.wait()
        until(lambda workers=workers: not any(map(is_alive, workers)), "its workers live on")
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "3 of 4 submissions are graded" in done.stdout.splitlines()[-1]
    assert "1 cannot be read" in done.stdout.splitlines()[-1]
    assert state(course) == unbroken


def children(process):
    """Processes whose parent is `process`, and theirs."""
    below = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process)], capture_output=True, text=True).stdout.split()
    return [pid for child in map(int, below) for pid in (child, *children(child))]


def is_alive(pid):
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def until(is_so, otherwise, seconds=20):
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, otherwise
        time.sleep(0.1)


def test_what_has_not_changed_is_not_executed_again(course, monkeypatch):
    batch.grade(course, [NAME])
    before = {path: path.stat().st_mtime_ns for path in course.class_folder.rglob("*") if path.is_file()}
    monkeypatch.setattr(batch, "execute", None)
    batch.grade(course, [NAME])
    after = {path: path.stat().st_mtime_ns for path in course.class_folder.rglob("*") if path.is_file()}
    assert {path.name for path in after if after[path] != before.get(path)} == {".grading.lock"}


@pytest.mark.parametrize("what", ["answer", "test", "limit", "library"])
def test_what_changed_is_executed_again(what, course, tmp_path, monkeypatch):
    batch.grade(course, [NAME])
    if what == "answer":
        path = course.notebook("submitted", "ana", NAME)
        path.write_text(path.read_text().replace("def ", "def  ", 1))
        expected = [("ana", NAME)]
    else:
        expected = [(student, NAME) for student in ("ana", "bo", "cy", "di")]
    if what == "test":
        root = tmp_path / "root"
        shutil.copytree(ROOT / "source" / NAME, root / "source" / NAME)
        shutil.copy(ROOT / "nbgrader_config.py", root)
        (root / "source" / NAME / "table.csv").write_text("1,2\n")
        course = Course(class_folder=course.class_folder, root=root)
    elif what == "limit":
        course.limits.test_seconds = 31
    elif what == "library":
        monkeypatch.setattr(batch, "environment", lambda: {"torch": "0.0"})
    assert batch.look(course, [NAME]).execute == expected


def test_a_gradebook_that_was_moved_away_is_made_again_without_executing(course, unbroken, monkeypatch):
    batch.grade(course, [NAME])
    (course.class_folder / "gradebook.db").unlink()
    monkeypatch.setattr(batch, "execute", None)
    batch.grade(Course(class_folder=course.class_folder), [NAME])
    assert state(course) == unbroken


def test_a_dry_run_writes_nothing(course):
    before = set(course.class_folder.rglob("*"))
    command = ["grade", NAME, "--class", str(course.class_folder), "--dry-run"]
    run = CliRunner().invoke(app, command)
    assert run.exit_code == 0
    assert "would be graded: ana, 02_grad" in run.output
    assert "4 submissions would be graded, 0 have not changed" in run.output
    assert set(course.class_folder.rglob("*")) == before


def test_a_second_grader_is_told_that_there_is_a_first(course):
    with alone(course.class_folder), pytest.raises(GradingError, match=f"Another grader is at work .*{os.getpid()}"):
        batch.grade(course, [NAME])
    batch.grade(course, [NAME])


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EACCES])
def test_what_cannot_be_written_is_one_clear_line_and_the_next_run_finishes(error, course, unbroken, monkeypatch):
    written = 0

    def replace(source, target):
        nonlocal written
        written += 1
        if written > 3:
            raise OSError(error, os.strerror(error), str(target))
        real(source, target)

    real = os.replace
    with monkeypatch.context() as patched:
        patched.setattr(record.os, "replace", replace)
        with pytest.raises(GradingError, match=rf"{os.strerror(error)}. What was graded so far is kept"):
            batch.grade(course, [NAME])
    assert not list(course.class_folder.rglob(".new-*"))
    batch.grade(course, [NAME])
    assert state(course) == unbroken


def test_a_locked_gradebook_is_one_clear_line_and_the_next_run_finishes(course, unbroken, monkeypatch):
    other = sqlite3.connect(course.class_folder / "gradebook.db")
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(GradingError, match=r"gradebook.db.* locked; another program is writing to it"):
        batch.grade(course, [NAME])
    other.rollback()
    batch.grade(course, [NAME])
    assert state(course) == unbroken


def test_an_interrupt_is_one_clear_line(course, monkeypatch):
    def interrupt(self, function, job):
        raise KeyboardInterrupt

    monkeypatch.setattr(Replay, "submit", interrupt)
    run = CliRunner().invoke(app, ["grade", NAME, "--class", str(course.class_folder)])
    assert run.exit_code == 130
    assert run.output.splitlines()[-1].startswith("Interrupted. What was graded is kept")


def test_a_submission_that_fails_says_so_in_the_last_line_and_the_exit_status(course, monkeypatch):
    def fail(self, function, job):
        future = Future()
        future.set_exception(RuntimeError("no more memory"))
        return future

    monkeypatch.setattr(Replay, "submit", fail)
    run = CliRunner().invoke(app, ["grade", NAME, "--class", str(course.class_folder)])
    assert run.exit_code == 3
    assert run.output.splitlines()[-1].startswith("0 of 4 submissions are graded")
    assert "4 could not be graded: start again" in run.output


class Dying(Replay):
    """A pool whose worker dies of some submissions; with it goes all that is on its way."""

    def __init__(self, deadly):
        self.deadly, self.is_dead, self.waiting = deadly, False, []

    def submit(self, function, job):
        if self.is_dead:
            raise BrokenProcessPool
        if job.student in self.deadly:
            self.is_dead = True
            dead = Future()
            for future, _ in [*self.waiting, (dead, None)]:
                future.set_exception(BrokenProcessPool())
            return dead
        self.waiting.append((Future(), super().submit(function, job).result()))
        future = self.waiting[-1][0]
        if len(self.waiting) > 3:
            done, result = self.waiting.pop(0)
            done.set_result(result)
        threading.Timer(0.2, self.finish).start()
        return future

    def finish(self):
        while self.waiting and not self.is_dead:
            done, result = self.waiting.pop(0)
            done.set_result(result)


def test_submissions_that_end_their_worker_cost_nobody_else_anything(course, monkeypatch):
    deadly = {"s03", "s11", "s12", "s29"}
    for number in range(30):
        shutil.copytree(course.step("submitted") / "ana", course.step("submitted") / f"s{number:02}")

    @contextlib.contextmanager
    def dying(jobs, log):
        yield Dying(deadly)

    monkeypatch.setattr(executors, "on_this_machine", dying)
    results = batch.grade(course, [NAME])
    assert {result.student for result in results if result.state == "failed"} == deadly
    assert "Is the machine out of memory?" in of(results, "s11").problems[0]
    assert sum(result.state == "graded" for result in results) == 29


def test_who_hands_in_the_earlier_work_again_after_an_interrupt_has_it_in_the_formgrader(course, monkeypatch):
    path = course.notebook("submitted", "ana", NAME)
    first = path.read_text()
    batch.grade(course, [NAME])
    graded = course.notebook("autograded", "ana", NAME).read_bytes()
    path.write_text(first.replace("return", "print(1); return", 1))
    with monkeypatch.context() as patched:
        patched.setattr(batch.Writer, "put", None)
        with pytest.raises(TypeError):
            batch.grade(course, [NAME])
    assert course.notebook("autograded", "ana", NAME).read_bytes() != graded
    path.write_text(first)
    batch.grade(course, [NAME])
    assert course.notebook("autograded", "ana", NAME).read_bytes() == graded


def test_nobody_is_locked_out_of_the_gradebook_while_a_submission_takes_long(course, monkeypatch):
    others = []

    class Slow(Replay):
        def submit(self, function, job):
            if job.student != "bo":
                return super().submit(function, job)
            future, result = Future(), super().submit(function, job).result()

            def other_program():
                time.sleep(2.5)
                with contextlib.closing(sqlite3.connect(course.class_folder / "gradebook.db", timeout=0.5)) as other:
                    other.execute("UPDATE student SET first_name = 'Ana' WHERE id = 'ana'")
                    other.commit()
                    others.append(other.total_changes)
                future.set_result(result)

            threading.Thread(target=other_program).start()
            return future

    @contextlib.contextmanager
    def slow(jobs, log):
        yield Slow()

    monkeypatch.setattr(executors, "on_this_machine", slow)
    assert [result.state for result in batch.grade(course, [NAME])] == ["graded"] * 3 + ["unreadable"]
    assert others == [1]


def test_names_that_are_no_text_and_folders_without_end_stop_nobody(course):
    folder = course.folder("submitted", "bo", NAME)
    (folder / f"{NAME}.ipynb").unlink()
    Path(os.fsdecode(os.fsencode(folder) + b"/02_gr\xe4d.ipynb")).write_text("{")
    here = os.open(course.folder("submitted", "cy", NAME), os.O_RDONLY)
    for _ in range(1200):
        os.mkdir("d", dir_fd=here)
        here, above = os.open("d", os.O_RDONLY, dir_fd=here), here
        os.close(above)
    os.close(here)
    results = batch.grade(course, [NAME])
    # Python 3.11's rmtree, which pytest uses, does not come to the end of it.
    subprocess.run(["rm", "-rf", course.folder("submitted", "cy", NAME)], check=True)
    assert [result.state for result in results] == ["graded", "unreadable", "graded", "unreadable"]
    assert "02_gr?d.ipynb is not a notebook" in of(results, "bo").problems[-1]
    assert "not nested deeper than 20 folders" in of(results, "cy").problems[0]


def test_a_student_folder_whose_name_is_no_text_is_one_clear_line(course):
    os.mkdir(os.fsencode(course.step("submitted")) + b"/b\xf6")
    with pytest.raises(GradingError, match=r"The folder 'b\\udcf6' in .* cannot be a student's name. Rename it"):
        batch.grade(course, [NAME])


def test_a_notebook_of_endless_cells_or_text_is_cut_before_it_costs_anything(course):
    path = course.notebook("submitted", "ana", NAME)
    content = json.loads(path.read_text())
    content["cells"].append({"cell_type": "code", "source": "a\n" * 400_000})
    content["cells"] += [{}] * 200_000
    path.write_text(json.dumps(content))
    start = time.process_time()
    result = of(batch.grade(course, [NAME]), "ana")
    assert time.process_time() - start < 15
    assert "cells; the first 1000 were used." in result.problems[0]
    assert "The text of 1 cell was left out: a cell may have 100,000 characters" in result.problems[1]
    assert result.score == 22


# --- what nbgrader keeps ----------------------------------------------------------------------------------------------


def late_course(course, tmp_path, seconds_late=3600):
    """The class with a deadline, and ana late."""
    config = tmp_path / "late"
    config.mkdir()
    (config / "source").symlink_to(ROOT / "source")
    (config / "nbgrader_config.py").write_text(
        f"load_subconfig('nbgrader_config.py', path={str(ROOT)!r})\nc.LateSubmissionPlugin.penalty_method = 'zero'\n"
    )
    late = Course(class_folder=course.class_folder, root=config)
    with late.nbgrader.gradebook as gradebook:
        gradebook.update_or_create_assignment(NAME, duedate=DUE)
    came = (DUE + datetime.timedelta(seconds=seconds_late)).isoformat()
    received = {"ana": {NAME: {"lms": "folder", "archive": "a.zip", "file": "a", "sha256": "0", "time": came}}}
    (late.class_folder / "received.json").write_text(json.dumps({"form": 1, "people": {}, "submissions": received}))
    assert Ledger(late.class_folder).received("ana", NAME) == DUE + datetime.timedelta(seconds=seconds_late)
    return late


def of(results, student):
    return next(result for result in results if result.student == student)


def marks_of(course, student):
    with course.nbgrader.gradebook as gradebook:
        return all_marks(gradebook, NAME)[student]


def test_late_work_is_penalised_and_an_extension_lifts_it_without_executing(course, tmp_path, monkeypatch):
    late = late_course(course, tmp_path)
    before = of(batch.grade(late, [NAME]), "ana")
    assert before.penalty == before.score > 0
    assert marks_of(late, "ana").score == 0
    assert marks_of(late, "bo").penalty == 0
    monkeypatch.setattr(batch, "execute", None)
    with late.nbgrader.gradebook as gradebook:
        gradebook.grant_extension(NAME, "ana", hours=2)
    after = of(batch.grade(late, [NAME]), "ana")
    assert (after.penalty, after.score) == (0, before.score)
    assert batch.grade(late, [NAME]) == batch.grade(late, [NAME])


def test_an_extension_counts_at_once_in_feedback_and_exports(course, tmp_path):
    late = late_course(course, tmp_path)
    score = of(batch.grade(late, [NAME]), "ana").score
    page = late.folder("feedback", "ana", NAME) / f"{NAME}.txt"
    assert "1 hour after the deadline" in page.read_text(encoding="utf-8")
    with late.nbgrader.gradebook as gradebook:
        gradebook.grant_extension(NAME, "ana", hours=2)
    assert handback.write_all(late, [NAME])[0] == 1
    assert "1 hour after the deadline" not in page.read_text(encoding="utf-8")
    with late.nbgrader.gradebook as gradebook:
        gradebook.grant_extension(NAME, "ana")
    line = exports.Marksheet(late, [NAME]).lines[NAME]["ana"]
    assert (line.marks.score, line.marks.penalty) == (0, score)


def give(course, student, cell, **values):
    with course.nbgrader.gradebook as gradebook:
        grade = gradebook.find_grade(cell, NAME, NAME, student)
        for name, value in values.items():
            setattr(grade, name, value)
        gradebook.db.commit()


def waits(course, student, cell):
    return marks_of(course, student).cells[cell].waits


def test_marks_extra_credit_and_comments_of_a_person_survive_a_regrade(course):
    batch.grade(course, [NAME])
    test = next(t.name for t in Records(course.step("records")).find("ana", NAME).tests)
    give(course, "ana", "written-answer", manual_score=1.5, needs_manual_grade=False)
    give(course, "ana", test, manual_score=0.5, extra_credit=2, needs_manual_grade=False)
    with course.nbgrader.gradebook as gradebook:
        gradebook.find_comment("written-answer", NAME, NAME, "ana").manual_comment = "Well put."
        gradebook.db.commit()
    batch.grade(course, [NAME], force=True)
    marks = marks_of(course, "ana")
    assert (marks.cells["written-answer"].manual, marks.cells[test].score) == (1.5, 2.5)
    assert marks.comments["written-answer"] == "Well put."
    # The same answers: nobody has to look again.
    assert not waits(course, "ana", "written-answer") and not waits(course, "ana", test)
    page = course.folder("feedback", "ana", NAME) / f"{NAME}.html"
    assert "Well put." in page.read_text(encoding="utf-8")


def test_a_person_looks_again_at_answers_that_changed(course):
    batch.grade(course, [NAME])
    give(course, "ana", "written-answer", manual_score=1.5, needs_manual_grade=False)
    path = course.notebook("submitted", "ana", NAME)
    path.write_text(path.read_text() + "\n")
    batch.grade(course, [NAME])
    assert waits(course, "ana", "written-answer")
    assert marks_of(course, "ana").cells["written-answer"].manual == 1.5


def test_a_corrected_test_regrades_everyone_and_keeps_what_a_person_gave(course, tmp_path):
    batch.grade(course, [NAME])
    give(course, "ana", "written-answer", manual_score=1.5, needs_manual_grade=False)
    root = tmp_path / "root"
    shutil.copytree(ROOT / "source" / NAME, root / "source" / NAME)
    shutil.copy(ROOT / "nbgrader_config.py", root)
    path = root / "source" / NAME / f"{NAME}.ipynb"
    tests = [test for test in Records(course.step("records")).find("ana", NAME).tests if test.score]
    source = json.loads(path.read_text())
    for cell in source["cells"]:
        if cell["id"] == tests[0].name:
            cell["source"] = ["raise AssertionError('corrected')\n", *cell["source"]]
    path.write_text(json.dumps(source))
    corrected = Course(class_folder=course.class_folder, root=root)
    after = of(batch.grade(corrected, [NAME]), "ana")
    assert after.scores[tests[0].name] == 0
    assert after.scores[tests[1].name] == tests[1].score
    assert after.scores["written-answer"] == 1.5
    assert any("corrected" in problem for problem in after.problems)


@pytest.mark.parametrize("how", ["no notebook", "a link"])
def test_an_unreadable_submission_after_a_good_one_has_the_points_of_a_person_only(how, course):
    batch.grade(course, [NAME])
    give(course, "ana", "written-answer", manual_score=1.5, needs_manual_grade=False)
    path = course.notebook("submitted", "ana", NAME)
    if how == "a link":
        path.unlink()
        path.symlink_to(course.notebook("submitted", "bo", NAME))
    else:
        path.write_text("{")
    for _ in range(2):
        result = of(batch.grade(course, [NAME]), "ana")
        assert (result.state, result.score) == ("unreadable", 0)
        assert marks_of(course, "ana").score == 1.5
        assert waits(course, "ana", "written-answer")
        assert not course.notebook("autograded", "ana", NAME).exists()


def test_a_submission_that_was_taken_away_is_said_to_be_in_the_gradebook_still(course):
    batch.grade(course, [NAME])
    course.notebook("submitted", "ana", NAME).unlink()
    result = of(batch.grade(course, [NAME]), "ana")
    assert result.state == "missing"
    assert result.problems[1] == "It was graded before: 22 points are still in the gradebook."


# --- other machines ---------------------------------------------------------------------------------------------------


def free_port():
    with socket.socket() as any_port:
        any_port.bind(("127.0.0.1", 0))
        return any_port.getsockname()[1]


def test_a_dask_cluster_does_the_same_though_a_worker_is_killed(handed_in, tmp_path, unbroken):
    course = new_class(handed_in, tmp_path / "class")
    address = f"tcp://127.0.0.1:{free_port()}"
    scheduler = ["dask", "scheduler", "--host", "127.0.0.1", "--port", address.rpartition(":")[2], "--no-dashboard"]
    worker = ["dask", "worker", address, "--no-nanny", "--nthreads", "1", "--no-dashboard"]
    environment = {**os.environ, "DASK_DISTRIBUTED__COMM__RETRY__COUNT": "3"}
    commands = [[sys.executable, "-m", *command] for command in (scheduler, worker, worker)]
    started = [
        subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for command in commands
    ]
    workers = started[1:]

    def kill_one():
        until(lambda: any(children(worker.pid) for worker in workers), "nobody works", 90)  # its sandbox is up
        next(worker for worker in workers if children(worker.pid)).kill()

    killer = threading.Thread(target=kill_one)
    try:
        killer.start()
        results = batch.grade(course, [NAME], scheduler=address)
        killer.join()
        assert [process.poll() for process in workers].count(-signal.SIGKILL) == 1
        assert [result.state for result in results] == ["graded"] * 3 + ["unreadable"]
        assert state(course) == unbroken
    finally:
        for process in started:
            process.kill()
            process.wait()


def test_a_scheduler_that_is_not_there_is_one_clear_line(course, monkeypatch):
    monkeypatch.setattr(executors, "CONNECT", 1)
    with pytest.raises(GradingError, match=r"The Dask scheduler tcp://127.0.0.1:\d+ cannot be used"):
        batch.grade(course, [NAME], scheduler=f"tcp://127.0.0.1:{free_port()}")


PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin"))


@pytest.fixture
def postgresql():
    """The URL of an empty database on a server of its own."""
    # Not below pytest's folder, which is for its user only: the server refuses to run as root.
    folder = Path(tempfile.mkdtemp(prefix="postgresql-"))
    as_whom = []
    if os.geteuid() == 0:
        as_whom = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
        shutil.chown(folder, "nobody", "nogroup")
    run = {"check": True, "capture_output": True, "cwd": folder}
    subprocess.run([*as_whom, PROGRAMS[-1] / "initdb", "-D", "data", "-U", "grader", "-A", "trust"], **run)
    port = free_port()
    options = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -c fsync=off"
    control = [*as_whom, PROGRAMS[-1] / "pg_ctl", "-D", "data", "-w"]
    subprocess.run([*control, "-l", "log", "-o", options, "start"], check=True, cwd=folder, stdout=subprocess.DEVNULL)
    yield f"postgresql://grader@127.0.0.1:{port}/postgres"
    subprocess.run([*control, "-m", "immediate", "stop"], **run)
    shutil.rmtree(folder)


@pytest.mark.skipif(not PROGRAMS, reason="PostgreSQL is not installed: apt install postgresql")
def test_a_postgresql_gradebook_holds_the_same_as_sqlite(postgresql, course, handed_in, tmp_path, unbroken):
    there = new_class(handed_in, tmp_path / "there", db=postgresql)
    (there.class_folder / "gradebook.db").unlink()
    batch.grade(there, [NAME])
    assert state(there) == unbroken
    assert not (there.class_folder / "gradebook.db").exists()
    give(there, "ana", "written-answer", manual_score=1.5, needs_manual_grade=False)
    # nbgrader's own command, in the same database.
    result = there.nbgrader.autograde(NAME, "bo", force=True)
    assert result["success"], result
    batch.grade(there, [NAME], force=True)
    with Gradebook(postgresql) as gradebook:
        marks = all_marks(gradebook, NAME)
    assert marks["ana"].cells["written-answer"].manual == 1.5
    assert marks["bo"] == unbroken["marks"]["bo"]
