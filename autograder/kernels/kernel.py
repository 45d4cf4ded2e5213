"""The kernel: ipykernel's, which also does the examiner's errands."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import torch
from ipykernel.ipkernel import IPythonKernel
from ipykernel.kernelapp import IPKernelApp
from traitlets.config import Config

from autograder.examiner.errand_boy import ErrandBoy

PORTS = ("shell_port", "iopub_port", "stdin_port", "control_port", "hb_port")


class CourseKernel(IPythonKernel):
    """ipykernel's kernel with one more request: ``errand_request`` on the shell channel.

    Its single buffer is a parcel, and the buffers of ``errand_reply`` are the answer, see
    :mod:`autograder.examiner.errands`. The code runs in the main thread, where cells run.
    """

    msg_types = [*IPythonKernel.msg_types, "errand_request"]  # noqa: RUF012 - ipykernel's own form

    def __init__(self, **kwargs: Any) -> None:
        """Make the kernel, and its errand boy before any code has run."""
        super().__init__(**kwargs)
        self.errand_boy = ErrandBoy(self.shell.user_ns)

    async def errand_request(self, stream: Any, ident: Any, parent: dict[str, Any]) -> None:
        """Do one errand of the examiner's."""
        answer = self.errand_boy.serve(bytes(parent["buffers"][0]))
        self.session.send(stream, "errand_reply", {}, parent, ident=ident, buffers=answer)


class _App(IPKernelApp):
    """ipykernel's application without files: what it must know was passed to it."""

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
    app.initialize([])
    return app
