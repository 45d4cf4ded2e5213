"""What a check can say: the answer is wrong, it raised an error, or there is none yet."""

from __future__ import annotations


class CheckFailed(AssertionError):
    """Raised when an answer is not right. Its message is written for the student who gave the answer.

    IPython shows the message and nothing else: the frames of the test would not help, and those of a hidden test
    would give it away.
    """

    headline = "Not yet right"

    def _render_traceback_(self) -> list[str]:
        return [f"{self.headline}: {self}"]


class AnswerRaised(CheckFailed):
    """Raised when the student's function raised an error; the message holds the student's own lines."""

    headline = "Your code raised an error"


class NotAttempted(CheckFailed):
    """Raised when the answer cell still holds its stub."""

    headline = "Not attempted"
