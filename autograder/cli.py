"""The commands of `python -m autograder`."""

import signal
from pathlib import Path
from typing import Annotated

import typer

from autograder import environment

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_show_locals=False)

_Class = Annotated[Path, typer.Option("--class", help="The class: a folder with submitted/<student>/<assignment>/.")]
_Gradebook = Annotated[
    str | None,
    typer.Option("--db", help="URL of the gradebook, as postgresql://host/course; gradebook.db by default."),
]


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
    assignment: Annotated[list[str] | None, typer.Argument(help="Names of assignments; all when left out.")] = None,
    folder: _Class = Path(),
    student: Annotated[list[str] | None, typer.Option("--student", "-s", help="Only this one (repeatable).")] = None,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", "-j", min=1, help="Submissions at a time; by default one for each processor."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Also what was graded before and has not changed.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be graded.")] = False,
    scheduler: Annotated[
        str | None, typer.Option(help="Let the workers of this Dask scheduler do it: tcp://host:8786.")
    ] = None,
    db: _Gradebook = None,
    unsafe_no_sandbox: Annotated[
        bool,
        typer.Option(
            "--unsafe-no-sandbox", help="Run students' code with your own rights. Every record made so says so."
        ),
    ] = False,
) -> None:
    """Grade a class: autograde every submission in a sandbox, write feedback, print scores and problems.

    Interrupt it and start it again whenever you like: what was graded and has not changed is kept. The exit status is 0
    when everything was dealt with (a submission that nobody can read too: it gets no points and a page that says so), 3
    when some submissions could not be graded and are worth another try, 1 when there was nothing to grade or something
    is in the way, 130 when it was interrupted.
    """
    from rich.console import Console

    from autograder.grading import batch, report
    from autograder.grading.course import Course, GradingError

    _check_class(folder)
    course = Course(class_folder=folder.resolve(), unsafe_no_sandbox=unsafe_no_sandbox, db=db)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # whoever ends it politely interrupts it
    console = Console()
    try:
        if dry_run:
            report.show_plan(batch.look(course, assignment, student, force=force), console)
            return
        with report.progress(console) as progress:
            results = batch.grade(
                course, assignment, student, jobs=jobs, force=force, scheduler=scheduler, progress=progress
            )
    except GradingError as error:
        raise _stop(str(error)) from None
    except KeyboardInterrupt:
        typer.echo("Interrupted. What was graded is kept; the same command goes on from here.", err=True)
        raise typer.Exit(130) from None
    report.show(course, results, console)
    if any(result.state == "failed" for result in results):
        raise typer.Exit(3)


@app.command("feedback")
def write_feedback_again(
    assignment: Annotated[list[str] | None, typer.Argument(help="Names of assignments; all when left out.")] = None,
    folder: _Class = Path(),
    student: Annotated[list[str] | None, typer.Option("--student", "-s", help="Only this one (repeatable).")] = None,
    db: _Gradebook = None,
) -> None:
    """Bring the students' feedback pages up to date with marks and comments given by hand. Nothing is executed."""
    from rich.console import Console

    from autograder.grading import handback, report
    from autograder.grading.course import Course, GradingError

    _check_class(folder)
    course = Course(class_folder=folder.resolve(), db=db)
    try:
        with report.progress(Console()) as progress:
            written, unchanged = handback.write_all(course, assignment, student, progress=progress)
    except GradingError as error:
        raise _stop(str(error)) from None
    typer.echo(f"{written} pages were written, {unchanged} already said the same: {course.step('feedback')}")


def _check_class(folder: Path) -> None:
    """Stop with a sentence if there is no such class, or if nothing can be written there."""
    if not folder.is_dir():
        raise _stop(f"There is no folder {folder}. --class names the folder of a class, with submitted/ in it.")
    if problems := environment.check_writable(folder):
        raise _stop(f"Nothing can be written into the folder of the class. {problems[0].partition(', so nothing')[0]}.")


def _stop(*problems: str) -> typer.Exit:
    typer.echo("\n".join(problems), err=True)
    return typer.Exit(1)


@app.command("collect")
def collect_submissions(
    archive: Annotated[
        list[Path], typer.Argument(exists=True, help="What the LMS handed out: zip, tar or folder (repeatable).")
    ],
    assignment: Annotated[
        str | None, typer.Option("--assignment", "-a", help="What it holds; found by the names when left out.")
    ] = None,
    lms: Annotated[str, typer.Option(help="auto, moodle, canvas, gradescope or folder (of notebooks).")] = "auto",
    roster: Annotated[
        Path | None,
        typer.Option(
            "--roster",
            "--times",
            exists=True,
            dir_okay=False,
            help="The LMS's table (CSV): Canvas's gradebook, Moodle's grading worksheet, Gradescope's roster.",
        ),
    ] = None,
    zone: Annotated[
        str | None, typer.Option(help="Time zone of the LMS, as Europe/Paris; this machine's when left out.")
    ] = None,
    folder: _Class = Path(),
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")] = False,
) -> None:
    """Take submissions out of an LMS's archives into submitted/, safely. Doing it again changes nothing.

    The exit status is 1 if something was refused; a line says what and why, and all else was taken.
    """
    import zoneinfo

    from rich.console import Console
    from rich.progress import Progress

    from autograder.grading.course import Course, GradingError
    from autograder.lms import collect
    from autograder.lms.roster import Roster

    if lms not in collect.KINDS:
        raise typer.BadParameter(f"{lms} is none of {', '.join(collect.KINDS)}.", param_hint="--lms")
    try:
        time_zone = zoneinfo.ZoneInfo(zone) if zone else None
    except (zoneinfo.ZoneInfoNotFoundError, ValueError):
        raise typer.BadParameter(f"{zone} is no time zone; write it as Europe/Paris.", param_hint="--zone") from None
    try:
        table = Roster.read(roster, time_zone) if roster else None
        with Progress(console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("reading")
            collector = collect.Collector(
                Course(class_folder=folder.resolve()),
                typer.echo,
                assignment=assignment,
                lms=lms,
                roster=table,
                zone=time_zone,
                dry_run=dry_run,
            )
            summary = collector.collect(
                archive,
                lambda what, done, total: bar.update(task, description=what, completed=done, total=total),
            )
    except collect.Misuse as error:
        raise typer.BadParameter(str(error)) from None
    except GradingError as error:
        raise _stop(str(error)) from None
    for note in summary.notes():
        typer.echo(note)
    typer.echo(("Nothing was changed. It would be: " if dry_run else "") + str(summary))
    if summary.refused:
        raise typer.Exit(1)


@app.command("export")
def export_marks(
    to: Annotated[str, typer.Option("--to", help="csv, canvas, moodle or gradescope.")],
    roster: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, help="The table that the LMS handed out, to be filled.")
    ] = None,
    assignment: Annotated[
        list[str] | None, typer.Option("--assignment", "-a", help="Only this one (repeatable).")
    ] = None,
    folder: _Class = Path(),
    output: Annotated[
        Path | None, typer.Option(help="Where to write it; below exports/ in the class folder when left out.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over files that are there.")] = False,
    db: _Gradebook = None,
) -> None:
    """Write marks as a table, or as Canvas, Moodle or Gradescope take them."""
    from autograder.grading.course import Course, GradingError
    from autograder.lms import exports
    from autograder.lms.collect import Misuse
    from autograder.lms.roster import Roster

    if to not in exports.KINDS:
        raise typer.BadParameter(f"{to} is none of {', '.join(exports.KINDS)}.", param_hint="--to")
    _check_class(folder)
    folder = folder.resolve()
    try:
        table = Roster.read(roster) if roster else None
        sheet = exports.Marksheet(Course(class_folder=folder, db=db), assignment)
        place = output or folder / "exports" / exports.file_name(to, sheet)
        files, notes = exports.export(sheet, to, place, table, force=force)
    except Misuse as error:
        raise typer.BadParameter(str(error)) from None
    except GradingError as error:
        raise _stop(str(error)) from None
    for note in notes:
        typer.echo(note)
    typer.echo(f"{place}: {len(files)} files written." if to == exports.GRADESCOPE else f"{place}: written.")


@app.command("report")
def make_report(
    folder: _Class = Path(),
    assignment: Annotated[
        list[str] | None, typer.Option("--assignment", "-a", help="Only this one (repeatable).")
    ] = None,
    output: Annotated[
        Path | None, typer.Option(file_okay=False, help="Where to write it; report/ in the class folder when left out.")
    ] = None,
    db: _Gradebook = None,
) -> None:
    """Make the report on a class, a notebook and a page: scores, hard exercises, misconceptions, problems."""
    from rich.console import Console
    from rich.progress import Progress

    from autograder.grading.course import Course, GradingError
    from autograder.insight import report

    _check_class(folder)
    place = (output or folder / "report").resolve()
    if problems := environment.check_writable(place.parent):
        raise _stop(*problems)
    try:
        with Progress(console=Console(), transient=True) as bar:
            task = bar.add_task("starting")
            notebook, page = report.make(
                Course(class_folder=folder.resolve(), db=db),
                assignment or (),
                place,
                lambda what, done, total: bar.update(task, description=what, completed=done, total=total),
            )
    except GradingError as error:
        raise _stop(str(error)) from None
    except OSError as error:
        raise _stop(f"The report could not be written to {place}: {error.strerror}.") from None
    typer.echo(f"The report lies in {page}")
    typer.echo(f"To dig on, open {notebook} in JupyterLab.")
