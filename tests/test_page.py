"""The feedback page: it says what became of a submission and what to do, is safe to open, and readable by anybody."""

import html
import re
import time
from datetime import datetime
from itertools import pairwise

import nbformat
import pytest
from bs4 import BeautifulSoup
from conftest import ROOT, SOURCES, read, role
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from payloads import BUNDLES, CHROMIUM, HTML, MARKDOWN, RUN, TEXT, Page, in_browser

from autograder.grading.gradebook import Mark, Marks
from autograder.grading.page import page, text
from autograder.grading.reading import untouched
from autograder.grading.record import BY_HAND, NOT_ATTEMPTED, PARTIAL, PASSED, WRONG, Record

NAME = "04_per_sample_gradients"
MESSAGE = "gradient_norms(f, p, X, Y): your code raised IndexError:\n    line 3: rows[9]\nAsk <which> row is meant."
ALL_RIGHT = {"test-*": PASSED, "written-answer": BY_HAND}


def source_of(name):
    return read(ROOT / "source" / name / f"{name}.ipynb")


def release_of(name=NAME):
    return read(ROOT / "release" / name / f"{name}.ipynb")


def record_of(outcomes, name=NAME, messages=None, **fields):
    """A record in which tests have these outcomes, by name or by "test-*", and the others were not attempted."""
    tests = untouched(source_of(name))
    for test in tests:
        default = outcomes.get("test-*", NOT_ATTEMPTED) if test.name.startswith("test-") else NOT_ATTEMPTED
        test.outcome = outcomes.get(test.name, default)
        test.score = {PASSED: test.max_score, PARTIAL: 1.0, BY_HAND: None}.get(test.outcome, 0.0)
        test.message = (messages or {}).get(test.name)
    return Record("ada", name, tests=tests, **{"state": "graded"} | fields)


def marks_of(record, **cells):
    """The gradebook's marks of a record; of the cells named here with these changes."""
    marks = {test.name: Mark(test.max_score, test.score, waits=test.score is None) for test in record.tests}
    for name, changes in cells.items():
        for attribute, value in changes.items():
            setattr(marks[name.replace("_", "-")], attribute, value)
    return Marks("ada", record.assignment, marks)


def soup(*parts):
    return BeautifulSoup(page(*parts), "html.parser")


def section(found, heading):
    """What the page says of one exercise."""
    return found.find("h2", string=re.compile(re.escape(heading))).parent


def said(element):
    return " ".join(element.get_text().split())


def overview(found):
    """State and points by exercise."""
    rows = [[said(cell) for cell in row.find_all(["th", "td"])] for row in found.tbody.find_all("tr")]
    return {exercise: (state[1:].strip(), points) for exercise, state, points in rows}


# --- What it says -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("outcome", "mark", "state", "points"),
    [
        (PASSED, {}, "done", "3 of 3 points"),
        (WRONG, {}, "to repair", "0 of 3 points"),
        (PARTIAL, {}, "to repair", "1 of 3 points"),
        (NOT_ATTEMPTED, {}, "not attempted", "0 of 3 points"),
        (BY_HAND, {}, "waits for a person", "up to 3 points"),
        (BY_HAND, {"manual": 2.0, "waits": False}, "marked by a person", "2 of 3 points"),
        (BY_HAND, {"manual": 3.0, "waits": False}, "done", "3 of 3 points"),
        (WRONG, {"manual": 3.0}, "done", "3 of 3 points"),
        (WRONG, {"manual": 1.5}, "to repair", "1.5 of 3 points"),
        (PASSED, {"manual": 1.0}, "marked by a person", "1 of 3 points"),
        (WRONG, {"manual": 2.0, "waits": True}, "waits for a person", "2 of 3 points"),
        (PASSED, {"extra_credit": 1.0}, "done", "4 of 3 points"),
    ],
)
def test_the_overview_says_what_became_of_an_exercise(outcome, mark, state, points):
    record = record_of({"test-leave-one-out": outcome})
    found = overview(soup(record, marks_of(record, test_leave_one_out=mark), release_of()))
    assert found["4 Without this row"] == (state, points)
    assert len(found) == 8


def test_an_exercise_with_several_tests_is_done_when_all_pass():
    record = record_of({"test-*": PASSED, "test-quiz-2": WRONG, "test-wrong-labels-1": NOT_ATTEMPTED})
    found = soup(record, None, release_of())
    assert overview(found)["7 Quiz"] == ("to repair", "2 of 3 points")
    assert overview(found)["6 Which labels are wrong?"] == ("to repair", "2 of 5 points")
    assert said(found.caption) == "5 done, 2 to repair, 1 not attempted"


def test_the_score_counts_penalty_and_extra_credit_and_names_what_waits():
    record = record_of({"test-*": PASSED, "written-answer": BY_HAND, "test-quiz-1": WRONG})
    marks = marks_of(record, test_quiz_2={"extra_credit": 2.0})
    marks.penalty, marks.seconds_late, marks.received = 1.0, 7300, datetime(2026, 11, 30, 22, 10)
    found = said(soup(record, marks, release_of()).main)
    for expected in ("Your score so far 25 of 28 points", "3 points wait for a person to mark.",
                     "2 points of extra credit are in the score.",
                     "It came 2 hours after the deadline; 1 point was taken off for that.",
                     "Handed in on 30 November 2026 at 22:10 UTC."):  # fmt: skip
        assert expected in found
    without = said(soup(record, None, release_of()).main)
    assert "Your score so far 24 of 28 points 3 points wait" in without
    assert "deadline" not in without and "extra credit" not in without


def test_a_message_keeps_its_lines_and_its_code_and_the_reason_why_a_cell_stopped_comes_first():
    record = record_of(
        {"test-gradient-norms": WRONG},
        messages={"test-gradient-norms": MESSAGE},
        stopped={"gradient-norms": "SyntaxError: invalid syntax (line 1)"},
    )
    stopped, message = section(soup(record, None, release_of()), "3 One length").find_all(class_="message")
    assert said(stopped) == "SyntaxError: invalid syntax (line 1)"
    assert [paragraph.get_text() for paragraph in message.find_all("p")] == [
        "gradient_norms(f, p, X, Y): your code raised IndexError:",
        "Ask <which> row is meant.",
    ]
    assert message.pre.get_text().strip("\n") == "    line 3: rows[9]"


def test_tests_that_say_the_same_say_it_once():
    names = ["test-wrong-labels-1", "test-wrong-labels-2"]
    record = record_of(dict.fromkeys(names, WRONG), messages=dict.fromkeys(names, "Train first."))
    found = said(section(soup(record, None, release_of()), "6 Which labels"))
    assert found.count("Train first.") == 1
    assert "Test 1 of 2: 0 of 3 points Train first. Test 2 of 2: 0 of 2 points It says the same as test 1." in found


def test_hints_are_folded_in_order_and_only_where_something_is_left_to_do():
    record = record_of({"test-*": PASSED, "test-gradient-norms": WRONG, "test-leave-one-out": NOT_ATTEMPTED})
    found = soup(record, None, release_of())
    hints = [d for d in section(found, "3 One length").find_all("details") if d.summary.string.startswith("Hint")]
    assert [hint.summary.string for hint in hints] == ["Hint 1", "Hint 2", "Hint 3"]
    assert not any(hint.has_attr("open") for hint in hints)
    assert "Think of one row first" in said(hints[0]) and hints[2].code.string == "tensor.norm()"
    assert "Hint 2" in said(section(found, "4 Without this row"))
    assert "Begin with the cell that defines leave_one_out" in said(section(found, "4 Without this row"))
    for done in ("1 The loop", "2 Losses", "5 When the table", "6 Which labels", "7 Quiz"):
        assert "Hint" not in said(section(found, done)) and "Next step" not in said(section(found, done))


def test_it_says_where_to_go_on():
    record = record_of({"test-*": PASSED, "test-gradient-norms": NOT_ATTEMPTED, "test-quiz-3": WRONG})
    assert "Where to go on: 7 Quiz," in said(soup(record, None, release_of()).main)
    record = record_of(ALL_RIGHT)
    found = said(soup(record, None, release_of()).main)
    assert "Nothing is left to repair" in found and "Where to go on" not in found


def test_answers_are_folded_and_stubs_are_not_shown():
    answers = {"quiz": "def quiz():\n    return 'a < b'", "leave-one-out": "raise NotImplementedError"}
    found = soup(record_of({"test-quiz-1": PASSED}, answers=answers), None, release_of())
    (answer,) = section(found, "7 Quiz").find_all("details")
    assert answer.pre.get_text().strip("\n") == answers["quiz"] and not answer.has_attr("open")
    assert "NotImplementedError" not in said(section(found, "4 Without this row"))


def test_what_a_person_gave_and_wrote_is_shown_and_no_comment_is_lost():
    record = record_of({"test-*": PASSED, "test-quiz-1": WRONG, "written-answer": BY_HAND})
    marks = marks_of(record, written_answer={"manual": 2.0, "waits": False}, test_quiz_1={"manual": 1.0, "waits": True})
    marks.comments = {"written-answer": "# Nearly\nWhat of `B`?", "elsewhere": "Tidy work.", "quiz": " "}
    found = soup(record, marks, release_of())
    written = section(found, "8 In your own words")
    assert "A person gave 2 points here. Comment from your teacher Nearly What of B?" in said(written)
    quiz = said(section(found, "7 Quiz"))
    assert "A person gave 1 point here, in place of the machine's 0. A person looks at it again" in quiz
    assert "Comment" not in quiz
    assert "More comments from your teacher Tidy work." in said(found.main)


def test_what_was_noticed_is_told_but_nothing_that_is_for_the_instructor():
    record = record_of(
        ALL_RIGHT, intake=["b.ipynb was taken for it."], repairs=["Cells were moved."], problems=["Graded without it."]
    )
    found = said(soup(record, None, release_of()).main)
    assert "It costs no points by itself" in found
    assert found.index("b.ipynb was taken for it.") < found.index("Cells were moved.")
    assert "Graded without it." not in found + text(record, None, release_of())


@pytest.mark.parametrize("fields", [{"intake": ["It is cut off."]}, {"problems": ["It is cut off."]}])
def test_who_handed_in_something_unreadable_reads_why_and_what_to_do(fields):
    record = record_of({}, state="unreadable", **fields)
    for found in (said(soup(record, None, release_of()).main), text(record, None, release_of())):
        assert "Your submission could not be read" in found and "It is cut off." in found
        assert "0 of 28 points" in found and "Open the notebook in JupyterLab" in found
        assert "not attempted" not in found


def test_a_notebook_without_headings_has_a_page_too():
    graded = {"grade": True, "solution": False, "locked": True, "points": 2}
    cells = [new_code_cell("x = 1", metadata={"nbgrader": {"solution": True, "grade_id": f"a{n}"}}) for n in (1, 2)]
    tests = [new_code_cell("assert x", metadata={"nbgrader": {**graded, "grade_id": f"t{n}"}}) for n in (1, 2)]
    notebook = new_notebook(cells=[cells[0], tests[0], new_markdown_cell("no heading"), cells[1], tests[1]])
    record = record_of({}, "01_backward_loop")
    record.tests = untouched(notebook)
    record.tests[0].outcome, record.tests[0].score = PASSED, 2.0
    assert overview(soup(record, None, notebook)) == {
        "a1": ("done", "2 of 2 points"),
        "a2": ("not attempted", "0 of 2 points"),
    }
    assert soup(record, None, notebook).h1.string == "01_backward_loop"


# --- In plain text ----------------------------------------------------------------------------------------------------


def test_the_plain_text_of_a_good_submission_is_short_and_says_the_same():
    outcomes = ALL_RIGHT | {"test-gradient-norms": WRONG}
    record = record_of(outcomes, messages={"test-gradient-norms": MESSAGE}, repairs=["Cells were moved."])
    summary = text(record, marks_of(record), release_of())
    lines = summary.splitlines()
    assert len(lines) <= 40 and max(map(len, lines)) <= 90
    for expected in ("Feedback: Exercises 04 · Per-sample gradients", "Score so far: 21 of 28 points.",
                     "✓ 1 The loop in one call: done, 3 of 3 points", "To repair: 3 One length for each row",
                     "✎ 3 One length for each row: to repair, 0 of 4 points", "      line 3: rows[9]",
                     "How to go on: start with 3 One length for each row.", "- Cells were moved."):  # fmt: skip
        assert expected in lines
    assert "<" not in summary.replace("<which>", "")


# --- What it keeps to itself ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_no_line_of_a_hidden_test_or_marking_scheme_is_on_a_page(path):
    source, name = read(path), path.stem
    public = "\n".join(c.source for c in release_of(name).cells)
    secret = {line.strip() for c in source.cells for line in c.source.splitlines() if not role(c).get("solution")}
    secret = {line for line in secret if len(line) > 12 and line not in public}
    assert len(secret) > 20
    for outcome in (WRONG, NOT_ATTEMPTED):
        record = record_of({"test-*": outcome, "written-answer": BY_HAND}, name)
        shown = soup(record, None, release_of(name)).get_text() + text(record, None, release_of(name))
        assert not [line for line in secret if line in shown]


ATTACKS = [*HTML, *MARKDOWN, TEXT, *(str(data) for data, _ in BUNDLES)]


def attacked(attack):
    """A submission with the same text everywhere where a student, or a teacher, can write."""
    written = {test.answer: attack for test in untouched(source_of(NAME))}
    outcomes = {"test-*": WRONG, "written-answer": BY_HAND}
    record = record_of(outcomes, messages=dict.fromkeys((t.name for t in record_of({}).tests), attack))
    record.student, record.answers, record.stopped = attack, written, dict(written)
    record.intake, record.repairs, record.problems = [attack], [attack], [attack]
    marks = marks_of(record)
    marks.comments = {"quiz": attack, "elsewhere": attack}
    return record, marks


def test_nothing_that_anybody_wrote_becomes_part_of_the_page():
    plain = Page(page(*attacked("x"), release_of()))
    tags = {tag for tag, _ in plain.elements}
    # What markdown may make of a comment.
    tags |= {"em", "strong", "del", "img", "ul", "ol", "dl", "dt", "dd", "blockquote", "hr", "br", "sub", "sup", "span"}
    tags |= {"b", "i", "div", "center", "table", "tr", "td"}
    for attack in ATTACKS:
        found = Page(page(*attacked(attack), release_of()))
        assert not found.suspects - plain.suspects, attack
        assert {tag for tag, _ in found.elements} <= tags, attack
        unreadable, _ = attacked(attack)
        unreadable.state = "unreadable"
        assert not Page(page(unreadable, None, release_of())).suspects - plain.suspects, attack


@pytest.mark.skipif(not CHROMIUM, reason="no Chromium here to run a page in")
def test_a_browser_runs_nothing_that_anybody_wrote(tmp_path):
    # Each in a frame of its own, where it can neither lead away nor hide another. The policy would hide what got
    # through: it has to hold without.
    pages = [page(*attacked(attack), release_of()).replace("Content-Security-Policy", "none") for attack in ATTACKS]
    frames = [f'<iframe srcdoc="{html.escape(made.replace(RUN, f"top.{RUN}"))}"></iframe>' for made in pages]
    assert "<title>INJECTED" not in in_browser("<title>calm</title>" + "\n".join(frames), tmp_path)


@pytest.mark.skipif(not CHROMIUM, reason="no Chromium here to run a page in")
def test_the_policy_alone_stops_what_a_browser_would_run(tmp_path):
    honest = page(record_of(ALL_RIGHT), None, release_of())
    with_payload = honest.replace("<main>", "<main>" + HTML[0] + HTML[5], 1)
    (tmp_path / "open").mkdir()
    assert "<title>INJECTED" in in_browser(with_payload.replace("Content-Security-Policy", "none"), tmp_path / "open")
    assert "<title>INJECTED" not in in_browser(with_payload, tmp_path)


def test_the_page_loads_nothing():
    found = page(*attacked("![x](https://evil.example/x.png) [x](https://a.example)"), release_of())
    loads = [(tag, a) for tag, a in Page(found).elements if {"src", "srcset", "data", "poster", "background"} & {*a}]
    assert all(tag == "img" and a.get("src", "data:").startswith("data:") for tag, a in loads)
    assert not re.search(r"url\(|@import|<link|<script", found)
    assert "default-src 'none'" in found.partition("<style>")[0]


@pytest.mark.parametrize("odd", ["\ud800", "a\x00b\x1b[31mc", "\u202eabc", "x" * 3_000_000, "\n" * 100_000, "", " "])
def test_odd_texts_are_shown_harmlessly_and_in_little_space(odd):
    record, marks = attacked(odd)
    for made in (page(record, marks, release_of()), text(record, marks, release_of())):
        made.encode("utf-8")
        assert not re.search("[\x00\x1b\u202e]", made)
        assert len(made) < 500_000


# --- Readable by anybody ----------------------------------------------------------------------------------------------


def variants():
    mixed = record_of({"test-*": PASSED, "test-gradient-norms": WRONG, "test-quiz-2": WRONG, "written-answer": BY_HAND},
                      messages={"test-gradient-norms": MESSAGE}, repairs=["x"],
                      answers={"gradient-norms": "x"})  # fmt: skip
    marks = marks_of(mixed)
    marks.comments = {"quiz": "# One\n### Three", "elsewhere": "## Two"}
    return {
        "mixed": (mixed, marks),
        "untouched": (record_of({}), None),
        "all right": (record_of(ALL_RIGHT), None),
        "unreadable": (record_of({}, state="unreadable", intake=["x"]), None),
    }


@pytest.mark.parametrize("variant", variants())
def test_the_page_is_built_for_a_screen_reader(variant):
    found = soup(*variants()[variant], release_of())
    levels = [int(heading.name[1]) for heading in found.find_all(re.compile("^h[1-6]$"))]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert found.html["lang"] == "en" and "Exercises 04" in found.title.string and len(found.find_all("main")) == 1
    assert found.find("meta", attrs={"name": "viewport"})
    assert all(header.get("scope") in ("row", "col") for header in found.find_all("th"))
    assert all(table.caption for table in found.find_all("table"))
    ids = [element["id"] for element in found.find_all(id=True)]
    assert len(ids) == len(set(ids))
    assert {link["href"][1:] for link in found.find_all("a") if link["href"].startswith("#")} <= set(ids)
    assert {element["aria-labelledby"] for element in found.find_all(attrs={"aria-labelledby": True})} <= set(ids)
    assert not found.find_all(attrs={"tabindex": True})
    # A sign alone says nothing to whoever does not see it.
    assert all(said(sign.parent) != said(sign) for sign in found.find_all(attrs={"aria-hidden": "true"}))


def luminance(colour):
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    """The contrast of two colours as WCAG 2 defines it."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_every_colour_of_a_text_can_be_read_in_light_and_in_dark():
    style = soup(record_of(ALL_RIGHT), None, release_of()).style.string
    schemes = [dict(re.findall(r"--(\w+): (#\w{6});", block)) for block in re.findall(r":root \{(.*?)\}", style, re.S)]
    used = set(re.findall(r"[ ;{]color: var\(--(\w+)\)", style))
    backgrounds = set(re.findall(r"background: var\(--(\w+)\)", style))
    assert {"text", "quiet", "link", "done", "repair"} <= used and backgrounds == {"page", "box"}
    assert not re.search(r"(?<!-)\bcolor: #|background: #", style)
    light, dark = (scheme for scheme in schemes if scheme)
    for scheme in (light, dark):
        for background in backgrounds:
            assert all(contrast(scheme[name], scheme[background]) >= 4.5 for name in used)
    assert luminance(dark["page"]) < 0.05 < 0.9 < luminance(light["page"])


def test_a_page_takes_a_few_milliseconds():
    record, marks = variants()["mixed"]
    record.answers = {test.answer: "x = 1\n" * 40 for test in record.tests}
    released = release_of()
    page(record, marks, released)
    times = []
    for _ in range(5):
        started = time.process_time()
        page(record, marks, released)
        times.append(time.process_time() - started)
    assert min(times) < 0.015


def test_the_released_notebook_stays_as_it_is():
    released = release_of()
    before = nbformat.writes(released)
    page(record_of({}), None, released)
    assert nbformat.writes(released) == before
