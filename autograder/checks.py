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

import ast
import re
from collections.abc import Callable, Mapping
from typing import Any

import torch

from autograder.costs import Counted, counted
from autograder.diagnosis import describe, diagnose
from autograder.outcomes import AnswerRaised, CheckFailed, NotAttempted
from autograder.running import Raised, run
from autograder.running import on_their_side as _on_their_side

__all__ = ["call", "called", "counted", "equal", "on_their_side", "quiz", "returns", "that", "visible_tests_passed"]


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
    value, warned = _call(what, function, args)
    try:
        equal(what, value, expected, mistakes=mistakes, rtol=rtol, atol=atol, detached=detached)
    except CheckFailed as failure:
        raise type(failure)("\n".join([str(failure), *warned])) from None


def call(what: str, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """Call the student's function and return its value, for tests that look at more than equality.

    What the function writes to stderr is kept from the notebook, and so are its warnings. The last warning is
    quoted when the answer then turns out wrong: it may say why.

    Args:
        what: the call in the student's words.
        function: the student's function.
        args: the positional arguments; the function receives a copy of each tensor and each module in them.

    Raises:
        NotAttempted: the function is still the stub.
        AnswerRaised: the function raised an error.
        CheckFailed: the function changed one of its arguments.
        TypeError: `args` is no tuple; the test needs a comma.
    """
    return _call(what, function, args)[0]


def on_their_side(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that runs `function` where the student's code runs, and brings back a plain value.

    Graded notebooks run tests and answers in two processes. A test needs this when it applies a transform to a
    student's function, or looks into an object of the student's::

        hessian_of = checks.on_their_side(lambda f, x: torch.func.hessian(f)(x))
        checks.returns("hessian(f)(x)", hessian_of, (student_f, x), expected)

    Args:
        function: takes the student's objects and plain values. What it refers to beside them travels with it.
    """
    return _on_their_side(function)


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
    if problem := diagnose(expected, expected, **tolerance, detached=False):
        raise ValueError(f"{what}: no answer can be right, not even the expected value: {problem}")
    for message, value in mistakes.items():
        if diagnose(value, expected, **tolerance, detached=False) is None:
            raise ValueError(f"{what}: on this data the mistake {message!r} gives the right answer.")
    problem = diagnose(got, expected, **tolerance, detached=detached)
    if problem is None:
        print(f"✓ {what}")
        return
    # Mistakes which this data does not tell apart are all named.
    made = [message for message, value in mistakes.items() if diagnose(got, value, **tolerance, detached=False) is None]
    if made:
        shape = re.match(r"shape \(.*?\), expected \(.*?\)\. ?", problem)
        problem = (shape[0].rstrip() + " " if shape else "") + " Or: ".join(made)
    raise CheckFailed(f"{what}: {problem}")


def that(condition: bool, message: str) -> None:
    """Check a property which is not an equality.

    Args:
        condition: what must hold; of a tensor, each of its elements.
        message: opens with the call in the student's words, says what is wrong and where to look.

    Raises:
        CheckFailed: `condition` is false.
    """
    if not (condition.all() if isinstance(condition, torch.Tensor) else condition):
        raise CheckFailed(message)


def called(what: str, function: Counted, times: int, hint: str) -> None:
    """Check how often the student's code called `function`, which the test made with :func:`counted`.

    Call it after the values were found right: its message says so.

    Args:
        what: the call in the student's words.
        function: the counted function.
        times: the number of calls that a right answer makes.
        hint: what to use in place of more calls, or which call is missing.

    Raises:
        CheckFailed: another number of calls was counted.
    """
    if function.calls == times:
        return
    name = getattr(function, "__name__", "<lambda>")
    name = "the function" if name == "<lambda>" else name
    was = f"was called {_times(function.calls)}" if function.calls else "was not called"
    rest = f"{_times(times)} is enough" if function.calls > times else f"a right answer calls it {_times(times)}"
    raise CheckFailed(f"{what}: the values are right, but {name} {was}; {rest}. {hint}".rstrip())


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
        letters = re.split(r"[\s,;]+", answers.strip())
        answers = letters if len(letters) > 1 else tuple(answers.strip())
    if not isinstance(answers, (tuple, list)) or len(answers) < question:
        raise CheckFailed(f'{what}: return one letter for each question, such as return "a", "a", "a".')
    letter = answers[question - 1]
    letter = letter.strip().lower() if isinstance(letter, str) else letter
    if not isinstance(letter, str) or len(letter) != 1 or letter not in options:
        shown = repr(letter[:20]) if isinstance(letter, str) else describe(letter)
        raise CheckFailed(f"{what}: {shown} is not one of the letters {', '.join(options)}.")
    if right is None:
        print(f"✓ {what}: answered")
    elif letter == right:
        print(f"✓ {what}")
    else:
        raise CheckFailed(f"{what}: {letter} is not it. {(why_not or {}).get(letter, '')}".rstrip())


def visible_tests_passed() -> None:
    """Say that the tests a student can see have passed, and that they are not all."""
    print("Visible tests passed. Grading tries your answer on more inputs.")


def _call(what: str, function: Callable[..., Any], args: tuple[Any, ...]) -> tuple[Any, list[str]]:
    """Do what :func:`call` does, and return the value with the warning to quote, if there was one."""
    if not isinstance(args, (tuple, list)):
        raise TypeError(f"{what}: args must be a tuple, and one with a single argument needs a comma: (x,).")
    if not callable(function):
        raise AnswerRaised(
            f"{what}: the name stands for {describe(function)}, not for a function. "
            "Is it used for something else further down?"
        )
    # Where the tests run apart from the student's code, the function knows how to be run over there.
    run_there = getattr(type(function), "_run_check_", None)
    outcome = run_there(function, tuple(args)) if run_there else run(function, tuple(args))
    quoted = [f"Before that there was a warning: {outcome.warning}"] if outcome.warning else []
    if outcome.lost:
        raise AnswerRaised(f"{what} {outcome.lost}") from None
    if outcome.raised:
        raise _failure(what, outcome.raised, quoted) from None
    for name, before, change in zip(_argument_names(what, len(args)), args, outcome.changes, strict=True):
        if change:
            advice = ""
            if isinstance(before, torch.Tensor) and name.isidentifier():
                advice = f": {name}.clone()"
            elif isinstance(before, torch.nn.Module):
                advice = ": copy.deepcopy makes one"
            raise CheckFailed(f"{what}: your function {change} its argument {name}. Work on a copy{advice}.")
    return outcome.value, quoted


def _failure(what: str, raised: Raised, quoted: list[str]) -> AnswerRaised | NotAttempted:
    """What to raise for an error of the student's function."""
    if raised.stub == "":
        return NotAttempted(f"{what}: the answer cell still holds its stub.")
    if raised.stub is not None:
        return AnswerRaised(f"{what} calls {raised.stub}, and the cell of {raised.stub} still holds its stub.")
    if raised.kind == "KeyboardInterrupt":
        said = f"{what} was stopped because it took too long. Is there a loop that never ends?"
        return AnswerRaised("\n".join([said, *raised.lines]))
    parts = [f"{what} raised {raised.kind}{': ' + raised.text if raised.text else ''}", *raised.lines]
    if raised.hint:
        parts.append(raised.hint)
    return AnswerRaised("\n".join([*parts, *quoted]))


def _argument_names(what: str, count: int) -> list[str]:
    """The names of the arguments in a label such as ``"slope(f, x) at 0"``, or their numbers."""
    for start in (match.start() for match in re.finditer(r"(?<![\w.)])[^\W\d][\w.]*\(", what)):
        for end in reversed([match.end() for match in re.finditer(r"\)", what) if match.end() > start]):
            try:
                node = ast.parse(what[start:end], mode="eval").body
            except SyntaxError:
                continue
            # In "f(x) (again)" the second pair is no call: a space stands before it.
            if isinstance(node, ast.Call) and what[start:end].encode()[node.func.end_col_offset :][:1] == b"(":
                names = [ast.unparse(arg) for arg in node.args] + [str(keyword.arg) for keyword in node.keywords]
                if len(names) == count:
                    return names
    return [f"number {i + 1}" for i in range(count)]


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")
