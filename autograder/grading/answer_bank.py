"""The answer bank: right and wrong answers to every exercise, one small file for each.

An answer lies in ``tests/answer_bank/<assignment>/<answer cell id>/<right|wrong>_<name>.py`` and is the whole text of
the answer cell. A wrong one is named after its mistake, and its first lines say what the student must read::

    # expect: Row i holds the sum of rows 0 to i
    def per_sample_gradients(loss, w, X, y):
        ...
"""

from __future__ import annotations

import copy
import re
from dataclasses import dataclass
from pathlib import Path

from nbformat import NotebookNode

_EXPECT = re.compile(r"# expect: (.+)\n")


@dataclass(frozen=True)
class Answer:
    """One answer to one exercise.

    Attributes:
        assignment: name of the assignment, such as ``"01_backward_loop"``.
        exercise: id of the answer cell.
        name: name of the file without ``.py``, such as ``"wrong_no_square"``.
        source: text of the answer cell.
        expect: a part of the message that a wrong answer must get; None for a right one.
    """

    assignment: str
    exercise: str
    name: str
    source: str
    expect: str | None

    @property
    def right(self) -> bool:
        """Whether the answer must get full marks."""
        return self.expect is None


def load(bank: Path, assignment: str | None = None) -> list[Answer]:
    """Read the answers in the folder `bank`, of one assignment or of all, in alphabetical order.

    Raises:
        ValueError: a file is not called ``right_*.py`` or ``wrong_*.py``, or a wrong one does not say what it expects.
    """
    paths = sorted(bank.glob(f"{assignment or '*'}/*/*.py"))
    return [_read(path) for path in paths]


def fill(notebook: NotebookNode, answers: dict[str, str]) -> NotebookNode:
    """Return a copy of a release notebook in which answer cells have new text.

    Args:
        notebook: the release of an assignment.
        answers: the new text by id of the answer cell; other cells stay as they are.

    Raises:
        KeyError: there is no answer cell with such an id.
    """
    filled = copy.deepcopy(notebook)
    cells = {cell.id: cell for cell in filled.cells if cell.metadata.get("nbgrader", {}).get("solution")}
    for exercise, source in answers.items():
        cells[exercise].source = source
    return filled


def exercises(notebook: NotebookNode) -> list[str]:
    """Ids of the answer cells that a machine grades, in the order of the notebook."""
    return [
        cell.id
        for cell in notebook.cells
        if cell.cell_type == "code" and cell.metadata.get("nbgrader", {}).get("solution")
    ]


def _read(path: Path) -> Answer:
    kind, assignment, exercise = path.name.split("_")[0], path.parts[-3], path.parts[-2]
    text = path.read_text(encoding="utf-8")
    expect = _EXPECT.match(text)
    if kind not in ("right", "wrong") or (kind == "wrong") != bool(expect):
        raise ValueError(
            f"{path}: call it right_<name>.py, or wrong_<mistake>.py with '# expect: <part of the message>' as its "
            "first line."
        )
    source = text[expect.end() :] if expect else text
    return Answer(assignment, exercise, path.stem, source.strip("\n"), expect[1].strip() if expect else None)
