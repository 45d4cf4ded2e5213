"""Starts the zygote, asks it for kernels, and knows which of them are alive. Lives in the process that grades."""

from __future__ import annotations

import atexit
import contextlib
import functools
import json
import os
import secrets
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autograder.kernels import sandbox
from autograder.kernels.limits import Limits

PORTS = ("shell_port", "iopub_port", "stdin_port", "control_port", "hb_port")
# What a kernel is asked on its line to the examiner, see autograder.kernels.kernel.
BEGIN, CELL, ERRAND = b"begin", b"cell", b"errand"
# Seconds for the imports of a zygote, on a busy machine, and for the start of a kernel.
START = 180
READY = 60


@dataclass
class WarmKernel:
    """A kernel that runs and listens.

    Attributes:
        number: the zygote's number for it.
        pid: its process id, as this process sees it.
        connection: what a client needs, as in a connection file; the key is bytes.
        handle: file descriptor of the process, -1 once it is gone.
        code: exit code once it has ended; that of a signal is negative, None while it runs.
        reason: why it was killed, if the zygote did it.
    """

    number: int
    pid: int
    connection: dict[str, Any]
    handle: int
    code: int | None = None
    reason: str | None = None
    folder: str | None = field(default=None, repr=False)

    def is_alive(self) -> bool:
        """Whether its first process still runs."""
        return self.handle >= 0 and not select.select([self.handle], [], [], 0)[0]

    def interrupt(self) -> None:
        """Raise KeyboardInterrupt in its main thread, if it lets itself be interrupted."""
        if self.handle >= 0:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self.handle, signal.SIGINT)

    def kill(self) -> None:
        """End it, and everything that it started."""
        if self.handle >= 0:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self.handle, signal.SIGKILL)


class Nursery:
    """One zygote and its kernels. Safe to use from several threads."""

    def __init__(self, limits: Limits) -> None:
        """Nothing is started before the first kernel is asked for.

        Args:
            limits: of each kernel.
        """
        self.confined = not limits.unsafe_no_sandbox
        self.settings = {
            "confined": self.confined,
            "own_tmp": sandbox.has_own_tmp(),
            "seconds": int(limits.submission_seconds) + 60,
            **{name: getattr(limits, name) for name in ("memory", "processes", "open_files", "disk", "files")},
        }
        self._lock = threading.RLock()
        self._zygote: subprocess.Popen[bytes] | None = None
        self._zygote_pid = 0
        self._control: socket.socket | None = None
        self._requested: dict[int, dict[str, Any]] = {}
        self._kernels: dict[int, WarmKernel] = {}
        self._spare: int | None = None
        self._last = 0
        atexit.register(self.close)

    def take(self, *, prepare_next: bool = False) -> WarmKernel:
        """Return a kernel that nobody has used.

        Args:
            prepare_next: start another one for the next call.

        Raises:
            SandboxUnavailable: the sandbox does not work on this machine.
            TimeoutError: the kernel did not come up.
        """
        with self._lock:
            self._receive(0)
            if self._zygote is None or self._zygote.poll() is not None:
                self._start()
            number, self._spare = self._spare, None
            if number is None:
                number = self._request()
            kernel = self._wait_for(number)
            if prepare_next:
                self._spare = self._request()
            return kernel

    def dismiss(self, kernel: WarmKernel) -> None:
        """End a kernel that is not needed any more, without waiting."""
        with self._lock:
            kernel.kill()
            self._forget(kernel)

    def ended(self, kernel: WarmKernel) -> None:
        """Wait until a kernel that was killed or died is gone, and fill in its `code` and `reason`."""
        with self._lock:
            deadline = time.monotonic() + 10
            while kernel.code is None and time.monotonic() < deadline and self._receive(0.2):
                pass
            self._forget(kernel)

    def close(self) -> None:
        """End the zygote and all its kernels."""
        with self._lock:
            for kernel in list(self._kernels.values()):
                kernel.kill()
                self._forget(kernel)
            if self._control is not None:
                self._control.close()
                self._control = None
            if self._zygote is not None:
                try:
                    self._zygote.wait(5)
                except subprocess.TimeoutExpired:
                    # bubblewrap waits for the zygote, which is another process.
                    for pid in (self._zygote_pid, self._zygote.pid):
                        with contextlib.suppress(ProcessLookupError):
                            os.kill(pid, signal.SIGKILL)
                    self._zygote.wait()
                self._zygote = None
            self._requested.clear()
            self._spare = None

    def _start(self) -> None:
        if sys.platform != "linux":
            raise sandbox.SandboxUnavailable(sandbox.LINUX)
        self.close()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        # The kernel of Linux tells by whom a message was sent, in process ids of the receiver.
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        number = theirs.fileno()
        argv = [sys.executable, "-m", "autograder.kernels.zygote", str(number), json.dumps(self.settings)]
        environment = sandbox.environment()
        if self.confined:
            argv = sandbox.command(argv)
        else:
            environment |= {
                "PATH": os.environ.get("PATH", ""),
                "HOME": str(Path.home()),
                "TMPDIR": tempfile.gettempdir(),
            }
            for name in ("MPLCONFIGDIR", "IPYTHONDIR", "JUPYTER_RUNTIME_DIR"):
                environment.pop(name)
        with tempfile.TemporaryFile() as log:
            self._zygote = subprocess.Popen(
                argv, pass_fds=[number], env=environment, stdin=subprocess.DEVNULL, stderr=log
            )
            theirs.close()
            self._control = ours
            deadline = time.monotonic() + START
            while (message := self._next(0.5)) is None or message.get("zygote") != "ready":
                if self._zygote.poll() is not None or time.monotonic() > deadline:
                    log.seek(0)
                    reason = log.read().decode(errors="replace")
                    self.close()
                    raise sandbox.SandboxUnavailable(sandbox.refusal(reason))
            self._zygote_pid = message["pid"]

    def _request(self) -> int:
        self._last += 1
        folder = None if self.confined else tempfile.mkdtemp(prefix="kernel-")
        request = {
            "number": self._last,
            "key": secrets.token_hex(16),
            "ip": f"{folder or sandbox.SOCKETS}/s",
            **{name: port for port, name in enumerate(PORTS, 1)},
        }
        assert self._control is not None
        self._control.send(json.dumps(request).encode())
        self._requested[self._last] = request | {"folder": folder}
        return self._last

    def _wait_for(self, number: int) -> WarmKernel:
        deadline = time.monotonic() + READY
        while number not in self._kernels:
            if number not in self._requested or time.monotonic() > deadline or not self._alive():
                raise TimeoutError("A kernel did not come up. Is the machine out of memory or of processes?")
            self._receive(0.2)
        return self._kernels[number]

    def _alive(self) -> bool:
        return self._zygote is not None and self._zygote.poll() is None

    def _receive(self, seconds: float) -> bool:
        """Read what the zygote has to tell; whether there is still a zygote."""
        if self._control is None:
            return False
        while (message := self._next(seconds)) is not None:
            seconds = 0
            if "ready" in message:
                self._greet(message["ready"], message["pid"])
            elif "ended" in message:
                self._requested.pop(message["ended"], None)
                if kernel := self._kernels.get(message["ended"]):
                    code = message["code"]
                    kernel.code, kernel.reason = (128 - code if code > 128 else code), message["reason"]
        return self._alive()

    def _next(self, seconds: float) -> dict[str, Any] | None:
        assert self._control is not None
        if not select.select([self._control], [], [], seconds)[0]:
            return None
        data, about, _, _ = self._control.recvmsg(65536, 256)
        if not data:
            return None
        message = json.loads(data)
        for level, kind, value in about:
            if level == socket.SOL_SOCKET and kind == socket.SCM_CREDENTIALS:
                message["pid"] = struct.unpack("3i", value)[0]
        return message

    def _greet(self, number: int, pid: int) -> None:
        request = self._requested.pop(number)
        ip = request["ip"]
        if self.confined:  # its sockets lie in a file system that only its own namespace holds
            ip = f"/proc/{pid}/root{ip}"
        connection = {
            "transport": "ipc",
            "ip": ip,
            "key": request["key"].encode(),
            "signature_scheme": "hmac-sha256",
            **{name: request[name] for name in PORTS},
        }
        with contextlib.suppress(ProcessLookupError):  # it may be gone already
            handle = os.pidfd_open(pid)
            self._kernels[number] = WarmKernel(number, pid, connection, handle, folder=request["folder"])

    def _forget(self, kernel: WarmKernel) -> None:
        if self._kernels.pop(kernel.number, None):
            os.close(kernel.handle)
            kernel.handle = -1
            if kernel.folder:
                shutil.rmtree(kernel.folder, ignore_errors=True)


@functools.cache
def _nursery(settings: str) -> Nursery:
    return Nursery(Limits(**json.loads(settings)))


def nursery(limits: Limits) -> Nursery:
    """The nursery of this process for these limits; it lives as long as the process."""
    values = {name: getattr(limits, name) for name in limits.trait_names(config=True)}
    return _nursery(json.dumps(values, sort_keys=True))
