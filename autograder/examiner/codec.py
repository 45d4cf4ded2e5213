"""Plain values across the border: from the student's process to the examiner.

A value becomes a JSON text and a list of buffers, one for the numbers of each tensor or array. There is no pickle and
no code in it. What has no plain value stays where it is and is represented by a :class:`~autograder.foreign.Foreign`.

:func:`encode` runs where the student's code runs, so nothing that it sends is believed: :func:`decode` accepts any
bytes, and gives a value made of exact built-in types and tensors, or a :class:`Garbled` error.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import torch

from autograder.diagnosis import ESCAPED, describe, plain_tensor
from autograder.foreign import Foreign

# Bytes of all buffers and of the text of one value. The largest answer of this course is a thousandth of it.
MOST_BYTES = 64 * 2**20
MOST_TEXT = 8 * 2**20
# Containers within containers, and everything in a value counted together.
MOST_DEPTH = 60
MOST_NODES = 200_000
# Dimensions of a tensor: torch and NumPy allow 64.
MOST_AXES = 64

_DTYPES = {
    str(dtype).removeprefix("torch."): dtype
    for dtype in (
        *(torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.complex128, torch.complex64),
        *(torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool),
    )
}
_NUMPY_DTYPES = {
    name: np.dtype(name)
    for name in (
        *("float64", "float32", "float16", "complex128", "complex64", "bool"),
        *("int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8"),
    )
}
_ALL_DTYPES = {str(value).removeprefix("torch."): value for value in vars(torch).values() if type(value) is torch.dtype}
# Larger numbers arrive as infinity: Python takes long over the digits of an int.
_LARGEST_INT = 2**1000

Keep = Callable[[Any], int]
Revive = Callable[[dict[str, Any]], Foreign]


class Garbled(Exception):
    """Raised when what arrived is not an encoded value. The message says in which way."""


# From the student's process


def encode(value: Any, keep: Keep) -> tuple[str, list[bytes]]:
    """Turn a value into a JSON text and buffers.

    Args:
        value: anything.
        keep: stores an object that has no plain value and returns a number by which to find it again.

    Returns:
        The text, and the buffers that it refers to by their numbers. A value which is too large or too deep
        becomes a foreign object whose `problem` says so.
    """
    encoder = _Encoder(keep)
    try:
        node = encoder.node(value, 0)
    except _TooMuch as problem:
        encoder.buffers, node = [], _foreign(value, keep, str(problem))
    return json.dumps(node), encoder.buffers


class _TooMuch(Exception):
    """Raised when a value is larger than what may cross."""


class _Encoder:
    def __init__(self, keep: Keep) -> None:
        self.keep = keep
        self.buffers: list[bytes] = []
        self.bytes = self.nodes = 0

    def node(self, value: Any, depth: int) -> Any:
        self.nodes += 1
        if depth > MOST_DEPTH:
            raise _TooMuch(f"a value with more than {MOST_DEPTH} containers inside one another.")
        if self.nodes > MOST_NODES:
            raise _TooMuch(f"a value with more than {MOST_NODES:,} entries.")
        # By the type, not isinstance: an object may lie about its class. A subclass counts as what it is made of.
        kind = type(value)
        if value is None or value is True or value is False:
            return value
        if issubclass(kind, torch.Tensor):
            return self.tensor(value)
        if issubclass(kind, int):
            number = int(value)
            return ["int", hex(number)] if abs(number) < _LARGEST_INT else ["float", "inf" if number > 0 else "-inf"]
        if issubclass(kind, float):
            return ["float", float(value).hex()]
        if issubclass(kind, complex):
            return ["complex", value.real.hex(), value.imag.hex()]
        if issubclass(kind, str):
            return ["str", self.text(str(value))]
        if issubclass(kind, (tuple, list)):
            name = "tuple" if issubclass(kind, tuple) else "list"
            return [name, [self.node(item, depth + 1) for item in kind.__iter__(value)]]
        if issubclass(kind, (set, frozenset)):
            return ["set", [self.node(item, depth + 1) for item in value]]
        if issubclass(kind, Mapping):
            return ["dict", [[self.node(k, depth + 1), self.node(v, depth + 1)] for k, v in value.items()]]
        if kind in (Fraction, Decimal):
            return [kind.__name__, self.text(str(value))]
        if issubclass(kind, (np.ndarray, np.generic)) and (array := np.asarray(value)).dtype.name in _NUMPY_DTYPES:
            return ["array", array.dtype.name, list(array.shape), issubclass(kind, np.generic), self.buffer(array)]
        if kind is torch.dtype:
            return ["dtype", str(value).removeprefix("torch.")]
        if kind is torch.device:
            return ["device", str(value)]
        return _foreign(value, self.keep)

    def tensor(self, value: torch.Tensor) -> Any:
        with torch._C.DisableTorchFunctionSubclass():
            plain = plain_tensor(value)
            if plain is None:
                return _foreign(value, self.keep, ESCAPED)
            flags = {"grad": value.requires_grad, "leaf": value.is_leaf, "parameter": type(value) is torch.nn.Parameter}
            if plain.is_nested:
                return _foreign(value, self.keep)
            name = str(plain.dtype).removeprefix("torch.")
            if name not in _DTYPES:
                return _foreign(value, self.keep, f"dtype {name}, which no exercise asks for.")
            if plain.is_meta:
                return ["meta", name, list(plain.shape), flags]
            if plain.layout == torch.sparse_coo:
                plain = plain.coalesce()
                parts = [self.tensor(plain.indices()), self.tensor(plain.values())]
                return ["sparse", list(plain.shape), *parts, flags]
            if plain.layout != torch.strided:
                problem = f"layout {plain.layout}. .to_dense() makes an ordinary tensor of a sparse one."
                return _foreign(value, self.keep, problem)
            if plain.numel() * plain.element_size() > MOST_BYTES:
                raise _TooMuch(f"{describe(value)}, which is more than {MOST_BYTES // 2**20} MB.")
            # A copy in any case: a single value may have a stride of 0, which a view of bytes does not take.
            flat = torch.empty(plain.numel(), dtype=plain.dtype).copy_(plain.reshape(-1))
            array = flat.view(torch.uint8).numpy()
            return ["tensor", name, list(plain.shape), flags, self.buffer(array)]

    def buffer(self, array: np.ndarray) -> int:
        self.bytes += array.nbytes
        if self.bytes > MOST_BYTES:
            raise _TooMuch(f"values of more than {MOST_BYTES // 2**20} MB.")
        self.buffers.append(array.tobytes())
        return len(self.buffers) - 1

    def text(self, value: str) -> str:
        self.bytes += len(value)
        if len(value) > MOST_TEXT // 8 or self.bytes > MOST_BYTES:
            raise _TooMuch(f"a text of {len(value):,} characters.")
        return value


def _foreign(value: Any, keep: Keep, problem: str | None = None) -> list[Any]:
    return [
        "foreign",
        {
            "handle": keep(value),
            "description": describe(value)[:200],
            "problem": problem,
            "callable": callable(value),
            "iterates": isinstance(value, Iterator),
        },
    ]


# In the examiner


def decode(text: bytes, buffers: list[bytes], revive: Revive) -> Any:
    """Make the value again that :func:`encode` was given.

    Args:
        text: the JSON text.
        buffers: the buffers.
        revive: makes the stand-in of an object that has no plain value; its argument has the keys `handle` (int),
            `description` (str), `problem` (str or None), `callable` and `iterates` (bool).

    Raises:
        Garbled: this is no encoded value, or one that is too large.
    """
    if len(text) > MOST_TEXT or sum(map(len, buffers)) > MOST_BYTES:
        raise Garbled(f"a value of more than {MOST_BYTES // 2**20} MB")
    try:
        return _Decoder(buffers, revive).value(json.loads(text), 0)
    except Garbled:
        raise
    # json and torch raise what they stumble over; too deep nesting is a RecursionError.
    except Exception as error:
        raise Garbled(f"no encoded value ({type(error).__name__})") from None


class _Decoder:
    def __init__(self, buffers: list[bytes], revive: Revive) -> None:
        self.buffers = buffers
        self.revive = revive
        self.nodes = 0
        # A small text can name one buffer many times.
        self.left = 2 * MOST_BYTES

    def value(self, node: Any, depth: int) -> Any:
        self.nodes += 1
        if depth > MOST_DEPTH + 1 or self.nodes > MOST_NODES + 1:
            raise Garbled("a value with too many parts")
        if node is None or node is True or node is False:
            return node
        if not isinstance(node, list) or not node or not isinstance(node[0], str):
            raise Garbled("a part of no known kind")
        method = _READERS.get(node[0])
        if method is None:
            raise Garbled("a part of no known kind")
        return method(self, node[1:], depth)

    def values(self, parts: list[Any], depth: int) -> list[Any]:
        (items,) = parts
        return [self.value(item, depth + 1) for item in _list(items)]

    def pairs(self, parts: list[Any], depth: int) -> dict[Any, Any]:
        (items,) = parts
        pairs = [[self.value(part, depth + 1) for part in _list(item)] for item in _list(items)]
        # Not dict(pairs): a pair must have two parts, exactly.
        return {key: value for key, value in pairs}

    def number(self, parts: list[Any], depth: int) -> int:
        (text,) = parts
        return int(_text(text)[:300], 16)

    def float(self, parts: list[Any], depth: int) -> float:
        (text,) = parts
        return float.fromhex(_text(text))

    def complex(self, parts: list[Any], depth: int) -> complex:
        real, imaginary = parts
        return complex(float.fromhex(_text(real)), float.fromhex(_text(imaginary)))

    def text(self, parts: list[Any], depth: int) -> str:
        (text,) = parts
        return _text(text)

    def fraction(self, parts: list[Any], depth: int) -> Fraction:
        numerator, _, denominator = self.text(parts, depth)[:600].partition("/")
        return Fraction(int(numerator), int(denominator or "1"))

    def decimal(self, parts: list[Any], depth: int) -> Decimal:
        return Decimal(self.text(parts, depth)[:600])

    def tensor(self, parts: list[Any], depth: int) -> torch.Tensor:
        name, shape, flags, number = parts
        dtype, shape = _DTYPES[_text(name)], _shape(shape)
        data = self.buffer(number, math.prod(shape) * dtype.itemsize)
        # frombuffer refuses an empty buffer.
        flat = torch.frombuffer(bytearray(data), dtype=torch.uint8) if data else torch.empty(0, dtype=torch.uint8)
        # A byte other than 0 and 1 is no bool.
        flat = flat != 0 if dtype == torch.bool else flat.view(dtype)
        return _flagged(flat.reshape(shape), flags)

    def sparse(self, parts: list[Any], depth: int) -> torch.Tensor:
        shape, indices, values, flags = parts
        indices, values = self.value(indices, depth + 1), self.value(values, depth + 1)
        shape = _shape(shape)
        if math.prod(shape) * values.element_size() > MOST_BYTES:
            raise Garbled("a sparse tensor that is too large")
        made = torch.sparse_coo_tensor(indices, values.detach(), shape, check_invariants=True)
        return _flagged(made.coalesce(), flags)

    def meta(self, parts: list[Any], depth: int) -> torch.Tensor:
        name, shape, flags = parts
        return _flagged(torch.empty(_shape(shape), dtype=_DTYPES[_text(name)], device="meta"), flags)

    def array(self, parts: list[Any], depth: int) -> np.ndarray | np.generic:
        name, shape, scalar, number = parts
        dtype, shape = _NUMPY_DTYPES[_text(name)], _shape(shape)
        array = np.frombuffer(self.buffer(number, math.prod(shape) * dtype.itemsize), dtype=np.uint8)
        array = (array != 0 if dtype == np.dtype("bool") else array.view(dtype)).reshape(shape).copy()
        return array[()] if scalar is True and shape == () else array

    def dtype(self, parts: list[Any], depth: int) -> torch.dtype:
        return _ALL_DTYPES[self.text(parts, depth)]

    def device(self, parts: list[Any], depth: int) -> torch.device:
        return torch.device(self.text(parts, depth))

    def foreign(self, parts: list[Any], depth: int) -> Foreign:
        (about,) = parts
        handle, description, problem = about["handle"], about["description"], about["problem"]
        if type(handle) is not int or not isinstance(description, str) or not isinstance(problem, str | None):
            raise Garbled("no handle")
        return self.revive(
            {
                "handle": handle,
                "description": one_line(description, 200),
                "problem": None if problem is None else one_line(problem, 400),
                "callable": about["callable"] is True,
                "iterates": about["iterates"] is True,
            }
        )

    def buffer(self, number: Any, size: int) -> bytes:
        if type(number) is not int or not 0 <= number < len(self.buffers) or len(self.buffers[number]) != size:
            raise Garbled("numbers that do not fit the shape")
        self.left -= size
        if self.left < 0:
            raise Garbled("a value that is too large")
        return self.buffers[number]


_READERS: dict[str, Callable[[_Decoder, list[Any], int], Any]] = {
    "int": _Decoder.number,
    "float": _Decoder.float,
    "complex": _Decoder.complex,
    "str": _Decoder.text,
    "list": _Decoder.values,
    "tuple": lambda self, parts, depth: tuple(self.values(parts, depth)),
    "set": lambda self, parts, depth: set(self.values(parts, depth)),
    "dict": _Decoder.pairs,
    "Fraction": _Decoder.fraction,
    "Decimal": _Decoder.decimal,
    "tensor": _Decoder.tensor,
    "sparse": _Decoder.sparse,
    "meta": _Decoder.meta,
    "array": _Decoder.array,
    "dtype": _Decoder.dtype,
    "device": _Decoder.device,
    "foreign": _Decoder.foreign,
}


def one_line(text: str, most: int) -> str:
    """Make a text from the student's process fit for a message: printable, on one line, and short."""
    kept = "".join(char if char.isprintable() else " " for char in text[: most + 1])
    return kept if len(kept) <= most else kept[:most].rstrip() + " …"


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise Garbled("no list")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise Garbled("no text")
    return value


def _shape(value: Any) -> tuple[int, ...]:
    shape = tuple(_list(value))
    if len(shape) > MOST_AXES or not all(type(size) is int and 0 <= size < 2**40 for size in shape):
        raise Garbled("no shape")
    if math.prod(shape) > 2**60:
        raise Garbled("a shape that is too large")
    return shape


def _flagged(tensor: torch.Tensor, flags: Any) -> torch.Tensor:
    if flags.get("parameter") is True:
        return torch.nn.Parameter(tensor, requires_grad=flags.get("grad") is True)
    if flags.get("grad") is not True:
        return tensor
    tensor = tensor.requires_grad_()
    return tensor if flags.get("leaf") is True else tensor.clone()
