"""Every hint is shown for a real error of the pinned torch: each entry has a smallest program that raises it."""

import re

import numpy as np
import pytest
import torch
from torch.func import grad, grad_and_value, vmap

from autograder import hints

X = torch.ones(4, 3)
x = torch.tensor([1.0, 2.0, 3.0])


def leaf():
    return torch.ones(3, requires_grad=True)


def twice_backward():
    loss = leaf().exp().sum()
    loss.backward()
    loss.backward()


def changed_before_backward():
    value = leaf().exp()
    value += 1
    value.sum().backward()


def leaf_changed():
    w = leaf()
    w -= 1


def written_to_captured():
    total = torch.zeros(3)

    def f(a):
        total.add_(a)
        return total.sum()

    grad(f)(x)


def write_into_zeros(a):
    out = torch.zeros(3)
    out[0] = a[0]
    return out


def add_to_zeros(a):
    out = torch.zeros(3)
    out += a
    return out


def used_after_vmap():
    kept = []
    vmap(lambda a: (kept.append(a), a)[1])(X)
    kept[0].sum()


def too_many_names():
    _gradient, _value, _aux = grad_and_value(lambda a: (a.sum(), a), has_aux=True)(x)


def import_value_and_grad():
    from torch.func import value_and_grad  # noqa: F401


def endless():
    def f(a):
        return f(a)

    f(1)


# What raises it, by the fragment of the table.
TRIGGERS = {
    "scalar Tensor": lambda: grad(lambda a: a * 2)(x),
    "to return a Tensor, got": lambda: grad(lambda a: a.sum().item())(x),
    "should be a tuple: (output, aux)": lambda: grad(lambda a: (a.sum(), a, a), has_aux=True)(x),
    "unsupported type": lambda: grad(lambda a: (a.sum(), 3), has_aux=True)(x),
    "positional inputs": lambda: grad(lambda a: a.sum())(a=x),
    "argnums must be int": lambda: grad(lambda a, b: (a * b).sum(), argnums=[0, 1])(x, x),
    "passed to transform API must be Tensor": lambda: grad(lambda a: a**2)(3.0),
    "dtype can require gradients": lambda: grad(lambda a: (a**2).sum())(torch.tensor([1, 2])),
    "would mutate a captured Tensor": written_to_captured,
    "value_and_grad": lambda: torch.func.value_and_grad,
    "can be implicitly created only for scalar outputs": lambda: leaf().exp().backward(),
    "does not require grad and does not have a grad_fn": lambda: x.sum().backward(),
    "differentiated Tensors does not require grad": lambda: torch.autograd.grad((leaf() * x).sum(), x),
    "backward through the graph a second time": twice_backward,
    "not have been used in the graph": lambda: torch.autograd.grad(leaf().sum(), leaf()),
    "modified by an inplace operation": changed_before_backward,
    "a leaf Variable that requires grad": leaf_changed,
    "flags of leaf variables": lambda: leaf().exp().requires_grad_(False),
    "Can't call numpy() on Tensor that requires grad": lambda: grad(lambda a: np.sin(a).sum())(x),
    "backward() called inside a functorch transform": lambda: grad(lambda a: a.sum().backward())(x),
    "being transformed by a functorch transform": lambda: grad(lambda a: a.requires_grad_().sum())(x),
    "doesn't have storage": lambda: vmap(lambda a: torch.tensor(a.tolist()))(X),
    "got: <class 'torch.Tensor'>": lambda: vmap(torch.sin, X)(X),
    "non-Tensor arguments": lambda: vmap(lambda a, b: a * b)(x, 2.0),
    "a Tensor of dimensionality": lambda: vmap(lambda a, b: a * b)(x, torch.tensor(2.0)),
    "in_dims": lambda: vmap(lambda a, b: a * b, in_dims=(0,))(x, x),
    "same size in the mapped dimension": lambda: vmap(lambda a, b: a * b)(x, torch.ones(4)),
    "got no inputs": lambda: vmap(lambda a: a)(a=x),
    "at least one Tensor to vmap over": lambda: vmap(lambda a, b: a, in_dims=(None, None))(x, x),
    "chunk_size should be None or greater than 0": lambda: vmap(lambda a: a, chunk_size=0)(X),
    "vmap() takes from": lambda: vmap(lambda a: a, 0, 0, "error", 2)(X),
    "must only return Tensors": lambda: vmap(lambda a: 1.0)(x),
    "BatchedTensor when out_dim is None": lambda: vmap(lambda a: a, out_dims=None)(x),
    "out_dims is not compatible": lambda: vmap(lambda a: a, out_dims=(0, 1))(x),
    "data-dependent control flow": lambda: vmap(lambda a: a if a.sum() > 0 else -a)(X),
    "vmap: It looks like you're calling .item()": lambda: vmap(lambda a: a.sum().item() * a)(X),
    "randomness error mode": lambda: vmap(torch.nn.functional.dropout)(X),
    "allowed values for randomness": lambda: vmap(lambda a: a, randomness=True)(X),
    "inplace arithmetic": lambda: vmap(write_into_zeros)(X),
    "doesn't match the broadcast shape": lambda: vmap(add_to_zeros)(X),
    "dynamic shape": lambda: vmap(lambda a: a[a > 0].sum())(X),
    "differently shaped Tensor": lambda: vmap(lambda a: torch.masked_select(a, a > 0))(X),
    "may have escaped": used_after_vmap,
    "Batching rule not implemented": lambda: vmap(lambda a: torch.add(a, 1, out=torch.empty(3)))(X),
    "vmap over torch.allclose": lambda: vmap(lambda a: torch.allclose(a, a))(X),
    "explicit positive num_classes": lambda: vmap(torch.nn.functional.one_hot)(torch.tensor([0, 1])),
    "to match target batch_size": lambda: vmap(lambda a, t: torch.nn.functional.cross_entropy(a[None], t))(
        X, torch.zeros(4, 2, dtype=torch.long)
    ),
    "stack expects each tensor to be equal size": lambda: torch.stack([torch.ones(2), torch.ones(3)]),
    "expects a non-empty TensorList": lambda: torch.stack([]),
    "must match the size of tensor": lambda: torch.ones(2) + torch.ones(3),
    "shapes cannot be multiplied": lambda: torch.ones(2, 3) @ torch.ones(2, 3),
    "size mismatch, got input": lambda: torch.ones(4, 3) @ torch.ones(4),
    "inconsistent tensor size": lambda: torch.ones(4) @ torch.ones(3),
    "1D tensors expected": lambda: torch.dot(torch.ones(4, 3), torch.ones(3)),
    "both arguments to matmul need to be at least 1D": lambda: vmap(lambda a: a.T @ a)(x),
    "to have the same dtype": lambda: torch.ones(3, 3) @ torch.ones(3, 3, dtype=torch.float64),
    "to have same dtype": lambda: torch.ones(3) @ torch.ones(3, dtype=torch.float64),
    "did not match": lambda: torch.allclose(torch.ones(3), torch.ones(3, dtype=torch.float64)),
    "Dimension out of range": lambda: vmap(lambda a: a.sum(dim=1))(X),
    "of a 0-dim tensor": lambda: torch.tensor(1.0)[0],
    "iteration over a 0-d tensor": lambda: vmap(lambda a: torch.stack(list(a)))(x),
    "cannot be converted to Scalar": lambda: x.item(),
    "Boolean value of Tensor with more than one value": lambda: bool(x > 0),
    "'Tensor' object is not callable": lambda: grad(x.sum())(x),
    "'function' object has no attribute": lambda: grad(torch.sum).sum(),
    "'function'": lambda: grad(torch.sum) * 2,
    "got function": lambda: torch.stack([grad(torch.sum)]),
    "must be Tensor, not function": lambda: torch.sin(grad(torch.sum)),
    "'NoneType' object has no attribute": lambda: leaf().grad.clone(),
    "NoneType": lambda: torch.stack([leaf().grad]),
    "'tuple' object has no attribute": lambda: (x,).clone(),
    "got tuple": lambda: torch.stack([(x,)]),
    "assign a tuple": lambda: torch.zeros(2, 3).__setitem__(0, (x,)),
    "must be Tensor, not tuple": lambda: torch.sin((x,)),
    "must be Tensor, not": lambda: torch.sin(3.0),
    "must be tuple of Tensors": lambda: torch.stack(row for row in X),
    "values to unpack": too_many_names,
    "required positional argument": lambda: grad(lambda a, b: (a * b).sum())(x),
    "were given": lambda: grad(lambda a: a.sum())(x, x),
    "is not defined": lambda: no_such_name,  # noqa: F821
    "recursion depth": endless,
}
# The same mistake, met in another way.
MORE_TRIGGERS = [
    ("value_and_grad", import_value_and_grad),
    ("dtype can require gradients", lambda: torch.tensor([1, 2], requires_grad=True)),
    ("a leaf Variable that requires grad", lambda: leaf().__setitem__(0, 1.0)),
    ("being transformed by a functorch transform", lambda: grad(lambda a: a.retain_grad())(x)),
    ("does not require grad and", lambda: vmap(lambda a: torch.autograd.grad((a * a).sum(), a)[0])(X)),
    ("scalar Tensor", lambda: vmap(grad(lambda w, row: row * w), in_dims=(None, 0))(x, X)),
    ("in_dims", lambda: vmap(lambda a, b: a * b, in_dims=[0, None])(x, x)),
    ("in_dims", lambda: vmap(lambda p: p["a"], in_dims={"a": 0})({"a": x})),
    ("in_dims", lambda: vmap(lambda w, a: w * a, in_dims=(None, 0))(x, a=X)),
    ("data-dependent control flow", lambda: vmap(lambda a: max(a[0], a[1]))(X)),
    ("vmap: It looks like you're calling .item()", lambda: vmap(lambda a: sum(range(int(a))))(x)),
    ("dynamic shape", lambda: vmap(torch.nonzero)(X)),
    ("NoneType", lambda: x - leaf().grad),
    ("NoneType", lambda: torch.zeros(2, 3).__setitem__(0, leaf().grad)),
    ("values to unpack", lambda: [a for a, b in zip(X, x, x, strict=False)]),
    ("required positional argument", lambda: vmap(lambda w, row: w * row)(X)),
    ("were given", lambda: vmap(lambda row: row)(X, X)),
]


def error_of(trigger):
    with pytest.raises(Exception) as caught:
        trigger()
    return caught.value


def hint_beside(fragment):
    return next(hint for _, part, hint in hints._HINTS if part.startswith(fragment))


def test_every_entry_has_a_trigger():
    assert [part for _, part, _ in hints._HINTS] == list(TRIGGERS)


@pytest.mark.parametrize("number", range(len(hints._HINTS)), ids=list(TRIGGERS))
@pytest.mark.filterwarnings("ignore")
def test_the_real_message_gets_the_hint_of_its_entry(number):
    kind, fragment, hint = hints._HINTS[number]
    error = error_of(TRIGGERS[fragment])
    assert isinstance(error, kind)
    assert fragment in str(error)
    assert hints.hint_for(error) == hint, "an entry further up took it"


@pytest.mark.parametrize(("fragment", "trigger"), MORE_TRIGGERS)
@pytest.mark.filterwarnings("ignore")
def test_another_way_to_the_same_hint(fragment, trigger):
    assert hints.hint_for(error_of(trigger)) == hint_beside(fragment)


def test_an_unknown_error_gets_no_hint():
    assert hints.hint_for(RuntimeError("the memory is full")) is None
    assert hints.hint_for(TypeError("grad differentiates a scalar Tensor")) is None, "the type belongs to the match"


def test_an_error_that_cannot_be_read_gets_no_hint():
    class Unreadable(RuntimeError):
        def __str__(self):
            raise ValueError

    assert hints.hint_for(Unreadable()) is None


@pytest.mark.parametrize("hint", sorted({hint for _, _, hint in hints._HINTS}))
def test_hints_sound_like_the_course(hint):
    assert hint.endswith((".", "?"))
    assert not re.search(r"\b(simply|just|obviously|easy|easily|of course)\b", hint)
    assert len(hint) <= 260, "two short sentences"
