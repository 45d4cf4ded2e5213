"""A class with every trouble that a real one brings: the batch goes on, and the table says what happened."""

import copy
import io
import json
import multiprocessing
import os
import signal
import threading
import time

import nbformat
import pytest
from conftest import BANK, ROOT, read, role
from rich.console import Console
from typer.testing import CliRunner

from autograder.cli import app
from autograder.grading import answer_bank, batch, intake, report, sample_class
from autograder.grading.course import Course, GradingError

pytestmark = pytest.mark.sandbox
NAME = "01_backward_loop"
AUTO = 19  # points that the machine gives in this assignment; 3 more wait for a person


def cell(notebook, cell_id):
    return next(cell for cell in notebook.cells if cell.id == cell_id)


def answer_in_words(notebook):
    cell(notebook, "written-answer").source = "The sum of all gradients so far."
    return nbformat.writes(notebook)


def append(cell_id, code):
    def change(notebook):
        cell(notebook, cell_id).source += "\n\n\n" + code
        return nbformat.writes(notebook)

    return change


def delete(*ids):
    def change(notebook):
        notebook.cells = [c for c in notebook.cells if c.id not in ids]
        return nbformat.writes(notebook)

    return change


def duplicate(cell_id):
    def change(notebook):
        twin = copy.deepcopy(cell(notebook, cell_id))
        notebook.cells.insert(notebook.cells.index(cell(notebook, cell_id)), twin)
        text = nbformat.v4.writes_json(notebook)
        assert text.count(f'"id": "{cell_id}"') == 2
        return text

    return change


NOISY = """import os, sys, warnings


def quiz():
    warnings.warn("a warning is not a wrong answer")
    print("progress: 100 %", file=sys.stderr)
    os.write(2, b"a library written in C complains")
    return "b", "d", "a"
"""


def nested(notebook):
    text = nbformat.writes(notebook)
    return text.replace('"nbgrader": {', '"nbgrader": ' + "[" * 900 + "]" * 900 + ', "mine": {', 1)


# student: (what is done to a notebook with right answers, points, what the report says)
CASES = {
    "honest": (answer_in_words, AUTO, []),
    "noisy": (append("quiz", NOISY), AUTO, []),
    "endless_loop": (
        append("agreement", "def agreement(gradients):\n    while True:\n        pass"),
        AUTO - 4,
        [
            "5 Do the rows agree?: agreement(gradients) for the table of the lesson was stopped because it took too lo",
            "Is there a loop that never ends?\n  line 6: while True:",
        ],
    ),
    "syntax_error": (
        append("agreement", "def agreement(:"),
        AUTO - 4,
        [
            "5 Do the rows agree?: the answer cell did not run to its end: SyntaxError: invalid syntax (line ",
            "5 Do the rows agree?: agreement is not defined. ",
        ],
    ),
    "answer_and_test_deleted": (
        delete("row-gradient", "test-row-gradient"),
        AUTO - 2,
        ["The answer cell row-gradient was deleted", "1 One row's gradient: not attempted."],
    ),
    "test_deleted": (delete("test-agreement"), AUTO, ["The cell test-agreement was deleted; it was put back."]),
    "written_answer_deleted": (delete("written-answer"), AUTO, ["The answer cell written-answer was deleted"]),
    "test_copied": (duplicate("test-agreement"), AUTO, ["The cell test-agreement is there more than once"]),
    "endless_loop_in_the_cell": (
        append("quiz", "while True:\n    pass"),
        AUTO,
        ["6 Quiz: the answer cell did not run to its end: stopped because it took too long."],
    ),
    "exits": (
        append("quiz", "import sys\n\n\ndef quiz():\n    sys.exit(0)"),
        AUTO - 3,
        ["6 Quiz: quiz(), question 1 raised SystemExit"],
    ),
    "sends_commands_to_the_terminal": (
        append("quiz", "raise ValueError(chr(27) + ']0;x')"),
        AUTO,
        ["ValueError:  ]0;x"],
    ),
    "ends_its_process_when_called": (
        append("agreement", "import os\n\n\ndef agreement(gradients):\n    os._exit(0)"),
        AUTO - 4,
        ["agreement(gradients) for the table of the lesson ended its process (exit status 0). Is there a call of exit"],
    ),
    "ends_its_process_in_the_cell": (
        append("agreement", "import os\n\n\nos._exit(3)"),
        AUTO - 4,
        [
            "5 Do the rows agree?: the answer cell did not run to its end: this cell ended its process (exit status 3)",
            "5 Do the rows agree?: agreement is not defined.",
        ],
    ),
}

UNREADABLE = {
    "not_json": ("{ half a note", "is not a notebook: it is cut off or not JSON at all. Hand it in again."),
    "empty_file": ("", "is not a notebook"),
    "nested_too_deep": (None, "is nested too deep to be a notebook"),
    "json_but_no_notebook": (json.dumps({"cells": 3}), "is not a readable notebook"),
}


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """Results by student, and the course."""
    course = Course(class_folder=tmp_path_factory.mktemp("class"))
    released = read(course.generate(NAME, course.class_folder / "release"))
    right = {a.exercise: a.source for a in reversed(answer_bank.load(BANK, NAME)) if a.right}
    texts = {student: change(answer_bank.fill(released, right)) for student, (change, *_) in CASES.items()}
    texts |= {student: text for student, (text, _) in UNREADABLE.items()}
    texts["nested_too_deep"] = nested(released)
    for student, text in texts.items():
        path = course.notebook("submitted", student, NAME)
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
    (course.step("submitted") / "handed_in_nothing").mkdir()
    clash = course.notebook("submitted", "folder_of_the_same_name", NAME)
    for folder in (clash, clash.with_name("timestamp.txt")):
        folder.mkdir(parents=True)
        (folder / "x.txt").write_text("x")
    clash.with_stem(f"{NAME} (1)").write_text(nbformat.writes(answer_bank.fill(released, right)))
    wrong_name = course.notebook("submitted", "wrong_name", NAME).with_stem(f"{NAME} (1)")
    wrong_name.parent.mkdir(parents=True)
    wrong_name.write_text(nbformat.writes(released))
    return {result.student: result for result in batch.grade(course, [NAME])}, course


@pytest.mark.parametrize("student", CASES)
def test_everyone_gets_what_is_theirs(student, graded):
    _, points, sentences = CASES[student]
    result = graded[0][student]
    assert (result.state, result.score) == ("graded", points), result.problems
    for sentence in sentences:
        assert any(sentence in problem for problem in result.problems), result.problems
    if not sentences:
        assert result.problems == []


@pytest.mark.parametrize("student", UNREADABLE)
def test_an_unreadable_notebook_costs_nobody_else_anything(student, graded):
    result = graded[0][student]
    assert (result.state, result.score, result.max_score) == ("unreadable", 0, AUTO + 3)
    assert UNREADABLE[student][1] in result.problems[0]


def test_missing_submissions_are_named(graded):
    result = graded[0]["handed_in_nothing"]
    assert (result.state, result.score) == ("missing", 0)
    assert "Not handed in" in result.problems[0]


def test_a_file_with_another_name_is_taken_and_pointed_out(graded):
    result = graded[0]["wrong_name"]
    assert result.problems[0] == f"{NAME} (1).ipynb was taken for {NAME}.ipynb."
    assert (result.state, result.score) == ("graded", 0)


def test_a_folder_with_the_name_of_a_file_is_no_trouble(graded):
    result = graded[0]["folder_of_the_same_name"]
    assert (result.state, result.score) == ("graded", AUTO), result.problems


def test_a_worker_that_is_killed_costs_nobody_anything(graded):
    _, course = graded
    killed = []

    def kill_one():
        while not (workers := multiprocessing.active_children()):
            time.sleep(0.05)
        os.kill(workers[0].pid, signal.SIGKILL)
        killed.append(workers[0].pid)

    threading.Thread(target=kill_one, daemon=True).start()
    (result,) = batch.grade(course, [NAME], ["honest"], force=True)
    assert killed
    assert (result.state, result.score) == ("graded", AUTO)


def test_feedback_is_written_for_every_graded_submission(graded):
    found, course = graded
    for student, result in found.items():
        page = course.step("feedback") / student / NAME / f"{NAME}.html"
        assert page.exists() == (result.state != "missing")
    syntax_error = (course.step("feedback") / "exits" / NAME / f"{NAME}.html").read_text(encoding="utf-8")
    assert "raised SystemExit" in syntax_error


def test_no_line_of_a_hidden_test_is_in_a_failure_message(graded):
    _, course = graded
    source = course.source(NAME)
    hidden = {
        line.strip()
        for c in source.cells
        if role(c).get("grade") and "### BEGIN HIDDEN TESTS" in c.source
        for line in c.source.split("### BEGIN HIDDEN TESTS")[1].splitlines()
        if len(line.strip()) > 12 and line.strip() not in c.source.split("### BEGIN HIDDEN TESTS")[0]
    }
    assert len(hidden) > 20
    for student in CASES:
        for c in read(course.notebook("autograded", student, NAME)).cells:
            for out in c.get("outputs", []):
                if out.output_type == "error" and role(c).get("grade"):
                    text = "\n".join(out.traceback)
                    assert not [line for line in hidden if line in text]


def test_the_report_names_students_scores_problems_and_feedback(graded):
    found, course = graded
    console = Console(record=True, width=160, file=io.StringIO())
    report.show(course, list(found.values()), console)
    text = console.export_text()
    for expected in ("honest", "19/22 (+3)", "unreadable 0/22", "not handed in 0/22", "not attempted.",
                     "Is there a loop that never ends?", str(course.step("feedback"))):  # fmt: skip
        assert expected in text


def test_a_class_without_submissions_says_where_they_go(tmp_path):
    with pytest.raises(GradingError, match=r"Put them there as <student>/<assignment>/<assignment>.ipynb"):
        batch.grade(Course(class_folder=tmp_path))


def test_an_unknown_assignment_is_one_clear_line():
    run = CliRunner().invoke(app, ["release", "99_nothing"])
    assert run.exit_code == 1
    assert run.output.count("\n") == 1
    assert "99_nothing" in run.output


def test_sample_class_is_large_and_mixed(tmp_path):
    count = sample_class.build(BANK, ROOT / "release", tmp_path)
    notebooks = list(tmp_path.glob("submitted/*/*/*.ipynb"))
    assert count == len(notebooks) >= 24
    before = {path: path.stat().st_mtime_ns for path in notebooks}
    sample_class.build(BANK, ROOT / "release", tmp_path)
    assert {path: path.stat().st_mtime_ns for path in notebooks} == before, "an unchanged submission was written again"
    with pytest.raises(intake.Unreadable):
        limits = intake.Intake()
        intake.read(intake.gather(tmp_path / "submitted" / "hugo" / NAME, NAME, limits), limits)
