"""Values that cross from the student's process: all plain ones arrive as they were, and no bytes do any harm."""

import json
import math
from collections import OrderedDict, namedtuple
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from misbehaving import Grumpy

from autograder.diagnosis import diagnose
from autograder.examiner import codec
from autograder.examiner.codec import Garbled, decode, encode
from autograder.foreign import Foreign

settings.register_profile("codec", derandomize=True, deadline=None, database=None, max_examples=300)
settings.load_profile("codec")

Point = namedtuple("Point", "x y")


def revive(about):
    return Foreign(("handle", about["handle"]), about["description"], about["problem"], about["iterates"])


def cross(value):
    kept = []
    text, buffers = encode(value, lambda obj: kept.append(obj) or len(kept) - 1)
    return decode(text.encode(), buffers, revive)


def same(a, b):
    if isinstance(a, torch.Tensor):
        return type(a) is type(b) and a.dtype == b.dtype and a.shape == b.shape and bool(((a == b) | (a != a)).all())
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, float) and math.isnan(a):
        return math.isnan(b)
    return type(a) is type(b) and a == b


DTYPES = [torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.uint8, torch.bool]
tensors = st.builds(
    lambda shape, dtype: (torch.randn(shape, dtype=torch.float64) * 3).to(dtype),
    st.lists(st.integers(0, 4), max_size=3),
    st.sampled_from(DTYPES),
)
numbers = st.one_of(
    st.integers(-(2**70), 2**70), st.floats(), st.booleans(), st.none(), st.complex_numbers(allow_nan=False)
)
leaves = st.one_of(numbers, st.text(max_size=20), tensors)
values = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(st.one_of(st.text(max_size=5), st.integers()), inner, max_size=4),
    ),
    max_leaves=12,
)


@given(values)
def test_plain_values_arrive_as_they_were(value):
    assert same(value, cross(value))


@pytest.mark.parametrize(
    "tensor",
    [
        torch.arange(6.0).reshape(2, 3).T,
        torch.ones(1).expand(4),
        torch.ones(1, 1).expand(1, 1).as_strided((1,), (0,)),
        torch.tensor([1 + 2j]).conj(),
        torch.arange(6)[::2],
        torch.eye(3).to_sparse(),
        torch.empty(2, 0, 3),
        torch.tensor(float("nan")),
        torch.empty(3, device="meta"),
    ],
)
def test_every_kind_of_tensor(tensor):
    got = cross(tensor)
    assert (got.shape, got.dtype, got.layout, got.device) == (tensor.shape, tensor.dtype, tensor.layout, tensor.device)
    if not tensor.is_meta:
        assert torch.equal(got.to_dense().nan_to_num(7.0), tensor.to_dense().nan_to_num(7.0))


def test_what_diagnosis_asks_about_gradients_arrives():
    leaf = torch.ones(2, requires_grad=True)
    for value in (leaf, leaf * 2, torch.nn.Parameter(torch.ones(2)), leaf.detach()):
        got = cross(value)
        assert (got.requires_grad, got.is_leaf, type(got)) == (value.requires_grad, value.is_leaf, type(value))
        assert diagnose(got, torch.ones(2)) == diagnose(value, torch.ones(2))


@pytest.mark.parametrize(
    "value, plain",
    [
        (Point(1, 2.0), (1, 2.0)),
        (OrderedDict(a=1), {"a": 1}),
        (torch.Size([2, 3]), (2, 3)),
        (type("Sneaky", (float,), {"__eq__": lambda self, other: True})(3.0), 3.0),
        (type("Sneaky", (int,), {"__eq__": lambda self, other: True})(3), 3),
        (type("Sneaky", (str,), {"__eq__": lambda self, other: True})("a"), "a"),
        (type("Sneaky", (list,), {"__eq__": lambda self, other: True})([1]), [1]),
        (Fraction(1, 3), Fraction(1, 3)),
        (Decimal("0.1"), Decimal("0.1")),
        (torch.float32, torch.float32),
        (torch.device("cpu"), torch.device("cpu")),
        ({1, 2}, {1, 2}),
    ],
)
def test_subclasses_arrive_as_what_they_are_made_of(value, plain):
    got = cross(value)
    assert type(got) is type(plain)
    assert got == plain


@pytest.mark.parametrize("value", [np.float32(1.5), np.array([[1, 2]]), np.bool_(True), np.arange(3.0)[::-1]])
def test_numpy(value):
    got = cross(value)
    assert type(got) is type(value)
    assert np.array_equal(got, value)


def escaped():
    caught = []
    torch.func.vmap(lambda row: caught.append(row) or row)(torch.ones(2, 3))
    return caught[0]


OBJECTS = {
    "function": lambda x: x,
    "module": torch.nn.Linear(1, 1),
    "iterator": iter([1]),
    "generator": (letter for letter in "a"),
    "grumpy": Grumpy(),
    "object": object(),
    "class": int,
    "escaped": escaped(),
    "zip": zip("a", "b", strict=True),
}


@pytest.mark.parametrize("name", OBJECTS)
def test_other_objects_are_described_and_nothing_else(name):
    value, expected = OBJECTS[name], torch.ones(2)
    got = cross(value)
    assert type(got) is Foreign
    assert diagnose(got, expected) == diagnose(value, expected) is not None


def test_an_object_has_nothing_to_answer_with():
    liar = cross(type("Liar", (), {"allclose": lambda self, other: True, "__eq__": lambda self, other: True})())
    with pytest.raises(AttributeError, match="on_their_side"):
        liar.allclose(3)
    assert liar != torch.ones(1)


def looped():
    value = []
    value.append(value)
    return value


@pytest.mark.parametrize(
    "value, problem",
    [
        (torch.zeros(1).expand(2**40), "more than 64 MB"),
        (torch.zeros(9 * 2**20, dtype=torch.float64), "more than 64 MB"),
        ([torch.zeros(2**20, dtype=torch.float64)] * 9, "more than 64 MB"),
        ("a" * 2**24, "a text of"),
        (["a" * 2**19] * 200, "a text of"),
        (looped(), "containers inside one another"),
        (list(range(10**6)), "entries"),
    ],
)
def test_what_is_too_large_says_so(value, problem):
    got = cross(value)
    assert problem in got.problem
    assert diagnose(got, torch.ones(1)) == got.problem


def test_a_huge_number_is_no_burden():
    assert cross(10**100_000) == float("inf")
    assert cross(-(10**100_000)) == float("-inf")


# Whatever comes, it is a value or Garbled.

json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=10)),
    lambda inner: st.one_of(st.lists(inner, max_size=5), st.dictionaries(st.text(max_size=8), inner, max_size=5)),
    max_leaves=15,
)
tags = st.sampled_from(sorted(codec._READERS))
sizes = st.lists(st.one_of(st.integers(-2, 2**41), st.text(max_size=3)), max_size=4)
names = st.sampled_from([*codec._DTYPES, *codec._NUMPY_DTYPES, "float7", ""])
flags = st.one_of(
    st.fixed_dictionaries({"grad": st.booleans(), "leaf": st.booleans(), "parameter": st.booleans()}), json_values
)
foreign = st.fixed_dictionaries(
    {
        "handle": st.integers(),
        "description": st.text(),
        "problem": st.none(),
        "callable": st.booleans(),
        "iterates": json_values,
    }
)
part = st.one_of(json_values, sizes, names, flags, st.integers(-1, 3), foreign)
nodes = st.recursive(
    st.builds(lambda tag, parts: [tag, *parts], tags, st.lists(part, max_size=5)),
    lambda inner: st.builds(lambda tag, items: [tag, items], tags, st.lists(inner, max_size=3)),
    max_leaves=6,
)


def value_or_garbled(text, buffers):
    try:
        return decode(text, buffers, revive)
    except Garbled:
        return None


@given(st.binary(max_size=200), st.lists(st.binary(max_size=20), max_size=3))
def test_any_bytes(text, buffers):
    value_or_garbled(text, buffers)


@given(st.one_of(nodes, json_values), st.lists(st.binary(max_size=64), max_size=3))
def test_any_json(node, buffers):
    value = value_or_garbled(json.dumps(node).encode(), buffers)
    # What arrived can be compared with anything.
    diagnose(value, torch.ones(2))
    diagnose(value, 3.0)
    diagnose(value, {"a": (1, "b")})


@given(values, st.data())
def test_any_damage(value, data):
    text, buffers = encode(value, lambda obj: 0)
    text = bytearray(text.encode())
    for _ in range(data.draw(st.integers(1, 3))):
        text[data.draw(st.integers(0, len(text) - 1))] = data.draw(st.integers(0, 255))
    buffers = [data.draw(st.sampled_from([buffer, buffer[:-1], buffer + b"x", b""])) for buffer in buffers]
    value_or_garbled(bytes(text), buffers)


@pytest.mark.parametrize(
    "text",
    [
        b"[" * 100_000,
        json.dumps(["list", [["list", []]] * 10**6]).encode(),
        b'["int", "' + b"f" * 2**20 + b'"]',
        b'["tensor", "float64", [1099511627776, 1099511627776], {}, 0]',
        b'["meta", "float64", [1099511627775, 1099511627775, 4], {}]',
        b'["sparse", [1099511627775], ["tensor", "int64", [1, 0], {}, 0], ["tensor", "float64", [0], {}, 0], {}]',
        b'["Decimal", "1e999999999999999999"]',
        b'["Fraction", "1/0"]',
        b'["dict", [[["list", []], null]]]',
        b'["dtype", "load"]',
        b'["device", "cuda:0; import os"]',
        b'["str", 5]',
        b"NaN",
        b"1e999",
        b'{"__class__": "os.system"}',
    ],
)
def test_known_traps(text):
    value_or_garbled(text, [b""])


def test_one_buffer_named_many_times_is_not_many_buffers():
    buffer = bytes(8 * 2**20)
    node = ["list", [["tensor", "uint8", [len(buffer)], {}, 0]] * 1000]
    with pytest.raises(Garbled, match="too large"):
        decode(json.dumps(node).encode(), [buffer], revive)


def test_a_bool_has_two_values():
    got = decode(b'["tensor", "bool", [3], {}, 0]', [b"\x00\x01\x07"], revive)
    assert got.tolist() == [False, True, True]
    assert int(got.sum()) == 2


def test_no_pickle_is_read(monkeypatch):
    monkeypatch.setattr("pickle.loads", None)
    monkeypatch.setattr("torch.load", None)
    assert cross({"a": torch.ones(2)})["a"].sum() == 2
