"""Take a submission as it was handed in, and make of it what nbgrader can be given.

A student's folder may hold anything: links, pipes, a notebook of another name or of no known form. What goes on from
here is a plain notebook with the texts of its cells, and plain files of moderate size. Nothing is changed in the folder
itself.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader.utils import parse_utc
from traitlets import Bool, Integer
from traitlets.config import Configurable

from autograder.examiner.texts import clean

_KINDS = ("code", "markdown", "raw")
_SKIPPED = (".ipynb_checkpoints", "__pycache__", ".git", ".venv", "venv", "node_modules")
TIMESTAMP = "timestamp.txt"
# Folders inside each other that are looked at.
_DEEPEST = 20


class Intake(Configurable):
    """What is taken of a submission: ``c.Intake.file_megabytes = 50`` in nbgrader_config.py changes a limit."""

    believe_timestamps = Bool(
        False,
        help="Whether the timestamp.txt in a submission says when it came. nbgrader's own exchange and zip_collect "
        "write it; where students' files arrive in another way, a student can.",
    ).tag(config=True)
    notebook_megabytes = Integer(64, help="Size of a notebook, outputs included.").tag(config=True)
    cells = Integer(1000, help="Number of cells of a notebook.").tag(config=True)
    cell_kilobytes = Integer(100, help="Thousands of characters of the text of a cell.").tag(config=True)
    text_kilobytes = Integer(500, help="Thousands of characters of the texts of all cells.").tag(config=True)
    file_megabytes = Integer(16, help="Size of a file beside the notebook, and of all of them.").tag(config=True)
    files = Integer(500, help="Number of files beside the notebook.").tag(config=True)


class Unreadable(Exception):
    """Raised when a submission cannot be graded at all. The message says why, and what to do."""


class Missing(Unreadable):
    """Raised when there is no notebook."""


@dataclass
class HandedIn:
    """What is taken of a student's folder, unread.

    Attributes:
        name: name of the notebook's file, as it was found.
        notebook: its content.
        files: the content of the files beside it, by their path in the folder.
        problems: a sentence for each thing that was left out or taken for another.
    """

    name: str
    notebook: bytes
    files: dict[str, bytes] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all that is taken, and of what is told about it."""
        digest = hashlib.sha256(json.dumps([self.name, self.problems]).encode())
        for name, content in (("", self.notebook), *sorted(self.files.items())):
            digest.update(f"{len(name.encode())} {len(content)} ".encode() + name.encode() + content)
        return digest.hexdigest()


def gather(folder: Path, assignment: str, intake: Intake) -> HandedIn:
    """Take a submission from its folder.

    Args:
        folder: the student's folder for the assignment.
        assignment: its name, which the notebook should have.
        intake: the limits.

    Raises:
        Missing: there is no notebook.
        Unreadable: it cannot be read, or is too large.
    """
    problems: list[str] = []
    if folder.is_symlink():
        raise Unreadable(f"The folder {assignment} is a link to another one. Hand in the notebook itself.")
    try:
        path = _notebook(folder, assignment, problems)
        if path.stat().st_size > intake.notebook_megabytes * 2**20:
            raise Unreadable(
                f"{_shown(path, folder)} is larger than {intake.notebook_megabytes} MB. Clear its outputs and hand it "
                "in again."
            )
        files = _files(folder, f"{assignment}.ipynb", intake, problems)
        contents = {name: at.read_bytes() for name, at in files.items()}
        return HandedIn(_shown(path, folder), path.read_bytes(), contents, problems)
    except OSError as error:
        raise Unreadable(f"The submission cannot be read: {error.strerror}.") from None


def read(handed_in: HandedIn, intake: Intake) -> tuple[NotebookNode, list[str]]:
    """Read the notebook of a submission.

    Args:
        handed_in: the submission.
        intake: the limits.

    Returns:
        Its cells, with their texts and nbgrader's marks only, and a sentence for each problem.

    Raises:
        Unreadable: it is no notebook.
    """
    cells = _cells(handed_in.name, handed_in.notebook)
    problems = []
    if len(cells) > intake.cells:
        problems.append(f"The notebook has {len(cells)} cells; the first {intake.cells} were used.")
    read: list[NotebookNode] = []
    ids: set[str] = set()
    left, emptied = intake.text_kilobytes * 1000, 0
    for number, cell in enumerate(cells[: intake.cells]):
        if isinstance(cell, dict):
            try:
                made = _cell(cell, ids, number)
            except RecursionError:
                raise Unreadable(f"{handed_in.name} is nested too deep to be a notebook.") from None
            # What comes after this reads the texts as Python, which takes a thousand times their size.
            if len(made.source) > min(left, intake.cell_kilobytes * 1000):
                made.source, emptied = "", emptied + 1
            left -= len(made.source)
            read.append(made)
    if emptied:
        problems.append(
            f"The text of {emptied} {'cell' if emptied == 1 else 'cells'} was left out: a cell may have "
            f"{intake.cell_kilobytes},000 characters, and all of them together {intake.text_kilobytes},000."
        )
    return NotebookNode(cells=read, metadata=NotebookNode(), nbformat=4, nbformat_minor=5), problems


def received(folder: Path, intake: Intake) -> tuple[datetime | None, str | None]:
    """When a submission came, if a file in its folder says so that can be believed.

    Args:
        folder: the student's folder for the assignment.
        intake: says whether it is to be believed.

    Returns:
        The time in UTC, without a time zone as nbgrader keeps it, and a sentence if there is a file that says nothing.
    """
    path = folder / TIMESTAMP
    if not os.path.lexists(path):
        return None, None
    if not intake.believe_timestamps:
        return None, (
            "timestamp.txt was not believed, since a student can write it. If nbgrader collected this class, set "
            "c.Intake.believe_timestamps = True in nbgrader_config.py."
        )
    try:
        if not _is_plain(path) or path.lstat().st_size > 1000:
            raise ValueError
        return parse_utc(path.read_text(encoding="utf-8").strip()), None
    except Exception:  # dateutil raises whatever it stumbles over
        return None, "timestamp.txt holds no time that can be read, and was left out."


def _notebook(folder: Path, assignment: str, problems: list[str]) -> Path:
    name = f"{assignment}.ipynb"
    exact = folder / name
    if exact.is_symlink():
        raise Unreadable(f"{name} is a link to another file. Hand in the notebook itself.")
    if exact.is_file():
        return exact
    others = [path for path in _walk(folder) if path.suffix.lower() == ".ipynb" and _is_plain(path)]
    like = [path for path in others if _plain_name(path.stem) == _plain_name(assignment)]
    chosen = like or others
    if len(chosen) == 1:
        problems.append(f"{_shown(chosen[0], folder)} was taken for {name}.")
        return chosen[0]
    held = ", ".join(sorted(_shown(path, folder) for path in others)[:5])
    found = f" The folder holds {held}: rename the one to be graded to {name}." if others else ""
    raise Missing(f"Not handed in: there is no {name}.{found}")


def _plain_name(stem: str) -> str:
    """A name without what browsers, Jupyter and people add to it."""
    stem = re.sub(r"(\s*\(\d+\)|[-_ ]copy\s*\d*|-checkpoint)+$", "", stem, flags=re.IGNORECASE)
    return re.sub(r"[\W_]+", "", stem).casefold()


def _walk(folder: Path) -> Iterator[Path]:
    """Everything in a folder and below it, without following links, and not deeper than anybody nests."""
    for place, folders, names in os.walk(folder):
        is_deep = len(Path(place).relative_to(folder).parts) >= _DEEPEST
        kept = [name for name in folders if name not in _SKIPPED and not os.path.islink(f"{place}/{name}")]
        folders[:] = [] if is_deep else sorted(kept)
        yield from (Path(place, name) for name in sorted(names))


def _is_plain(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def _shown(path: Path, folder: Path) -> str:
    return clean("".join(char if char.isprintable() else "?" for char in str(path.relative_to(folder))))[:100]


def _files(folder: Path, notebook: str, intake: Intake, problems: list[str]) -> dict[str, Path]:
    files: dict[str, Path] = {}
    left = intake.file_megabytes * 2**20
    odd, large = [], []
    for path in _walk(folder):
        name = str(path.relative_to(folder))
        # Also what lies in a folder that is called like one of these.
        if path.suffix.lower() == ".ipynb" or Path(name).parts[0] in (TIMESTAMP, notebook):
            continue
        if not _is_plain(path) or clean(name) != name or not os.access(path, os.R_OK):
            odd.append(_shown(path, folder))
        elif path.stat().st_size > left or len(files) == intake.files:
            large.append(_shown(path, folder))
        else:
            left -= path.stat().st_size
            files[name] = path
    for place, folders, _ in os.walk(folder):
        if len(Path(place).relative_to(folder).parts) >= _DEEPEST:
            large += [_shown(Path(place, name), folder) for name in folders]
            folders.clear()
        odd += [_shown(Path(place, name), folder) for name in folders if os.path.islink(f"{place}/{name}")]
    if odd:
        problems.append(f"Left out, since they are links, or files that cannot be read: {_listed(odd)}.")
    if large:
        limit = f"{intake.file_megabytes} MB and {intake.files} files, not nested deeper than {_DEEPEST} folders,"
        problems.append(f"Left out, since a submission may bring {limit} beside its notebook: {_listed(large)}.")
    return files


def _listed(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _cells(name: str, text: bytes) -> list[Any]:
    try:
        content = json.loads(text.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise Unreadable(f"{name} is not a notebook: it is cut off or not JSON at all. Hand it in again.") from None
    if isinstance(content, dict) and "worksheets" in content:
        content = _upgraded(name, content)
    cells = content.get("cells") if isinstance(content, dict) else None
    if not isinstance(cells, list):
        raise Unreadable(f"{name} is not a readable notebook (it has no list of cells). Hand it in again.")
    return cells


def _upgraded(name: str, content: dict[str, Any]) -> Any:
    try:
        return nbformat.convert(nbformat.from_dict(content), 4)
    except Exception as error:  # nbformat raises whatever it stumbles over
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        raise Unreadable(f"{name} is not a readable notebook ({reason}). Hand it in again.") from None


def _cell(cell: dict[str, Any], ids: set[str], number: int) -> NotebookNode:
    """A cell with what grading looks at, of texts that can be written."""
    kind = cell.get("cell_type")
    kind = kind if kind in _KINDS else "markdown"
    source = cell.get("source", "")
    if isinstance(source, list):
        source = "".join(part for part in source if isinstance(part, str))
    name = cell.get("id")
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name) or name in ids:
        name = f"cell-{number}"
    ids.add(name)
    metadata = cell.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    kept = {key: metadata[key] for key in ("nbgrader", "tags") if key in metadata}
    made = NotebookNode(
        cell_type=kind,
        id=name,
        # ASCII and back: what cannot be written to a file is no part of a mark either.
        metadata=nbformat.from_dict(json.loads(clean(json.dumps(kept, ensure_ascii=False)))),
        source=clean(source) if isinstance(source, str) else "",
    )
    if kind == "code":
        made.outputs, made.execution_count = [], None
    elif attachments := pictures(cell.get("attachments")):
        made.attachments = attachments
    return made


def pictures(given: Any) -> NotebookNode:
    """The pictures among the attachments of a cell, which may be anything."""
    kept = NotebookNode()
    for name, kinds in given.items() if isinstance(given, dict) else ():
        if isinstance(kinds, dict):
            found = {
                kind: kinds[kind]
                for kind in ("image/png", "image/jpeg")
                if isinstance(kinds.get(kind), str) and re.fullmatch(r"[A-Za-z0-9+/=\s]+", kinds[kind])
            }
            if found:
                kept[clean(name)] = NotebookNode(found)
    return kept
