"""What came from an LMS, when, and from whom: ``received.json`` in the class folder."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from autograder.grading.course import GradingError
from autograder.grading.record import write
from autograder.lms.names import fold

FORM = 1
NAME = "received.json"


@dataclass
class Received:
    """One submission as it came in.

    Attributes:
        lms: moodle, canvas, gradescope or folder.
        archive: name of the archive.
        file: its path in there.
        sha256: of its content.
        time: of submission, in UTC, ISO 8601; None if nobody but the student tells it.
        archive_time: time of the file in the archive, in UTC. Moodle and Canvas write there when the archive was made.
        number: grows with each file that is handed in; 0 if the LMS has no such number.
        late: whether the LMS said that it was late.
    """

    lms: str
    archive: str
    file: str
    sha256: str
    time: str | None = None
    archive_time: str | None = None
    number: int = 0
    late: bool = False

    def is_newer_than(self, other: Received) -> bool:
        """Whether this was handed in after the other, by the best that is known of both."""
        for mine, its in (
            (self.time, other.time),
            (self.number, other.number),
            (self.archive_time, other.archive_time),
        ):
            if mine and its and mine != its:
                return mine > its  # times are ISO 8601 in UTC, so their texts are in order too
        return False


@dataclass
class Known:
    """A person as the LMS knows them: the name it shows, and its ids by kind."""

    name: str = ""
    ids: dict[str, str] = field(default_factory=dict)


class Ledger:
    """The record of what was received in a class."""

    def __init__(self, class_folder: Path) -> None:
        """Read the ledger of a class; an empty one if nothing was received.

        Raises:
            GradingError: it cannot be read.
        """
        self.path = class_folder / NAME
        self.people: dict[str, Known] = {}
        self.submissions: dict[str, dict[str, Received]] = {}
        if self.path.exists():
            self._read()
        self._saved = self._text()
        self._by_name: dict[str, list[str]] = {}
        for student, known in self.people.items():
            if known.name:
                self._by_name.setdefault(fold(known.name), []).append(student)
        self._by_id = {_id(*item): student for student, known in self.people.items() for item in known.ids.items()}

    def _read(self) -> None:
        try:
            content = json.loads(self.path.read_text(encoding="utf-8"))
            if content["form"] != FORM:
                raise ValueError
            self.people = {student: Known(**known) for student, known in content["people"].items()}
            self.submissions = {
                student: {assignment: Received(**received) for assignment, received in each.items()}
                for student, each in content["submissions"].items()
            }
        except OSError as error:
            raise GradingError(f"{self.path} cannot be read: {error.strerror}.") from None
        except (ValueError, KeyError, TypeError, AttributeError):
            raise GradingError(
                f"{self.path} is damaged or of another version. Move it away and collect the archives again: it holds "
                "the times of submission."
            ) from None

    def received(self, student: str, assignment: str) -> datetime | None:
        """Time of submission in UTC without a time zone, as nbgrader keeps it; None if it is not known."""
        found = self.find(student, assignment)
        return datetime.fromisoformat(found.time) if found and found.time else None

    def find(self, student: str, assignment: str) -> Received | None:
        """What is known of a submission."""
        return self.submissions.get(student, {}).get(assignment)

    def student_with(self, ids: dict[str, str]) -> str | None:
        """The student with one of these ids."""
        return next((found for item in ids.items() if (found := self._by_id.get(_id(*item)))), None)

    def students_called(self, name: str, ids: dict[str, str]) -> list[str]:
        """The students of this name, but those who have other ids of the same kinds."""
        called = self._by_name.get(fold(name), ()) if name else ()
        return [student for student in called if not self.is_another(student, ids)]

    def is_another(self, student: str, ids: dict[str, str]) -> bool:
        """Whether a student has an id of the same kind with another value."""
        has = self.people.get(student, Known()).ids
        return any(kind in has and _id(kind, has[kind]) != _id(kind, value) for kind, value in ids.items())

    def meet(self, student: str, name: str, ids: dict[str, str]) -> None:
        """Note who a student is. What was known already stays."""
        known = self.people.setdefault(student, Known())
        if name and not known.name:
            known.name = name
            self._by_name.setdefault(fold(name), []).append(student)
        for kind, value in ids.items():
            known.ids.setdefault(kind, value)
            self._by_id.setdefault(_id(kind, value), student)

    def note(self, student: str, assignment: str, received: Received) -> None:
        """Note a submission."""
        self.submissions.setdefault(student, {})[assignment] = received

    def save(self) -> None:
        """Write the ledger, if there is anything new in it."""
        text = self._text()
        if text != self._saved:
            write(self.path, text)
            self._saved = text

    def _text(self) -> str:
        people = {student: dataclasses.asdict(known) for student, known in sorted(self.people.items())}
        submissions = {
            student: {assignment: dataclasses.asdict(received) for assignment, received in sorted(each.items())}
            for student, each in sorted(self.submissions.items())
        }
        content = {"form": FORM, "people": people, "submissions": submissions}
        return json.dumps(content, indent=1, ensure_ascii=False)


def _id(kind: str, value: str) -> tuple[str, str]:
    # LMS's ids do not differ by case; two folders can.
    return kind, value if kind == "folder" else fold(value)
