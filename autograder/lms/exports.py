"""Marks for others to read: a table, and what Canvas, Moodle and Gradescope take back.

Points come from nbgrader's gradebook, reasons from the records, names and ids from the ledger and from the table that
the LMS handed out. A table of the LMS's is filled and otherwise written as it was read, to the letter of each cell: it
is the LMS's own text, and it must know its ids again.

In a table of ours, cells with text (names, ids, states) go through `guarded`: a spreadsheet takes a cell that begins
with ``=``, ``+``, ``-``, ``@``, a tab or a carriage return for a formula, so such a text gets an apostrophe in front.
`unguarded` takes it off again, and gives back every text as it was, since one that already begins with apostrophes
before such a sign gets one more.
"""

from __future__ import annotations

import csv
import html
import io
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy.engine import make_url

from autograder.grading.course import Course, GradingError
from autograder.grading.gradebook import Mark, Marks, all_marks
from autograder.grading.lateness import settle_all
from autograder.grading.record import BY_HAND, PASSED, Record, Records, TestRecord, write
from autograder.lms.collect import Misuse, lasting
from autograder.lms.ledger import Known, Ledger
from autograder.lms.names import CANVAS, MOODLE, fold, plain
from autograder.lms.roster import Person, Roster, Table

CSV, GRADESCOPE = "csv", "gradescope"
KINDS = (CSV, CANVAS, MOODLE, GRADESCOPE)
GRADED, WAITS, UNREADABLE, NOT_GRADED, NOT_HANDED_IN = (
    "graded",
    "waits for a person",
    "unreadable",
    "handed in, not graded",
    "not handed in",
)
COLUMNS = (
    "student",
    "name",
    "email",
    "assignment",
    "state",
    "score",
    "max_score",
    "by_machine",
    "by_hand",
    "extra_credit",
    "penalty",
    "waiting",
    "submitted_at",
    "seconds_late",
    "graded_at",
    "sandbox",
    "problems",
)
POINTS_POSSIBLE = "Points Possible"
_OPENING = "Score: "  # of feedback that was written here, and may be written anew
_FORMULA = re.compile(r"'*[=+\-@\t\r＝＋－＠]")


@dataclass
class Line:
    """All that is known of one student in one assignment."""

    student: str
    assignment: str
    known: Known
    handed_in: bool
    marks: Marks | None = None
    record: Record | None = None

    @property
    def state(self) -> str:
        """What became of it, in words."""
        if self.record and self.record.state == "unreadable":
            return UNREADABLE
        if self.marks and self.marks.cells and (self.handed_in or self.record):
            return WAITS if self.marks.waiting else GRADED
        return NOT_GRADED if self.handed_in or self.record else NOT_HANDED_IN

    @property
    def score(self) -> float | None:
        """Points so far, None where there are none to be told."""
        return self.marks.score if self.marks and self.state in (GRADED, WAITS, UNREADABLE) else None


@dataclass
class Exported:
    """What was written.

    Attributes:
        files: the text of each file, by its path.
        notes: what a person should know, in sentences.
    """

    files: dict[Path, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


class Marksheet:
    """The marks of a class."""

    def __init__(self, course: Course, assignments: list[str] | None = None) -> None:
        """Read them.

        Args:
            course: the course and the class.
            assignments: only these; all that anybody has a mark in when left out.

        Raises:
            Misuse: there is no such assignment.
            GradingError: nothing was graded yet.
        """
        if unknown := [name for name in assignments or () if name not in course.assignments]:
            raise Misuse(f"There is no assignment {unknown[0]}. Known are: {', '.join(course.assignments)}.")
        database = make_url(course.nbgrader.coursedir.db_url)
        # Opening a file that is not there would make one.
        if database.get_backend_name() == "sqlite" and not Path(database.database or "").is_file():
            raise GradingError(f"There is no gradebook {database.database}: grade the class first.")
        self.ledger = Ledger(course.class_folder)
        self.lines: dict[str, dict[str, Line]] = {}
        self.max_scores: dict[str, float] = {}
        records = Records(course.step("records"))
        students = {*course.students, *self.ledger.people}
        settle_all(course, assignments or course.assignments)
        with course.nbgrader.gradebook as gradebook:
            of_assignment = {name: all_marks(gradebook, name) for name in assignments or course.assignments}
        for assignment, marks in of_assignment.items():
            if marks or assignments:
                self.max_scores[assignment] = max((each.max_score for each in marks.values()), default=0.0)
                self.lines[assignment] = {
                    student: Line(
                        student,
                        assignment,
                        self.ledger.people.get(student, Known()),
                        course.folder("submitted", student, assignment).is_dir(),
                        marks.get(student),
                        records.find(student, assignment),
                    )
                    for student in sorted(students | set(marks))
                }
        if not self.lines:
            raise GradingError(f"{course.class_folder} has no marks yet: grade the class first.")

    def __iter__(self) -> Iterator[Line]:
        """Every line, by assignment and student."""
        return (line for each in self.lines.values() for line in each.values())

    def waiting(self) -> list[str]:
        """Say in sentences how many marks are not final."""
        notes = []
        for assignment, lines in self.lines.items():
            waits = [line for line in lines.values() if line.state == WAITS]
            if waits:
                points = sum(line.marks.waiting for line in waits if line.marks)
                notes.append(
                    f"{assignment}: {len(waits)} of {len(lines)} students wait for a person to mark {number(points)} "
                    "points in all. Their marks were exported as they are so far."
                )
            if broken := sum(line.state == UNREADABLE for line in lines.values()):
                notes.append(f"{assignment}: {broken} submissions are no readable notebooks. Ask for them again.")
            if left := sum(line.state == NOT_GRADED for line in lines.values()):
                notes.append(f"{assignment}: {left} submissions are not graded yet, and have no mark. Run grade.")
        return notes

    def students_of(self, roster: Roster, assignment: str) -> dict[int, Line]:
        """Find the students of a roster.

        Returns:
            The line of marks for each line of the table where it could be found.
        """
        lines = self.lines[assignment]
        folded = {fold(student): student for student in lines}
        found = {}
        for person in roster.people:
            student = self.ledger.student_with(lasting(person.ids, assignment))
            student = student or next((s for v in person.ids.values() if (s := folded.get(fold(v)))), None)
            student = student or self._called(person, assignment)
            if student in lines:
                found[person.row] = lines[student]
        return found

    def _called(self, person: Person, assignment: str) -> str | None:
        called = self.ledger.students_called(person.name, lasting(person.ids, assignment))
        return called[0] if len(called) == 1 else None


def file_name(kind: str, sheet: Marksheet) -> str:
    """What the file or folder of an export is called."""
    one = f"-{next(iter(sheet.lines))}" if len(sheet.lines) == 1 else ""
    return GRADESCOPE if kind == GRADESCOPE else f"{'marks' if kind == CSV else kind}{one}.csv"


def export(
    sheet: Marksheet, kind: str, output: Path, roster: Roster | None = None, *, force: bool = False
) -> tuple[list[Path], list[str]]:
    """Write marks.

    Args:
        sheet: the marks.
        kind: one of KINDS.
        output: the file, or for Gradescope the folder.
        roster: the table that the LMS handed out, to be filled.
        force: whether to write over files that are there.

    Returns:
        The files, and what a person should know, in sentences.

    Raises:
        Misuse: something is missing for this kind, or a file is there already.
        GradingError: a file cannot be written.
    """
    make: dict[str, Callable[[], Exported]] = {
        CSV: lambda: Exported({output: table(sheet)}),
        CANVAS: lambda: canvas(sheet, output, roster),
        MOODLE: lambda: moodle(sheet, output, roster),
        GRADESCOPE: lambda: gradescope(sheet, output),
    }
    exported = make[kind]()
    there = [path for path in exported.files if path.exists()]
    if there and not force:
        raise Misuse(f"{there[0]} is there already. Give another --output, or --force to write over it.")
    try:
        for path, text in exported.files.items():
            write(path, text)
    except OSError as error:
        raise GradingError(f"{output} cannot be written: {error.strerror}.") from None
    return list(exported.files), [*exported.notes, *sheet.waiting()]


def guarded(text: str) -> str:
    """Make a text harmless to a spreadsheet; see above."""
    return f"'{text}" if _FORMULA.match(text) else text


def unguarded(text: str) -> str:
    """Give back what `guarded` was given."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text


def number(points: float | None) -> str:
    """Points as text, without needless zeros; empty for None."""
    if points is None:
        return ""
    return f"{points:.4f}".rstrip("0").rstrip(".")


def table(sheet: Marksheet) -> str:
    """One row for each student and assignment, in UTF-8 with the mark by which spreadsheets know it."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    writer.writerows(_row(sheet, line) for line in sheet)
    return "\ufeff" + out.getvalue()


def _row(sheet: Marksheet, line: Line) -> list[str]:
    marks, record = line.marks or Marks(line.student, line.assignment), line.record
    has = line.score is not None
    cells = marks.cells.values()
    received = sheet.ledger.received(line.student, line.assignment) or marks.received
    return [
        guarded(line.student),
        guarded(line.known.name),
        guarded(line.known.ids.get("email", "")),
        guarded(line.assignment),
        line.state,
        number(line.score),
        number(marks.max_score or sheet.max_scores[line.assignment]),
        number(sum(cell.auto or 0.0 for cell in cells if cell.manual is None)) if has else "",
        number(sum(cell.manual for cell in cells if cell.manual is not None)) if has else "",
        number(sum(cell.extra_credit for cell in cells)) if has else "",
        number(marks.penalty) if has else "",
        number(marks.waiting) if has else "",
        f"{received:%Y-%m-%dT%H:%M:%SZ}" if received else "",
        number(math.floor(marks.seconds_late)) if received else "",
        record.graded_at if record else "",
        ("yes" if record.sandbox else "no") if record else "",
        str(len(record.problems)) if record else "",
    ]


def canvas(sheet: Marksheet, output: Path, roster: Roster | None) -> Exported:
    """Canvas's gradebook with marks in it.

    Canvas finds a student by ID, SIS User ID or SIS Login ID and leaves alone what did not change, so its own export is
    filled where there is one. A column is an assignment's if its title, without the number behind it, is the
    assignment's name. Marks of students who did not hand in, who are excused (EX) or who do not have the assignment
    (N/A) stay as they are.

    Raises:
        Misuse: the table is not Canvas's.
    """
    exported = Exported()
    if roster and roster.lms != CANVAS:
        raise Misuse(f"{roster.path} is not a gradebook that Canvas exported (Student, ID, …, Section).")
    filled = roster.table if roster else _canvas_table(sheet)
    possible = next((row for row in filled.rows if row[0].strip() == POINTS_POSSIBLE), None)
    for assignment, lines in sheet.lines.items():
        column = _canvas_column(filled, assignment)
        if column is None:
            column = len(filled.header)
            filled.header.append(assignment)
            for row in filled.rows:
                row.insert(column, "")
            if possible:
                possible[column] = number(sheet.max_scores[assignment])
            if roster:
                exported.notes.append(
                    f"{assignment}: {roster.path.name} has no column of that name, so one was added. Canvas will ask "
                    "which assignment it is."
                )
        elif possible and (points := _float(possible[column])) not in (None, sheet.max_scores[assignment]):
            exported.notes.append(
                f"{assignment}: Canvas has {number(points)} points possible, here there are "
                f"{number(sheet.max_scores[assignment])}. Set them in Canvas."
            )
        of_row = (
            sheet.students_of(roster, assignment)
            if roster
            else {place: lines[row[3]] for place, row in enumerate(filled.rows) if row[3]}
        )
        changed = 0
        for row_number, line in of_row.items():
            row = filled.rows[row_number]
            if line.score is None or row[column].strip() in ("EX", "N/A"):
                continue
            old = _float(row[column])
            changed += old is not None and abs(old - line.score) > 0.005
            row[column] = number(line.score)
        if changed:
            exported.notes.append(f"{assignment}: {changed} marks differ from those that Canvas had.")
        exported.notes += _unmatched(lines.values(), of_row.values(), roster)
    exported.files[output] = filled.text()
    return exported


def _canvas_table(sheet: Marksheet) -> Table:
    header = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
    students = sorted({line.student for line in sheet})
    rows = [["    " + POINTS_POSSIBLE, *[""] * 4]]
    for student in students:
        known = sheet.ledger.people.get(student, Known())
        ids = known.ids
        rows.append([guarded(known.name or student), ids.get("canvas", ""), ids.get("sis", ""), student, ""])
    return Table(header, rows)


def _canvas_column(filled: Table, assignment: str) -> int | None:
    titles = [plain(re.sub(r"\s*\(\d+\)$", "", title)) for title in filled.header]
    return titles.index(plain(assignment)) if plain(assignment) in titles else None


def moodle(sheet: Marksheet, output: Path, roster: Roster | None) -> Exported:
    """Moodle's grading worksheet with Grade and Feedback comments filled in.

    Moodle's import (``mod/assign/feedback/offline/importgradeslib.php``) wants the columns Identifier, Grade and Last
    modified (grade), and holds the last against what it has; so the worksheet itself is needed. Feedback comments are
    HTML there. One that a person wrote stays.

    Raises:
        Misuse: there is no worksheet, or more than one assignment.
    """
    if roster is None or roster.lms != MOODLE:
        raise Misuse(
            "Moodle takes marks in its own worksheet only. Download it (Submissions, Actions, Download grading "
            "worksheet) and give it with --roster."
        )
    if len(sheet.lines) != 1:
        raise Misuse(f"A grading worksheet is of one assignment: give --assignment, one of {', '.join(sheet.lines)}.")
    [(assignment, lines)] = sheet.lines.items()
    exported, filled = Exported(), roster.table
    grade, comments, fixed = (filled.column(title) for title in ("Grade", "Feedback comments", "Grade can be changed"))
    of_row = sheet.students_of(roster, assignment)
    locked = kept = above = 0
    for row_number, line in of_row.items():
        row = filled.rows[row_number]
        if line.score is None or grade is None:
            continue
        if fixed is not None and row[fixed].strip().casefold() == "no":
            locked += 1
            continue
        row[grade] = number(line.score)
        maximum = _float(filled.cell(row, "Maximum grade"))
        above += maximum is not None and line.score > maximum
        if comments is not None:
            own = not row[comments].strip() or row[comments].startswith(_OPENING)
            kept += not own
            row[comments] = _feedback(line) if own else row[comments]
    maxima = {_float(filled.cell(row, "Maximum grade")) for row in filled.rows} - {None}
    if maxima and maxima != {sheet.max_scores[assignment]}:
        exported.notes.append(
            f"{assignment}: Moodle has a maximum grade of {number(max(maxima, key=lambda m: m or 0))}, here it is "
            f"{number(sheet.max_scores[assignment])}. Set it in Moodle before you upload."
        )
    for count, what in (
        (above, "marks are above Moodle's maximum, and Moodle will refuse them"),
        (locked, "grades cannot be changed in Moodle, and were left as they are"),
        (kept, "feedback comments were written by a person in Moodle, and were left as they are"),
    ):
        if count:
            exported.notes.append(f"{assignment}: {count} {what}.")
    if comments is None:
        exported.notes.append(
            f"{roster.path.name} has no column Feedback comments: switch them on in Moodle to fill it."
        )
    exported.notes += _unmatched(lines.values(), of_row.values(), roster)
    exported.files[output] = filled.text()
    return exported


def _feedback(line: Line) -> str:
    marks = line.marks or Marks(line.student, line.assignment)
    return "<br>".join(html.escape(text, quote=False).replace("\n", "<br>") for text in _told(line, marks))


def _told(line: Line, marks: Marks) -> Iterator[str]:
    """What a student is told, in lines; it begins with a word, so that no spreadsheet takes it for a formula."""
    yield f"{_OPENING}{number(marks.score)} of {number(marks.max_score)} points."
    if marks.penalty:
        yield f"{number(marks.penalty)} points were taken off because it was late."
    if line.record and line.record.state == "unreadable":
        yield from line.record.problems
    for test in line.record.tests if line.record else ():
        mark = _mark(test, marks)
        if mark.waits and mark.manual is None:
            yield f"{test.exercise}: a person has yet to mark this ({number(mark.max_score)} points)."
        else:
            extra = f", {number(mark.extra_credit)} of them extra" if mark.extra_credit else ""
            text = f"{test.exercise}: {number(mark.score)} of {number(mark.max_score)}{extra}."
            yield f"{text} {test.message}" if test.message else text
        if comment := marks.comments.get(test.answer or test.name):
            yield comment


def gradescope(sheet: Marksheet, output: Path) -> Exported:
    """A results.json for each graded submission, as Gradescope's autograders write it.

    Format: https://gradescope-autograders.readthedocs.io/en/latest/specs/. A test is called after its exercise, and
    says what the student is told; the source of a test is in no record. Files lie in
    ``<output>/<assignment>/<student>/results.json``.
    """
    exported = Exported()
    for line in sheet:
        if line.score is not None:
            text = json.dumps(_results(line), indent=2, ensure_ascii=False)
            exported.files[output / line.assignment / line.student / "results.json"] = text
    return exported


def _results(line: Line) -> dict[str, Any]:
    marks = line.marks or Marks(line.student, line.assignment)
    record = line.record
    told = [f"{number(marks.penalty)} points were taken off because it was late."] if marks.penalty else []
    told += record.problems if record and record.state == "unreadable" else []
    results: dict[str, Any] = {"score": round(marks.score, 4), "visibility": "visible", "stdout_visibility": "hidden"}
    if record:
        results["execution_time"] = round(record.seconds, 1)
    if told:
        results["output"] = "\n".join(told)
    results["tests"] = [_test(test, marks, place) for place, test in enumerate(record.tests if record else (), 1)]
    return results


def _test(test: TestRecord, marks: Marks, place: int) -> dict[str, Any]:
    mark = _mark(test, marks)
    unmarked = mark.waits and mark.manual is None and test.outcome == BY_HAND
    said = ["A person has yet to mark this."] if unmarked else [test.message] if test.message else []
    if comment := marks.comments.get(test.answer or test.name):
        said.append(comment)
    shown: dict[str, Any] = {
        "name": test.exercise,
        "number": str(place),
        "score": round(mark.score, 4),
        "max_score": mark.max_score,
        "output": "\n".join(said),
        "output_format": "text",
        "visibility": "visible",
    }
    if not unmarked:
        full = test.outcome == PASSED if mark.manual is None else mark.score >= mark.max_score
        shown["status"] = "passed" if full else "failed"
    return shown


def _mark(test: TestRecord, marks: Marks) -> Mark:
    """The gradebook's mark of a test; what the record says where the gradebook has none."""
    waits = test.score is None
    return marks.cells.get(test.name) or Mark(test.max_score, auto=test.score, waits=waits)


def _unmatched(lines: Iterable[Line], found: Iterable[Line], roster: Roster | None) -> list[str]:
    have = {line.student for line in found}
    left = [line.student for line in lines if line.score is not None and line.student not in have]
    if not left or not roster:
        return []
    more = f" and {len(left) - 5} more" if len(left) > 5 else ""
    return [f"Not in {roster.path.name}, and so without a mark there: {', '.join(left[:5])}{more}."]


def _float(text: str) -> float | None:
    """A number in a table, also with a decimal comma."""
    try:
        return float(text.strip().replace(",", "."))
    except ValueError:
        return None
