"""What stands, in the process that grades, for something of the student's which has no plain value.

A function, a module or any other object stays where the student's code runs. Here it can be called (if it can be
called there) or sent back, and nothing else: with attributes, an object that lies would answer for itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Foreign:
    """An object in the student's process.

    Attributes:
        reference: where to find it there: ``("name", "slope")`` or ``("handle", 3)``.
        description: what it is in a few words, such as ``"a module (Net)"``.
        problem: why it cannot be right, whatever is expected; None if nothing is known.
        iterates: whether it is an iterator.
    """

    def __init__(
        self, reference: tuple[str, str | int], description: str, problem: str | None = None, iterates: bool = False
    ) -> None:
        """Make a stand-in."""
        self.reference = reference
        self.description = description
        self.problem = problem
        self.iterates = iterates

    def __getattr__(self, name: str) -> Any:
        """Explain to the author of a test why there is nothing to look at."""
        # Libraries ask any object for their own hooks.
        if name.startswith("__") or name in ("ndim", "shape", "_run_check_"):
            raise AttributeError(name)
        raise AttributeError(
            f"This test asks for .{name} of {self.description}, which stays in the student's process. Ask for a plain "
            "value: checks.on_their_side(lambda thing: ...) runs there and returns it."
        )


class ForeignFunction(Foreign):
    """An object in the student's process that can be called.

    Attributes:
        send: makes the call: ``send(function, args, kwargs)`` returns an :class:`autograder.running.Outcome`.
    """

    def __init__(
        self,
        reference: tuple[str, str | int],
        description: str,
        send: Callable[[Any, tuple[Any, ...], dict[str, Any]], Any],
    ) -> None:
        """Make a stand-in."""
        super().__init__(reference, description)
        self.send = send

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the student's function.

        Raises:
            Exception: what the function raised, of the same built-in class; see :func:`autograder.running.as_error`.
        """
        return self.send(self, args, kwargs).result()

    def _run_check_(self, args: tuple[Any, ...]) -> Any:
        return self.send(self, args, {})
