"""The instructor's report: numbers against hand-computed ones, copies found and independent work left alone, one page
that a student's text cannot turn against the instructor."""

import json
import random
import re
import time
from itertools import pairwise

import nbformat
import pandas as pd
import pytest
from bs4 import BeautifulSoup
from conftest import BANK, ROOT
from nbgrader.api import Gradebook
from payloads import CHROMIUM, HTML, RUN, TEXT, Page, in_browser
from typer.testing import CliRunner

from autograder import figures
from autograder.cli import app
from autograder.grading import answer_bank
from autograder.grading.course import Course
from autograder.grading.record import BY_HAND, NOT_ATTEMPTED, PARTIAL, PASSED, WRONG, Record, Records, TestRecord
from autograder.insight import charts, mistakes, pages, report, similarity, statistics
from autograder.insight.results import MISSING, UNREADABLE, WAITING, read

A = "01_backward_loop"


def tried(name, score, outcome=None, message=None, of=2.0):
    kind = outcome or (PASSED if score == of else PARTIAL if score else WRONG)
    return TestRecord(f"test-{name}", f"Exercise {name}", name, of, score, kind, message, 0.1)


def record(student, tests, assignment=A, state="graded", **more):
    answers = more.pop("answers", {test.answer: f"def f():\n    return '{test.outcome}'" for test in tests})
    return Record(student, assignment, state, tests=tests, answers=answers, seconds=2.0, kernels=1, **more)


@pytest.fixture
def make_class(tmp_path):
    def make(*records, handed_in=()):
        for one in records:
            Records(tmp_path / "records").put(one)
        for student, assignment in handed_in:
            folder = tmp_path / "submitted" / student / assignment
            folder.mkdir(parents=True)
            (folder / f"{assignment}.ipynb").write_text("{}")
        return Course(class_folder=tmp_path)

    return make


@pytest.fixture
def shown(monkeypatch):
    """What the functions of the report show, as HTML and SVG."""
    found = []

    def keep(thing, **_):
        found.append(thing.data if hasattr(thing, "data") else next(iter(thing.values())))

    for module in (pages, figures):
        monkeypatch.setattr(module, "display", keep)
    return found


def run_all(course, shown):
    """Run the report's cells in this process; returns the text that a reader sees."""
    results = read(course)
    names = {"results": results}
    for cell in report._notebook(results.assignments, "Report").cells:
        if cell.cell_type == "code":
            exec(cell.source.replace("results = load()", ""), names)
    return BeautifulSoup(" ".join(shown), "html.parser").get_text(" ", strip=True)


# --- What is read -----------------------------------------------------------------------------------------------------


def test_the_gradebook_has_the_last_word_on_points_and_on_who_belongs_to_the_class(make_class, tmp_path):
    tests = [tried("a", 0.0), TestRecord("essay", "Essay", "essay", 3, None, BY_HAND)]
    course = make_class(record("ada", tests), record("ben", tests), handed_in=[("ada", A), ("chloe", A)])
    with Gradebook(f"sqlite:///{tmp_path / 'gradebook.db'}") as gradebook:
        gradebook.add_assignment(A)
        gradebook.add_notebook(A, A)
        gradebook.add_grade_cell("test-a", A, A, max_score=2, cell_type="code")
        gradebook.add_grade_cell("essay", A, A, max_score=3, cell_type="markdown")
        for student in ("ada", "dev"):
            gradebook.add_student(student)
        gradebook.add_submission(A, "ada")
        notebook = gradebook.find_submission_notebook(A, A, "ada")
        notebook.late_submission_penalty = 0.5
        grades = {grade.name: grade for grade in notebook.grades}
        grades["test-a"].manual_score, grades["essay"].manual_score = 1.5, 2.0
        for grade in grades.values():
            grade.needs_manual_grade = False
        gradebook.db.commit()
    (tmp_path / "received.json").write_text(
        json.dumps({"form": 1, "people": {"emma": {"name": "", "ids": {}}}, "submissions": {}})
    )
    results = read(course)
    row = results.submissions.set_index("student").loc["ada"]
    assert (row.score, row.max_score, row.by_hand) == (3.0, 5.0, 0.0)
    marks = results.tests.set_index(["student", "test"]).score
    assert marks["ada", "test-a"] == 1.5 and pd.isna(marks["ben", "essay"])
    states = results.handed_in.set_index("student").state.to_dict()
    assert states == {"ada": "graded", "ben": "graded", "chloe": WAITING, "dev": MISSING, "emma": MISSING}
    assert list(pages.missing(results).student) == ["dev", "emma"]


def test_what_cannot_be_read_is_said_and_costs_nothing_else(make_class, tmp_path, shown):
    broken = record("ben", [tried("a", 0.0, NOT_ATTEMPTED)], state="unreadable", intake=["It is not JSON."])
    course = make_class(record("ada", [tried("a", 2.0)]), broken)
    (tmp_path / "records" / "ada" / "02_grad.json").write_text("{")
    (tmp_path / "received.json").write_text("nonsense")
    results = read(course)
    pages.overview(results)
    text = " ".join(shown)
    assert "1 record in records/ could not be read" in text and "received.json" in text
    assert "1 submission graded, 1 unreadable" in text
    # An unreadable notebook says nothing about an exercise.
    assert statistics.difficulty(results.tests).submissions.tolist() == [1]
    states = results.handed_in.set_index(["student", "assignment"]).state
    assert states["ben", A] == UNREADABLE and states["ben", "02_grad"] == MISSING


# --- Numbers ----------------------------------------------------------------------------------------------------------


def test_difficulty(make_class):
    essay = TestRecord("essay", "Essay", "essay", 3, None, BY_HAND)
    course = make_class(
        record("s1", [tried("a", 2.0), tried("b", 2.0), essay]),
        record("s2", [tried("a", 1.0), tried("b", 0.0, NOT_ATTEMPTED), essay]),
        record("s3", [tried("a", 0.0), tried("b", 2.0), essay]),
        record("s4", [tried("a", 2.0), tried("b", 0.0), essay]),
    )
    found = statistics.difficulty(read(course).tests).set_index("answer")
    parts = ["full", "partly", "wrong", "not_attempted", "points"]
    assert found.loc["a", parts].tolist() == [0.5, 0.25, 0.25, 0, 5 / 8]
    assert found.loc["b", parts].tolist() == [0.5, 0, 0.25, 0.25, 0.5]
    assert "essay" not in found.index  # nobody has marked it yet


def test_two_tests_of_one_exercise_count_as_one(make_class):
    second = TestRecord("test-a-2", "Exercise a", "a", 6, 6.0, PASSED)
    found = statistics.difficulty(read(make_class(record("s1", [tried("a", 0.0), second]))).tests)
    assert found[["full", "partly", "points"]].to_numpy().tolist() == [[0, 1, 0.75]]


def crossed(both, one, other, none):
    """Records of students who have a and b right, a alone, b alone, or neither; all have c right."""
    points = [(2.0, 2.0)] * both + [(2.0, 0.0)] * one + [(0.0, 2.0)] * other + [(0.0, 0.0)] * none
    return [record(f"s{i:02}", [tried("a", a), tried("b", b), tried("c", 2.0)]) for i, (a, b) in enumerate(points)]


# The correlation of two right-or-wrong items is (both · none − one · other) / √(product of the four sums).
@pytest.mark.parametrize(
    ("table", "expected", "verdict"),
    [
        ((5, 1, 1, 5), 24 / 36, "separates well (roughly: a small class)"),
        ((20, 10, 10, 20), 300 / 900, "separates"),
        ((10, 10, 10, 10), 0.0, "tells little about who knows the matter"),
        ((1, 19, 19, 1), -360 / 400, "the stronger students fail it more often: check the exercise and its tests"),
    ],
)
def test_discrimination(make_class, table, expected, verdict):
    found = statistics.discrimination(read(make_class(*crossed(*table))).tests).set_index("answer")
    assert found.correlation["a"] == pytest.approx(expected) == found.correlation["b"]
    assert found.verdict["a"] == verdict
    assert found.low["a"] < expected < found.high["a"]
    assert pd.isna(found.correlation["c"]) and "separates nobody" in found.verdict["c"]


def test_a_class_too_small_for_discrimination_is_told_so(make_class, shown):
    charts.discrimination(read(make_class(*crossed(3, 2, 2, 2))))
    assert len(shown) == 1 and "cannot be said: too few submissions to say (fewer than 10)" in shown[0]


# --- Misconceptions ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("f: shape (4,), expected (4, 3).", "f: shape (5,), expected (5, 2).", True),
        ("f: values are wrong. Look at row 1.", "f: values are wrong. Look at rows 0, 2, 3.", True),
        ("f: off by 1.5e-3, -2", "f: off by 7, .5", True),
        ("f: g was called 7 times", "f: g was called twice", True),
        ("f raised ValueError: no 'a'\n  line 2: a = 1", "f raised ValueError: no 'b c'\n  line 9: b = 2", True),
        ("f: dtype float64, expected float32", "f: dtype float32, expected float64", False),
        ("quiz(): a is not it.", "quiz(): b is not it.", False),
        ("Python's if cannot choose. It's late.", "Python's while cannot choose. It's late.", False),
        ("f: the sum", "f: the mean", False),
    ],
)
def test_messages_that_differ_in_values_alone_are_one_mistake(one, other, same):
    assert (mistakes.pattern(one) == mistakes.pattern(other)) is same


def test_misconceptions_are_counted_by_student_with_their_most_usual_answer(make_class):
    def got(student, message, text, name="a"):
        twice = TestRecord(f"test-{name}-2", f"Exercise {name}", name, 2, 0.0, WRONG, message.replace("1", "7"))
        return record(student, [tried(name, 0.0, message=message), twice], answers={name: text})

    course = make_class(
        got("s1", "row 1 is the sum", "rare"),
        got("s2", "row 2 is the sum", "usual"),
        got("s3", "row 3 is the sum", "usual"),
        got("s4", "row 1 is the mean", "other"),
        got("s5", "row 1 is the sum", "elsewhere", name="b"),
        record("s6", [tried("a", 2.0)]),
        record("s7", [tried("a", 0.0, NOT_ATTEMPTED, "not attempted")]),
    )
    results = read(course)
    found = mistakes.frequent(results.tests, results.answers)
    assert found[["answer", "students", "example"]].to_numpy().tolist() == [
        ["a", 3, "usual"],
        ["a", 1, "other"],
        ["b", 1, "elsewhere"],
    ]
    assert found.share[0] == 3 / 5  # of those who tried it


# --- Copies -----------------------------------------------------------------------------------------------------------

BANKED = {}
for _answer in answer_bank.load(BANK, A):
    BANKED.setdefault(_answer.exercise, []).append(_answer)
ORIGINAL = {
    "row-gradient": "def row_gradient(loss, w, x_row, target):\n    start = w.clone().requires_grad_(True)\n"
    "    value = loss(start, x_row, target) * 3\n    zero = torch.zeros(len(w))\n"
    "    (slope,) = torch.autograd.grad(value, (start,))\n    return slope / 3 + zero",
    "agreement": "def agreement(gradients):\n    middle = gradients.median(0).values\n"
    "    bottom = gradients.norm(p=3)\n"
    "    top = (gradients - middle).abs().amax(1)\n    return top / bottom",
    "accumulated-gradient": "def accumulated_gradient(loss, w, X, y, size):\n    parts = []\n    place = 0\n"
    "    while place < len(X):\n        parts.append((place, min(place + size, len(X))))\n        place += size\n"
    "    return sum(grad(loss)(w, X[a:b], y[a:b]) for a, b in parts)",
    "per-sample-gradients": "def per_sample_gradients(loss, w, X, y):\n"
    "    table = {i: row for i, row in enumerate(X)}\n"
    "    back = list(reversed(sorted(table)))\n    filled = [jacrev(loss)(w, table[i], y[i]) for i in back]\n"
    "    return torch.stack(filled[::-1])",
}  # fmt: skip
# The same with other names, comments and order of lines.
COPY = {
    "row-gradient": '# my own work\ndef row_gradient(loss, w, x_row, target):\n    """Slope."""\n'
    "    nothing = torch.zeros(len(w))  # to be safe\n    leaf = w.clone().requires_grad_(True)\n"
    "    out = loss(leaf, x_row, target)*3\n    (g,) = torch.autograd.grad(out, (leaf,))\n    return g/3 + nothing",
    "agreement": "def agreement(gradients):\n    n3 = gradients.norm(p=3)\n    m = gradients.median(0).values\n"
    "    t = (\n        # far\n        (gradients - m).abs().amax(1)\n    )\n    return t / n3",
    "accumulated-gradient": "def accumulated_gradient(loss, w, X, y, size):\n    i = 0\n    pieces = []\n"
    "    while i < len(X):\n        pieces.append( (i, min(i + size, len(X))) )\n        i += size\n"
    "    return sum(grad(loss)(w, X[p:q], y[p:q]) for p, q in pieces)",
    "per-sample-gradients": "def per_sample_gradients(loss, w, X, y):\n    rows = {k: r for k, r in enumerate(X)}\n"
    "    order = list(reversed(sorted(rows)))\n    gs = [jacrev(loss)(w, rows[k], y[k]) for k in order]\n"
    "    return torch.stack(gs[::-1])",
}  # fmt: skip


def answers_of(students, choose, extra=()):
    rows = [
        (f"s{i:03}", A, exercise, choose(i, number, bank).source)
        for i in range(students)
        for number, (exercise, bank) in enumerate(BANKED.items())
    ]
    rows += [(student, A, exercise, text) for student, given in extra for exercise, text in given.items()]
    return pd.DataFrame(rows, columns=["student", "assignment", "answer", "text"])


STUBS = {
    (A, cell.id): cell.source
    for cell in nbformat.read(ROOT / "release" / A / f"{A}.ipynb", 4).cells
    if cell.metadata.get("nbgrader", {}).get("solution")
}
CHOICES = {
    "rotation": lambda i, number, bank: bank[i % len(bank)],
    "rotation of right ones": lambda i, number, bank: (rights := [a for a in bank if a.right])[i % len(rights)],
    "all alike": lambda i, number, bank: bank[0],
    "chance": lambda i, number, bank: random.Random(100 * i + number).choice(bank),
}


@pytest.mark.parametrize("students", [60, 200])
@pytest.mark.parametrize("choose", CHOICES.values(), ids=CHOICES)
def test_a_copied_submission_is_found_and_independent_ones_are_not(choose, students):
    assert similarity.pairs(answers_of(students, choose), STUBS).empty
    found = similarity.pairs(answers_of(students, choose, [("nina", ORIGINAL), ("olaf", COPY)]), STUBS)
    assert found[["a", "b", "alike"]].to_numpy().tolist() == [["nina", "olaf", 4]]


# For three exercises with a chance of 1/2, 1/4 and 1/4: 1 + 2 bits are reached by the first with one of the others, by
# the two others, or by all.
@pytest.mark.parametrize(
    ("bits", "expected"),
    [(0, 1), (1, 1 - 9 / 32), (2, 7 / 16), (3, 1 / 32 * (3 + 3 + 1 + 1)), (5, 1 / 32), (6, 0)],
)
def test_probability_of_evidence_by_chance(bits, expected):
    assert similarity.probability([1 / 2, 1 / 4, 1 / 4], bits) == pytest.approx(expected)


def test_a_class_too_small_to_know_what_is_common_gets_no_suspects(make_class, shown):
    alike = [record(f"s{i}", [tried(name, 2.0) for name in ORIGINAL], answers=ORIGINAL) for i in range(4)]
    pages.show_similar(read(make_class(*alike)))
    assert len(shown) == 1 and "too small to say" in shown[0]


def test_stub_alone_and_broken_code_are_no_evidence():
    stubs = {exercise: STUBS[A, exercise] for exercise in BANKED}
    extra = [(f"empty{i}", stubs) for i in range(2)] + [("deep", {"agreement": "(" * 5000 + ")" * 5000})]
    extra += [("null", {"agreement": "a\x00b"}), ("long", {"agreement": "x = " + "9" * 50_000})]
    assert similarity.pairs(answers_of(60, CHOICES["chance"], extra), STUBS).empty


def test_copydetect_says_how_much_of_a_text_is_in_another():
    copied = similarity.overlap("\n".join(ORIGINAL.values()), "\n".join(COPY.values()))
    right, other = [answer for answer in BANKED["accumulated-gradient"] if answer.right][:2]
    assert min(copied) > 0.6 > max(similarity.overlap(right.source, other.source, STUBS[A, "accumulated-gradient"]))


def test_a_thousand_different_submissions_are_compared_in_seconds():
    frame = answers_of(1000, CHOICES["chance"])
    frame["text"] += [f"\n\n\nmine_{i} = {i} + other({i * 7919 % 1000})" for i in range(len(frame))]
    start = time.process_time()
    assert similarity.pairs(frame, STUBS).empty
    # 12 such assignments in two minutes; it takes a fifth of that.
    assert time.process_time() - start < 10


# --- The report -------------------------------------------------------------------------------------------------------


def test_an_empty_class_is_told_what_to_do(make_class, shown):
    text = run_all(make_class(handed_in=[("ada", A)]), shown)
    assert "has no graded submissions yet. 1 submission waits in submitted/: run python -m autograder grade." in text


def test_a_folder_without_anything(make_class, shown):
    assert "Nobody has handed in. No students are known yet." in run_all(make_class(), shown)


def test_a_class_of_one(make_class, shown):
    tests = [
        tried("a", 2.0),
        tried("b", 0.0, message="row 1 is the sum"),
        TestRecord("e", "Essay", "e", 3, None, BY_HAND),
    ]
    course = make_class(record("ada", tests))
    text = run_all(course, shown)
    for said in (
        "1 student, 1 assignment: 1 submission graded",
        "Everybody has handed in everything.",
        "1 answer to be marked by a person",
        "The hardest exercise is Exercise b: 0% have full marks",
        "cannot be said: too few submissions to say",
        "row 1 is the sum",
        "The class is too small to say.",
        "1 submission: the median is 50%",
    ):
        assert said in text


def test_changes_are_worded_with_care_and_problems_are_counted(make_class, shown):
    change = "The cell test-a was deleted; it was put back."
    course = make_class(
        record("ada", [tried("a", 2.0)], repairs=[change], problems=[change, "Exercise a: row 1 is the sum"]),
        record("ben", [tried("a", 2.0)], repairs=[change], problems=[change, "It wrote 3 GB."], sandbox=False),
        record("cleo", [tried("a", 0.0)], stopped={"a": "stopped because it took too long."}),
    )
    text = run_all(course, shown)
    assert "2 students handed in notebooks in which the assignment's own cells differ" in text
    assert "Nearly always this is an accident" in text
    assert f"{change} 2 {A} ada and ben" in text
    assert "1 answer cell did not run to the end" in text and "Exercise a: stopped because it took too long." in text
    assert "It wrote 3 GB. 1" in text and "1 submission was graded without the sandbox" in text
    assert "Exercise a: row 1 is the sum" not in text  # that belongs to the misconceptions


EVIL = [*HTML[:4], TEXT, "$\\href{javascript:x}{y}$", "\x00\x1b[31m", "</pre></details></td></table><script>x</script>"]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A class whose students write attacks wherever a student can write, and its report."""
    folder = tmp_path_factory.mktemp("class")
    records = Records(folder / "records")
    for i in range(14):
        evil = EVIL[i % len(EVIL)]
        tests = [tried("a", 0.0, message=evil), tried("b", 2.0 if i % 2 else 0.0, message=evil)]
        name = f"<img src=x onerror={RUN.replace('/', '')}>{i}"
        one = record(name, tests, repairs=[evil], problems=[evil], stopped={"a": evil})
        one.intake, one.answers = [evil], {"a": evil, "b": evil, **ORIGINAL}
        records.put(one)
    start = time.monotonic()
    outcome = CliRunner().invoke(app, ["report", "--class", str(folder)])
    assert outcome.exit_code == 0, outcome.output
    return folder / "report", time.monotonic() - start, outcome.output


def test_the_report_is_made_by_one_command_and_in_seconds(made):
    folder, seconds, said = made
    assert str(folder / "report.html") in said.replace("\n", "") and seconds < 30
    notebook = nbformat.read(folder / "report.ipynb", 4)
    assert not [out for cell in notebook.cells for out in cell.get("outputs", []) if out.output_type == "error"]


def test_no_text_of_a_student_runs_or_loads_anything(made, tmp_path):
    html = (made[0] / "report.html").read_text(encoding="utf-8")
    page = Page(html)
    tags = {tag for tag, _ in page.elements}
    assert not tags & {"script", "link", "iframe", "object", "embed", "img", "form", "base"}
    assert not [name for _, held in page.elements for name in held if name.startswith("on")]
    targets = [
        value for _, held in page.elements for name, value in held.items() if name in ("href", "src", "xlink:href")
    ]
    assert targets and all(target.startswith("#") for target in targets)
    assert not re.search(r"url\((?!#)|@import", html)
    assert "default-src 'none'" in html.partition("<style>")[0]
    assert "onerror=" in page.texts  # shown as what it is
    if CHROMIUM:
        assert "<title>INJECTED" not in in_browser(html, tmp_path)


def test_the_page_can_be_read_by_everybody(made):
    soup = BeautifulSoup((made[0] / "report.html").read_text(encoding="utf-8"), "html.parser")
    assert soup.html["lang"] == "en" and soup.title.get_text().startswith("Report on the class")
    levels = [int(heading.name[1]) for heading in soup.find_all(re.compile(r"^h[1-6]$"))]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    names = [heading.get_text() for heading in soup.find_all(re.compile(r"^h[1-6]$"))]
    assert len(names) == len({*names})
    figures_shown = soup.find_all("svg")
    assert len(figures_shown) >= 4 and all(
        svg["role"] == "img" and len(svg["aria-label"]) > 40 for svg in figures_shown
    )
    assert all(table.caption and table.find("th", scope="col") for table in soup.find_all("table"))
    assert all(folded.parent.get("open") is None for folded in soup.select("details.code pre"))
    anchors = {tag["id"] for tag in soup.find_all(id=True)}
    assert all(link["href"][1:] in anchors for link in soup.select('p a[href^="#"]'))


def test_the_executed_notebook_can_be_run_again_where_it_lies(made):
    about = json.loads((made[0] / "report.json").read_text(encoding="utf-8"))
    assert about["class"] == ".." and about["assignments"] == [A]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--assignment", "99_nothing"], "No such assignment: 99_nothing"),
        (["--class", "/nonexistent/class"], "There is no folder /nonexistent/class."),
    ],
)
def test_what_cannot_be_reported_is_refused_in_a_sentence(tmp_path, arguments, said):
    outcome = CliRunner().invoke(app, ["report", "--class", str(tmp_path), *arguments])
    assert outcome.exit_code == 1 and said in outcome.output.replace("\n", " ")
