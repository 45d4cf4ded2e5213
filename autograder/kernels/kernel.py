"""The kernel: ipykernel's, which also serves the examiner on a socket of its own.

The examiner connects to that socket and hangs up when it is done. In between the main thread, where cells run, answers
its messages, of three kinds: how to begin, a cell to run, and an errand (:mod:`autograder.examiner.errands`).
Jupyter's own channels stay as they are, for nbclient, nbval and others; the examiner does not use them: over ZMQ a
process can be sent more than it can hold, and each message costs milliseconds.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import random
import signal
import socket
import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch
from ipykernel.iostream import OutStream
from ipykernel.ipkernel import IPythonKernel
from ipykernel.kernelapp import IPKernelApp
from jupyter_client.session import Session
from tornado.ioloop import IOLoop
from traitlets import DottedObjectName
from traitlets.config import Config

from autograder.examiner import frames
from autograder.examiner.errand_boy import ErrandBoy
from autograder.examiner.errands import MOST_SENT
from autograder.kernels.nursery import BEGIN, CELL, PORTS

_SHOWN = ("stream", "display_data", "execute_result", "update_display_data", "error", "clear_output")


class Recorder:
    """Keeps what a cell shows, as pairs of a message's type and its content, up to some size."""

    def __init__(self, most: int) -> None:
        """Keep about `most` characters."""
        self.messages: list[tuple[str, dict[str, Any]]] = []
        self.left = most

    def add(self, kind: str, content: dict[str, Any]) -> None:
        """Add a message. Errors are kept in any case, and are small."""
        if kind == "clear_output":
            self.messages.clear()
        elif kind == "error" or self.left > 0:
            self.left -= len(json.dumps(content, default=str))
            self.messages.append((kind, content))


class RecordingSession(Session):
    """Jupyter's session, which can keep what cells show rather than send it.

    Attributes:
        recorder: where it is kept, or None.
    """

    recorder: Recorder | None = None

    def send(self, stream: Any, msg_or_type: Any, content: Any = None, *args: Any, **kwargs: Any) -> Any:
        """Send a message, or keep it."""
        if self.recorder is not None:
            kind, shown = msg_or_type, content
            if isinstance(msg_or_type, dict):
                kind, shown = msg_or_type["header"]["msg_type"], msg_or_type["content"]
            if kind in _SHOWN:
                self.recorder.add(kind, shown)
                return None
        return super().send(stream, msg_or_type, content, *args, **kwargs)


class Stream(OutStream):
    """ipykernel's stream, which drops what one cell writes beyond some length, before it costs time.

    Attributes:
        most: number of characters for a cell.
    """

    most = 2**20

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Make the stream."""
        super().__init__(*args, **kwargs)
        self.left = self.most

    def write(self, string: str) -> int | None:
        """Write what still fits."""
        if isinstance(string, str) and len(string) > self.left:
            kept, self.left = string[: self.left], 0
            if kept:
                super().write(kept)
            return len(string)
        self.left -= len(string)
        return super().write(string)


class CourseKernel(IPythonKernel):
    """ipykernel's kernel, which answers the examiner as well."""

    def __init__(self, **kwargs: Any) -> None:
        """Make the kernel, and its errand boy before any code has run."""
        super().__init__(**kwargs)
        self.errand_boy = ErrandBoy(self.shell.user_ns)

    async def do_execute(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Run a cell, with room for its output."""
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, Stream):
                stream.left = stream.most
        return await super().do_execute(*args, **kwargs)

    async def answer_examiner(self, line: socket.socket) -> None:
        """Answer the examiner until it hangs up."""
        process = os.getpid()
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            with line, contextlib.suppress(OSError, EOFError):
                read = frames.reader(line)
                while True:
                    try:
                        kind, *parts = frames.receive(read, MOST_SENT)
                        answer = await self._answer(kind, parts)
                        if os.getpid() != process:  # the code forked, and came back twice
                            os._exit(0)
                        frames.send(line, answer)
                    except KeyboardInterrupt:  # it came too late: the call had just ended
                        continue
        finally:
            signal.signal(signal.SIGINT, before)

    async def _answer(self, kind: bytes, parts: list[bytes]) -> list[bytes]:
        if kind == CELL:
            return await self._run(*parts)
        if kind == BEGIN:
            seed, names, *contents = parts
            _seed(int(seed))
            for name, content in zip(json.loads(names), contents, strict=True):
                Path(name).parent.mkdir(parents=True, exist_ok=True)
                Path(name).write_bytes(content)
            return []
        return self.errand_boy.serve(*parts)

    async def _run(self, source: bytes, most: bytes) -> list[bytes]:
        """Run a cell; return what it shows, and its reply."""
        recorder = self.session.recorder = Recorder(int(most))
        try:
            reply = await self.do_execute(source.decode(), silent=False, store_history=True, allow_stdin=False)
            for stream in (sys.stdout, sys.stderr):
                with contextlib.suppress(Exception):  # the code may have put anything there
                    stream.flush()
        finally:
            self.session.recorder = None
        told = {name: str(reply.get(name, "")) for name in ("status", "ename", "evalue")}
        return [json.dumps(recorder.messages, default=str).encode(), json.dumps(told).encode()]


class _App(IPKernelApp):
    """ipykernel's application without files: what it must know was passed to it."""

    outstream_class = DottedObjectName("autograder.kernels.kernel.Stream")

    def init_connection_file(self) -> None:
        pass

    def write_connection_file(self, **kwargs: Any) -> None:
        pass

    def init_crash_handler(self) -> None:
        pass

    def parse_command_line(self, argv: Any = None) -> None:
        pass

    def load_config_file(self, *args: Any, **kwargs: Any) -> None:
        pass


def _seed(seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def prepare(request: dict[str, Any]) -> IPKernelApp:
    """Make the application in this process and bind its sockets.

    Args:
        request: ``key``, ``ip`` (start of the paths of its sockets) and a number for each of the five ports.
    """
    config = Config()
    config.HistoryManager.enabled = False
    # Other levels cost time: ipykernel logs each message that it sends.
    config.Application.log_level = "ERROR"
    # Text that C code writes to file descriptor 1 or 2 is output too.
    app = _App.instance(kernel_class=CourseKernel, config=config)
    app.transport, app.ip = "ipc", request["ip"]
    for name in PORTS:
        setattr(app, name, request[name])
    app.session = RecordingSession(parent=app, key=request["key"].encode())
    door = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    door.bind(f"{request['ip']}-examiner")
    door.listen(4)
    app.initialize([])

    def open_door(*_: Any) -> None:
        line, _ = door.accept()
        line.setblocking(True)
        app.examined = asyncio.ensure_future(app.kernel.answer_examiner(line))

    IOLoop.current().add_handler(door, open_door, IOLoop.READ)
    return app
