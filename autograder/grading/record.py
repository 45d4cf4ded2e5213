"""The record of one graded submission, a JSON file: what was run, in what conditions, and what came of it.

Everything that is told about a submission afterwards is made of its record and of the gradebook: scores, feedback,
report and exports. Records are written by the grader alone, and read without running anything.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FORM = 1

PASSED, PARTIAL, WRONG, NOT_ATTEMPTED, BY_HAND = "passed", "partial", "wrong", "not attempted", "by hand"


@dataclass
class TestRecord:
    """One graded cell: a test, or an answer that a person marks.

    Attributes:
        name: id of the graded cell.
        exercise: the heading above it, such as ``3 One length for each row``.
        answer: id of the answer cell that it is about; of a written answer, the cell itself.
        max_score: points of the cell.
        score: points that the machine gave; None where a person marks.
        outcome: PASSED, PARTIAL, WRONG, NOT_ATTEMPTED or BY_HAND.
        message: what the student is told; None if there is nothing to tell.
        seconds: time that it took.
    """

    __test__ = False  # to pytest, which takes the name for a test's

    name: str
    exercise: str
    answer: str | None
    max_score: float
    score: float | None
    outcome: str
    message: str | None = None
    seconds: float = 0.0


@dataclass
class Record:
    """One submission after it was executed.

    Attributes:
        student: name of the student's folder in submitted/.
        assignment: name of the assignment.
        state: "graded", or "unreadable", which is not executed at all.
        key: hash of submission, assignment and environment. Two runs with one key have the same result.
        submission: SHA-256 of what was handed in.
        assignment_hash: SHA-256 of the assignment with its tests.
        environment: versions of Python, torch and this package, and limits.
        seed: of the random numbers in the student's process when it starts.
        graded_at: time in UTC, ISO 8601.
        sandbox: whether the student's code ran in the sandbox.
        kernels: how many processes it took; more than 1 if it ended them.
        in_kernel: tests that ran in the student's own process.
        seconds: time of the whole.
        tests: graded cells in the order of the notebook.
        intake: what was left out of the submission, or taken for another, in sentences.
        repairs: what had been changed in the assignment's own cells, in sentences.
        problems: all that the instructor is told, the sentences above among it.
        answers: text of each answer cell, by its id.
        stopped: answer cells that did not run to their end: why, by their id.
        empty: answer cells that are as students got them, by their id.
    """

    student: str
    assignment: str
    state: str
    key: str = ""
    submission: str = ""
    assignment_hash: str = ""
    environment: dict[str, Any] = field(default_factory=dict)
    seed: int = 0
    graded_at: str = ""
    sandbox: bool = True
    kernels: int = 0
    in_kernel: list[str] = field(default_factory=list)
    seconds: float = 0.0
    tests: list[TestRecord] = field(default_factory=list)
    intake: list[str] = field(default_factory=list)
    repairs: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    answers: dict[str, str] = field(default_factory=dict)
    stopped: dict[str, str] = field(default_factory=dict)
    empty: list[str] = field(default_factory=list)

    @property
    def score(self) -> float:
        """Points that the machine gave."""
        return sum(test.score or 0.0 for test in self.tests)

    @property
    def max_score(self) -> float:
        """Points of the assignment."""
        return sum(test.max_score for test in self.tests)

    def to_json(self) -> str:
        """The record as text."""
        return json.dumps({"form": FORM, **dataclasses.asdict(self)}, indent=1, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Record:
        """Read a record.

        Raises:
            ValueError: it is no record, or one of another form.
        """
        try:
            content = json.loads(text)
            if content.pop("form") != FORM:
                raise ValueError("a record of another version of the grader")
            content["tests"] = [TestRecord(**test) for test in content["tests"]]
            return cls(**content)
        except (AttributeError, KeyError, TypeError) as error:
            raise ValueError(f"not a record: {error}") from None


class Records:
    """The records of a class: ``<folder>/<student>/<assignment>.json``."""

    def __init__(self, folder: Path) -> None:
        """Read and write below `folder`."""
        self.folder = folder

    def path(self, student: str, assignment: str) -> Path:
        """Where the record of a submission lies."""
        return self.folder / student / f"{assignment}.json"

    def find(self, student: str, assignment: str) -> Record | None:
        """Return a record, or None if there is none that can be read."""
        try:
            return Record.from_json(self.path(student, assignment).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None

    def all(self, assignment: str | None = None) -> Iterator[Record]:
        """Every record, of one assignment or of all, by student."""
        for path in sorted(self.folder.glob(f"*/{assignment or '*'}.json")):
            if record := self.find(path.parent.name, path.stem):
                yield record

    def put(self, record: Record) -> None:
        """Write a record, whole or not at all."""
        write(self.path(record.student, record.assignment), record.to_json())


def write(path: Path, text: str) -> None:
    """Write a file, whole or not at all, also if this is interrupted.

    Raises:
        OSError: it cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        # mkstemp's files are for their owner only; a course may be shared by a group.
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
