"""Where submissions are executed: in processes of this machine, or on a Dask cluster."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from pathlib import Path

from autograder.grading.execution import environment

# Seconds until a scheduler must have answered, and has workers.
CONNECT = 30


@contextlib.contextmanager
def on_this_machine(jobs: int, log: Path) -> Iterator[Executor]:
    """Processes of this machine. When the block is left by an error, they are ended at once.

    Args:
        jobs: how many.
        log: the file to which they append what kernels and libraries print.
    """
    with log.open("a"):
        pass  # whoever cannot write there learns it here, not in each worker
    # A fork would share the parent's connections to the gradebook.
    pool = ProcessPoolExecutor(
        jobs, mp_context=multiprocessing.get_context("spawn"), initializer=_begin, initargs=(log,)
    )
    before = set(multiprocessing.active_children())
    try:
        yield pool
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in set(multiprocessing.active_children()) - before:
            process.kill()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _begin(log: Path) -> None:
    # Whoever interrupts the grader interrupts its whole group; the grader ends its workers itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":  # nobody waits for the results of a grader that was killed
        from autograder.kernels import confine

        confine.die_with_parent()
        if not multiprocessing.parent_process().is_alive():  # it was killed before that
            os._exit(1)
    with log.open("a", encoding="utf-8") as file:
        os.dup2(file.fileno(), sys.stderr.fileno())


@contextlib.contextmanager
def on_a_cluster(scheduler: str) -> Iterator[Executor]:
    """A Dask cluster that is running.

    Args:
        scheduler: its address, such as ``tcp://host:8786``.

    Raises:
        OSError: it cannot be reached, has no workers, or a worker that would grade in another way; or it ended while it
            was used.
    """
    from distributed import Client
    from distributed.client import ClosedClientError

    with Client(scheduler, timeout=CONNECT, set_as_default=False) as client:
        client.wait_for_workers(1, timeout=CONNECT)
        for worker, about in client.scheduler_info(n_workers=-1)["workers"].items():
            if about["nthreads"] != 1:
                raise ConnectionError(f"{worker} has {about['nthreads']} threads. Start it with --nthreads 1.")
        for worker, found in client.run(environment, on_error="return").items():
            if found != environment():
                raise ConnectionError(f"{worker} has other versions than this machine, or none of this course.")
        try:
            # The work is a pure function: Dask may run it again when a worker is lost.
            yield client.get_executor(pure=False, retries=2)
        except ClosedClientError as error:
            raise ConnectionError("it ended. What was graded so far is kept") from error
