"""Whatever was done to a submission, what is graded is the assignment with the student's answers."""

import copy
from functools import cache

import nbformat
import pytest
from conftest import BANK, ROOT, SOURCES, read, role
from hypothesis import given, settings
from hypothesis import strategies as st
from nbgrader.preprocessors import ClearHiddenTests, ClearMarkScheme, ClearSolutions
from traitlets.config import Config

from autograder.grading import answer_bank
from autograder.grading.rebuild import Rebuild, rebuild

NAME = "01_backward_loop"
ROW_GRADIENT = "def row_gradient(*_):\n    return 1"
QUIZ = "def quiz():\n    return 'a', 'b', 'c'"
WRITTEN = "It adds up."
BY_TEXT = "The notebook had lost its cell metadata; its cells were recognised by their text."
BY_IDS = "The notebook had lost its cell metadata; its cells were recognised by their ids."


@cache
def both_sides(name=NAME):
    """Template and release; not to be changed."""
    template = ClearSolutions().preprocess(read(ROOT / "source" / name / f"{name}.ipynb"), {})[0]
    released = copy.deepcopy(template)
    for clear in (ClearHiddenTests(), ClearMarkScheme(enforce_metadata=False)):
        released, _ = clear.preprocess(released, {})
    return template, released


@pytest.fixture
def template():
    return copy.deepcopy(both_sides()[0])


@pytest.fixture
def released():
    return copy.deepcopy(both_sides()[1])


def answered(released):
    """The release with three answers in it."""
    notebook = copy.deepcopy(released)
    cell(notebook, "row-gradient").source = ROW_GRADIENT
    cell(notebook, "quiz").source = QUIZ
    cell(notebook, "written-answer").source = WRITTEN
    return notebook


@pytest.fixture
def submitted(released):
    return answered(released)


def cell(notebook, cell_id):
    return next(cell for cell in notebook.cells if cell.id == cell_id)


def graded_part(notebook):
    return [(role(c)["grade_id"], c.source) for c in notebook.cells if role(c)]


def test_an_honest_submission_is_the_template_with_its_answers(submitted, template, released):
    rebuilt, problems = rebuild(submitted, template, released)
    assert problems == []
    expected = copy.deepcopy(template)
    for name in ("row-gradient", "quiz", "written-answer"):
        cell(expected, name).source = cell(submitted, name).source
    assert graded_part(rebuilt) == graded_part(expected)
    nbformat.validate(rebuilt)


def delete_test(notebook):
    notebook.cells.remove(cell(notebook, "test-row-gradient"))


def duplicate(notebook, cell_id, source=None, at=0):
    """Put a copy, with its marks as JupyterLab does it, above the cell or `at` cells further down."""
    twin = copy.deepcopy(cell(notebook, cell_id))
    number = notebook.cells.index(twin)
    twin.id = f"{cell_id}-copy"
    if source is not None:
        twin.source = source
    notebook.cells.insert(number + at, twin)
    return twin


def duplicate_test(notebook):
    duplicate(notebook, "test-row-gradient")


def duplicate_test_with_its_id(notebook):
    duplicate(notebook, "test-row-gradient").id = "test-row-gradient"


def duplicate_test_as_text(notebook):
    notebook.cells.append(nbformat.v4.new_code_cell(cell(notebook, "test-row-gradient").source + "  \n"))


def duplicate_test_and_edit(notebook):
    duplicate(notebook, "test-row-gradient", "print('mine')", at=1)


def duplicate_setup(notebook):
    duplicate(notebook, "setup", at=1)


def move_test_up(notebook):
    test = cell(notebook, "test-row-gradient")
    notebook.cells.remove(test)
    notebook.cells.insert(0, test)


def edit_test(notebook):
    cell(notebook, "test-row-gradient").source = "print('passed')"


def trailing_spaces(notebook):
    test = cell(notebook, "test-row-gradient")
    test.source = test.source.replace("\n", "  \n") + "\n\n"


def edit_setup(notebook):
    cell(notebook, "setup").source = "checks = None"


def edit_points(notebook):
    cell(notebook, "test-row-gradient").metadata.nbgrader["points"] = 100


def edit_all_settings(notebook):
    settings = cell(notebook, "test-row-gradient").metadata.nbgrader
    settings.update(grade=False, locked=False, solution=True, points="many", schema_version=[1])


def grade_answer(notebook):
    cell(notebook, "row-gradient").metadata.nbgrader.update(grade=True, points=50)


def grade_text(notebook):
    cell(notebook, "title").metadata["nbgrader"] = {"grade_id": "bonus", "grade": True, "points": 50, "locked": False}


def rename(notebook):
    cell(notebook, "row-gradient").metadata.nbgrader["grade_id"] = "my-answer"


def rename_to_another(notebook):
    cell(notebook, "row-gradient").metadata.nbgrader["grade_id"] = "test-row-gradient"


def exchange_names(notebook):
    roles = [cell(notebook, name).metadata.nbgrader for name in ("row-gradient", "agreement")]
    roles[0]["grade_id"], roles[1]["grade_id"] = roles[1]["grade_id"], roles[0]["grade_id"]


def rename_with_id(notebook):
    rename(notebook)
    cell(notebook, "row-gradient").id = "my-id"


def strip_one(notebook):
    cell(notebook, "row-gradient").metadata = nbformat.from_dict({})


def tag_cells(notebook):
    cell(notebook, "test-row-gradient").metadata["tags"] = ["skip-execution", "mine"]
    cell(notebook, "quiz").metadata["tags"] = ["raises-exception"]


def turn(notebook, cell_id, kind):
    old = cell(notebook, cell_id)
    new = {
        "markdown": nbformat.v4.new_markdown_cell,
        "raw": nbformat.v4.new_raw_cell,
        "code": nbformat.v4.new_code_cell,
    }
    notebook.cells[notebook.cells.index(old)] = new[kind](old.source, metadata=old.metadata)


def turn_test_into_markdown(notebook):
    turn(notebook, "test-row-gradient", "markdown")


def turn_test_into_raw(notebook):
    turn(notebook, "test-row-gradient", "raw")


def turn_answer_into_markdown(notebook):
    turn(notebook, "row-gradient", "markdown")


def turn_answer_into_raw(notebook):
    turn(notebook, "row-gradient", "raw")


def turn_written_answer_into_code(notebook):
    turn(notebook, "written-answer", "code")


def turn_question_into_code(notebook):
    turn(notebook, "about-written-answer", "code")


def settings_changed(cell_id, what):
    return f"The settings of the cell {cell_id} were changed ({what}); the original ones were used."


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (delete_test, "The cell test-row-gradient was deleted; it was put back."),
        (duplicate_test, "The cell test-row-gradient is there more than once; the copies were left out."),
        (duplicate_test_with_its_id, "The cell test-row-gradient is there more than once; the copies were left out."),
        (duplicate_test_as_text, "The cell test-row-gradient is there more than once; the copies were left out."),
        (
            duplicate_test_and_edit,
            "The cell test-row-gradient is there more than once; the copies were run as ordinary cells.",
        ),
        (duplicate_setup, "The cell setup is there more than once; the copies were run as ordinary cells."),
        (move_test_up, "Cells were moved; they were run in the order of the assignment."),
        (edit_test, "The cell test-row-gradient was edited; the original was used."),
        (trailing_spaces, None),
        (edit_setup, "The cell setup was edited; the original was used."),
        (edit_points, settings_changed("test-row-gradient", "points")),
        (edit_all_settings, settings_changed("test-row-gradient", "grade, locked, solution, points, schema_version")),
        (grade_answer, settings_changed("row-gradient", "grade, points")),
        (grade_text, settings_changed("title", "grade")),
        (rename, settings_changed("row-gradient", "grade_id")),
        (rename_to_another, settings_changed("row-gradient", "grade_id")),
        (rename_with_id, "The metadata of the cell row-gradient were lost; it was recognised by its text."),
        (strip_one, "The settings of the cell row-gradient were lost; the original ones were used."),
        (
            tag_cells,
            "Tags were dropped from the assignment's cells: test-row-gradient (skip-execution, mine), "
            "quiz (raises-exception).",
        ),
        (
            turn_test_into_markdown,
            "The cell test-row-gradient was turned into a markdown cell; the original was used.",
        ),
        (turn_test_into_raw, "The cell test-row-gradient was turned into a raw cell; the original was used."),
        (
            turn_answer_into_markdown,
            "The answer cell row-gradient was turned into a markdown cell; its text was taken as code.",
        ),
        (turn_answer_into_raw, "The answer cell row-gradient was turned into a raw cell; its text was taken as code."),
        (
            turn_written_answer_into_code,
            "The answer cell written-answer was turned into a code cell; its text was taken as it stands.",
        ),
        (
            turn_question_into_code,
            "The cell about-written-answer was turned into a code cell; the original was used.",
        ),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
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
    check_invariants(rebuilt, template, released)


def test_names_that_were_exchanged_are_told_apart(submitted, template, released):
    exchange_names(submitted)
    rebuilt, problems = rebuild(submitted, template, released)
    assert cell(rebuilt, "row-gradient").source == ROW_GRADIENT
    assert problems == [settings_changed(name, "grade_id") for name in ("row-gradient", "agreement")]


def check_invariants(rebuilt, template, released):
    """Each cell of the assignment once, in order, with its settings and, where locked, its text; nothing left over."""
    nbformat.validate(rebuilt)
    ids = [c.id for c in template.cells]
    assert [c.id for c in rebuilt.cells if c.id in ids] == ids
    assert len({c.id for c in rebuilt.cells}) == len(rebuilt.cells)
    assert rebuilt.metadata == template.metadata
    for original in template.cells:
        found = cell(rebuilt, original.id)
        assert (found.cell_type, found.metadata) == (original.cell_type, original.metadata)
        if role(original).get("locked"):
            assert found.source == original.source
    for own in rebuilt.cells:
        if own.id not in ids:
            assert own.metadata == {}
            assert own.cell_type in ("code", "markdown")
            assert "attachments" not in own
            assert not own.get("outputs")
    again, problems = rebuild(rebuilt, template, released)
    assert problems == []
    assert again == rebuilt


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


def insert_after(notebook, cell_id, source, kind="code"):
    new = {
        "code": nbformat.v4.new_code_cell,
        "markdown": nbformat.v4.new_markdown_cell,
        "raw": nbformat.v4.new_raw_cell,
    }
    own = new[kind](source)
    notebook.cells.insert(notebook.cells.index(cell(notebook, cell_id)) + 1, own)
    return own


def own_sources(notebook, template):
    """Sources of the own cells by the id of the assignment's cell before them, in order."""
    ids, before, found = [c.id for c in template.cells], None, []
    for c in notebook.cells:
        if c.id in ids:
            before = c.id
        else:
            found.append((before, c.source))
    return found


def test_own_cells_are_plain(submitted, template, released):
    code = insert_after(submitted, "test-quiz-3", "1 + 1")
    code.outputs = [nbformat.v4.new_output("display_data", {"text/html": "<script>alert(1)</script>"})]
    code.metadata.update(tags=["remove-cell"], collapsed=True)
    note = insert_after(submitted, "test-quiz-3", "![](attachment:x.svg)", "markdown")
    note["attachments"] = {"x.svg": {"image/svg+xml": "<script>alert(1)</script>"}}
    raw = insert_after(submitted, "test-quiz-3", "<b>```</b>", "raw")
    raw.metadata["raw_mimetype"] = "text/html"
    rebuilt, problems = rebuild(submitted, template, released)
    own = [c for c in rebuilt.cells if c.id.startswith("own-cell-")]
    assert [(c.cell_type, c.source) for c in own] == [
        ("markdown", "````\n<b>```</b>\n````"),
        ("markdown", "![](attachment:x.svg)"),
        ("code", "1 + 1"),
    ]
    assert problems == []
    check_invariants(rebuilt, template, released)


def strip(notebook, ids=True):
    """Take all metadata from all cells, and their ids."""
    for number, c in enumerate(notebook.cells):
        c.metadata = nbformat.from_dict({})
        if ids:
            c.id = f"other-{number}"
    return notebook


def test_ids_are_enough(submitted, template, released):
    honest, _ = rebuild(submitted, template, released)
    rebuilt, problems = rebuild(strip(submitted, ids=False), template, released)
    assert (rebuilt, problems) == (honest, [BY_IDS])


def test_names_are_enough(submitted, template, released):
    honest, _ = rebuild(submitted, template, released)
    for c in submitted.cells:
        del c["id"]
    assert rebuild(submitted, template, released) == (honest, [])


def test_text_is_enough(submitted, template, released):
    insert_after(submitted, "test-quiz-3", "print(quiz())")
    honest, _ = rebuild(submitted, template, released)
    rebuilt, problems = rebuild(strip(submitted), template, released)
    assert (rebuilt, problems) == (honest, [BY_TEXT])
    assert cell(rebuilt, "row-gradient").source == ROW_GRADIENT
    assert cell(rebuilt, "written-answer").source == WRITTEN


@pytest.mark.parametrize("name", [path.stem for path in SOURCES])
def test_all_answers_of_the_bank_are_recognised_by_their_text(name):
    template, released = both_sides(name)
    answers = {}
    for answer in answer_bank.load(BANK, name):
        answers.setdefault(answer.exercise, []).append(answer.source)
    for number in range(max(map(len, answers.values()))):
        chosen = {exercise: sources[number % len(sources)] for exercise, sources in answers.items()}
        notebook = answer_bank.fill(released, chosen)
        honest, problems = rebuild(notebook, template, released)
        assert problems == []
        assert rebuild(strip(notebook), template, released) == (honest, [BY_TEXT])


def test_an_answer_that_is_no_python_is_found_by_its_neighbours(submitted, template, released):
    cell(submitted, "row-gradient").source = "def row_gradient(:"
    rebuilt, problems = rebuild(strip(submitted), template, released)
    assert cell(rebuilt, "row-gradient").source == "def row_gradient(:"
    assert problems == [BY_TEXT]


def test_an_answer_among_own_cells_is_found_by_its_name(submitted, template, released):
    insert_after(submitted, "row-gradient", "helper = 1")
    insert_after(submitted, "about-row-gradient", "other = 1")
    rebuilt, problems = rebuild(strip(submitted), template, released)
    assert cell(rebuilt, "row-gradient").source == ROW_GRADIENT
    assert problems == [BY_TEXT]
    assert own_sources(rebuilt, template) == [("about-row-gradient", "other = 1"), ("row-gradient", "helper = 1")]


NOT_FOUND = (
    "The answer cell {} could not be found: the notebook has lost the marks by which answers are told apart. It counts "
    "as not attempted. Hand in the notebook again, from JupyterLab."
)


def test_what_is_not_certain_is_not_guessed(submitted, template, released):
    cell(submitted, "row-gradient").source = "def row_gradient(:"
    insert_after(submitted, "row-gradient", "helper = 1")
    insert_after(submitted, "written-answer", "A note", "markdown")
    rebuilt, problems = rebuild(strip(submitted), template, released)
    assert problems == [NOT_FOUND.format("row-gradient"), NOT_FOUND.format("written-answer")]
    for name in ("row-gradient", "written-answer"):
        assert cell(rebuilt, name).source == cell(template, name).source
    check_invariants(rebuilt, template, released)


def test_a_neighbour_that_defines_another_answer_is_not_taken(submitted, template, released):
    submitted.cells.remove(cell(submitted, "quiz"))
    cell(submitted, "row-gradient").source = QUIZ
    rebuilt, problems = rebuild(strip(submitted), template, released)
    assert cell(rebuilt, "quiz").source == QUIZ
    assert cell(rebuilt, "row-gradient").source == cell(template, "row-gradient").source
    assert problems[:2] == [BY_TEXT, "The answer cell row-gradient was deleted; it counts as not attempted."]


def test_edited_locked_cells_without_metadata(submitted, template, released):
    edit_test(submitted)
    rebuilt, problems = rebuild(strip(submitted), template, released)
    assert problems == [BY_TEXT, "The cell test-row-gradient was deleted or edited; it was put back."]
    check_invariants(rebuilt, template, released)


COPIED = "The answer cell row-gradient is there more than once; "


@pytest.mark.parametrize(
    ("first", "second", "answer", "before", "sentence"),
    [
        (None, "x = 1", "x = 1", [], "the one that you changed is the answer."),
        ("x = 1", None, "x = 1", [], "the one that you changed is the answer."),
        ("x = 1", "", "x = 1", [], "the one that you changed is the answer."),
        (None, None, None, [], "the copies were left out."),
        ("x = 1", "x = 1", "x = 1", [], "the copies were left out."),
        (
            "x = 1",
            "x = 2",
            "x = 2",
            [("about-row-gradient", "x = 1")],
            "the last one that you changed is the answer, the others were put before it.",
        ),
    ],
)
@pytest.mark.parametrize("at", [1, 2])
def test_the_last_copy_that_was_changed_is_the_answer(
    at, first, second, answer, before, sentence, submitted, template, released
):
    stub = cell(template, "row-gradient").source
    cell(submitted, "row-gradient").source = stub if first is None else first
    duplicate(submitted, "row-gradient", stub if second is None else second, at=at)
    rebuilt, problems = rebuild(submitted, template, released)
    assert cell(rebuilt, "row-gradient").source == (answer or stub)
    assert own_sources(rebuilt, template) == before
    assert problems == [COPIED + sentence]
    check_invariants(rebuilt, template, released)


def test_a_copied_answer_moves_no_own_cell_to_before_it(submitted, template, released):
    duplicate(submitted, "row-gradient", "x = 2", at=2)
    insert_after(submitted, "row-gradient", "y = 1")
    rebuilt, _ = rebuild(submitted, template, released)
    assert own_sources(rebuilt, template) == [("about-row-gradient", ROW_GRADIENT), ("row-gradient", "y = 1")]


def still_stub(cell_id, name):
    return f"The answer cell {cell_id} still held its stub; the definition of {name} in a cell further down was used."


@pytest.mark.parametrize(
    "source",
    [
        "def agreement(gradients):\n    return 1",
        "agreement = lambda gradients: 1",
        "%%time\ndef agreement(gradients):\n    return 1",
        "%matplotlib inline\n!ls\nagreement = torch.compile(f)",
        "try:\n    from fast import agreement\nexcept ImportError:\n    def agreement(gradients):\n        return 1",
        "class agreement:\n    pass",
        "other, agreement = f, g",
        "await ready()\nagreement = f",
    ],
)
def test_an_answer_in_a_cell_further_down_is_used(source, submitted, template, released):
    insert_after(submitted, "test-quiz-3", source)
    rebuilt, problems = rebuild(submitted, template, released)
    assert own_sources(rebuilt, template) == [("agreement", source)]
    assert problems == [still_stub("agreement", "agreement")]
    check_invariants(rebuilt, template, released)


@pytest.mark.parametrize(
    "source",
    [
        "agreement(gradients)",
        "def other():\n    def agreement():\n        pass",
        "def agreement(:",
        "%%writefile agreement.py\ndef agreement():\n    pass",
        "%%html\n<b>agreement = 1</b>",
        "agreement = agreement(gradients)",
        "agreement.cache = {}",
        "agreement: object",
        "agreement == 1",
        "nul = '\x00'\nagreement = 1",
        "if True:\n    pass\n" + "elif True:\n    pass\n" * 3000,
        "(" * 500,
        "",
    ],
)
def test_other_own_cells_stay_where_they_are(source, submitted, template, released):
    insert_after(submitted, "test-quiz-3", source)
    rebuilt, problems = rebuild(submitted, template, released)
    assert own_sources(rebuilt, template) == [("test-quiz-3", source)]
    assert problems == []


def test_an_answer_right_below_its_stub_is_nothing_to_report(submitted, template, released):
    insert_after(submitted, "agreement", "def agreement(gradients):\n    return 1")
    rebuilt, problems = rebuild(submitted, template, released)
    assert problems == []
    assert own_sources(rebuilt, template)[0][0] == "agreement"


def test_markdown_defines_nothing(submitted, template, released):
    insert_after(submitted, "test-quiz-3", "agreement = 1", "markdown")
    assert rebuild(submitted, template, released)[1] == []


def test_what_a_moved_definition_needs_comes_with_it(submitted, template, released):
    insert_after(submitted, "test-quiz-1", "import math")
    insert_after(submitted, "test-quiz-2", "def helper(x):\n    w = 2\n    return math.sin(w * x)")
    insert_after(submitted, "test-quiz-3", "def agreement(gradients):\n    return helper(gradients)")
    insert_after(submitted, "where-next", "w = row_gradient(1)")
    rebuilt, problems = rebuild(submitted, template, released)
    assert [(before, source.split("(")[0]) for before, source in own_sources(rebuilt, template)] == [
        ("agreement", "import math"),
        ("agreement", "def helper"),
        ("agreement", "def agreement"),
        ("where-next", "w = row_gradient"),
    ]
    assert problems == [still_stub("agreement", "agreement")]
    check_invariants(rebuilt, template, released)


def test_one_cell_with_two_answers_serves_both(submitted, template, released):
    both = "def agreement(*_):\n    return 1\n\n\ndef gradients_of_both(*_):\n    return 2"
    insert_after(submitted, "test-quiz-3", both)
    rebuilt, problems = rebuild(submitted, template, released)
    assert own_sources(rebuilt, template) == [("gradients-of-both", both), ("agreement", both)]
    assert problems == [
        still_stub("gradients-of-both", "gradients_of_both"),
        still_stub("agreement", "agreement"),
    ]
    check_invariants(rebuilt, template, released)


def test_a_second_definition_is_the_one_that_counts(submitted, template, released):
    insert_after(submitted, "test-quiz-3", "def row_gradient(*_):\n    return 2")
    rebuilt, problems = rebuild(submitted, template, released)
    assert own_sources(rebuilt, template) == [("row-gradient", "def row_gradient(*_):\n    return 2")]
    assert problems == ["row_gradient is defined again in a cell of your own further down; that definition was used."]
    check_invariants(rebuilt, template, released)


def test_an_answer_cell_that_was_emptied(submitted, template, released):
    cell(submitted, "row-gradient").source = ""
    insert_after(submitted, "test-quiz-3", ROW_GRADIENT)
    rebuilt, problems = rebuild(submitted, template, released)
    assert own_sources(rebuilt, template) == [("row-gradient", ROW_GRADIENT)]
    assert problems == [
        "The answer cell row-gradient does not define row_gradient; the definition of row_gradient in a cell further "
        "down was used."
    ]


@pytest.mark.parametrize("anchor", ["title", "about-row-gradient", "test-quiz-3"])
def test_a_deleted_answer_in_an_own_cell_is_used(anchor, submitted, template, released):
    submitted.cells.remove(cell(submitted, "row-gradient"))
    insert_after(submitted, anchor, ROW_GRADIENT)
    rebuilt, problems = rebuild(submitted, template, released)
    assert own_sources(rebuilt, template) == [("row-gradient", ROW_GRADIENT)]
    assert problems == [
        "The answer cell row-gradient was not found; the definition of row_gradient in a cell of your own was used."
    ]
    check_invariants(rebuilt, template, released)


GARBAGE = [None, [], "text", 3, {"grade_id": 3}, {"grade_id": ["quiz"]}, {"grade_id": None, "solution": True}, {}]


@pytest.mark.parametrize("garbage", GARBAGE, ids=str)
def test_garbage_in_the_marks_costs_nothing(garbage, submitted, template, released):
    honest, _ = rebuild(submitted, template, released)
    for c in submitted.cells:
        c.metadata["nbgrader"] = garbage
        c.metadata["tags"] = garbage
        c.id = garbage
    rebuilt, problems = rebuild(submitted, template, released)
    assert rebuilt == honest
    assert problems[0] == BY_TEXT


def test_cells_that_are_hardly_cells(submitted, template, released):
    honest, _ = rebuild(submitted, template, released)
    for c in submitted.cells:
        if not role(c):
            del c["metadata"]
            del c["id"]
        c["source"] = c.source.splitlines(keepends=True)
    submitted.cells += [{}, {"cell_type": "code", "metadata": [], "source": None}, None, "cell"]
    rebuilt, problems = rebuild(submitted, template, released)
    assert graded_part(rebuilt) == graded_part(honest)
    assert problems == []
    check_invariants(rebuilt, template, released)
    assert len(rebuild(nbformat.from_dict({"cells": None}), template, released)[1]) == len(graded_part(template))


def test_the_notebooks_own_metadata_stay_out(submitted, template, released):
    submitted.metadata = nbformat.from_dict({"kernelspec": {"name": "bash"}, "autograder": {"problems": ["none"]}})
    rebuilt, _ = rebuild(submitted, template, released)
    assert rebuilt.metadata == template.metadata


def test_nbgrader_calls_it_with_a_notebook_and_gets_one(submitted, template):
    settings = Config(CourseDirectory={"root": str(ROOT)}, ClearMarkScheme={"enforce_metadata": False})
    resources = {"nbgrader": {"assignment": NAME, "notebook": NAME}}
    delete_test(submitted)
    rebuilt, _ = Rebuild(config=settings).preprocess(submitted, resources)
    problems = rebuilt.metadata.pop("autograder")["problems"]
    assert problems == ["The cell test-row-gradient was deleted; it was put back."]
    assert "### BEGIN HIDDEN TESTS" in cell(rebuilt, "test-row-gradient").source
    check_invariants(rebuilt, *both_sides())


TEXTS = st.sampled_from(
    [
        ROW_GRADIENT,
        QUIZ,
        "agreement = lambda g: 1",
        "def agreement(g):\n    return quiz()",
        "def quiz():\n    return h()\n\n\nrow_gradient = quiz",
        "def h():\n    return agreement",
        "def gradients_of_both(:",
        "",
        *{c.source for c in both_sides()[1].cells},
    ]
)
WHERE = st.integers(0, 40)
CHANGES = st.lists(
    st.one_of(
        st.tuples(st.just("delete"), WHERE),
        st.tuples(st.just("duplicate"), WHERE, WHERE),
        st.tuples(st.just("move"), WHERE, WHERE),
        st.tuples(st.just("text"), WHERE, TEXTS),
        st.tuples(st.just("own"), WHERE, TEXTS),
        st.tuples(st.just("kind"), WHERE, st.sampled_from(["code", "markdown", "raw"])),
        st.tuples(st.just("marks"), WHERE, st.sampled_from(GARBAGE)),
        st.tuples(st.just("name"), WHERE, st.sampled_from(["quiz", "test-quiz-1", "agreement", "title", "nothing"])),
        st.tuples(st.just("id"), WHERE, st.sampled_from(["quiz", "test-quiz-1", "agreement", "title", None])),
        st.tuples(st.just("strip"), st.booleans()),
    ),
    max_size=12,
)


def apply(notebook, change):
    cells = notebook.cells
    what, where, *more = change
    if what == "strip":
        strip(notebook, ids=where)
    elif what == "own":
        cells.insert(where, nbformat.v4.new_code_cell(more[0]))
    elif cells:
        where %= len(cells)
        if what == "delete":
            del cells[where]
        elif what == "duplicate":
            cells.insert(more[0], copy.deepcopy(cells[where]))
        elif what == "move":
            cells.insert(more[0], cells.pop(where))
        elif what == "text":
            cells[where].source = more[0]
        elif what == "kind":
            cells[where].cell_type = more[0]
        elif what == "marks":
            cells[where].metadata["nbgrader"] = copy.deepcopy(more[0])
        elif what == "name" and isinstance(role(cells[where]), dict):
            cells[where].metadata.setdefault("nbgrader", nbformat.from_dict({}))["grade_id"] = more[0]
        elif what == "id":
            cells[where]["id"] = more[0]


@settings(max_examples=150, deadline=None)
@given(changes=CHANGES)
def test_whatever_is_done_the_assignment_is_graded(changes):
    template, released = both_sides()
    notebook = answered(released)
    for change in changes:
        apply(notebook, change)
    rebuilt, _ = rebuild(notebook, template, released)
    check_invariants(rebuilt, template, released)


@settings(max_examples=50, deadline=None)
@given(order=st.permutations(range(len(both_sides()[0].cells))), stripped=st.booleans())
def test_in_any_order_the_answers_are_found(order, stripped):
    template, released = both_sides()
    notebook = answered(released)
    honest, _ = rebuild(notebook, template, released)
    cell(notebook, "written-answer").source = cell(released, "written-answer").source  # no name tells it from a note
    cell(honest, "written-answer").source = cell(released, "written-answer").source
    notebook.cells = [notebook.cells[number] for number in order]
    rebuilt, _ = rebuild(strip(notebook) if stripped else notebook, template, released)
    assert rebuilt == honest


def test_an_empty_notebook_counts_as_not_attempted(template, released):
    rebuilt, problems = rebuild(nbformat.v4.new_notebook(), template, released)
    assert graded_part(rebuilt) == graded_part(template)
    assert len(problems) == len(graded_part(template))
