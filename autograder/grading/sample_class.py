"""The sample class: submissions made of the answer bank, so that grading can be seen at work without a class.

Each student hands in all assignments in one manner; the last one has all the troubles that a real class brings.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from autograder.grading import answer_bank
from autograder.grading.answer_bank import Answer

WRITTEN = "The sum of all gradients so far, I think, because nothing clears it."

Choose = Callable[[int, list[Answer], list[Answer]], Answer | None]

# For each student: given the number of the exercise, its right and its wrong answers, the one that is handed in.
STUDENTS: dict[str, Choose] = {
    "ada": lambda number, right, wrong: right[0],
    "ben": lambda number, right, wrong: right[-1],
    "chloe": lambda number, right, wrong: (right if number % 2 else wrong)[0],
    "dev": lambda number, right, wrong: (wrong if number % 2 else right)[-1],
    "emma": lambda number, right, wrong: wrong[number % len(wrong)],
    "finn": lambda number, right, wrong: None,
    "gita": lambda number, right, wrong: right[number % len(right)] if number < 3 else None,
    "hugo": lambda number, right, wrong: right[0],
}
TROUBLED = "hugo"


def build(bank: Path, release_folder: Path, class_folder: Path) -> int:
    """Write the submissions of the sample class to ``class_folder/submitted``.

    Files that are there already and have the same content are not touched, so that nothing is graded twice.

    Args:
        bank: the folder of the answer bank.
        release_folder: the folder of the released assignments.
        class_folder: the class folder.

    Returns:
        The number of submissions.
    """
    count = 0
    for assignment_number, path in enumerate(sorted(release_folder.glob("*/*.ipynb"))):
        assignment = path.stem
        released = nbformat.read(path, as_version=4)
        answers = answer_bank.load(bank, assignment)
        for student, choose in STUDENTS.items():
            text = nbformat.writes(_submission(released, answers, choose))
            if student == TROUBLED:
                text = _TROUBLES[assignment_number % len(_TROUBLES)](text)
            if text is not None:
                count += 1
                _write(class_folder / "submitted" / student / assignment / path.name, text)
    return count


def _submission(released: NotebookNode, answers: list[Answer], choose: Choose) -> NotebookNode:
    chosen = {}
    for number, exercise in enumerate(answer_bank.exercises(released)):
        right = [answer for answer in answers if answer.exercise == exercise and answer.right]
        wrong = [answer for answer in answers if answer.exercise == exercise and not answer.right]
        if answer := choose(number, right, wrong):
            chosen[exercise] = answer.source
    filled = answer_bank.fill(released, chosen)
    for cell in filled.cells:
        # A person marks these: whoever answered the exercises wrote something here too.
        if chosen and cell.cell_type == "markdown" and cell.metadata.get("nbgrader", {}).get("solution"):
            cell.source = WRITTEN
    return filled


def _not_json(text: str) -> str:
    return text[: len(text) // 2]


def _missing(text: str) -> None:
    return None


def _cells_deleted(text: str) -> str:
    """Delete the first answer cell with its test, and the test of the second."""
    notebook = nbformat.reads(text, as_version=4)
    roles = [cell.metadata.get("nbgrader", {}) for cell in notebook.cells]
    answers = [i for i, role in enumerate(roles) if role.get("solution") and not role.get("grade")]
    tests = [i for i, role in enumerate(roles) if role.get("grade") and not role.get("solution")]
    gone = {answers[0], tests[0], tests[1]}
    notebook.cells = [cell for i, cell in enumerate(notebook.cells) if i not in gone]
    return nbformat.writes(notebook)


def _endless_loop(text: str) -> str:
    """Let the first answer cell run forever after its definitions."""
    notebook = nbformat.reads(text, as_version=4)
    cell = next(cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("solution"))
    cell.source += "\n\n\nwhile True:\n    pass"
    return nbformat.writes(notebook)


_TROUBLES = (_not_json, _missing, _cells_deleted, _endless_loop)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
