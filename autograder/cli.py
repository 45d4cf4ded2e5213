"""The commands of `python -m autograder`."""

from pathlib import Path
from typing import Annotated

import typer

from autograder import environment

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_show_locals=False)


@app.callback()
def commands() -> None:
    """The PyTorch function transforms course: open it, and grade it."""


@app.command("lab")
def start_lab(
    port: Annotated[int, typer.Option(min=1, max=65535, help="Where JupyterLab listens.")] = 8888,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open a browser.")] = True,
) -> None:
    """Start JupyterLab on the first lesson."""
    from autograder import lab  # imported here: the other commands need no JupyterLab

    if problems := lab.problems(port):
        raise _stop(*problems)
    lab.start(port, browser=browser)


@app.command("release")
def make_release(
    assignments: Annotated[list[str] | None, typer.Argument(help="Names of assignments; all when left out.")] = None,
) -> None:
    """Generate the students' notebooks in release/ from source/. Notebooks there that hold answers are kept."""
    from autograder.grading.course import GradingError
    from autograder.grading.release import release

    try:
        outcome = release(assignments)
    except GradingError as error:
        raise _stop(str(error)) from None
    for assignment, what in outcome.items():
        note = " (it holds answers; move it away to get the release again)" if what == "kept" else ""
        typer.echo(f"release/{assignment}/{assignment}.ipynb: {what}{note}")


@app.command("sample-class")
def make_sample_class(
    folder: Annotated[Path, typer.Option(help="Where the class goes.")] = Path("sample_class"),
) -> None:
    """Make a sample class out of the answer bank: right, wrong, empty, mixed and broken submissions."""
    from autograder.grading import sample_class
    from autograder.grading.course import ROOT

    if problems := environment.check_writable(folder.resolve().parent):
        raise _stop(*problems)
    count = sample_class.build(ROOT / "tests" / "answer_bank", ROOT / "release", folder)
    typer.echo(f"{count} submissions of {len(sample_class.STUDENTS)} students lie in {folder / 'submitted'}")


@app.command("grade")
def grade_class(
    folder: Annotated[
        Path, typer.Argument(help="The class: a folder with submitted/<student>/<assignment>/.")
    ] = Path(),
    assignment: Annotated[
        list[str] | None, typer.Option("--assignment", "-a", help="Only this one (repeatable).")
    ] = None,
    student: Annotated[list[str] | None, typer.Option("--student", "-s", help="Only this one (repeatable).")] = None,
    jobs: Annotated[int | None, typer.Option("--jobs", "-j", min=1, help="Submissions at a time.")] = None,
    regrade: Annotated[bool, typer.Option("--regrade", help="Also what was graded before.")] = False,
    unsafe_no_sandbox: Annotated[
        bool,
        typer.Option(
            "--unsafe-no-sandbox", help="Run students' code with your own rights. Every record made so says so."
        ),
    ] = False,
) -> None:
    """Grade a class: autograde every submission in a sandbox, write feedback, print scores and problems.

    Interrupt it and start it again whenever you like: what was graded and has not changed is kept.
    """
    from rich.console import Console
    from rich.progress import Progress

    from autograder.grading import batch, report
    from autograder.grading.course import Course, GradingError

    if problems := environment.check_writable(folder):
        raise _stop(*problems)
    course = Course(class_folder=folder.resolve(), unsafe_no_sandbox=unsafe_no_sandbox)
    console = Console()
    try:
        with Progress(console=console, transient=True) as bar:
            task = bar.add_task("starting")
            results = batch.grade(
                course,
                assignment,
                student,
                jobs=jobs,
                regrade=regrade,
                progress=lambda what, done, total: bar.update(task, description=what, completed=done, total=total),
            )
    except GradingError as error:
        raise _stop(str(error)) from None
    report.show(course, results, console)


def _stop(*problems: str) -> typer.Exit:
    typer.echo("\n".join(problems), err=True)
    return typer.Exit(1)
