"""Runs inside the sandbox: everything that a kernel needs is imported once, and each kernel is a fork of it.

The zygote has no threads, no ZMQ context and no CUDA, so that a fork is sound. A kernel gets namespaces and mounts of
its own and loses all rights before ipykernel starts in it, and long before any code of a student's.

A kernel takes three processes: the zygote forks a keeper, which makes the namespaces and stays outside of the PID
namespace; the keeper forks the kernel, the first process in there: with it, everything that it started ends.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from autograder.kernels import confine
from autograder.kernels.sandbox import SOCKETS, WORK

# Seconds between two looks at what the kernels take.
TICK = 0.1
WARM = (
    "autograder.checks",
    "autograder.kernels.kernel",
    "debugpy._vendored.force_pydevd",
    "ipykernel.debugger",
    "IPython.core.completer",
    "IPython.core.completerlib",
    "IPython.core.debugger",
    "IPython.core.logger",
    "IPython.core.oinspect",
    "IPython.extensions.storemagic",
    "faulthandler",
    "tornado.platform.asyncio",
)
# What few notebooks need: the first kernel does not wait for it.
WARM_LATER = ("autograder.figures", "matplotlib.pyplot", "matplotlib_inline.backend_inline")


def main() -> None:
    """Serve requests for kernels until the other end of the socket is closed.

    Arguments: number of the socket's file descriptor, and settings as JSON, see :class:`Zygote`.
    """
    control = socket.socket(fileno=int(sys.argv[1]))
    settings = json.loads(sys.argv[2])
    warm_up()
    zygote = Zygote(control, settings)
    try:
        zygote.serve()
    finally:
        zygote.end_all()


def warm_up() -> None:
    """Import and call once what takes long the first time."""
    for name in WARM:
        importlib.import_module(name)
    import torch

    torch.set_num_threads(1)
    x = torch.ones(2, 2, dtype=torch.float64)
    # The first call of a transform imports some hundred modules.
    torch.func.vmap(torch.func.grad(lambda row: (row**2).sum()))(x)
    torch.func.jacrev(torch.sin)(x), torch.func.hessian(lambda row: (row**3).sum())(x)
    torch.func.jvp(torch.sin, (x,), (x,)), torch.func.functional_call(torch.nn.Linear(2, 2).double(), {}, (x,))
    assert not torch.cuda.is_initialized()
    _settle()


def warm_up_later() -> None:
    """Import what the first kernel did without."""
    for name in WARM_LATER:
        importlib.import_module(name)
    _settle()


def _settle() -> None:
    # The garbage collector of a fork must not visit, and so copy, what all forks share.
    gc.collect()
    gc.freeze()
    assert len(os.listdir("/proc/self/task")) == 1


class Zygote:
    """Forks kernels and watches over what they take.

    Attributes:
        settings: ``confined`` (bool), ``own_tmp`` (bool) and the limits ``memory``, ``processes``, ``open_files``,
            ``disk``, ``files``, ``seconds``.
    """

    def __init__(self, control: socket.socket, settings: dict[str, Any]) -> None:
        """Serve the socket `control`."""
        self.control = control
        self.settings = settings
        # Number of each kernel by the process id of its keeper, and of the kernel itself.
        self.keepers: dict[int, int] = {}
        self.kernels: dict[int, int] = {}
        self.reasons: dict[int, str] = {}
        self.looked = 0.0
        self.processes = _Processes()
        self.warm = False
        self.wakers: tuple[socket.socket, ...] = ()

    def serve(self) -> None:
        """Fork a kernel for each request; report those that ended."""
        self.tell({"zygote": "ready"})
        wakes, woken = socket.socketpair()
        wakes.setblocking(False)
        woken.setblocking(False)
        self.wakers = (wakes, woken)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(woken.fileno(), warn_on_full_buffer=False)
        while True:
            readable, _, _ = select.select([self.control, wakes], [], [], TICK if self.keepers else None)
            if self.control in readable:
                message = self.control.recv(65536)
                if not message:
                    return
                self.fork(json.loads(message))
                if not self.warm:
                    warm_up_later()
                    self.warm = True
            if wakes in readable:
                with contextlib.suppress(BlockingIOError):
                    wakes.recv(64)
            if time.monotonic() > self.looked + TICK:
                self.watch()
                self.looked = time.monotonic()
            self.reap()

    def tell(self, message: dict[str, Any]) -> None:
        """Send a message to the grader."""
        with contextlib.suppress(OSError):
            self.control.send(json.dumps(message).encode())

    def fork(self, request: dict[str, Any]) -> None:
        """Fork the keeper of a new kernel."""
        told, tells = os.pipe()
        keeper = os.fork()
        if keeper == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for waker in self.wakers:
                waker.close()
            os.close(told)
            _run_and_exit(lambda: self.keep(request, tells))
        os.close(tells)
        # The keeper tells the process id of the kernel, as it is seen from here.
        with open(told, "rb") as pipe:
            number = pipe.read()
        self.keepers[keeper] = request["number"]
        if number:
            self.kernels[request["number"]] = int(number)

    def keep(self, request: dict[str, Any], tells: int) -> None:
        """Make the namespaces, fork the kernel into them, and wait for its end."""
        confine.die_with_parent()
        if self.settings["confined"]:
            confine.new_namespaces()
            confine.make_read_only("/proc", confine.MS_NOSUID | confine.MS_NODEV | confine.MS_NOEXEC)
            confine.mount_tmpfs("/run", self.settings["disk"], self.settings["files"])
            os.mkdir(SOCKETS)
            os.mkdir(WORK)
            confine.mount_tmpfs(SOCKETS, 0.25, 32)
            confine.mount_tmpfs("/dev/pts", 0.01, 2)
            confine.mount_tmpfs("/dev/shm", self.settings["disk"] / 2, self.settings["files"])
            if self.settings["own_tmp"]:
                confine.mount_tmpfs("/tmp", self.settings["disk"] / 2, self.settings["files"])
        bound, binds = os.pipe()
        sealed, seals = os.pipe()
        kernel = os.fork()
        if kernel == 0:
            for descriptor in (tells, bound, seals):
                os.close(descriptor)
            _run_and_exit(lambda: self.become_kernel(request, binds, sealed))
        os.write(tells, str(kernel).encode())
        for descriptor in (tells, binds, sealed):
            os.close(descriptor)
        self.control.close()
        # Once its sockets are there, the kernel must not put others, or links, in their place.
        if os.read(bound, 1) and self.settings["confined"]:
            confine.make_read_only(SOCKETS)
        os.close(seals)
        _, status = os.waitpid(kernel, 0)
        code = os.waitstatus_to_exitcode(status)
        os._exit(code if code >= 0 else 128 - code)

    def become_kernel(self, request: dict[str, Any], binds: int, sealed: int) -> None:
        """Give up all rights and run ipykernel."""
        from autograder.kernels import kernel

        confine.die_with_parent()
        os.setsid()
        # Nothing of the grader's stays open: what is written to the first three goes nowhere, or to ipykernel.
        nowhere = os.open(os.devnull, os.O_RDWR)
        for number in range(3):
            os.dup2(nowhere, number)
        if self.settings["confined"]:
            confine.drop_rights()
            confine.deny_system_calls()
            os.chdir(WORK)
        confine.limit_resources(
            memory=self.settings["memory"] * 2**20,
            processes=self.settings["processes"] + 32,
            open_files=self.settings["open_files"],
            file_bytes=self.settings["disk"] * 2**20,
            seconds=self.settings["seconds"],
        )
        app = kernel.prepare(request)
        os.write(binds, b"1")
        os.close(binds)
        os.read(sealed, 1)
        os.close(sealed)
        self.tell({"ready": request["number"]})
        self.control.close()
        app.start()

    def reap(self) -> None:
        """Report the kernels that ended."""
        while self.keepers:
            keeper, status = os.waitpid(-1, os.WNOHANG)
            if keeper == 0:
                return
            number = self.keepers.pop(keeper, None)
            if number is not None:
                self.kernels.pop(number, None)
                code = os.waitstatus_to_exitcode(status)
                self.tell({"ended": number, "code": code, "reason": self.reasons.pop(number, None)})

    def watch(self) -> None:
        """Kill a kernel that has too many processes, or whose processes together hold too much memory."""
        if not self.kernels:
            return
        self.processes.look()
        for number, kernel in self.kernels.items():
            threads, memory = self.processes.below(kernel)
            # ipykernel has some ten threads of its own.
            if threads > self.settings["processes"] + 16:
                self.end(number, f"{threads} processes and threads, {self.settings['processes']} is the limit")
            elif memory > 1.5 * self.settings["memory"] * 2**20:
                self.end(number, f"{memory // 2**20} MB of memory, {self.settings['memory']} MB is the limit")

    def end_all(self) -> None:
        """Kill every kernel. In the sandbox they end with the zygote anyway."""
        for kernel in self.kernels.values():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(kernel, signal.SIGKILL)

    def end(self, number: int, reason: str) -> None:
        """Kill a kernel and all that it started."""
        self.reasons[number] = reason
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.kernels[number], signal.SIGKILL)


def _run_and_exit(run: Callable[[], None]) -> None:
    # A forked process must never return into the loop of its parent.
    try:
        run()
    except BaseException:
        import traceback

        traceback.print_exc()
        os._exit(1)
    os._exit(0)


class _Processes:
    """What every process below this one takes.

    There may be many others, and this looks ten times a second: who is known to be a stranger is not looked at again.
    """

    def __init__(self) -> None:
        self.own = 0
        self.strangers: set[int] = {0}
        self.children: dict[int, list[int]] = {}
        self.threads: dict[int, int] = {}

    def look(self) -> None:
        """Read the table of processes."""
        self.own = _memory("self")[0]
        here = {int(name) for name in os.listdir("/proc") if name.isdigit()}
        self.strangers &= here | {0}
        parents: dict[int, int] = {}
        self.threads.clear()
        for process in here - self.strangers - {os.getpid()}:
            with contextlib.suppress(OSError, ValueError, IndexError):  # it has just ended
                fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
                parents[process], self.threads[process] = int(fields[1]), int(fields[17])
        # Whose parent has just ended is no stranger yet: it may be a kernel's.
        while found := {process for process, parent in parents.items() if parent in self.strangers}:
            self.strangers |= found
            for process in found:
                del parents[process]
        self.children.clear()
        for process, parent in parents.items():
            self.children.setdefault(parent, []).append(process)

    def below(self, kernel: int) -> tuple[int, int]:
        """Threads of a kernel and of all that it started, and their bytes of memory beyond the zygote's."""
        threads = memory = 0
        todo = [kernel]
        while todo:
            process = todo.pop()
            todo += self.children.get(process, [])
            with contextlib.suppress(OSError, ValueError, IndexError):
                anonymous, shared = _memory(str(process))
                threads += self.threads.get(process, 1)
                memory += max(0, anonymous - self.own) + shared
        return threads, memory


def _memory(process: str) -> tuple[int, int]:
    anonymous = shared = 0
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            anonymous = int(line.split()[1]) * 1024
        elif line.startswith("RssShmem:"):
            shared = int(line.split()[1]) * 1024
    return anonymous, shared


if __name__ == "__main__":
    main()
