"""The feedback that a student reads: one page for a submission, and the same in a few lines of plain text.

The page is made of the record of a submission, of its marks, and of the notebook that students received, which holds
nothing but public text. So no hidden test and no marking scheme comes near it. It stands on its own: no script, and
nothing that is loaded. What a student or a teacher wrote is escaped or sanitised, and a Content-Security-Policy stands
behind that.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache, lru_cache
from itertools import groupby
from typing import NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup
from nbformat import NotebookNode

from autograder.examiner.texts import clean as encodable
from autograder.grading.gradebook import Mark, Marks
from autograder.grading.record import BY_HAND, NOT_ATTEMPTED, PASSED, Record, TestRecord
from autograder.grading.sanitise import render

# Characters of an answer and of any other text: more than anybody reads.
_MOST_ANSWER, _MOST_TEXT = 20_000, 4_000
# Of the plain text: lines of one message, and characters of a line.
_MOST_LINES, _WIDTH = 6, 90
_HEADING = re.compile(r"^(#+) +(.+?)[ #]*$", re.MULTILINE)
_HINT = re.compile(r"<details>\s*<summary>(.*?)</summary>(.*?)</details>", re.DOTALL)
_FUNCTION = re.compile(r"^def (\w+)", re.MULTILINE)
# What says nothing on a page or something else than it seems: control characters, and marks that turn text around.
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class State(NamedTuple):
    """What became of an exercise: a sign, the words for it, and a name for the style sheet."""

    sign: str
    words: str
    style: str


DONE = State("✓", "done", "done")
TO_REPAIR = State("✎", "to repair", "repair")
UNTOUCHED = State("○", "not attempted", "untouched")
WAITING = State("⋯", "waits for a person", "waiting")
MARKED = State("◆", "marked by a person", "marked")
_STATES = (DONE, MARKED, TO_REPAIR, UNTOUCHED, WAITING)


@dataclass
class _Section:
    """What the released notebook says of an exercise."""

    heading: str
    hints: list[tuple[str, str]] = field(default_factory=list)
    functions: list[str] = field(default_factory=list)


@dataclass
class _Test:
    """One graded cell as the student sees it."""

    label: str
    points: str
    message: list[tuple[bool, str]]  # (whether these lines are code, the lines)
    notes: list[str]


@dataclass
class _Exercise:
    """One exercise as the student sees it."""

    anchor: str
    heading: str
    state: State
    points: str
    stopped: list[list[tuple[bool, str]]]
    tests: list[_Test]
    hints: list[tuple[str, Markup]]
    functions: list[str]
    written: bool  # in words, not in code
    answers: list[str]
    comments: list[Markup]


@dataclass
class _Feedback:
    """All that the page and the plain text say."""

    title: str
    student: str
    readable: bool
    score: str
    notes: list[str]
    exercises: list[_Exercise]
    counts: list[tuple[State, int]]
    comments: list[Markup]
    noticed: list[str]
    graded: str

    @property
    def start(self) -> _Exercise | None:
        """The exercise to go on with, None if nothing is left to do."""
        order = {TO_REPAIR: 0, UNTOUCHED: 1}
        left = [exercise for exercise in self.exercises if exercise.state in order]
        return min(left, key=lambda exercise: order[exercise.state], default=None)


def page(record: Record, marks: Marks | None, released: NotebookNode) -> str:
    """Return the feedback on a submission as an HTML page that stands on its own.

    Args:
        record: of the submission; one that could not be read gets a page that says what to do.
        marks: what the gradebook holds of it; without, the points are those of the record.
        released: the assignment as students received it.
    """
    return encodable(_template().render(feedback=_feedback(record, marks, released)))


def text(record: Record, marks: Marks | None, released: NotebookNode) -> str:
    """Return the feedback in plain text, short enough for an e-mail. Arguments are those of :func:`page`."""
    feedback = _feedback(record, marks, released)
    lines = [f"Feedback: {feedback.title}", feedback.student, "", f"Score so far: {feedback.score}.", *feedback.notes]
    if not feedback.readable:
        lines += ["", "Your submission could not be read.", *feedback.noticed, "", *_UNREADABLE]
        return encodable("\n".join(map(_wrapped, lines)) + "\n")
    lines.append("")
    lines += [f"{task.state.sign} {task.heading}: {task.state.words}, {task.points}" for task in feedback.exercises]
    for task in feedback.exercises:
        if task.state is TO_REPAIR and (said := _said(task)):
            lines += ["", f"To repair: {task.heading}", *said]
    if feedback.noticed:
        lines += ["", "About your notebook (this costs no points by itself):", *map("- {}".format, feedback.noticed)]
    lines += ["", f"How to go on: start with {feedback.start.heading}." if feedback.start else _NOTHING_LEFT]
    lines.append("The page beside this text shows hints, your answers, and comments from your teacher.")
    return encodable("\n".join(map(_wrapped, lines)) + "\n")


_NOTHING_LEFT = "Nothing is left to repair: go on with the next lesson."
_UNREADABLE = (
    "Open the notebook in JupyterLab. If it opens, save it and hand in that file.",
    "If it does not open, take a fresh copy of the assignment, put your answers into it, save it and hand it in.",
    "Hand in the notebook itself, a file whose name ends in .ipynb: not a link, a PDF or a web page.",
)


@cache
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("autograder.grading", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {"UNREADABLE": _UNREADABLE, "NOTHING_LEFT": _NOTHING_LEFT}
    environment.globals |= {state.style: state for state in _STATES}
    return environment.get_template("feedback.html.jinja")


# --- What there is to say ---------------------------------------------------------------------------------------------


def _feedback(record: Record, marks: Marks | None, released: NotebookNode) -> _Feedback:
    title, sections = _outline(released)
    marked = marks.cells if marks else {}
    comments = dict(marks.comments) if marks else {}
    exercises = [
        _exercise(f"exercise-{number}", section, list(tests), record, marked, comments)
        for number, (section, tests) in enumerate(_by_section(record.tests, sections), start=1)
    ]
    counts = Counter(exercise.state for exercise in exercises)
    readable = record.state != "unreadable"
    noticed = [*record.intake, *record.repairs]
    if not readable:
        noticed = noticed or record.problems
    return _Feedback(
        title=_seen(title or record.assignment),
        student=_seen(record.student),
        readable=readable,
        score=_score(record, marks, released),
        notes=_notes(record, marks),
        exercises=exercises,
        counts=[(state, counts[state]) for state in _STATES if counts[state]],
        # Those that belong to no exercise shown above must not be lost.
        comments=[_rendered(comment) for comment in comments.values() if comment.strip()],
        noticed=[_seen(sentence) for sentence in noticed],
        graded=_moment(record.graded_at),
    )


def _outline(released: NotebookNode) -> tuple[str, dict[str, _Section]]:
    """The title of an assignment, and by the name of each of its cells what is said above it."""
    title, section, sections = "", _Section(""), {}
    for cell in released.cells:
        role = cell.metadata.get("nbgrader") or {}
        if cell.cell_type == "markdown" and not role.get("solution"):
            if heading := _HEADING.search(cell.source):
                section = _Section(heading[2].replace("`", ""))
                title = title or (section.heading if heading[1] == "#" else "")
            section.hints += _HINT.findall(cell.source)
        elif role.get("solution"):
            section.functions += _FUNCTION.findall(cell.source)
        sections[role.get("grade_id") or cell.get("id")] = section
    return title, sections


def _by_section(tests: list[TestRecord], sections: dict[str, _Section]) -> Iterator[tuple[_Section, list[TestRecord]]]:
    """Tests by exercise, in the order of the notebook. Without a heading each answer is an exercise."""

    def place(test: TestRecord) -> tuple[int, str]:
        section = sections.get(test.name)
        return (id(section), "") if section and section.heading else (0, test.exercise or test.answer or test.name)

    for (_, heading), group in groupby(tests, key=place):
        group = list(group)
        section = sections.get(group[0].name, _Section(""))
        yield replace(section, heading=section.heading or heading), group


def _exercise(
    anchor: str,
    section: _Section,
    tests: list[TestRecord],
    record: Record,
    marks: dict[str, Mark],
    comments: dict[str, str],
) -> _Exercise:
    """Put an exercise together. The comments that it shows are taken out of `comments`."""
    state = _state(tests, marks)
    answers = [answer for answer in dict.fromkeys(test.answer for test in tests) if answer is not None]
    # What was not attempted is the text that the assignment came with.
    shown = answers if state is not UNTOUCHED else []
    points, max_score = (sum(of(test, marks) for test in tests) for of in (_points, _max))
    written = all(test.outcome == BY_HAND or test.answer == test.name for test in tests)
    return _Exercise(
        anchor=anchor,
        heading=_seen(section.heading),
        state=state,
        points=f"up to {_count(max_score)}" if state is WAITING and not points else _of(points, max_score),
        stopped=[_blocks(record.stopped[name]) for name in shown if name in record.stopped],
        tests=_tests(tests, marks),
        hints=[_hint(*hint) for hint in section.hints],
        functions=section.functions,
        written=written,
        answers=[_seen(source, _MOST_ANSWER) for name in shown if (source := record.answers.get(name))],
        comments=[_rendered(comment) for name in answers if (comment := comments.pop(name, "").strip())],
    )


def _state(tests: list[TestRecord], marks: dict[str, Mark]) -> State:
    def one(test: TestRecord) -> State:
        mark = marks.get(test.name)
        if mark.waits if mark else test.outcome == BY_HAND:
            return WAITING
        if _points(test, marks) >= _max(test, marks):
            return DONE
        if test.outcome in (BY_HAND, PASSED):
            return MARKED
        return UNTOUCHED if test.outcome == NOT_ATTEMPTED and _points(test, marks) == 0 else TO_REPAIR

    states = {one(test) for test in tests}
    if len(states) == 1:
        return states.pop()
    if states & {TO_REPAIR, UNTOUCHED}:
        return TO_REPAIR
    return WAITING if WAITING in states else MARKED


def _tests(tests: list[TestRecord], marks: dict[str, Mark]) -> list[_Test]:
    """What each test says. Of tests that say the same, one says it."""
    shown, told = [], {}
    for number, test in enumerate(tests, start=1):
        mark, notes = marks.get(test.name), []
        missed = _points(test, marks) < _max(test, marks)
        # What was not attempted needs no test to say so.
        message = test.message if missed and test.message and test.outcome != NOT_ATTEMPTED else ""
        if message in told:
            notes.append(f"It says the same as test {told[message]}.")
            message = ""
        elif message:
            told[message] = number
        if test.outcome == NOT_ATTEMPTED and len(tests) > 1:
            notes.append("Not attempted.")
        notes += _given(mark) if mark else []
        label = f"Test {number} of {len(tests)}" if len(tests) > 1 else ""
        shown.append(_Test(label, _of(_points(test, marks), _max(test, marks)), _blocks(message), notes))
    return shown


def _given(mark: Mark) -> list[str]:
    """What a person changed about a mark, in sentences."""
    notes = []
    if mark.manual is not None:
        instead = f", in place of the machine's {_number(mark.auto)}" if mark.auto is not None else ""
        notes.append(f"A person gave {_count(mark.manual)} here{instead}.")
        if mark.waits:
            notes.append("A person looks at it again, since it was graded again.")
    if mark.extra_credit:
        notes.append(f"Extra credit: {_count(mark.extra_credit)}.")
    return notes


def _points(test: TestRecord, marks: dict[str, Mark]) -> float:
    return marks[test.name].score if test.name in marks else test.score or 0.0


def _max(test: TestRecord, marks: dict[str, Mark]) -> float:
    return marks[test.name].max_score if test.name in marks else test.max_score


def _score(record: Record, marks: Marks | None, released: NotebookNode) -> str:
    if marks and marks.cells:
        return _of(marks.score, marks.max_score)
    if record.tests:
        return _of(record.score, record.max_score)
    roles = [cell.metadata.get("nbgrader") or {} for cell in released.cells]
    return _of(0, sum(role.get("points", 0) for role in roles if role.get("grade") or role.get("task")))


def _notes(record: Record, marks: Marks | None) -> list[str]:
    """What else there is to know of the score."""
    notes = []
    by_hand = sum(test.max_score for test in record.tests if test.outcome == BY_HAND)
    if waiting := marks.waiting if marks else by_hand:
        notes.append(f"{_count(waiting)} {'waits' if waiting == 1 else 'wait'} for a person to mark.")
    if not marks:
        return notes
    if extra := sum(mark.extra_credit for mark in marks.cells.values()):
        notes.append(f"{_count(extra)} of extra credit {'is' if extra == 1 else 'are'} in the score.")
    if marks.seconds_late or marks.penalty:
        late = f"It came {_duration(marks.seconds_late)} after the deadline" if marks.seconds_late else "It came late"
        taken = f"{_count(marks.penalty)} {'was' if marks.penalty == 1 else 'were'}"
        notes.append(f"{late}; {taken if marks.penalty else 'no points were'} taken off for that.")
    if marks.received:
        notes.append(f"Handed in on {marks.received:%d %B %Y} at {marks.received:%H:%M} UTC.")
    return notes


# --- Texts ------------------------------------------------------------------------------------------------------------


def _number(value: float) -> str:
    return f"{round(value, 2):g}"


def _count(points: float) -> str:
    return f"{_number(points)} point{'' if points == 1 else 's'}"


def _of(points: float, max_score: float) -> str:
    return f"{_number(points)} of {_count(max_score)}"


def _duration(seconds: float) -> str:
    for size, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            return f"{math.floor(seconds / size)} {unit}{'' if seconds < 2 * size else 's'}"
    return "less than a minute"


def _moment(iso: str) -> str:
    try:
        return f"{datetime.fromisoformat(iso):%d %B %Y, %H:%M} UTC"
    except ValueError:
        return ""


def _seen(text: str, most: int = _MOST_TEXT) -> str:
    """Without what cannot be seen or misleads, and not longer than anybody reads."""
    kept = _UNSEEN.sub("", text[: most + 1])
    return kept if len(text) <= most else kept[:most].rstrip() + " …"


def _blocks(message: str) -> list[tuple[bool, str]]:
    """A message in runs of lines. Those that start with a space are code: the student's own, or a table of numbers."""
    runs = groupby(_seen(message).strip("\n").splitlines(), key=lambda line: line.startswith(" "))
    return [(is_code, "\n".join(lines)) for is_code, lines in runs]


@lru_cache(maxsize=1000)
def _hint(summary: str, body: str) -> tuple[str, Markup]:
    """A hint of the assignment: the same for the whole class."""
    return summary.strip(), _rendered(body.strip())


def _rendered(markdown: str) -> Markup:
    """Markdown as clean HTML. Headings would break the order of those of the page."""
    return Markup(re.sub(r"<(/?)h[1-6]\b", r"<\1p", render(_seen(markdown, _MOST_ANSWER))))


def _said(task: _Exercise) -> list[str]:
    """What is wrong with an exercise, cut to what an e-mail has room for."""
    blocks = [block for message in (*task.stopped, *(test.message for test in task.tests)) for _, block in message]
    lines = [line for block in blocks for line in block.splitlines()]
    return [f"  {line}" for line in lines[:_MOST_LINES]] + (["  …"] if len(lines) > _MOST_LINES else [])


def _wrapped(line: str) -> str:
    if len(line) <= _WIDTH or line.startswith("   "):  # the latter is code
        return line
    indent = " " * (len(line) - len(line.lstrip()))
    return textwrap.fill(line, width=_WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
