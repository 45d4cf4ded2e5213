"""nbgrader's own test notebooks, graded by stock nbgrader and by ours: the same scores, but for named differences."""

import shutil
from pathlib import Path

import nbformat
import nbgrader
import pytest
import stock
from conftest import ROOT, read, role

from autograder.grading.course import Course

pytestmark = pytest.mark.sandbox
FILES = Path(nbgrader.__file__).parent
# Name of the assignment: its source, and submissions by student. "solved" is the source's own answers.
SOURCES = {
    "squares": "tests/apps/files/test.ipynb",
    "hidden": "tests/apps/files/test-hidden-tests.ipynb",
    "small": "tests/apps/files/submitted-unchanged.ipynb",
    "relative": "tests/apps/files/open_relative_file.ipynb",
    "effects": "tests/apps/files/side-effects.ipynb",
    "tasks": "tests/preprocessors/files/test_taskcell.ipynb",
    "guide1": "docs/source/user_guide/source/ps1/problem1.ipynb",
    "guide2": "docs/source/user_guide/source/ps1/problem2.ipynb",
    "autotest": "tests/apps/files/autotest-simple.ipynb",
    "autotest_multi": "tests/apps/files/autotest-multi.ipynb",
    "autotest_hidden": "tests/apps/files/autotest-hidden.ipynb",
}
SUBMITTED = {
    "small": ["submitted-changed", "submitted-grade-cell-changed", "submitted-locked-cell-changed",
              "submitted-cheat-attempt", "submitted-cheat-attempt-alternative"],
    "autotest": ["autotest-simple-changed", "autotest-simple-unchanged"],
    "autotest_multi": ["autotest-multi-changed", "autotest-multi-unchanged"],
    "autotest_hidden": ["autotest-hidden-changed-right", "autotest-hidden-changed-wrong", "autotest-hidden-unchanged"],
}  # fmt: skip
OWN = "sum_of_squares_uses_squares"
# Differences, by assignment, student and test; the reason stands beside it.
USES = "The test deletes a name in the student's own namespace; it needs the tag in-kernel, and then agrees."
DIFFERENCES = {
    ("squares", "solved", OWN): USES,
    ("hidden", "solved", OWN): USES,
    ("guide1", "solved", OWN): USES,
}


def solved(source, released):
    """The release with the source's own answers."""
    answers = {role(cell)["grade_id"]: cell.source for cell in source.cells if role(cell).get("solution")}
    for cell in released.cells:
        if role(cell).get("solution"):
            cell.source = answers[role(cell)["grade_id"]]
    return released


def course_of(folder, *, tag=None):
    """A course of nbgrader's notebooks; tests called `tag` are to run in the kernel."""
    root = folder / "course"
    config = f'load_subconfig("nbgrader_config.py", path={str(ROOT)!r})\n'
    root.mkdir()
    (root / "nbgrader_config.py").write_text(config)
    shutil.copy(FILES / "tests/apps/files/autotests.yml", root)
    for assignment, path in SOURCES.items():
        source = read(FILES / path)
        for cell in source.cells:
            if tag and role(cell).get("grade_id") == tag:
                cell.metadata["tags"] = ["in-kernel"]
        # The name of a kernel that is here.
        source.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
        (root / "source" / assignment).mkdir(parents=True)
        nbformat.write(source, root / "source" / assignment / f"{assignment}.ipynb")
    (root / "source" / "relative" / "data.csv").write_text("test\n")
    return Course(class_folder=folder / "class", root=root)


def hand_in(course):
    """Put the submissions in place; return pairs of student and assignment."""
    pairs = []
    for assignment in SOURCES:
        released = read(course.generate(assignment, course.class_folder / "release"))
        submissions = {"untouched": released, "solved": solved(course.source(assignment), nbformat.from_dict(released))}
        for name in SUBMITTED.get(assignment, []):
            submissions[name] = read(FILES / "tests/apps/files" / f"{name}.ipynb")
        for student, notebook in submissions.items():
            path = course.notebook("submitted", student, assignment)
            path.parent.mkdir(parents=True, exist_ok=True)
            nbformat.write(notebook, path)
            pairs.append((student, assignment))
    return pairs


def compared(course, pairs):
    """Scores that differ: ours and stock's, by assignment, student and test."""
    for assignment in SOURCES:
        stock.generate(course.class_folder, assignment, course.root)
    came_through = stock.grade(course.class_folder, pairs, course.root)
    different = {}
    for student, assignment in pairs:
        ours = course.nbgrader.autograde(assignment, student, force=True)
        assert ours["success"], (student, assignment, ours)
        assert came_through[student, assignment], (student, assignment)
        theirs = stock.scores(stock.api(course.class_folder, course.root), student, assignment)
        for test, score in stock.scores(course.nbgrader, student, assignment).items():
            if score != theirs[test]:
                different[assignment, student, test] = (score, theirs[test])
    return different


def test_the_same_scores_but_for_named_differences(tmp_path):
    course = course_of(tmp_path)
    different = compared(course, hand_in(course))
    assert different.keys() == DIFFERENCES.keys(), different


def test_a_test_that_needs_the_students_own_objects_agrees_in_the_kernel(tmp_path):
    course = course_of(tmp_path, tag=OWN)
    pairs = [pair for pair in hand_in(course) if pair[1] in ("squares", "hidden", "guide1")]
    assert compared(course, pairs) == {}
    graded = read(course.notebook("autograded", "solved", "squares"))
    assert graded.metadata["autograder"]["in_kernel"] == [OWN]
