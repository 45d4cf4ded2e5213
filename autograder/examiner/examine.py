"""nbgrader's step of executing a submission here: code in the student's kernel, tests in the examiner."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_output
from nbgrader.preprocessors import NbGraderPreprocessor

from autograder.examiner.server import ExaminationLost, Examiner, prepare
from autograder.examiner.student_kernel import Lost, StudentKernel, TooMuch
from autograder.examiner.texts import clean
from autograder.grading.template import template_of
from autograder.kernels.limits import Limits
from autograder.kernels.nursery import nursery

# A test cell with this tag runs in the student's kernel, for tests that need the student's own objects.
IN_KERNEL = "in-kernel"
# Name of the error of a cell or test that was not run at all.
NOT_RUN = "NotRun"


class Examine(NbGraderPreprocessor):
    """nbgrader's preprocessor; takes the place of ``nbgrader.preprocessors.Execute``."""

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict[str, Any]]:
        """Run the notebook. Under ``autograder`` its metadata say in what conditions."""
        names = resources["nbgrader"]
        template = template_of(self, names["assignment"], names["notebook"])
        limits = Limits(parent=self)
        files = dict(_files(Path(resources["metadata"]["path"])))
        about = examine(nb, template.source, template.stubs, template.folder, files, limits)
        nb.metadata["autograder"] = {**nb.metadata.get("autograder", {}), **about}
        return nb, resources


def examine(
    nb: NotebookNode,
    source: NotebookNode,
    stubs: NotebookNode,
    folder: Path,
    files: dict[str, bytes],
    limits: Limits,
) -> dict[str, Any]:
    """Run every code cell of a rebuilt notebook and fill in its outputs.

    Args:
        nb: the notebook; its outputs are replaced.
        source: the instructor's notebook, whose answers say which names are the student's.
        stubs: the same with stubs for answers.
        folder: where tests find the assignment's files.
        files: what lies in the student's working folder.
        limits: of cells, tests and the whole notebook.

    Returns:
        What to note about the run: ``sandbox`` (bool), ``kernels`` (how many it took), ``in_kernel`` (the tests that
        ran in the student's kernel), ``seed`` (of the student's random numbers) and ``seconds`` (by the cell's id).

    Raises:
        SandboxUnavailable: students' code cannot be confined on this machine.
    """
    prepare()
    seed = _seed(nb)
    run = _Run(nb, source, stubs, folder, StudentKernel(nursery(limits), limits, files, seed), limits)
    seconds = {}
    try:
        for cell in nb.cells:
            if cell.cell_type == "code":
                cell.execution_count = None
                start = time.monotonic()
                cell.outputs = run.cell(cell)
                seconds[cell.id] = round(time.monotonic() - start, 4)
    finally:
        run.close()
    return {
        "sandbox": not limits.unsafe_no_sandbox,
        "kernels": run.kernel.generation,
        "in_kernel": run.in_kernel,
        "seed": seed,
        "seconds": seconds,
    }


def _seed(nb: NotebookNode) -> int:
    """A seed for the student's random numbers: another for each notebook, the same each time that it is run."""
    text = "\0".join(cell.source for cell in nb.cells)
    return int(hashlib.sha256(text.encode()).hexdigest()[:8], 16)


class _Run:
    """One notebook on its way."""

    def __init__(
        self,
        nb: NotebookNode,
        source: NotebookNode,
        stubs: NotebookNode,
        folder: Path,
        kernel: StudentKernel,
        limits: Limits,
    ) -> None:
        self.kernel = kernel
        self.limits = limits
        self.folder = folder
        self.solutions = {_key(cell): cell.source for cell in source.cells}
        self.stubs = {_key(cell): cell.source for cell in stubs.cells}
        self.assignment = [cell.source for cell in (*source.cells, *stubs.cells) if cell.cell_type == "code"]
        self.in_kernel: list[str] = []
        # Why nothing more is run.
        self.over: str | None = None
        self._examiner: Examiner | None = None
        # Requests to repeat when an examination was lost.
        self._past: list[tuple[str, Any]] = []

    def cell(self, cell: NotebookNode) -> list[NotebookNode]:
        if self.over:
            return [_error(self.over)]
        try:
            return self._cell(cell)
        except TooMuch as problem:
            self.over = f"This was not run: {problem}"
            return [_error(self.over)]

    def _cell(self, cell: NotebookNode) -> list[NotebookNode]:
        role = cell.metadata.get("nbgrader") or {}
        if role.get("grade") and not role.get("solution"):
            if IN_KERNEL in cell.metadata.get("tags", []):
                self.in_kernel.append(role["grade_id"])
                return self.kernel.run(cell.source)
            return self._test(cell.source, role["points"])
        outputs = self.kernel.run(cell.source)
        if role.get("solution"):
            key = _key(cell)
            self._given("answer", (self.solutions.get(key, ""), self.stubs.get(key, "")))
        elif role.get("locked"):
            self._given("locked", cell.source)
        return outputs

    def _given(self, kind: str, what: Any) -> None:
        try:
            self._ask(kind, what)
        except ExaminationLost:  # the next test begins another one
            self._examiner = None

    def _test(self, source: str, points: float) -> list[NotebookNode]:
        try:
            return [nbformat.from_dict(output) for output in self._ask("test", (source, points))]
        except ExaminationLost as lost:
            self._examiner = None
            return [_error(str(lost))]
        finally:
            self.kernel.hang_up()

    def _ask(self, kind: str, what: Any) -> list[dict[str, Any]]:
        if self._examiner is None:
            self._examiner = Examiner(self.folder, self.assignment)
            for past in self._past:
                self._examiner.ask(*past, self._errand, self.limits.test_seconds)
        if kind != "test":
            self._past.append((kind, what))
        return self._examiner.ask(kind, what, self._errand, self.limits.test_seconds)

    def _errand(self, parcel: bytes, seconds: float) -> tuple[str, Any]:
        if seconds <= 0:
            return "lost", "was still being called when the time of the test was over."
        try:
            buffers = self.kernel.errand(parcel, seconds)
        except (Lost, TooMuch) as lost:
            return "lost", str(lost)
        return "answer", (self.kernel.generation, buffers)

    def close(self) -> None:
        self.kernel.close()
        if self._examiner is not None:
            self._examiner.close()


def _key(cell: NotebookNode) -> str | None:
    return (cell.metadata.get("nbgrader") or {}).get("grade_id") or cell.get("id")


def _error(sentence: str) -> NotebookNode:
    return new_output("error", ename=NOT_RUN, evalue=clean(sentence), traceback=[clean(sentence)])


def _files(folder: Path) -> Iterator[tuple[str, bytes]]:
    """The files beside the notebook, which the student's code may want to read."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and path.suffix != ".ipynb" and path.name != "timestamp.txt":
            yield str(path.relative_to(folder)), path.read_bytes()
