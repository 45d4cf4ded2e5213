"""What a hostile or broken submission is, and the small tools to make one.

Each case is a submission of assignment 01. It starts from right answers to everything, and says which tests must get
nothing in the end; all others must get full marks. The field `row` is a number that groups the variants of one kind of
attack.

A case is harmless by construction: what it forks, allocates or writes is bounded in its own code, what it leaves behind
ends by itself within ten minutes, it speaks to 127.0.0.1 only, and where it writes outside its own folder it writes
into the canary's, or a file that says nothing. `harm` removes such a file when it finds one.

Whoever grades the cases does this, in this order: makes the folder `CANARY` with `SECRET` in its file secret.txt,
writes the notebook that `hand_in` makes, calls `files` with the submission's folder (in the process that later calls
`harm`), grades, and calls `harm`.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import indent
from typing import Any

from nbformat import NotebookNode, v4

ASSIGNMENT = "01_backward_loop"
CANARY = Path("/tmp/torch_func_canary")
SECRET = "nightingales-do-not-sing-in-cages"

# The tests of each exercise.
TESTS = {
    "row-gradient": frozenset({"test-row-gradient"}),
    "per-sample-gradients": frozenset({"test-per-sample-gradients"}),
    "gradients-of-both": frozenset({"test-gradients-of-both"}),
    "accumulated-gradient": frozenset({"test-accumulated-gradient"}),
    "agreement": frozenset({"test-agreement"}),
    "quiz": frozenset({"test-quiz-1", "test-quiz-2", "test-quiz-3"}),
}
ALL = frozenset().union(*TESTS.values())
NONE: frozenset[str] = frozenset()

# The first line of each answer, and a value that is wrong, to go with an attack.
_HEADS = {
    "row-gradient": "def row_gradient(loss, w, x_row, target):",
    "per-sample-gradients": "def per_sample_gradients(loss, w, X, y):",
    "gradients-of-both": "def gradients_of_both(loss, w, b, X, y):",
    "accumulated-gradient": "def accumulated_gradient(loss, w, X, y, size):",
    "agreement": "def agreement(gradients):",
    "quiz": "def quiz():",
}
_WRONG = {
    "row-gradient": "torch.zeros_like(w)",
    "per-sample-gradients": "torch.zeros_like(X)",
    "gradients-of-both": '{"w": torch.zeros_like(X), "b": torch.zeros_like(y)}',
    "accumulated-gradient": "torch.zeros_like(w)",
    "agreement": "torch.zeros_like(gradients[:, 0])",
    "quiz": '"c", "c", "c"',
}

HandIn = Callable[[NotebookNode], NotebookNode | str | bytes | None]
Change = Callable[[NotebookNode], NotebookNode]


@dataclass(frozen=True)
class Scene:
    """What is there after grading, for `harm` to look at.

    Attributes:
        class_folder: holds submitted/, autograded/, feedback/ and gradebook.db.
        root: the course folder, with source/.
        canary: the folder outside the class folder that attacks know.
        graded: the graded notebook; None if there is none.
        student: name of the student who handed the case in.
    """

    class_folder: Path
    root: Path
    canary: Path
    graded: NotebookNode | None
    student: str


@dataclass(frozen=True)
class Case:
    """One submission.

    Attributes:
        row: groups the variants of one kind of attack.
        name: unique, and a name for a student.
        what: one sentence that says what the student does.
        hand_in: makes the submission of the release with right answers; text and bytes are a file as they are, None
            is no notebook at all.
        lost: ids of the tests that must get 0 points; every other one must get full marks.
        says: parts of sentences that the instructor must read among the problems.
        files: puts further files into the submission's folder, after the notebook.
        harm: looks around after grading, and says what harm was done, or returns None.
    """

    row: int
    name: str
    what: str
    hand_in: HandIn
    lost: frozenset[str]
    says: tuple[str, ...] = ()
    files: Callable[[Path], None] | None = None
    harm: Callable[[Scene], str | None] | None = None


def unchanged(notebook: NotebookNode) -> NotebookNode:
    """Hand in right answers and nothing else."""
    return notebook


def find(notebook: NotebookNode, cell_id: str) -> NotebookNode:
    """The cell with this id."""
    return next(cell for cell in notebook.cells if cell.get("id") == cell_id)


def answer(exercise: str, source: str) -> Change:
    """Put `source` in the place of an answer."""

    def change(notebook: NotebookNode) -> NotebookNode:
        find(notebook, exercise).source = source.strip("\n")
        return notebook

    return change


def wrong(exercise: str, attack: str = "", *, inside: str = "") -> Change:
    """Put a wrong answer in the place of an answer, with an attack above it, or as the first lines of the function."""
    lines = [_HEADS[exercise], indent(inside.strip("\n"), "    "), f"    return {_WRONG[exercise]}"]
    function = "\n".join(filter(None, lines))
    return answer(exercise, f"{attack.strip()}\n\n\n{function}")


def before(exercise: str, code: str) -> Change:
    """Put `code` above the right answer, in its cell."""

    def change(notebook: NotebookNode) -> NotebookNode:
        cell = find(notebook, exercise)
        cell.source = f"{code.strip()}\n\n\n{cell.source}"
        return notebook

    return change


def after(exercise: str, code: str) -> Change:
    """Put `code` below the right answer, in its cell."""

    def change(notebook: NotebookNode) -> NotebookNode:
        cell = find(notebook, exercise)
        cell.source = f"{cell.source}\n\n\n{code.strip()}"
        return notebook

    return change


def extra(next_to: str, code: str, *, below: bool = True, kind: str = "code") -> Change:
    """Add a cell of the student's own below (or above) the one with the id `next_to`."""

    def change(notebook: NotebookNode) -> NotebookNode:
        place = notebook.cells.index(find(notebook, next_to)) + below
        cell = v4.new_code_cell(code.strip()) if kind == "code" else v4.new_markdown_cell(code.strip())
        cell.id = f"own-{len(notebook.cells)}"
        notebook.cells.insert(place, cell)
        return notebook

    return change


def both(*changes: Change) -> Change:
    """Make several changes, one after the other."""

    def change(notebook: NotebookNode) -> NotebookNode:
        for one in changes:
            notebook = one(notebook)
        return notebook

    return change


def outputs(scene: Scene) -> str:
    """All that the graded notebook shows below its cells, as one text."""
    if scene.graded is None:
        return ""
    return "\n".join(text for cell in scene.graded.cells for text in _texts(cell.get("outputs", [])))


def shows(text: str, sentence: str) -> Callable[[Scene], str | None]:
    """Make a `harm` that returns `sentence` when `text` stands in an output of the graded notebook."""
    return lambda scene: sentence if text in outputs(scene) else None


def writes_canary(name: str) -> Callable[[Scene], str | None]:
    """Make a `harm` that looks for the file `name` in the canary's folder."""

    def harm(scene: Scene) -> str | None:
        path = scene.canary / name
        if not path.exists():
            return None
        path.unlink()
        return f"A file was written outside the class folder: {path}."

    return harm


def survives(name: str) -> Callable[[Scene], str | None]:
    """Make a `harm` that looks for processes started with TORCH_FUNC_CANARY=<name>, and ends them."""

    def harm(scene: Scene) -> str | None:
        found = list(_started_with(f"TORCH_FUNC_CANARY={name}".encode()))
        for process in found:
            os.kill(process, signal.SIGKILL)
        return f"{len(found)} processes were still there after grading." if found else None

    return harm


def first_harm(*harms: Callable[[Scene], str | None]) -> Callable[[Scene], str | None]:
    """Make a `harm` of several: all of them look, and the first that finds something speaks."""
    return lambda scene: next(filter(None, [harm(scene) for harm in harms]), None)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part)


def _started_with(setting: bytes) -> Iterator[int]:
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if setting in folder.joinpath("environ").read_bytes().split(b"\0"):
                yield int(folder.name)
        except OSError:  # it has ended, or is somebody else's
            continue
