"""Compare an answer with the right one and say, in a learner's terms, what is wrong with it.

The right value never appears in a sentence: a message says where and in which way an answer is off.
"""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Number
from typing import Any

import torch

# Rows or positions that one message names.
MOST_PLACES = 4


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
        ``|got - expected| <= atol + rtol * |expected|``; shape and dtype must agree.
    """
    if isinstance(expected, torch.Tensor):
        return _diagnose_tensor(got, expected, rtol=rtol, atol=atol, detached=detached)
    if isinstance(expected, Mapping):
        return _diagnose_mapping(got, expected, rtol=rtol, atol=atol, detached=detached)
    if isinstance(expected, (tuple, list)):
        return _diagnose_sequence(got, expected, rtol=rtol, atol=atol, detached=detached)
    if isinstance(expected, Number) and not isinstance(expected, bool):
        return _diagnose_number(got, expected, rtol=rtol, atol=atol)
    if isinstance(got, torch.Tensor) and got.ndim == 0:
        got = got.item()
    if type(got) is not type(expected):
        return f"{_describe(got)}, expected {_describe(expected)}."
    return None if got == expected else "the value is not the right one."


def tolerances(dtype: torch.dtype) -> tuple[float, float]:
    """Return (rtol, atol) for values of `dtype`: (1e-5, 1e-7) for float64, (1e-4, 1e-6) for float32, else exact.

    They are wide enough for another order of summation and narrow enough for every known wrong answer.
    """
    if dtype in (torch.float64, torch.complex128):
        return 1e-5, 1e-7
    if dtype.is_floating_point or dtype.is_complex:
        return 1e-4, 1e-6
    return 0.0, 0.0


def _diagnose_tensor(
    got: Any, expected: torch.Tensor, *, rtol: float | None, atol: float | None, detached: bool
) -> str | None:
    if not isinstance(got, torch.Tensor):
        hint = ""
        if isinstance(got, (int, float)) and expected.ndim == 0:
            hint = " Return the tensor itself; .item() and float() cut it off from its gradient."
        elif isinstance(got, (tuple, list)) and len(got) == 1:
            hint = " The tensor is inside it: take it out with [0]."
        elif isinstance(got, (tuple, list)) and all(isinstance(item, torch.Tensor) for item in got):
            hint = " torch.stack makes one tensor of tensors with the same shape."
        return f"{_describe(got)}, expected a tensor of shape {_shape(expected)}.{hint}"
    if got.shape != expected.shape:
        return f"shape {_shape(got)}, expected {_shape(expected)}.{_shape_hint(got, expected)}"
    default_rtol, default_atol = tolerances(expected.dtype)
    rtol = default_rtol if rtol is None else rtol
    atol = default_atol if atol is None else atol
    if got.dtype != expected.dtype:
        return (
            f"dtype {_dtype(got)}, expected {_dtype(expected)}. Which step makes a tensor with another dtype than "
            "its inputs? A tensor made from Python numbers is float32 unless you say dtype=."
        )
    attached = detached and got.requires_grad
    got, expected = got.detach(), expected.detach()
    close = torch.isclose(got, expected, rtol=rtol, atol=atol, equal_nan=True)
    if not close.all():
        return _value_hint(got, expected, close, rtol, atol)
    if attached:
        return (
            "the values are right, but the result is still attached to a graph (it requires grad), so memory is kept "
            "alive for it. Return it detached: .detach(), or no create_graph=True."
        )
    return None


def _diagnose_mapping(got: Any, expected: Mapping[Any, Any], **options: Any) -> str | None:
    if not isinstance(got, Mapping):
        return f"{_describe(got)}, expected a dict with the keys {_names(expected)}."
    missing = [key for key in expected if key not in got]
    extra = [key for key in got if key not in expected]
    if missing or extra:
        parts = [f"missing {_names(missing)}"] * bool(missing) + [f"not asked for {_names(extra)}"] * bool(extra)
        return f"the dict has other keys than expected: {'; '.join(parts)}."
    for key, value in expected.items():
        if problem := diagnose(got[key], value, **options):
            return f"entry [{key!r}]: {problem}"
    return None


def _diagnose_sequence(got: Any, expected: tuple[Any, ...] | list[Any], **options: Any) -> str | None:
    if not isinstance(got, (tuple, list)):
        return f"{_describe(got)}, expected {_describe(expected)}."
    if len(got) != len(expected):
        return f"{_describe(got)}, expected {len(expected)} entries."
    for index, (item, value) in enumerate(zip(got, expected, strict=True)):
        if problem := diagnose(item, value, **options):
            swapped = _is_reordered(got, expected, options)
            hint = " The right values are there, in another order." if swapped else ""
            return f"entry [{index}]: {problem}{hint}"
    return None


def _is_reordered(got: Any, expected: Any, options: dict[str, Any]) -> bool:
    rest = list(expected)
    for item in got:
        place = next((i for i, value in enumerate(rest) if diagnose(item, value, **options) is None), None)
        if place is None:
            return False
        del rest[place]
    return True


def _diagnose_number(got: Any, expected: Any, *, rtol: float | None, atol: float | None) -> str | None:
    if isinstance(got, torch.Tensor) and got.numel() == 1:
        got = got.item()
    if not isinstance(got, Number) or isinstance(got, bool):
        return f"{_describe(got)}, expected a number."
    if isinstance(expected, int):
        return None if got == expected else f"{got} is not the right number."
    return _diagnose_tensor(
        torch.tensor(got, dtype=torch.float64),
        torch.tensor(expected, dtype=torch.float64),
        rtol=rtol,
        atol=atol,
        detached=True,
    )


def _shape_hint(got: torch.Tensor, expected: torch.Tensor) -> str:
    if expected.ndim > 1 and got.shape == expected.shape[::-1]:
        return " The axes are the other way round."
    if got.ndim != expected.ndim and [n for n in got.shape if n != 1] == [n for n in expected.shape if n != 1]:
        return " There is an axis of size 1 too many or too few: look at unsqueeze, squeeze and keepdim."
    if got.numel() == expected.numel():
        return " The number of values is right, their arrangement is not: torch.stack makes a new axis, torch.cat none."
    if got.ndim == expected.ndim and got.shape[1:] == expected.shape[1:]:
        fewer = got.shape[0] < expected.shape[0]
        return f" There are too {'few rows: does a loop end too early?' if fewer else 'many rows.'}"
    if expected.ndim > got.ndim and got.shape == expected.shape[1:]:
        return f" The first axis, of size {expected.shape[0]}, is missing: each row needs a result of its own."
    return ""


def _value_hint(got: torch.Tensor, expected: torch.Tensor, close: torch.Tensor, rtol: float, atol: float) -> str:
    finite = torch.isfinite(got) if got.is_floating_point() else torch.ones_like(close)
    if not finite.all() and torch.isfinite(expected).all():
        kind = "NaN (not a number)" if got.isnan().any() else "infinite"
        return (
            f"{_count(~finite)} {kind}. Such values come from 0/0, sqrt or log at 0, or from overflow, "
            "and spread through every sum they enter."
        )
    if not got.any() and expected.any():
        return (
            "all values are zero. A gradient is zero everywhere when the result does not depend on the argument: "
            "is the argument used, and not another tensor, a detached copy or a number from .item()?"
        )
    if hint := _factor_hint(got, expected, rtol, atol):
        return hint
    if expected.ndim >= 2 and expected.shape[0] == expected.shape[1]:
        swapped = expected.transpose(0, 1)
        if torch.isclose(got, swapped, rtol=rtol, atol=atol).all():
            return "the values are right but transposed: the first two axes are the other way round."
    if expected.ndim >= 2 and len(expected) > 1 and (got == got[:1]).all() and not (expected == expected[:1]).all():
        return "every row is the same, but the rows have different inputs. What should differ from row to row?"
    return f"{_count(~close)} wrong.{_places(close)}"


def _factor_hint(got: torch.Tensor, expected: torch.Tensor, rtol: float, atol: float) -> str | None:
    if not (expected.is_floating_point() and expected.any()):
        return None
    factor = float((got * expected).sum() / (expected * expected).sum())
    if factor == 0 or not torch.isclose(got, factor * expected, rtol=rtol, atol=atol * abs(factor)).all():
        return None
    one_value = int((expected != 0).sum()) == 1
    if abs(factor + 1) < 1e-3:
        return "the size is right, the sign is reversed."
    # One wrong value is always some multiple of the right one, and naming the multiple would give the answer away.
    if one_value and min(abs(factor - 2), abs(factor - 0.5)) > 1e-3:
        return None
    if abs(factor) >= 1 - 1e-3 and abs(factor - round(factor)) < 1e-3 * abs(factor):
        how, times = "too large", round(factor)
    elif abs(factor) < 1 and abs(1 / factor - round(1 / factor)) < 1e-3 * abs(1 / factor):
        how, times = "too small", round(1 / factor)
    else:
        return f"every value is {factor:.3g} times what it should be: one constant factor is wrong."
    if times == 1:
        return None
    hint = f"every value is {abs(times)} times {how}{' and has the wrong sign' if times < 0 else ''}."
    if expected.ndim and abs(times) == expected.shape[0]:
        hint += f" {abs(times)} is also the number of rows: is there a mean where a sum belongs, or the reverse?"
    return hint


def _places(close: torch.Tensor) -> str:
    if close.ndim == 0 or not close.any():
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
    return ", ".join(map(repr, keys))


def _describe(value: Any) -> str:
    if value is None:
        return "None (is the return statement missing?)"
    if isinstance(value, torch.Tensor):
        return f"a tensor of shape {_shape(value)}"
    if isinstance(value, (tuple, list, dict, set, str)):
        return f"a {type(value).__name__} of length {len(value)}"
    if callable(value):
        return "a function"
    article = "an" if type(value).__name__[0] in "aeiou" else "a"
    return f"{article} {type(value).__name__}"
