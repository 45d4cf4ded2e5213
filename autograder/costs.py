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
from torch.utils._pytree import tree_leaves


class Counted:
    """A function that counts its calls in ``calls``. Made by :func:`counted`."""

    def __init__(self, function: Callable[..., Any]) -> None:
        """Wrap `function`; the count starts at 0."""
        # First, since it copies the function's own attributes, and those may be called `function` or `calls`.
        functools.update_wrapper(self, function)
        self.function = function
        self.calls = 0

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
    which operations inside the block make; ``torch.tensor(numbers)`` is no operation, and a sparse tensor has no
    storage. A second block adds to the counts of the first.

    Attributes:
        operations: number of operations dispatched (int).
        by_name: operations by name, such as ``"aten::mul"`` (Counter).
        largest: number of elements in memory of the largest tensor that an operation returned (int); an expanded
            tensor has as many as its storage.
        peak_bytes: most bytes alive at one time, of storages made inside the block (int).

    Source: https://docs.pytorch.org/docs/stable/notes/extending.html (extending all torch API with modes).
    """

    # Operations such as torch.cond, which hold functions, are counted like any other.
    supports_higher_order_operators = True

    def __init__(self) -> None:
        """Start with all counts at 0."""
        super().__init__()
        self.operations = 0
        self.by_name: Counter[str] = Counter()
        self.largest = 0
        self.peak_bytes = 0
        # Bytes of each storage made inside the block that is still there, by the address of its C++ object.
        self._alive: dict[int, int] = {}
        self._alive_bytes = 0

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Run the operation, then count it and the storages that it made."""
        kwargs = kwargs or {}
        given = {storage._cdata for _, storage in _with_storage((args, kwargs))}
        result = func(*args, **kwargs)
        self.operations += 1
        self.by_name[func.name().split(".")[0]] += 1
        for tensor, storage in _with_storage(result):
            self.largest = max(self.largest, min(tensor.numel(), storage.nbytes() // tensor.element_size()))
            # A view or an in-place result lives in a storage which came in with the arguments. It may have grown.
            if storage._cdata in self._alive or storage._cdata not in given:
                self._watch(storage)
        self.peak_bytes = max(self.peak_bytes, self._alive_bytes)
        return result

    def _watch(self, storage: torch.UntypedStorage) -> None:
        key, size = storage._cdata, storage.nbytes()
        if key not in self._alive:
            # torch keeps the Python object of a storage as long as the storage itself, for instance in a graph.
            weakref.finalize(storage, self._forget, key).atexit = False
        self._alive_bytes += size - self._alive.get(key, 0)
        self._alive[key] = size

    def _forget(self, key: int) -> None:
        self._alive_bytes -= self._alive.pop(key)


def _with_storage(values: Any) -> list[tuple[torch.Tensor, torch.UntypedStorage]]:
    """The tensors in nested `values` that have memory of their own or share it, each with its storage."""
    tensors = [value for value in tree_leaves(values) if isinstance(value, torch.Tensor)]
    # Sparse tensors are made of others. Zero tensors, which forward mode makes, and meta tensors are no memory at all.
    return [
        (tensor, tensor.untyped_storage())
        for tensor in tensors
        if tensor.layout == torch.strided and not tensor.is_meta and not torch._is_zerotensor(tensor)
    ]
