"""What PyTorch's own error messages mean for someone who meets them for the first time.

Matched by the error's type and a short fragment: whole sentences change from release to release. The first entry that
matches wins, so a narrow one stands before a wide one.
"""

from __future__ import annotations

# What several messages mean.
_FUNCTION_NOT_CALLED = (
    "This is a function where a tensor should be. A transform returns a function, which you call with the arguments: "
    "grad(f)(x)."
)
_GRAD_IS_NONE = (
    "Something is None here. If it is .grad: that is None until backward() has run, and stays None for a tensor that "
    "is computed from others."
)
_TUPLE = (
    "This is a tuple where a tensor should be. torch.autograd.grad returns a tuple even for one input: take the "
    "gradient out with [0]."
)
_SHAPES = (
    "Two shapes do not fit together. Which shape does each have at this line? Inside vmap the mapped axis is not there."
)
_DTYPES = (
    "Two tensors have different dtypes, such as float32 and float64. One made from Python numbers is float32: say "
    "dtype=w.dtype."
)
_NO_AXES = (
    "A tensor of shape () is one number, with nothing to walk along. Inside vmap every mapped argument has one axis "
    "less than outside."
)
_MASK = (
    "How many elements a mask picks differs from row to row, and vmap needs one shape for all rows. "
    "torch.where(mask, a, 0.0) keeps the shape."
)
_NO_STORAGE = (
    "Inside a transform a tensor is a stand-in: NumPy and .tolist() find no numbers in it. Use torch's functions."
)
_NO_RULE = (
    "vmap has no rule for this operation. Does it write into a given tensor (out=), or make one Python bool of all "
    "rows? Compute a new tensor; to compare, use == or torch.isclose."
)

# (error type, fragment of its message, what it means and what to do)
_HINTS = [
    # grad and grad_and_value
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
        "should be a tuple: (output, aux)",
        "With has_aux=True the function returns two things, the loss first. Several extras share one tuple or dict: "
        "return loss, (a, b).",
    ),
    (
        RuntimeError,
        "unsupported type",
        "What has_aux returns may hold tensors only: wrap numbers with torch.tensor.",
    ),
    (
        RuntimeError,
        "positional inputs",
        "argnums counts the arguments that are passed by position, from 0. One that is passed by name, such as w=w, "
        "cannot be differentiated.",
    ),
    (
        RuntimeError,
        "argnums must be int",
        "argnums is an int or a tuple such as (0, 1), not a list. The arguments themselves stand in the second pair "
        "of parentheses: grad(f)(x).",
    ),
    (
        ValueError,
        "passed to transform API must be Tensor",
        "What grad differentiates must be a tensor, or a tuple, list or dict of tensors: torch.tensor(3.0), not 3.0.",
    ),
    (
        RuntimeError,
        "dtype can require gradients",
        "Whole numbers have no gradient: make a floating-point tensor, torch.tensor([1.0, 2.0]), or convert with "
        ".double().",
    ),
    (
        RuntimeError,
        "would mutate a captured Tensor",
        "A transformed function may not write into a tensor from outside. Return the value instead, or make the "
        "tensor an argument.",
    ),
    (
        (AttributeError, ImportError),
        "value_and_grad",
        "In torch.func it is grad_and_value, and the gradient comes first.",
    ),
    # backward and autograd.grad
    (
        RuntimeError,
        "can be implicitly created only for scalar outputs",
        "backward() starts from a single number. Reduce the loss to one, for instance the loss of one row.",
    ),
    (
        RuntimeError,
        "does not require grad and does not have a grad_fn",
        "Nothing here was recorded: the tensor that you differentiate needs requires_grad_(True) before the loss is "
        "computed from it. A gradient that you differentiate again needs create_graph=True. Inside vmap use "
        "torch.func.grad.",
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
        "modified by an inplace operation",
        "A tensor that the way back still needs was changed in place. Make a new one: a = a + 1, not a += 1.",
    ),
    (
        RuntimeError,
        "a leaf Variable that requires grad",
        "A tensor that is being differentiated cannot be changed in place. Make a new one: w = w - step * gradient, "
        "or work on w.clone().",
    ),
    (
        RuntimeError,
        "flags of leaf variables",
        "A tensor that is computed from others cannot be told to forget them. .detach() gives one that is cut off.",
    ),
    (
        RuntimeError,
        "Can't call numpy() on Tensor that requires grad",
        "NumPy's functions cannot be differentiated. In a function that is differentiated use torch's; elsewhere "
        ".detach() comes first.",
    ),
    # things that do not work inside a transform
    (
        RuntimeError,
        "backward() called inside a functorch transform",
        "Inside a transform there is no backward(): return the loss, and let grad differentiate it.",
    ),
    (
        RuntimeError,
        "being transformed by a functorch transform",
        "Inside a transform the argument is tracked already: use it as it is.",
    ),
    (RuntimeError, "doesn't have storage", _NO_STORAGE),
    # vmap: what goes in
    (
        ValueError,
        "got: <class 'torch.Tensor'>",
        "The second argument of vmap is in_dims. The tensors stand in a second pair of parentheses: vmap(f)(X).",
    ),
    (
        ValueError,
        "non-Tensor arguments",
        "Only tensors can be walked row by row. For a number, a model or a function write None in in_dims.",
    ),
    (
        ValueError,
        "a Tensor of dimensionality",
        "in_dims names an axis that this tensor does not have. For an argument that is the same for every row write "
        "None.",
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
        ValueError,
        "got no inputs",
        "vmap walks along arguments that are passed by position. One passed by name, such as x=X, goes whole to "
        "every row.",
    ),
    (
        ValueError,
        "at least one Tensor to vmap over",
        "Every entry of in_dims is None, so there is nothing to walk along. Which argument carries the batch?",
    ),
    (
        ValueError,
        "chunk_size should be None or greater than 0",
        "chunk_size is the number of rows that are computed at a time: at least 1.",
    ),
    (
        TypeError,
        "vmap() takes from",
        "vmap(f, in_dims, out_dims) is followed by the arguments in a second pair of parentheses. chunk_size is given "
        "by name.",
    ),
    # vmap: what comes out
    (
        ValueError,
        "must only return Tensors",
        "The function that vmap wraps must return tensors: not a Python number, and not None. Is its return "
        "statement there?",
    ),
    (
        ValueError,
        "BatchedTensor when out_dim is None",
        "out_dims=None is for a result that is the same for every row. This one differs from row to row: give it an "
        "axis.",
    ),
    (
        ValueError,
        "out_dims is not compatible",
        "out_dims needs one entry for each tensor that the function returns: the axis where the rows shall stand.",
    ),
    # vmap: what happens inside
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
        "allowed values for randomness",
        'randomness is one of three words: "different" draws anew for each row, "same" once for all, "error" refuses.',
    ),
    (
        RuntimeError,
        "inplace arithmetic",
        "A tensor that is the same for all rows cannot take values that differ from row to row. Build the result out "
        "of place: torch.stack, torch.where, or zeros_like of a mapped tensor.",
    ),
    (
        RuntimeError,
        "doesn't match the broadcast shape",
        "What is written does not fit into the tensor it is written to. Under vmap a tensor from outside has no place "
        "for several rows: return the values, and add them up after vmap.",
    ),
    (RuntimeError, "dynamic shape", _MASK),
    (RuntimeError, "differently shaped Tensor", _MASK),
    (
        RuntimeError,
        "may have escaped",
        "A tensor from inside vmap was kept, for instance in a list, and used after vmap had ended. Return it from "
        "the function.",
    ),
    (RuntimeError, "Batching rule not implemented", _NO_RULE),
    (RuntimeError, "vmap over torch.allclose", _NO_RULE),
    (
        RuntimeError,
        "explicit positive num_classes",
        "Under vmap one_hot cannot look for the largest class in the data: say num_classes=.",
    ),
    (
        ValueError,
        "to match target batch_size",
        "Inside vmap a row has no batch axis, and this loss expects one: give it to both, x[None] and target[None].",
    ),
    # shapes and dtypes
    (
        RuntimeError,
        "stack expects each tensor to be equal size",
        "torch.stack needs tensors of one shape. Does a row come out with another shape than the first?",
    ),
    (
        RuntimeError,
        "expects a non-empty TensorList",
        "The list is empty. Did the loop run, and does it append?",
    ),
    (RuntimeError, "must match the size of tensor", _SHAPES),
    (RuntimeError, "shapes cannot be multiplied", _SHAPES),
    (RuntimeError, "size mismatch, got input", _SHAPES),
    (RuntimeError, "inconsistent tensor size", _SHAPES),
    (RuntimeError, "1D tensors expected", _SHAPES),
    (RuntimeError, "both arguments to matmul need to be at least 1D", _SHAPES),
    (RuntimeError, "to have the same dtype", _DTYPES),
    (RuntimeError, "to have same dtype", _DTYPES),
    (RuntimeError, "did not match", _DTYPES),
    (
        IndexError,
        "Dimension out of range",
        "An axis is asked for that the tensor does not have. Inside vmap a tensor has one axis less than outside.",
    ),
    (IndexError, "of a 0-dim tensor", _NO_AXES),
    (TypeError, "iteration over a 0-d tensor", _NO_AXES),
    (
        RuntimeError,
        "cannot be converted to Scalar",
        ".item() and float() need a tensor with one value. Which value do you mean, or is a .sum() missing?",
    ),
    (
        RuntimeError,
        "Boolean value of Tensor with more than one value",
        "Python's if needs one True or False, and here is one for each element. torch.where chooses for each; .all() "
        "and .any() make one of them.",
    ),
    # Python
    (
        TypeError,
        "'Tensor' object is not callable",
        "A tensor is called here as if it were a function. grad and vmap take the function itself: grad(f)(x), not "
        "grad(f(x)).",
    ),
    (AttributeError, "'function' object has no attribute", _FUNCTION_NOT_CALLED),
    (TypeError, "'function'", _FUNCTION_NOT_CALLED),
    (TypeError, "got function", _FUNCTION_NOT_CALLED),
    (TypeError, "must be Tensor, not function", _FUNCTION_NOT_CALLED),
    (AttributeError, "'NoneType' object has no attribute", _GRAD_IS_NONE),
    (TypeError, "NoneType", _GRAD_IS_NONE),
    (AttributeError, "'tuple' object has no attribute", _TUPLE),
    (TypeError, "got tuple", _TUPLE),
    (TypeError, "assign a tuple", _TUPLE),
    (TypeError, "must be Tensor, not tuple", _TUPLE),
    (
        TypeError,
        "must be Tensor, not",
        "torch's functions work on tensors: torch.tensor(3.0) makes one of a number.",
    ),
    (
        TypeError,
        "must be tuple of Tensors",
        "torch.stack and torch.cat take a list or a tuple of tensors: [... for ...], in square brackets.",
    ),
    (
        ValueError,
        "values to unpack",
        "The right side has another number of parts than names stand on the left. grad_and_value returns (gradients, "
        "value), and with has_aux=True (gradients, (value, aux)).",
    ),
    (
        TypeError,
        "required positional argument",
        "The function got fewer arguments than it has. A transform hands on what stands in the second pair of "
        "parentheses, and nothing else.",
    ),
    (
        TypeError,
        "were given",
        "The function got more arguments than it has. A transform hands on all that stands in the second pair of "
        "parentheses.",
    ),
    (
        NameError,
        "is not defined",
        "No cell that has run defines this name. Is it spelt so elsewhere, and has its cell been run?",
    ),
    (
        RecursionError,
        "recursion depth",
        "The function calls itself without end. In f = lambda x: grad(f)(x) the inner f is the new function, not the "
        "old one: give the new one another name.",
    ),
]


def hint_for(error: BaseException) -> str | None:
    """Return a sentence or two on what `error` means here, or None when it is not one of the known ones."""
    try:
        text = str(error)
    except Exception:  # an error of the student's own class, which cannot say what it is
        return None
    return next((hint for kind, part, hint in _HINTS if isinstance(error, kind) and part in text), None)
