"""Run a student's function and tell, in plain data, what became of it.

What is told holds no test and no expected value, so it can be told across a border: the function may run in another
process than the test that asks (see :mod:`autograder.examiner`).
"""

from __future__ import annotations

import builtins
import contextlib
import copy
import functools
import inspect
import io
import linecache
import re
import sys
import sysconfig
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import torch
from torch.utils._pytree import tree_flatten, tree_leaves, tree_map

from autograder.diagnosis import same_values
from autograder.hints import hint_for

# Code from these places is the library's, not the student's.
_PACKAGE = str(Path(__file__).parent)
_PLACES = (_PACKAGE, *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")))
_LIBRARY = re.compile(r"[\\/](site|dist)-packages[\\/]|^<(?!ipython-input)")
# Only in the instructor's copy of a test cell, and in no cell of a student.
_HIDDEN = "### BEGIN HIDDEN TESTS"
# Longer messages are cut: torch's longest fill a page.
_MOST_TEXT = 400


@dataclass(frozen=True)
class Raised:
    """An error of the student's code.

    Attributes:
        kind: name of its class.
        text: its message, cut to a line or two.
        lines: the last lines of the student's code that it went through, each as ``"  line 3: return x.item()"``.
        hint: what it means and what to do, or None.
        stub: whose stub raised it: ``""`` the called function's own, else the name of the function; None if no stub.
    """

    kind: str
    text: str = ""
    lines: tuple[str, ...] = ()
    hint: str | None = None
    stub: str | None = None


@dataclass(frozen=True)
class Outcome:
    """What became of a call.

    Attributes:
        value: what the function returned.
        raised: the error, if it raised one.
        changes: for each argument what was done to it, such as ``"switched requires_grad of"``, or None.
        warning: the last telling warning, or None.
        lost: why there is neither a value nor an error, such as ``"took longer than 20 seconds"``, or None.
    """

    value: Any = None
    raised: Raised | None = None
    changes: tuple[str | None, ...] = field(default=())
    warning: str | None = None
    lost: str | None = None

    def result(self) -> Any:
        """Return the value, or raise the error in a form that a plain ``assert`` test understands."""
        if self.lost:
            raise TimeoutError(self.lost)
        if self.raised:
            raise as_error(self.raised)
        return self.value


def run(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any] | None = None,
    *,
    catch: tuple[type[BaseException], ...] = (Exception, SystemExit),
    of_the_test: bool = False,
) -> Outcome:
    """Call ``function(*args, **kwargs)`` and tell what became of it.

    Args:
        function: the student's function, or one of the test's that calls the student's.
        args: the positional arguments; the function receives a copy of each tensor and each module in them.
        kwargs: the keyword arguments, passed as they are.
        catch: which errors are told; others go through. An interrupt is not among them by default.
        of_the_test: whether `function` is the test's: then its lines are not shown as the student's.
    """
    copies: dict[int, Any] = {}
    given = tuple(tree_map(lambda leaf: _copy(leaf, copies), arg) for arg in args)
    with _quiet() as caught:
        try:
            value = function(*given, **(kwargs or {}))
        except catch as error:
            return Outcome(raised=_raised(function, args, error, of_the_test), warning=_last(caught))
    changes = tuple(_change(before, after) for before, after in zip(args, given, strict=True))
    return Outcome(value, changes=changes, warning=_last(caught))


class _OnTheirSide:
    """See :func:`autograder.checks.on_their_side`."""

    # Set by the examiner: runs a function where the student's code runs.
    runner: Callable[[Any, tuple[Any, ...], dict[str, Any]], Outcome] | None = None

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return _There(self, function)


class _There:
    """A test's function that runs where the student's code runs."""

    def __init__(self, side: _OnTheirSide, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self._side, self._function = side, function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._side.runner is None:
            return self._function(*args, **kwargs)
        return self._side.runner(self._function, args, kwargs).result()

    def _run_check_(self, args: tuple[Any, ...]) -> Outcome:
        """What becomes of a call, for checks that say it in words."""
        if self._side.runner is None:
            return run(self._function, args, of_the_test=True)
        return self._side.runner(self._function, args, {})


on_their_side = _OnTheirSide()


def as_error(raised: Raised) -> Exception:
    """Make an exception of the same built-in class, or of a new class with the same name.

    IPython shows it with the student's own lines.
    """
    kind = getattr(builtins, raised.kind, None)
    base = kind if isinstance(kind, type) and issubclass(kind, Exception) else Exception
    name = raised.kind if raised.kind.isidentifier() else "Exception"
    shown = "\n".join([*raised.lines, f"{name}: {raised.text}" if raised.text else name])
    made = type(name, (base,), {"_render_traceback_": lambda self: [shown], "of_student": True})
    try:
        return made(raised.text)
    except TypeError:  # UnicodeDecodeError and a few others want more than a text
        return type(name, (Exception,), dict(made.__dict__))(raised.text)


@contextlib.contextmanager
def _quiet() -> Iterator[list[warnings.WarningMessage]]:
    # torch's own warnings, those of its C++ code too, come through Python's.
    with (
        warnings.catch_warnings(record=True) as caught,
        contextlib.redirect_stderr(io.StringIO()),
    ):
        warnings.simplefilter("always")
        yield caught


def _last(caught: list[warnings.WarningMessage]) -> str | None:
    # What will change in a later release, or is slow, does not explain a wrong answer.
    texts = [str(w.message).strip() for w in caught if issubclass(w.category, (UserWarning, RuntimeWarning))]
    texts = [text for text in texts if text and "performance drop" not in text]
    return _cut(texts[-1].splitlines()[0]) if texts else None


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


def _raised(function: Callable[..., Any], args: tuple[Any, ...], error: BaseException, of_the_test: bool) -> Raised:
    frames = [(frame.f_code, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    test_cell = _test_cell()
    own = [(code, line) for code, line in frames if _is_students(code, test_cell)]
    stub = None
    if isinstance(error, NotImplementedError) and not error.args and (not own or own[-1] == frames[-1]):
        # It is a stub's: raised without words, and by a line of the student's, not somewhere inside torch.
        called = function.__code__ if isinstance(function, FunctionType) else None
        code = own[-1][0] if own else None
        mine = called not in [code for code, _ in own] or f"{code.co_qualname}.".startswith(f"{called.co_qualname}.")
        stub = "" if mine or any(getattr(arg, "__code__", None) is code for arg in args) else code.co_name
    # A test's own functions may stand in a cell before it: nothing of theirs is shown.
    of_tests = _files([function]) if of_the_test else _files(tree_leaves(args)) - _files([function])
    shown = [(code, line) for code, line in own if code.co_filename not in of_tests]
    return Raised(type(error).__name__, _text(error), tuple(_lines(shown)), hint_for(error), stub)


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


def _files(functions: list[Any]) -> set[str]:
    """The files in which functions are written; what is no plain function is left out."""
    plain = [inspect.unwrap(thing) for thing in functions if callable(thing)]
    return {thing.__code__.co_filename for thing in plain if isinstance(thing, FunctionType)}


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
