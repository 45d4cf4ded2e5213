"""What can be in the way of writing down marks, in plain words."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from sqlalchemy.exc import ArgumentError, DBAPIError

from autograder.grading.course import Course, GradingError

_KEPT = "What was graded so far is kept. Mend this, then start again to go on."


@contextlib.contextmanager
def in_plain_words(course: Course) -> Iterator[None]:
    """Turn what files and databases raise into a GradingError which says what to do.

    Args:
        course: whose gradebook is used.
    """
    try:
        yield
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise GradingError(f"{where}{error.strerror or error}. {_KEPT}") from error
    except ArgumentError as error:
        raise GradingError(f"There is no such gradebook: {error}. Write it as postgresql://host/course.") from None
    except DBAPIError as error:
        reason = str(error.orig).strip()
        if "locked" in reason:
            reason = f"{reason}; another program is writing to it. Is nbgrader or the formgrader at work?"
        raise GradingError(f"The gradebook ({course.shown_db_url}) cannot be used: {reason} {_KEPT}") from error
