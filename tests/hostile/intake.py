"""Submissions whose notebook is called otherwise, or lies elsewhere, or has strange files beside it."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import nbformat

from hostile.case import ALL, ASSIGNMENT, NONE, Case, Scene, unchanged

_NAME = f"{ASSIGNMENT}.ipynb"


def _rename(name: str) -> Callable[[Path], None]:
    """Move the notebook to another name, in the submission's folder or below it."""

    def files(folder: Path) -> None:
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        folder.joinpath(_NAME).rename(target)

    return files


def _write(**contents: str | bytes) -> Callable[[Path], None]:
    """Write files; `__` in a name stands for a dot."""

    def files(folder: Path) -> None:
        for name, content in contents.items():
            data = content if isinstance(content, bytes) else content.encode()
            folder.joinpath(name.replace("__", ".")).write_bytes(data)

    return files


# --- the notebook is elsewhere ----------------------------------------------------------------------------------------


def _second_copy(folder: Path) -> None:
    """Put an older copy, with empty answers, beside the notebook."""
    notebook = nbformat.read(folder / _NAME, as_version=4)
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("solution") and cell.cell_type == "code":
            cell.source = "raise NotImplementedError()"
    nbformat.write(notebook, folder / f"{ASSIGNMENT} (1).ipynb")
    nbformat.write(notebook, folder / f"{ASSIGNMENT}-Copy1.ipynb")


def _checkpoints(folder: Path) -> None:
    """Leave JupyterLab's checkpoint of an older version."""
    folder.joinpath(".ipynb_checkpoints").mkdir()
    folder.joinpath(".ipynb_checkpoints", f"{ASSIGNMENT}-checkpoint.ipynb").write_text("{}", encoding="utf-8")


def _folder_for_a_notebook(folder: Path) -> None:
    """Make a folder with the notebook's name."""
    folder.joinpath(_NAME).unlink()
    folder.joinpath(_NAME).mkdir()


_ELSEWHERE = [
    Case(
        row=64,
        name="downloaded_twice",
        what="The browser gave the notebook a number, as it does with a second download.",
        hand_in=unchanged,
        lost=NONE,
        says=(f"{ASSIGNMENT} (1).ipynb",),
        files=_rename(f"{ASSIGNMENT} (1).ipynb"),
    ),
    Case(
        row=64,
        name="capital_letters",
        what="The name of the notebook has capital letters and a blank.",
        hand_in=unchanged,
        lost=NONE,
        says=("01_Backward loop.ipynb",),
        files=_rename("01_Backward loop.ipynb"),
    ),
    Case(
        row=64,
        name="nested_folder",
        what="The notebook lies in a folder inside the submission's.",
        hand_in=unchanged,
        lost=NONE,
        says=(_NAME,),
        files=_rename(f"{ASSIGNMENT}/{_NAME}"),
    ),
    Case(
        row=64,
        name="second_copy_beside",
        what="Older copies with empty answers lie beside the notebook.",
        hand_in=unchanged,
        lost=NONE,
        files=_second_copy,
    ),
    Case(
        row=64,
        name="checkpoints_beside",
        what="JupyterLab's folder of checkpoints lies beside the notebook.",
        hand_in=unchanged,
        lost=NONE,
        files=_checkpoints,
    ),
    Case(
        row=64,
        name="folder_for_a_notebook",
        what="Where the notebook should be is a folder of the same name.",
        hand_in=unchanged,
        lost=ALL,
        files=_folder_for_a_notebook,
    ),
    Case(
        row=64,
        name="nothing_in_the_folder",
        what="The folder is there and holds nothing.",
        hand_in=lambda notebook: None,
        lost=ALL,
        says=("Not handed in",),
    ),
]

# --- strange files beside it ------------------------------------------------------------------------------------------


def _strange_names(folder: Path) -> None:
    """Make files whose names hold line breaks, markup, emoji, no UTF-8 and as many letters as may be."""
    for name in (b"a\nb.txt", "🙂 <b>.txt".encode(), b"not\xff\xfeutf8.txt", b"-rf", b"x" * 250, b"$(touch canary).py"):
        with open(os.path.join(os.fsencode(folder), name), "wb") as file:
            file.write(b"nothing")


def _many_files(folder: Path) -> None:
    """Make a virtual environment's worth of files."""
    for number in range(3_000):
        path = folder / ".venv" / str(number % 50) / f"{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("", encoding="utf-8")


def _big_file(folder: Path) -> None:
    """Make a file that says it has 300 MB, and takes no room on the disk."""
    with folder.joinpath("data.bin").open("wb") as file:
        file.truncate(300 * 10**6)


def _files_of_the_class(folder: Path) -> None:
    """Bring files that have the names of the grader's own."""
    for name in ("nbgrader_config.py", "autotests.yml", "gradebook.db", "pyproject.toml", "conftest.py"):
        folder.joinpath(name).write_text('raise SystemExit("read by mistake")\n', encoding="utf-8")
    for name in ("source", "autograded", "feedback"):
        folder.joinpath(name).mkdir()
    shutil.copy(folder / _NAME, folder / "source" / _NAME)


_BESIDE = [
    Case(
        row=65,
        name="strange_file_names",
        what="Files beside the notebook have names with line breaks, markup, emoji and bytes that are no text.",
        hand_in=unchanged,
        lost=NONE,
        files=_strange_names,
    ),
    Case(
        row=65,
        name="virtual_environment_beside",
        what="Three thousand files of a virtual environment lie beside the notebook.",
        hand_in=unchanged,
        lost=NONE,
        files=_many_files,
    ),
    Case(
        row=65,
        name="big_file_beside",
        what="A file of 300 MB lies beside the notebook.",
        hand_in=unchanged,
        lost=NONE,
        files=_big_file,
    ),
    Case(
        row=65,
        name="files_of_the_class_beside",
        what="Files beside the notebook are called as the grader's configuration, its gradebook and its folders.",
        hand_in=unchanged,
        lost=NONE,
        files=_files_of_the_class,
    ),
    Case(
        row=65,
        name="another_notebook_beside",
        what="A notebook of the student's own, which is no assignment, lies beside the one that is.",
        hand_in=unchanged,
        lost=NONE,
        files=_write(scratch__ipynb="not even a notebook"),
    ),
]

# --- timestamps -------------------------------------------------------------------------------------------------------


def _timestamp_folder(folder: Path) -> None:
    folder.joinpath("timestamp.txt").mkdir()


def _believed(year: int) -> Callable[[Scene], str | None]:
    """Make a `harm` that looks whether the gradebook says that the submission came in this year."""

    def harm(scene: Scene) -> str | None:
        with contextlib.closing(sqlite3.connect(scene.class_folder / "gradebook.db")) as gradebook:
            found = gradebook.execute(
                "select timestamp from submitted_assignment where student_id = ?", (scene.student,)
            ).fetchall()
        times = [time for (time,) in found if str(time).startswith(str(year))]
        return f"The gradebook believes the submission's own date: {times[0]}." if times else None

    return harm


_TIMESTAMPS = [
    Case(
        row=66,
        name="timestamp_is_text",
        what="timestamp.txt holds a sentence in place of a date.",
        hand_in=unchanged,
        lost=NONE,
        files=_write(timestamp__txt="yesterday, I think"),
    ),
    Case(
        row=66,
        name="timestamp_is_empty",
        what="timestamp.txt is empty.",
        hand_in=unchanged,
        lost=NONE,
        files=_write(timestamp__txt=""),
    ),
    Case(
        row=66,
        name="timestamp_is_binary",
        what="timestamp.txt holds bytes that are no text.",
        hand_in=unchanged,
        lost=NONE,
        files=_write(timestamp__txt=b"\xff\xfe\x00\x01" * 1000),
    ),
    Case(
        row=66,
        name="timestamp_is_a_folder",
        what="timestamp.txt is a folder.",
        hand_in=unchanged,
        lost=NONE,
        files=_timestamp_folder,
    ),
    Case(
        row=66,
        name="timestamp_out_of_range",
        what="timestamp.txt holds a date that no calendar has.",
        hand_in=unchanged,
        lost=NONE,
        files=_write(timestamp__txt="99999-13-45 25:61:61 UTC"),
    ),
    Case(
        row=67,
        name="timestamp_in_the_past",
        what="The submission brings a timestamp.txt of its own that says it came long before the deadline.",
        hand_in=unchanged,
        lost=NONE,
        files=_write(timestamp__txt="1999-01-01 00:00:00 UTC"),
        harm=_believed(1999),
    ),
    Case(
        row=67,
        name="timestamp_in_the_future",
        what="The submission brings a timestamp.txt of its own from a far future.",
        hand_in=unchanged,
        lost=NONE,
        files=_write(timestamp__txt="2999-01-01 00:00:00.000000 UTC"),
        harm=_believed(2999),
    ),
    Case(
        row=67,
        name="timestamp_with_a_zone",
        what="The submission brings a timestamp.txt that names a time zone in which it is always early.",
        hand_in=unchanged,
        lost=NONE,
        files=_write(timestamp__txt="1998-06-01 12:00:00 Pacific/Kiritimati"),
        harm=_believed(1998),
    ),
]

CASES = [*_ELSEWHERE, *_BESIDE, *_TIMESTAMPS]
