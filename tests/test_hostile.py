"""Every hostile and broken submission: who attacks gets nothing for it, and nobody and nothing else is harmed."""

import copy
import importlib
import pkgutil
import shutil

import hostile
import nbformat
import pytest
from conftest import BANK, ROOT, read
from hostile.case import ASSIGNMENT, CANARY, SECRET, Scene

from autograder.grading import answer_bank, batch
from autograder.grading.course import Course

pytestmark = pytest.mark.sandbox
MODULES = [importlib.import_module(f"hostile.{module.name}") for module in pkgutil.iter_modules(hostile.__path__)]
CASES = {case.name: case for module in MODULES for case in getattr(module, "CASES", ())}
HONEST = "honest_student"

# Shorter than in real life, so that a loop that never ends costs seconds.
CONFIG = f"""
load_subconfig("nbgrader_config.py", path={str(ROOT)!r})
c.Limits.cell_seconds = 15
c.Limits.test_seconds = 5
c.Limits.submission_seconds = 40
c.Limits.grace_seconds = 0.5
c.Limits.memory = 512
"""


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """The course, results by student, and the points of each test."""
    folder = tmp_path_factory.mktemp("hostile")
    root = folder / "course"
    root.mkdir()
    (root / "source").symlink_to(ROOT / "source")
    (root / "nbgrader_config.py").write_text(CONFIG)
    course = Course(class_folder=folder / "class", root=root)
    released = read(course.generate(ASSIGNMENT, folder / "release"))
    right = {a.exercise: a.source for a in reversed(answer_bank.load(BANK, ASSIGNMENT)) if a.right}
    shutil.rmtree(CANARY, ignore_errors=True)
    CANARY.mkdir()
    (CANARY / "secret.txt").write_text(SECRET)
    for name in [HONEST, *CASES]:
        path = course.notebook("submitted", name, ASSIGNMENT)
        path.parent.mkdir(parents=True)
        notebook = answer_bank.fill(released, right)
        _write(path, CASES[name].hand_in(copy.deepcopy(notebook)) if name in CASES else notebook)
        if name in CASES and CASES[name].files:
            CASES[name].files(path.parent)
    results = {result.student: result for result in batch.grade(course, [ASSIGNMENT])}
    yield course, results
    shutil.rmtree(CANARY, ignore_errors=True)


def _write(path, handed_in):
    if isinstance(handed_in, bytes):
        path.write_bytes(handed_in)
    elif isinstance(handed_in, str):
        path.write_text(handed_in, encoding="utf-8")
    elif handed_in is not None:
        path.write_text(nbformat.v4.writes_json(handed_in), encoding="utf-8")


def points(source):
    roles = [cell.metadata.get("nbgrader", {}) for cell in source.cells if cell.cell_type == "code"]
    return {role["grade_id"]: role["points"] for role in roles if role.get("grade")}


@pytest.mark.parametrize("name", CASES)
def test_the_record_is_as_expected(name, graded):
    course, results = graded
    case, result = CASES[name], results[name]
    full = points(course.source(ASSIGNMENT))
    if case.lost == frozenset(full):  # also by not being graded at all
        assert result.score == 0, result
    else:
        assert result.state == "graded", result.problems
        got = {test: result.scores[test] for test in full}
        assert got == {test: 0 if test in case.lost else most for test, most in full.items()}, result.problems
    text = "\n".join(result.problems)
    assert all(part in text for part in case.says), text


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.harm])
def test_no_harm_was_done(name, graded):
    course, _ = graded
    path = course.notebook("autograded", name, ASSIGNMENT)
    scene = Scene(course.class_folder, course.root, CANARY, read(path) if path.exists() else None, name)
    assert CASES[name].harm(scene) is None


def test_the_honest_student_among_them_gets_what_is_theirs(graded):
    _, results = graded
    assert results[HONEST].problems == ["8 In your own words: not attempted."][:0]
    assert results[HONEST].score == 19


def test_nobodys_page_holds_a_hidden_test(graded):
    course, _ = graded
    hidden = [
        line.strip()
        for cell in course.source(ASSIGNMENT).cells
        if "### BEGIN HIDDEN TESTS" in cell.source
        for line in cell.source.split("### BEGIN HIDDEN TESTS")[1].splitlines()
        if len(line.strip()) > 30 and line.strip() not in cell.source.split("### BEGIN HIDDEN TESTS")[0]
    ]
    assert len(hidden) > 10
    for page in course.step("feedback").glob("*/*/*.html"):
        text = page.read_text(encoding="utf-8")
        assert not [line for line in hidden if line in text], page


def test_each_kind_of_attack_has_three_variants():
    rows = [case.row for case in CASES.values()]
    assert min(rows.count(row) for row in set(rows)) >= 3
    assert len(CASES) == len(rows) == sum(len(getattr(module, "CASES", ())) for module in MODULES)
