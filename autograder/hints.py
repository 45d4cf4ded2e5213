"""What PyTorch's own error messages mean for someone who meets them for the first time.

Matched by the error's type and a short fragment: whole sentences change from release to release.
"""

from __future__ import annotations

# (error type, fragment of its message, what it means and what to do)
_HINTS = [
    (
        RuntimeError,
        "scalar Tensor",
        "grad differentiates a single number: its function must return a tensor of shape (). "
        "Is there a row too many, or a .sum() too few?",
    ),
    (
        RuntimeError,
        "to return a Tensor, got",
        "The function inside a transform must return a tensor: not a float, and a tuple only with has_aux=True.",
    ),
    (
        RuntimeError,
        "can be implicitly created only for scalar outputs",
        "backward() starts from a single number. Reduce the loss to one, for instance the loss of one row.",
    ),
    (
        RuntimeError,
        "does not require grad and does not have a grad_fn",
        "Nothing here was recorded: the tensor that you differentiate needs requires_grad_(True) before the loss is "
        "computed from it.",
    ),
    (
        RuntimeError,
        "differentiated Tensors does not require grad",
        "Every tensor that you differentiate needs requires_grad_(True) before the loss is computed from it.",
    ),
    (
        RuntimeError,
        "backward through the graph a second time",
        "backward() frees the graph it walked. Compute the loss anew before each backward().",
    ),
    (
        RuntimeError,
        "not have been used in the graph",
        "The result does not depend on this tensor. Does the function use its argument, or another tensor?",
    ),
    (
        RuntimeError,
        "backward() called inside a functorch transform",
        "Inside a transform there is no backward(): return the loss, and let grad differentiate it.",
    ),
    (
        RuntimeError,
        "inside a functorch transform",
        "Inside a transform the argument is tracked already: use it as it is.",
    ),
    (
        RuntimeError,
        "data-dependent control flow",
        "Under vmap a condition has one value for each row, so Python's if cannot choose. torch.where computes both "
        "branches and picks for each row.",
    ),
    (
        RuntimeError,
        "vmap: It looks like you're calling .item()",
        "Under vmap a tensor stands for all rows at once and has no single Python number. Stay with tensors.",
    ),
    (
        RuntimeError,
        "randomness error mode",
        'vmap asks you to choose: randomness="different" draws anew for each row, randomness="same" once for all.',
    ),
    (
        RuntimeError,
        "inplace arithmetic",
        "A tensor that is the same for all rows cannot take values that differ from row to row. Build the result out "
        "of place: torch.stack, torch.where, or zeros_like of a mapped tensor.",
    ),
    (
        RuntimeError,
        "unsupported type",
        "What has_aux returns may hold tensors only: wrap numbers with torch.tensor.",
    ),
    (
        ValueError,
        "in_dims",
        "in_dims needs one entry for each positional argument: the axis to walk, or None for an argument that is the "
        "same for every row. With one argument that is a dict, write ({...},).",
    ),
    (
        ValueError,
        "same size in the mapped dimension",
        "Two arguments are walked along axes of different length. Which of them should stay fixed (None), or be "
        "walked along another axis?",
    ),
    (
        IndexError,
        "Dimension out of range",
        "An axis is asked for that the tensor does not have. Inside vmap a tensor has one axis less than outside.",
    ),
    (
        RuntimeError,
        "a leaf Variable that requires grad",
        "A tensor that is being differentiated cannot be changed in place. Make a new one: w = w - step * gradient, "
        "or work on w.clone().",
    ),
]


def hint_for(error: BaseException) -> str | None:
    """Return a sentence or two on what `error` means here, or None when it is not one of the known ones."""
    text = str(error)
    return next((hint for kind, part, hint in _HINTS if isinstance(error, kind) and part in text), None)
