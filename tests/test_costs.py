"""Counts are exact: the numbers here can be found with a pencil, and hold on every machine."""

import gc
from collections import Counter

import pytest
import torch
from torch.func import grad, hessian, jvp, vmap

from autograder.costs import Counted, Meter, counted

x = torch.ones(1000)
FLOATS = 4 * 1000  # bytes of a float32 tensor of 1000 elements


def metered(function):
    with Meter() as meter:
        function()
    return meter


def freed_one_by_one():
    a = x + 1
    a = a + 1
    return a + 1


def kept_by_a_graph():
    leaf = torch.ones(1000, requires_grad=True)
    return leaf.exp().exp().exp().sum()


def loss_and_gradient():
    leaf = torch.ones(1000, requires_grad=True)
    return torch.autograd.grad((leaf * leaf).sum(), leaf)


def a_large_one_and_then_a_small_one():
    x + 1
    return x[:10] + 1


def written_to_a_new_tensor():
    out = torch.empty(1000)
    return torch.add(x, 1, out=out)


def grown_inside():
    return torch.add(x, 1, out=torch.empty(0))


outside = torch.zeros(1000)


@pytest.mark.parametrize(
    ("function", "operations", "largest", "peak_bytes"),
    [
        pytest.param(lambda: None, 0, 0, 0, id="nothing"),
        pytest.param(lambda: x + 1, 1, 1000, FLOATS, id="one"),
        pytest.param(lambda: [x + 1, x + 1], 2, 1000, 2 * FLOATS, id="two kept"),
        pytest.param(freed_one_by_one, 3, 1000, 2 * FLOATS, id="freed one by one"),
        pytest.param(a_large_one_and_then_a_small_one, 3, 1000, FLOATS, id="large, then small"),
        pytest.param(lambda: x.view(10, 100)[0], 2, 1000, 0, id="views"),
        pytest.param(lambda: (x + 1).view(10, 100).T, 3, 1000, FLOATS, id="views of a new tensor"),
        pytest.param(lambda: x.expand(1000, 1000), 1, 1000, 0, id="expanded"),
        pytest.param(lambda: (x + 1).expand(1000, 1000), 2, 1000, FLOATS, id="new and expanded"),
        pytest.param(lambda: x.expand(1000, 1000).clone(), 2, 10**6, 1000 * FLOATS, id="expanded and copied"),
        pytest.param(lambda: x.clone().add_(1).mul_(2), 3, 1000, FLOATS, id="in place"),
        pytest.param(lambda: outside.add_(1), 1, 1000, 0, id="in place, made outside"),
        pytest.param(lambda: torch.add(x, 1, out=outside), 1, 1000, 0, id="out=, made outside"),
        pytest.param(written_to_a_new_tensor, 2, 1000, FLOATS, id="out=, made inside"),
        pytest.param(grown_inside, 2, 1000, FLOATS, id="out=, grown inside"),
        pytest.param(lambda: torch.ones(10).resize_(100), 2, 100, 400, id="resized"),
        pytest.param(lambda: x.split(300), 1, 300, 0, id="several results"),
        pytest.param(lambda: torch.zeros(0) + 1, 2, 0, 0, id="empty"),
        pytest.param(lambda: torch.zeros((), dtype=torch.float64) + 1, 2, 1, 16, id="0-dim"),
        pytest.param(lambda: torch.ones(1000, device="meta") + 1, 2, 0, 0, id="meta"),
        # Forward mode's zeros, which take no memory.
        pytest.param(lambda: torch._efficientzerotensor((1000,)), 1, 0, 0, id="zero tensor"),
        pytest.param(lambda: torch.eye(100).to_sparse(), 2, 10**4, 4 * 10**4, id="sparse"),
        # ones, three exp with their results kept for the way back (each of which is detached once), and the sum.
        pytest.param(kept_by_a_graph, 8, 1000, 4 * FLOATS + 4, id="kept by a graph"),
        # ones, mul, sum; ones_like, expand, two mul and their sum. At the end the leaf, the two products and the sum
        # are there, and two single numbers: the loss and its cotangent.
        pytest.param(loss_and_gradient, 8, 1000, 4 * FLOATS + 8, id="autograd.grad"),
        pytest.param(lambda: vmap(lambda row: row * 2)(x.view(10, 100)), 2, 1000, FLOATS, id="vmap"),
        pytest.param(lambda: [row * 2 for row in x.view(10, 100)], 12, 1000, FLOATS, id="the same as a loop"),
        pytest.param(lambda: torch.cond(outside.sum() > 0, torch.sin, torch.cos, (x,)), 3, 1000, FLOATS + 1, id="cond"),
    ],
)
def test_exact_counts(function, operations, largest, peak_bytes):
    meter = metered(function)
    assert (meter.operations, meter.largest, meter.peak_bytes) == (operations, largest, peak_bytes), meter.by_name


def softplus_loss(a):
    return torch.nn.functional.softplus(a).sin().sum()


@pytest.mark.parametrize(
    "function",
    [
        lambda: grad(softplus_loss)(x),
        lambda: jvp(softplus_loss, (x,), (x,)),
        lambda: hessian(softplus_loss)(x[:5]),
        lambda: vmap(grad(softplus_loss))(x.view(10, 100)),
        lambda: vmap(torch.nn.functional.dropout, randomness="different")(x.view(10, 100)),
    ],
    ids=["grad", "jvp", "hessian", "vmap(grad)", "dropout"],
)
@pytest.mark.filterwarnings("ignore")
def test_counts_do_not_change_from_run_to_run(function):
    first, second = metered(function), metered(function)
    assert first.operations > 0
    assert (first.operations, first.by_name, first.largest, first.peak_bytes) == (
        second.operations,
        second.by_name,
        second.largest,
        second.peak_bytes,
    )


def test_names():
    meter = metered(lambda: (x * 2 + x * 3).sum())
    assert meter.by_name == Counter({"aten::mul": 2, "aten::add": 1, "aten::sum": 1})


def test_vmap_runs_as_few_operations_for_many_rows_as_for_few():
    few, many = (metered(lambda B=B: vmap(grad(softplus_loss))(torch.ones(B, 3))).operations for B in (2, 64))
    assert few == many


def test_a_big_matrix_is_seen_and_its_absence_too():
    small = x[:200]
    whole = metered(lambda: hessian(softplus_loss)(small) @ small)
    product = metered(lambda: jvp(grad(softplus_loss), (small,), (small,))[1])
    assert whole.largest == 200 * 200
    assert product.largest == 200


def test_nothing_is_counted_before_and_after_the_block():
    before = x + 1
    with Meter() as meter:
        pass
    after = before + 1
    assert meter.operations == meter.peak_bytes == 0
    del after


def test_a_second_block_adds_to_the_first():
    meter = Meter()
    with meter:
        first = x + 1
    with meter:
        second = first + 1
    assert (meter.operations, meter.peak_bytes) == (2, 2 * FLOATS)
    del first, second


def test_what_was_freed_between_two_blocks_does_not_count_on():
    meter = Meter()
    for _ in range(2):
        with meter:
            made = x + 1
        del made
        gc.collect()
    assert meter.peak_bytes == FLOATS


def test_nested_meters_count_alike():
    with Meter() as outer:
        first = x + 1
        with Meter() as inner:
            second = (first * 2).exp()
    assert (outer.operations, inner.operations) == (3, 2)
    assert (outer.peak_bytes, inner.peak_bytes) == (3 * FLOATS, 2 * FLOATS)
    del second


def test_a_meter_does_not_change_values():
    def f(a):
        return vmap(grad(softplus_loss))(a.view(10, 100))

    with Meter():
        inside = f(x)
    assert torch.equal(inside, f(x))


def test_an_error_leaves_the_block():
    with pytest.raises(RuntimeError), Meter() as meter:
        torch.ones(2) + torch.ones(3)
    assert meter.operations == 2, "the two that worked"
    assert metered(lambda: x + 1).operations == 1


def test_counted_counts_calls_of_python():
    square = counted(lambda a: (a * a).sum())
    vmap(square)(x.view(10, 100))
    assert square.calls == 1
    [square(row) for row in x.view(10, 100)]
    assert square.calls == 11


def test_counted_passes_everything_on():
    def f(a, /, b, *, c=0):
        """Its own words."""
        return a, b, c

    wrapped = counted(f)
    assert isinstance(wrapped, Counted)
    assert wrapped(1, 2, c=3) == (1, 2, 3)
    assert (wrapped.__name__, wrapped.__doc__) == ("f", "Its own words.")


def test_an_error_is_counted_and_passed_on():
    wrapped = counted(lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        wrapped()
    assert wrapped.calls == 1


def test_counted_of_counted_counts_twice():
    inner = counted(torch.sin)
    outer = counted(inner)
    outer(x)
    assert (inner.calls, outer.calls) == (1, 1)


def test_attributes_of_the_function_do_not_disturb_the_count():
    def f():
        return "f"

    f.calls, f.function = 7, None
    wrapped = counted(f)
    assert wrapped.calls == 0
    assert wrapped() == "f"
    assert (wrapped.calls, f.calls) == (1, 7)


def test_a_module_can_be_counted():
    layer = counted(torch.nn.Linear(3, 2))
    assert layer(torch.ones(1, 3)).shape == (1, 2)
    assert layer.calls == 1
