"""The kernel: ipykernel's, which also does the examiner's errands.

Errands come over a socket of their own, since a test makes many small ones and a message of Jupyter's costs
milliseconds: ``errand_request`` on the shell channel lets the main thread, where cells run, serve that socket until the
other end is closed. Each message there is one parcel, and each answer the list of its buffers, see
:mod:`autograder.examiner.errands`.
"""

from __future__ import annotations

import contextlib
import os
import random
import socket
import sys
from typing import Any

import numpy as np
import torch
from ipykernel.iostream import OutStream
from ipykernel.ipkernel import IPythonKernel
from ipykernel.kernelapp import IPKernelApp
from traitlets import DottedObjectName
from traitlets.config import Config

from autograder.examiner import frames
from autograder.examiner.errand_boy import ErrandBoy
from autograder.examiner.errands import MOST_SENT

PORTS = ("shell_port", "iopub_port", "stdin_port", "control_port", "hb_port")


class CourseKernel(IPythonKernel):
    """ipykernel's kernel with one more request, ``errand_request``, to which there is no reply."""

    msg_types = [*IPythonKernel.msg_types, "errand_request"]  # noqa: RUF012 - ipykernel's own form

    def __init__(self, **kwargs: Any) -> None:
        """Make the kernel, and its errand boy before any code has run."""
        super().__init__(**kwargs)
        self.errand_boy = ErrandBoy(self.shell.user_ns)
        self.errand_socket: socket.socket | None = None

    async def do_execute(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Run a cell, with room for its output."""
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, Stream):
                stream.left = stream.most
        return await super().do_execute(*args, **kwargs)

    async def errand_request(self, stream: Any, ident: Any, parent: dict[str, Any]) -> None:
        """Do the examiner's errands, until it hangs up."""
        assert self.errand_socket is not None
        process = os.getpid()
        line, _ = self.errand_socket.accept()
        with line, contextlib.suppress(OSError, EOFError):
            read = frames.reader(line)
            while True:
                try:
                    (parcel,) = frames.receive(read, MOST_SENT)
                    answer = self.errand_boy.serve(parcel)
                    if os.getpid() != process:  # the code forked, and came back twice
                        os._exit(0)
                    frames.send(line, answer)
                except KeyboardInterrupt:  # it came too late: the call had just ended
                    continue


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


class _App(IPKernelApp):
    """ipykernel's application without files: what it must know was passed to it."""

    outstream_class = DottedObjectName("autograder.kernels.kernel.Stream")

    def init_connection_file(self) -> None:
        pass

    def write_connection_file(self, **kwargs: Any) -> None:
        pass

    def init_crash_handler(self) -> None:
        pass


def prepare(request: dict[str, Any]) -> IPKernelApp:
    """Make the application in this process and bind its sockets.

    Args:
        request: ``key``, ``ip`` (start of the paths of its sockets) and a number for each of the five ports.
    """
    # A fork begins with the random numbers of its parent.
    random.seed()
    np.random.seed()
    torch.seed()
    config = Config()
    config.HistoryManager.enabled = False
    # Other levels cost time: ipykernel logs each message that it sends.
    config.Application.log_level = "ERROR"
    # Text that C code writes to file descriptor 1 or 2 is output too.
    app = _App.instance(kernel_class=CourseKernel, config=config)
    app.transport, app.ip = "ipc", request["ip"]
    for name in PORTS:
        setattr(app, name, request[name])
    app.session.key = request["key"].encode()
    errand_socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    errand_socket.bind(f"{request['ip']}-errands")
    errand_socket.listen(4)
    app.initialize([])
    app.kernel.errand_socket = errand_socket
    return app
