"""Marks go out as they are in the gradebook, and every id comes back as it was."""

import csv
import io
import json
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbgrader.api import Gradebook
from sqlalchemy import text
from typer.testing import CliRunner

from autograder import cli
from autograder.grading.course import Course, GradingError
from autograder.grading.record import BY_HAND, NOT_ATTEMPTED, PASSED, Record, Records, TestRecord
from autograder.lms import exports
from autograder.lms.collect import Misuse
from autograder.lms.exports import Marksheet, export, guarded, unguarded
from autograder.lms.ledger import Ledger, Received
from autograder.lms.roster import Roster

A, B = "01_backward_loop", "02_grad"
# Students by their folders: names and ids of every awkward kind.
PEOPLE = {
    "007": ("=HYPERLINK(\"http://x\";\"y\")", {"canvas": "71", "login": "007", "email": "ada@x.edu"}),
    "ben": ('Müller, "Benny"\nJr.', {"canvas": "72", "login": "ben", "email": "+ben@x.edu"}),
    "משה": ("משה כהן", {"canvas": "73", f"participant/{A}": "13"}),
    "José": ("José Ñ", {"canvas": "74", f"participant/{A}": "14"}),
}  # fmt: skip
MESSAGE = "You return <b>one</b> row & not all."


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Four students: full marks, late with extra credit and a person's mark, waiting for a person, unreadable."""
    folder = tmp_path_factory.mktemp("class")
    ledger, records = Ledger(folder), Records(folder / "records")
    for student, (name, ids) in PEOPLE.items():
        ledger.meet(student, name, ids)
        ledger.note(student, A, Received("canvas", "x.zip", "x", "0", time="2026-06-10T12:14:00"))
        (folder / "submitted" / student / A).mkdir(parents=True)
    ledger.meet("absent", "Not Here", {"canvas": "75"})
    ledger.save()
    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as gradebook:
        gradebook.db.execute(text("PRAGMA synchronous = OFF"))  # it commits after each step
        gradebook.add_assignment(A, duedate=datetime(2026, 6, 10, 12, 0))
        gradebook.add_notebook(A, A)
        gradebook.add_grade_cell("test-hidden-rows", A, A, max_score=3, cell_type="code")
        gradebook.add_grade_cell("written", A, A, max_score=2, cell_type="markdown")
        gradebook.add_solution_cell("written", A, A)
        for student, auto, manual, extra, penalty in (
            ("007", 3, 2, 0, 0),
            ("ben", 1.5, 1, 0.25, 0.5),
            ("משה", 3, None, 0, 0),
            ("José", 0, 0, 0, 0),
        ):
            gradebook.add_student(student)
            gradebook.add_submission(A, student, timestamp=datetime(2026, 6, 10, 12, 14))
            notebook = gradebook.find_submission_notebook(A, A, student)
            notebook.late_submission_penalty = penalty
            test = gradebook.find_grade("test-hidden-rows", A, A, student)
            test.auto_score, test.extra_credit, test.needs_manual_grade = auto, extra, False
            written = gradebook.find_grade("written", A, A, student)
            written.manual_score, written.needs_manual_grade = manual, manual is None
            gradebook.find_comment("written", A, A, student).manual_comment = "Say <i>why</i>." if manual == 1 else None
            state = "unreadable" if student == "José" else "graded"
            outcome = PASSED if auto == 3 else NOT_ATTEMPTED
            tests = [
                TestRecord("test-hidden-rows", "1 Rows", "rows", 3, auto, outcome, MESSAGE if auto < 3 else None),
                TestRecord("written", "2 Why", "written", 2, None, BY_HAND),
            ]
            tests, problems = ([], ["It is cut off."]) if state == "unreadable" else (tests, [])
            records.put(Record(student, A, state, "", "", "", seconds=1.25, tests=tests, problems=problems))
        gradebook.db.commit()
    return folder


@pytest.fixture(autouse=True)
def penalties_as_they_are(monkeypatch):
    """The penalties of this class were written into its gradebook, and are no plugin's."""
    monkeypatch.setattr(exports, "settle_all", lambda course, assignments: None)


@pytest.fixture
def sheet(folder):
    return Marksheet(Course(folder))


def rows(text):
    return list(csv.DictReader(io.StringIO(text.lstrip("\ufeff"), newline="")))


def roster(tmp_path, text):
    path = tmp_path / "roster.csv"
    path.write_bytes(text.encode())
    return Roster.read(path)


def test_the_table_tells_all_of_each_student_and_reads_back(sheet, tmp_path):
    [path], notes = export(sheet, "csv", tmp_path / "marks.csv")
    assert path.read_bytes().startswith(b"\xef\xbb\xbf")
    read = {unguarded(row["student"]): row for row in rows(path.read_bytes().decode("utf-8"))}
    for student, (name, ids) in PEOPLE.items():
        assert unguarded(read[student]["name"]) == name
        assert unguarded(read[student]["email"]) == ids.get("email", "")
    assert all(not row[key].startswith(("=", "+", "-", "@")) for row in read.values() for key in row)
    told = (
        "state",
        "score",
        "max_score",
        "by_machine",
        "by_hand",
        "extra_credit",
        "penalty",
        "waiting",
        "seconds_late",
    )
    assert {student: tuple(row[key] for key in told) for student, row in read.items()} == {
        "007": ("graded", "5", "5", "3", "2", "0", "0", "0", "840"),
        "ben": ("graded", "2.25", "5", "1.5", "1", "0.25", "0.5", "0", "840"),
        "משה": ("waits for a person", "3", "5", "3", "0", "0", "0", "2", "840"),
        "José": ("unreadable", "0", "5", "0", "0", "0", "0", "0", "840"),
        "absent": ("not handed in", "", "5", "", "", "", "", "", ""),
    }
    assert read["ben"]["submitted_at"] == "2026-06-10T12:14:00Z"
    assert any("1 of 5 students wait" in note and "2 points" in note for note in notes)


@given(st.text(st.sampled_from("=+-@\t\r'a ,\"\n＝")) | st.text())
def test_a_guarded_text_is_harmless_and_reads_back(text):
    assert unguarded(guarded(text)) == text
    assert not guarded(text).startswith(("=", "+", "-", "@", "\t", "\r", "＝"))


CANVAS = (
    '"Student",ID,SIS User ID,SIS Login ID,Section,01 Backward Loop (501),Other (502),Final Score\r\n'
    ",,,,,Manual Posting,,\r\n"
    "    Points Possible,,,,,10,4,(read only)\r\n"
    '"=""x""",71,0001,007,"A, B",,3.5,80\r\n'
    "Ben,72,0002,ben,A,2,,\r\n"
    "Moshe,73,0003,,A,,EX,\r\n"
    "José,74,,,A,EX,1,\r\n"
    "Absent,75,,,A,1,2,\r\n"
    "Unknown,99,,,A,,,\r\n"
)


def test_canvas_gets_its_own_table_back_with_marks_in_it(sheet, tmp_path):
    [path], notes = export(sheet, "canvas", tmp_path / "out.csv", roster(tmp_path, CANVAS))
    old, new = (list(csv.reader(io.StringIO(text, newline=""))) for text in (CANVAS, path.read_bytes().decode()))
    assert [row[5] for row in new] == [
        "01 Backward Loop (501)",
        "Manual Posting",
        "10",
        "5",
        "2.25",
        "3",
        "EX",
        "1",
        "",
    ]
    assert [row[:5] + row[6:] for row in new] == [row[:5] + row[6:] for row in old]
    assert any("10 points possible, here there are 5" in note for note in notes)
    assert any("1 marks differ" in note for note in notes)


def test_canvas_without_its_table_gets_ids_of_the_archives(sheet, tmp_path):
    [path], _ = export(sheet, "canvas", tmp_path / "out.csv")
    read = rows(path.read_bytes().decode("utf-8"))
    assert list(read[0])[:5] == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
    assert (read[0]["Student"].strip(), read[0][A]) == ("Points Possible", "5")
    assert {row["ID"]: row[A] for row in read[1:]} == {"71": "5", "72": "2.25", "73": "3", "74": "0", "75": ""}


def test_canvas_a_column_that_is_missing_is_added_and_a_student_who_is_too_is_named(sheet, tmp_path):
    text = "Student,ID,SIS Login ID,Section\n    Points Possible,,,\nAda,71,007,A\n"
    [path], notes = export(sheet, "canvas", tmp_path / "out.csv", roster(tmp_path, text))
    assert (
        path.read_bytes().decode() == f"Student,ID,SIS Login ID,Section,{A}\n    Points Possible,,,,5\nAda,71,007,A,5\n"
    )
    assert any("was added" in note for note in notes)
    assert any("José" in note and "ben" in note for note in notes)


MOODLE = (
    "\ufeffIdentifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,"
    "Last modified (submission),Last modified (grade),Feedback comments\r\n"
    "Participant 11,=Ada,ada@x.edu,Submitted,,5.00,Yes,-,-,\r\n"
    'Participant 12,"Müller, ""B""",+ben@x.edu,Submitted,,5.00,Yes,-,-,Score: old\r\n'
    "Participant 13,משה,,Submitted,,5.00,Yes,-,-,Well done\r\n"
    "Participant 14,José,,Submitted,1.00,5.00,No,-,-,\r\n"
    "Participant 15,Nobody,n@x.edu,No submission,,5.00,Yes,-,-,\r\n"
)


def test_moodle_gets_its_own_worksheet_back_with_grades_and_feedback(sheet, tmp_path):
    [path], notes = export(sheet, "moodle", tmp_path / "out.csv", roster(tmp_path, MOODLE))
    text = path.read_bytes().decode("utf-8")
    assert text.startswith("\ufeffIdentifier") and text.count("\r\n") == MOODLE.count("\r\n")
    old, new = rows(MOODLE), rows(text)
    filled = ("Grade", "Feedback comments")
    assert [{k: v for k, v in row.items() if k not in filled} for row in new] == [
        {k: v for k, v in row.items() if k not in filled} for row in old
    ]
    assert [row["Grade"] for row in new] == ["5", "2.25", "3", "1.00", ""]
    told = new[1]["Feedback comments"]
    assert told.startswith("Score: 2.25 of 5 points.<br>0.5 points were taken off")
    assert "You return &lt;b&gt;one&lt;/b&gt; row &amp; not all." in told and "Say &lt;i&gt;why&lt;/i&gt;." in told
    assert new[2]["Feedback comments"] == "Well done"
    assert any("cannot be changed" in note for note in notes)
    with pytest.raises(Misuse, match="--roster"):
        export(sheet, "moodle", tmp_path / "x.csv")


def test_gradescope_gets_a_result_for_each_submission(sheet, tmp_path):
    files, _ = export(sheet, "gradescope", tmp_path / "out")
    read = {path.parent.name: json.loads(path.read_text(encoding="utf-8")) for path in files}
    assert {student: result["score"] for student, result in read.items()} == {
        "007": 5,
        "ben": 2.25,
        "משה": 3,
        "José": 0,
    }
    first, written = read["ben"]["tests"]
    assert (first["name"], first["score"], first["max_score"], first["status"]) == ("1 Rows", 1.75, 3, "failed")
    assert first["output"] == MESSAGE and "Say <i>why</i>." in written["output"]
    assert (read["007"]["tests"][0]["status"], read["007"]["tests"][1]["status"]) == ("passed", "passed")
    waiting = read["משה"]["tests"][1]
    assert "status" not in waiting and "A person has yet to mark" in waiting["output"]
    assert read["José"]["output"] == "It is cut off."
    allowed = {"visible", "hidden", "after_due_date", "after_published"}
    for result in read.values():
        assert {
            result["visibility"],
            result["stdout_visibility"],
            *(t["visibility"] for t in result["tests"]),
        } <= allowed
        assert "test-hidden-rows" not in json.dumps(result)


def test_nothing_is_written_over_unless_forced(folder, tmp_path):
    out = tmp_path / "marks.csv"
    out.write_text("mine")
    command = ["export", "--to", "csv", "--class", str(folder), "--output", str(out)]
    refused = CliRunner().invoke(cli.app, command)
    assert (refused.exit_code, out.read_text()) == (2, "mine")
    done = CliRunner().invoke(cli.app, [*command, "--force"])
    assert done.exit_code == 0 and "wait for a person" in done.stdout
    assert out.read_text(encoding="utf-8-sig").startswith("student,")


def test_what_is_missing_is_a_sentence(folder, tmp_path):
    with pytest.raises(GradingError, match="grade the class first"):
        Marksheet(Course(tmp_path))
    assert not list(tmp_path.iterdir())
    with pytest.raises(Misuse, match=f"Known are: {A}"):
        Marksheet(Course(folder), ["nothing"])
    with pytest.raises(Misuse, match="Canvas exported"):
        exports.canvas(Marksheet(Course(folder)), tmp_path / "x", roster(tmp_path, MOODLE))
