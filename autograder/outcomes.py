"""What a check can say: the answer is wrong, it raised an error, or there is none yet."""

from __future__ import annotations

import textwrap

# Lines that fit a notebook on a small laptop.
_WRAPPER = textwrap.TextWrapper(width=90, break_long_words=False, break_on_hyphens=False)


class CheckFailed(AssertionError):
    """Raised when an answer is not right. Its message is written for the student who gave the answer.

    IPython shows the message and nothing else: the frames of the test would not help, and those of a hidden test
    would give it away.
    """

    headline = "Not yet right"

    def _render_traceback_(self) -> list[str]:
        # Jupyter does not break the lines of an error. Those of the student's code start with a space and stay whole.
        lines = f"{self.headline}: {self}".splitlines()
        return ["\n".join(line if line.startswith(" ") else _WRAPPER.fill(line) for line in lines)]


class AnswerRaised(CheckFailed):
    """Raised when the student's function raised an error; the message holds the student's own lines."""

    headline = "Your code raised an error"


class NotAttempted(CheckFailed):
    """Raised when the answer cell still holds its stub."""

    headline = "Not attempted"
