"""Execute one submission: a pure function of what was handed in, the assignment, and the environment.

Nothing here reads or writes the class: whoever calls this brings the contents, and writes down the result. So it can
run in another process or on another machine.
"""

from __future__ import annotations

import functools
import hashlib
import json
import platform
import socket
import tempfile
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from autograder.examiner.examine import examine
from autograder.grading import intake
from autograder.grading.gradebook import checksums
from autograder.grading.intake import HandedIn, Intake, Unreadable
from autograder.grading.reading import record_of, untouched
from autograder.grading.rebuild import rebuild
from autograder.grading.record import Record
from autograder.grading.sanitise import Sanitise
from autograder.grading.template import Template
from autograder.kernels.limits import Limits

_PACKAGE = Path(__file__).resolve().parents[1]
# What can change a result: all that a notebook or a test imports, and what is done to a submission.
_GRADING = (
    *("checks", "costs", "diagnosis", "figures", "foreign", "hints", "outcomes", "running"),
    *("examiner/*", "kernels/*"),
    *(f"grading/{name}" for name in ("execution", "gradebook", "intake", "reading", "rebuild", "record")),
    *("grading/sanitise", "grading/template"),
)
# What runs students' code and tests, by the name of its distribution.
_LIBRARIES = (
    *("torch", "numpy", "scikit-learn", "matplotlib", "ipython", "ipykernel"),
    *("nbgrader", "nbformat", "nbconvert", "mistune", "nh3"),
)


@dataclass(frozen=True)
class Assignment:
    """An assignment as it is sent to whoever executes a submission.

    Attributes:
        name: name of the assignment.
        digest: SHA-256 of its notebooks and files.
        packed: the notebooks and files, compressed.
    """

    name: str
    digest: str
    packed: bytes = field(repr=False)

    @classmethod
    def of(cls, name: str, template: Template) -> Assignment:
        """Pack an assignment.

        Args:
            name: its name.
            template: its notebooks and its folder.
        """
        files = {name: path.read_bytes().hex() for name, path in _files(template.folder)}
        content = {name: getattr(template, name) for name in ("source", "stubs", "released")} | {"files": files}
        text = json.dumps(content, sort_keys=True).encode()
        return cls(name, hashlib.sha256(text).hexdigest(), zlib.compress(text))


@dataclass(frozen=True)
class Job:
    """What it takes to execute a submission.

    Attributes:
        student: name of the student.
        assignment: the assignment.
        handed_in: the submission.
        limits: values of `Limits`, by name.
        intake: values of `Intake`, by name.
        environment: what `environment()` was where the job was made.
    """

    student: str
    assignment: Assignment
    handed_in: HandedIn
    limits: dict[str, Any]
    intake: dict[str, Any]
    environment: dict[str, str]

    @property
    def key(self) -> str:
        """Hash of all that the result depends on."""
        parts = (self.handed_in.digest, self.assignment.digest, self.environment, self.limits, self.intake)
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


class OtherEnvironment(Exception):
    """Raised where a job came to a machine that would grade it with other versions. The message says which."""


@functools.cache
def environment() -> dict[str, str]:
    """Versions of all that takes part in grading here, this package by the hash of its text."""
    digest = hashlib.sha256()
    for path in sorted(path for pattern in _GRADING for path in _PACKAGE.glob(f"{pattern}.py")):
        digest.update(path.relative_to(_PACKAGE).as_posix().encode() + path.read_bytes())
    return {
        "python": platform.python_version(),
        "autograder": digest.hexdigest(),
        **{name: version(name).partition("+")[0] for name in _LIBRARIES},
    }


def execute(job: Job) -> tuple[Record, str | None]:
    """Execute a submission in a sandbox and examine its answers.

    Args:
        job: the submission, and what it takes.

    Returns:
        The record, and the autograded notebook as JSON; None for a submission that cannot be read.

    Raises:
        OtherEnvironment: this machine has other versions than where the job was made.
        SandboxUnavailable: students' code cannot be confined on this machine.
    """
    if differs := [name for name, there in job.environment.items() if environment()[name] != there]:
        raise OtherEnvironment(
            f"{socket.gethostname()} has other versions of {', '.join(differs)} than the machine that sent the work. "
            "Set up the same course there: the same files, and pip install -c constraints.txt -r requirements.txt."
        )
    start = time.monotonic()
    template = _unpacked(job.assignment)
    try:
        submitted, problems = intake.read(job.handed_in, Intake(**job.intake))
    except Unreadable as problem:
        record, notebook = unreadable(job.student, job.assignment, template.source, str(problem)), None
        record.submission = job.handed_in.digest
    else:
        record, notebook = _graded(job, template, submitted)
        record.intake = [*job.handed_in.problems, *problems]
        record.problems = [*record.intake, *record.problems]
    record.key = job.key
    record.environment = {**job.environment, "limits": job.limits}
    record.seconds = round(time.monotonic() - start, 4)
    return record, notebook


def unreadable(student: str, assignment: Assignment, source: NotebookNode, problem: str) -> Record:
    """The record of a submission that cannot be read: no points, and why.

    Args:
        student: name of the student.
        assignment: the assignment.
        source: the instructor's notebook.
        problem: the reason, a sentence.
    """
    return Record(
        student,
        assignment.name,
        "unreadable",
        assignment_hash=assignment.digest,
        graded_at=_now(),
        tests=untouched(source),
        intake=[problem],
        problems=[problem],
    )


def _graded(job: Job, template: Template, submitted: NotebookNode) -> tuple[Record, str]:
    files = {**job.handed_in.files, **{name: path.read_bytes() for name, path in _files(template.folder)}}
    notebook, repairs = rebuild(submitted, template.stubs, template.released)
    notebook.metadata["autograder"] = {"problems": repairs}
    note_checksums(notebook, template.stubs)
    about = examine(notebook, template.source, template.stubs, template.folder, files, Limits(**job.limits))
    notebook.metadata["autograder"] |= about
    notebook, _ = Sanitise().preprocess(notebook, {})
    record = record_of(notebook, template.source, job.student, job.assignment.name)
    record.submission, record.assignment_hash = job.handed_in.digest, job.assignment.digest
    record.graded_at = _now()
    return record, nbformat.writes(notebook)


def note_checksums(notebook: NotebookNode, stubs: NotebookNode) -> None:
    """Note in the assignment's cells the checksums of what students got, by which nbgrader knows an empty answer.

    Args:
        notebook: a rebuilt notebook; it is changed.
        stubs: the assignment with stubs for answers.
    """
    known = checksums(stubs)
    for cell in notebook.cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id")
        if name in known:
            cell.metadata.nbgrader["checksum"] = known[name]


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    """The files of an assignment beside its notebook."""
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        if path.is_file() and path.suffix != ".ipynb" and not any(part.startswith((".", "__")) for part in name.parts):
            yield name.as_posix(), path


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


_known: dict[str, Template] = {}
_folders: list[tempfile.TemporaryDirectory[str]] = []  # removed when the process ends


def _unpacked(assignment: Assignment) -> Template:
    if assignment.digest not in _known:
        content = json.loads(zlib.decompress(assignment.packed))
        _folders.append(tempfile.TemporaryDirectory(prefix="assignment-"))
        folder = Path(_folders[-1].name)
        for name, data in content["files"].items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(bytes.fromhex(data))
        notebooks = (nbformat.from_dict(content[name]) for name in ("source", "stubs", "released"))
        _known[assignment.digest] = Template(folder, *notebooks)
    return _known[assignment.digest]
