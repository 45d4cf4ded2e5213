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
import contextlib
import copy
import io
import linecache
import re
import sys
import sysconfig
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import torch
from torch.utils._pytree import tree_flatten, tree_map

from autograder.costs import Counted, counted
from autograder.diagnosis import describe, diagnose, same_values
from autograder.hints import hint_for
from autograder.outcomes import AnswerRaised, CheckFailed, NotAttempted

__all__ = ["call", "called", "counted", "equal", "quiz", "returns", "that", "visible_tests_passed"]

# Code from these places is the library's, not the student's.
_PACKAGE = str(Path(__file__).parent)
_PLACES = (_PACKAGE, *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")))
_LIBRARY = re.compile(r"[\\/](site|dist)-packages[\\/]|^<(?!ipython-input)")
# Only in the instructor's copy of a test cell, and in no cell of a student.
_HIDDEN = "### BEGIN HIDDEN TESTS"
# Longer messages are cut: torch's longest fill a page.
_MOST_TEXT = 400


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
    copies: dict[int, Any] = {}
    given = tuple(tree_map(lambda leaf: _copy(leaf, copies), arg) for arg in args)
    with _quiet() as caught:
        try:
            value = function(*given)
        # Not BaseException: an interrupt, and a grader that gives up, must get through.
        except (Exception, SystemExit) as error:
            raise _failure(what, function, args, error, caught) from None
    for name, before, after in zip(_argument_names(what, len(args)), args, given, strict=True):
        if problem := _change(before, after):
            advice = ""
            if isinstance(before, torch.Tensor) and name.isidentifier():
                advice = f": {name}.clone()"
            elif isinstance(before, torch.nn.Module):
                advice = ": copy.deepcopy makes one"
            raise CheckFailed(f"{what}: your function {problem} its argument {name}. Work on a copy{advice}.")
    return value, _quote(caught)


@contextlib.contextmanager
def _quiet() -> Iterator[list[warnings.WarningMessage]]:
    # torch's own warnings, those of its C++ code too, come through Python's.
    with (
        warnings.catch_warnings(record=True) as caught,
        contextlib.redirect_stderr(io.StringIO()),
    ):
        warnings.simplefilter("always")
        yield caught


def _quote(caught: list[warnings.WarningMessage]) -> list[str]:
    # What will change in a later release, or is slow, does not explain a wrong answer.
    texts = [str(w.message).strip() for w in caught if issubclass(w.category, (UserWarning, RuntimeWarning))]
    texts = [text for text in texts if text and "performance drop" not in text]
    return [f"Before that there was a warning: {_cut(texts[-1].splitlines()[0])}"] if texts else []


def _copy(leaf: Any, copies: dict[int, Any]) -> Any:
    """Copy a tensor or a module; one that comes twice is copied once. All else is passed as it is."""
    if id(leaf) not in copies:
        if isinstance(leaf, torch.nn.Module):
            copies[id(leaf)] = copy.deepcopy(leaf)
            # deepcopy forgets the gradients of parameters.
            for old, new in zip(leaf.parameters(), copies[id(leaf)].parameters(), strict=True):
                new.grad = None if old.grad is None else old.grad.clone()
        elif isinstance(leaf, torch.Tensor):
            new = leaf.detach().clone()
            if isinstance(leaf, torch.nn.Parameter):
                new = torch.nn.Parameter(new, requires_grad=False)
            copies[id(leaf)] = new.requires_grad_(leaf.requires_grad)
            if leaf.is_leaf and leaf.grad is not None:
                new.grad = leaf.grad.clone()
        else:
            return leaf
    return copies[id(leaf)]


def _change(before: Any, after: Any) -> str | None:
    """Say what was done to an argument, or return None."""
    (old_leaves, old_shape), (new_leaves, new_shape) = tree_flatten(before), tree_flatten(after)
    if old_shape != new_shape:
        return "changed"
    return next(filter(None, map(_leaf_change, old_leaves, new_leaves)), None)


def _leaf_change(before: Any, after: Any) -> str | None:
    if isinstance(before, torch.nn.Module):
        if not isinstance(after, torch.nn.Module):
            return "changed"
        if [part.training for part in before.modules()] != [part.training for part in after.modules()]:
            return "switched train and eval mode of"
        return _change(dict(before.named_parameters()), dict(after.named_parameters())) or _change(
            dict(before.named_buffers()), dict(after.named_buffers())
        )
    if isinstance(before, torch.Tensor):
        if not isinstance(after, torch.Tensor):
            return "changed"
        if before.requires_grad != after.requires_grad:
            return "switched requires_grad of"
        if not before.requires_grad and after.is_leaf and after.grad is not None:
            return "left a gradient in .grad of"
        return None if same_values(before, after) else "changed"
    simple = (bool, int, float, complex, str, type(None))
    same = before is after or (isinstance(before, simple) and type(before) is type(after) and before == after)
    return None if same else "changed"


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


def _failure(
    what: str,
    function: Callable[..., Any],
    args: tuple[Any, ...],
    error: BaseException,
    caught: list[warnings.WarningMessage],
) -> AnswerRaised | NotAttempted:
    """What to raise for an `error` of the student's function."""
    frames = [(frame.f_code, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    test_cell = _test_cell()
    own = [(code, line) for code, line in frames if _is_students(code, test_cell)]
    if isinstance(error, NotImplementedError) and not error.args and (not own or own[-1] == frames[-1]):
        # It is a stub's: raised without words, and by a line of the student's, not somewhere inside torch.
        called = function.__code__ if isinstance(function, FunctionType) else None
        stub = own[-1][0] if own else None
        mine = called not in [code for code, _ in own] or f"{stub.co_qualname}.".startswith(f"{called.co_qualname}.")
        if mine or any(getattr(arg, "__code__", None) is stub for arg in args):
            return NotAttempted(f"{what}: the answer cell still holds its stub.")
        return AnswerRaised(f"{what} calls {stub.co_name}, and the cell of {stub.co_name} still holds its stub.")
    text = _text(error)
    parts = [f"{what} raised {type(error).__name__}{': ' + text if text else ''}"]
    parts += _lines(own)
    if hint := hint_for(error):
        parts.append(hint)
    return AnswerRaised("\n".join([*parts, *_quote(caught)]))


def _text(error: BaseException) -> str:
    """The first line of an error, and the second where the first only announces it."""
    try:
        lines = str(error).strip().splitlines() or [""]
    except Exception:  # the student's own class of errors may have errors
        return ""
    return _cut(" ".join(line.strip() for line in lines[: 2 if lines[0].endswith(":") else 1]))


def _cut(text: str) -> str:
    return text if len(text) <= _MOST_TEXT else text[:_MOST_TEXT].rstrip() + " …"


def _lines(own: list[tuple[CodeType, int]]) -> list[str]:
    places = [(code.co_filename, number) for code, number in own]
    # A function that calls itself for ever shows each of its lines once.
    places = list(dict.fromkeys(places[::-1]))[::-1]
    lines = [(number, linecache.getline(file, number).strip()) for file, number in places]
    return [f"  line {number}: {line}" for number, line in lines if line][-3:]


def _is_students(code: CodeType, test_cell: str | None) -> bool:
    # A function of the test's that the student's code calls must not show its source: the test may be hidden.
    file = code.co_filename
    if file == test_cell or file.startswith(_PLACES) or _LIBRARY.search(file):
        return False
    return not any(line.startswith(_HIDDEN) for line in linecache.getlines(file))


def _test_cell() -> str | None:
    """The file name of the cell that called this package."""
    frame = sys._getframe()
    while frame and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    return frame.f_code.co_filename if frame else None


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")
