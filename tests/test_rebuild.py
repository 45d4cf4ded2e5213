"""Whatever was done to a submission, what is graded is the assignment with the student's answers."""

import copy

import nbformat
import pytest
from conftest import ROOT, read, role
from nbgrader.preprocessors import ClearHiddenTests, ClearMarkScheme, ClearSolutions

from autograder.grading.rebuild import rebuild

NAME = "01_backward_loop"


@pytest.fixture(scope="module")
def template():
    return ClearSolutions().preprocess(read(ROOT / "source" / NAME / f"{NAME}.ipynb"), {})[0]


@pytest.fixture
def released(template):
    notebook = copy.deepcopy(template)
    for clear in (ClearHiddenTests(), ClearMarkScheme(enforce_metadata=False)):
        notebook, _ = clear.preprocess(notebook, {})
    return notebook


@pytest.fixture
def submitted(released):
    """The release with two answers in it."""
    notebook = copy.deepcopy(released)
    cell(notebook, "row-gradient").source = "def row_gradient(*_):\n    return 1"
    cell(notebook, "quiz").source = "def quiz():\n    return 'a', 'b', 'c'"
    return notebook


def cell(notebook, cell_id):
    return next(cell for cell in notebook.cells if cell.id == cell_id)


def graded_part(notebook):
    return [(role(c)["grade_id"], c.source) for c in notebook.cells if role(c)]


def test_an_honest_submission_is_the_template_with_its_answers(submitted, template, released):
    rebuilt, problems = rebuild(submitted, template, released)
    assert problems == []
    expected = copy.deepcopy(template)
    for name in ("row-gradient", "quiz"):
        cell(expected, name).source = cell(submitted, name).source
    assert graded_part(rebuilt) == graded_part(expected)
    nbformat.validate(rebuilt)


def delete_test(notebook):
    notebook.cells.remove(cell(notebook, "test-row-gradient"))


def duplicate_test(notebook):
    i = notebook.cells.index(cell(notebook, "test-row-gradient"))
    notebook.cells.insert(i, copy.deepcopy(notebook.cells[i]))


def move_test_up(notebook):
    test = cell(notebook, "test-row-gradient")
    notebook.cells.remove(test)
    notebook.cells.insert(0, test)


def edit_test(notebook):
    cell(notebook, "test-row-gradient").source = "print('passed')"


def edit_points(notebook):
    cell(notebook, "test-row-gradient").metadata.nbgrader["points"] = 100


def tag_test(notebook):
    cell(notebook, "test-row-gradient").metadata["tags"] = ["skip-execution"]


def ungrade_test(notebook):
    cell(notebook, "test-row-gradient").metadata.nbgrader["grade"] = False


def turn_test_into_markdown(notebook):
    test = cell(notebook, "test-row-gradient")
    i = notebook.cells.index(test)
    notebook.cells[i] = nbformat.v4.new_markdown_cell(test.source, metadata=test.metadata)


def turn_answer_into_markdown(notebook):
    answer = cell(notebook, "row-gradient")
    i = notebook.cells.index(answer)
    notebook.cells[i] = nbformat.v4.new_markdown_cell(answer.source, metadata=answer.metadata)


def edit_setup(notebook):
    cell(notebook, "setup").source = "checks = None"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (delete_test, "The cell test-row-gradient was deleted; it was put back."),
        (duplicate_test, "The cell test-row-gradient is there more than once; the copies were run as ordinary cells."),
        (move_test_up, "Cells were moved; they were run in the order of the assignment."),
        (edit_test, "The cell test-row-gradient was edited; the original was used."),
        (edit_setup, "The cell setup was edited; the original was used."),
        (edit_points, None),
        (tag_test, None),
        (ungrade_test, None),
        (turn_test_into_markdown, None),
        (turn_answer_into_markdown, None),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_changes_to_cells_do_not_change_what_is_graded(change, sentence, submitted, template, released):
    honest, _ = rebuild(submitted, template, released)
    change(submitted)
    rebuilt, problems = rebuild(submitted, template, released)
    assert graded_part(rebuilt) == graded_part(honest)
    assert [(c.cell_type, c.metadata) for c in rebuilt.cells if role(c)] == [
        (c.cell_type, c.metadata) for c in honest.cells if role(c)
    ]
    assert problems == ([sentence] if sentence else [])
    nbformat.validate(rebuilt)


def test_a_deleted_answer_is_a_stub_again(submitted, template, released):
    submitted.cells = [c for c in submitted.cells if "row-gradient" not in c.id]
    rebuilt, problems = rebuild(submitted, template, released)
    assert cell(rebuilt, "row-gradient").source == cell(template, "row-gradient").source
    assert "The answer cell row-gradient was deleted; it counts as not attempted." in problems
    assert "checks.returns" in cell(rebuilt, "test-row-gradient").source


def test_own_cells_stay_where_they_were_but_are_never_graded(submitted, template, released):
    helper = nbformat.v4.new_code_cell("helper = 1")
    helper.metadata["nbgrader"] = {"grade_id": "bonus", "grade": True, "solution": False, "points": 50}
    helper.metadata["tags"] = ["skip-execution"]
    i = submitted.cells.index(cell(submitted, "row-gradient"))
    submitted.cells.insert(i + 1, helper)
    rebuilt, problems = rebuild(submitted, template, released)
    following = rebuilt.cells[rebuilt.cells.index(cell(rebuilt, "row-gradient")) + 1]
    assert (following.source, following.metadata) == ("helper = 1", {})
    assert problems == []


def test_own_cells_cannot_take_the_place_of_a_test(submitted, template, released):
    submitted.cells.append(nbformat.v4.new_code_cell("x = 1", id="test-quiz-1"))
    rebuilt, problems = rebuild(submitted, template, released)
    assert "checks.quiz" in cell(rebuilt, "test-quiz-1").source
    assert rebuilt.cells[-1].source == "x = 1"
    assert problems == ["The cell test-quiz-1 is there more than once; the copies were run as ordinary cells."]
    nbformat.validate(rebuilt)


def test_notes_in_the_text_cells_are_kept(submitted, template, released):
    cell(submitted, "about-quiz").source += "\n\nMy notes."
    rebuilt, problems = rebuild(submitted, template, released)
    assert cell(rebuilt, "about-quiz").source.endswith("My notes.")
    assert problems == []


def test_an_empty_notebook_counts_as_not_attempted(template, released):
    rebuilt, problems = rebuild(nbformat.v4.new_notebook(), template, released)
    assert graded_part(rebuilt) == graded_part(template)
    assert len(problems) == len(graded_part(template))
