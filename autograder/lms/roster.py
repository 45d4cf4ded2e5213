"""The table of people that an LMS hands out: who they are, when they handed in, and where their marks go.

Known are Canvas's gradebook export (``lib/gradebook_exporter.rb``: Student, ID, SIS User ID, SIS Login ID, Section and
a column for each assignment), Moodle's grading worksheet (Identifier, Full name, Email address, …, Last modified
(submission)), Gradescope's roster and its table of grades (Name or First and Last Name, SID, Email, Submission Time),
and any table with a column called student, id, login, username, name or email.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from pathlib import Path

from autograder.grading.course import GradingError
from autograder.lms.names import CANVAS, FOLDER, GRADESCOPE, MOODLE, fold, ruby_time

LIMIT = 64 * 2**20
SUBMITTED = "Last modified (submission)"
# How Moodle writes a time in English, international and American; and what spreadsheets make of it.
_TIMES = (
    "%A, %d %B %Y, %I:%M %p",
    "%A, %B %d, %Y, %I:%M %p",
    "%A, %d %B %Y, %H:%M",
    "%d %B %Y, %I:%M %p",
    "%Y-%m-%d %H:%M:%S",
    "%Y-%m-%d %H:%M",
    "%Y-%m-%dT%H:%M:%S",
)
# Kinds of ids by the columns that hold them, in the order in which they make good names of folders.
_COLUMNS = {
    CANVAS: {"SIS Login ID": "login", "SIS User ID": "sis", "ID": "canvas"},
    MOODLE: {"ID number": "id_number", "Email address": "email", "Identifier": "participant"},
    GRADESCOPE: {"SID": "id_number", "Email": "email"},
}


@dataclass
class Person:
    """Somebody in a class.

    Attributes:
        name: as the LMS shows it.
        ids: the LMS's ids, by kind.
        submitted: time of submission in UTC without a time zone, if the table has it.
        row: number of the line in the table.
    """

    name: str = ""
    ids: dict[str, str] = field(default_factory=dict)
    submitted: datetime | None = None
    row: int = -1


@dataclass
class Table:
    """A CSV file that is written again as it was read, but for the cells that were filled.

    Attributes:
        header: names of the columns.
        rows: the other lines, as long as the header.
        delimiter: what stands between cells.
        bom: whether it begins with the mark by which spreadsheets know UTF-8.
        newline: how its lines end.
    """

    header: list[str]
    rows: list[list[str]]
    delimiter: str = ","
    bom: bool = True
    newline: str = "\r\n"

    @classmethod
    def read(cls, path: Path) -> Table:
        """Read a table.

        Raises:
            GradingError: it cannot be read, or is no CSV file in UTF-8.
        """
        try:
            if path.stat().st_size > LIMIT:
                raise GradingError(f"{path} is larger than {LIMIT // 2**20} MB. It cannot be the table of one class.")
            data = path.read_bytes()
            text = data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
        except OSError as error:
            raise GradingError(f"{path} cannot be read: {error.strerror}.") from None
        except UnicodeError:
            raise GradingError(f"{path} is not in UTF-8. Save it as “CSV UTF-8” and give it again.") from None
        first = text.splitlines()[0] if text.strip() else ""
        delimiter = max(",;\t", key=first.count)
        try:
            rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
        except csv.Error as error:
            raise GradingError(f"{path} is no table of comma-separated values: {error}. Download it again.") from None
        if not rows or not any(rows[0]):
            raise GradingError(f"{path} has no first line with the names of the columns. Download it again.")
        header = rows[0]
        body = [[*row, *[""] * (len(header) - len(row))] for row in rows[1:] if any(row)]
        return cls(header, body, delimiter, text_begins_with_bom(data), "\r\n" if "\r\n" in text else "\n")

    def column(self, name: str) -> int | None:
        """Number of a column, whatever its case, or None."""
        return next((n for n, title in enumerate(self.header) if title.strip().casefold() == name.casefold()), None)

    def cell(self, row: list[str], name: str) -> str:
        """A cell by the name of its column; empty if there is none."""
        number = self.column(name)
        return "" if number is None else row[number].strip()

    def text(self) -> str:
        """The table as it is written to a file."""
        out = io.StringIO(newline="")
        writer = csv.writer(out, delimiter=self.delimiter, lineterminator=self.newline)
        writer.writerow(self.header)
        writer.writerows(self.rows)
        return ("\ufeff" if self.bom else "") + out.getvalue()


def text_begins_with_bom(data: bytes) -> bool:
    """Whether a file begins with a byte order mark."""
    return data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"))


class Roster:
    """The people in an LMS's table, and how to find one."""

    def __init__(self, table: Table, path: Path, zone: tzinfo | None) -> None:
        """Take the people from a table.

        Args:
            table: the table.
            path: its file, for messages.
            zone: time zone of the times in it that have none; this machine's if None.

        Raises:
            GradingError: no column says who is who.
        """
        self.table, self.path, self.zone = table, path, zone
        self.lms = _kind(table)
        self.unread_times = 0
        self.people = list(self._people())
        if not self.people:
            raise GradingError(
                f"{path} does not say who is in the class: no line has a value in a column such as ID, Identifier, "
                "SID, Email, student or name. If the LMS is set to another language, switch it to English for the "
                "download."
            )
        self._by_id: dict[tuple[str, str], list[Person]] = {}
        self._by_name: dict[str, list[Person]] = {}
        for person in self.people:
            for kind, value in person.ids.items():
                self._by_id.setdefault((kind, fold(value)), []).append(person)
            if person.name:
                self._by_name.setdefault(fold(person.name), []).append(person)

    @classmethod
    def read(cls, path: Path, zone: tzinfo | None = None) -> Roster:
        """Read a table from a file.

        Raises:
            GradingError: it cannot be read.
        """
        return cls(Table.read(path), path, zone)

    @property
    def has_times(self) -> bool:
        """Whether it tells when somebody handed in."""
        return any(person.submitted for person in self.people)

    def find(self, name: str, ids: dict[str, str]) -> Person | None:
        """Find a person by one of the ids, otherwise by a name that only one person has."""
        for kind, value in ids.items():
            # A plain folder is named after any of the ids.
            kinds = [kind] if kind != "folder" else ["student", "login", "sis", "id_number", "canvas", "email"]
            for each in kinds:
                found = self._by_id.get((each, fold(value)), [])
                if len(found) == 1:
                    return found[0]
        known_apart = any((kind, fold(value)) in self._by_id for kind, value in ids.items())
        found = [] if known_apart else self._by_name.get(fold(name), [])
        # Somebody whose id of the same kind is another one is another person, whatever the name.
        found = [p for p in found if not any(fold(p.ids.get(kind, v)) != fold(v) for kind, v in ids.items())]
        return found[0] if len(found) == 1 else None

    def _people(self) -> Iterator[Person]:
        table = self.table
        for number, row in enumerate(table.rows):
            if self.lms == CANVAS and not table.cell(row, "ID"):
                continue  # the points possible, and which columns are posted by hand
            name = table.cell(row, "Student") if self.lms == CANVAS else table.cell(row, "Full name")
            name = name or table.cell(row, "Name")
            name = name or f"{table.cell(row, 'First Name')} {table.cell(row, 'Last Name')}".strip()
            person = Person(name, self._ids(row), row=number)
            times = (table.cell(row, title) for title in (SUBMITTED, "Submission Time", "submitted_at"))
            person.submitted = self._time(next(filter(None, times), ""))
            if person.name or person.ids:
                yield person

    def _ids(self, row: list[str]) -> dict[str, str]:
        columns = _COLUMNS.get(self.lms) or {
            "student": "student",
            "login": "login",
            "username": "login",
            "id": "id_number",
            "email": "email",
        }
        ids = {kind: value for title, kind in columns.items() if (value := self.table.cell(row, title))}
        if "participant" in ids:
            # "Participant 123", in whatever language: Moodle itself reads the number at the end.
            match = re.search(r"\d+$", ids["participant"])
            ids["participant"] = match[0] if match else ids["participant"]
        return ids

    def _time(self, text: str) -> datetime | None:
        if text.strip() in ("", "-"):
            return None
        if time := ruby_time(text):
            return time.astimezone(UTC).replace(tzinfo=None)
        for form in _TIMES:
            try:
                local = datetime.strptime(text.strip().replace("\u202f", " "), form).replace(tzinfo=self.zone)
            except ValueError:
                continue
            return local.astimezone(UTC).replace(tzinfo=None)
        self.unread_times += 1
        return None


def _kind(table: Table) -> str:
    has = {title.strip() for title in table.header}
    if "ID" in has and ({"Student", "Section"} <= has or {"LastName", "FirstName", "Section"} <= has):
        return CANVAS
    if {"Identifier", "Grade"} <= has:
        return MOODLE
    if "SID" in has and "Email" in has:
        return GRADESCOPE
    return FOLDER
