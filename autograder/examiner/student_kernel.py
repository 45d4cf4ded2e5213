"""The student's kernel, seen from the grader: cells are run in it, errands are sent to it, and when it dies or hangs
a new one takes its place, in which the cells are run again.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import zmq
from jupyter_client.session import Session
from nbformat import NotebookNode

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
        self.iopub = self._connect("iopub", zmq.SUB, 16 * limits.output_bytes + 2**20, 50)
        self.poller = zmq.Poller()
        self.poller.register(self.shell, zmq.POLLIN)
        self.poller.register(self.iopub, zmq.POLLIN)
        self._wait_for_welcome()

    def execute(self, source: str, outputs: Outputs, deadline: float) -> None:
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
        request = self.session.send(self.shell, "errand_request", {}, buffers=[parcel])["header"]["msg_id"]
        for channel, message in self._messages(deadline):
            if channel is self.shell and message["parent_header"].get("msg_id") == request:
                return [bytes(buffer) for buffer in message["buffers"]]
        raise AssertionError("messages end in Lost only")

    def put(self, files: Mapping[str, bytes], deadline: float) -> None:
        from autograder.examiner import errands

        self.errand(errands.put(files).parcel, deadline)

    def close(self) -> None:
        self.kernel.kill()
        self.nursery.ended(self.kernel)
        for socket in (self.shell, self.control, self.iopub):
            socket.close(linger=0)

    def _connect(self, channel: str, kind: int, most_bytes: int, most_messages: int) -> zmq.Socket[Any]:
        socket = self.context.socket(kind)
        socket.linger = 0
        socket.setsockopt(zmq.MAXMSGSIZE, most_bytes)
        socket.setsockopt(zmq.RCVHWM, most_messages)
        if kind == zmq.SUB:
            socket.setsockopt(zmq.SUBSCRIBE, b"")
        about = self.kernel.connection
        socket.connect(f"ipc://{about['ip']}-{about[channel + '_port']}")
        return socket

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
        interrupted = 0.0
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
            now = time.monotonic()
            if not ready and not self.kernel.is_alive():
                self.nursery.ended(self.kernel)
                raise Lost(_how_it_ended(self.kernel))
            if now > deadline and not interrupted:
                interrupted = now
                self.session.send(self.control, "interrupt_request", {})
            elif interrupted and now > interrupted + self.limits.grace_seconds:
                raise Lost("took too long and could not be interrupted. Is there a loop that never ends?")


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
