"""What test cells call: each check is silent but for one line when it passes, and teaches when it fails.

A test names the call as the student would write it, hands over the student's function, the arguments and the right
value, and lists the mistakes that it knows with the value each of them gives::

    checks.returns(
        "per_sample_gradients(loss, w, X, y)",
        per_sample_gradients,
        (loss, w, X, y),
        expected,
        mistakes={"This is the gradient of the whole batch. Each row needs its own.": batch_gradient},
    )

Messages say what is wrong and where to look, and never hold the right value.
"""

from __future__ import annotations

import contextlib
import copy
import io
import re
import sys
import traceback
import warnings
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any

import torch

from autograder.costs import Counted, counted
from autograder.diagnosis import diagnose
from autograder.hints import hint_for
from autograder.outcomes import AnswerRaised, CheckFailed, NotAttempted

__all__ = ["call", "called", "counted", "equal", "quiz", "returns", "that", "visible_tests_passed"]

# Frames from here are the library's, not the student's.
_LIBRARY = re.compile(r"[\\/](site-packages|dist-packages|autograder|lib[\\/]python3\.\d+)[\\/]|^<frozen")


def returns(
    what: str,
    function: Callable[..., Any],
    args: tuple[Any, ...],
    expected: Any,
    *,
    mistakes: Mapping[str, Any] | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    detached: bool = True,
) -> None:
    """Check that ``function(*args)`` returns `expected` and leaves its arguments as they were.

    Args:
        what: the call in the student's words, such as ``"slope(f, x)"``; it opens every message, and its last pair
            of parentheses names the arguments.
        function: the student's function.
        args: the positional arguments; the function receives a copy of each tensor in them.
        expected: the right value, see :func:`autograder.diagnosis.diagnose`.
        mistakes: for each known mistake its message and the value that it gives.
        rtol: relative tolerance, by default that of the dtype.
        atol: absolute tolerance, by default that of the dtype.
        detached: whether a result that still requires grad is wrong.

    Raises:
        NotAttempted: the function is still the stub.
        AnswerRaised: the function raised an error.
        CheckFailed: the value is wrong, or an argument was changed.
        ValueError: a value in `mistakes` cannot be told from the right one; the test needs other data.
    """
    equal(what, call(what, function, args), expected, mistakes=mistakes, rtol=rtol, atol=atol, detached=detached)


def call(what: str, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """Call the student's function and return its value, for tests that look at more than equality.

    What the function writes to stderr and its warnings are kept from the notebook, since neither says anything
    about the answer; a warning is quoted when the function then fails.

    Args:
        what: the call in the student's words.
        function: the student's function.
        args: the positional arguments; the function receives a copy of each tensor in them.

    Raises:
        NotAttempted: the function is still the stub.
        AnswerRaised: the function raised an error.
        CheckFailed: the function changed one of its arguments.
    """
    given = tuple(_copy(arg) for arg in args)
    with _quiet() as caught:
        try:
            value = function(*given)
        except NotImplementedError as error:
            if error.args:
                raise AnswerRaised(_error_message(what, error, caught)) from None
            raise NotAttempted(f"{what}: the answer cell still holds its stub.") from None
        except (Exception, SystemExit) as error:
            raise AnswerRaised(_error_message(what, error, caught)) from None
    for name, before, after in zip(_argument_names(what, len(args)), args, given, strict=True):
        if problem := _change(before, after):
            raise CheckFailed(f"{what}: your function {problem} its argument {name}. Work on a copy: {name}.clone().")
    return value


def equal(
    what: str,
    got: Any,
    expected: Any,
    *,
    mistakes: Mapping[str, Any] | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    detached: bool = True,
) -> None:
    """Check a value that a test already has. Arguments and errors are those of :func:`returns`."""
    tolerance = {"rtol": rtol, "atol": atol}
    mistakes = mistakes or {}
    for message, value in mistakes.items():
        if diagnose(value, expected, **tolerance, detached=False) is None:
            raise ValueError(f"{what}: on this data the mistake {message!r} gives the right answer.")
    problem = diagnose(got, expected, **tolerance, detached=detached)
    if problem is None:
        print(f"✓ {what}")
        return
    for message, value in mistakes.items():
        if diagnose(got, value, **tolerance, detached=False) is None:
            shape = re.match(r"shape \(.*?\), expected \(.*?\)\. ?", problem)
            raise CheckFailed(f"{what}: {shape[0].rstrip() + ' ' if shape else ''}{message}")
    raise CheckFailed(f"{what}: {problem}")


def that(condition: bool, message: str) -> None:
    """Check a property which is not an equality.

    Args:
        condition: what must hold.
        message: opens with the call in the student's words, says what is wrong and where to look.

    Raises:
        CheckFailed: `condition` is false.
    """
    if not condition:
        raise CheckFailed(message)


def called(what: str, function: Counted, times: int, hint: str) -> None:
    """Check how often the student's code called `function`, which the test made with :func:`counted`.

    Args:
        what: the call in the student's words.
        function: the counted function.
        times: the number of calls that a right answer makes.
        hint: what to use in place of more calls, or which call is missing.

    Raises:
        CheckFailed: another number of calls was counted.
    """
    if function.calls != times:
        name = getattr(function, "__name__", "the function")
        was = "was not called" if function.calls == 0 else f"was called {_times(function.calls)}"
        raise CheckFailed(f"{what}: the values are right, but {name} {was}; {_times(times)} is enough. {hint}")


def quiz(
    function: Callable[[], Any],
    question: int,
    options: str,
    right: str | None = None,
    why_not: Mapping[str, str] | None = None,
) -> None:
    """Check one letter of the quiz, which the student's ``quiz()`` returns as a tuple of letters.

    Without `right` only the form is checked, as visible tests do.

    Args:
        function: the student's ``quiz``.
        question: number of the question, from 1.
        options: the letters to choose from, such as ``"abcd"``.
        right: the right letter.
        why_not: for each wrong letter a sentence that leads to the place where the answer can be seen.

    Raises:
        NotAttempted: the function is still the stub.
        CheckFailed: the letter is missing, not among the options, or wrong.
    """
    what = f"quiz(), question {question}"
    answers = call(what, function, ())
    if isinstance(answers, str):
        answers = tuple(answers.replace(",", "").split()) if " " in answers else tuple(answers)
    if not isinstance(answers, (tuple, list)) or len(answers) < question:
        raise CheckFailed(f'{what}: return one letter for each question, such as return "a", "a", "a".')
    letter = answers[question - 1]
    letter = letter.strip().lower() if isinstance(letter, str) else letter
    if not isinstance(letter, str) or len(letter) != 1 or letter not in options:
        raise CheckFailed(f"{what}: {letter!r} is not one of the letters {', '.join(options)}.")
    if right is None:
        print(f"✓ {what}: answered")
    elif letter == right:
        print(f"✓ {what}")
    else:
        raise CheckFailed(f"{what}: {letter} is not it. {(why_not or {}).get(letter, '')}".rstrip())


def visible_tests_passed() -> None:
    """Say that the tests a student can see have passed, and that they are not all."""
    print("Visible tests passed. Grading tries your answer on more inputs.")


@contextlib.contextmanager
def _quiet() -> Any:
    with (
        warnings.catch_warnings(record=True) as caught,
        contextlib.redirect_stderr(io.StringIO()),
    ):
        warnings.simplefilter("always")
        yield caught


def _copy(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.detach().clone().requires_grad_(value.requires_grad)
    if isinstance(value, torch.nn.Module):
        return copy.deepcopy(value)
    if type(value) in (list, tuple):
        return type(value)(_copy(item) for item in value)
    if type(value) is dict:
        return {key: _copy(item) for key, item in value.items()}
    return value


def _change(before: Any, after: Any) -> str | None:
    if isinstance(before, torch.Tensor):
        if before.requires_grad != after.requires_grad:
            return "switched requires_grad of"
        same = before.shape == after.shape and torch.allclose(before, after, rtol=0, atol=0, equal_nan=True)
        return None if same else "changed"
    if type(before) in (list, tuple):
        if len(before) != len(after):
            return "changed"
        return next(filter(None, map(_change, before, after)), None)
    if type(before) is dict:
        if before.keys() != after.keys():
            return "changed"
        return next(filter(None, (_change(before[key], after[key]) for key in before)), None)
    return None


def _argument_names(what: str, count: int) -> list[str]:
    inside = re.findall(r"\(([^()]*)\)", what)
    names = [name.strip() for name in inside[-1].split(",")] if inside else []
    return names if len(names) == count else [f"number {i + 1}" for i in range(count)]


def _error_message(what: str, error: BaseException, caught: list[warnings.WarningMessage]) -> str:
    text = str(error).strip().split("\n")[0]
    parts = [f"{what} raised {type(error).__name__}{': ' + text if text else ''}"]
    parts += [f"  line {line.lineno}: {line.line}" for line in _student_lines(error.__traceback__)]
    if hint := hint_for(error):
        parts.append(hint)
    if caught:
        parts.append(f"Before that there was a warning: {str(caught[-1].message).splitlines()[0]}")
    return "\n".join(parts)


def _student_lines(frames: TracebackType | None) -> list[traceback.FrameSummary]:
    test_cell = _test_cell()
    lines = traceback.extract_tb(frames)
    return [line for line in lines if line.line and line.filename != test_cell and not _LIBRARY.search(line.filename)][
        -3:
    ]


def _test_cell() -> str | None:
    # A function of the test's that the student's code calls must not show its source: the test may be hidden.
    frame = sys._getframe()
    while frame and frame.f_code.co_filename == __file__:
        frame = frame.f_back
    return frame.f_code.co_filename if frame else None


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")
