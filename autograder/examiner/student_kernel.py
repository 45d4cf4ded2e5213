"""The student's kernel, seen from the grader: cells are run in it, errands are sent to it, and when it dies or hangs
a new one takes its place, in which the cells are run again.
"""

from __future__ import annotations

import functools
import select
import socket
import time
from collections.abc import Mapping
from typing import Any

import zmq
from jupyter_client.session import Session
from nbformat import NotebookNode

from autograder.examiner import frames
from autograder.examiner.outputs import Outputs
from autograder.kernels.limits import Limits
from autograder.kernels.nursery import Nursery, WarmKernel

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

    def __init__(self, nursery: Nursery, limits: Limits, files: Mapping[str, bytes] | None = None) -> None:
        """Start nothing yet.

        Args:
            nursery: where kernels come from.
            limits: of cells, tests and the whole submission.
            files: what lies in the working folder of each kernel, by relative path.
        """
        self.nursery = nursery
        self.limits = limits
        self.files = dict(files or {})
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
            if self.files:
                self._line.put(self.files, self._deadline(READY))
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
    """The connection to one kernel."""

    context: zmq.Context[Any] = zmq.Context()

    def __init__(self, kernel: WarmKernel, nursery: Nursery, limits: Limits) -> None:
        self.kernel = kernel
        self.nursery = nursery
        self.limits = limits
        about = kernel.connection
        self.session = Session(key=about["key"], signature_scheme=about["signature_scheme"])
        self.shell = self._connect("shell", zmq.DEALER, limits.reply_bytes, 10)
        self.control = self._connect("control", zmq.DEALER, 2**20, 10)
        # More than this waits in the kernel, where it counts as the kernel's memory.
        self.iopub = self._connect("iopub", zmq.SUB, limits.reply_bytes // 4, 10)
        self.poller = zmq.Poller()
        self.poller.register(self.shell, zmq.POLLIN)
        self.poller.register(self.iopub, zmq.POLLIN)
        self.errands: socket.socket | None = None
        self._wait_for_welcome()

    def execute(self, source: str, outputs: Outputs, deadline: float) -> None:
        self.hang_up()
        content = {
            "code": source,
            "silent": False,
            "store_history": True,
            "user_expressions": {},
            "allow_stdin": False,
            "stop_on_error": False,
        }
        request = self.session.send(self.shell, "execute_request", content)["header"]["msg_id"]
        reply: dict[str, Any] | None = None
        idle = False
        for channel, message in self._messages(deadline):
            if message["parent_header"].get("msg_id") != request:
                continue
            kind, content = message["header"].get("msg_type"), message["content"]
            if channel is self.iopub:
                idle = idle or (kind == "status" and content.get("execution_state") == "idle")
                outputs.add(kind, content)
            elif kind == "execute_reply":
                reply = content
            if reply is not None and idle:
                break
        # IPython's way to show an error can be switched off from within.
        if reply and reply.get("status") == "error" and not any(n.output_type == "error" for n in outputs.nodes):
            outputs.add("error", reply)

    def errand(self, parcel: bytes, deadline: float) -> list[bytes]:
        patience = _Patience(self, deadline)
        try:
            line = self._call_up(deadline)
            frames.send(line, [parcel])
            wait = functools.partial(patience.until_readable, line)
            return frames.receive(frames.reader(line, wait), self.limits.reply_bytes)
        except frames.TooLong as size:
            raise Lost(f"sent back {size}, which is too much.") from None
        except (OSError, EOFError):  # it has ended, or it fights with us over the socket
            time.sleep(TICK)
            patience.check()
            raise Lost("closed the line on which it was asked.") from None

    def _call_up(self, deadline: float) -> socket.socket:
        if self.errands is None:
            self.session.send(self.shell, "errand_request", {})
            self.errands = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self.errands.connect(f"{self.kernel.connection['ip']}-errands")
        # A process that does not read must not hold up the one that sends.
        self.errands.settimeout(max(1.0, deadline - time.monotonic()))
        return self.errands

    def put(self, files: Mapping[str, bytes], deadline: float) -> None:
        from autograder.examiner import errands

        self.errand(errands.put(files).parcel, deadline)

    def close(self) -> None:
        self.nursery.dismiss(self.kernel)
        self.hang_up()
        for channel in (self.shell, self.control, self.iopub):
            channel.close(linger=0)

    def hang_up(self) -> None:
        if self.errands is not None:
            self.errands.close()
            self.errands = None

    def _connect(self, channel: str, kind: int, most_bytes: int, most_messages: int) -> zmq.Socket[Any]:
        made = self.context.socket(kind)
        made.linger = 0
        made.setsockopt(zmq.MAXMSGSIZE, most_bytes)
        made.setsockopt(zmq.RCVHWM, most_messages)
        if kind == zmq.SUB:
            made.setsockopt(zmq.SUBSCRIBE, b"")
        about = self.kernel.connection
        made.connect(f"ipc://{about['ip']}-{about[channel + '_port']}")
        return made

    def _wait_for_welcome(self) -> None:
        """What is shown before the kernel knows of the subscription is lost; it greets each subscriber."""
        deadline = time.monotonic() + READY
        while not self.iopub.poll(50):
            if time.monotonic() > deadline or not self.kernel.is_alive():
                raise TimeoutError("A kernel does not answer.")

    def _messages(self, deadline: float) -> Any:
        """Yield the messages of the kernel, until the deadline or its death.

        Raises:
            Lost: always, if the caller does not stop before.
        """
        patience = _Patience(self, deadline)
        while True:
            ready = self.poller.poll(TICK * 1000)
            # First the outputs: the reply ends a call.
            for channel, _ in sorted(ready, key=lambda pair: pair[0] is self.shell):
                try:
                    _, message = self.session.recv(channel, zmq.NOBLOCK)
                except Exception:  # whatever a forged message does to the session
                    continue
                if _is_whole(message):
                    yield channel, message
            patience.check(look=not ready)


class _Patience:
    """Waits for a kernel: until its death, and for some time."""

    def __init__(self, line: _Line, deadline: float) -> None:
        self.line = line
        self.deadline = deadline
        self.interrupted: float | None = None

    def check(self, *, look: bool = True) -> None:
        """Interrupt the kernel after the deadline.

        Args:
            look: whether to look if it is alive.

        Raises:
            Lost: it is dead, or nothing helps.
        """
        line, now = self.line, time.monotonic()
        if look and not line.kernel.is_alive():
            line.nursery.ended(line.kernel)
            raise Lost(_how_it_ended(line.kernel))
        if self.interrupted is None and now > self.deadline:
            self.interrupted = now
            line.session.send(line.control, "interrupt_request", {})
        elif self.interrupted is not None and now > self.interrupted + line.limits.grace_seconds:
            raise Lost("took too long and could not be interrupted. Is there a loop that never ends?")

    def until_readable(self, channel: socket.socket) -> None:
        """Wait until `channel` has something to read."""
        while not select.select([channel], [], [], TICK)[0]:
            self.check()
        if time.monotonic() > self.deadline:
            self.check()


def _is_whole(message: Any) -> bool:
    if not isinstance(message, dict):
        return False
    return all(isinstance(message.get(part), dict) for part in ("header", "parent_header", "content"))


def _how_it_ended(kernel: WarmKernel) -> str:
    if kernel.reason:
        return f"was stopped: {kernel.reason}."
    names = {-11: "a crash inside a library", -9: "a kill", -24: "its limit of processor time", -6: "an abort"}
    if kernel.code in names:
        return f"ended its process by {names[kernel.code]} (signal {-kernel.code})."
    return f"ended its process (exit status {kernel.code}). Is there a call of exit or quit?"
