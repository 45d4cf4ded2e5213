"""What an LMS hands out comes in: the right notebook of each student, with its time; nothing else, nowhere else."""

import io
import json
import os
import stat
import tarfile
import tempfile
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from autograder import cli
from autograder.grading.course import Course, GradingError
from autograder.lms import archives, names
from autograder.lms.archives import BadEntry, Caps
from autograder.lms.collect import Collector, Misuse
from autograder.lms.ledger import Ledger
from autograder.lms.roster import Roster

A, B = "01_backward_loop", "02_grad"
EARLY, LATE = (2026, 6, 10, 14, 14, 0), (2026, 6, 11, 9, 0, 0)
FILE = "assignsubmission_file"
MOODLE = f"Ada Lovelace_11_{FILE}"
WORKSHEET = (
    "\ufeffIdentifier,Full name,ID number,Email address,Status,Grade,Last modified (submission)\r\n"
    'Participant 11,Ada Lovelace,007,ada@x.edu,Submitted,,"Wednesday, 10 June 2026, 2:14 PM"\r\n'
    'Participant 12,"Müller, Jürgen",008,jm@x.edu,Submitted,,"Wednesday, June 10, 2026, 11:30 PM"\r\n'
    "Participant 13,Nobody Home,009,nh@x.edu,No submission,,-\r\n"
)
METADATA = """---
submission_5:
  :submitters:
  - :name: Ada Lovelace
    :sid: 007
    :email: ada@x.edu
  - :name: Ben
    :sid: '010'
  :created_at: 2026-06-10 14:14:05.123456789 -07:00
"""


def zipped(members, *, time=EARLY):
    """A zip; members by name are a content, or a content with a time."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items() if isinstance(members, dict) else members:
            content, when = content if isinstance(content, tuple) else (content, time)
            info = name if isinstance(name, zipfile.ZipInfo) else zipfile.ZipInfo(name, when)
            archive.writestr(info, content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


@pytest.fixture
def class_(tmp_path):
    return Class(tmp_path)


class Class:
    """A class folder, and what was said while collecting."""

    def __init__(self, folder, assignments=(A, B)):
        self.folder = folder / "class"
        self.folder.mkdir()
        self.archives = folder / "downloads"
        self.archives.mkdir()
        for name in assignments:
            (folder / "course" / "source" / name).mkdir(parents=True)
            (folder / "course" / "source" / name / f"{name}.ipynb").touch()
        self.course = Course(self.folder, folder / "course")
        self.said = []

    def put(self, content, name=f"{B}.zip"):
        path = self.archives / name
        path.write_bytes(content)
        return path

    def collect(self, content, *, name=f"{B}.zip", roster=None, zone=None, **options):
        path = content if isinstance(content, Path) else self.put(content, name)
        self.said = []
        table = Roster.read(self.put(roster.encode(), "roster.csv"), zone) if roster else None
        return Collector(self.course, self.said.append, roster=table, zone=zone, **options).collect([path])

    def held(self):
        """All files in submitted/, with their contents."""
        base = self.folder / "submitted"
        return {path.relative_to(base).as_posix(): path.read_text() for path in base.rglob("*") if path.is_file()}

    def received(self, student, assignment=B):
        return Ledger(self.folder).received(student, assignment)


def held(**students):
    return {f"{student}/{B}/{B}.ipynb": content for student, content in students.items()}


GRADESCOPE = {
    "assignment_9_export/submission_metadata.yml": METADATA,
    "assignment_9_export/submission_5/02_grad.ipynb": "a",
}


@pytest.mark.parametrize(
    "members, students",
    [
        ({f"{MOODLE}/02_grad.ipynb": "a", f"José Ñ_12_{FILE}_/02_grad.ipynb": "b"}, ["Ada_Lovelace", "José_Ñ"]),
        ({f"{MOODLE}_02_grad.ipynb": "a", f"José Ñ_12_{FILE}_my work.ipynb": "b"}, ["Ada_Lovelace", "José_Ñ"]),
        ({f"{B}/{MOODLE}/sub/02_grad.ipynb": "a"}, ["Ada_Lovelace"]),
        ({"doeada_71_900_02_grad-1.ipynb": "a", "d_1_2_LATE_72_901_x_1_2.ipynb": "b"}, ["doeada_71", "d_1"]),
        ({"doeada_LATE_71_900_02_grad.ipynb": "a", "anon_aB3x9_901_02_grad.ipynb": "b"}, ["doeada_71", "anon_aB3x9"]),
        (GRADESCOPE, ["007", "010"]),
        ({"ada/02_grad.ipynb": "a", "ben/work.ipynb": "b"}, ["ada", "ben"]),
        ({"ada.ipynb": "a", "ben_02_grad.ipynb": "b"}, ["ada", "ben"]),
        ({"02_grad/ada/02_grad.ipynb": "a", "02_grad/ben/02_grad.ipynb": "b"}, ["ada", "ben"]),
        ({"ada/02_grad/02_grad.ipynb": "a"}, ["ada"]),
        ({f"{MOODLE}/work.zip": zipped({"deep/02_grad.ipynb": "a"})}, ["Ada_Lovelace"]),
    ],
)
def test_the_archives_of_each_lms_come_in(class_, members, students):
    summary = class_.collect(zipped(members))
    assert class_.held() == held(**dict(zip(students, "ab" if members is not GRADESCOPE else "aa", strict=False)))
    assert (summary.taken, summary.refused) == (len(students), 0), class_.said


def test_an_unpacked_folder_and_a_tar_come_in_as_the_zip_does(class_, tmp_path):
    folder = tmp_path / "unpacked" / B
    (folder / "ada").mkdir(parents=True)
    (folder / "ada" / "02_grad.ipynb").write_text("a")
    os.symlink("/etc/passwd", folder / "ada" / "link.ipynb")
    assert class_.collect(folder).refused == 1
    assert class_.held() == held(ada="a")
    with tarfile.open(tmp_path / "02_grad.tar.gz", "w:gz") as tar:
        tar.add(folder, "02_grad")
        device = tarfile.TarInfo("02_grad/ben/02_grad.ipynb")
        device.type = tarfile.CHRTYPE
        tar.addfile(device)
        outside = tarfile.TarInfo("../../evil.ipynb")
        tar.addfile(outside)
    summary = class_.collect(tmp_path / "02_grad.tar.gz")
    assert (summary.taken, summary.skipped, summary.refused) == (0, 1, 3)
    assert class_.held() == held(ada="a")


def link(name):
    info = zipfile.ZipInfo(name, EARLY)
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


@pytest.mark.parametrize(
    "name, part",
    [
        ("../evil.ipynb", "leads out"),
        ("ada/../../evil.ipynb", "leads out"),
        ("/etc/evil.ipynb", "absolute"),
        ("C:/evil.ipynb", "absolute"),
        ("ada\\..\\evil.ipynb", "backslashes"),
        ("evil\u202egpj.ipynb", "control characters"),
        ("evil\x1b[2J.ipynb", "control characters"),
        (f"{'x' * 129}/02_grad.ipynb", "128 characters"),
        (f"{'x' * 300}/02_grad.ipynb", "file systems"),
        ("???/02_grad.ipynb", "letter or digit"),
        (link("ada/02_grad.ipynb"), "link"),
    ],
)
def test_a_bad_entry_is_named_and_stops_nothing(class_, name, part):
    summary = class_.collect(zipped([(name, "evil")]))
    assert summary.refused == 1
    assert any(part in line for line in class_.said), class_.said
    assert all(line.isprintable() for line in class_.said)
    assert class_.collect(zipped([(name, "evil"), ("ben/02_grad.ipynb", "b")])).taken == 1
    assert class_.held() == held(ben="b")


def encrypted():
    data = bytearray(zipped({"ada/02_grad.ipynb": "a"}))
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + place] |= 1
    return bytes(data)


def broken():
    data = bytearray(zipped({"ada/02_grad.ipynb": "a" * 100 + "b" * 100}))
    data[data.index(b"02_grad.ipynb") + 14] ^= 0xFF
    return bytes(data)


def deep(levels):
    content, name = b"a", "02_grad.ipynb"
    for _ in range(levels):
        content, name = zipped({name: content}), "work.zip"
    return zipped({f"ada/{name}": content})


@pytest.mark.parametrize(
    "content, part",
    [
        (encrypted(), "encrypted"),
        (broken(), "broken"),
        (zipped({"ada/02_grad.ipynb": "a"})[:-30], "cut off"),
        (b"no archive", "not a zip or tar"),
        (zipped({"ada/02_grad.ipynb": b"\0" * 3_000_000}), "grows more than"),
        (zipped({"ada/02_grad.ipynb": os.urandom(2_000_000)}), "larger than"),
        (zipped({f"ada/{n}.txt": "" for n in range(60)}), "more than 50 entries"),
        (zipped({"ada/work.zip": zipped({f"{n}.ipynb": "" for n in range(20)})}), "more than 10 entries"),
        (zipped({"ada/work.zip": b"no archive"}), "not a zip"),
        (zipped({"ada/work.zip": zipped({"work.ipynb": b"\0" * 3_000_000})}), "grows more than"),
        (deep(2), "archive in an archive in an archive"),
        (zipped({"ada/report.pdf": "x", "ada/02_grad.py": "x"}), "no notebook"),
    ],
)
def test_what_cannot_be_opened_is_refused_in_a_sentence(class_, content, part):
    caps = Caps(entries=50, file_bytes=1_500_000, nested_entries=10)
    if b"\0" * 100 not in content and "grows" in part:
        caps = Caps(entries=50, file_bytes=10_000_000, nested_entries=10)
    summary = class_.collect(content, caps=caps)
    assert class_.held() == {}
    assert summary.refused >= 1
    assert any(part in line for line in class_.said), class_.said


def test_declared_sizes_are_not_believed(tmp_path):
    data = bytearray(zipped({"a.ipynb": os.urandom(900) * 2_000}))
    for mark, place in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        data[data.index(mark) + place : data.index(mark) + place + 4] = (10).to_bytes(4, "little")
    (tmp_path / "a.zip").write_bytes(data)
    with archives.opened(tmp_path / "a.zip", Caps(file_bytes=1_000)) as archive, pytest.raises(BadEntry):
        archive.entries[0].read()


@pytest.mark.parametrize("left_out", ["timestamp.txt", "notes.pdf", "sub/helper.py"])
def test_only_the_notebook_is_taken(class_, left_out):
    summary = class_.collect(
        zipped({f"{MOODLE}/02_grad.ipynb": "a", f"{MOODLE}/{left_out}": "2020-01-01 00:00:00 UTC"})
    )
    assert class_.held() == held(Ada_Lovelace="a")
    assert summary.refused == 0
    assert [line for line in class_.said if "Ada_Lovelace" in line and left_out in line]
    assert class_.received("Ada_Lovelace") is None


@pytest.mark.parametrize(
    "members, taken",
    [
        ({"ada/02_grad.ipynb": ("old", EARLY), "ada/02_grad (1).ipynb": ("new", LATE)}, "02_grad (1).ipynb"),
        ({"ada/02_grad (1).ipynb": ("new", LATE), "ada/02_grad.ipynb": ("old", EARLY)}, "02_grad (1).ipynb"),
        ({"ada/02_grad.ipynb": ("new", EARLY), "ada/scratch.ipynb": ("old", LATE)}, "02_grad.ipynb"),
        ({"x_7_900_02_grad.ipynb": ("old", LATE), "x_7_901_02_grad-1.ipynb": ("new", EARLY)}, "02_grad-1.ipynb"),
    ],
)
def test_of_two_notebooks_the_newest_of_the_right_name_is_taken(class_, members, taken):
    assert class_.collect(zipped(members)).taken == 1
    assert list(class_.held().values()) == ["new"]
    assert any(f"{taken} was taken" in line for line in class_.said), class_.said


def test_entries_of_one_name_are_told_of(class_):
    with pytest.warns(UserWarning):
        double = zipped([("ada/02_grad.ipynb", ("old", EARLY)), ("ada/02_grad.ipynb", ("new", LATE))])
    class_.collect(double)
    assert class_.held() == held(ada="new")
    assert "2 notebooks" in class_.said[0]


@pytest.mark.parametrize("name", ["{}/02_grad.ipynb", f"{{}}_{FILE}/02_grad.ipynb"])
@pytest.mark.parametrize(
    "people", [("ada_1", "Ada_2"), ("Doe, J_1", "Doe; J_2"), ("straße_1", "STRASSE_2"), ("Ada_1", "Ada_2")]
)
def test_people_who_cannot_be_told_apart_are_refused(class_, name, people):
    folder = FILE not in name
    if folder and people == ("Ada_1", "Ada_2"):
        people = ("Ada", "ADA")
    people = [person[:-2] if folder and "_" in person else person for person in people]
    summary = class_.collect(zipped({name.format(person): "x" for person in (*people, "ben_7", "cleo_8")}))
    others = ("ben_7", "cleo_8") if folder else ("ben", "cleo")
    assert class_.held() == held(**dict.fromkeys(others, "x"))
    assert (summary.taken, summary.refused) == (2, 2), class_.said


def test_one_name_written_in_two_unicode_forms_is_one_student(class_):
    class_.collect(zipped({"José/02_grad.ipynb": ("old", EARLY), "Jose\u0301/02_grad.ipynb": ("new", LATE)}))
    assert class_.held() == held(José="new")


def test_a_student_of_other_case_than_one_in_the_class_is_refused(class_):
    class_.collect(zipped({"Ada/02_grad.ipynb": "a"}))
    assert class_.collect(zipped({"ada/02_grad.ipynb": "b"}, time=LATE)).refused == 1
    assert class_.held() == held(Ada="a")


def test_a_newer_one_replaces_an_older_one_which_is_kept(class_):
    first, second = (zipped({"ada/02_grad.ipynb": text}, time=time) for text, time in (("old", EARLY), ("new", LATE)))
    class_.collect(first)
    assert class_.collect(second, dry_run=True).replaced == 1
    assert class_.held() == held(ada="old")
    assert class_.collect(second).replaced == 1
    assert class_.held() == held(ada="new")
    [kept] = (class_.folder / "replaced" / "ada" / B).glob("*/*.ipynb")
    assert kept.read_text() == "old"
    assert kept.parent.relative_to(class_.folder).as_posix() in class_.said[0]
    before = snapshot(class_.folder)
    assert (class_.collect(first).skipped, class_.collect(second).skipped) == (1, 1)
    assert snapshot(class_.folder) == before


def snapshot(folder):
    return {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in folder.rglob("*") if path.is_file()}


def test_what_lies_there_without_a_record_is_kept_aside_too(class_):
    place = class_.folder / "submitted" / "ada" / B
    place.mkdir(parents=True)
    (place / "by hand.txt").write_text("notes")
    assert class_.collect(zipped({"ada/02_grad.ipynb": "a"})).replaced == 1
    assert [path.read_text() for path in (class_.folder / "replaced").rglob("*.txt")] == ["notes"]


def test_an_interruption_loses_nothing(class_, monkeypatch):
    archive = zipped({f"s{n}/02_grad.ipynb": str(n) for n in range(6)})
    write = Collector._write

    def interrupted(self, folder, name, data):
        if data == b"3":
            raise KeyboardInterrupt
        write(self, folder, name, data)

    monkeypatch.setattr(Collector, "_write", interrupted)
    with pytest.raises(KeyboardInterrupt):
        class_.collect(archive)
    assert len(class_.held()) == 3
    monkeypatch.undo()
    summary = class_.collect(archive)
    assert (summary.taken, summary.skipped) == (3, 3)
    assert class_.held() == held(**{f"s{n}": str(n) for n in range(6)})
    assert not list(class_.folder.glob(".collecting*"))


@pytest.mark.parametrize(
    "name, file, options, assignment",
    [
        ("x.zip", "01-Backward Loop (2).ipynb", {}, A),
        ("PT101-02_grad-4711.zip", "work.ipynb", {}, B),
        ("x.zip", "work.ipynb", {"assignment": B}, B),
        (f"{B}.zip", f"{A}.ipynb", {}, A),
        ("x.zip", f"{A}/work.ipynb", {}, A),
        ("x.zip", f"my_{A}_final.ipynb", {}, A),
    ],
)
def test_the_assignment_is_found(class_, name, file, options, assignment):
    class_.collect(zipped({f"ada/{file}": "a"}), name=name, **options)
    assert list(class_.held()) == [f"ada/{assignment}/{assignment}.ipynb"]


def test_an_unknown_assignment_is_refused_once_with_the_known_ones(class_):
    summary = class_.collect(zipped({"ada/work.ipynb": "a", "ben/work.ipynb": "b"}), name="x.zip")
    assert (summary.refused, class_.held(), len(class_.said)) == (2, {}, 1)
    assert A in class_.said[0] and B in class_.said[0]
    with pytest.raises(Misuse, match=f"Known are: {A}, {B}"):
        class_.collect(zipped({}), assignment="03_vmap")
    assert class_.collect(zipped({f"ada/{A}.ipynb": "a"}), assignment=B).refused == 1


ZONE = ZoneInfo("Europe/Paris")
UTC_EARLY = datetime(2026, 6, 10, 12, 14)


@pytest.mark.parametrize(
    "members, roster, student, time",
    [
        ({"ada/02_grad.ipynb": "a"}, None, "ada", UTC_EARLY),
        ({f"{MOODLE}/02_grad.ipynb": "a"}, None, "Ada_Lovelace", None),
        ({"lovelaceada_71_900_02_grad.ipynb": "a"}, None, "lovelaceada_71", None),
        (GRADESCOPE, None, "010", datetime(2026, 6, 10, 21, 14, 5)),
        ({f"{MOODLE}/02_grad.ipynb": "a"}, WORKSHEET, "007", UTC_EARLY),
        ({"M_12_assignsubmission_file/02_grad.ipynb": "a"}, WORKSHEET, "008", datetime(2026, 6, 10, 21, 30)),
        ({"ada@x.edu/02_grad.ipynb": "a"}, WORKSHEET, "007", UTC_EARLY),
        ({"ada/work.zip": (zipped({"02_grad.ipynb": "a"}, time=LATE), EARLY)}, None, "ada", UTC_EARLY),
    ],
)
def test_times_come_from_the_lms_and_are_kept_in_utc(class_, members, roster, student, time):
    class_.collect(zipped(members), roster=roster, zone=ZONE)
    assert f"{student}/{B}/{B}.ipynb" in class_.held()
    assert class_.received(student) == time
    assert class_.received("nobody") is None


def test_times_can_be_given_afterwards(class_):
    archive = zipped({f"{MOODLE}/02_grad.ipynb": "a"})
    assert class_.collect(archive).timeless == 1
    summary = class_.collect(archive, roster=WORKSHEET, zone=ZONE)
    assert (summary.skipped, class_.received("Ada_Lovelace")) == (1, UTC_EARLY)
    assert summary.missing == {B: ["Müller, Jürgen", "Nobody Home"]}


def test_a_person_stays_the_same_student(class_):
    """Canvas's users by id, also after a change of name; Moodle's, whose numbers are an assignment's, by name."""
    class_.collect(zipped({"smithada_71_900_02_grad.ipynb": "a"}))
    class_.collect(zipped({"lovelaceada_71_950_01_backward_loop.ipynb": "b"}), name="x.zip")
    class_.collect(zipped({f"{MOODLE}/02_grad.ipynb": "c"}))
    class_.collect(zipped({"Ada Lovelace_98_assignsubmission_file/01_backward_loop.ipynb": "d"}), name="x.zip")
    assert {path.split("/")[0] for path in class_.held()} == {"smithada_71", "Ada_Lovelace"}
    again = zipped({"Ada Lovelace_12_assignsubmission_file/02_grad.ipynb": "of another"}, time=LATE)
    assert class_.collect(again).refused == 1


@pytest.mark.parametrize("name", ["submission_metadata.yml", "x_1_assignsubmission_file_a.ipynb", "x_1_2_a.ipynb"])
def test_a_students_file_does_not_pass_for_another_lms(class_, name):
    members = {f"{student}/02_grad.ipynb": student for student in ("ada", "ben", "cleo")}
    class_.collect(zipped({**members, f"ada/{name}": METADATA}))
    assert class_.held() == held(ada="ada", ben="ben", cleo="cleo")


def test_a_damaged_ledger_or_table_is_a_sentence(class_):
    with pytest.raises(GradingError, match="UTF-8"):
        Roster.read(class_.put("Identifier,Grade\n\xe9,1".encode("latin-1"), "r.csv"))
    with pytest.raises(GradingError, match="who is in the class"):
        Roster.read(class_.put(b"a,b\n1,2\n", "r.csv"))
    (class_.folder / "received.json").write_text("[]")
    with pytest.raises(GradingError, match=r"received\.json"):
        class_.collect(zipped({"ada/02_grad.ipynb": "a"}))


hostile = st.text(st.sampled_from("ab./\\: \0\x7f\u202eé\u0301-_+@=~$"), min_size=1, max_size=12)
any_name = st.builds(
    str.__add__, hostile | st.text(min_size=1, max_size=40), st.sampled_from(["", ".ipynb", "/02_grad.ipynb", ".zip"])
)


@pytest.mark.filterwarnings("ignore:Duplicate name")
@settings(max_examples=60, deadline=None)
@given(members=st.lists(any_name, min_size=1, max_size=6), kind=st.sampled_from(["zip", "tar"]))
def test_no_name_in_an_archive_leads_out_of_submitted(members, kind):
    with tempfile.TemporaryDirectory() as temporary:
        class_ = Class(Path(temporary))
        path = class_.archives / f"02_grad.{kind}"
        if kind == "zip":
            with zipfile.ZipFile(path, "w") as archive:
                for number, name in enumerate(members):
                    with_name(archive, name, number)
        else:
            with tarfile.open(path, "w", errors="surrogatepass") as tar:
                for name in members:
                    info = tarfile.TarInfo(name)
                    info.size = 1
                    tar.addfile(info, io.BytesIO(b"x"))
        class_.collect(path)
        for found in Path(temporary).rglob("*"):
            parts = found.relative_to(temporary).parts
            assert parts[:2] in {("course", "source"), ("downloads", path.name), ("class", "received.json")} or (
                parts[:2] == ("class", "submitted") and len(parts) <= 5
            ) or len(parts) == 1  # fmt: skip
            if found.suffix == ".ipynb" and parts[0] == "class":
                assert parts[3:] in {(B, f"{B}.ipynb"), (A, f"{A}.ipynb")}
                assert names.student_name(parts[2]) == parts[2]
        assert all(line.isprintable() for line in class_.said)


def with_name(archive, name, number):
    info = zipfile.ZipInfo("x", EARLY)
    info.filename = info.orig_filename = name.encode("utf-8", "replace").decode()
    archive.writestr(info, str(number))


@pytest.mark.parametrize("options, status", [([], 1), (["--assignment", "nothing"], 2), (["--lms", "x"], 2)])
def test_the_command_says_how_it_went(tmp_path, options, status):
    (tmp_path / "x.zip").write_bytes(zipped({"ada/02_grad.ipynb": "a", "../ben.ipynb": "b"}))
    result = CliRunner().invoke(cli.app, ["collect", str(tmp_path / "x.zip"), "--class", str(tmp_path), *options])
    assert result.exit_code == status, result.output
    if status == 1:
        assert result.stdout.splitlines()[-1] == "1 taken, 0 replaced, 0 skipped, 1 refused."
        assert json.loads((tmp_path / "received.json").read_text())["people"]["ada"]["name"] == "ada"
        assert (tmp_path / "submitted" / "ada" / B / f"{B}.ipynb").read_text() == "a"


def test_ruby_times_need_a_zone():
    assert names.ruby_time("2026-06-10 21:14:05.123456789 Z") == datetime(2026, 6, 10, 21, 14, 5, tzinfo=UTC)
    assert names.ruby_time("2026-06-10 21:14:05") is None
