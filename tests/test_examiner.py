"""Tests run apart from the answers: what can be asked, what is told when it goes wrong, and what never crosses."""

import struct
import time
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_notebook

from autograder.examiner.examine import examine
from autograder.examiner.namespace import bound_names
from autograder.kernels.limits import Limits

pytestmark = pytest.mark.sandbox
LIMITS = Limits(cell_seconds=4, test_seconds=4, submission_seconds=60, grace_seconds=0.5, restarts=4)
SETUP = "import torch\nfrom torch.func import grad\nfrom autograder import checks\n"


def cell(name, source, **role):
    made = new_code_cell(source, id=name)
    if role:
        made.metadata["nbgrader"] = {"grade_id": name, "grade": False, "solution": False, "locked": True, **role}
    return made


def notebook(answers, tests, *, setup=SETUP, extra=None):
    """A notebook with answer cells and test cells by name, in turn."""
    cells = [cell("setup", setup, locked=True)]
    for (name, source), test in zip(answers.items(), tests, strict=True):
        cells.append(cell(name, source, solution=True, locked=False))
        if extra:
            cells.append(cell(f"extra-{name}", extra))
        cells.append(cell(f"test-{name}", test, grade=True, points=2))
    return new_notebook(cells=cells)


def grade(student, test, *, solution="def f(*args): ...", setup=SETUP, limits=LIMITS, files=None):
    """Outputs of the test cell for one answer."""
    nb = notebook({"answer": student}, [test], setup=setup)
    source = notebook({"answer": solution}, [test], setup=setup)
    examine(nb, source, source, Path("/"), files or {}, limits)
    return nb.cells[-1].outputs


def error(student, test, **options):
    """The error that a test ends with."""
    outputs = grade(student, test, **options)
    assert outputs, "the test passed"
    assert outputs[-1].output_type == "error", outputs
    return outputs[-1]


def passes(student, test, **options):
    """Whether the test cell ends without an error."""
    outputs = grade(student, test, **options)
    assert [output.output_type for output in outputs] in ([], ["stream"]), outputs
    return True


X = "x = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)\n"

# Answers of every order.


@pytest.mark.parametrize(
    "student, test",
    [
        # A function of a function that returns one, and that one's derivative again.
        (
            "def f(g):\n    return lambda x: torch.func.grad(g)(x)",
            "y = torch.tensor(2.0)\nthird = f(f(f(lambda x: x**4)))\nassert third(y) == 48, third(y)",
        ),
        # A class of the student's own with __call__.
        (
            "class f:\n    def __init__(self, k):\n        self.k = k\n\n"
            "    def __call__(self, x):\n        return self.k * x",
            X + "checks.returns('f(3)(x)', f(3), (x,), 3 * x)",
        ),
        # A module, called and sent back.
        (
            "def f(n):\n    return torch.nn.Linear(n, 1, bias=False, dtype=torch.float64)\n\n\n"
            "def norm(model, x):\n    return model(x).norm().detach()",
            X + "model = f(3)\nassert model(x).shape == (1,)\n"
            "checks.equal('norm', norm(model, x), model(x).norm().detach())",
        ),
        # A module of the test's.
        (
            "def f(model, x):\n    params = dict(model.named_parameters())\n"
            "    return torch.func.functional_call(model, params, (x,)).detach()",
            X + "class Net(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            "        self.w = torch.nn.Parameter(torch.ones(3, dtype=torch.float64))\n"
            "    def forward(self, x):\n        return self.w * x\n\n\nchecks.returns('f(model, x)', f, (Net(), x), x)",
        ),
        # Dictionaries of parameters, in and out.
        (
            "def f(loss, params, x):\n    return torch.func.grad(loss)(params, x)",
            X + "p = {'w': x, 'b': torch.tensor(1.0, dtype=torch.float64)}\n"
            "checks.returns('f', f, (lambda p, x: (p['w'] * x).sum() + p['b'], p, x), "
            "{'w': x, 'b': torch.tensor(1.0, dtype=torch.float64)})",
        ),
        # Keyword arguments.
        ("def f(x, *, scale=1):\n    return x * scale", X + "assert torch.equal(f(x, scale=3), 3 * x)"),
        # A generator as argument: it moves on over here too.
        (
            "def f(n, generator):\n    return torch.randn(n, generator=generator)",
            "g, h = (torch.Generator().manual_seed(3) for _ in range(2))\n"
            "checks.returns('f(4, g)', f, (4, g), torch.randn(4, generator=h))\n"
            "assert not torch.equal(g.get_state(), torch.Generator().manual_seed(3).get_state())",
        ),
        # The global generator, seeded by the test.
        (
            "def f():\n    return torch.rand(2)",
            "torch.manual_seed(5)\nhere = torch.rand(2)\ntorch.manual_seed(5)\nchecks.returns('f()', f, (), here)",
        ),
        # A counting function.
        (
            "def f(g, x):\n    return torch.func.vmap(g)(x)",
            X + "g = checks.counted(lambda row: 2 * row)\nchecks.returns('f(g, x)', f, (g, x), 2 * x)\n"
            "checks.called('f(g, x)', g, 1, '')",
        ),
        # A transform of the student's function.
        (
            "def f(x):\n    return (x**3).sum()",
            X + "there = checks.on_their_side(lambda f, x: torch.func.hessian(f)(x))\n"
            "checks.equal('hessian', there(f, x), torch.diag(6 * x))",
        ),
        # A function of the student's as argument of another, and names of the test's with a closure.
        (
            "def f(g, x):\n    return g(x)\n\n\ndef h(x):\n    return x + 1",
            X + "def shifted(by):\n    return lambda x: x + by\n\n\n"
            "assert torch.equal(f(h, x), f(shifted(1), x))",
        ),
        # An error that the test asks for.
        (
            "def f(n):\n    if n < 0:\n        raise ValueError('negative')\n    return n",
            "try:\n    f(-1)\nexcept ValueError as e:\n    assert 'negative' in str(e)\nelse:\n    assert False",
        ),
        # Data instead of a function.
        ("f = {'a': [1, 2.5, 'b']}", "assert f == {'a': [1, 2.5, 'b']}"),
        # A file of the assignment's.
        ("def f():\n    return open('data.csv').read()", "checks.returns('f()', f, (), '1,2')"),
    ],
)  # fmt: skip
def test_answers_of_every_order(student, test):
    solution = student  # the names are those of the solution
    assert passes(student, test, solution=solution, files={"data.csv": b"1,2"})


def test_default_dtype_and_grad_mode_go_along():
    test = (
        "torch.set_default_dtype(torch.float64)\nassert f().dtype == torch.float64\n"
        "torch.set_default_dtype(torch.float32)\nassert f().dtype == torch.float32\n"
        "with torch.no_grad():\n    assert not f(torch.ones(1, requires_grad=True)).requires_grad"
    )
    assert passes("def f(x=None):\n    return torch.ones(1) if x is None else 2 * x", test)


def test_what_a_cell_changes_for_all_is_put_back_before_a_test():
    student = (
        "import sys, warnings\ntorch.set_default_dtype(torch.float64)\ntorch.set_default_device('meta')\n"
        "torch.set_grad_enabled(False)\nsys.stdout = None\nwarnings.simplefilter('error')\n\n\n"
        "def f():\n    return torch.ones(2)"
    )
    assert passes(student, "checks.returns('f()', f, (), torch.ones(2))")


def test_a_view_does_not_take_its_storage_along():
    student = "def f(x):\n    return x.untyped_storage().nbytes()"
    assert passes(student, "table = torch.arange(100.0)\nassert f(table[:3]) == 12, f(table[:3])")


# What is told.


def test_an_error_comes_with_the_students_lines_and_none_of_the_tests():
    student = "def helper(x):\n    return x.no_such_thing\n\n\ndef f(x):\n    return helper(x)"
    told = error(student, X + "secret_expected = 7\nchecks.returns('f(x)', f, (x,), x)")
    text = "\n".join(told.traceback)
    assert told.ename == "AnswerRaised"
    assert "line 6: return helper(x)\n  line 2: return x.no_such_thing" in text
    assert "secret" not in text


def test_an_error_in_a_plain_test_is_the_students_too():
    told = error("def f(x):\n    return 1 / x", "assert f(0) == 3")
    assert (told.ename, told.evalue) == ("ZeroDivisionError", "division by zero")
    assert told.traceback == ["  line 2: return 1 / x\nZeroDivisionError: division by zero"]


def test_a_function_of_the_tests_shows_no_source():
    told = error(
        "def f(g):\n    return g(1)",
        "def secret(x):\n    return x.very_secret\n\n\nchecks.returns('f', f, (secret,), 1)",
    )
    assert "line 2: return g(1)" in "\n".join(told.traceback)
    assert "return x" not in "\n".join(told.traceback)


HIDDEN = "assert f(1) == 1, 'visible'\n### BEGIN HIDDEN TESTS\nassert f(2) == 4, 'secret 4'\n### END HIDDEN TESTS\n"


def test_a_failing_assert_shows_its_line_only_if_it_is_visible():
    told = error("def f(x):\n    return 0", HIDDEN)
    assert told.traceback == ["  line 1 of the test: assert f(1) == 1, 'visible'", "AssertionError: visible"]
    told = error("def f(x):\n    return x", HIDDEN)
    assert told.traceback == ["AssertionError: a hidden test failed"]


def test_a_missing_name_is_named():
    assert error("g = 1", "f(1)").evalue == "name 'f' is not defined"


def test_what_is_sent_back_must_fit():
    told = error("def f():\n    return torch.zeros(1).expand(2**40)", "checks.returns('f()', f, (), torch.ones(1))")
    assert "more than 64 MB" in told.evalue


def test_the_author_is_told_to_send_the_transform():
    told = error("def f(x):\n    return x.sum()", X + "torch.func.grad(f)(x)")
    assert (told.ename, "Send the transform" in told.evalue) == ("CannotSend", True)


@pytest.mark.parametrize(
    "value, outputs",
    [("1.5", ["1.5"]), ("torch.tensor(2.0)", ["2"]), ("True", []), ("None", []), ("False", None), ("5", None),
     ("-1", None), ("float('nan')", None), ("'full'", None), ("f", None)],
)  # fmt: skip
def test_partial_points_are_points_and_nothing_else(value, outputs):
    got = grade("def f():\n    return 2", value)
    if outputs is None:
        assert [output.output_type for output in got] == ["error"]
    else:
        assert [output.data["text/plain"] for output in got] == outputs


# Death, silence, and going on.


def test_a_kernel_that_dies_costs_the_test_it_died_in():
    answers = {
        "one": "import os\n\n\ndef one(x):\n    return x + shift",
        "two": "shift = 1\n\n\ndef two():\n    os._exit(7)",
        "three": "def three():\n    while True:\n        try:\n            while True:\n                pass\n"
        "        except BaseException:\n            pass",
        "four": "os._exit(9)",
        "five": "def five(x):\n    return one(x) + 1",
    }
    tests = [
        "assert True",
        "checks.returns('two()', two, (), 1)",
        "checks.returns('three()', three, (), 1)",
        "assert four == 1",
        "assert five(1) == 3",
    ]
    nb = notebook(answers, tests)
    about = examine(nb, nb, nb, Path("/"), {}, LIMITS)
    told = {c.id: [o.get("evalue") for o in c.outputs] for c in nb.cells if c.id.startswith(("test", "four"))}
    assert told["test-one"] == told["test-five"] == []
    assert told["test-two"] == ["two() ended its process (exit status 7). Is there a call of exit or quit?"]
    assert told["test-three"] == [
        "three() took too long and could not be interrupted. Is there a loop that never ends?"
    ]
    assert told["four"] == ["this cell ended its process (exit status 9). Is there a call of exit or quit?"]
    assert told["test-four"] == ["name 'four' is not defined"]
    assert about["kernels"] == 4


def test_a_submission_has_a_budget():
    limits = Limits(cell_seconds=4, test_seconds=4, submission_seconds=2, grace_seconds=0.5)
    nb = notebook({"one": "import time\ntime.sleep(3)", "two": "two = 2"}, ["assert True", "assert two == 2"])
    examine(nb, nb, nb, Path("/"), {}, limits)
    assert "the whole notebook took longer than 2 seconds" in nb.cells[-1].outputs[0].evalue


def test_a_test_that_never_ends_is_stopped_and_the_next_one_runs():
    nb = notebook({"one": "def one():\n    return 1", "two": "two = 2"}, ["while one():\n    pass", "assert two == 2"])
    limits = Limits(cell_seconds=4, test_seconds=1, submission_seconds=60)
    examine(nb, nb, nb, Path("/"), {}, limits)
    outputs = {c.id: c.outputs for c in nb.cells}
    assert "was still being called when the time of the test was over" in outputs["test-one"][0].evalue
    assert outputs["test-two"] == []


def test_a_test_may_run_in_the_kernel_and_the_record_says_so():
    nb = notebook({"one": "class One:\n    size = 3"}, ["assert One.size == 3\nassert One.size == 4, One.size"])
    nb.cells[-1].metadata["tags"] = ["in-kernel"]
    about = examine(nb, nb, nb, Path("/"), {}, LIMITS)
    assert about["in_kernel"] == ["test-one"]
    assert nb.cells[-1].outputs[0].evalue == "3"


@pytest.mark.parametrize(
    "source, names",
    [
        ("import torch as t\ndef f(): pass\nx, (y, *z) = 1, (2, 3)", ["f", "x", "y", "z"]),
        ("%matplotlib inline\nclass A: pass\nfor i in range(3):\n    k = i", ["A", "i", "k"]),
        ("with open('a') as h:\n    w: int = 3\ntry:\n    q = 1\nexcept OSError:\n    r = 2", ["h", "w", "q", "r"]),
        ("def f(:", []),
    ],
)
def test_names_of_an_answer(source, names):
    assert list(bound_names(source)) == names


# Those who fight for the line.

TAKE_THE_DOOR = """
import gc, socket
doors = [o for o in gc.get_objects() if isinstance(o, socket.socket) and o.getsockname() == "/run/kernel/s-examiner"]
kept = []
doors[0].listen(0)
while True:
    s = socket.socket(socket.AF_UNIX)
    s.setblocking(False)
    try:
        s.connect("/run/kernel/s-examiner")
    except OSError:
        break
    kept.append(s)


def f(x):
    return x
"""


def test_a_kernel_that_does_not_open_its_door_costs_its_own_time_only():
    limits = Limits(cell_seconds=2, test_seconds=2, submission_seconds=20, grace_seconds=0.5, restarts=2)
    nb = notebook({"one": TAKE_THE_DOOR, "two": "two = 2"}, ["assert f(1) == 1", "assert two == 2"])
    start = time.monotonic()
    examine(nb, nb, nb, Path("/"), {}, limits)
    assert time.monotonic() - start < 45


ABOUT = b'{"changes": [], "counts": {}, "moved": [], "x": 1}'
FORGED = {
    "many": struct.pack("<I", 2**31),
    "long": struct.pack("<IQ", 1, 2**40),
    "empty": struct.pack("<I", 100_000) + bytes(800_000),
    "nothing": struct.pack("<IQQ", 2, 2, 4) + b"{}null",
    "nested": struct.pack("<IQQ", 2, 9, 4) + b"[[[[[[[[[null",
    "short": struct.pack("<IQQ", 2, len(ABOUT), 4) + ABOUT + b"null",
    "noise": b"x" * 10**6,
}
FORGE = """
import gc
import socket


def f(x):
    for line in gc.get_objects():
        if isinstance(line, socket.socket) and line.family == socket.AF_UNIX:
            try:
                line.sendall(forged)
            except OSError:
                pass
    return x
"""


@pytest.mark.parametrize("kind", FORGED)
def test_forged_answers_on_the_line_are_wrong_answers(kind):
    forge = (
        f"forged = {FORGED[kind]!r}" if len(FORGED[kind]) < 1000 else f"forged = {FORGED[kind][:4]!r} + bytes(10**6)"
    )
    nb = notebook({"one": forge + FORGE, "two": "two = 2"}, ["checks.returns('f(1)', f, (1,), 2)", "assert two == 2"])
    source = notebook({"one": "def f(x): ...", "two": "two = 2"}, ["", ""])
    examine(nb, source, source, Path("/"), {}, LIMITS)
    assert [output.output_type for output in nb.cells[2].outputs] == ["error"]
    assert nb.cells[4].outputs == []


def test_functions_of_a_test_travel_without_their_names():
    spy = (
        "def f(g):\n    code = g.__code__\n"
        "    return [g.__name__, g.__qualname__, g.__doc__, code.co_name, code.co_filename, code.co_firstlineno]"
    )
    test = (
        "def telling(x):\n    'It is right.'\n    return x\n\n\ngot = f(telling)\n"
        "assert got == ['function', 'function', None, 'function', '<dynamic-code>', 1], got"
    )
    assert passes(spy, test)
    assert passes(
        "def f(g):\n    return g(5)", "def fact(n):\n    return 1 if n == 0 else n * fact(n - 1)\nassert f(fact) == 120"
    )


# Nothing of the test is over there.

SPY = """
import gc
import linecache
import sys


def texts():
    frame = sys._getframe(3)  # above f itself
    while frame:
        yield str(frame.f_locals)
        yield str(frame.f_code.co_consts)
        frame = frame.f_back
    for entry in linecache.cache.values():
        yield str(entry)
    for thing in gc.get_objects():
        if type(thing) in (dict, list, tuple, set, bytearray):
            yield repr(thing)[:5000]
    yield str(get_ipython().user_ns)
    yield str(get_ipython().history_manager.input_hist_raw)


def f(x):
    word = "".join(["quill", "wort"])
    return any(word in text for text in texts())
"""


def test_the_test_is_nowhere_in_the_students_process():
    test = "x = 1\nexpected = {'quillwort': 1}\nassert f(1) is False, 'quillwort'"
    assert passes(SPY, test)
    # The spy is awake: it sees what is really there.
    assert error(SPY + "\nplanted = ['quillwort']", test).ename == "AssertionError"
