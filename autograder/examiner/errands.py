"""What the examiner asks of the student's process, and what it is told.

Out go pickles: the examiner is trusted, and a test's own functions travel by value. Back come JSON texts and buffers
(:mod:`autograder.examiner.codec`).

References: https://github.com/cloudpipe/cloudpickle (functions by value),
https://docs.python.org/3/library/pickle.html#persistence-of-external-objects
"""

from __future__ import annotations

import copyreg
import io
import json
import pickle
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import CodeType, FunctionType
from typing import Any

import cloudpickle
import numpy as np
import torch

from autograder.costs import Counted
from autograder.examiner.codec import MOST_TEXT, Garbled, Revive, decode, one_line
from autograder.foreign import Foreign
from autograder.running import Outcome, Raised

# What a call may send at most, in bytes.
MOST_SENT = 256 * 2**20
# The name of every function of a test's over there.
ANONYMOUS = "function"


class CannotSend(Exception):
    """Raised when a test hands over something that cannot travel. It is the test that needs a change."""


@dataclass
class Errand:
    """A question to the student's process, on its way.

    Attributes:
        parcel: the pickle.
        arguments: number of positional arguments of a call.
        living: objects in it whose state comes back: counted functions and random generators.
    """

    parcel: bytes
    arguments: int = 0
    living: list[Any] = field(default_factory=list)


def call(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Errand:
    """Ask for ``function(*args, **kwargs)``.

    Args:
        function: a :class:`~autograder.foreign.Foreign`, or a function of the test's.
        args: tensors, numbers, containers, modules, functions, foreign objects.
        kwargs: the same by name.

    Raises:
        CannotSend: one of them cannot be sent. The message says what to do.
    """
    state = {
        "dtype": torch.get_default_dtype(),
        "grad": torch.is_grad_enabled(),
        "torch": torch.get_rng_state(),
        # Pickled apart: the packer looks at each of their many numbers.
        "others": pickle.dumps((random.getstate(), np.random.get_state())),
    }
    return _pack({"do": "call", "function": function, "args": args, "kwargs": kwargs, "state": state})


def look(names: list[str]) -> Errand:
    """Ask what the student's names stand for, after the state of the process was put back."""
    return _pack({"do": "look", "names": names})


def _pack(message: dict[str, Any]) -> Errand:
    stream = io.BytesIO()
    packer = _Packer(stream)
    try:
        packer.dump(message)
    except CannotSend:
        raise
    except Exception as error:
        raise CannotSend(
            f"This test hands over something that cannot be sent to the student's process: {error} "
            "Hand over plain values, or make the object there: checks.on_their_side."
        ) from None
    if stream.tell() > MOST_SENT:
        raise CannotSend(f"This test sends {stream.tell() // 2**20} MB to the student's process.")
    return Errand(stream.getvalue(), len(message.get("args", ())), packer.living)


class _Packer(cloudpickle.Pickler):
    def __init__(self, stream: io.BytesIO) -> None:
        super().__init__(stream, protocol=pickle.HIGHEST_PROTOCOL)
        self.living: list[Any] = []

    def persistent_id(self, obj: Any) -> Any:
        kind = type(obj)
        if issubclass(kind, Foreign):
            return ("foreign", *obj.reference)
        if kind is Counted:
            return ("counted", self.number(obj), obj.function, obj.calls, obj.__dict__.get("__name__"))
        if kind is torch.Generator:
            return ("generator", self.number(obj), obj.get_state())
        return None

    def number(self, obj: Any) -> int:
        for number, known in enumerate(self.living):
            if known is obj:
                return number
        self.living.append(obj)
        return len(self.living) - 1

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, torch.Tensor):
            return _reduce_tensor(obj)
        if isinstance(obj, CodeType):
            # How a test calls its function, and where it stands, may say what is expected of it.
            obj = obj.replace(co_name=ANONYMOUS, co_qualname=ANONYMOUS, co_firstlineno=1)
            return copyreg.dispatch_table.get(CodeType, self.dispatch_table[CodeType])(obj)
        return super().reducer_override(obj)

    def _dynamic_function_reduce(self, func: FunctionType) -> Any:
        # As cloudpickle does it, but without names and docstring, and without a look through all loaded modules for
        # submodules that the function may need: those of the test are loaded over there too, and it takes its time.
        names = cloudpickle.cloudpickle._extract_code_globals(func.__code__)
        slots = {
            **{name: getattr(func, name) for name in ("__annotations__", "__kwdefaults__", "__defaults__")},
            **{"__name__": ANONYMOUS, "__qualname__": ANONYMOUS, "__doc__": None},
            **{"__module__": func.__module__, "__closure__": func.__closure__},
            "__globals__": {name: func.__globals__[name] for name in names if name in func.__globals__},
            "_cloudpickle_submodules": [],
        }
        make, set_state = cloudpickle.cloudpickle._make_function, cloudpickle.cloudpickle._function_setstate
        return make, self._function_getnewargs(func), (dict(func.__dict__), slots), None, None, set_state


def _reduce_tensor(tensor: torch.Tensor) -> Any:
    functorch = torch._C._functorch
    if functorch.is_functorch_wrapped_tensor(tensor):
        raise CannotSend(
            "A transform in a test was applied to a student's function: the tensors inside a transform cannot be sent. "
            "Send the transform: checks.on_their_side(lambda f, x: grad(f)(x))(f, x)."
        )
    if tensor.layout != torch.strided or tensor.is_meta or tensor.is_nested:
        return tensor.__reduce_ex__(pickle.HIGHEST_PROTOCOL)
    # A view would take its whole storage along, and what else lies there may be the answer.
    plain = tensor.detach().clone()
    if plain.untyped_storage().nbytes() != plain.numel() * plain.element_size():
        plain = plain.contiguous().clone()
    shown = plain.resolve_conj().resolve_neg().cpu()
    data = shown.as_strided((shown.numel(),), (1,)).view(torch.uint8).numpy().tobytes() if shown.numel() else b""
    kind = "parameter" if isinstance(tensor, torch.nn.Parameter) else "tensor"
    gradient = tensor.grad if tensor.is_leaf else None
    about = (kind, tensor.dtype, tuple(shown.shape), shown.stride(), tensor.requires_grad, gradient)
    return unpack_tensor, (data, *about)


def unpack_tensor(
    data: bytes,
    kind: str,
    dtype: torch.dtype,
    shape: tuple[int, ...],
    stride: tuple[int, ...],
    requires_grad: bool,
    gradient: torch.Tensor | None,
) -> torch.Tensor:
    """Make a sent tensor again, with strides of its own and a storage of its own."""
    if data:
        tensor = torch.frombuffer(bytearray(data), dtype=dtype).as_strided(shape, stride)
    else:
        tensor = torch.empty_strided(shape, stride, dtype=dtype)
    if kind == "parameter":
        tensor = torch.nn.Parameter(tensor, requires_grad=False)
    tensor = tensor.requires_grad_(requires_grad)
    if gradient is not None:
        tensor.grad = gradient
    return tensor


# What comes back


def read_outcome(errand: Errand, answer: list[bytes], revive: Revive) -> Outcome:
    """Read the answer to :func:`call`, and bring the state of the sent objects up to date.

    Args:
        errand: what was asked.
        answer: the buffers of the reply; the first is a JSON text about the call, the second the value.
        revive: makes stand-ins, see :func:`autograder.examiner.codec.decode`.

    Raises:
        Garbled: the answer is not one.
    """
    about, value = _open(answer, revive)
    counts, moved = about.get("counts"), about.get("moved")
    if not isinstance(counts, dict) or not isinstance(moved, list):
        raise Garbled("no counts")
    for number, obj in enumerate(errand.living):
        if type(obj) is Counted:
            count = counts.get(str(number))
            if type(count) is not int or not 0 <= count < 2**40:
                raise Garbled("no counts")
            obj.calls = count
        elif str(number) in moved:
            # The state itself is not taken over: a test may draw from this generator what the student must not know.
            torch.rand(1, generator=obj)
    if "global" in moved:
        torch.rand(1)
    changes = tuple(_optional(change) for change in _list(about.get("changes")))
    raised = about.get("raised")
    return Outcome(
        value, _read_raised(raised) if raised is not None else None, changes, _optional(about.get("warning"))
    )


def read_names(answer: list[bytes], revive: Revive) -> dict[str, Any]:
    """Read the answer to :func:`look`: what each name stands for. Names that stand for nothing are left out."""
    _, names = _open(answer, revive)
    if not isinstance(names, dict) or not all(isinstance(name, str) for name in names):
        raise Garbled("no names")
    return names


def _open(answer: list[bytes], revive: Revive) -> tuple[dict[str, Any], Any]:
    if len(answer) < 2 or len(answer[0]) > MOST_TEXT:
        raise Garbled("an answer of another form")
    try:
        about = json.loads(answer[0])
    except (ValueError, RecursionError):
        raise Garbled("an answer of another form") from None
    if not isinstance(about, dict):
        raise Garbled("an answer of another form")
    if "failed" in about:
        raise Garbled(f"no value: looking at the result raised {one_line(str(about['failed']), 80)}")
    return about, decode(answer[1], answer[2:], revive)


def _read_raised(about: Any) -> Raised:
    if not isinstance(about, dict) or not isinstance(about.get("kind"), str) or not isinstance(about.get("text"), str):
        raise Garbled("no error")
    return Raised(
        kind=one_line(about["kind"], 80),
        text=one_line(about["text"], 450),
        lines=tuple(_optional(line) or "" for line in _list(about.get("lines"))[:3]),
        hint=_optional(about.get("hint")),
        stub=_optional(about.get("stub")),
    )


def _optional(value: Any) -> str | None:
    if not isinstance(value, str | None):
        raise Garbled("no text")
    return value if value is None else one_line(value, 600)


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise Garbled("no list")
    return value


# In the student's process


class Unpacker(pickle.Unpickler):
    """Reads a parcel in the student's process.

    Attributes:
        living: the counted functions and generators in the parcel, by number.
    """

    def __init__(self, parcel: bytes, find: Callable[[str, Any], Any]) -> None:
        """Read `parcel`; `find` looks up ``("name", "slope")`` or ``("handle", 3)``."""
        super().__init__(io.BytesIO(parcel))
        self.find = find
        self.living: dict[int, Any] = {}

    def persistent_load(self, pid: Any) -> Any:
        """Find what stays here, and make the objects whose state goes back."""
        match pid:
            case "foreign", kind, key:
                return self.find(kind, key)
            case "counted", number, function, calls, name:
                if number not in self.living:
                    made = self.living[number] = Counted(function)
                    made.calls = calls
                    if name is not None:
                        made.__name__ = name
                return self.living[number]
            case "generator", number, state:
                if number not in self.living:
                    self.living[number] = torch.Generator()
                    self.living[number].set_state(state)
                return self.living[number]
        raise pickle.UnpicklingError(f"unknown reference {pid!r}")


def tell(about: Mapping[str, Any], value: tuple[str, list[bytes]]) -> list[bytes]:
    """Make the buffers of an answer of what is told about a call and its encoded value."""
    text, buffers = value
    return [json.dumps(about).encode(), text.encode(), *buffers]
