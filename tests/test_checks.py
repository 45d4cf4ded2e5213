"""What a test cell prints and raises, for answers of every kind.

Answers and tests are compiled as ipykernel compiles cells: each from a file of its own that only linecache knows.
"""

import itertools
import linecache
import math
import sys
import warnings

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from misbehaving import Grumpy

from autograder import checks, running
from autograder.outcomes import AnswerRaised, CheckFailed, NotAttempted

settings.register_profile("course", derandomize=True, deadline=None, database=None, max_examples=40)
settings.load_profile("course")

DOUBLE = torch.float64
x = torch.tensor([1.5, -2.0, 3.0], dtype=DOUBLE)


class Notebook:
    """Runs cells one after the other in one namespace."""

    numbers = itertools.count(1)

    def __init__(self):
        self.names = {}
        self.run("import sys, warnings\nimport torch\nfrom torch.func import grad, vmap\nfrom autograder import checks")
        self.names["x"] = x

    def run(self, source):
        """Run one cell."""
        file = f"/tmp/ipykernel_1/{next(self.numbers)}.py"
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        exec(compile(source, file, "exec"), self.names)


RETURNS = 'secret = "a line of the test"; checks.returns("f(x)", f, (x,), x)'


def verdict(answer, test=RETURNS, *, before=""):
    """The error that `test` raises after the cell with `answer`."""
    notebook = Notebook()
    for source in filter(None, (before, answer)):
        notebook.run(source)
    with pytest.raises(CheckFailed) as caught:
        notebook.run(test)
    assert "secret" not in str(caught.value), "a line of the test"
    return caught.value


# Passing


@pytest.mark.parametrize(
    "answer",
    [
        "def f(x):\n    return x",
        "f = lambda x: x.clone()",
        "def f(x):\n    print('trace', file=sys.stderr)\n    warnings.warn('late')\n    return x",
        "def f(x):\n    return torch.stack([x, x])[0]",
        "def f(x):\n    return torch.vmap(lambda a: a)(x)",
        "class F:\n    def __call__(self, x):\n        return x\nf = F()",
    ],
)
def test_a_right_answer_prints_one_line_and_nothing_else(answer, capsys):
    notebook = Notebook()
    notebook.run(answer)
    with warnings.catch_warnings(record=True) as caught:
        notebook.run(RETURNS)
    assert capsys.readouterr() == ("✓ f(x)\n", "")
    assert caught == []


def test_returns_gives_back_nothing():
    # nbgrader reads the value of a cell's last line as points.
    assert checks.returns("f(x)", lambda a: a, (x,), x) is None


def test_call_gives_the_value(capsys):
    assert torch.equal(checks.call("f(x)", lambda a: 2 * a, (x,)), 2 * x)
    assert capsys.readouterr() == ("", "")


def test_options_reach_the_comparison(capsys):
    checks.returns("f(x)", lambda a: a * 1.01, (x,), x, rtol=0.1)
    checks.returns("f(x)", lambda a: a + 0.01, (x,), x, atol=0.1)
    checks.returns("f(x)", lambda a: a.requires_grad_(True) * 1, (x.clone().requires_grad_(True),), x, detached=False)
    with pytest.raises(CheckFailed, match="still attached"):
        checks.returns("f(x)", lambda a: a * 1, (x.clone().requires_grad_(True),), x)


# Not attempted, or attempted


@pytest.mark.parametrize("stub", ["raise NotImplementedError()", "raise NotImplementedError"])
@pytest.mark.parametrize(
    ("answer", "test"),
    [
        ("def f(x):\n    {}", RETURNS),
        ("@torch.no_grad()\ndef f(x):\n    {}", RETURNS),
        ("def f(x):\n    def inner(a):\n        {}\n    return grad(inner)(x)", RETURNS),
        ("def f(x):\n    {}", 'checks.returns("f(x)", lambda a: f(a), (x,), x)'),
        ("def f(x):\n    {}", 'checks.returns("twice(f, x)", twice, (f, x), x)'),
        ("class f(torch.nn.Module):\n    def forward(self, x):\n        {}", 'checks.returns("f()(x)", f(), (x,), x)'),
        ("def quiz():\n    {}", 'checks.quiz(quiz, 1, "abc")'),
    ],
)
def test_a_stub_is_not_attempted(stub, answer, test):
    # The helper stands in a locked cell, which looks like any other.
    failure = verdict(answer.format(stub), test, before="def twice(f, x):\n    return f(f(x))")
    assert isinstance(failure, NotAttempted)
    assert str(failure).endswith(": the answer cell still holds its stub.")


def test_the_stub_of_another_exercise_is_named():
    failure = verdict("def f(x):\n    return helper(x)", before="def helper(x):\n    raise NotImplementedError()")
    assert type(failure) is AnswerRaised
    assert str(failure) == "f(x) calls helper, and the cell of helper still holds its stub."


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (
            "def f(x):\n    raise NotImplementedError('later')",
            "f(x) raised NotImplementedError: later\n  line 2: raise",
        ),
        (
            # rsample of the base class raises NotImplementedError without words.
            "class D(torch.distributions.Distribution):\n    pass\n"
            "def f(x):\n    return D(validate_args=False).rsample()",
            "f(x) raised NotImplementedError\n  line 4: return D(",
        ),
        (
            "class Net(torch.nn.Module):\n    pass\nf = Net()",
            'f(x) raised NotImplementedError: Module [Net] is missing the required "forward" function',
        ),
    ],
)
def test_other_ways_to_be_not_implemented_are_errors(answer, message):
    failure = verdict(answer)
    assert type(failure) is AnswerRaised
    assert str(failure).startswith(message)


# Errors


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("def f(x):\n    raise ValueError", "f(x) raised ValueError\n  line 2: raise ValueError"),
        ("def f(x):\n    raise ValueError('')", "f(x) raised ValueError\n  line 2: raise ValueError('')"),
        ("def f(x):\n    raise ValueError('a\\nb')", "f(x) raised ValueError: a\n  line 2: raise ValueError('a\\nb')"),
        ("def f(x):\n    raise ValueError('a:\\n\\tb\\nc')", "f(x) raised ValueError: a: b\n  line 2: raise"),
        ("def f(x):\n    assert x is None", "f(x) raised AssertionError\n  line 2: assert x is None"),
        ("def f(x):\n    sys.exit(3)", "f(x) raised SystemExit: 3\n  line 2: sys.exit(3)"),
        ("def f(x):\n    sys.exit()", "f(x) raised SystemExit\n  line 2: sys.exit()"),
        (
            "class E(Exception):\n    def __str__(self):\n        raise self\ndef f(x):\n    raise E",
            "f(x) raised E\n  line 5: raise E",
        ),
        (
            "def f(x):\n    return f(x)",
            "f(x) raised RecursionError: maximum recursion depth exceeded\n  line 2: return f(x)\nThe function calls",
        ),
        (
            "def f(x):\n    return grad(lambda a: a * 2)(x)",
            "f(x) raised RuntimeError: grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got "
            "tensor with 1 dims. Maybe you wanted to use the vjp or jacrev APIs instead?\n"
            "  line 2: return grad(lambda a: a * 2)(x)\ngrad differentiates a single number",
        ),
        ("def f():\n    return 1", "f(x) raised TypeError: f() takes 0 positional arguments but 1 was given"),
        (
            "def f(x):\n    warnings.simplefilter('error')\n    warnings.warn('loud')",
            "f(x) raised UserWarning: loud\n  line 3: warnings.warn('loud')",
        ),
        ("f = 3", "f(x): the name stands for an int, not for a function."),
    ],
)
def test_an_error_is_told_with_the_students_own_lines(answer, message):
    failure = verdict(answer)
    assert type(failure) is AnswerRaised
    assert str(failure).startswith(message)


CHAIN = {"f": "g(x)", "g": "h(x)", "h": "k(x)", "k": "1 / 0"}


def test_the_error_itself_is_not_shown_again():
    for failure in (verdict("def f(x):\n    return 1 / 0"), verdict("def f(x):\n    return 2 * x")):
        assert failure.__cause__ is None
        assert failure.__suppress_context__


def test_lines_lead_to_the_error():
    answer = "".join(f"def {name}(x):\n    return {called}\n" for name, called in CHAIN.items())
    lines = str(verdict(answer)).splitlines()[1:]
    assert lines == ["  line 4: return h(x)", "  line 6: return k(x)", "  line 8: return 1 / 0"]


def test_a_page_of_text_is_cut():
    failure = verdict("def f(x):\n    raise ValueError('long ' * 1000)")
    assert len(str(failure)) < 500


def test_neither_torch_nor_generated_code_is_shown():
    # linearize runs code that torch generates, whose lines linecache knows as well.
    failure = verdict("def f(x):\n    return torch.func.linearize(lambda a: a.reshape(7), x)")
    assert str(failure).splitlines() == [
        "f(x) raised RuntimeError: shape '[7]' is invalid for input of size 3",
        "  line 2: return torch.func.linearize(lambda a: a.reshape(7), x)",
    ]


@pytest.mark.parametrize("file", ["/usr/x/site-packages/a.py", r"C:\x\Lib\site-packages\a.py", "<eval_with_key>.0"])
def test_library_files(file):
    assert not running._is_students(compile("1", file, "exec"), None)


@pytest.mark.parametrize("file", ["/tmp/ipykernel_1/2.py", r"C:\Temp\ipykernel_1\2.py", "<ipython-input-1-abc>"])
def test_cell_files(file):
    assert running._is_students(compile("1", file, "exec"), None)
    assert not running._is_students(compile("1", file, "exec"), file)


HELPER = "def helper(a):\n    raise ValueError('no') # secret\n"


@pytest.mark.parametrize(
    ("before", "test"),
    [
        ("", HELPER + 'checks.returns("f(g, x)", f, (helper, x), x)'),
        ("### BEGIN HIDDEN TESTS\n" + HELPER, 'checks.returns("f(g, x)", f, (helper, x), x)'),
        ("", HELPER + 'def check():\n    checks.call("f(g, x)", f, (helper, x)) # secret\ncheck()'),
    ],
    ids=["in the same cell", "in another hidden cell", "from a function of the test"],
)
def test_the_source_of_a_test_is_never_shown(before, test):
    failure = verdict("def f(g, x):\n    return g(x)", test, before=before)
    assert str(failure) == "f(g, x) raised ValueError: no\n  line 2: return g(x)"


def test_an_interrupt_gets_through():
    def f(a):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        checks.call("f(x)", f, (x,))


def test_streams_and_warning_filters_are_as_before():
    before = sys.stderr, list(warnings.filters)
    verdict("def f(x):\n    sys.stderr = None\n    warnings.simplefilter('ignore')\n    raise ValueError")
    assert (sys.stderr, list(warnings.filters)) == before


# Warnings


BROADCAST = "torch.nn.functional.mse_loss(x, torch.ones(3, 1))"


@pytest.mark.parametrize(
    ("answer", "quoted"),
    [
        (f"def f(x):\n    return {BROADCAST}", "Using a target size"),
        (f"def f(x):\n    {BROADCAST}\n    raise ValueError", "Using a target size"),
        # From torch's C++ code.
        ("def f(x):\n    return torch.ones(2, 3, 4).T", "The use of `x.T` on tensors"),
        (
            "def f(x):\n    torch.add(x, 1, out=torch.ones(2, dtype=x.dtype))\n    raise ValueError",
            "An output with one",
        ),
        ("def f(x):\n    warnings.warn('first')\n    warnings.warn('second\\nline')", "second"),
        ("def f(x):\n    warnings.warn('late', FutureWarning)\n    warnings.warn('old', DeprecationWarning)", None),
        ("def f(x):\n    warnings.warn('There is a performance drop because of a loop')", None),
    ],
)
def test_a_warning_is_quoted_when_the_answer_is_wrong(answer, quoted):
    lines = str(verdict(answer)).splitlines()
    if quoted:
        assert lines[-1].startswith(f"Before that there was a warning: {quoted}")
    else:
        assert "warning" not in lines[-1]


@pytest.mark.parametrize("action", ["ignore", "error", "default"])
def test_the_filters_of_the_notebook_do_not_matter(action, capsys):
    def f(a):
        warnings.warn("late", stacklevel=1)
        return a

    with warnings.catch_warnings():
        warnings.simplefilter(action)
        checks.returns("f(x)", f, (x,), x)
        with pytest.raises(CheckFailed, match="Before that there was a warning: late"):
            checks.returns("f(x)", f, (x,), x + 1)
    assert capsys.readouterr().err == ""


# Arguments


ARGUMENTS = {
    "tensor": lambda: x.clone(),
    "requires grad": lambda: x.clone().requires_grad_(True),
    "with a gradient": lambda: with_gradient(x),
    "expanded": lambda: x[:1].expand(3),
    "in columns": lambda: torch.ones(3, 2).T,
    "complex": lambda: torch.complex(x, x),
    "bool": lambda: x > 0,
    "int": lambda: torch.arange(3),
    "nan": lambda: x * math.nan,
    "empty": lambda: torch.zeros(0, 2),
    "0-dim": lambda: torch.tensor(1.0),
    "sparse": lambda: x.to_sparse(),
    "meta": lambda: x.to("meta"),
    "parameter": lambda: torch.nn.Parameter(x.clone()),
    "module": lambda: torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2)),
    "nested": lambda: {"a": [x.clone(), (1, "b", None)], "f": torch.sin},
    "generator": lambda: torch.Generator(),
    "number": lambda: 3,
    "function": lambda: torch.sin,
}


def with_gradient(values):
    leaf = values.clone().requires_grad_(True)
    (leaf**2).sum().backward()
    return leaf


@pytest.mark.parametrize("kind", ARGUMENTS)
def test_every_kind_of_argument_can_be_passed(kind):
    argument = ARGUMENTS[kind]()
    got = checks.call("f(a)", lambda a: a, (argument,))
    assert type(got) is type(argument)
    if isinstance(argument, torch.Tensor):
        assert got is not argument
        assert got.requires_grad == argument.requires_grad
        assert (got.grad is None) == (argument.grad is None)


def test_a_function_gets_copies():
    leaf = with_gradient(x)
    layer = torch.nn.Linear(2, 2)
    layer(torch.ones(1, 2)).sum().backward()
    got = checks.call("f(a, b, c, d)", lambda *args: args, (leaf, {"w": leaf}, layer, layer))
    assert got[0] is got[1]["w"] is not leaf, "one tensor stays one tensor"
    assert torch.equal(got[0].grad, leaf.grad)
    assert got[0].grad is not leaf.grad
    assert got[2] is got[3] is not layer
    assert torch.equal(got[2].weight.grad, layer.weight.grad)
    assert got[2].weight.grad is not layer.weight.grad


def run_in_train_mode(model):
    model(torch.randn(4, 2, generator=torch.Generator().manual_seed(0)))


@pytest.mark.parametrize(
    ("change", "argument", "message"),
    [
        (lambda a: a.add_(1), x, "changed its argument a. Work on a copy: a.clone()."),
        (lambda a: a.__setitem__(0, 9), x, "changed its argument a."),
        (lambda a: a.mul_(math.nan), x, "changed its argument a."),
        (lambda a: a.resize_(5), x, "changed its argument a."),
        (lambda a: a.unsqueeze_(0), x, "changed its argument a."),
        (lambda a: a.logical_not_(), x > 0, "changed its argument a."),
        (lambda a: a.conj_physical_(), torch.complex(x, x), "changed its argument a."),
        (lambda a: setattr(a, "data", a.double()), torch.ones(3), "changed its argument a."),
        (lambda a: a.requires_grad_(True), x, "switched requires_grad of its argument a. Work on a copy: a.clone()."),
        (lambda a: a.pop(), [x, x], "changed its argument a. Work on a copy."),
        (lambda a: a.append(1), [x], "changed its argument a. Work on a copy."),
        (lambda a: a.__setitem__(0, 2), [1], "changed its argument a. Work on a copy."),
        (lambda a: a.__setitem__(0, None), [x], "changed its argument a. Work on a copy."),
        (lambda a: a["w"].add_(1), {"w": x}, "changed its argument a. Work on a copy."),
        (lambda a: a.__setitem__("v", 1), {"w": x}, "changed its argument a. Work on a copy."),
        (lambda a: a.pop("w"), {"w": x}, "changed its argument a. Work on a copy."),
        (lambda a: a.eval(), torch.nn.Dropout(), "switched train and eval mode of its argument a."),
        (
            lambda a: a.weight.data.add_(1),
            torch.nn.Linear(1, 1),
            "changed its argument a. Work on a copy: copy.deepcopy",
        ),
        (lambda a: a.weight.requires_grad_(False), torch.nn.Linear(1, 1), "switched requires_grad of its argument a."),
        (run_in_train_mode, torch.nn.BatchNorm1d(2), "changed its argument a."),
    ],
)
def test_a_changed_argument_is_wrong_even_if_the_value_is_right(change, argument, message):
    def f(a):
        change(a)
        return x

    with pytest.raises(CheckFailed) as caught:
        checks.returns("f(a)", f, (argument,), x)
    assert type(caught.value) is CheckFailed
    assert str(caught.value).startswith(f"f(a): your function {message}")


@pytest.mark.parametrize(
    ("use", "argument"),
    [
        (lambda model: model(torch.ones(1, 2)).sum().backward(), torch.nn.Linear(2, 2)),
        (lambda model: (model.eval(), model.train()), torch.nn.Dropout()),
        (lambda a: a.sum().backward(), x.clone().requires_grad_(True)),
        (lambda a: a.clone().add_(1), x),
        (lambda a: torch.rand(3, generator=a), torch.Generator()),
        (lambda a: a.update(w=a["w"] * 1), {"w": x}),
    ],
    ids=["backward", "mode put back", "backward on a leaf", "clone", "draws", "put back"],
)
def test_what_may_be_done_to_an_argument(use, argument):
    checks.call("f(a)", use, (argument,))


@given(st.lists(st.sampled_from(["add", "zero", "grad", "append", "set", "nothing"]), max_size=4), st.integers(0, 99))
def test_the_arguments_of_the_test_stay_as_they_were(acts, seed):
    table = torch.randn(2, 3, generator=torch.Generator().manual_seed(seed))
    args = (table, {"w": table[0].clone(), "more": [table[1].clone(), 1]})
    before = (table.clone(), args[1]["w"].clone(), args[1]["more"][0].clone())

    def f(X, params):
        for act in acts:
            {
                "add": lambda: X.add_(1),
                "zero": lambda: params["w"].zero_(),
                "grad": lambda: X.requires_grad_(True).register_hook(print),
                "append": lambda: params["more"].append(1),
                "set": lambda: params.update(w=None),
                "nothing": lambda: X + 1,
            }[act]()
        return X

    try:
        checks.call("f(X, params)", f, args)
        assert set(acts) <= {"nothing"}
    except (CheckFailed, AnswerRaised):
        assert set(acts) - {"nothing"}
    after = (args[0], args[1]["w"], args[1]["more"][0])
    assert all(map(torch.equal, before, after))
    assert not table.requires_grad
    assert (args[1].keys(), len(args[1]["more"])) == ({"w", "more"}, 2)


@pytest.mark.parametrize(
    ("label", "count", "names"),
    [
        ("f(x)", 1, ["x"]),
        ("f(w, X, y) with B = 3", 3, ["w", "X", "y"]),
        ("f(w, x) (another model)", 2, ["w", "x"]),
        ("f(x) (again)", 1, ["x"]),
        ("f(x) at (1, 2)", 2, None),
        ("grad(f)(x, y) on (3, 4)", 2, ["x", "y"]),
        ("f(g(x), (1, 2), k=3)", 3, ["g(x)", "(1, 2)", "k"]),
        ("the gradient of f(w, x)", 2, ["w", "x"]),
        ("torch.func.vmap(f, in_dims=(None, 0))(w, X)", 2, ["w", "X"]),
        ("nth(f, 2)(x) for f = x⁵ (a polynomial)", 1, ["x"]),
        ("f() (B = 3)", 1, None),
        ("f", 1, None),
        ("f(x", 1, None),
        ("", 0, []),
        ("f()", 0, []),
    ],
)
def test_names_of_arguments_come_from_the_label(label, count, names):
    assert checks._argument_names(label, count) == (names or [f"number {i + 1}" for i in range(count)])


def test_an_argument_without_a_name_has_a_number():
    with pytest.raises(CheckFailed, match=r"changed its argument number 2\. Work on a copy\.$"):
        checks.call("the loss", lambda a, b: b.zero_(), (x, x.clone()))


@pytest.mark.parametrize("args", [x, 3, "ab", None])
def test_a_forgotten_comma_is_the_authors_error(args):
    with pytest.raises(TypeError, match="needs a comma"):
        checks.call("f(x)", lambda a: a, args)


# Mistakes


MISTAKES = {"This is twice the value.": 2 * x, "Something was added.": x + 1, "A sum too many.": x.sum()}


@pytest.mark.parametrize("message", MISTAKES)
def test_a_known_mistake_gets_its_message(message):
    with pytest.raises(CheckFailed) as caught:
        checks.returns("f(x)", lambda a: MISTAKES[message].clone(), (x,), x, mistakes=MISTAKES)
    shape = "shape (), expected (3,). " if message == "A sum too many." else ""
    assert str(caught.value) == f"f(x): {shape}{message}"


@given(st.integers(0, 4), st.integers(0, 1000), st.sampled_from([0.3, 3.0]))
def test_the_message_of_a_mistake_is_chosen_exactly_when_the_value_is_that_mistake(choice, seed, share):
    generator = torch.Generator().manual_seed(seed)
    expected, *values, other = torch.randn(6, 2, 3, generator=generator, dtype=DOUBLE)
    mistakes = {f"Mistake {i}.": value for i, value in enumerate(values)}
    # Within the tolerance of the mistake, or beyond it.
    value = [*values, other][choice]
    value = value + share * (1e-7 + 1e-5 * value.abs())
    with pytest.raises(CheckFailed) as caught:
        checks.equal("f(x)", value, expected, mistakes=mistakes)
    named = [message for message in mistakes if message in str(caught.value)]
    assert named == ([f"Mistake {choice}."] if choice < 4 and share < 1 else [])


def test_mistakes_that_the_data_cannot_tell_apart_are_both_named():
    with pytest.raises(CheckFailed) as caught:
        checks.equal("f(x)", 2 * x, x, mistakes={"A sum.": 2 * x, "Another.": x + 1, "A double.": 2 * x})
    assert str(caught.value) == "f(x): A sum. Or: A double."


@pytest.mark.parametrize("value", [x, x + 1e-12, x.clone().requires_grad_(True)])
def test_a_mistake_that_is_right_on_this_data_is_the_authors_error(value):
    for got in (x, x + 1):
        with pytest.raises(ValueError, match=r"f\(x\): on this data the mistake 'Wrong\.' gives the right answer"):
            checks.equal("f(x)", got, x, mistakes={"Wrong.": value})


def test_a_mistake_may_be_a_plain_number():
    with pytest.raises(CheckFailed, match=r"^f\(x\): A cube\.$"):
        checks.equal(
            "f(x)", torch.tensor(8.0, dtype=DOUBLE), torch.tensor(4.0, dtype=DOUBLE), mistakes={"A cube.": 8.0}
        )
    with pytest.raises(CheckFailed, match=r"^f\(x\): A number\.$"):
        checks.equal("f(x)", 4.0, torch.tensor(4.0, dtype=DOUBLE), mistakes={"A number.": 4.0})


def test_mistakes_in_structures():
    right = {"w": torch.stack([x, 2 * x]), "b": x[:2]}
    mistakes = {"Exchanged.": {"w": right["b"], "b": right["w"]}, "No dict.": (right["w"], right["b"])}
    with pytest.raises(CheckFailed, match=r"^f\(x\): Exchanged\.$"):
        checks.equal("f(x)", {"b": right["w"], "w": right["b"]}, right, mistakes=mistakes)
    with pytest.raises(CheckFailed, match=r"^f\(x\): No dict\.$"):
        checks.equal("f(x)", [right["w"], right["b"]], right, mistakes=mistakes)


def test_an_answer_that_nobody_can_give_is_the_authors_error():
    class Unequal:
        def __eq__(self, other):
            return False

        __hash__ = None

    with pytest.raises(ValueError, match="no answer can be right, not even the expected value"):
        checks.equal("f(x)", x, Unequal())


# Whatever comes back


class Liar:
    def __eq__(self, other):
        return True

    def __getattr__(self, name):
        return self

    def __call__(self, *args):
        return True

    __hash__ = None


def endless():
    while True:
        yield 1


objects = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.complex_numbers()
    | st.text(max_size=3)
    | st.sampled_from([Liar, Grumpy, endless, torch.nn.Linear, ValueError, object, torch.sin, print])
    | st.sampled_from([Liar, Grumpy, endless, ValueError, object]).map(lambda make: make())
    | st.builds(
        lambda dtype, shape: torch.ones(shape).to(dtype),
        st.sampled_from([torch.bool, torch.int32, torch.float16, DOUBLE, torch.complex64]),
        st.sampled_from([(), (0,), (3,), (1, 3)]),
    ),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=1), inner, max_size=2)
    ),
    max_leaves=4,
)


@given(objects, st.sampled_from([x, 1.5, 7, "text", (x, x), {"a": x}, None, False]))
@settings(max_examples=150)
def test_nothing_but_a_verdict_comes_out(value, expected):
    try:
        checks.returns("f(x)", lambda a: value, (x,), expected, mistakes={"Zero.": 0 * x, "Text.": "other"})
    except CheckFailed as failure:
        assert str(failure).startswith("f(x): ")
    else:
        # Python's own equality, in the few cases where it has a say.
        assert value is None or value == expected


@given(objects)
def test_a_quiz_survives_any_answer(value):
    try:
        checks.quiz(lambda: value, 1, "abcd", "c")
    except CheckFailed as failure:
        assert str(failure).startswith("quiz(), question 1: ")
    else:
        assert "c" in str(value).lower()


def test_huge_tensors_do_not_take_long():
    big = torch.zeros(()).expand(10**7)
    with pytest.raises(CheckFailed, match=r"shape \(10000000,\), expected \(3,\)"):
        checks.returns("f(x)", lambda a: big, (x,), x)


# The other checks


def test_that(capsys):
    checks.that(True, "f(x): wrong.")
    checks.that(torch.tensor([True, True]), "f(x): wrong.")
    for condition in (False, torch.tensor(False), torch.tensor([True, False]), 0, None):
        with pytest.raises(CheckFailed, match=r"^f\(x\): wrong\.$"):
            checks.that(condition, "f(x): wrong.")
    assert capsys.readouterr() == ("", "")


def loss(a):
    return a.sum()


@pytest.mark.parametrize(
    ("function", "calls", "times", "message"),
    [
        (loss, 4, 1, "the values are right, but loss was called 4 times; once is enough. Use vmap."),
        (loss, 2, 1, "the values are right, but loss was called twice; once is enough. Use vmap."),
        (loss, 0, 1, "the values are right, but loss was not called; a right answer calls it once. Use vmap."),
        (loss, 1, 2, "the values are right, but loss was called once; a right answer calls it twice. Use vmap."),
        (lambda a: a, 3, 2, "the values are right, but the function was called 3 times; twice is enough. Use vmap."),
        (torch.nn.Linear(1, 1), 2, 1, "the values are right, but the function was called twice; once is enough. Use"),
        (loss, 2, 2, None),
        (loss, 0, 0, None),
    ],
)
def test_called(function, calls, times, message):
    function = checks.counted(function)
    for _ in range(calls):
        function(torch.ones(1))
    if message is None:
        checks.called("f(loss)", function, times, "Use vmap.")
    else:
        with pytest.raises(CheckFailed) as caught:
            checks.called("f(loss)", function, times, "Use vmap.")
        assert str(caught.value).startswith(f"f(loss): {message}")


@pytest.mark.parametrize(
    "answers", [("b", "d", "a"), ["B", " d", "A "], "bda", "b d a", "b, d, a", "B,D,A", "b\nd\na", "b,d a"]
)
def test_letters_may_be_given_in_many_ways(answers, capsys):
    for question, right in enumerate("bda", 1):
        checks.quiz(lambda: answers, question, "abcd", right)
        checks.quiz(lambda: answers, question, "abcd")
    assert capsys.readouterr().out.splitlines() == [
        line for i in (1, 2, 3) for line in (f"✓ quiz(), question {i}", f"✓ quiz(), question {i}: answered")
    ]


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ("cc", "c is not it. Read the table."),
        ("aa", "a is not it."),
        (("", "a"), "'' is not one of the letters a, b, c, d."),
        (("e", "a"), "'e' is not one of the letters a, b, c, d."),
        (("ab", "a"), "'ab' is not one of the letters a, b, c, d."),
        (("the first one, " * 9, "a"), "'the first one, the f' is not one of the letters a, b, c, d."),
        ((1, "a"), "an int is not one of the letters a, b, c, d."),
        ((None, "a"), "None is not one of the letters a, b, c, d."),
        ((), 'return one letter for each question, such as return "a", "a", "a".'),
        ({"b"}, 'return one letter for each question, such as return "a", "a", "a".'),
        (None, 'return one letter for each question, such as return "a", "a", "a".'),
    ],
)
def test_wrong_letters(answers, message):
    with pytest.raises(CheckFailed) as caught:
        checks.quiz(lambda: answers, 1, "abcd", "b", {"c": "Read the table."})
    assert str(caught.value) == f"quiz(), question 1: {message}"


def test_the_right_letter_is_in_no_message():
    with pytest.raises(CheckFailed) as caught:
        checks.quiz(lambda: "aa", 1, "abcd", "z", {"a": "Look there."})
    assert "z" not in str(caught.value).removeprefix("quiz()")


def test_visible_tests_passed(capsys):
    checks.visible_tests_passed()
    assert capsys.readouterr().out == "Visible tests passed. Grading tries your answer on more inputs.\n"


# What the notebook shows


@pytest.mark.parametrize(
    ("outcome", "headline"),
    [
        (CheckFailed, "Not yet right: "),
        (AnswerRaised, "Your code raised an error: "),
        (NotAttempted, "Not attempted: "),
    ],
)
def test_ipython_shows_the_message_and_nothing_else(outcome, headline):
    from IPython.core.interactiveshell import InteractiveShell

    class Shell(InteractiveShell):
        shown = None

        def _showtraceback(self, etype, evalue, stb):
            Shell.shown = stb

    shell = Shell()
    shell.user_ns["raises"] = outcome
    shell.run_cell('secret = 1; raise raises("f(x): wrong.")', store_history=False)
    assert Shell.shown == [f"{headline}f(x): wrong."]
    assert issubclass(outcome, AssertionError)


def test_a_gradient_left_on_an_argument_is_a_change():
    def leaves_a_trace(w):
        w.requires_grad = True
        (w * w).sum().backward()
        found, w.requires_grad = w.grad, False
        return found

    w = torch.tensor([1.0, 2.0])
    with pytest.raises(CheckFailed, match=r"left a gradient in \.grad of its argument w"):
        checks.returns("double(w)", leaves_a_trace, (w,), 2 * w)


def test_a_long_message_is_broken_into_lines_and_the_students_code_is_not():
    def fails(x):
        return torch.zeros(3).index_select(0, torch.tensor([2, 1])).index_select(0, torch.tensor([0, 99999999999]))

    with pytest.raises(AnswerRaised) as raised:
        checks.returns("pick(x)", fails, (x,), x)
    (shown,) = raised.value._render_traceback_()
    lines = shown.splitlines()
    assert " ".join(shown.split()) == " ".join(f"{AnswerRaised.headline}: {raised.value}".split())
    assert max(len(line) for line in lines if not line.startswith(" ")) <= 90
    with pytest.raises(CheckFailed) as raised:
        checks.that(False, "word " * 60)
    assert len(raised.value._render_traceback_()[0].splitlines()) > 3
