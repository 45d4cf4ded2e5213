"""Exact costs: how often a function is called, and what torch is asked to do.

Counts of calls, dispatched operations and bytes are the same on every machine, so a lesson can print them and
a test can rely on them. A timing varies from run to run.
"""

from __future__ import annotations

import functools
import weakref
from collections import Counter
from collections.abc import Callable
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode


class Counted:
    """A function that counts its calls in ``calls``. Made by :func:`counted`."""

    def __init__(self, function: Callable[..., Any]) -> None:
        """Wrap `function`; the count starts at 0."""
        self.function = function
        self.calls = 0
        functools.update_wrapper(self, function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Count the call, then pass it on."""
        self.calls += 1
        return self.function(*args, **kwargs)


def counted(function: Callable[..., Any]) -> Counted:
    """Return `function` with a counter: ``f = counted(f)``, and ``f.calls`` says how often Python ran it.

    A transform counts as what it is: ``vmap(f)`` runs `f` once for the whole batch, a Python loop runs it once
    for each row.
    """
    return Counted(function)


class Meter(TorchDispatchMode):
    """Count what torch does inside a ``with`` block.

    The meter sits below autograd and below the ``torch.func`` transforms: it sees the operations that really run,
    after vmap has turned many small ones into a batched one. It sees no allocator overhead, only the storages
    which operations inside the block make.

    Attributes:
        operations: number of operations dispatched (int).
        by_name: operations by name, such as ``"aten::mul"`` (Counter).
        largest: number of elements of the largest tensor that an operation returned (int).
        peak_bytes: most bytes alive at one time, of storages made inside the block (int).

    Source: https://docs.pytorch.org/docs/stable/notes/extending.html (extending all torch API with modes).
    """

    def __init__(self) -> None:
        """Start with all counts at 0."""
        super().__init__()
        self.operations = 0
        self.by_name: Counter[str] = Counter()
        self.largest = 0
        self.peak_bytes = 0
        self._alive_bytes = 0
        self._alive: set[int] = set()

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Run the operation, then count it and the storages that it made."""
        result = func(*args, **(kwargs or {}))
        self.operations += 1
        self.by_name[func.name().split(".")[0]] += 1
        known = {tensor.untyped_storage().data_ptr() for tensor in _tensors(args)}
        for tensor in _tensors(result):
            self.largest = max(self.largest, tensor.numel())
            storage = tensor.untyped_storage()
            # A view or an in-place result lives in a storage which came in with the arguments.
            if storage.data_ptr() not in known:
                self._watch(storage)
        return result

    def _watch(self, storage: torch.UntypedStorage) -> None:
        key, size = storage._cdata, storage.nbytes()
        if key in self._alive:
            return
        self._alive.add(key)
        self._alive_bytes += size
        self.peak_bytes = max(self.peak_bytes, self._alive_bytes)
        weakref.finalize(storage, self._forget, key, size)

    def _forget(self, key: int, size: int) -> None:
        self._alive.discard(key)
        self._alive_bytes -= size


def _tensors(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (tuple, list)):
        return [tensor for item in value for tensor in _tensors(item)]
    return []
