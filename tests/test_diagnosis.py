"""What an answer is told: right ones nothing, wrong ones what is wrong with them, and nobody the right value."""

import collections
import fractions
import math
import types

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from misbehaving import Grumpy
from torch.func import grad, jvp, vmap

from autograder.diagnosis import describe, diagnose, same_values, tolerances

settings.register_profile("course", derandomize=True, deadline=None, database=None, max_examples=40)
settings.load_profile("course")

DOUBLE = torch.float64
FLOATS = [torch.float64, torch.float32, torch.bfloat16, torch.float16]
DTYPES = [*FLOATS, torch.complex128, torch.complex64, torch.int64, torch.int32, torch.uint8, torch.bool]

shapes = st.lists(st.integers(1, 4), max_size=3).map(tuple)
tables = st.lists(st.integers(2, 4), min_size=1, max_size=3).map(tuple)
seeds = st.integers(0, 2**32)


def numbers(shape, seed, dtype=DOUBLE):
    """A tensor of numbers with many digits, from 1 to 10 in size, so that a digit of them in a message is no chance."""
    generator = torch.Generator().manual_seed(seed)
    sizes = 10 ** torch.rand(shape, generator=generator, dtype=DOUBLE)
    signs = torch.randint(0, 2, shape, generator=generator) * 2 - 1
    if dtype == torch.bool:
        return signs > 0
    if dtype.is_complex:
        return torch.complex(sizes * signs, sizes.flip(0) if shape else sizes).to(dtype)
    if not dtype.is_floating_point:
        return (sizes * 10).to(dtype)
    return (sizes * signs).to(dtype)


def tensor(*values, dtype=DOUBLE):
    return torch.tensor(values, dtype=dtype)


def assert_keeps_the_secret(message, expected):
    """No number of `expected` stands in `message`, in whatever way it may be written."""
    for number in expected.detach().flatten().tolist():
        for digits in range(3, 8):
            text = f"{abs(number):.{digits}g}"
            assert len(text) < 4 or text not in message, (message, number)


# Right answers


def in_columns(a):
    return a.transpose(0, -1).contiguous().transpose(0, -1) if a.ndim else a.clone()


def every_second(a):
    return torch.stack([a, torch.zeros_like(a)], dim=-1)[..., 0]


class Tagged(torch.Tensor):
    pass


LAYOUTS = {
    "the same": lambda a: a,
    "in columns": in_columns,
    "with gaps": every_second,
    "conjugate twice": lambda a: a.conj().resolve_conj().conj() if a.is_complex() else a,
    "a parameter": lambda a: torch.nn.Parameter(a, requires_grad=False),
    "a subclass": lambda a: a.clone().as_subclass(Tagged),
    "left over from grad": lambda a: kept_from(lambda keep: grad(lambda b: (keep(b.detach()), b.sum())[1]), a),
    "left over from jvp": lambda a: kept_from(lambda keep: lambda b: jvp(lambda c: (keep(c), c)[1], (b,), (b,)), a),
}


def kept_from(transform, a):
    if not (a.is_floating_point() and a.dtype == DOUBLE):
        return a
    kept = []
    transform(kept.append)(a)
    return kept[0]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")
@given(shapes, seeds, st.sampled_from(DTYPES))
@settings(max_examples=15)
def test_the_right_answer_passes_in_any_layout(layout, shape, seed, dtype):
    expected = numbers(shape, seed, dtype)
    assert diagnose(LAYOUTS[layout](expected.clone()), expected) is None


@given(seeds, st.integers(1, 5))
def test_an_expanded_answer_passes(seed, count):
    row = numbers((3,), seed)
    assert diagnose(row.expand(count, 3), row.repeat(count, 1)) is None
    assert diagnose(row[0].expand(3), row[:1].repeat(3)) is None


@given(shapes, seeds, st.sampled_from(DTYPES), st.booleans())
def test_structures(shape, seed, dtype, as_list):
    a, b = numbers(shape, seed, dtype), numbers((2,), seed + 1)
    pair = [a.clone(), b.clone()] if as_list else (a.clone(), b.clone())
    Pair = collections.namedtuple("Pair", "a b")
    assert diagnose(pair, (a, b)) is None
    assert diagnose(pair, [a, b]) is None
    assert diagnose(Pair(*pair), (a, b)) is None
    assert diagnose({"b": b.clone(), "a": pair}, {"a": (a, b), "b": b}) is None
    assert diagnose(collections.OrderedDict(b=b, a=a), {"a": a, "b": b}) is None
    assert diagnose(types.MappingProxyType({"a": a}), {"a": a}) is None


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_empty_tensors(dtype):
    for shape in ((0,), (0, 3), (3, 0), (0, 0)):
        assert diagnose(torch.zeros(shape, dtype=dtype), torch.zeros(shape, dtype=dtype)) is None


@pytest.mark.parametrize("special", [math.nan, math.inf, -math.inf])
def test_special_values_are_right_where_they_are_expected(special):
    assert diagnose(tensor(1.0, special), tensor(1.0, special)) is None
    assert diagnose(special, special) is None


@pytest.mark.parametrize(
    ("got", "expected"),
    [
        (2, 2),
        (2.0, 2),
        (torch.tensor(2), 2),
        (np.int64(2), 2),
        (1.5, 1.5),
        (1.5 + 1e-9, 1.5),
        (torch.tensor(1.5), 1.5),
        (torch.tensor(1.5, requires_grad=True), 1.5),
        (torch.tensor([[1.5]]), 1.5),
        (np.float64(1.5), 1.5),
        (fractions.Fraction(3, 2), 1.5),
        (1j, 1j),
        (True, True),
        (torch.tensor(True), True),
        (np.bool_(True), True),
        ("a", "a"),
        (None, None),
        ({1, 2}, {1, 2}),
        (torch.Size([2, 3]), (2, 3)),
        (torch.float32, torch.float32),
    ],
    ids=repr,
)
def test_right_python_values(got, expected):
    assert diagnose(got, expected) is None


def test_a_sparse_answer_passes_where_one_is_expected():
    expected = tensor(0.0, 3.0)
    assert diagnose(expected.to_sparse(), expected.to_sparse()) is None
    assert "wrong" in diagnose((expected + tensor(0.0, 1.0)).to_sparse(), expected.to_sparse())


# Wrong values


@given(tables, seeds, st.sampled_from(FLOATS), st.sampled_from([0.5, 2.0]), st.data())
def test_the_tolerance_is_the_line_between_right_and_wrong(shape, seed, dtype, share, data):
    expected = numbers(shape, seed, dtype)
    rtol, atol = data.draw(st.sampled_from([tolerances(dtype), (0.1, 0.0), (0.0, 0.5)]))
    # Rounded to its own dtype the change would come out larger or smaller.
    assume(dtype == DOUBLE or rtol > 4 * torch.finfo(dtype).eps or atol > 100 * torch.finfo(dtype).eps)
    got = expected.clone()
    place = tuple(data.draw(st.integers(0, n - 1)) for n in shape)
    got[place] += share * (atol + rtol * float(expected[place].abs()))
    assert (diagnose(got, expected, rtol=rtol, atol=atol) is None) == (share < 1)


@given(shapes, seeds, st.sampled_from(DTYPES), st.data())
def test_it_agrees_with_torch_testing(shape, seed, dtype, data):
    expected = numbers(shape, seed, dtype)
    changes = [
        lambda a: a,
        lambda a: a.to(data.draw(st.sampled_from(DTYPES))),
        lambda a: a.flip(0) if a.ndim else a,
        lambda a: a.transpose(0, -1) if a.ndim else a,
        lambda a: a[None],
        lambda a: a * 2 if a.dtype != torch.bool else ~a,
        lambda a: a * (1 + 1e-9) if a.dtype.is_floating_point else a,
        lambda a: a / 0.0 if a.dtype.is_floating_point else a,
    ]
    got = data.draw(st.sampled_from(changes))(expected.clone())
    rtol, atol = tolerances(dtype)
    try:
        torch.testing.assert_close(got, expected, rtol=rtol, atol=atol, equal_nan=True)
        right = True
    except AssertionError:
        right = False
    assert (diagnose(got, expected) is None) == right


@pytest.mark.parametrize("dtype", [torch.int64, torch.uint8, torch.int8, torch.uint16, torch.uint64], ids=str)
def test_whole_numbers_are_exact(dtype):
    expected = torch.tensor([100, 101, 102], dtype=dtype)
    assert diagnose(expected.clone(), expected) is None
    assert diagnose(torch.tensor([100, 101, 103], dtype=dtype), expected) == (
        "1 of 3 values is wrong. Look at position 2 (counted from 0); the others are right."
    )
    of_two = torch.tensor([1, 0, 1], dtype=dtype)
    assert diagnose(torch.tensor([1, 0, 0], dtype=dtype), of_two) == "not all values are right."


@given(tables, seeds, st.integers(2, 12), st.sampled_from([1, -1]), st.sampled_from([DOUBLE, torch.float32]))
def test_a_whole_factor_is_named(shape, seed, times, sign, dtype):
    expected = numbers(shape, seed, dtype)
    wrong_sign = " and has the wrong sign" if sign < 0 else ""
    large = diagnose(expected * times * sign, expected)
    small = diagnose(expected * sign / times, expected)
    assert large.startswith(f"every value is {times} times too large{wrong_sign}.")
    assert small.startswith(f"every value is {times} times too small{wrong_sign}.")
    for message in (large, small):
        assert ("the length of the first axis" in message) == (times == shape[0])
        assert_keeps_the_secret(message, expected)


@given(tables, seeds, st.floats(0.1, 10), st.sampled_from([1, -1]))
def test_another_factor_is_named_as_well(shape, seed, factor, sign):
    assume(min(abs(factor - round(factor)), abs(1 / factor - round(1 / factor))) > 1e-2)
    expected = numbers(shape, seed)
    message = diagnose(expected * factor * sign, expected)
    assert message == f"every value is {sign * factor:.3g} times what it should be: one constant factor is wrong."


@given(shapes, seeds)
def test_a_reversed_sign_is_named(shape, seed):
    expected = numbers(shape, seed)
    assert diagnose(-expected, expected) == "the size is right, the sign is reversed."


@pytest.mark.parametrize("scale", [1e-200, 1e-30, 1e30, 1e200])
def test_a_factor_is_found_at_any_scale(scale):
    expected = tensor(1.0, -3.0, 0.0) * scale
    message = diagnose(expected * 3, expected, atol=0.0)
    assert message.startswith("every value is 3 times too large.")


@given(seeds, st.floats(-20, 20))
def test_the_multiple_of_a_single_value_is_its_secret(seed, factor):
    assume(min(abs(factor - known) for known in (-1, 0, 0.5, 1, 2)) > 1e-3)
    value = numbers((), seed)
    for expected in (value, value[None], torch.stack([value, 0 * value]), value.expand(3), tensor(1, -1) * value):
        message = diagnose(expected * factor, expected)
        assert "times" not in message
        assert_keeps_the_secret(message, expected)
    assert "times" not in diagnose(float(value * factor), float(value))


@pytest.mark.parametrize(("factor", "what"), [(2, "2 times too large"), (0.5, "2 times too small")])
def test_twice_and_half_may_be_said_of_a_single_value(factor, what):
    assert diagnose(torch.tensor(1.25 * factor), torch.tensor(1.25)) == f"the value is {what}."
    assert diagnose(1.25 * factor, 1.25) == f"the value is {what}."


def test_a_factor_close_to_one_is_not_called_a_factor_of_one():
    expected = tensor(1.234, 5.678)
    for factor in (1.0004, 0.9996, 2.0004, 1 / 3.0005):
        message = diagnose(expected * factor, expected)
        assert " 1 times" not in message
        assert "2 times too large" not in message
        assert "3 times too small" not in message


@given(tables, seeds)
def test_zeros_get_their_sentence(shape, seed):
    expected = numbers(shape, seed)
    message = diagnose(torch.zeros_like(expected), expected)
    assert message.startswith("all values are zero. A gradient is zero everywhere when")
    assert_keeps_the_secret(message, expected)


def test_zeros_that_are_no_gradient():
    assert diagnose(torch.zeros(2, dtype=torch.int64), torch.tensor([3, 4])) == "all values are zero."
    assert diagnose(tensor(0.0)[0], tensor(3.0)[0]).startswith("the value is zero. A gradient")


@given(tables, seeds, st.sampled_from([math.nan, math.inf, -math.inf]), st.data())
def test_nan_and_infinity_get_their_sentence(shape, seed, special, data):
    expected = numbers(shape, seed)
    got = expected.clone()
    got[tuple(data.draw(st.integers(0, n - 1)) for n in shape)] = special
    kind = "NaN (not a number)" if math.isnan(special) else "infinite"
    assert diagnose(got, expected).startswith(f"1 of {expected.numel()} values is {kind}. Such values come from")


def test_nan_beside_infinity():
    message = diagnose(tensor(math.nan, math.inf, 1.0), tensor(1.0, 2.0, 1.0))
    assert message.startswith("2 of 3 values are NaN (not a number) or infinite.")
    assert diagnose(tensor(math.nan, 1.0).to(torch.complex128), tensor(1.0, 2.0).to(torch.complex128)).startswith(
        "1 of 2 values is NaN"
    )


@pytest.mark.parametrize("special", [math.nan, math.inf])
def test_where_infinity_is_expected(special):
    expected = tensor(1.234, special)
    assert diagnose(tensor(2.468, special), expected) == (
        "1 of 2 values is wrong. Look at position 0 (counted from 0); the others are right."
    )
    assert "position 1" in diagnose(tensor(1.234, 5.0), expected)
    assert diagnose(tensor(math.nan, special), expected).startswith("1 of 2 values is NaN")


@given(st.integers(2, 4), seeds, st.sampled_from([DOUBLE, torch.bool]))
def test_transposed_gets_its_sentence(n, seed, dtype):
    expected = numbers((n, n), seed, dtype)
    assume(not torch.equal(expected, expected.T))
    message = diagnose(expected.T, expected)
    assert message == "the values are right but transposed: the first two axes are the other way round."


@given(st.integers(2, 4), st.integers(2, 4), seeds)
def test_the_same_row_everywhere_gets_its_sentence(rows, columns, seed):
    expected = numbers((rows, columns), seed)
    assert diagnose(expected[:1].expand(rows, columns), expected).startswith("every row is the same")
    assert diagnose(expected[0, :1].expand(rows), expected[:, 0].clone()).startswith("every value is the same")


@given(tables, seeds, st.data())
def test_places_are_named(shape, seed, data):
    assume(shape[0] > 2)
    expected = numbers(shape, seed)
    row = data.draw(st.integers(0, shape[0] - 1))
    got = expected.clone()
    got[row] += 1000.5 * numbers(shape[1:], seed + 1)
    what = "position" if len(shape) == 1 else "row"
    wrong, total = expected[0].numel(), expected.numel()
    message = diagnose(got, expected)
    assert message == (
        f"{wrong} of {total} values {'is' if wrong == 1 else 'are'} wrong. "
        f"Look at {what} {row} (counted from 0); the others are right."
    )


def test_a_row_with_one_wrong_value_is_a_wrong_row():
    expected = numbers((3, 2), 0)
    got = expected.clone()
    got[1, 0] += 1
    assert diagnose(got, expected).endswith("Look at row 1 (counted from 0); the others are right.")


def test_many_places_are_cut_short():
    expected = numbers((20,), 0)
    got = expected + torch.cat([numbers((10,), 1), torch.zeros(10, dtype=DOUBLE)])
    assert diagnose(got, expected) == (
        "10 of 20 values are wrong. Look at positions 0, 1, 2, 3, … (counted from 0); the others are right."
    )


@given(tables, seeds, seeds)
def test_booleans_are_not_given_away(shape, seed, other):
    expected = numbers(shape, seed, torch.bool)
    got = numbers(shape, other, torch.bool)
    assume(not torch.equal(got, expected))
    message = diagnose(got, expected)
    transposed = "the values are right but transposed: the first two axes are the other way round."
    assert message in ("not all values are right.", transposed) or message.startswith("every ")
    assume(expected.any() and not expected.all())
    zero_one = diagnose(got.to(DOUBLE) * 7.25, expected.to(DOUBLE) * 7.25)
    assert not any(character.isdigit() for character in zero_one), "which places are wrong is the answer"


def test_a_boolean_or_a_string_is_not_given_away():
    assert diagnose(True, False) == diagnose(False, True) == "the value is not the right one."
    assert diagnose(torch.tensor(True), torch.tensor(False)) == "the value is not the right one."
    assert diagnose("abc", "abd") == "the value is not the right one."
    assert diagnose(torch.float32, torch.float64) == "the value is not the right one."


@given(tables, seeds, seeds, st.sampled_from([DOUBLE, torch.float32, torch.int64, torch.complex128]))
def test_no_message_holds_an_expected_value(shape, seed, other, dtype):
    expected = numbers(shape, seed, dtype)
    if dtype == torch.int64:
        expected = expected * 1009 + 100_003
    wrong = numbers(shape, other, dtype) * 3
    answers = [wrong, expected + wrong, expected.flip(0), expected.sum(0).expand(shape), expected.cumsum(0)]
    answers += [expected.flatten(), expected[None], expected[:1], expected.mean(0) if dtype != torch.int64 else wrong]
    answers += [list(expected), tuple(expected.tolist()), expected.to(torch.complex64), {"a": expected}, "a", None, 1.5]
    for got in answers:
        message = diagnose(got, expected)
        if message:
            assert_keeps_the_secret(message, expected.abs() if dtype.is_complex else expected)
            assert_keeps_the_secret(diagnose({"a": got}, {"a": expected}), expected.abs())
            assert_keeps_the_secret(diagnose([got], [expected]), expected.abs())


# Wrong in kind

ROW = tensor(1.5, -2.0, 3.0)


@pytest.mark.parametrize(
    ("got", "expected", "message"),
    [
        (torch.ones(4, 3), torch.ones(3, 4), "The axes are the other way round."),
        (torch.ones(2, 4, 3), torch.ones(2, 3, 4), "The axes are the right ones, in another order"),
        (torch.ones(3, 1), torch.ones(3), "an axis of size 1 too many or too few"),
        (torch.ones(()), torch.ones(1, 1), "an axis of size 1 too many or too few"),
        (torch.ones(12), torch.ones(4, 3), "torch.stack makes a new axis, torch.cat none."),
        (torch.ones(1, 3), torch.ones(4, 3), "too few rows: does a loop end too early?"),
        (torch.ones(5, 3), torch.ones(4, 3), "too many rows."),
        (torch.ones(3), torch.ones(4), "too few values"),
        (torch.ones(5), torch.ones(4), "too many values"),
        (torch.ones(3), torch.ones(4, 3), "The first axis, of size 4, is missing"),
        (torch.ones(4, 3), torch.ones(3), "The first axis, of size 4, is one too many"),
        (torch.ones(4), torch.ones(()), "The first axis, of size 4, is one too many"),
    ],
)
def test_shapes(got, expected, message):
    problem = diagnose(got, expected)
    assert problem.startswith(f"shape {tuple(got.shape)}, expected {tuple(expected.shape)}. ")
    assert message in problem


def test_shapes_that_have_nothing_in_common():
    assert diagnose(torch.ones(2, 5), torch.ones(3, 4, 7)) == "shape (2, 5), expected (3, 4, 7)."
    assert diagnose(torch.zeros(0, 3), torch.zeros(0)) == "shape (0, 3), expected (0,)."


@given(shapes, seeds, st.sampled_from(DTYPES), st.sampled_from(DTYPES))
@pytest.mark.filterwarnings("ignore:Casting complex")
def test_another_dtype_gets_its_sentence(shape, seed, dtype, other):
    assume(dtype != other)
    message = diagnose(numbers(shape, seed, dtype).to(other), numbers(shape, seed, dtype))
    names = [str(kind).removeprefix("torch.") for kind in (other, dtype)]
    assert message.startswith(f"dtype {names[0]}, expected {names[1]}. Which step")
    assert ("is float32 unless you say dtype=" in message) == ({dtype, other} == {torch.float32, DOUBLE})


def test_an_attached_answer_gets_its_sentence():
    attached = ROW.clone().requires_grad_(True) * 1
    message = diagnose(attached, ROW)
    assert message.startswith("the values are right, but the result is still attached to a graph")
    assert diagnose(attached, ROW, detached=False) is None
    assert diagnose([attached], [ROW]).startswith("entry [0]: the values are right, but")
    assert "attached" not in diagnose(attached + 1, ROW), "first the values"
    assert diagnose(torch.nn.Parameter(ROW.clone()), ROW).startswith("the values are right, but the result itself")


def test_a_tensor_that_escaped_from_vmap_gets_its_sentence():
    kept = []
    vmap(lambda a: (kept.append(a), a)[1])(torch.ones(3, 3, dtype=DOUBLE))
    grad(lambda b: vmap(lambda a: (kept.append(a * 2), a)[1])(b).sum())(torch.ones(3, 3, dtype=DOUBLE))
    for got in kept:
        assert diagnose(got, ROW).startswith("this tensor lives inside vmap only")


@pytest.mark.parametrize(
    ("got", "expected", "message"),
    [
        (ROW.to("meta"), ROW, "the tensor is on the device meta, expected cpu."),
        (ROW.to_sparse(), ROW, "layout torch.sparse_coo, expected torch.strided."),
        (ROW.to("meta"), 1.5, "a tensor of shape (3,), expected a number."),
        (ROW, 1.5, "a tensor of shape (3,), expected a number."),
        (ROW, (1, 2, 3), "a tensor of shape (3,), expected a tuple of length 3."),
        (1.5, torch.tensor(1.5), "a float, expected a tensor of shape (). Return the tensor itself"),
        ((ROW,), ROW, "a tuple of length 1, expected a tensor of shape (3,). The tensor is inside it"),
        ([ROW], ROW[None], "a list of length 1, expected a tensor of shape (1, 3). torch.stack makes one"),
        ([ROW, ROW], torch.stack([ROW, ROW]), "torch.stack makes one tensor of tensors with the same shape."),
        ((), ROW, "a tuple of length 0, expected a tensor of shape (3,)."),
        (ROW.numpy(), ROW, "a NumPy array, expected a tensor of shape (3,)."),
        (grad, ROW, "a function, expected a tensor of shape (3,). A transform such as grad(f) makes a function"),
        (torch.nn.Linear(1, 1), ROW, "a module (Linear), expected a tensor"),
        (torch.Tensor, ROW, "a class, expected a tensor"),
        (None, ROW, "None (is the return statement missing?), expected a tensor of shape (3,)."),
        (None, 3, "None (is the return statement missing?), expected a number."),
        (None, "abc", "None (is the return statement missing?), expected a str of length 3."),
        (None, {"a": 1}, "None (is the return statement missing?), expected a dict with the keys 'a'."),
        (None, (1, 2), "None (is the return statement missing?), expected a tuple of length 2."),
        (3, None, "an int, expected None."),
        ([None], [ROW], "entry [0]: None, expected a tensor of shape (3,)."),
        ((i for i in [1]), [1], "a generator (it says yield; is return meant?), expected a list of length 1. tuple("),
        (map(int, "1"), [1], "a map, expected a list of length 1. tuple(...) or list(...) collects what it yields."),
        ({1: 2}.values(), [2], "a dict_values, expected a list of length 1."),
        ((1, 2, 3), (1, 2), "a tuple of length 3, expected 2 entries."),
        ((1, 2), (1,), "a tuple of length 2, expected 1 entry."),
        ((2, 1), (1, 2), "entry [0]: 2 is not the right number. The right values are there, in another order."),
        ((1, 3), (1, 2), "entry [1]: 3 is not the right number."),
        ([{"a": (ROW, 2 * ROW)}], [{"a": (ROW, ROW)}], "entry [0]: entry ['a']: entry [1]: every value is 2 times"),
        ((ROW, ROW), {"w": ROW}, "a tuple of length 2, expected a dict with the keys 'w'."),
        ({"wieght": ROW}, {"weight": ROW}, "other keys than expected: missing 'weight'; not asked for 'wieght'."),
        ({}, {"a": 1}, "the dict has other keys than expected: missing 'a'."),
        ({"a": 1, "b": 2}, {"a": 1}, "the dict has other keys than expected: not asked for 'b'."),
        (dict.fromkeys(range(9)), {}, "not asked for 0, 1, 2, 3, …."),
        (True, 1, "a bool, expected a number."),
        (1, True, "an int, expected a bool."),
        (torch.tensor([True]), True, "a tensor of shape (1,), expected a bool."),
        ("4", 4, "a str of length 1, expected a number."),
        (1j, 1.5, "a complex number, expected a real one."),
        (2j, 1j, "the value is wrong."),
        (math.nan, 1.5, "the value is NaN (not a number)."),
        (10**400, 1.5, "the value is infinite."),
        (math.nan, 3, "nan is not the right number."),
        (torch.float32, "float32", "a dtype, expected a str of length 7."),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else "",
)
@pytest.mark.filterwarnings("ignore")
def test_kinds(got, expected, message):
    problem = diagnose(got, expected)
    assert message in problem
    assert problem.startswith(message) or message.startswith(("other", "not asked", "torch.stack"))


def test_another_order_is_told_only_if_it_is_one():
    assert diagnose((ROW, 1), (1, ROW)).endswith("The right values are there, in another order.")
    assert diagnose((1, 3), (1, 2)) == "entry [1]: 3 is not the right number."
    assert diagnose((1, 1), (1, 2)) == "entry [1]: 1 is not the right number."


@pytest.mark.filterwarnings("ignore")
def test_unusual_tensors():
    quantised = torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.qint8)
    nested = torch.nested.nested_tensor([ROW, ROW[:2]])
    jagged = torch.nested.nested_tensor([ROW, ROW[:2]], layout=torch.jagged)
    assert diagnose(quantised, torch.ones(3)).startswith("dtype qint8, expected float32")
    assert diagnose(nested, ROW) == "a nested tensor, expected one of shape (3,)."
    assert diagnose(nested, 3) == "a nested tensor, expected a number."
    for expected in (ROW, 3):
        assert diagnose(jagged, expected).startswith("a nested tensor, ")
    small = torch.tensor([1.0, 2.0, 3.0]).to(torch.float8_e4m3fn)
    assert diagnose(small.clone(), small) is None
    for view in (torch.complex(ROW, ROW).conj(), torch.complex(ROW, ROW).conj().imag):
        assert diagnose(view, view.clone()) is None


# Objects that do not behave


class Agreeable:
    """Says yes to everything."""

    def __eq__(self, other):
        return True

    def __bool__(self):
        return True

    __hash__ = None


class Grumpiest(Grumpy):
    def __getattribute__(self, name):
        raise RuntimeError(name)


class LooksLikeATensor:
    @property
    def __class__(self):
        return torch.Tensor


class AlwaysClose(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, kinds, args=(), kwargs=None):
        if function in (torch.isclose, torch.allclose, torch.eq, torch.Tensor.eq, torch.Tensor.detach):
            return torch.ones(3, dtype=torch.bool)
        return super().__torch_function__(function, kinds, args, kwargs or {})


class NeverAnswers(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, kinds, args=(), kwargs=None):
        raise RuntimeError("no")


class EndlessList(list):
    def __len__(self):
        return 1

    def __iter__(self):
        return iter([self])


class LyingTuple(tuple):
    def __iter__(self):
        return iter([1, 2])


class OddDict(dict):
    def __getitem__(self, key):
        raise KeyError(key)


def recursive_list():
    items = []
    items.append(items)
    return items


MISCHIEF = {
    "agreeable": Agreeable,
    "grumpy": Grumpy,
    "looks like a tensor": LooksLikeATensor,
    "always close": lambda: torch.zeros(3, dtype=DOUBLE).as_subclass(AlwaysClose),
    "never answers": lambda: torch.zeros(3, dtype=DOUBLE).as_subclass(NeverAnswers),
    "endless list": EndlessList,
    "odd dict": lambda: OddDict(a=1),
    "recursive list": recursive_list,
    "grumpiest in a list": lambda: [Grumpiest()],
    "grumpiest in a dict": lambda: {"a": Grumpiest()},
    "class": lambda: Grumpy,
    "exception": lambda: ValueError("x"),
    "huge int": lambda: 10**5000,
}
EXPECTED = [ROW, torch.tensor(1.5), 1.5, 3, True, "a", None, (1, 2), [ROW], {"a": ROW}, {"a": 1.5}, 1j]


@pytest.mark.parametrize("mischief", MISCHIEF)
@pytest.mark.parametrize("expected", EXPECTED, ids=describe)
def test_mischief_is_wrong_and_harms_nobody(mischief, expected):
    assert diagnose(MISCHIEF[mischief](), expected)
    assert isinstance(describe(MISCHIEF[mischief]()), str)


def test_a_subclass_is_judged_by_its_values():
    assert diagnose(ROW.clone().as_subclass(NeverAnswers), ROW) is None
    for kind in (NeverAnswers, AlwaysClose):
        assert diagnose(torch.zeros_like(ROW).as_subclass(kind), ROW).startswith("all values are zero.")


def test_a_container_is_described_without_its_own_methods():
    class Short(list):
        def __len__(self):
            raise RuntimeError

    assert describe(Short([1, 2])) == "a Short of length 2"


def test_a_recursive_answer_for_a_recursive_question():
    assert "cannot be compared: looking at it raised RecursionError" in diagnose(recursive_list(), recursive_list())


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.complex_numbers()
    | st.text(max_size=5)
    | st.binary(max_size=5)
    | st.builds(numbers, shapes, seeds, st.sampled_from(DTYPES))
    | st.builds(lambda make: make(), st.sampled_from(list(MISCHIEF.values())))
    | st.builds(lambda a: a.numpy(), st.builds(numbers, shapes, seeds)),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.sampled_from("ab"), inner, max_size=2)
    ),
    max_leaves=5,
)


@given(values, st.sampled_from(EXPECTED))
@settings(max_examples=200)
def test_any_object_gets_a_verdict(got, expected):
    problem = diagnose(got, expected)
    assert problem is None or (isinstance(problem, str) and problem)


@given(values)
def test_anything_can_be_described(value):
    assert describe(value)
    assert "\n" not in describe(value)


# The helpers


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_same_values_sees_every_difference(dtype):
    a = numbers((3, 2), 7, dtype)
    assert same_values(a, a.clone())
    assert same_values(a, in_columns(a))
    assert not same_values(a, a[:2])
    assert not same_values(a, a.to(torch.int16))
    b = a.clone()
    b[2, 1] = ~b[2, 1] if dtype == torch.bool else b[2, 1] * 1.5 + 1
    assert not same_values(a, b)


def test_same_values_of_special_tensors():
    special = tensor(math.nan, math.inf, -0.0)
    assert same_values(special, special.clone())
    assert not same_values(special, tensor(0.0, math.inf, 0.0))
    assert same_values(ROW.to_sparse(), ROW.to_sparse())
    assert not same_values(ROW.to_sparse(), 2 * ROW.to_sparse())
    assert same_values(ROW.to("meta"), ROW.to("meta"))
    assert not same_values(ROW, ROW.to("meta"))
    assert same_values(torch.zeros(0, 3), torch.zeros(0, 3))


def test_tolerances():
    assert tolerances(torch.float64) == tolerances(torch.complex128) == (1e-5, 1e-7)
    assert tolerances(torch.float32) == tolerances(torch.complex64) == (1e-4, 1e-6)
    assert tolerances(torch.int64) == tolerances(torch.bool) == (0.0, 0.0)
    for dtype in (torch.float16, torch.bfloat16, torch.float8_e4m3fn):
        rtol, _ = tolerances(dtype)
        assert torch.finfo(dtype).eps <= rtol <= 1
