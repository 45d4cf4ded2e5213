"""One grader at a time for a class."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from autograder.grading.course import GradingError

LOCK = ".grading.lock"


@contextlib.contextmanager
def alone(class_folder: Path) -> Iterator[None]:
    """Keep other graders away from a class for as long as the block runs. A grader that is killed keeps nobody away.

    Args:
        class_folder: the class.

    Raises:
        GradingError: another grader is at work there.
    """
    import fcntl  # grading needs Linux; this module is imported elsewhere too

    with (class_folder / LOCK).open("a+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            who = file.read().strip() or "unknown"
            raise GradingError(
                f"Another grader is at work on {class_folder} (process {who}). Wait for it to end, then start again: "
                "what it graded is kept."
            ) from None
        file.truncate(0)
        file.write(f"{os.getpid()} on {os.uname().nodename}")
        file.flush()
        yield
