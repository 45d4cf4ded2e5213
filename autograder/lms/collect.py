"""Take what an LMS hands out into ``submitted/<student>/<assignment>/<assignment>.ipynb``."""

from __future__ import annotations

import hashlib
import os
import tempfile
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path

from autograder.grading.course import Course, GradingError
from autograder.lms import archives, names
from autograder.lms.archives import Archive, BadArchive, BadEntry, Caps, Entry, shown
from autograder.lms.ledger import Ledger, Received
from autograder.lms.names import CANVAS, FOLDER, GRADESCOPE, MOODLE, Handed
from autograder.lms.roster import Person, Roster

AUTO = "auto"
KINDS = (AUTO, MOODLE, CANVAS, GRADESCOPE, FOLDER)
TIMESTAMP = "timestamp.txt"


class Misuse(GradingError):
    """Raised when the command was called in a way that cannot be meant. The message says how to call it."""


@dataclass
class Summary:
    """What came of collecting.

    Attributes:
        taken: submissions that were not there before.
        replaced: submissions that took the place of an older one.
        skipped: submissions that were there already, or are older than those that were.
        refused: submissions, files and archives that could not be taken.
        late: submissions taken or replaced that the LMS calls late.
        timeless: submissions taken or replaced whose time nobody but the student tells.
        assignments: what was found submissions of.
        missing: who is in the roster and has handed in nothing, by assignment.
    """

    taken: int = 0
    replaced: int = 0
    skipped: int = 0
    refused: int = 0
    late: int = 0
    timeless: int = 0
    assignments: set[str] = field(default_factory=set)
    missing: dict[str, list[str]] = field(default_factory=dict)

    def notes(self) -> list[str]:
        """What a person should know of the whole, in sentences."""
        notes = []
        for assignment, people in self.missing.items():
            if people:
                notes.append(f"{assignment}: {len(people)} have not handed in: {', '.join(map(shown, people))}.")
        if self.late:
            notes.append(f"{self.late} submissions are marked late by the LMS.")
        if self.timeless:
            notes.append(
                f"The time of {self.timeless} submissions is not known: in an archive of Moodle's or Canvas's stands "
                "only when it was downloaded. If it matters, collect again with --times and a table that has the "
                "times, as Moodle's grading worksheet."
            )
        return notes

    def __str__(self) -> str:
        """The last line of the command."""
        return f"{self.taken} taken, {self.replaced} replaced, {self.skipped} skipped, {self.refused} refused."


@dataclass
class _Claim:
    """A notebook, and what is said of it."""

    handed: Handed
    entry: Entry
    shown: str
    assignment: str | None = None


class Collector:
    """Collects the archives of one class."""

    def __init__(
        self,
        course: Course,
        say: Callable[[str], None],
        *,
        assignment: str | None = None,
        lms: str = AUTO,
        roster: Roster | None = None,
        zone: tzinfo | None = None,
        dry_run: bool = False,
        caps: Caps | None = None,
    ) -> None:
        """Prepare to collect.

        Args:
            course: the course and the class.
            say: is given each matter that a person should know, a line at a time.
            assignment: what the archives hold submissions of; None to find out by their names.
            lms: what made them; "auto" to find out.
            roster: the LMS's table of people.
            zone: time zone of times that have none; this machine's when left out.
            dry_run: whether to only say what would be done.
            caps: limits of an archive.

        Raises:
            Misuse: there is no such assignment, or no assignment at all.
            GradingError: the ledger cannot be read.
        """
        self.course, self.say, self.assignment, self.lms = course, say, assignment, lms
        self.roster, self.zone, self.dry_run, self.caps = roster, zone, dry_run, caps or Caps()
        self.known = course.assignments
        if not self.known:
            raise Misuse(f"There are no assignments in {course.root / 'source'}. Give the folder of the course.")
        if assignment and assignment not in self.known:
            raise Misuse(f"There is no assignment {assignment}. Known are: {', '.join(self.known)}.")
        self.ledger = Ledger(course.class_folder)
        self.summary = Summary()
        self._assignment = ""
        self._folders = {names.fold(student): student for student in (*self.ledger.people, *course.students)}

    def collect(self, paths: Iterable[Path], progress: Callable[[str, int, int], None] | None = None) -> Summary:
        """Take the submissions out of archives, one archive after the other.

        Args:
            paths: the archives.
            progress: is told the name of the archive, how many of its submissions are done, and how many there are.

        Raises:
            GradingError: the class folder cannot be written.
        """
        try:
            for path in paths:
                try:
                    with archives.opened(path, self.caps) as archive:
                        self._archive(archive, progress or (lambda what, done, total: None))
                except BadArchive as error:
                    self._refuse(path.name, str(error))
        except OSError as error:
            raise GradingError(
                f"{error.filename or self.course.class_folder} cannot be written: {error.strerror}. What was taken "
                "until then is kept; collect again when that is mended."
            ) from None
        finally:
            # Also after an interruption: the next run knows what was taken.
            if not self.dry_run:
                self.ledger.save()
        self._missing()
        return self.summary

    # What an archive holds

    def _archive(self, archive: Archive, progress: Callable[[str, int, int], None]) -> None:
        for name, reason in archive.refused:
            self._refuse(f"{archive.path.name}: {name}", reason)
        lms = names.detect(archive.entries) if self.lms == AUTO else self.lms
        claims: dict[tuple[str, ...], list[_Claim]] = defaultdict(list)
        others: dict[tuple[str, ...], list[str]] = defaultdict(list)
        people: dict[tuple[str, ...], Handed] = {}
        before = self.summary.refused
        for handed, entry in self._handed(archive, lms):
            people.setdefault(handed.key, handed)
            for claim in self._notebooks(handed, entry, others[handed.key]):
                claims[handed.key].append(claim)
        if not people and not archive.refused and self.summary.refused == before:
            what = "notebooks of students" if lms == FOLDER else f"submissions as {lms} hands them out"
            self._refuse(archive.path.name, f"holds no {what}. Is it the right file?")
        self._find_assignments(archive, [claim for each in claims.values() for claim in each])
        of = [claim.assignment for each in claims.values() for claim in each if claim.assignment]
        # An archive of Moodle's is of one assignment, and so are its participants' numbers.
        self._assignment = self.assignment or max(of, key=of.count, default="")
        students = self._students(people, lms)
        times = self._times_apply(claims)
        for done, (key, handed) in enumerate(people.items()):
            progress(archive.path.name, done, len(people))
            if student := students.get(key):
                self._person(archive, lms, student, claims[key], others[key], handed, times=times)

    def _handed(self, archive: Archive, lms: str) -> Iterable[tuple[Handed, Entry]]:
        entries = archive.entries
        if lms == GRADESCOPE:
            yield from self._of_gradescope(archive)
            return
        skip = names.without_wrapper(entries, archive.path.stem, self.known) if lms == FOLDER else 0
        for entry in entries:
            if lms == FOLDER:
                found = names.folder(entry.parts[skip:], self.known) if len(entry.parts) > skip else None
            else:
                found = (names.moodle if lms == MOODLE else names.canvas)(entry.parts)
            if found:
                yield found, entry
            elif _is_notebook(entry.parts) or archives.is_archive(entry.parts):
                self._refuse(
                    f"{archive.path.name}: {shown(entry.name)}", f"is not named as {lms} names files: whose is it?"
                )

    def _of_gradescope(self, archive: Archive) -> Iterable[tuple[Handed, Entry]]:
        place = names.metadata_of(entry.parts for entry in archive.entries)
        about = next((entry for entry in archive.entries if entry.parts == place), None)
        if about is None:
            raise BadArchive(f"holds no {names.METADATA}, so that nobody can tell whose the submissions are.")
        try:
            submissions = names.metadata(about.read())
        except (BadEntry, ValueError):
            raise BadArchive(f"holds a {names.METADATA} that cannot be read. Export the submissions again.") from None
        for entry in archive.entries:
            who = names.gradescope(entry.parts, submissions)
            yield from ((handed, entry) for handed in who)
            if not who and entry is not about:
                self._refuse(f"{archive.path.name}: {shown(entry.name)}", f"is of nobody named in {names.METADATA}.")

    def _notebooks(self, handed: Handed, entry: Entry, others: list[str]) -> Iterable[_Claim]:
        """The notebooks in a file: the file itself, or what an archive holds."""
        if _is_notebook(handed.file):
            yield _Claim(handed, entry, shown("/".join(handed.file)))
            return
        if not archives.is_archive(handed.file):
            others.append("/".join(handed.file))
            return
        outer = shown("/".join(handed.file))
        try:
            within = archives.inside(entry, self.caps)
        except (BadArchive, BadEntry) as error:
            self._refuse(f"{shown(_who(handed))}: {outer}", str(error))
            return
        for name, reason in within.refused:
            self._refuse(f"{shown(_who(handed))}: {name} in {outer}", reason)
        for inner in within.entries:
            if _is_notebook(inner.parts):
                yield _Claim(replace(handed, file=inner.parts), inner, f"{shown(inner.name)} in {outer}")
            elif archives.is_archive(inner.parts):
                self._refuse(
                    f"{shown(_who(handed))}: {shown(inner.name)} in {outer}",
                    "is an archive in an archive in an archive. Hand in the notebook itself.",
                )
            else:
                others.append(f"{'/'.join(handed.file)}/{inner.name}")

    def _find_assignments(self, archive: Archive, claims: list[_Claim]) -> None:
        of_archive = self.assignment or names.assignment_in(archive.path.name, self.known)
        for claim in claims:
            file = claim.handed.file
            own = names.assignment_of(file[-1].removesuffix(".ipynb"), self.known)
            own = own or next((found for part in file[:-1] if (found := names.assignment_of(part, self.known))), None)
            claim.assignment = own or of_archive or names.assignment_in(file[-1], self.known)
        nameless = [claim for claim in claims if claim.assignment is None]
        if nameless and len(nameless) == len(claims):
            for claim in claims:
                claim.assignment = ""
            self.summary.refused += len({claim.handed.key for claim in claims})
            self.say(
                f"{archive.path.name}: neither its name nor those of the notebooks tell the assignment. Give it with "
                f"--assignment; known are: {', '.join(self.known)}."
            )

    # Who people are

    def _students(self, people: dict[tuple[str, ...], Handed], lms: str) -> dict[tuple[str, ...], str]:
        """Give each person of an archive the name of a folder, and refuse those who cannot be told apart."""
        found: dict[tuple[str, ...], str] = {}
        for key, handed in people.items():
            person = self.roster.find(handed.name, handed.ids) if self.roster else None
            try:
                found[key] = self._student(handed, person, lms)
            except ValueError as error:
                self._refuse(shown(_who(handed)), f"{error}.")
                continue
            if self.roster and not person:
                self.say(f"{shown(_who(handed))}: is not in {self.roster.path.name}. Look whether the names agree.")
        same = defaultdict(list)
        for key, student in found.items():
            same[names.fold(student)].append(key)
        for keys in same.values():
            spelled = sorted({shown(_who(people[key])) for key in keys})
            if len(keys) > 1:
                for key in keys:
                    del found[key]
                self.summary.refused += len(keys) - 1
                how = "have names that differ only in case or in signs" if len(spelled) > 1 else "have the same name"
                self._refuse(
                    " and ".join(spelled),
                    f"{len(keys)} submitters {how}, and cannot be told apart. "
                    + ("Rename one." if lms == FOLDER else "Give the LMS's table with --roster."),
                )
        return found

    def _student(self, handed: Handed, person: Person | None, lms: str) -> str:
        """Find the student whom a person is known as, or a name for a new one."""
        ids = self._ids(handed, person)
        name = (person.name if person else "") or handed.name
        student = self.ledger.student_with(ids)
        if not student and lms == MOODLE:
            # Moodle's archive tells no id that lasts: the name has to do.
            called = self.ledger.students_called(name, ids)
            student = called[0] if len(called) == 1 else None
        student = student or names.student_name(self._proposed(handed, person, lms))
        there = self._folders.get(names.fold(student), student)
        if unicodedata.normalize("NFC", there) != student:
            raise ValueError(f"differs only in case from {there}, who is in the class. If it is the same, use one name")
        student = there
        if self.ledger.is_another(student, {kind: value for kind, value in ids.items() if kind != FOLDER}):
            raise ValueError(
                f"would be {student}, but somebody else of that name is in the class already. Give the LMS's table "
                "with --roster"
            )
        return student

    def _proposed(self, handed: Handed, person: Person | None, lms: str) -> str:
        if person and person.ids:
            kind, value = next(iter(person.ids.items()))
            return f"{kind}_{value}" if kind in ("participant", "canvas") else value
        if lms == CANVAS:
            return "_".join(filter(None, (handed.name or "anon", *handed.ids.values())))
        if lms == GRADESCOPE:
            return next(iter(handed.ids.values()), handed.name)
        return handed.name

    def _ids(self, handed: Handed, person: Person | None) -> dict[str, str]:
        return lasting({**handed.ids, **(person.ids if person else {})}, self._assignment)

    def _times_apply(self, claims: dict[tuple[str, ...], list[_Claim]]) -> bool:
        """Whether the times in the roster are those of what is collected; they are of one assignment."""
        if not self.roster:
            return False
        if self.roster.unread_times:
            self.say(
                f"{self.roster.path.name}: {self.roster.unread_times} times cannot be read, and were left out. Switch "
                "the LMS to English and download it again."
            )
            self.roster.unread_times = 0
        of = {claim.assignment for each in claims.values() for claim in each}
        if self.roster.has_times and len(of) > 1 and not self.assignment:
            self.say(
                f"{self.roster.path.name}: its times are those of one assignment, and were left out. Collect one "
                "assignment at a time with --assignment."
            )
            return False
        return self.roster.has_times

    # What is done with a submission

    def _person(
        self,
        archive: Archive,
        lms: str,
        student: str,
        claims: list[_Claim],
        others: list[str],
        handed: Handed,
        *,
        times: bool,
    ) -> None:
        if any(Path(other).name == TIMESTAMP for other in others):
            self.say(f"{student}: {TIMESTAMP} was left out, since a student can write it.")
        if rest := [shown(other) for other in others if Path(other).name != TIMESTAMP]:
            more = f" and {len(rest) - 3} more" if len(rest) > 3 else ""
            left = f"{', '.join(rest[:3])}{more}"
            if claims:
                self.say(f"{student}: {left} was left out. Only the notebook is graded.")
            else:
                self._refuse(student, f"handed in {left}, and no notebook.")
        by_assignment: dict[str, list[_Claim]] = defaultdict(list)
        for claim in claims:
            if claim.assignment is None:
                self._refuse(
                    f"{student}: {claim.shown}",
                    f"tells no assignment. Give it with --assignment; known are: {', '.join(self.known)}.",
                )
            elif self.assignment and claim.assignment != self.assignment:
                self._refuse(
                    f"{student}: {claim.shown}", f"is called after {claim.assignment}, and not {self.assignment}."
                )
            elif claim.assignment:
                by_assignment[claim.assignment].append(claim)
        for assignment, candidates in by_assignment.items():
            self._submission(archive, lms, student, assignment, candidates, handed, times=times)

    def _submission(
        self,
        archive: Archive,
        lms: str,
        student: str,
        assignment: str,
        claims: list[_Claim],
        handed: Handed,
        *,
        times: bool,
    ) -> None:
        person = self.roster.find(handed.name, handed.ids) if self.roster else None

        def rank(claim: _Claim) -> tuple[bool, int, datetime, bool]:
            stem = claim.handed.file[-1].removesuffix(".ipynb")
            named = names.assignment_of(stem, self.known) == assignment
            # An LMS may give all of them one time: then a copy is not what was meant.
            return named, claim.handed.number, self._utc(claim.entry.time) or datetime.min, stem == assignment

        claims = sorted(claims, key=rank)
        for claim in reversed(claims):
            try:
                data = claim.entry.read()
            except BadEntry as error:
                self._refuse(f"{student}: {claim.shown}", str(error))
                continue
            break
        else:
            return
        if len(claims) > 1:
            rest = ", ".join(other.shown for other in claims if other is not claim)
            self.say(f"{student}: handed in {len(claims)} notebooks. {claim.shown} was taken, and not {rest}.")
        stamp = self._utc(claim.entry.time) or datetime.fromtimestamp(int(archive.path.stat().st_mtime), UTC)
        time = self._utc(claim.handed.time) or (person.submitted if person and times else None)
        if lms == FOLDER and not time:
            time = self._utc(claim.entry.time)
        received = Received(
            lms=lms,
            archive=archive.path.name,
            file=claim.entry.name,
            sha256=hashlib.sha256(data).hexdigest(),
            time=time.isoformat() if time else None,
            archive_time=stamp.replace(tzinfo=None).isoformat(),
            number=claim.handed.number,
            late=claim.handed.late,
        )
        self.summary.assignments.add(assignment)
        self._decide(student, assignment, claim, data, received)
        self._folders[names.fold(student)] = student
        self.ledger.meet(student, (person.name if person else "") or handed.name, self._ids(handed, person))

    def _decide(self, student: str, assignment: str, claim: _Claim, data: bytes, received: Received) -> None:
        folder = self.course.folder("submitted", student, assignment)
        notebook = folder / f"{assignment}.ipynb"
        known = self.ledger.find(student, assignment)
        if not os.path.lexists(folder):
            self.summary.taken += 1
        elif _sha256(notebook) == received.sha256:
            self.summary.skipped += 1
            if known is None:
                self.ledger.note(student, assignment, received)
            elif received.time and received.time != known.time and known.sha256 == received.sha256:
                self.ledger.note(student, assignment, replace(known, time=received.time))
            return
        elif known and not received.is_newer_than(known):
            self.summary.skipped += 1
            self.say(f"{student}: {claim.shown} is not newer than the {assignment} that is there, and was skipped.")
            return
        else:
            self.summary.replaced += 1
            away = self._away(student, assignment)
            self.say(
                f"{student}: {claim.shown} replaces the older {assignment}, which was moved to "
                f"{away.relative_to(self.course.class_folder)}."
            )
            if not self.dry_run:
                away.parent.mkdir(parents=True, exist_ok=True)
                os.replace(folder, away)
        self.summary.timeless += received.time is None
        self.summary.late += received.late
        if not self.dry_run:
            self._write(folder, notebook.name, data)
            self.ledger.note(student, assignment, received)

    def _write(self, folder: Path, name: str, data: bytes) -> None:
        """Put a submission into place, whole or not at all."""
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self.course.class_folder, prefix=".collecting-") as temporary:
            new = Path(temporary, "new")
            new.mkdir()
            (new / name).write_bytes(data)
            os.replace(new, folder)

    def _away(self, student: str, assignment: str) -> Path:
        base = self.course.folder("replaced", student, assignment)
        time = f"{datetime.now(UTC):%Y-%m-%dT%H%M%SZ}"
        return next(
            path
            for number in range(1, 10_000)
            if not os.path.lexists(path := base / (time if number == 1 else f"{time}-{number}"))
        )

    def _missing(self) -> None:
        if not self.roster or self.dry_run:
            return
        for assignment in sorted(self.summary.assignments):
            self.summary.missing[assignment] = [
                person.name or next(iter(person.ids.values()))
                for person in self.roster.people
                if not (student := self.ledger.student_with(lasting(person.ids, assignment)))
                or not self.ledger.find(student, assignment)
            ]

    def _utc(self, time: datetime | None) -> datetime | None:
        """A time in UTC without a time zone; what has none is in that of the LMS."""
        if time is None:
            return None
        return (time if time.tzinfo else time.replace(tzinfo=self.zone)).astimezone(UTC).replace(tzinfo=None)

    def _refuse(self, what: str, why: str) -> None:
        self.summary.refused += 1
        self.say(f"{what}: {why}")


def lasting(ids: dict[str, str], assignment: str) -> dict[str, str]:
    """Ids under kinds that mean one thing in the whole class: Moodle numbers participants anew in each assignment."""
    return {f"{kind}/{assignment}" if kind == "participant" else kind: value for kind, value in ids.items()}


def _who(handed: Handed) -> str:
    return handed.name or " ".join(handed.ids.values())


def _is_notebook(parts: tuple[str, ...]) -> bool:
    return parts[-1].lower().endswith(".ipynb")


def _sha256(path: Path) -> str | None:
    if path.is_symlink() or not path.is_file():
        return None
    return hashlib.sha256(path.read_bytes()).hexdigest()
