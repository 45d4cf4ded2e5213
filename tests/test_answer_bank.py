"""Every answer of the bank gets its verdict from nbgrader: full marks, or less and the message meant for it.

A submission takes one answer for each exercise, in rotation, so every answer is graded once, next to right and wrong
neighbours: a verdict that depends on a neighbour shows up as a right answer that fails or a wrong one that passes.
"""

from dataclasses import dataclass

import nbformat
import pytest
import stock
from conftest import BANK, SOURCES, read, role

from autograder.grading import answer_bank, batch
from autograder.grading.course import Course

pytestmark = pytest.mark.sandbox
ASSIGNMENTS = [path.stem for path in SOURCES]
ANSWERS = [answer for name in ASSIGNMENTS for answer in answer_bank.load(BANK, name)]


@dataclass
class Verdict:
    """What one answer got: points, points to get, and the messages of its tests."""

    score: float
    max_score: float
    messages: list[str]


@pytest.fixture(scope="module")
def bank_class(tmp_path_factory):
    """A class that hands in the whole bank: the course, and what each student chose for each assignment."""
    course = Course(class_folder=tmp_path_factory.mktemp("bank"))
    handed_in = {}
    for assignment in ASSIGNMENTS:
        released = read(course.generate(assignment, course.class_folder / "release"))
        by_exercise = [
            [answer for answer in ANSWERS if (answer.assignment, answer.exercise) == (assignment, exercise)]
            for exercise in answer_bank.exercises(released)
        ]
        submissions = {
            f"s{turn:02}": {
                answers[0].exercise: _take(answers, turn, place) for place, answers in enumerate(by_exercise)
            }
            for turn in range(max(map(len, by_exercise)))
        }
        for student, chosen in {**submissions, "stub": {}}.items():
            filled = answer_bank.fill(released, {exercise: answer.source for exercise, answer in chosen.items()})
            path = course.notebook("submitted", student, assignment)
            path.parent.mkdir(parents=True)
            nbformat.write(filled, path)
            handed_in[student, assignment] = chosen
    return course, handed_in


@pytest.fixture(scope="module")
def verdicts(bank_class):
    """Verdict of each answer; that of an untouched stub is filed under the answer's name "stub"."""
    course, handed_in = bank_class
    found = {}
    for result in batch.grade(course):
        if (result.student, result.assignment) not in handed_in:
            continue
        assert result.state == "graded", result
        chosen = handed_in[result.student, result.assignment]
        graded = read(course.notebook("autograded", result.student, result.assignment))
        for exercise in answer_bank.exercises(graded):
            name = chosen[exercise].name if chosen else "stub"
            found.setdefault((result.assignment, exercise, name), []).append(_verdict(graded, exercise, result.scores))
    return found


def _take(answers, turn, place):
    # Neighbouring exercises start at different answers, so right ones meet wrong ones.
    return answers[(turn + 2 * place) % len(answers)]


def _tests(notebook, exercise):
    return [cell for cell in notebook.cells if role(cell).get("grade") and _exercise_of(cell.id) == exercise]


def _exercise_of(test_id):
    stem, _, number = test_id.removeprefix("test-").rpartition("-")
    return stem if number.isdigit() else test_id.removeprefix("test-")


def _verdict(notebook, exercise, scores):
    tests = _tests(notebook, exercise)
    messages = [
        f"{output.ename}: {output.evalue}" for cell in tests for output in cell.outputs if output.output_type == "error"
    ]
    points = sum(role(cell)["points"] for cell in tests)
    return Verdict(sum(scores[cell.id] for cell in tests), points, messages)


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: f"{answer.assignment}/{answer.exercise}/{answer.name}")
def test_answer_gets_its_verdict(answer, verdicts):
    for verdict in verdicts[answer.assignment, answer.exercise, answer.name]:
        if answer.right:
            assert (verdict.score, verdict.messages) == (verdict.max_score, [])
        else:
            assert verdict.score < verdict.max_score, "a wrong answer got full marks"
            assert any(answer.expect in message for message in verdict.messages), verdict.messages


# Answers that stock nbgrader, where tests run in the student's own process, judges in another way, and why.
DIFFERENCES: dict[str, str] = {}


def test_stock_nbgrader_gives_every_answer_the_same_verdict(bank_class, verdicts):
    """The same test cells, run in the ordinary way in a notebook, give the same scores and the same messages."""
    course, handed_in = bank_class
    for assignment in ASSIGNMENTS:
        stock.generate(course.class_folder, assignment)
    came_through = stock.grade(course.class_folder, list(handed_in), warm=True)
    different = {}
    for (student, assignment), chosen in handed_in.items():
        assert came_through[student, assignment]
        graded = stock.graded(course.class_folder, student, assignment)
        scores = stock.scores(stock.api(course.class_folder), student, assignment)
        for exercise in answer_bank.exercises(graded):
            name = chosen[exercise].name if chosen else "stub"
            theirs = _verdict(graded, exercise, scores)
            if theirs not in verdicts[assignment, exercise, name]:
                different[f"{assignment}/{exercise}/{name}"] = (theirs, verdicts[assignment, exercise, name])
    assert different.keys() == DIFFERENCES.keys(), "\n".join(f"{answer}: {both}" for answer, both in different.items())


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_untouched_stub_scores_0_and_reads_not_attempted(source, verdicts):
    for exercise in answer_bank.exercises(read(source)):
        (verdict,) = verdicts[source.stem, exercise, "stub"]
        assert verdict.score == 0
        assert all(message.startswith("NotAttempted: ") for message in verdict.messages)
        assert len(verdict.messages) >= 1


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_every_exercise_has_right_and_wrong_answers(source):
    answers = [answer for answer in ANSWERS if answer.assignment == source.stem]
    exercises = answer_bank.exercises(read(source))
    assert {answer.exercise for answer in answers} == set(exercises)
    for exercise in exercises:
        rights = [answer.right for answer in answers if answer.exercise == exercise]
        assert rights.count(True) >= 2, exercise
        assert rights.count(False) >= 4, exercise
