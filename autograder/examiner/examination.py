"""Runs the locked cells and the tests of one notebook, in a process of its own which no student's code enters.

The process speaks with the grader through a pipe; the grader passes its errands on to the student's kernel and brings
the answers. See :mod:`autograder.examiner.server` for where the process comes from.
"""

from __future__ import annotations

import builtins
import contextlib
import io
import traceback
from collections.abc import Iterable
from multiprocessing.connection import Connection
from typing import Any

import torch
from IPython.core.displayhook import DisplayHook
from IPython.core.interactiveshell import InteractiveShell
from traitlets import Type
from traitlets.config import Config

from autograder.costs import Counted
from autograder.examiner import errands
from autograder.examiner.codec import Garbled
from autograder.examiner.errands import CannotSend
from autograder.examiner.namespace import bound_names, imports, used_names
from autograder.examiner.texts import clean
from autograder.foreign import Foreign, ForeignFunction
from autograder.outcomes import CheckFailed
from autograder.running import Outcome, on_their_side

# Characters that a test may print.
MOST_PRINTED = 20_000
# Characters of an error.
MOST_SAID = 5_000
HIDDEN = ("### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS")


_transformed: dict[str, str] = {}


class _Values(DisplayHook):
    """Keeps the value of a cell's last expression, which nbgrader reads as points."""

    def __call__(self, result: Any = None) -> None:
        if result is not None:
            self.shell.value = result


class Shell(InteractiveShell):
    """IPython without history, terminal and tracebacks: a test's source must not be shown."""

    displayhook_class = Type(_Values)
    value: Any = None

    def transform_cell(self, raw_cell: str) -> str:
        """Turn magics into Python, once for each text."""
        if raw_cell not in _transformed:
            _transformed[raw_cell] = super().transform_cell(raw_cell)
        return _transformed[raw_cell]

    def _showtraceback(self, etype: type, evalue: BaseException, stb: list[str]) -> None:
        pass

    def init_sys_path(self) -> None:
        """Do nothing: IPython would let modules be imported from the working folder."""

    def enable_gui(self, gui: str | None = None) -> None:
        """Do nothing: there is no window here."""


def prepare_shell() -> None:
    """Make IPython and use it once, before the process is forked."""
    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "NoColor"
    shell = Shell.instance(config=config)
    shell.run_cell("from autograder import checks\nx = 1", store_history=False)
    shell.reset(new_session=False)


def learn(source: str) -> None:
    """Read a cell of an assignment before the process is forked, so that not every examination must."""
    Shell.instance().transform_cell(source)
    used_names(source), bound_names(source), imports(source)


def serve(pipe: Connection) -> None:
    """Examine one notebook.

    Requests are pairs: ``("locked", source)``, ``("answer", (solution, stub))``, ``("test", (source, points))`` and
    ``("done", None)``. The reply to each is ``("outputs", outputs)``, with outputs as in a notebook's
    JSON (nbformat itself takes two seconds to import); before it may come any number of
    ``("errand", parcel)``, each answered by ``("answer", (generation, buffers))`` or ``("lost", sentence)``.
    """
    examination = Examination(pipe)
    with contextlib.suppress(EOFError, BrokenPipeError):
        while (request := pipe.recv())[0] != "done":
            kind, what = request
            if kind == "locked":
                reply = examination.locked(what)
            elif kind == "answer":
                reply = examination.answer(*what)
            else:
                reply = examination.test(*what)
            pipe.send(("outputs", reply))


class Examination:
    """The state of one notebook's examination.

    Attributes:
        names: names that the answer cells bind, so far.
        names_are_asked_for: whether there was an answer cell yet.
    """

    def __init__(self, pipe: Connection) -> None:
        """Ask the student's kernel through `pipe`."""
        self.pipe = pipe
        self.names: dict[str, None] = {}
        self.names_are_asked_for = False
        self.shell = Shell.instance()
        self.generation = 0
        on_their_side.runner = self.send

    def locked(self, source: str) -> list[Any]:
        """Run a locked cell which is no test."""
        self._run(source)
        return []

    def answer(self, solution: str, stub: str) -> list[Any]:
        """Take note of an answer cell: what it binds is the student's from now on.

        Args:
            solution: the instructor's answer, which says what names there are. Modules that it imports are imported.
            stub: the cell as students got it.
        """
        if needed := imports(solution):
            self._run(needed)
        self.names_are_asked_for = True
        self.names |= dict.fromkeys([*bound_names(solution), *bound_names(stub)])
        return []

    def test(self, source: str, points: float) -> list[Any]:
        """Run a test cell and return its outputs: what it printed, and an error if it did not pass."""
        printed, value, error = self._run(source)
        outputs = [{"output_type": "stream", "name": "stdout", "text": clean(printed)}] if printed else []
        if error is not None:
            outputs.append(_as_output(error, source))
        elif value is not None:
            outputs += _as_points(value, points)
        return outputs

    def send(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Outcome:
        """Let the student's kernel call a function.

        Args:
            function: the student's, or one of the test's own that is to run over there.
            args: its arguments.
            kwargs: its arguments by name.
        """
        for sent in (function, *args, *kwargs.values()):
            if isinstance(sent, Foreign) and sent.reference[0] == "handle" and sent.reference[1][0] != self.generation:
                return Outcome(lost="needs an object that was lost when the code ended its process.")
        errand = errands.call(function, args, kwargs)
        try:
            return errands.read_outcome(errand, self._ask(errand.parcel), self._revive)
        except _Lost as lost:
            return Outcome(lost=str(lost))
        except Garbled as problem:
            return Outcome(lost=f"sent back {problem}.")

    def _run(self, source: str) -> tuple[str, Any, BaseException | None]:
        """Run a cell of the assignment's; return what it printed, its value, and its error."""
        printed = _Limited(MOST_PRINTED)
        self.shell.value = None
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
            try:
                self._look(used_names(source), set(bound_names(source)))
            except CheckFailed as error:
                return "", None, error
            result = self.shell.run_cell(source, store_history=False)
        return printed.getvalue(), self.shell.value, result.error_before_exec or result.error_in_exec

    def _look(self, used: Iterable[str], own: set[str]) -> None:
        """Bring the student's names in `used` up to date; names in `own` are the cell's.

        A name that nothing here defines is the student's too: a stub need not say what is to be defined.
        """
        nowhere = [name for name in used if not (name in self.shell.user_ns or name in own or hasattr(builtins, name))]
        names = [name for name in self.names if name in used]
        names += [name for name in nowhere if name not in self.names and self.names_are_asked_for]
        if not names:
            return
        try:
            found = errands.read_names(self._ask(errands.look(names).parcel), self._revive)
        except _Lost as lost:
            raise CheckFailed(f"The code of your notebook {lost}") from None
        except Garbled as problem:
            raise CheckFailed(f"The process of your code sent back {problem}.") from None
        for name in names:
            self.shell.user_ns.pop(name, None)
            if name in found:
                self.names[name] = None
                value = found[name]
                if isinstance(value, Foreign):
                    value.reference = ("name", name)
                self.shell.user_ns[name] = value

    def _ask(self, parcel: bytes) -> list[bytes]:
        self.pipe.send(("errand", parcel))
        kind, what = self.pipe.recv()
        if kind == "lost":
            raise _Lost(what)
        self.generation, buffers = what
        return buffers

    def _revive(self, about: dict[str, Any]) -> Foreign:
        reference = ("handle", (self.generation, about["handle"]))
        if about["callable"] and about["problem"] is None:
            return ForeignFunction(reference, about["description"], self.send)
        return Foreign(reference, about["description"], about["problem"], about["iterates"])


class _Lost(Exception):
    """Raised when the student's kernel gave no answer. The message completes "The code …"."""


class _Limited(io.StringIO):
    def __init__(self, most: int) -> None:
        super().__init__()
        self.left = most

    def write(self, text: str) -> int:
        super().write(text[: self.left])
        self.left = max(0, self.left - len(text))
        return len(text)


def _as_output(error: BaseException, source: str) -> dict[str, Any]:
    """The error of a test as a student may see it: nothing of a hidden test but what it was written to say."""
    name, said = type(error).__name__, clean(str(error))[:MOST_SAID]
    if isinstance(error, CheckFailed) or getattr(error, "of_student", False):
        shown = error._render_traceback_()
        return _error(name, said, [clean(line)[:MOST_SAID] for line in shown])
    line = _line_in(source, error)
    if isinstance(error, CannotSend) or line is None:
        return _error(name, said, [f"{name}: {said}"])
    number, text, hidden = line
    if hidden:
        # Such an error quotes values, and those of a hidden test are hidden too.
        said = said if isinstance(error, NameError) else "a hidden test failed"
        return _error(name, said, [f"{name}: {said}"])
    shown = [f"  line {number} of the test: {text}", f"{name}: {said}"]
    return _error(name, said, shown)


def _line_in(source: str, error: BaseException) -> tuple[int, str, bool] | None:
    """Number and text of the line of the test in which the error came up, and whether it is hidden."""
    lines = source.splitlines()
    if isinstance(error, SyntaxError):
        return None
    numbers = [
        number
        for frame, number in traceback.walk_tb(error.__traceback__)
        if frame.f_code.co_filename.startswith(("<ipython-input", "<string>")) or frame.f_code.co_name == "<module>"
    ]
    if not numbers or not 0 < numbers[-1] <= len(lines):
        return None
    hidden = False
    for line in lines[: numbers[0]]:
        if line.strip().startswith(HIDDEN[0]):
            hidden = True
        elif line.strip().startswith(HIDDEN[1]):
            hidden = False
    return numbers[0], lines[numbers[0] - 1].strip(), hidden


def _as_points(value: Any, points: float) -> list[Any]:
    """The value of a test's last expression, if it says how many points the answer gets."""
    if isinstance(value, torch.Tensor | Counted) and getattr(value, "ndim", None) == 0:
        value = value.item()
    if type(value) is bool:
        return [] if value else [_error("AssertionError", "False", ["False"])]
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if not 0 <= number <= points:
        said = f"this test gave {value!r}"[:200] + f", which is no number of points from 0 to {points:g}"
        return [_error("ValueError", clean(said), [clean(said)])]
    data = {"text/plain": f"{number:g}"}
    return [{"output_type": "execute_result", "data": data, "metadata": {}, "execution_count": None}]


def _error(name: str, said: str, shown: list[str]) -> dict[str, Any]:
    return {"output_type": "error", "ename": name, "evalue": said, "traceback": shown}
