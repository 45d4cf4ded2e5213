"""Show the results of a class: a table, and every problem in plain words."""

from __future__ import annotations

import contextlib
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import groupby

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from autograder.grading.batch import Plan
from autograder.grading.course import Course
from autograder.grading.results import Result

_STATES = {"missing": "not handed in", "unreadable": "unreadable", "failed": "not graded"}
# Submissions whose problems are printed one by one, and students in a table: more than that nobody reads there.
MOST_IN_WORDS = 120
MOST_ROWS = 500
# Seconds between two lines of progress where there is no terminal.
PERIOD = 30


@contextlib.contextmanager
def progress(console: Console) -> Iterator[Callable[[str, int, int], None]]:
    """Show how far the work is and how long it will take, in a terminal as a bar, elsewhere as a line now and then.

    Args:
        console: where.

    Yields:
        A function to be called as ``progress(what, done, total)``.
    """
    if not console.is_terminal:
        yield _Lines(console)
        return
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, TextColumn("left:"), TimeRemainingColumn(), console=console, transient=True) as bar:
        task = bar.add_task("starting")
        yield lambda what, done, total: bar.update(task, description=what, completed=done, total=total)


class _Lines:
    def __init__(self, console: Console) -> None:
        self.console = console
        self.start = self.last = time.monotonic()

    def __call__(self, what: str, done: int, total: int) -> None:
        now = time.monotonic()
        if now > self.last + PERIOD:
            self.last = now
            self.console.print(f"{what}: {done} of {total} after {now - self.start:.0f} s", markup=False)


def show_plan(plan: Plan, console: Console) -> None:
    """Print what a run would do."""
    for pair in plan.execute:
        console.print(f"would be graded: {', '.join(pair)}", soft_wrap=True, markup=False, highlight=False)
    for pair, reason in plan.unreadable.items():
        console.print(f"unreadable: {', '.join(pair)}: {reason}", soft_wrap=True, markup=False, highlight=False)
    console.print(
        f"{len(plan.execute)} submissions would be graded, {len(plan.keep)} have not changed since they were, "
        f"{len(plan.unreadable)} cannot be read, {len(plan.missing)} were not handed in. Nothing was done.",
        soft_wrap=True,
    )


def show(course: Course, results: list[Result], console: Console) -> None:
    """Print scores, problems, what the class found hard, where the feedback lies, and in the last line the count."""
    # What nobody has handed in is not due yet.
    begun = {result.assignment for result in results if result.state != "missing"}
    results = [result for result in results if result.assignment in begun or not begun]
    _show_problems(results, console)
    if len({result.student for result in results}) <= MOST_ROWS:
        table = _scores(results)
        if table.__rich_measure__(console, console.options.update(max_width=10_000)).maximum <= console.width:
            console.print("[bold]Scores[/bold] (in brackets: points that a person has yet to mark)")
            console.print(table)
        else:
            console.print(
                "[bold]Scores[/bold] (*: a person has yet to mark a part; –: not handed in; ?: unreadable; "
                "!: not graded)",
                soft_wrap=True,
            )
            console.print(_short_scores(results))
    else:
        console.print("[bold]Scores[/bold]")
        console.print(_summary(results))
    console.print("[bold]What the class found hard[/bold] (fewest full marks first)")
    console.print(_exercises(course, results))
    feedback = course.step("feedback")
    where = f"{feedback}/<student>/<assignment>/<assignment>.html"
    console.print(f"Feedback for students: {where}", soft_wrap=True, highlight=False)
    if waiting := sum(result.by_hand > 0 for result in results):
        console.print(
            f"{waiting} submissions hold written answers that a person marks, in nbgrader's formgrader.", soft_wrap=True
        )
    console.print(last_line(results), soft_wrap=True)


def last_line(results: list[Result]) -> str:
    """How many were graded, and how many had problems."""
    count = Counter(result.state for result in results)
    handed_in = len(results) - count["missing"]
    parts = [f"{count['graded']} of {handed_in} submissions are graded"]
    if troubled := sum(bool(result.problems) for result in results if result.state == "graded"):
        parts.append(f"{troubled} of them with something to repair or to look at")
    if count["unreadable"]:
        parts.append(f"{count['unreadable']} cannot be read")
    if count["failed"]:
        parts.append(f"{count['failed']} could not be graded: start again to try once more")
    if count["missing"]:
        parts.append(f"{count['missing']} were not handed in")
    return ", ".join(parts) + "."


def _summary(results: list[Result]) -> Table:
    """A row for each assignment."""
    table = Table()
    for name in ("assignment", "graded", "mean", "median", "points"):
        table.add_column(name, justify="left" if name == "assignment" else "right")
    for assignment in dict.fromkeys(result.assignment for result in results):
        row = [result for result in results if result.assignment == assignment and result.state == "graded"]
        scores = [result.score - result.penalty for result in row] or [0.0]
        points = max((result.max_score for result in row), default=0.0)
        mean, median = statistics.mean(scores), statistics.median(scores)
        table.add_row(assignment, str(len(row)), f"{mean:.1f}", f"{median:.1f}", f"{points:g}")
    return table


def _scores(results: list[Result]) -> Table:
    assignments = list(dict.fromkeys(result.assignment for result in results))
    table = Table()
    table.add_column("student")
    for assignment in assignments:
        table.add_column(assignment.replace("_", "\n"), justify="right")
    table.add_column("sum", justify="right")
    for student, row in groupby(results, key=lambda result: result.student):
        row = list(row)
        total = [
            sum(result.score - result.penalty for result in row),
            sum(result.max_score for result in row),
            sum(result.by_hand for result in row),
        ]
        table.add_row(escape(student), *map(_score, row), _points(*total))
    return table


_SIGNS = {"missing": "–", "unreadable": "?", "failed": "!"}


def _short_scores(results: list[Result]) -> Table:
    """The same for a narrow terminal: assignments by their number, without their points."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("student", overflow="fold")
    for assignment in dict.fromkeys(result.assignment for result in results):
        table.add_column(assignment.partition("_")[0][:6], justify="right")
    table.add_column("sum", justify="right")
    for student, row in groupby(results, key=lambda result: result.student):
        row = list(row)
        cells = [_SIGNS.get(result.state) or _short(result.score - result.penalty, result.by_hand) for result in row]
        total = _short(sum(result.score - result.penalty for result in row), sum(result.by_hand for result in row))
        table.add_row(escape(student), *cells, total)
    return table


def _short(score: float, by_hand: float) -> str:
    return f"{score:g}" + ("*" if by_hand else "")


def _score(result: Result) -> str:
    if result.state != "graded":
        return f"{_STATES[result.state]} {_points(0, result.max_score, 0)}"
    return _points(result.score - result.penalty, result.max_score, result.by_hand) + (
        f" ({result.penalty:g} lost: late)" if result.penalty else ""
    )


def _points(score: float, max_score: float, by_hand: float) -> str:
    return f"{score:g}/{max_score:g}" + (f" (+{by_hand:g})" if by_hand else "")


def _show_problems(results: list[Result], console: Console) -> None:
    # That nothing was handed in stands in the table.
    troubled = [result for result in results if result.problems and not _is_plainly_missing(result)]
    if len(troubled) > MOST_IN_WORDS:
        console.print(
            f"{len(troubled)} submissions have problems: each stands in its feedback and in records/, and `python -m "
            "autograder report` counts them. Here are those that could not be graded.",
            soft_wrap=True,
        )
        troubled = [result for result in troubled if result.state in ("unreadable", "failed")]
    for result in troubled:
        console.print(f"[bold]{escape(result.student)}, {escape(result.assignment)}[/bold]", highlight=False)
        for problem in result.problems:
            first, *rest = escape(problem).splitlines()
            console.print(f"  • {first}", soft_wrap=True, highlight=False)
            for line in rest:
                console.print(f"    {line}", soft_wrap=True, highlight=False)
    console.print()


def _is_plainly_missing(result: Result) -> bool:
    return result.state == "missing" and len(result.problems) == 1 and "The folder holds" not in result.problems[0]


def _exercises(course: Course, results: list[Result]) -> Table:
    table = Table()
    for name, justify in (("assignment", "left"), ("exercise", "left"), ("full marks", "right"), ("graded", "right")):
        table.add_column(name, justify=justify)
    rows = []
    for assignment in dict.fromkeys(result.assignment for result in results):
        graded = [result for result in results if result.assignment == assignment and result.state == "graded"]
        for cell in course.source(assignment).cells:
            role = cell.metadata.get("nbgrader", {})
            if role.get("grade") and not role.get("solution"):
                full = sum(result.scores.get(role["grade_id"]) == role["points"] for result in graded)
                if full < len(graded):
                    rows.append((assignment, role["grade_id"].removeprefix("test-"), full, len(graded)))
    for assignment, exercise, full, total in sorted(rows, key=lambda row: row[2] / max(row[3], 1))[:8]:
        table.add_row(assignment, exercise, str(full), str(total))
    return table
