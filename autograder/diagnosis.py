"""Compare an answer with the right one and say, in a learner's terms, what is wrong with it.

The right value never appears in a sentence: a message says where and in which way an answer is off.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from numbers import Number, Real
from typing import Any

import torch

from autograder.foreign import Foreign

# Rows, positions or keys that one message names.
MOST_PLACES = 4
# What is wrong with a tensor that was carried out of vmap.
ESCAPED = (
    "this tensor lives inside vmap only, where it stands for all rows at once. It was carried out, for instance in a "
    "list: return it from the function that vmap wraps."
)


def diagnose(
    got: Any,
    expected: Any,
    *,
    rtol: float | None = None,
    atol: float | None = None,
    detached: bool = True,
) -> str | None:
    """Say what is wrong with `got`, or return None when it is right.

    Args:
        got: the answer: a tensor, number, string, None, or a tuple, list or dict of these.
        expected: the right answer, of the same structure. A list may stand for a tuple, a 0-dim tensor for a number.
        rtol: relative tolerance. By default that of the expected dtype, see :func:`tolerances`.
        atol: absolute tolerance. By default that of the expected dtype.
        detached: whether a tensor that still requires grad is wrong.

    Returns:
        One or two sentences, or None. Tensors are compared as ``torch.testing.assert_close`` compares them:
        ``|got - expected| <= atol + rtol * |expected|``; shape, dtype, layout and device must agree.
    """
    try:
        with torch._C.DisableTorchFunctionSubclass():  # a subclass would answer for itself
            problem = _diagnose(got, expected, rtol=rtol, atol=atol, detached=detached)
    except Exception as error:
        # What a student returns can be of any class, and such a class may raise in each of its methods.
        return f"{describe(got)}, which cannot be compared: looking at it raised {type(error).__name__}."
    if got is None and problem:
        return "None (is the return statement missing?)" + problem.removeprefix("None")
    return problem


def tolerances(dtype: torch.dtype) -> tuple[float, float]:
    """Return (rtol, atol) for values of `dtype`: (1e-5, 1e-7) for float64, (1e-4, 1e-6) for float32, else exact.

    They are wide enough for another order of summation and narrow enough for every known wrong answer. The 16-bit
    and 8-bit floats get a few units of their last place.
    """
    if dtype in (torch.float64, torch.complex128):
        return 1e-5, 1e-7
    if dtype.is_floating_point or dtype.is_complex:
        eps = torch.finfo(dtype).eps
        return (4 * eps, 1e-5) if eps > 1e-4 else (1e-4, 1e-6)
    return 0.0, 0.0


def same_values(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Say whether two tensors hold exactly the same: dtype, shape, place and every value, NaN equal to NaN."""
    if (a.dtype, a.shape, a.layout, a.device) != (b.dtype, b.shape, b.layout, b.device):
        return False
    if a.is_meta:
        return True
    a, b = a.detach().to_dense(), b.detach().to_dense()
    return bool(((a == b) | ((a != a) & (b != b))).all())


def describe(value: Any) -> str:
    """Say in a few words what kind of thing `value` is, without its value."""
    # type(), not isinstance: this must not fail or be lied to, whatever the value is.
    kind = type(value)
    if value is None:
        return "None"
    if issubclass(kind, Foreign):
        return value.description
    if issubclass(kind, torch.Tensor):
        with torch._C.DisableTorchFunctionSubclass():
            nested = torch._C.TensorBase.is_nested.__get__(value)
            return "a nested tensor" if nested else f"a tensor of shape {tuple(torch._C.TensorBase.size(value))}"
    for container in (tuple, list, dict, set, str):
        if issubclass(kind, container):
            return f"a {kind.__name__} of length {container.__len__(value)}"
    if kind.__module__ == "numpy":
        return f"a NumPy {kind.__name__.removeprefix('nd')}"
    if issubclass(kind, torch.nn.Module):
        return f"a module ({kind.__name__})"
    if kind.__name__ == "generator":
        return "a generator (it says yield; is return meant?)"
    if issubclass(kind, type):
        return "a class"
    if callable(value):
        return "a function"
    return f"{'an' if kind.__name__[0].lower() in 'aeiou' else 'a'} {kind.__name__}"


def _diagnose(got: Any, expected: Any, **options: Any) -> str | None:
    if isinstance(got, Foreign) and got.problem:
        return got.problem
    if isinstance(expected, torch.Tensor):
        return _diagnose_tensor(got, expected, **options)
    if isinstance(expected, Mapping):
        return _diagnose_mapping(got, expected, **options)
    if isinstance(expected, (tuple, list)):
        return _diagnose_sequence(got, expected, **options)
    if isinstance(expected, Number) and not isinstance(expected, bool):
        return _diagnose_number(_as_python(got), expected, **options)
    if getattr(got, "ndim", None) == 0:
        got = _as_python(got)
    if type(got) is not type(expected):
        return f"{describe(got)}, expected {describe(expected)}."
    return None if got == expected else "the value is not the right one."


def _diagnose_tensor(
    got: Any, expected: torch.Tensor, *, rtol: float | None, atol: float | None, detached: bool
) -> str | None:
    if not _is_tensor(got):
        return f"{describe(got)}, expected a tensor of shape {_shape(expected)}.{_tensor_hint(got, expected)}"
    attached, leaf = detached and got.requires_grad, got.is_leaf
    plain = plain_tensor(got)
    if plain is None:
        return ESCAPED
    got, expected = plain, expected.detach()
    if got.is_nested and not expected.is_nested:
        return f"a nested tensor, expected one of shape {_shape(expected)}."
    if got.shape != expected.shape:
        return f"shape {_shape(got)}, expected {_shape(expected)}.{_shape_hint(got, expected)}"
    if got.dtype != expected.dtype:
        return f"dtype {_dtype(got)}, expected {_dtype(expected)}.{_dtype_hint(got, expected)}"
    if got.layout != expected.layout:
        return f"layout {got.layout}, expected {expected.layout}. .to_dense() makes an ordinary tensor of a sparse one."
    if got.device != expected.device:
        return f"the tensor is on the device {got.device}, expected {expected.device}. Which step moves it there?"
    default_rtol, default_atol = tolerances(expected.dtype)
    rtol = default_rtol if rtol is None else rtol
    atol = default_atol if atol is None else atol
    got, expected = _wide(got), _wide(expected)
    close = torch.isclose(got, expected, rtol=rtol, atol=atol, equal_nan=True)
    if not close.all():
        return _value_hint(got, expected, close, rtol, atol)
    if attached and leaf:
        return "the values are right, but the result itself requires grad. Return it detached: .detach()."
    if attached:
        return (
            "the values are right, but the result is still attached to a graph (it requires grad), so memory is kept "
            "alive for it. Return it detached: .detach(), or no create_graph=True."
        )
    return None


def _is_tensor(value: Any) -> bool:
    # isinstance believes an object's __class__, and torch crashes on one that lied.
    return issubclass(type(value), torch.Tensor)


def plain_tensor(tensor: torch.Tensor) -> torch.Tensor | None:
    """Take off what a subclass or a finished transform wrapped around a tensor; None if vmap's wrapper is left."""
    functorch = torch._C._functorch
    while functorch.is_functorch_wrapped_tensor(tensor):
        if functorch.is_batchedtensor(tensor):
            return None
        tensor = functorch.get_unwrapped(tensor)
    # Not by the methods of a subclass. Sparse tensors cannot be seen as another class.
    plain = tensor if type(tensor) is torch.Tensor else torch.Tensor.as_subclass(tensor, torch.Tensor)
    return plain.detach()


def _wide(tensor: torch.Tensor) -> torch.Tensor:
    # One dtype for each kind: small ones overflow in the sums below, and some lack operations.
    tensor = tensor.to_dense()
    if tensor.is_complex():
        return tensor.to(torch.complex128)
    if tensor.is_floating_point():
        return tensor.to(torch.float64)
    return tensor if tensor.dtype == torch.bool else tensor.to(torch.int64)


def _diagnose_mapping(got: Any, expected: Mapping[Any, Any], **options: Any) -> str | None:
    if not isinstance(got, Mapping):
        return f"{describe(got)}, expected a dict with the keys {_names(expected)}."
    missing = [key for key in expected if key not in got]
    extra = [key for key in got if key not in expected]
    if missing or extra:
        parts = [f"missing {_names(missing)}"] * bool(missing) + [f"not asked for {_names(extra)}"] * bool(extra)
        return f"the dict has other keys than expected: {'; '.join(parts)}."
    for key, value in expected.items():
        if problem := _diagnose(got[key], value, **options):
            return f"entry [{key!r}]: {problem}"
    return None


def _diagnose_sequence(got: Any, expected: tuple[Any, ...] | list[Any], **options: Any) -> str | None:
    if not isinstance(got, (tuple, list)):
        hint = " tuple(...) or list(...) collects what it yields." if _iterates(got) else ""
        return f"{describe(got)}, expected {describe(expected)}.{hint}"
    if len(got) != len(expected):
        return f"{describe(got)}, expected {len(expected)} {'entry' if len(expected) == 1 else 'entries'}."
    for index, (item, value) in enumerate(zip(got, expected, strict=True)):
        if problem := _diagnose(item, value, **options):
            swapped = _is_reordered(got, expected, options)
            hint = " The right values are there, in another order." if swapped else ""
            return f"entry [{index}]: {problem}{hint}"
    return None


def _iterates(value: Any) -> bool:
    return value.iterates if isinstance(value, Foreign) else isinstance(value, Iterator)


def _is_reordered(got: Any, expected: Any, options: dict[str, Any]) -> bool:
    rest = list(expected)
    for item in got:
        place = next((i for i, value in enumerate(rest) if _diagnose(item, value, **options) is None), None)
        if place is None:
            return False
        del rest[place]
    return True


def _as_python(value: Any) -> Any:
    """Turn a tensor with one value, or a NumPy scalar, into the Python value that it stands for."""
    if _is_tensor(value):
        plain = plain_tensor(value)
        return value if plain is None or plain.is_meta or plain.numel() != 1 else plain.item()
    return value.item() if type(value).__module__ == "numpy" and getattr(value, "shape", None) == () else value


def _diagnose_number(got: Any, expected: Any, *, rtol: float | None, atol: float | None, detached: bool) -> str | None:
    if not isinstance(got, Number) or isinstance(got, bool):
        return f"{describe(got)}, expected a number."
    if isinstance(expected, int):
        return None if got == expected else f"{got} is not the right number."
    if isinstance(expected, Real) and isinstance(got, complex):
        return "a complex number, expected a real one."
    kind, dtype = (complex, torch.complex128) if isinstance(expected, complex) else (float, torch.float64)
    try:
        got = kind(got)
    except OverflowError:
        got = kind("inf")
    answer, right = torch.tensor(got, dtype=dtype), torch.tensor(kind(expected), dtype=dtype)
    return _diagnose_tensor(answer, right, rtol=rtol, atol=atol, detached=detached)


def _tensor_hint(got: Any, expected: torch.Tensor) -> str:
    if isinstance(got, (int, float)) and expected.ndim == 0:
        return " Return the tensor itself; .item() and float() cut it off from its gradient."
    if isinstance(got, (tuple, list)) and got and all(map(_is_tensor, got)):
        if len(got) == 1 and got[0].shape == expected.shape:
            return " The tensor is inside it: take it out with [0]."
        return " torch.stack makes one tensor of tensors with the same shape."
    if describe(got) == "a function":
        return " A transform such as grad(f) makes a function; its value is grad(f)(x)."
    return ""


def _dtype_hint(got: torch.Tensor, expected: torch.Tensor) -> str:
    hint = " Which step makes a tensor with another dtype than its inputs?"
    if {got.dtype, expected.dtype} == {torch.float32, torch.float64}:
        hint += " A tensor made from Python numbers is float32 unless you say dtype=."
    return hint


def _shape_hint(got: torch.Tensor, expected: torch.Tensor) -> str:
    if expected.ndim > 1 and got.shape == expected.shape[::-1]:
        return " The axes are the other way round."
    if got.ndim != expected.ndim and [n for n in got.shape if n != 1] == [n for n in expected.shape if n != 1]:
        return " There is an axis of size 1 too many or too few: look at unsqueeze, squeeze and keepdim."
    if sorted(got.shape) == sorted(expected.shape):
        return " The axes are the right ones, in another order: which of them should come first?"
    if got.numel() == expected.numel() > 0:
        return " The number of values is right, their arrangement is not: torch.stack makes a new axis, torch.cat none."
    if got.ndim == expected.ndim == 1:
        few = "few" if len(got) < len(expected) else "many"
        return f" There are too {few} values: is it the other axis that was to be summed, or does a loop end wrongly?"
    if got.ndim == expected.ndim and got.shape[1:] == expected.shape[1:]:
        fewer = got.shape[0] < expected.shape[0]
        return f" There are too {'few rows: does a loop end too early?' if fewer else 'many rows.'}"
    if got.shape == expected.shape[1:]:
        return f" The first axis, of size {expected.shape[0]}, is missing: each row needs a result of its own."
    if got.shape[1:] == expected.shape:
        return f" The first axis, of size {got.shape[0]}, is one too many: is a sum or a mean over it missing?"
    return ""


def _value_hint(got: torch.Tensor, expected: torch.Tensor, close: torch.Tensor, rtol: float, atol: float) -> str:
    lost = ~torch.isfinite(got) & torch.isfinite(expected)
    if lost.any():
        nan, infinite = bool(got[lost].isnan().any()), bool(got[lost].isinf().any())
        kind = " or ".join(["NaN (not a number)"] * nan + ["infinite"] * infinite)
        return (
            f"{_count(lost)} {kind}. Such values come from 0/0, sqrt or log at 0, or from overflow, "
            "and spread through every sum they enter."
        )
    if got.dtype != torch.bool and not got.any() and expected.any():
        return f"{'the value is' if got.numel() == 1 else 'all values are'} zero.{_zero_hint(got)}"
    if hint := _factor_hint(got, expected, rtol, atol):
        return hint
    if expected.ndim >= 2 and expected.shape[0] == expected.shape[1]:
        swapped = expected.transpose(0, 1)
        if torch.isclose(got, swapped, rtol=rtol, atol=atol, equal_nan=True).all():
            return "the values are right but transposed: the first two axes are the other way round."
    if expected.ndim and len(expected) > 1 and (got == got[:1]).all() and not (expected == expected[:1]).all():
        each = "row" if expected.ndim > 1 else "value"
        return f"every {each} is the same, and they should not be. What should differ from {each} to {each}?"
    if _places_tell(got, expected):
        return "the value is not the right one." if got.numel() == 1 else "not all values are right."
    return f"{_count(~close)} wrong.{_places(close)}"


def _zero_hint(got: torch.Tensor) -> str:
    if not (got.is_floating_point() or got.is_complex()):
        return ""
    return (
        " A gradient is zero everywhere when the result does not depend on the argument: is the argument used, and not "
        "another tensor, a detached copy or a number from .item()?"
    )


def _factor_hint(got: torch.Tensor, expected: torch.Tensor, rtol: float, atol: float) -> str | None:
    if not (expected.is_floating_point() and expected.any()):
        return None
    # Divided by the largest, so that the squares neither overflow nor vanish.
    largest = expected.abs().max()
    unit = expected / largest
    factor = float((got / largest * unit).sum() / (unit * unit).sum())
    if not abs(factor) < float("inf") or factor == 0:
        return None
    if not torch.isclose(got, factor * expected, rtol=rtol, atol=atol * abs(factor)).all():
        return None
    # How far the factor itself can be off.
    near = max(10 * rtol, 1e-9)
    if abs(factor + 1) < near:
        return "the size is right, the sign is reversed."
    # A single wrong value is always some multiple of the right one, and so is a constant: naming the multiple would
    # give the answer away.
    sizes = unit[unit != 0].abs()
    if sizes.max() - sizes.min() <= near and min(abs(factor - 2), abs(factor - 0.5)) > near:
        return None
    every = "the value is" if expected.numel() == 1 else "every value is"
    if abs(factor) > 1 and abs(factor - round(factor)) <= near * abs(factor):
        how, times = "too large", round(factor)
    elif abs(factor) < 1 and abs(1 / factor - round(1 / factor)) <= near * abs(1 / factor):
        how, times = "too small", round(1 / factor)
    else:
        text = f"{factor:.3g}"
        text = text if "." in text else f"{factor:.5g}"  # 1.0004 times is not 1 times
        return f"{every} {text} times what it should be: one constant factor is wrong."
    if abs(times) == 1:
        return None
    hint = f"{every} {abs(times)} times {how}{' and has the wrong sign' if times < 0 else ''}."
    if expected.ndim and abs(times) == expected.shape[0]:
        hint += (
            f" {abs(times)} is also the length of the first axis: is there a mean where a sum belongs, or the reverse?"
        )
    return hint


def _places_tell(got: torch.Tensor, expected: torch.Tensor) -> bool:
    # Of two possible values the wrong one names the right one: then even the places of the wrong ones are the answer.
    if expected.dtype == torch.bool:
        return True
    if expected.is_complex():
        return False
    values = expected.unique()
    return len(values) == 2 and bool(torch.isin(got, values).all())


def _places(close: torch.Tensor) -> str:
    if close.ndim == 0:
        return ""
    rows = close.reshape(close.shape[0], -1).all(dim=1)
    what = "row" if close.ndim > 1 else "position"
    if not rows.any():
        return ""
    wrong = (~rows).nonzero().flatten().tolist()
    named = ", ".join(map(str, wrong[:MOST_PLACES])) + (", …" if len(wrong) > MOST_PLACES else "")
    return f" Look at {what}{'s' if len(wrong) > 1 else ''} {named} (counted from 0); the others are right."


def _count(wrong: torch.Tensor) -> str:
    many, total = int(wrong.sum()), wrong.numel()
    if total == 1:
        return "the value is"
    return f"all {total} values are" if many == total else f"{many} of {total} values {'is' if many == 1 else 'are'}"


def _shape(tensor: torch.Tensor) -> str:
    return str(tuple(tensor.shape))


def _dtype(tensor: torch.Tensor) -> str:
    return str(tensor.dtype).removeprefix("torch.")


def _names(keys: Any) -> str:
    keys = list(keys)
    return ", ".join(map(_key, keys[:MOST_PLACES])) + (", …" if len(keys) > MOST_PLACES else "")


def _key(key: Any) -> str:
    if type(key) not in (str, int, float, bool, tuple):
        return describe(key)
    text = repr(key)
    return text if len(text) <= 60 else text[:60] + "…"
