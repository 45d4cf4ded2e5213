"""Grade every case with stock nbgrader and print, for each kind of attack, what it lets through.

``python tests/hostile_against_stock.py > docs/hostile.md`` writes the table. It runs hostile code with your rights: the
cases are bounded, but use a machine that holds nothing else. What this course's grader does with them is tested in
tests/test_hostile.py.
"""

from __future__ import annotations

import copy
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
import stock
from hostile import files_and_network, forged_results, intake, notebook_damage, process, resources, state
from hostile.case import ASSIGNMENT, CANARY, SECRET, TESTS, Case, Scene

from autograder.grading import answer_bank
from autograder.grading.course import ROOT

MODULES = (forged_results, files_and_network, process, resources, notebook_damage, state, intake)
CASES = [case for module in MODULES for case in module.CASES]
SECONDS = 120
GRADE = """
import sys
from pathlib import Path
import stock
api = stock.api(Path(sys.argv[1]))
api.config.Execute.timeout = 10
done = api.autograde(sys.argv[3], sys.argv[2], force=True)["success"]
print("SCORES", stock.scores(api, sys.argv[2], sys.argv[3]) if done else None)
"""
KINDS = {
    "mark": "full marks for a wrong answer",
    "harm": "harm: files, secrets, gradebook, survivors, live pages",
    "lost": "the whole submission is lost",
    "points": "an honest answer loses points",
}


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory(prefix="hostile-") as folder, ThreadPoolExecutor(2) as pool:
        found = dict(zip(CASES, pool.map(lambda case: outcome(case, Path(folder)), CASES), strict=True))
    print("# What stock nbgrader lets through, and this grader does not\n")
    print(f"{len(CASES)} hostile and broken submissions graded by stock nbgrader. A case counts once, by its worst.")
    print("This course's grader lets none of them through: tests/test_hostile.py.\n")
    print("| what students do, for example | cases | " + " | ".join(KINDS.values()) + " |")
    print("|---|---:|" + "---:|" * len(KINDS))
    for row in sorted({case.row for case in CASES}):
        cases = [case for case in CASES if case.row == row]
        count = Counter(found[case] for case in cases)
        print(f"| {cases[0].what} | {len(cases)} | " + " | ".join(str(count[kind] or "") for kind in KINDS) + " |")
    total = Counter(found.values())
    print(f"| **all** | **{len(CASES)}** | " + " | ".join(f"**{total[kind]}**" for kind in KINDS) + " |")


def outcome(case: Case, folder: Path) -> str | None:
    """What stock nbgrader makes of one case, in a class of its own."""
    class_folder = folder / case.name
    class_folder.mkdir()
    stock.generate(class_folder, ASSIGNMENT)
    released = nbformat.read(class_folder / "stock" / "release" / ASSIGNMENT / f"{ASSIGNMENT}.ipynb", as_version=4)
    answers = reversed(answer_bank.load(ROOT / "tests" / "answer_bank", ASSIGNMENT))
    right = {answer.exercise: answer.source for answer in answers if answer.right}
    CANARY.mkdir(exist_ok=True)
    (CANARY / "secret.txt").write_text(SECRET)
    path = class_folder / "submitted" / case.name / ASSIGNMENT / f"{ASSIGNMENT}.ipynb"
    path.parent.mkdir(parents=True)
    handed_in = case.hand_in(copy.deepcopy(answer_bank.fill(released, right)))
    if isinstance(handed_in, (str, bytes)):
        path.write_bytes(handed_in if isinstance(handed_in, bytes) else handed_in.encode())
    elif handed_in is not None:
        path.write_text(nbformat.v4.writes_json(handed_in), encoding="utf-8")
    if case.files:
        case.files(path.parent)
    scores = graded(class_folder, case.name)
    place = class_folder / "stock" / "autograded" / case.name / ASSIGNMENT / f"{ASSIGNMENT}.ipynb"
    seen = nbformat.read(place, as_version=4) if place.is_file() else None
    harm = case.harm(Scene(class_folder / "stock", ROOT, CANARY, seen, case.name)) if case.harm else None
    shutil.rmtree(class_folder, ignore_errors=True)
    tests = frozenset().union(*TESTS.values())
    if scores and any(scores.get(test) for test in case.lost):
        return "mark"
    if harm:
        return "harm"
    if scores is None:
        return None if case.lost == tests else "lost"
    return "points" if any(not scores.get(test) for test in tests - case.lost) else None


def graded(class_folder: Path, student: str) -> dict[str, float | None] | None:
    """Scores of the tests, or None if there are none in time."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parent)}
    command = [sys.executable, "-c", GRADE, str(class_folder), student, ASSIGNMENT]
    run = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True
    )
    try:
        printed, _ = run.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(run.pid, signal.SIGKILL)
        return None
    lines = [line for line in printed.splitlines() if line.startswith("SCORES ")]
    return eval(lines[-1].removeprefix("SCORES "), {"inf": float("inf")}) if lines else None


if __name__ == "__main__":
    main()
