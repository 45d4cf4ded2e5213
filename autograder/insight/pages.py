"""Sentences, tables and code in the report, as HTML that is harmless whatever a student wrote."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape

import pandas as pd
from IPython.display import HTML, display

from autograder.insight import mistakes, similarity, statistics
from autograder.insight.results import GRADED, MISSING, UNREADABLE, WAITING, ClassResults

NOTHING = "Nothing has been graded yet, so there is nothing to show here."
# Rows of a table. The rest is counted; the functions named below the table give all.
MOST_ROWS = 40
# Characters of a text of a student in a table, and of code below it.
_MOST_TEXT, _MOST_CODE = 600, 3000
_PAIRS_SHOWN = 20
# JupyterLab takes what stands between these for mathematics; an empty element ends it and does not show.
_MATHEMATICS = re.compile(r"([$\\])")


def plain(text: object) -> str:
    """Text of any origin as HTML in which nothing runs, loads or becomes a formula."""
    # A lone surrogate cannot be written to a file.
    clean = str(text).encode("utf-8", "replace").decode("utf-8")
    shown = "".join(char if char.isprintable() or char in "\n\t" else "�" for char in clean)
    return _MATHEMATICS.sub(r"\1<span></span>", escape(shown))


def count(number: int, what: str, many: str | None = None) -> str:
    """A number with its noun: ``1 student``, ``2 students``."""
    return f"{number:,} {what if number == 1 else many or what + 's'}"


def listed(names: Iterable[str], most: int = 3) -> str:
    """Some names and how many more there are."""
    names = list(names)
    rest = [f"{len(names) - most} more"] if len(names) > most else []
    parts = [*names[:most], *rest]
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]])) if parts else "none"


def say(text: str) -> None:
    """Show a paragraph."""
    display(HTML(f"<p>{plain(text)}</p>"))


def table(
    frame: pd.DataFrame,
    caption: str,
    headers: Mapping[str, str],
    *,
    bars: Sequence[str] = (),
    form: Mapping[str, Callable[[object], str]] | None = None,
    most: int = MOST_ROWS,
    more: str = "",
) -> None:
    """Show a frame as a table.

    Args:
        frame: the rows.
        caption: what they are.
        headers: the columns that are shown, with their headings; the first one names the row.
        bars: columns of numbers that get a bar.
        form: how the values of a column are written, by its name.
        most: rows that are shown.
        more: the call that gives all rows.
    """
    form = form or {}
    tops = {name: max(float(frame[name].max()), 1e-9) for name in bars if len(frame)}
    rows = []
    for values in frame[list(headers)].head(most).itertuples(index=False, name=None):
        cells = []
        for position, (name, value) in enumerate(zip(headers, values, strict=True)):
            text = form.get(name, _shown)(value)
            text = text if len(text) <= _MOST_TEXT else text[:_MOST_TEXT].rstrip() + " …"
            inside = plain(text).replace("\n", "<br>")
            if name in tops:
                width = 100 * float(value) / tops[name]
                inside += (
                    '<div style="background:#0072B2;height:.4em;min-width:1px;'
                    f'width:{width:.0f}%" aria-hidden="true"></div>'
                )
            number = isinstance(value, (int, float)) or pd.api.types.is_number(value)
            style = f"text-align:{'right' if number and name not in tops else 'left'};vertical-align:top"
            tag = 'th scope="row"' if position == 0 else "td"
            cells.append(f'<{tag} style="{style}">{inside}</{tag.split()[0]}>')
        rows.append(f"<tr>{''.join(cells)}</tr>")
    head = "".join(f'<th scope="col" style="text-align:left">{plain(header)}</th>' for header in headers.values())
    left = len(frame) - most
    note = f"<p>{count(left, 'more row')} not shown{f'; {more} gives all' if more else ''}.</p>" if left > 0 else ""
    display(
        HTML(
            f'<table><caption style="text-align:left">{plain(caption)}</caption>'
            f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>{note}"
        )
    )


def code(text: str, label: str) -> str:
    """A student's code, folded under a label, as HTML."""
    text = text if len(text) <= _MOST_CODE else text[:_MOST_CODE].rstrip() + "\n…"
    return f"<details><summary>{plain(label)}</summary><pre>{plain(text)}</pre></details>"


def contents(results: ClassResults) -> None:
    """Links to the part of each assignment."""
    if results.assignments:
        links = ", ".join(f'<a href="#{plain(name)}">{plain(name)}</a>' for name in results.assignments)
        display(HTML(f"<p>Assignment by assignment: {links}.</p>"))


def overview(results: ClassResults) -> None:
    """How many handed in and were graded, where the marks come from, and what could not be read."""
    for warning in results.warnings:
        say(warning)
    students = results.handed_in.student.nunique()
    waiting = int((results.handed_in.state == WAITING).sum())
    if results.submissions.empty:
        lies = f"{count(waiting, 'submission')} waits" if waiting == 1 else f"{count(waiting, 'submission')} wait"
        say(
            f"The class {results.name} has no graded submissions yet. "
            + (f"{lies} in submitted/: run python -m autograder grade." if waiting else "Nobody has handed in.")
        )
        return
    states = results.submissions.state.value_counts()
    graded, unreadable = int(states.get(GRADED, 0)), int(states.get(UNREADABLE, 0))
    shares = statistics.shares(results.submissions).share
    say(
        f"Class {results.name}: {count(students, 'student')}, {count(len(results.assignments), 'assignment')}: "
        f"{count(graded, 'submission')} graded, {unreadable:,} unreadable, {waiting:,} handed in and not graded yet. "
        + (f"The median score is {shares.median():.0%} of what could be marked so far." if shares.notna().any() else "")
    )
    unsafe = int((~results.submissions.sandbox.astype(bool)).sum())
    if unsafe:
        say(
            f"{count(unsafe, 'submission')} {'was' if unsafe == 1 else 'were'} graded without the sandbox. Such "
            "marks can be forged; grade them again with it before you rely on them."
        )
    versions = results.submissions[results.submissions.environment != ""].environment.value_counts()
    versions = versions[versions > 0]
    if len(versions) > 1:
        say(
            f"The class was graded in {len(versions)} environments. To have all graded alike, run "
            "python -m autograder grade again."
        )
    for version, number in versions.items():
        say(f"{count(number, 'submission')} with {version}.")


def missing(results: ClassResults) -> pd.DataFrame:
    """Who has not handed in what, those with most first."""
    rows = results.handed_in[results.handed_in.state == MISSING]
    found = rows.astype(object).groupby("student").assignment.agg(["size", ", ".join]).reset_index()
    found.columns = ["student", "number", "assignments"]
    return found.sort_values("number", ascending=False, kind="stable").reset_index(drop=True)


def show_missing(results: ClassResults) -> None:
    """The table of those who have not handed in."""
    rows = missing(results)
    if results.handed_in.empty:
        say("No students are known yet.")
    elif rows.empty:
        say("Everybody has handed in everything.")
    else:
        say(
            f"{count(len(rows), 'student')} of {results.handed_in.student.nunique():,} "
            f"{'has' if len(rows) == 1 else 'have'} not handed in everything. Counted are assignments of which "
            "anybody handed in anything, and all students in the gradebook, in submitted/ and in received.json."
        )
        headers = {"student": "Student", "number": "Missing", "assignments": "Assignments"}
        table(rows, "Not handed in", headers, more="pages.missing(results)")


def show_waiting(results: ClassResults) -> None:
    """Written answers that a person has yet to mark."""
    rows = results.tests[results.tests.score.isna()]
    if results.tests.empty:
        return say(NOTHING)
    if rows.empty:
        return say("No answers wait for a person.")
    found = rows.groupby(["assignment", "exercise"], observed=True).agg(
        answers=("student", "size"), points=("max_score", "sum")
    )
    say(f"{count(len(rows), 'answer')} to be marked by a person, in nbgrader's formgrader (make lab, Nbgrader menu).")
    headers = {"assignment": "Assignment", "exercise": "Exercise", "answers": "Answers", "points": "Points in all"}
    table(found.reset_index(), "Answers that wait for a person", headers, bars=["answers"])
    return None


def show_mistakes(results: ClassResults, most: int = 10) -> None:
    """The most frequent misconceptions, each with an answer that shows it."""
    if results.tests.empty:
        return say(NOTHING)
    rows = mistakes.frequent(results.tests, results.answers, most)
    if rows.empty:
        return say("No answer was found wrong.")
    top = rows.iloc[0]
    where = f"{top.assignment}, " if len(results.assignments) > 1 else ""
    say(
        f"The most frequent one is in {where}{top.exercise}: {count(top.students, 'student')}, {top.share:.0%} of "
        "those who tried the exercise. Messages that differ only in numbers and quoted values count as one."
    )
    rows = rows.assign(number=range(1, len(rows) + 1))
    headers = {"number": "No.", "assignment": "Assignment", "exercise": "Exercise"}
    if len(results.assignments) < 2:
        del headers["assignment"]
    headers |= {"students": "Students", "share": "Of those who tried", "message": "What they were told"}
    table(rows, "Most frequent misconceptions", headers, bars=["students"], form={"share": "{:.0%}".format}, most=most)
    examples = [code(row.example, f"An answer with mistake {row.number}") for row in rows.itertuples() if row.example]
    display(HTML("".join(examples)))
    return None


def show_problems(results: ClassResults) -> None:
    """Submissions that could not be read, answers that stopped, processes that were ended, and other problems."""
    if results.submissions.empty:
        return say(NOTHING)
    ended = results.submissions[results.submissions.kernels > 1]
    unreadable = results.submissions[results.submissions.state == UNREADABLE]
    stopped = results.notes[results.notes.kind == "stopped"]
    if ended.empty and not results.notes.kind.isin(["intake", "stopped", "problem"]).any():
        return say("There were none: each submission could be read and ran to its end.")
    say(
        f"{count(len(unreadable), 'submission')} could not be read, {count(len(ended), 'submission')} ended or blocked "
        f"the process they ran in and went on in a new one, and {count(len(stopped), 'answer cell')} did not run to "
        "the end. None of these cost anybody else anything."
    )
    _show_notes(results.notes[results.notes.kind == "intake"], "What was left out of submissions, or not readable")
    _show_notes(stopped, "Answer cells that did not run to their end")
    _show_notes(results.notes[results.notes.kind == "problem"], "Other problems")
    if len(ended):
        rows = ended.assign(students=ended.student.astype(object)).sort_values("kernels", ascending=False)
        headers = {"students": "Student", "assignment": "Assignment", "kernels": "Processes it took"}
        table(rows, "Submissions that ended their process", headers)
    return None


def show_changes(results: ClassResults) -> None:
    """What had been changed in the assignment's own cells."""
    if results.submissions.empty:
        return say(NOTHING)
    rows = results.notes[results.notes.kind == "repair"]
    if rows.empty:
        return say("Nobody changed any of the assignments' own cells.")
    students = rows.student.nunique()
    say(
        f"{count(students, 'student')} handed in notebooks in which the assignment's own cells differ from what was "
        "given. Nearly always this is an accident: a cell deleted, copied or run through a converter. The grader "
        "rebuilt them, so it changed no mark. If the same student changes tests again and again, talk to them before "
        "you think anything."
    )
    _show_notes(rows, "Changes to the assignment's own cells")
    often = rows.groupby("student", observed=True).agg(changes=("text", "size"), assignments=("assignment", "nunique"))
    often = often[often.assignments > 1].sort_values("changes", ascending=False, kind="stable").reset_index()
    if len(often):
        headers = {"student": "Student", "changes": "Changes", "assignments": "In so many assignments"}
        table(often, "Students with changes in more than one assignment", headers, most=10)
    return None


def _show_notes(notes: pd.DataFrame, caption: str) -> None:
    if notes.empty:
        return
    patterns = {text: mistakes.pattern(text) for text in notes.text.unique()}
    rows = notes.astype(object).assign(pattern=notes.text.astype(object).map(patterns))
    found = rows.groupby("pattern", sort=False).agg(
        text=("text", lambda texts: texts.value_counts().index[0]),
        times=("student", "size"),
        who=("student", lambda names: listed(sorted(set(names)))),
        where=("assignment", lambda names: listed(sorted(set(names)), most=2)),
    )
    found = found.sort_values("times", ascending=False, kind="stable").reset_index()
    headers = {"text": "What happened", "times": "Times", "where": "Assignments", "who": "Students"}
    table(found, caption, headers, most=15, more="results.notes")


def show_similar(results: ClassResults) -> None:
    """Pairs of submissions that are too much alike to be independent."""
    if results.answers.empty:
        return say(NOTHING)
    sizes = results.answers.groupby("assignment", observed=True).agg(
        students=("student", "nunique"), exercises=("answer", "nunique")
    )
    small = [name for name, *size in sizes.itertuples(name=None) if not similarity.large_enough(*size)]
    if len(small) == len(sizes):
        return say(
            "The class is too small to say. With so few submissions nobody can tell a common answer from a copied one."
        )
    if small:
        say(f"Too few submissions to say anything about: {listed(small, 12)}.")
    rows = similarity.pairs(results.answers, results.stubs)
    if rows.empty:
        return say("No two submissions are more alike than chance and a common way to solve the exercises explain.")
    say(
        f"{count(len(rows), 'pair')} of submissions {'shares' if len(rows) == 1 else 'share'} so many "
        "rare answers that chance does not explain it. This "
        "is a reason to look, not a verdict. Two students may have learned from the same page, worked together where "
        "that was allowed, or share a habit. Answers that many students gave count for next to nothing, and names, "
        "comments, formatting and the order of lines count for nothing. The last column but one is the number of pairs "
        "as much alike that such a class would have if all worked alone and the exercises had nothing to do with each "
        "other."
    )
    shown = rows.head(_PAIRS_SHOWN)
    texts = results.answers[results.answers.student.isin({*shown.a, *shown.b})].astype(object)
    texts = texts.set_index(["assignment", "student", "answer"]).text.to_dict()
    overlaps, below = [], []
    for number, row in enumerate(shown.itertuples(), 1):
        both = [[text for (*key, _), text in texts.items() if key == [row.assignment, who]] for who in (row.a, row.b)]
        given = "\n".join(stub for (name, _), stub in results.stubs.items() if name == row.assignment)
        overlaps.append("{:.0%} and {:.0%}".format(*similarity.overlap(*map("\n".join, both), given)))
        answer, students = row.exercises[0]
        below += [
            code(texts[row.assignment, who, answer], f"Pair {number}, {answer}: {who} ({students} such answers)")
            for who in (row.a, row.b)
        ]
    shown = shown.assign(
        pair=range(1, len(shown) + 1),
        who=shown.a + " and " + shown.b,
        of=[f"{row.alike} of {row.compared}" for row in shown.itertuples()],
        rarest=[
            ", ".join(f"{name} ({number} such answers)" for name, number in row.exercises[:3])
            for row in shown.itertuples()
        ],
        overlap=overlaps,
    )
    headers = {
        "pair": "Pair",
        "who": "Students",
        "assignment": "Assignment",
        "of": "Exercises answered alike",
        "rarest": "The rarest of these answers",
        "by_chance": "Such pairs by chance",
        "overlap": "Of each text in the other, by copydetect",
    }
    form = {"by_chance": "{:.1g}".format}
    table(shown, "Submissions that are much alike", headers, form=form, most=_PAIRS_SHOWN)
    if len(rows) > _PAIRS_SHOWN:
        say(f"{len(rows) - _PAIRS_SHOWN} more: similarity.pairs(results.answers, results.stubs) gives all.")
    display(HTML("".join(below)))
    return None


def show_time(results: ClassResults) -> None:
    """How long grading took, and the tests that took longest."""
    if results.submissions.empty:
        return say(NOTHING)
    seconds = results.submissions.seconds
    say(
        f"Grading took {duration(seconds.sum())} of work in all, {duration(seconds.median())} for the median "
        f"submission and {duration(seconds.max())} for the slowest. Several submissions are graded at a time, so you "
        "waited less."
    )
    rows = statistics.slowest(results.tests)
    if rows.empty:
        return None
    headers = {
        "test": "Test",
        "assignment": "Assignment",
        "sum": "In all",
        "median": "Median",
        "max": "Slowest",
    }
    form = dict.fromkeys(("sum", "median", "max"), duration)
    table(rows, "Tests that took longest", headers, bars=["sum"], form=form)
    return None


def duration(seconds: float) -> str:
    """A time as people say it."""
    if seconds < 1:
        return f"{1000 * seconds:.0f} ms"
    if seconds < 120:
        return f"{seconds:.1f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes / 60:.1f} h"


def _shown(value: object) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
