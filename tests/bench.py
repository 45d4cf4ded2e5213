"""Measure the grader against stock nbgrader: the same submissions, in turn, in one run. Prints ``name: value`` lines.

With all assignments it runs for more than an hour, nearly all of it in stock nbgrader; name some for less.

First one worker against one: `nbgrader autograde` for a whole assignment of a class, as an instructor calls it, stock
with its own steps and kernels, ours with the steps of nbgrader_config.py. Then `python -m autograder grade` with
two workers on the same submissions, and on a large class: what a submission costs there, and what it costs to grade it
again when nothing has changed. The submissions are mixed of right and wrong answers of the answer bank; none has a loop
that never ends.

At the end the stored outputs of all notebooks are checked, as `make test` does it and one after the other.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import nbformat

from autograder.grading import answer_bank
from autograder.grading.course import ROOT, Course

BANK = ROOT / "tests" / "answer_bank"
OURS = 'load_subconfig("nbgrader_config.py", path={root!r})\n'
# What nbgrader does on its own; the course's way of writing marking schemes is no part of grading.
STOCK = """
c.ClearMarkScheme.enforce_metadata = False
"""
UNCONFINED = OURS + "c.Limits.unsafe_no_sandbox = True\n"
# The examiner's part: the same kernels, but tests run in them, as in stock nbgrader.
IN_KERNEL = (
    OURS
    + """
c.Autograde.autograde_preprocessors = [
    step if "Examine" not in step else "nbgrader.preprocessors.Execute" for step in c.Autograde.autograde_preprocessors
]
c.Execute.kernel_name = "sandboxed"
c.Execute.timeout = 60
c.SandboxProvisioner.prepare_next = True
"""
)


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--students", type=int, default=48, help="submissions of each assignment (default: 48)")
    parser.add_argument("--many", type=int, default=1000, help="submissions of the large class (default: 1000)")
    parser.add_argument("assignments", nargs="*", default=[], help="default: all")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        assignments = options.assignments or Course().assignments
        stock = bench(Path(folder), assignments, options.students)
        grade_class(Path(folder) / "class", assignments, options.students, stock)
        grade_many(Path(folder) / "many", assignments[0], options.students, options.many)
    show("nbval_seconds", check_notebooks("auto"))
    show("nbval_serial_seconds", check_notebooks("0"))


def bench(folder: Path, assignments: list[str], students: int) -> float:
    """One worker against stock nbgrader; return stock's submissions a minute."""
    course = Course(class_folder=folder / "class")
    for assignment in assignments:
        hand_in(course, assignment, students, folder)
    settings = {"ours": OURS, "without_sandbox": UNCONFINED, "tests_in_the_kernel": IN_KERNEL, "stock": STOCK}
    seconds: dict[str, float] = dict.fromkeys(settings, 0.0)
    peak = 0.0
    show("submissions", students * len(assignments))
    for assignment in assignments:
        for name, config in settings.items():
            with measured() as memory:
                taken = autograde(folder / name, course.class_folder, assignment, config)
            seconds[name] += taken
            if name == "ours":
                peak = max(peak, memory[0])
            show(f"{name}_seconds_{assignment}", round(taken, 2))
    per_minute = {name: 60 * students * len(assignments) / taken for name, taken in seconds.items()}
    show("stock_submissions_per_minute", round(per_minute["stock"], 1))
    show("ours_submissions_per_minute", round(per_minute["ours"], 1))
    show("ratio_to_stock", round(per_minute["ours"] / per_minute["stock"], 2))
    each = {name: taken / students / len(assignments) for name, taken in seconds.items()}
    show("sandbox_added_seconds_per_submission", round(each["ours"] - each["without_sandbox"], 3))
    show("examiner_added_seconds_per_submission", round(each["ours"] - each["tests_in_the_kernel"], 3))
    show("peak_proportional_set_size_gb", round(peak / 2**30, 2))
    return per_minute["stock"]


def grade_class(folder: Path, assignments: list[str], students: int, stock: float) -> None:
    """Two workers on the submissions that stock nbgrader graded, and their feedback."""
    with measured() as memory:
        seconds = command("grade", *assignments, "--class", str(folder), "--jobs", "2")
    per_minute = 60 * students * len(assignments) / seconds
    show("two_workers_submissions_per_minute", round(per_minute, 1))
    show("two_workers_ratio_to_stock", round(per_minute / stock, 2))
    show("two_workers_peak_proportional_set_size_gb", round(memory[0] / 2**30, 2))
    shutil.rmtree(folder / "feedback")
    feedback = command("feedback", *assignments, "--class", str(folder))
    show("feedback_seconds", round(feedback, 2))
    show("grading_to_feedback_ratio", round(seconds / feedback, 1))


def grade_many(folder: Path, assignment: str, few: int, many: int) -> None:
    """What a submission costs in a small class and in a large one, and a class again in which nothing has changed."""
    each = {}
    for number in (few, many):
        course = Course(class_folder=folder / str(number))
        hand_in(course, assignment, number, folder / str(number))
        seconds = command("grade", assignment, "--class", str(course.class_folder), "--jobs", "2")
        each[number] = seconds / number
        show(f"seconds_per_submission_of_{number}", round(each[number], 3))
    show("cost_in_the_large_class_ratio", round(each[many] / each[few], 2))
    again = command("grade", assignment, "--class", str(course.class_folder), "--jobs", "2")
    show(f"unchanged_seconds_of_{many}", round(again, 2))
    show("grading_to_unchanged_ratio", round(seconds / again, 1))


def command(*arguments: str) -> float:
    """Run one of the course's own commands; return the seconds that it took."""
    start = time.monotonic()
    done = subprocess.run([sys.executable, "-m", "autograder", *arguments], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"autograder {' '.join(arguments)} failed:\n{done.stderr[-3000:]}")
    return time.monotonic() - start


def check_notebooks(workers: str) -> float:
    """Compare every stored output with a new run; return the seconds that it took."""
    options = ["--nbval", "--nbval-current-env", "--nbval-cell-timeout=120", "--nbval-kernel-startup-timeout=120"]
    options += ["-n", workers, "--dist", "loadfile"]
    command = [sys.executable, "-m", "pytest", "-q", *options, "notebooks", "source"]
    start = time.monotonic()
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, "OMP_WAIT_POLICY": "PASSIVE"}, capture_output=True)
    if done.returncode:
        raise SystemExit(f"Outputs do not reproduce:\n{done.stdout.decode()[-3000:]}")
    return round(time.monotonic() - start, 1)


def show(name: str, value: float) -> None:
    """Print one line, at once."""
    print(f"{name}: {value}", flush=True)


def hand_in(course: Course, assignment: str, students: int, folder: Path) -> None:
    """Write the submissions of one assignment."""
    released = nbformat.read(course.generate(assignment, folder / "release"), as_version=4)
    answers = answer_bank.load(BANK, assignment)
    by_exercise = {
        exercise: [answer for answer in answers if answer.exercise == exercise and not endless(answer.source)]
        for exercise in answer_bank.exercises(released)
    }
    for student in range(students):
        chosen = {
            exercise: choices[(student + 2 * place) % len(choices)].source
            for place, (exercise, choices) in enumerate(by_exercise.items())
        }
        path = course.notebook("submitted", f"student{student:03}", assignment)
        path.parent.mkdir(parents=True)
        nbformat.write(answer_bank.fill(released, chosen), path)


def endless(source: str) -> bool:
    """Whether an answer is one that waits for the time limit."""
    return "while True" in source or "sleep" in source


def autograde(place: Path, class_folder: Path, assignment: str, config: str) -> float:
    """Run `nbgrader autograde` once for the whole class; return the seconds that it took."""
    place.mkdir(exist_ok=True)
    for name in ("source", "submitted"):
        if not (place / name).exists():
            (place / name).symlink_to((ROOT if name == "source" else class_folder) / name)
    (place / "nbgrader_config.py").write_text("c = get_config()\n" + config.format(root=str(ROOT)), encoding="utf-8")
    environment = {**os.environ, "JUPYTER_PATH": str(ROOT / "autograder" / "kernels" / "jupyter")}
    run(place, environment, "generate_assignment", assignment, "--create", "--force")
    start = time.monotonic()
    run(place, environment, "autograde", assignment, "--force")
    return time.monotonic() - start


def run(place: Path, environment: dict[str, str], *arguments: str) -> None:
    """Run nbgrader in the course folder `place`."""
    options = [f"--CourseDirectory.root={place}", f"--CourseDirectory.db_url=sqlite:///{place}/gradebook.db"]
    command = [sys.executable, "-m", "nbgrader", *arguments, *options]
    done = subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, timeout=1800)
    if done.returncode:
        raise SystemExit(f"nbgrader {' '.join(arguments)} failed:\n{done.stderr[-3000:]}")


@contextlib.contextmanager
def measured() -> Iterator[list[float]]:
    """Watch the memory of all processes below this one; the list holds the peak in bytes, shared pages divided."""
    peak, stop = [0.0], threading.Event()

    def watch() -> None:
        # Seldom: to sum up the pages of a process holds it up for some milliseconds.
        while not stop.wait(2):
            peak[0] = max(peak[0], sum(map(proportional, family(os.getpid()))))

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield peak
    finally:
        stop.set()
        thread.join()


def family(process: int) -> list[int]:
    """All processes below `process`."""
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, IndexError):
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(folder.name))
    found, todo = [], list(children.get(process, []))
    while todo:
        found.append(todo.pop())
        todo += children.get(found[-1], [])
    return found


def proportional(process: int) -> float:
    """Proportional set size of a process, in bytes."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0.0


if __name__ == "__main__":
    main()
