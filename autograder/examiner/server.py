"""Where examinations come from: a warm process that forks one process for each notebook.

So nothing of one examination is there in the next, none has to import torch, and a test that never ends or takes all
memory costs itself only. (multiprocessing's own fork server would import the grader's main program into each.)
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import os
import resource
import select
import signal
import socket
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Iterable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

# Bytes that an examination may take beyond what it starts with.
MEMORY = 2 * 2**30
START = 180
# To the server: a process is wanted. Every other message is the text of a cell.
FORK = b"\0fork"
# Imported one by one while nobody asks for anything: for locked cells that draw, and what the first call of a transform
# imports, which takes more than a second.
LATER = ("matplotlib.pyplot", "sympy", "torch.distributed.fsdp", "torch._dynamo")
# Bytes of a cell that fit into one message.
MOST_LEARNED = 2**16


class NoExaminer(Exception):
    """Raised when no examination can be begun on this machine. It says nothing about the submission."""


class ExaminationLost(Exception):
    """Raised when an examination gives no answer in time, or ends. The message is a sentence."""


class Examiner:
    """One examination, seen from the grader."""

    def __init__(self, folder: Path, sources: Iterable[str] = ()) -> None:
        """Start it.

        Args:
            folder: its working folder, where tests find the assignment's files.
            sources: cells of the assignment; what they say is read once, for all examinations to come.
        """
        self._pid, self._pipe = _server.take(sources)
        self._pipe.send(str(folder))

    def ask(self, kind: str, what: Any, errand: Any, seconds: float) -> list[Any]:
        """Send a request of :func:`autograder.examiner.examination.serve` and return the outputs.

        Args:
            kind: ``"locked"``, ``"answer"`` or ``"test"``.
            what: its argument.
            errand: called with a parcel and the seconds that are left; returns the message to send back.
            seconds: time for all of it.

        Raises:
            ExaminationLost: there is no answer. The examination is over.
        """
        deadline = time.monotonic() + seconds
        try:
            self._pipe.send((kind, what))
            while True:
                if not self._pipe.poll(max(0.0, deadline - time.monotonic()) + 1):
                    self.close()
                    raise ExaminationLost(f"This test took longer than {seconds:g} seconds.")
                kind, reply = self._pipe.recv()
                if kind == "outputs":
                    return reply
                self._pipe.send(errand(reply, max(0.0, deadline - time.monotonic())))
        except (EOFError, OSError):
            self.close()
            raise ExaminationLost("This test could not be done: the process that runs tests ended.") from None

    def close(self) -> None:
        """End it."""
        with contextlib.suppress(OSError):
            self._pipe.close()
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)


class _Server:
    """The process that forks, started when it is first needed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._next: Connection | None = None
        self._learned: set[str] = set()
        atexit.register(self._stop)

    def start(self) -> None:
        """Start the server and let it make a process, if it does not run yet; do not wait."""
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                self._start()
                self._ask()

    def take(self, sources: Iterable[str]) -> tuple[int, Connection]:
        """Return a process that waits for its folder, and let the next one be made, which knows `sources`."""
        self.start()
        with self._lock:
            assert self._control is not None
            try:
                pid = int(self._control.recv(64))
            except (OSError, ValueError):
                raise NoExaminer("the process that runs tests could not be started; see grading.log") from None
            assert self._next is not None
            pipe = self._next
            for source in sources:
                self._learn(source)
            self._ask()
            return pid, pipe

    def _ask(self) -> None:
        ours, theirs = socket.socketpair()
        assert self._control is not None
        with theirs:
            socket.send_fds(self._control, [FORK], [theirs.fileno()])
        self._next = Connection(ours.detach())

    def _learn(self, source: str) -> None:
        message = source.encode()
        if message and source not in self._learned and len(message) < MOST_LEARNED:
            assert self._control is not None
            self._control.send(message)
            self._learned.add(source)

    def _start(self) -> None:
        self._stop()
        self._learned.clear()
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        number = theirs.fileno()
        environment = {**os.environ, "MPLBACKEND": "agg", "CUDA_VISIBLE_DEVICES": ""}
        environment |= dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
        # -P: the working folder must not be a place to import from.
        argv = [sys.executable, "-P", "-m", "autograder.examiner.server", str(number)]
        self._process = subprocess.Popen(argv, pass_fds=[number], env=environment, stdin=subprocess.DEVNULL)
        theirs.close()
        self._control.settimeout(START)

    def _stop(self) -> None:
        if self._control is not None:
            self._control.close()
        if self._process is not None:
            self._process.terminate()
            self._process.wait()
            self._process = None


_server = _Server()


def prepare() -> None:
    """Start what takes long, so that it is there when the first examination is needed."""
    _server.start()


def main() -> None:
    """Fork an examination for each request, which brings the socket to speak through."""
    control = socket.socket(fileno=int(sys.argv[1]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for an examination's end
    _warm_up()
    left = list(LATER)
    while True:
        if left and not select.select([control], [], [], 0)[0]:
            importlib.import_module(left.pop(0))
            _freeze()
            continue
        try:
            message, descriptors, _, _ = socket.recv_fds(control, MOST_LEARNED, 1)
        except OSError:
            return
        if not message:
            return
        if message != FORK:
            _learn(message.decode())
            continue
        pid = os.fork()
        if pid == 0:
            _examine(descriptors[0], control)
        os.close(descriptors[0])
        with contextlib.suppress(OSError):
            control.send(str(pid).encode())


def _warm_up() -> None:
    import torch

    from autograder.examiner import examination

    torch.set_num_threads(1)
    examination.prepare_shell()
    _freeze()


def _learn(source: str) -> None:
    from autograder.examiner import examination

    examination.learn(source)


def _freeze() -> None:
    # The garbage collector of a fork must not visit, and so copy, what all forks share.
    gc.collect()
    gc.freeze()


def _examine(descriptor: int, control: socket.socket) -> None:
    from autograder.examiner import examination

    # A forked process must never return into the loop of its parent.
    try:
        control.close()
        pipe = Connection(descriptor)
        os.chdir(pipe.recv())
        status = Path("/proc/self/status").read_text() if sys.platform == "linux" else ""
        if used := [line.split()[1] for line in status.splitlines() if line.startswith("VmData")]:
            resource.setrlimit(resource.RLIMIT_DATA, (int(used[0]) * 1024 + MEMORY,) * 2)
        examination.serve(pipe)
    except EOFError:
        pass  # nobody needed it
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(0)


if __name__ == "__main__":
    main()
