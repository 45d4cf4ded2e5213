"""The student's kernel, seen from the grader: cells are run in it, errands are sent to it, and when it dies or hangs
a new one takes its place, in which the cells are run again.
"""

from __future__ import annotations

import functools
import json
import select
import socket
import time
from collections.abc import Mapping

from nbformat import NotebookNode

from autograder.examiner import frames
from autograder.examiner.outputs import Outputs
from autograder.kernels.limits import Limits
from autograder.kernels.nursery import BEGIN, CELL, ERRAND, Nursery, WarmKernel

# Seconds between two looks whether the kernel is alive, and until a new kernel listens.
TICK = 0.05
READY = 30
# Name of the error of a cell that was too slow, or in which the kernel died.
CELL_STOPPED = "CellStopped"


class Lost(Exception):
    """Raised when a kernel gives no answer. The message completes "The code …": how it ended, in plain words."""


class TooMuch(Exception):
    """Raised when a submission has used up its time or its kernels. The message is a sentence."""


class StudentKernel:
    """Runs one submission's code, in as many kernels as it takes.

    Attributes:
        generation: number of the kernel, from 1; what was kept in an earlier one is gone.
    """

    def __init__(
        self, nursery: Nursery, limits: Limits, files: Mapping[str, bytes] | None = None, seed: int = 0
    ) -> None:
        """Start nothing yet.

        Args:
            nursery: where kernels come from.
            limits: of cells, tests and the whole submission.
            files: what lies in the working folder of each kernel, by relative path.
            seed: of the random numbers of each kernel, below 2³².
        """
        self.nursery = nursery
        self.limits = limits
        self.files = dict(files or {})
        self.seed = seed
        self.generation = 0
        self.ends = time.monotonic() + limits.submission_seconds
        self._line: _Line | None = None
        # Sources of the cells that ran, for the next kernel. One in which a kernel died is not run again.
        self._past: list[str] = []

    def run(self, source: str) -> list[NotebookNode]:
        """Run a cell and return its outputs. A cell that is too slow or ends its kernel has an error output.

        Raises:
            TooMuch: the submission has used up its time or its kernels.
        """
        outputs = Outputs(self.limits.output_bytes)
        try:
            self._alive().execute(source, outputs, self._deadline(self.limits.cell_seconds))
        except Lost as lost:
            self._drop()
            outputs.error(CELL_STOPPED, f"this cell {lost}", [f"This cell {lost}"])
        else:
            self._past.append(source)
        return outputs.nodes

    def errand(self, parcel: bytes, seconds: float) -> list[bytes]:
        """Let the kernel do an errand, see :mod:`autograder.examiner.errands`, within `seconds`.

        Raises:
            Lost: there was no answer. The next errand goes to a new kernel.
            TooMuch: the submission has used up its time or its kernels.
        """
        line = self._alive()
        try:
            return line.errand(parcel, self._deadline(seconds))
        except Lost:
            self._drop()
            raise

    def hang_up(self) -> None:
        """End a series of errands: what is still on its way on the line is not the answer to the next one."""
        if self._line is not None:
            self._line.hang_up()

    def close(self) -> None:
        """End the kernel."""
        self._drop()

    def _deadline(self, seconds: float) -> float:
        return min(time.monotonic() + seconds, self.ends)

    def _alive(self) -> _Line:
        if time.monotonic() > self.ends:
            raise TooMuch(f"the whole notebook took longer than {self.limits.submission_seconds:g} seconds.")
        if self._line is None or not self._line.kernel.is_alive():
            self._drop()
            self._start()
        assert self._line is not None
        return self._line

    def _start(self) -> None:
        while True:
            if self.generation > self.limits.restarts:
                raise TooMuch(f"the code ended its process or hung more than {self.limits.restarts} times.")
            self.generation += 1
            self._line = _Line(self.nursery.take(prepare_next=True), self.nursery, self.limits)
            try:
                self._line.begin(self.seed, self.files, self._deadline(READY))
            except Lost:
                self._drop()
                raise
            stopped_at = self._replay(self._line)
            if stopped_at is None:
                return
            # It ran before and does not now: it counts as run, and is left out.
            del self._past[stopped_at]
            self._drop()

    def _replay(self, line: _Line) -> int | None:
        for number, source in enumerate(self._past):
            try:
                line.execute(source, Outputs(0), self._deadline(self.limits.cell_seconds))
            except Lost:
                return number
        return None

    def _drop(self) -> None:
        if self._line is not None:
            self._line.close()
            self._line = None


class _Line:
    """The connection to one kernel: a socket, on which it is asked one thing at a time."""

    def __init__(self, kernel: WarmKernel, nursery: Nursery, limits: Limits) -> None:
        self.kernel = kernel
        self.nursery = nursery
        self.limits = limits
        self.socket: socket.socket | None = None

    def execute(self, source: str, outputs: Outputs, deadline: float) -> None:
        """Run a cell. Its outputs are texts, and take a few times their length at most."""
        most = self.limits.output_bytes
        frames_back = self._ask([CELL, source.encode(), str(most).encode()], deadline, 8 * most + 2**20)
        try:
            messages, reply = (json.loads(frame) for frame in frames_back)
            for kind, content in messages:
                outputs.add(kind, content)
            # IPython's way to show an error can be switched off from within.
            if reply["status"] == "error" and not any(node.output_type == "error" for node in outputs.nodes):
                outputs.add("error", reply)
        # It may have sent anything; too deep nesting is a RecursionError.
        except Exception:
            raise Lost("sent back no outputs that can be read.") from None

    def errand(self, parcel: bytes, deadline: float) -> list[bytes]:
        """Let it do an errand."""
        return self._ask([ERRAND, parcel], deadline, self.limits.reply_bytes)

    def begin(self, seed: int, files: Mapping[str, bytes], deadline: float) -> None:
        """Seed its random numbers, and write files into its working folder."""
        self._ask([BEGIN, str(seed).encode(), json.dumps(list(files)).encode(), *files.values()], deadline, 2**20)

    def hang_up(self) -> None:
        """Close the line; the next question opens another one."""
        if self.socket is not None:
            self.socket.close()
            self.socket = None

    def close(self) -> None:
        """End the kernel."""
        self.hang_up()
        self.nursery.dismiss(self.kernel)

    def _ask(self, question: list[bytes], deadline: float, most: int) -> list[bytes]:
        patience = _Patience(self, deadline)
        try:
            line = self._call_up(deadline)
            frames.send(line, question)
            return frames.receive(frames.reader(line, functools.partial(patience.until_readable, line)), most)
        except frames.TooLong as size:
            raise Lost(f"sent back {size}, which is too much.") from None
        except (OSError, EOFError):  # it has ended, or it fights with us over the socket
            time.sleep(TICK)
            patience.check()
            raise Lost("closed the line on which it was asked.") from None

    def _call_up(self, deadline: float) -> socket.socket:
        # A process that does not listen, or does not read, must not hold up the one that speaks.
        seconds = max(1.0, deadline - time.monotonic()) + self.limits.grace_seconds
        if self.socket is None:
            self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self.socket.settimeout(seconds)
            self.socket.connect(f"{self.kernel.connection['ip']}-examiner")
        self.socket.settimeout(seconds)
        return self.socket


class _Patience:
    """Waits for a kernel: until its death, and for some time."""

    def __init__(self, line: _Line, deadline: float) -> None:
        self.line = line
        self.deadline = deadline
        self.interrupted: float | None = None

    def check(self) -> None:
        """Interrupt the kernel after the deadline.

        Raises:
            Lost: it is dead, or nothing helps.
        """
        line, now = self.line, time.monotonic()
        if not line.kernel.is_alive():
            line.nursery.ended(line.kernel)
            raise Lost(_how_it_ended(line.kernel))
        if self.interrupted is None and now > self.deadline:
            self.interrupted = now
            line.kernel.interrupt()
        elif self.interrupted is not None and now > self.interrupted + line.limits.grace_seconds:
            raise Lost("took too long and could not be interrupted. Is there a loop that never ends?")

    def until_readable(self, channel: socket.socket) -> None:
        """Wait until `channel` has something to read."""
        while not select.select([channel], [], [], TICK)[0]:
            self.check()
        if time.monotonic() > self.deadline:
            self.check()


def _how_it_ended(kernel: WarmKernel) -> str:
    if kernel.reason:
        return f"was stopped: {kernel.reason}."
    names = {-11: "a crash inside a library", -9: "a kill", -24: "its limit of processor time", -6: "an abort"}
    if kernel.code in names:
        return f"ended its process by {names[kernel.code]} (signal {-kernel.code})."
    return f"ended its process (exit status {kernel.code}). Is there a call of exit or quit?"
