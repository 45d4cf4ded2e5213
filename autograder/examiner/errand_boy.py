"""Does in the student's process what the examiner asks for. Nothing that is said here is believed over there."""

from __future__ import annotations

import pickle
import random
import sys
import warnings
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np
import torch

from autograder.costs import Counted
from autograder.examiner.codec import encode
from autograder.examiner.errands import Unpacker, tell
from autograder.running import run


class ErrandBoy:
    """Serves one kernel; make it before any code of the student's has run."""

    def __init__(self, names: dict[str, Any]) -> None:
        """Remember the state of the process.

        Args:
            names: the namespace of the student's code.
        """
        self.names = names
        self.kept: list[Any] = []
        self.put_back = _remember()

    def serve(self, parcel: bytes) -> list[bytes]:
        """Do one errand and return the buffers of the answer."""
        try:
            return self._serve(parcel)
        # Whatever the student's objects do when they are looked at, and an interrupt: there is always an answer.
        except BaseException as error:
            return tell({"failed": type(error).__name__}, encode(None, self._keep))

    def _serve(self, parcel: bytes) -> list[bytes]:
        unpacker = Unpacker(parcel, self._find)
        message = unpacker.load()
        if message["do"] == "look":
            self.put_back()
            found = {name: self.names[name] for name in message["names"] if name in self.names}
            return tell({}, encode(found, self._keep))
        return self._call(message, unpacker.living)

    def _call(self, message: dict[str, Any], living: dict[int, Any]) -> list[bytes]:
        _set_state(message["state"])
        before = {number: obj.get_state() for number, obj in living.items() if type(obj) is torch.Generator}
        before["global"] = message["state"]["torch"]
        with open("/dev/null", "w") as nowhere:
            shown, sys.stdout = sys.stdout, nowhere
            try:
                function = message["function"]
                students = any(function is known for known in [*self.names.values(), *self.kept])
                outcome = run(
                    function, message["args"], message["kwargs"], catch=(BaseException,), of_the_test=not students
                )
            finally:
                sys.stdout = shown
        after = {number: living[number].get_state() for number in before if number != "global"}
        after["global"] = torch.get_rng_state()
        about = {
            "raised": asdict(outcome.raised) if outcome.raised else None,
            "changes": outcome.changes,
            "warning": outcome.warning,
            "counts": {number: obj.calls for number, obj in living.items() if type(obj) is Counted},
            "moved": [str(number) for number in before if not torch.equal(before[number], after[number])],
        }
        return tell(about, encode(outcome.value, self._keep))

    def _keep(self, value: Any) -> int:
        self.kept.append(value)
        return len(self.kept) - 1

    def _find(self, kind: str, key: Any) -> Any:
        # A handle is the number of the kernel and that of the object; the examiner asks no kernel for another's.
        return self.names[key] if kind == "name" else self.kept[key[1]]


def _set_state(state: dict[str, Any]) -> None:
    torch.set_default_dtype(state["dtype"])
    torch.set_grad_enabled(state["grad"])
    torch.set_rng_state(state["torch"])
    python, numpy = pickle.loads(state["others"])
    random.setstate(python)
    np.random.set_state(numpy)


def _remember() -> Callable[[], None]:
    """Return a function that puts back what code can change for everything that runs after it in this process."""
    stdout, stderr, filters, showwarning = sys.stdout, sys.stderr, warnings.filters[:], warnings.showwarning
    limit, trace_limit = sys.getrecursionlimit(), getattr(sys, "tracebacklimit", 1000)
    threads = torch.get_num_threads()
    dtype = torch.get_default_dtype()

    def put_back() -> None:
        sys.stdout, sys.stderr, warnings.showwarning = stdout, stderr, showwarning
        warnings.filters[:] = filters
        sys.setrecursionlimit(limit)
        sys.tracebacklimit = trace_limit
        sys.settrace(None)
        sys.setprofile(None)
        torch.set_default_dtype(dtype)
        torch.set_default_device(None)
        torch.set_grad_enabled(True)
        torch.set_num_threads(threads)
        torch.use_deterministic_algorithms(False)
        torch.autograd.set_detect_anomaly(False)

    return put_back
