"""Take a submission as it was handed in, and make of it what nbgrader can be given.

A student's folder may hold anything: links, pipes, a notebook of another name or of no known form. What goes on from
here is a plain notebook with the texts of its cells, and plain files of moderate size. Nothing is changed in the folder
itself.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
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


class Intake(Configurable):
    """What is taken of a submission: ``c.Intake.file_megabytes = 50`` in nbgrader_config.py changes a limit."""

    believe_timestamps = Bool(
        False,
        help="Whether the timestamp.txt in a submission says when it came. nbgrader's own exchange and zip_collect "
        "write it; where students' files arrive in another way, a student can.",
    ).tag(config=True)
    notebook_megabytes = Integer(64, help="Size of a notebook, outputs included.").tag(config=True)
    cells = Integer(1000, help="Number of cells of a notebook.").tag(config=True)
    file_megabytes = Integer(16, help="Size of a file beside the notebook, and of all of them.").tag(config=True)
    files = Integer(500, help="Number of files beside the notebook.").tag(config=True)


class Unreadable(Exception):
    """Raised when a submission cannot be graded at all. The message says why, and what to do."""


class Missing(Unreadable):
    """Raised when there is no notebook."""


@dataclass
class Submission:
    """What is graded of a submission.

    Attributes:
        notebook: its cells, with their texts and nbgrader's marks only.
        files: the files beside it, by their path in the folder.
        problems: a sentence for each thing that was left out or taken for another.
    """

    notebook: NotebookNode
    files: dict[str, Path] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def take(folder: Path, assignment: str, intake: Intake, *, has_deadline: bool = False) -> Submission:
    """Read a submission.

    Args:
        folder: the student's folder for the assignment.
        assignment: its name, which the notebook should have.
        intake: the limits.
        has_deadline: whether the time of submission matters.

    Raises:
        Missing: there is no notebook.
        Unreadable: it is no notebook.
    """
    problems: list[str] = []
    try:
        path = _notebook(folder, assignment, problems)
        return _taken(folder, path, assignment, intake, problems, has_deadline=has_deadline)
    except OSError as error:
        raise Unreadable(f"The submission cannot be read: {error.strerror}.") from None


def _taken(
    folder: Path, path: Path, assignment: str, intake: Intake, problems: list[str], *, has_deadline: bool
) -> Submission:
    if path.stat().st_size > intake.notebook_megabytes * 2**20:
        raise Unreadable(
            f"{path.name} is larger than {intake.notebook_megabytes} MB. Clear its outputs and hand it in again."
        )
    notebook = _read(path)
    if len(notebook.cells) > intake.cells:
        problems.append(f"The notebook has {len(notebook.cells)} cells; the first {intake.cells} were used.")
        del notebook.cells[intake.cells :]
    files = _files(folder, f"{assignment}.ipynb", intake, problems)
    if timestamp := _timestamp(folder, intake, problems, has_deadline=has_deadline):
        files[TIMESTAMP] = timestamp
    return Submission(notebook, files, problems)


def put(submission: Submission, folder: Path, assignment: str) -> None:
    """Write what is graded to a new folder."""
    folder.mkdir(parents=True)
    text = json.dumps(submission.notebook)
    (folder / f"{assignment}.ipynb").write_text(text, encoding="utf-8")
    for name, path in submission.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, folder / name, follow_symlinks=False)


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
    """Everything in a folder and below it, without following links."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED and not os.path.islink(f"{place}/{name}"))
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
        odd += [_shown(Path(place, name), folder) for name in folders if os.path.islink(f"{place}/{name}")]
    if odd:
        problems.append(f"Left out, since they are links, or files that cannot be read: {_listed(odd)}.")
    if large:
        limit = f"{intake.file_megabytes} MB and {intake.files} files"
        problems.append(f"Left out, since a submission may bring {limit} beside its notebook: {_listed(large)}.")
    return files


def _listed(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _timestamp(folder: Path, intake: Intake, problems: list[str], *, has_deadline: bool) -> Path | None:
    path = folder / TIMESTAMP
    if not os.path.lexists(path):
        return None
    if not intake.believe_timestamps:
        if has_deadline:
            problems.append(
                "timestamp.txt was not believed, since a student can write it. If nbgrader collected this class, set "
                "c.Intake.believe_timestamps = True in nbgrader_config.py."
            )
        return None
    try:
        if not _is_plain(path):
            raise ValueError
        parse_utc(path.read_text(encoding="utf-8").strip()).isoformat()
    except Exception:  # dateutil raises whatever it stumbles over
        problems.append("timestamp.txt holds no time that can be read, and was left out.")
        return None
    return path


def _read(path: Path) -> NotebookNode:
    try:
        content = json.loads(path.read_bytes().decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise Unreadable(
            f"{path.name} is not a notebook: it is cut off or not JSON at all. Hand it in again."
        ) from None
    if isinstance(content, dict) and "worksheets" in content:
        content = _upgraded(path, content)
    cells = content.get("cells") if isinstance(content, dict) else None
    if not isinstance(cells, list):
        raise Unreadable(f"{path.name} is not a readable notebook (it has no list of cells). Hand it in again.")
    read: list[NotebookNode] = []
    ids: set[str] = set()
    for number, cell in enumerate(cells):
        if isinstance(cell, dict):
            try:
                read.append(_cell(cell, ids, number))
            except RecursionError:
                raise Unreadable(f"{path.name} is nested too deep to be a notebook.") from None
    return NotebookNode(cells=read, metadata=NotebookNode(), nbformat=4, nbformat_minor=5)


def _upgraded(path: Path, content: dict[str, Any]) -> Any:
    try:
        return nbformat.convert(nbformat.from_dict(content), 4)
    except Exception as error:  # nbformat raises whatever it stumbles over
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        raise Unreadable(f"{path.name} is not a readable notebook ({reason}). Hand it in again.") from None


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
