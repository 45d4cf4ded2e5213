"""What the name of a file in an LMS's archive says: whose it is, and what the student called it.

The forms are those that the LMS's own code writes:

* Moodle (``mod/assign/classes/downloader.php``): ``Full name_12345_assignsubmission_file/<the student's path>``, or
  without folders ``Full name_12345_assignsubmission_file_<the student's name>``. The number is the participant's, and a
  person has another one in each assignment. Underscores in a name have become spaces.
* Canvas (``lib/content_zipper.rb``): ``<sortable name>[_LATE]_<user id>_<attachment id>_<the student's name>``, or in
  anonymous grading ``[LATE_]anon_<code>_<attachment id>_<the student's name>``. A file that was handed in again has
  ``-1``, ``-2`` … at the end of its name.
* Gradescope ("Export submissions"): ``submission_<number>/<the student's path>`` beside ``submission_metadata.yml``,
  which names the submitters and the time of each submission.
* A folder: ``<student>/…/<file>.ipynb``, ``<student>.ipynb`` or ``<student>_<assignment>.ipynb``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import yaml

from autograder.lms.archives import Entry, is_archive

MOODLE, CANVAS, GRADESCOPE, FOLDER = "moodle", "canvas", "gradescope", "folder"
METADATA = "submission_metadata.yml"

_MOODLE = re.compile(r"(?P<name>[^_]+)_(?P<id>\d+)_assignsubmission_[a-z]+(?:_(?P<file>.*))?", re.DOTALL)
_CANVAS = re.compile(r"(?P<name>.+?)(?P<late>_LATE)?_(?P<id>\d+)_(?P<number>\d+)_(?P<file>.+)", re.DOTALL)
_CANVAS_ANONYMOUS = re.compile(r"(?P<late>LATE_)?anon_(?P<id>[0-9A-Za-z]{5})_(?P<number>\d+)_(?P<file>.+)", re.DOTALL)


@dataclass(frozen=True)
class Handed:
    """What a name says.

    Attributes:
        name: of the person, as the LMS shows it; empty if it does not.
        ids: the LMS's ids of the person, by kind.
        file: what the student called the file, with its folders.
        late: whether the LMS says that it was late.
        number: grows with each file that is handed in; 0 if the LMS has no such number.
        time: of submission, with its time zone, if the LMS tells it.
    """

    name: str
    ids: dict[str, str] = field(default_factory=dict)
    file: tuple[str, ...] = ()
    late: bool = False
    number: int = 0
    time: datetime | None = None

    @property
    def key(self) -> tuple[str, ...]:
        """Tells people of one archive apart."""
        return tuple(f"{kind}={value}" for kind, value in sorted(self.ids.items())) or (self.name,)


def detect(entries: Iterable[Entry]) -> str:
    """Tell which LMS made an archive.

    Students choose names too: one file that looks like another LMS's changes nothing.
    """
    names = [entry.parts for entry in entries]
    if metadata_of(names):
        return GRADESCOPE
    for lms, read in ((MOODLE, moodle), (CANVAS, canvas)):
        if sum(read(parts) is not None for parts in names) * 2 > len(names):
            return lms
    return FOLDER


def metadata_of(names: Iterable[tuple[str, ...]]) -> tuple[str, ...] | None:
    """Find Gradescope's own metadata: beside everything else, not in a folder of one student."""
    names = list(names)
    tops = {parts[0] for parts in names}
    if (METADATA,) in names:
        return (METADATA,)
    around = (*tops, METADATA)
    return around if len(tops) == 1 and around in names else None


def moodle(parts: tuple[str, ...]) -> Handed | None:
    """Read a name that Moodle made, in the archive itself or in one folder around it."""
    for depth, part in enumerate(parts[:2]):
        if match := _MOODLE.fullmatch(part):
            file = parts[depth + 1 :] or ((match["file"],) if match["file"] else ())
            if file:
                return Handed(match["name"].strip(), {"participant": match["id"]}, file)
    return None


def canvas(parts: tuple[str, ...]) -> Handed | None:
    """Read a name that Canvas made, in the archive itself or in one folder around it."""
    if len(parts) > 2:
        return None
    if match := _CANVAS_ANONYMOUS.fullmatch(parts[-1]):
        ids, name = {"anonymous": match["id"]}, ""
    elif match := _CANVAS.fullmatch(parts[-1]):
        ids, name = {"canvas": match["id"]}, match["name"]
    else:
        return None
    return Handed(name, ids, (match["file"],), bool(match["late"]), int(match["number"]))


def metadata(text: bytes) -> dict[str, list[Handed]]:
    """Read Gradescope's submission_metadata.yml.

    Args:
        text: its content. Keys are Ruby symbols: ``:submitters`` (``:name``, ``:sid``, ``:email``), ``:created_at``.

    Returns:
        For each submission who handed it in, and when.

    Raises:
        ValueError: it is no such file.
    """
    # Every value stays text: an id may begin with zeros.
    loader: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        content = yaml.load(text, Loader=loader)
        return {name: _submitters(about) for name, about in content.items()}
    except (yaml.YAMLError, AttributeError, KeyError, TypeError, RecursionError):
        raise ValueError("It cannot be read") from None


def _submitters(about: dict[str, Any]) -> list[Handed]:
    time = ruby_time(about.get(":created_at", ""))
    people = []
    for person in about[":submitters"]:
        ids = {kind: person.get(key) for kind, key in (("id_number", ":sid"), ("email", ":email"))}
        people.append(Handed(person.get(":name", ""), {kind: value for kind, value in ids.items() if value}, time=time))
    return people


def ruby_time(text: str) -> datetime | None:
    """Read a time such as ``2026-06-10 21:14:05.123456789 Z`` or ``… -07:00``; None if it has no time zone."""
    match = re.fullmatch(r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.\d+)? ?(Z|UTC|[+-]\d\d:?\d\d)", text.strip())
    if not match:
        return None
    zone = "+00:00" if match[3] in ("Z", "UTC") else match[3]
    try:
        return datetime.fromisoformat(f"{match[1]}T{match[2]}{zone}").astimezone(UTC)
    except ValueError:
        return None


def gradescope(parts: tuple[str, ...], submissions: dict[str, list[Handed]]) -> list[Handed]:
    """Say who handed in a file of Gradescope's export; a group is several people."""
    for depth, part in enumerate(parts[:2]):
        if part in submissions:
            file = parts[depth + 1 :] or (part,)
            return [Handed(who.name, who.ids, file, time=who.time) for who in submissions[part]]
    return []


def folder(parts: tuple[str, ...], assignments: list[str]) -> Handed | None:
    """Read a name in a plain folder of notebooks; None if it does not say whose it is."""
    if len(parts) > 1:
        return Handed(parts[0], {"folder": parts[0]}, parts[1:])
    stem, dot, suffix = parts[0].rpartition(".")
    if not dot or assignment_of(stem, assignments):
        return None
    for assignment in sorted(assignments, key=len, reverse=True):
        if match := re.fullmatch(rf"(.+)[-_ ]{re.escape(assignment)}(?:[-_ ]?\(?\d+\)?)?", stem, re.IGNORECASE):
            return Handed(match[1], {"folder": match[1]}, (f"{assignment}.{suffix}",))
    return Handed(stem, {"folder": stem}, parts)


def without_wrapper(entries: list[Entry], archive: str, assignments: list[str]) -> int:
    """Tell how many folders (0 or 1) stand around the students' in a plain archive of notebooks.

    Args:
        entries: the files.
        archive: name of the archive without its ending; who zips a folder gets one of the same name around everything.
        assignments: names of the assignments.
    """
    taken = [entry.parts for entry in entries if entry.parts[-1].lower().endswith(".ipynb") or is_archive(entry.parts)]
    tops = {parts[0] for parts in taken}
    if len(tops) != 1 or any(len(parts) < 2 for parts in taken):
        return 0
    if plain(next(iter(tops))) == plain(archive):
        return 1
    deep = all(len(parts) > 2 for parts in taken)
    return int(deep and not any(assignment_of(parts[1], assignments) for parts in taken))


def plain(text: str) -> str:
    """A name reduced to its letters and digits, in lower case."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text).casefold())


def assignment_of(stem: str, assignments: list[str]) -> str | None:
    """Find the assignment that a notebook is called after, whatever browsers, Jupyter and Canvas added to the name."""
    bare = re.sub(r"(\s*\(\d+\)|[-_ ]copy\s*\d*|[-_ ]checkpoint|-\d+)+$", "", stem, flags=re.IGNORECASE)
    for text in (stem, bare):
        for assignment in assignments:
            if plain(text) == plain(assignment):
                return assignment
    return None


def assignment_in(text: str, assignments: list[str]) -> str | None:
    """Find the one assignment whose name stands somewhere in a text; the longest, if one is part of another."""
    found = [assignment for assignment in assignments if plain(assignment) in plain(text)]
    longest = max(found, key=len, default=None)
    return longest if all(plain(other) in plain(longest or "") for other in found) else None


def student_name(text: str) -> str:
    """Make the name of a student's folder: letters, digits and ``-.@+_``, which neither nbgrader nor a shell expands.

    Raises:
        ValueError: nothing of it is left, or it is longer than 128 characters or 255 bytes.
    """
    text = unicodedata.normalize("NFC", text)
    kept = "".join(char if unicodedata.category(char)[0] in "LNM" or char in "-.@+_" else "_" for char in text)
    kept = re.sub(r"_{2,}", "_", kept).lstrip("_.-+@").rstrip("_.")
    if not plain(kept):
        raise ValueError("has no letter or digit that could name a folder")
    if len(kept) > 128 or len(kept.encode()) > 255:
        raise ValueError("has a name longer than the 128 characters that the gradebook takes")
    return kept


def fold(text: str) -> str:
    """What two names have in common that differ only in case or in how their accents are written."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
