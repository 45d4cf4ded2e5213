"""Notebooks that were damaged, by accident or with a purpose, on the way from the release to the hand-in.

Most students here are honest: they deleted, copied, moved or converted cells, or an editor did. Who gave right answers
must get full marks.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import nbformat
from nbformat import NotebookNode

from hostile.case import (
    ALL,
    NONE,
    TESTS,
    Case,
    Change,
    Scene,
    after,
    answer,
    before,
    both,
    extra,
    find,
    unchanged,
    wrong,
)

AGREEMENT, QUIZ = TESTS["agreement"], TESTS["quiz"]
STUBS = {
    "agreement": "def agreement(gradients):\n    # YOUR CODE HERE\n    raise NotImplementedError()",
    "row-gradient": (
        "def row_gradient(loss, w, x_row, target):\n    # YOUR CODE HERE\n    raise NotImplementedError()"
    ),
}
RIGHT_AGREEMENT = """
def agreement(gradients):
    mean = gradients.mean(dim=0)
    lengths = gradients.norm(dim=1) * mean.norm()
    return (gradients @ mean) / torch.where(lengths == 0, 1.0, lengths)
"""


def delete(*ids: str) -> Change:
    """Delete these cells."""

    def change(notebook: NotebookNode) -> NotebookNode:
        notebook.cells = [cell for cell in notebook.cells if cell.get("id") not in ids]
        return notebook

    return change


def keep(*ids: str) -> Change:
    """Delete all cells but these."""

    def change(notebook: NotebookNode) -> NotebookNode:
        notebook.cells = [cell for cell in notebook.cells if cell.get("id") in ids]
        return notebook

    return change


def duplicate(cell_id: str, *, source: str | None = None) -> Change:
    """Put a copy of a cell, with all its metadata, above it; `source` is the new text of the one above."""

    def change(notebook: NotebookNode) -> NotebookNode:
        cell = find(notebook, cell_id)
        twin = copy.deepcopy(cell)
        twin.source = cell.source if source is None else source
        notebook.cells.insert(notebook.cells.index(cell), twin)
        return notebook

    return change


def move(cell_id: str, above: str) -> Change:
    """Move a cell above another."""

    def change(notebook: NotebookNode) -> NotebookNode:
        cell = find(notebook, cell_id)
        notebook.cells.remove(cell)
        notebook.cells.insert(notebook.cells.index(find(notebook, above)), cell)
        return notebook

    return change


def set_role(cell_id: str, **values: Any) -> Change:
    """Change nbgrader's metadata of a cell."""

    def change(notebook: NotebookNode) -> NotebookNode:
        find(notebook, cell_id).metadata["nbgrader"].update(values)
        return notebook

    return change


def set_kind(kind: str, *ids: str) -> Change:
    """Turn cells into cells of another kind."""

    def change(notebook: NotebookNode) -> NotebookNode:
        for cell_id in ids:
            cell = find(notebook, cell_id)
            cell.cell_type = kind
            if kind != "code":
                cell.pop("outputs", None)
                cell.pop("execution_count", None)
        return notebook

    return change


def as_json(change: Callable[[dict[str, Any]], Any]) -> Callable[[NotebookNode], str]:
    """Change the notebook's file as JSON, past nbformat, which would mend it."""

    def hand_in(notebook: NotebookNode) -> str:
        content = json.loads(json.dumps(notebook))
        return json.dumps(change(content) or content)

    return hand_in


def as_it_is(change: Change) -> Callable[[NotebookNode], str]:
    """Make the file of a changed notebook without mending it: a cell's copy keeps its id."""
    return lambda notebook: json.dumps(change(notebook))


def reverse(notebook: NotebookNode) -> NotebookNode:
    """Reverse the order of all cells."""
    notebook.cells.reverse()
    return notebook


def double(notebook: NotebookNode) -> NotebookNode:
    """Paste all cells a second time below the last."""
    notebook.cells += copy.deepcopy(notebook.cells)
    return notebook


# --- deleted, stripped, copied ----------------------------------------------------------------------------------------


def _strip_roles(content: dict[str, Any]) -> None:
    for cell in content["cells"]:
        cell["metadata"].pop("nbgrader", None)


def _like_colab(content: dict[str, Any]) -> None:
    for number, cell in enumerate(content["cells"]):
        del cell["id"]
        cell["metadata"] = {"id": f"aB3{number}xYz"}
    content.update(nbformat=4, nbformat_minor=0)
    content["metadata"] = {"colab": {"provenance": []}, "kernelspec": {"name": "python3", "display_name": "Python 3"}}


def _new_ids(content: dict[str, Any]) -> None:
    for number, cell in enumerate(content["cells"]):
        cell["id"] = f"cell-{number}"
        cell["metadata"].pop("nbgrader", None)


_DELETED = [
    Case(
        row=41,
        name="test_deleted",
        what="An honest student deleted a test cell.",
        hand_in=delete("test-agreement"),
        lost=NONE,
        says=("test-agreement", "deleted"),
    ),
    Case(
        row=41,
        name="all_tests_deleted",
        what="All test cells are deleted, and one answer is wrong.",
        hand_in=both(wrong("agreement"), delete(*ALL)),
        lost=AGREEMENT,
        says=("deleted",),
    ),
    Case(
        row=41,
        name="given_code_deleted",
        what="The setup cell and the loss that is given are deleted.",
        hand_in=delete("setup", "squared-error"),
        lost=NONE,
        says=("deleted",),
    ),
    Case(
        row=41,
        name="given_code_edited",
        what="The loss that is given and a test are edited so that zeros are right.",
        hand_in=both(
            wrong("row-gradient"),
            answer("squared-error", "def squared_error(w, x_row, target):\n    return 0 * (w @ x_row)"),
            answer("test-row-gradient", "pass"),
        ),
        lost=TESTS["row-gradient"],
        says=("edited",),
    ),
    Case(
        row=42,
        name="answer_and_test_deleted",
        what="An answer cell and its test are deleted.",
        hand_in=delete("agreement", "test-agreement"),
        lost=AGREEMENT,
        says=("agreement", "deleted", "not attempted"),
    ),
    Case(
        row=42,
        name="neighbours_deleted",
        what="All cells of two neighbouring exercises are deleted, the text too.",
        hand_in=delete(
            "about-accumulated-gradient",
            "accumulated-gradient",
            "test-accumulated-gradient",
            "about-agreement",
            "agreement",
            "test-agreement",
        ),
        lost=TESTS["accumulated-gradient"] | AGREEMENT,
        says=("deleted",),
    ),
    Case(
        row=42,
        name="one_cell_left",
        what="Only one answer cell is handed in, and nothing else.",
        hand_in=keep("quiz"),
        lost=ALL - QUIZ,
        says=("deleted",),
    ),
    Case(
        row=42,
        name="no_cells",
        what="The notebook has no cells at all.",
        hand_in=keep(),
        lost=ALL,
        says=("deleted",),
    ),
    Case(
        row=43,
        name="roles_stripped",
        what="An editor dropped nbgrader's metadata from all cells, and kept their ids.",
        hand_in=as_json(_strip_roles),
        lost=NONE,
    ),
    Case(
        row=43,
        name="through_another_service",
        what="The notebook went through a service that drops ids and metadata of all cells; their text is as it was.",
        hand_in=as_json(_like_colab),
        lost=NONE,
    ),
    Case(
        row=43,
        name="new_ids",
        what="An editor dropped nbgrader's metadata and gave each cell a new id; their text is as it was.",
        hand_in=as_json(_new_ids),
        lost=NONE,
    ),
    Case(
        row=43,
        name="role_that_is_no_dict",
        what="nbgrader's metadata of some cells are empty, null or a list.",
        hand_in=as_json(
            lambda content: (
                [
                    cell["metadata"].update(nbgrader=odd)
                    for cell, odd in zip(content["cells"][2:], ({}, None, [], {}, None), strict=False)
                ]
                and None
            )
        ),
        lost=NONE,
    ),
    Case(
        row=44,
        name="test_copied",
        what="An honest student copied a test cell, with its metadata and id.",
        hand_in=as_it_is(duplicate("test-agreement")),
        lost=NONE,
        says=("more than once",),
    ),
    Case(
        row=44,
        name="everything_twice",
        what="All cells are pasted a second time below the last.",
        hand_in=as_it_is(double),
        lost=NONE,
        says=("more than once",),
    ),
    Case(
        row=44,
        name="answer_in_the_copy",
        what="An honest student copied the answer cell and wrote the answer into the lower copy.",
        hand_in=as_it_is(duplicate("agreement", source=STUBS["agreement"])),
        lost=NONE,
        says=("more than once",),
    ),
    Case(
        row=44,
        name="easier_test_first",
        what="A copy of a test with nothing in it stands above the test, so that it might be taken for the test.",
        hand_in=as_it_is(both(wrong("agreement"), duplicate("test-agreement", source="pass"))),
        lost=AGREEMENT,
        says=("test-agreement",),
    ),
]

# --- metadata edited --------------------------------------------------------------------------------------------------


def _notebook_metadata(**values: Any) -> Change:
    def change(notebook: NotebookNode) -> NotebookNode:
        notebook.metadata.update(nbformat.from_dict(values))
        return notebook

    return change


def _swap_roles(one: str, other: str) -> Change:
    def change(notebook: NotebookNode) -> NotebookNode:
        a, b = find(notebook, one), find(notebook, other)
        a.metadata["nbgrader"], b.metadata["nbgrader"] = b.metadata["nbgrader"], a.metadata["nbgrader"]
        return notebook

    return change


_EDITED = [
    Case(
        row=45,
        name="another_kernel",
        what="The notebook says that it is to be run by bash.",
        hand_in=_notebook_metadata(
            kernelspec={"name": "bash", "display_name": "Bash", "language": "bash"}, language_info={"name": "bash"}
        ),
        lost=NONE,
    ),
    Case(
        row=45,
        name="no_kernel",
        what="All metadata of the notebook are gone.",
        hand_in=as_json(lambda content: content.update(metadata={})),
        lost=NONE,
    ),
    Case(
        row=45,
        name="graders_own_metadata",
        what="The notebook brings metadata that look like the grader's own record of a good result.",
        hand_in=both(
            wrong("agreement"),
            _notebook_metadata(
                autograder={"problems": [], "score": 19, "scores": {"test-agreement": 4}, "record": {"state": "graded"}}
            ),
        ),
        lost=AGREEMENT,
    ),
    Case(
        row=46,
        name="points_raised",
        what="The metadata of the tests say 100 points.",
        hand_in=both(wrong("agreement"), *[set_role(test, points=100) for test in sorted(ALL)]),
        lost=AGREEMENT,
    ),
    Case(
        row=46,
        name="points_that_are_no_points",
        what="The metadata of the tests say a word, minus one, null and a list of points.",
        hand_in=both(
            *[
                set_role(test, points=odd)
                for test, odd in zip(sorted(ALL), ("many", -1, None, [4], 1e308, True, 0, 0.5), strict=True)
            ]
        ),
        lost=NONE,
    ),
    Case(
        row=46,
        name="points_on_an_answer",
        what="The answer cell says that it is a test too, worth all points.",
        hand_in=both(wrong("agreement"), set_role("agreement", grade=True, points=4, locked=False)),
        lost=AGREEMENT,
    ),
    Case(
        row=47,
        name="test_is_not_graded",
        what="The metadata of a test say that it is not graded, and its answer is wrong.",
        hand_in=both(wrong("agreement"), set_role("test-agreement", grade=False)),
        lost=AGREEMENT,
    ),
    Case(
        row=47,
        name="test_is_an_answer",
        what="The metadata of a test say that it is an answer, whose text is the student's own.",
        hand_in=both(
            wrong("agreement"),
            set_role("test-agreement", solution=True, locked=False),
            answer("test-agreement", "print('all well')"),
        ),
        lost=AGREEMENT,
    ),
    Case(
        row=47,
        name="test_is_a_task",
        what="The metadata of a test say that it is a task for a person to mark.",
        hand_in=both(wrong("agreement"), set_role("test-agreement", task=True, grade=True, solution=False)),
        lost=AGREEMENT,
    ),
    Case(
        row=48,
        name="test_renamed",
        what="The id of a test in nbgrader's metadata is another, and its answer is wrong.",
        hand_in=both(wrong("agreement"), set_role("test-agreement", grade_id="my-test")),
        lost=AGREEMENT,
    ),
    Case(
        row=48,
        name="answer_renamed",
        what="An honest student's answer cell has lost its name in nbgrader's metadata, and kept its id.",
        hand_in=set_role("agreement", grade_id="cell-0a1b2c3d"),
        lost=NONE,
    ),
    Case(
        row=48,
        name="roles_exchanged",
        what="The metadata of two tests are exchanged, so that a wrong answer gets the test of a right one.",
        hand_in=both(wrong("agreement"), _swap_roles("test-agreement", "test-row-gradient")),
        lost=AGREEMENT,
    ),
    Case(
        row=48,
        name="strange_names",
        what="Cells of the student's own are named like paths, markup and commands in nbgrader's metadata.",
        hand_in=both(
            *[extra("test-quiz-3", "x = 1  # own cell") for _ in range(3)],
            lambda notebook: _name_own_cells(notebook, "../../gradebook.db", "<script>", "'; drop table grade; --"),
        ),
        lost=NONE,
    ),
    Case(
        row=49,
        name="test_is_text",
        what="A test is turned into a cell of text, and its answer is wrong.",
        hand_in=both(wrong("agreement"), set_kind("markdown", "test-agreement")),
        lost=AGREEMENT,
    ),
    Case(
        row=49,
        name="tests_are_raw",
        what="All tests are turned into raw cells, and one answer is wrong.",
        hand_in=both(wrong("agreement"), set_kind("raw", *ALL)),
        lost=AGREEMENT,
    ),
    Case(
        row=49,
        name="answer_is_text",
        what="An honest student turned a right answer into a cell of text by a slip of a key.",
        hand_in=set_kind("markdown", "agreement"),
        lost=NONE,
    ),
]


def _name_own_cells(notebook: NotebookNode, *names: str) -> NotebookNode:
    own = [cell for cell in notebook.cells if cell.source.startswith("x = 1")]
    for cell, name in zip(own, names, strict=True):
        role = {"grade": True, "locked": True, "solution": False, "task": False, "points": 5, "schema_version": 3}
        cell.metadata["nbgrader"] = {**role, "grade_id": name}
    return notebook


# --- moved, and answers in other places -------------------------------------------------------------------------------

_MOVED = [
    Case(
        row=50,
        name="test_above_the_answer",
        what="An honest student moved a test above its answer.",
        hand_in=move("test-agreement", above="agreement"),
        lost=NONE,
        says=("moved",),
    ),
    Case(
        row=50,
        name="upside_down",
        what="All cells are in the reverse order.",
        hand_in=reverse,
        lost=NONE,
        says=("moved",),
    ),
    Case(
        row=50,
        name="setup_at_the_end",
        what="The cells that import torch and define the loss stand at the end.",
        hand_in=both(move("setup", above="about-written-answer"), move("squared-error", above="setup")),
        lost=NONE,
        says=("moved",),
    ),
    Case(
        row=50,
        name="wrong_answers_test_above_a_right_one",
        what="The test of a wrong answer stands above all cells, where no answer is defined yet.",
        hand_in=both(wrong("agreement"), move("test-agreement", above="title")),
        lost=AGREEMENT,
        says=("moved",),
    ),
    Case(
        row=51,
        name="answer_below_the_stub",
        what="An honest student left the stub as it was and wrote the answer into a new cell below it.",
        hand_in=both(answer("agreement", STUBS["agreement"]), extra("agreement", RIGHT_AGREEMENT)),
        lost=NONE,
    ),
    Case(
        row=51,
        name="helper_in_an_own_cell",
        what="An honest answer uses a function from a cell of the student's own above it.",
        hand_in=both(
            answer("agreement", "def agreement(gradients):\n    return cosines(gradients, gradients.mean(dim=0))"),
            extra(
                "about-agreement",
                """
def cosines(rows, direction):
    lengths = rows.norm(dim=1) * direction.norm()
    return (rows @ direction) / torch.where(lengths == 0, 1.0, lengths)
""",
            ),
        ),
        lost=NONE,
    ),
    Case(
        row=51,
        name="answer_above_the_stub",
        what="The answer stands in a new cell above the stub, which takes its place again.",
        hand_in=both(answer("agreement", STUBS["agreement"]), extra("agreement", RIGHT_AGREEMENT, below=False)),
        lost=AGREEMENT,
        says=("not attempted",),
    ),
    Case(
        row=51,
        name="scratch_below_the_test",
        what="A worse version stands in an own cell below the test: the last definition is the one that counts.",
        hand_in=extra("test-agreement", "def agreement(gradients):\n    return gradients.sum(dim=1)"),
        lost=AGREEMENT,
        says=("agreement",),
    ),
    Case(
        row=51,
        name="answer_below_the_test",
        what="An honest student left the stub as it was and wrote the answer into a new cell below the test.",
        hand_in=both(answer("agreement", STUBS["agreement"]), extra("test-agreement", RIGHT_AGREEMENT)),
        lost=NONE,
    ),
    Case(
        row=51,
        name="answer_in_the_cell_of_another",
        what="Two right answers stand in one answer cell, and the other cell is empty.",
        hand_in=both(answer("agreement", ""), after("accumulated-gradient", RIGHT_AGREEMENT)),
        lost=NONE,
    ),
]

# --- cells that cannot run --------------------------------------------------------------------------------------------

_SYNTAX = [
    Case(
        row=53,
        name="syntax_error",
        what="One answer has a syntax error.",
        hand_in=answer("agreement", "def agreement(:\n    return 0"),
        lost=AGREEMENT,
        says=("SyntaxError",),
    ),
    Case(
        row=53,
        name="tabs_and_spaces",
        what="One answer is indented with tabs and spaces in turn.",
        hand_in=answer("agreement", "def agreement(gradients):\n\tmean = 0\n        return mean"),
        lost=AGREEMENT,
        says=("Error",),
    ),
    Case(
        row=53,
        name="quotes_of_a_text_program",
        what="The answer to the quiz came through a text program that changed the quotes.",
        hand_in=answer("quiz", "def quiz():\n    return “b”, “d”, “a”"),
        lost=QUIZ,
        says=("SyntaxError",),
    ),
    Case(
        row=53,
        name="string_left_open",
        what="One answer opens a string of three quotes and does not close it.",
        hand_in=before("agreement", '"""'),
        lost=AGREEMENT,
        says=("SyntaxError",),
    ),
    Case(
        row=53,
        name="null_byte",
        what="One answer holds a null byte and a form feed.",
        hand_in=before("agreement", "x = '\x00\x0c'"),
        lost=AGREEMENT,
    ),
    Case(
        row=53,
        name="brackets_without_an_end",
        what="One answer is a formula with 5,000 brackets, too deep for the compiler.",
        hand_in=before("agreement", "x = " + "(" * 5_000 + ")" * 5_000),
        lost=AGREEMENT,
    ),
    Case(
        row=53,
        name="magic_that_does_not_exist",
        what="An honest student's own cells hold a magic that does not exist, a shell command and a line of a diff.",
        hand_in=both(
            extra("about-agreement", "%load_ext nothing_like_this\n%%nothing\nx"),
            extra("about-quiz", "!ls /nothing/like/this"),
            extra("title", "<<<<<<< HEAD\nx = 1\n=======\nx = 2\n>>>>>>> theirs"),
        ),
        lost=NONE,
    ),
]

# --- files that are no notebook ---------------------------------------------------------------------------------------


def _cut(notebook: NotebookNode) -> str:
    text = nbformat.writes(notebook)
    return text[: len(text) // 2]


def _conflict(notebook: NotebookNode) -> str:
    lines = nbformat.writes(notebook).splitlines()
    return "\n".join(
        [*lines[:20], "<<<<<<< HEAD", *lines[20:25], "=======", *lines[20:25], ">>>>>>> theirs", *lines[25:]]
    )


_AGAIN = ("Hand it in again",)
_UNREADABLE = [
    Case(row=62, name="empty_file", what="The file is empty.", hand_in=lambda notebook: "", lost=ALL, says=_AGAIN),
    Case(row=62, name="cut_off", what="The second half of the file is missing.", hand_in=_cut, lost=ALL, says=_AGAIN),
    Case(
        row=62,
        name="a_page_in_place_of_a_notebook",
        what="The file is the page by which a web site asks for a password.",
        hand_in=lambda notebook: "<!DOCTYPE html>\n<html><title>Sign in</title></html>\n",
        lost=ALL,
        says=_AGAIN,
    ),
    Case(
        row=62,
        name="a_program_in_place_of_a_notebook",
        what="The file holds the code of the notebook as a Python program.",
        hand_in=lambda notebook: "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code"),
        lost=ALL,
        says=_AGAIN,
    ),
    Case(
        row=62,
        name="other_json",
        what="The file is JSON, and no notebook.",
        hand_in=lambda notebook: '{"cells": 3, "nbformat": 4, "nbformat_minor": 5, "metadata": {}}',
        lost=ALL,
        says=_AGAIN,
    ),
    Case(
        row=62,
        name="a_list_in_place_of_a_notebook",
        what="The file is a JSON list.",
        hand_in=lambda notebook: "[1, 2, 3]",
        lost=ALL,
        says=_AGAIN,
    ),
    Case(
        row=62,
        name="brackets_in_brackets",
        what="The file is JSON that is nested a hundred thousand deep.",
        hand_in=lambda notebook: "[" * 100_000 + "]" * 100_000,
        lost=ALL,
        says=_AGAIN,
    ),
    Case(
        row=62,
        name="random_bytes",
        what="The file is a picture with the name of a notebook.",
        hand_in=lambda notebook: b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40,
        lost=ALL,
        says=_AGAIN,
    ),
    Case(
        row=62,
        name="merge_conflict",
        what="The file holds the marks of a merge conflict.",
        hand_in=_conflict,
        lost=ALL,
        says=_AGAIN,
    ),
]

# --- other versions of the format -------------------------------------------------------------------------------------


def _version_3(notebook: NotebookNode) -> str:
    return nbformat.v3.writes_json(nbformat.convert(notebook, 3))


def _no_ids(content: dict[str, Any]) -> None:
    for cell in content["cells"]:
        del cell["id"]
    content["nbformat_minor"] = 4


def _same_ids(content: dict[str, Any]) -> None:
    for cell in content["cells"]:
        cell["id"] = "cell"


def _lists_of_lines(content: dict[str, Any]) -> None:
    for cell in content["cells"]:
        cell["source"] = cell["source"].replace("\n", "\r\n").splitlines(keepends=True)


def _unknown_cell(content: dict[str, Any]) -> None:
    content["cells"].insert(3, {"cell_type": "heading", "level": 1, "metadata": {}, "source": "Mine", "id": "mine"})


def _missing_fields(content: dict[str, Any]) -> None:
    for cell in content["cells"]:
        cell.pop("outputs", None)
        cell.pop("execution_count", None)


def _odd_outputs(content: dict[str, Any]) -> None:
    for cell in content["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"] = [{"output_type": "nonsense", "data": None}, {"output_type": "stream"}]


_VERSIONS = [
    Case(
        row=63,
        name="old_format",
        what="An old program saved the notebook in version 3 of the format.",
        hand_in=_version_3,
        lost=NONE,
    ),
    Case(
        row=63,
        name="no_ids",
        what="A program saved the notebook without the ids of cells.",
        hand_in=as_json(_no_ids),
        lost=NONE,
    ),
    Case(
        row=63,
        name="same_ids",
        what="All cells have the same id, and nbgrader's metadata as they were.",
        hand_in=as_json(_same_ids),
        lost=NONE,
    ),
    Case(
        row=63,
        name="lines_of_windows",
        what="The text of all cells is a list of lines, each of which ends as on Windows.",
        hand_in=as_json(_lists_of_lines),
        lost=NONE,
    ),
    Case(
        row=63,
        name="unknown_kind_of_cell",
        what="One cell of the student's own is of a kind that the format no longer knows.",
        hand_in=as_json(_unknown_cell),
        lost=NONE,
    ),
    Case(
        row=63,
        name="missing_fields",
        what="The code cells have no outputs and no execution count, which the format asks for.",
        hand_in=as_json(_missing_fields),
        lost=NONE,
    ),
    Case(
        row=63,
        name="odd_outputs",
        what="The stored outputs of all cells are nonsense.",
        hand_in=as_json(_odd_outputs),
        lost=NONE,
    ),
    Case(
        row=63,
        name="later_minor_version",
        what="A newer program saved the notebook with a minor version that does not exist yet.",
        hand_in=as_json(lambda content: content.update(nbformat_minor=99, new_field=[1])),
        lost=NONE,
    ),
]

# --- what others will look at -----------------------------------------------------------------------------------------


def _live(*marks: str) -> Callable[[Scene], str | None]:
    """Make a `harm` that looks for live markup in the feedback of this student."""

    def harm(scene: Scene) -> str | None:
        for page in (scene.class_folder / "feedback" / scene.student).rglob("*.html"):
            text = page.read_text(encoding="utf-8", errors="replace")
            if found := [mark for mark in marks if mark in text]:
                return f"The feedback page holds the student's own live markup: {found[0]}"
        return None

    return harm


_MARKUP = [
    Case(
        row=40,
        name="script_in_an_output",
        what="An own cell shows HTML with a script, which would run in the browser of whoever reads the feedback.",
        hand_in=extra(
            "test-quiz-3",
            """
from IPython.display import HTML, Javascript, display

display(HTML("<script>torch_func_canary_1()</script>"), Javascript("torch_func_canary_2()"))
display({"image/svg+xml": "<svg><script>torch_func_canary_3()</script></svg>"}, raw=True)
""",
        ),
        lost=NONE,
        harm=_live(
            "<script>torch_func_canary_1",
            '<script type="text/javascript">torch_func_canary_2',
            "<script>torch_func_canary_3",
        ),
    ),
    Case(
        row=40,
        name="script_in_the_text",
        what="Own text and the written answer hold a script and an image that runs code when it cannot be loaded.",
        hand_in=both(
            extra("test-quiz-3", "<script>torch_func_canary_4()</script>", kind="markdown"),
            answer("written-answer", '<img src="nothing" onerror="torch_func_canary_5()">'),
        ),
        lost=NONE,
        harm=_live("<script>torch_func_canary_4", 'onerror="torch_func_canary_5'),
    ),
    Case(
        row=40,
        name="script_in_an_error",
        what="The answer raises an error whose message is markup, and so is the name of its class.",
        hand_in=wrong(
            "agreement",
            inside="""
name = "<script>torch_func_canary_6()</script>"
raise type(name, (Exception,), {})("<script>torch_func_canary_7()</script>")
""",
        ),
        lost=AGREEMENT,
        harm=_live("<script>torch_func_canary_6", "<script>torch_func_canary_7"),
    ),
    Case(
        row=40,
        name="nothing_to_mend",
        what="The notebook is handed in as it should be.",
        hand_in=unchanged,
        lost=NONE,
    ),
]

CASES = [*_DELETED, *_EDITED, *_MOVED, *_SYNTAX, *_UNREADABLE, *_VERSIONS, *_MARKUP]
