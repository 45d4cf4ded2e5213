"""Grade every case with stock nbgrader and print, for each kind of attack, what it lets through.

``python tests/hostile_against_stock.py > docs/hostile.md`` writes the table. It runs hostile code with your rights: the
cases are bounded, but use a machine that holds nothing else. What this course's grader does with them is tested in
tests/test_hostile.py.
"""

from __future__ import annotations

import argparse
import copy
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from multiprocessing.connection import Connection
from pathlib import Path

import nbformat
import stock
from hostile import files_and_network, forged_results, intake, notebook_damage, process, resources, state
from hostile.case import ASSIGNMENT, CANARY, SECRET, TESTS, Case, Scene

from autograder.grading import answer_bank
from autograder.grading.course import ROOT

MODULES = (forged_results, files_and_network, process, resources, notebook_damage, state, intake)
CASES = [case for module in MODULES for case in module.CASES]
SECONDS = 60
AT_A_TIME = 2
KINDS = {
    "mark": "full marks for a wrong answer",
    "harm": "harm: files, secrets, gradebook, survivors, live pages",
    "lost": "the whole submission is lost",
    "points": "an honest answer loses points",
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--variants", type=int, default=1000, help="how many of each kind (default: all)")
    variants = parser.parse_args().variants
    rows = {row: [case for case in CASES if case.row == row][:variants] for row in sorted({c.row for c in CASES})}
    with tempfile.TemporaryDirectory(prefix="hostile-") as folder:
        found = outcomes([case for cases in rows.values() for case in cases], Path(folder))
    print("# What stock nbgrader lets through, and this grader does not\n")
    print(
        f"{len(found)} of the {len(CASES)} hostile and broken submissions in tests/hostile, graded by stock nbgrader."
    )
    print(f"A case counts once, by its worst. This course's grader lets none of the {len(CASES)} through:")
    print("that is what tests/test_hostile.py tests.\n")
    print("| what students do, for example | cases | " + " | ".join(KINDS.values()) + " |")
    print("|---|---:|" + "---:|" * len(KINDS))
    for cases in rows.values():
        count = Counter(found[case.name] for case in cases)
        print(f"| {cases[0].what} | {len(cases)} | " + " | ".join(str(count[kind] or "") for kind in KINDS) + " |")
    total = Counter(found.values())
    print(f"| **all** | **{len(found)}** | " + " | ".join(f"**{total[kind]}**" for kind in KINDS) + " |")


def outcomes(cases: list[Case], folder: Path) -> dict[str, str | None]:
    """What stock nbgrader makes of the cases, by name. Each is graded by a process of its own, which can be killed."""
    stock.generate(folder, ASSIGNMENT)
    context = multiprocessing.get_context("fork")
    found: dict[str, str | None] = {}
    waiting, running = list(reversed(cases)), {}
    while waiting or running:
        while waiting and len(running) < AT_A_TIME:
            case = waiting.pop()
            prepare(case, folder)
            ours, theirs = context.Pipe()
            process = context.Process(target=grade, args=(folder / case.name, case.name, theirs))
            process.start()
            theirs.close()
            running[case.name] = (case, process, ours, time.monotonic())
        for name, (case, process, ours, start) in list(running.items()):
            late = time.monotonic() - start > SECONDS
            if not (ours.poll(0.05) or late):
                continue
            try:
                scores = None if late else ours.recv()
            except EOFError:
                scores = None
            if late:
                os.killpg(process.pid, signal.SIGKILL)
            process.join()
            found[name] = outcome(case, folder / name, scores)
            shutil.rmtree(folder / name, ignore_errors=True)
            del running[name]
            print(f"{len(found)}/{len(cases)} {name}: {found[name]}", file=sys.stderr, flush=True)
    return found


def prepare(case: Case, folder: Path) -> None:
    """Make a class with one student, from the stock class that knows the assignment."""
    released = nbformat.read(folder / "stock" / "release" / ASSIGNMENT / f"{ASSIGNMENT}.ipynb", as_version=4)
    answers = reversed(answer_bank.load(ROOT / "tests" / "answer_bank", ASSIGNMENT))
    right = {answer.exercise: answer.source for answer in answers if answer.right}
    CANARY.mkdir(exist_ok=True)
    (CANARY / "secret.txt").write_text(SECRET)
    shutil.copytree(folder / "stock", folder / case.name / "stock")
    path = folder / case.name / "submitted" / case.name / ASSIGNMENT / f"{ASSIGNMENT}.ipynb"
    path.parent.mkdir(parents=True)
    handed_in = case.hand_in(copy.deepcopy(answer_bank.fill(released, right)))
    if isinstance(handed_in, (str, bytes)):
        path.write_bytes(handed_in if isinstance(handed_in, bytes) else handed_in.encode())
    elif handed_in is not None:
        path.write_text(nbformat.v4.writes_json(handed_in), encoding="utf-8")
    if case.files:
        case.files(path.parent)


def grade(class_folder: Path, student: str, pipe: Connection) -> None:
    """Autograde with stock nbgrader and send the scores of the tests, or None."""
    os.setsid()
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    api = stock.api(class_folder)
    api.config.Execute.timeout = 10
    done = api.autograde(ASSIGNMENT, student, force=True)["success"]
    pipe.send(stock.scores(api, student, ASSIGNMENT) if done else None)


def outcome(case: Case, class_folder: Path, scores: dict[str, float | None] | None) -> str | None:
    """The worst that became of a case."""
    place = class_folder / "stock" / "autograded" / case.name / ASSIGNMENT / f"{ASSIGNMENT}.ipynb"
    seen = nbformat.read(place, as_version=4) if place.is_file() else None
    harm = case.harm(Scene(class_folder / "stock", ROOT, CANARY, seen, case.name)) if case.harm else None
    tests = frozenset().union(*TESTS.values())
    if scores and any(scores.get(test) for test in case.lost):
        return "mark"
    if harm:
        return "harm"
    if scores is None:
        return None if case.lost == tests else "lost"
    return "points" if any(not scores.get(test) for test in tests - case.lost) else None


if __name__ == "__main__":
    main()
