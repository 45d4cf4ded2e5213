"""Show the results of a class: a table, and every problem in plain words."""

from __future__ import annotations

from itertools import groupby

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from autograder.grading.course import Course
from autograder.grading.results import Result

_STATES = {"missing": "not handed in", "unreadable": "unreadable", "failed": "not graded"}


def show(course: Course, results: list[Result], console: Console) -> None:
    """Print the table of scores, the problems by student, what the class found hard, and where the feedback lies."""
    _show_problems(results, console)
    console.print("[bold]Scores[/bold] (in brackets: points that a person has yet to mark)")
    console.print(_scores(results))
    console.print("[bold]What the class found hard[/bold] (fewest full marks first)")
    console.print(_exercises(course, results))
    feedback = course.step("feedback")
    where = f"{feedback}/<student>/<assignment>/<assignment>.html"
    console.print(f"Feedback for students: {where}", soft_wrap=True, highlight=False)
    if waiting := sum(result.by_hand > 0 for result in results):
        console.print(
            f"{waiting} submissions hold written answers that a person marks, in nbgrader's formgrader.", soft_wrap=True
        )


def _scores(results: list[Result]) -> Table:
    assignments = list(dict.fromkeys(result.assignment for result in results))
    table = Table()
    table.add_column("student")
    for assignment in assignments:
        table.add_column(assignment.replace("_", "\n"), justify="right")
    table.add_column("sum", justify="right")
    for student, row in groupby(results, key=lambda result: result.student):
        row = list(row)
        total = [sum(getattr(result, name) for result in row) for name in ("score", "max_score", "by_hand")]
        table.add_row(student, *map(_score, row), _points(*total))
    return table


def _score(result: Result) -> str:
    if result.state != "graded":
        return f"{_STATES[result.state]} {_points(0, result.max_score, 0)}"
    return _points(result.score, result.max_score, result.by_hand)


def _points(score: float, max_score: float, by_hand: float) -> str:
    return f"{score:g}/{max_score:g}" + (f" (+{by_hand:g})" if by_hand else "")


def _show_problems(results: list[Result], console: Console) -> None:
    for result in results:
        if result.problems:
            console.print(f"[bold]{result.student}, {result.assignment}[/bold]", highlight=False)
            for problem in result.problems:
                first, *rest = escape(problem).splitlines()
                console.print(f"  • {first}", soft_wrap=True, highlight=False)
                for line in rest:
                    console.print(f"    {line}", soft_wrap=True, highlight=False)
    console.print()


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
                rows.append((assignment, role["grade_id"].removeprefix("test-"), full, len(graded)))
    for assignment, exercise, full, total in sorted(rows, key=lambda row: row[2] / max(row[3], 1))[:8]:
        table.add_row(assignment, exercise, str(full), str(total))
    return table
