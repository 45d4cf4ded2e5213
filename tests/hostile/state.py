"""Answers that change what everything in their process shares, answers that are nearly right, and answers that ask.

Most of these students are honest. What one answer does to torch, to Python or to the names of the notebook may cost
that answer, and no other.
"""

from __future__ import annotations

from hostile.case import NONE, TESTS, Case, after, answer, before, both, extra, wrong

ROW, ROWS, BOTH = TESTS["row-gradient"], TESTS["per-sample-gradients"], TESTS["gradients-of-both"]
AGREEMENT, QUIZ = TESTS["agreement"], TESTS["quiz"]

# --- noise on stderr --------------------------------------------------------------------------------------------------

_NOISE = [
    Case(
        row=36,
        name="warnings_in_every_call",
        what="A right answer warns in every call, in the strictest classes of warnings.",
        hand_in=after(
            "agreement",
            """
import warnings

quiet_agreement = agreement


def agreement(gradients):
    for kind in (UserWarning, DeprecationWarning, RuntimeWarning, FutureWarning):
        warnings.warn("mind this", kind, stacklevel=1)
    return quiet_agreement(gradients)
""",
        ),
        lost=NONE,
    ),
    Case(
        row=36,
        name="progress_bar",
        what="A right answer draws a progress bar on stderr.",
        hand_in=after(
            "per-sample-gradients",
            r"""
import sys

plain_gradients = per_sample_gradients


def per_sample_gradients(*args):
    for percent in range(0, 101, 5):
        print(f"\r{percent:3} %|{'#' * (percent // 5):20}|", end="", file=sys.stderr, flush=True)
    return plain_gradients(*args)
""",
        ),
        lost=NONE,
    ),
    Case(
        row=36,
        name="logging_and_c_code",
        what="A right answer logs everything, and C code writes to the file descriptor of stderr.",
        hand_in=after(
            "row-gradient",
            """
import logging
import os
import subprocess

logging.basicConfig(level=logging.DEBUG, force=True)
silent_row_gradient = row_gradient


def row_gradient(*args):
    logging.getLogger(__name__).error("called")
    os.write(2, b"[W] a library in C has something to say")
    subprocess.run("echo from a shell >&2", shell=True)
    return silent_row_gradient(*args)
""",
        ),
        lost=NONE,
    ),
    Case(
        row=36,
        name="warnings_are_errors",
        what="An honest student turns warnings into errors for the whole notebook, and torch warns later.",
        hand_in=both(
            before("row-gradient", 'import warnings\n\nwarnings.simplefilter("error")'),
            before("agreement", "torch.ones(1, requires_grad=True) + 0"),
        ),
        lost=NONE,
    ),
]

# --- names ------------------------------------------------------------------------------------------------------------

_NAMES = [
    Case(
        row=54,
        name="given_names_are_taken",
        what="An honest student's first answer cell uses names of the setup and of the tests for something else.",
        hand_in=after(
            "row-gradient",
            """
squared_error = checks = generator = "something of my own"
w = X = y = x_row = target = table = error = None
""",
        ),
        lost=NONE,
    ),
    Case(
        row=54,
        name="reset_between",
        what="An honest student's cell between two exercises deletes all names, and imports torch again.",
        hand_in=extra("test-gradients-of-both", "%reset -f\nimport torch"),
        lost=NONE,
    ),
    Case(
        row=54,
        name="reset_in_an_answer",
        what="The last answer cell deletes all names, its own answer with them.",
        hand_in=after("quiz", "%reset -f"),
        lost=QUIZ,
        says=("quiz",),
    ),
    Case(
        row=54,
        name="torch_is_none",
        what="One answer sets torch to None, which breaks it.",
        hand_in=wrong("agreement", inside="global torch\ntorch = None"),
        lost=AGREEMENT,
        says=("NoneType",),
    ),
    Case(
        row=54,
        name="shadowed_builtins",
        what="An honest student's last cell names things sum, list, len, print and isinstance.",
        hand_in=before("quiz", "sum = 3\nlist = [1]\nlen = print = isinstance = dict = type = getattr = None"),
        lost=NONE,
    ),
    Case(
        row=54,
        name="builtins_deleted",
        what="A cell below the last exercise deletes functions from Python itself.",
        hand_in=extra("test-quiz-3", "import builtins\n\ndel builtins.print, builtins.sum\nbuiltins.len = None"),
        lost=NONE,
    ),
    Case(
        row=54,
        name="answer_deleted_again",
        what="The cell of one answer deletes its function again.",
        hand_in=after("agreement", "del agreement"),
        lost=AGREEMENT,
        says=("agreement is not defined",),
    ),
    Case(
        row=54,
        name="answer_is_no_function",
        what="The name of one answer stands for its value in place of a function, and another's for a class.",
        hand_in=both(answer("quiz", 'quiz = ("b", "d", "a")'), answer("agreement", "class agreement:\n    pass")),
        lost=QUIZ | AGREEMENT,
    ),
]

# --- what torch and Python share --------------------------------------------------------------------------------------


def _shared(name: str, what: str, code: str, *, exercise: str = "row-gradient") -> Case:
    """An honest student's answer cell that changes something for good, and is right."""
    return Case(row=55, name=name, what=what, hand_in=after(exercise, code), lost=NONE)


_SHARED = [
    _shared(
        "default_dtype_in_the_cell",
        "An answer cell makes float64 the default for all new tensors.",
        "torch.set_default_dtype(torch.float64)",
    ),
    _shared(
        "default_dtype_in_the_call",
        "An answer makes float64 the default each time that it is called.",
        """
kept_row_gradient = row_gradient


def row_gradient(*args):
    torch.set_default_dtype(torch.float64)
    return kept_row_gradient(*args)
""",
    ),
    _shared("gradients_off", "An answer cell switches gradients off.", "torch.set_grad_enabled(False)"),
    _shared(
        "gradients_off_in_the_call",
        "An answer switches gradients off each time, after it has used them.",
        """
kept_row_gradient = row_gradient


def row_gradient(*args):
    torch.set_grad_enabled(True)
    gradient = kept_row_gradient(*args)
    torch.set_grad_enabled(False)
    return gradient
""",
    ),
    _shared(
        "default_device",
        "An answer cell makes a device without values the default for all new tensors.",
        'torch.set_default_device("meta")',
    ),
    _shared(
        "seeds",
        "An answer cell seeds all generators of random numbers, and draws from them.",
        """
import random

import numpy

torch.manual_seed(0)
random.seed(0)
numpy.random.seed(0)
torch.rand(1000)
""",
    ),
    _shared(
        "deterministic_algorithms",
        "An answer cell switches deterministic algorithms, anomaly detection and denormals.",
        """
torch.use_deterministic_algorithms(True)
torch.autograd.set_detect_anomaly(True)
torch.set_flush_denormal(True)
torch.set_printoptions(precision=1)
torch.set_num_threads(1)
""",
    ),
    _shared(
        "inference_mode_left_open",
        "An answer cell enters the mode for inference and does not leave it.",
        "mode = torch.inference_mode()\nmode.__enter__()",
        exercise="agreement",
    ),
    _shared(
        "working_folder_and_environment",
        "An answer cell changes the working folder, empties the environment and the list of places of modules.",
        'import os\nimport sys\n\nos.chdir("/")\nos.environ.clear()\nsys.path.clear()',
    ),
    _shared(
        "streams_closed",
        "An answer cell closes the standard streams and takes them away.",
        "import sys\n\nsys.stdout.close()\nsys.stderr.close()\nsys.stdout = sys.stderr = None",
        exercise="quiz",
    ),
    _shared(
        "recursion_limit",
        "An answer cell sets a small limit on recursion, and switches the garbage collector off.",
        "import gc\nimport sys\n\ngc.disable()\nsys.setrecursionlimit(150)",
        exercise="quiz",
    ),
    _shared(
        "signals_and_locale",
        "An answer cell sets handlers of signals, another language and a timer that never rings.",
        """
import locale
import signal

signal.signal(signal.SIGUSR1, signal.SIG_IGN)
signal.signal(signal.SIGALRM, lambda *args: None)
signal.alarm(2)
locale.setlocale(locale.LC_ALL, "C")
""",
    ),
    _shared(
        "excepthook_and_display",
        "An answer cell changes how errors and values are shown.",
        """
import sys

sys.excepthook = lambda *args: None
get_ipython().run_line_magic("xmode", "Minimal")
get_ipython().run_line_magic("config", "InteractiveShell.ast_node_interactivity = 'all'")
get_ipython().display_formatter.formatters["text/plain"].for_type(torch.Tensor, lambda value, p, cycle: p.text("?"))
""",
    ),
    Case(
        row=55,
        name="mode_that_agrees",
        what="A wrong answer installs a mode of torch in which zeros are close to everything.",
        hand_in=wrong(
            "agreement",
            """
from torch.overrides import TorchFunctionMode


class Agreeing(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        if getattr(func, "__name__", "") == "isclose" and not args[0].any():
            args = (args[1], args[1])
        return func(*args, **(kwargs or {}))


mode = Agreeing()
mode.__enter__()
""",
        ),
        lost=AGREEMENT,
    ),
    Case(
        row=55,
        name="default_dtype_hides_a_mistake",
        what="The answer returns numbers in the default dtype, which it has set to float64 for itself.",
        hand_in=answer(
            "row-gradient",
            """
torch.set_default_dtype(torch.float64)


def row_gradient(loss, w, x_row, target):
    leaf = torch.tensor(w.tolist(), requires_grad=True)
    loss(leaf, x_row.to(leaf.dtype), target.to(leaf.dtype)).backward()
    return leaf.grad
""",
        ),
        lost=ROW,
        says=("dtype",),
    ),
]

# --- nearly right -----------------------------------------------------------------------------------------------------

_NEARLY = [
    Case(
        row=58,
        name="wrong_dtype",
        what="The values are right and in float32 where float64 is asked for.",
        hand_in=after(
            "agreement",
            "exact_agreement = agreement\n\n\ndef agreement(gradients):\n    return exact_agreement(gradients).float()",
        ),
        lost=AGREEMENT,
        says=("dtype float32, expected float64",),
    ),
    Case(
        row=58,
        name="still_attached",
        what="The values are right and the result requires grad.",
        hand_in=answer(
            "row-gradient",
            """
def row_gradient(loss, w, x_row, target):
    leaf = w.clone().requires_grad_(True)
    return torch.autograd.grad(loss(leaf, x_row, target), leaf, create_graph=True)[0] + 0 * leaf
""",
        ),
        lost=ROW,
        says=("requires grad",),
    ),
    Case(
        row=58,
        name="one_axis_too_many",
        what="The values are right and stand in a column, which other comparisons broadcast.",
        hand_in=after(
            "agreement",
            "flat_agreement = agreement\n\n\ndef agreement(gradients):\n    return flat_agreement(gradients)[:, None]",
        ),
        lost=AGREEMENT,
        says=("axis of size 1",),
    ),
    Case(
        row=58,
        name="list_of_tensors",
        what="The right rows come as a list and not as one tensor.",
        hand_in=after(
            "per-sample-gradients",
            """
stacked = per_sample_gradients


def per_sample_gradients(*args):
    return list(stacked(*args))
""",
        ),
        lost=ROWS,
        says=("torch.stack",),
    ),
    Case(
        row=58,
        name="numpy_array",
        what="The right values come as a NumPy array.",
        hand_in=after(
            "agreement",
            "of_torch = agreement\n\n\ndef agreement(gradients):\n    return of_torch(gradients).numpy()",
        ),
        lost=AGREEMENT,
        says=("NumPy",),
    ),
    Case(
        row=58,
        name="tuple_for_a_dict",
        what="The right values come as a tuple where a dict is asked for.",
        hand_in=after(
            "gradients-of-both",
            """
as_dict = gradients_of_both


def gradients_of_both(*args):
    return tuple(as_dict(*args).values())
""",
        ),
        lost=BOTH,
        says=("dict",),
    ),
    Case(
        row=58,
        name="sparse_layout",
        what="The right values come as a sparse tensor.",
        hand_in=after(
            "agreement",
            "dense = agreement\n\n\ndef agreement(gradients):\n    return dense(gradients).to_sparse()",
        ),
        lost=AGREEMENT,
        says=("to_dense",),
    ),
    Case(
        row=58,
        name="changes_its_argument",
        what="The values are right and the weights that came in are changed.",
        hand_in=answer(
            "row-gradient",
            """
def row_gradient(loss, w, x_row, target):
    w.requires_grad_(True)
    loss(w, x_row, target).backward()
    return w.grad
""",
        ),
        lost=ROW,
        says=("argument w",),
    ),
    Case(
        row=58,
        name="view_of_its_argument",
        what="A right answer works in place on its own copy, and returns an ordered dict, a tuple of rows and a view.",
        hand_in=both(
            after(
                "gradients-of-both",
                """
from collections import OrderedDict

plain_dict = gradients_of_both


def gradients_of_both(*args):
    return OrderedDict(sorted(plain_dict(*args).items()))
""",
            ),
            after(
                "per-sample-gradients",
                """
contiguous = per_sample_gradients


def per_sample_gradients(*args):
    return contiguous(*args).T.contiguous().T
""",
            ),
        ),
        lost=NONE,
    ),
]

# --- errors of autograd -----------------------------------------------------------------------------------------------

_AUTOGRAD = [
    Case(
        row=60,
        name="item_cuts_the_graph",
        what="The answer takes the loss out of its tensor, and then wants to go back through it.",
        hand_in=answer(
            "row-gradient",
            """
def row_gradient(loss, w, x_row, target):
    leaf = w.clone().requires_grad_(True)
    loss(leaf, x_row, target).item().backward()
    return leaf.grad
""",
        ),
        lost=ROW,
        says=("raised AttributeError",),
    ),
    Case(
        row=60,
        name="no_leaf",
        what="The answer goes back through a loss that does not require grad.",
        hand_in=answer(
            "row-gradient",
            "def row_gradient(loss, w, x_row, target):\n    loss(w, x_row, target).backward()\n    return w.grad",
        ),
        lost=ROW,
        says=("raised RuntimeError",),
    ),
    Case(
        row=60,
        name="backward_twice",
        what="The answer goes back through the same graph twice.",
        hand_in=answer(
            "per-sample-gradients",
            """
def per_sample_gradients(loss, w, X, y):
    leaf = w.clone().requires_grad_(True)
    total = sum(loss(leaf, x_row, target) for x_row, target in zip(X, y))
    for _ in y:
        total.backward()
    return leaf.grad
""",
        ),
        lost=ROWS,
    ),
    Case(
        row=60,
        name="if_on_a_tensor_under_vmap",
        what="The answer asks for the truth of a tensor inside vmap.",
        hand_in=answer(
            "agreement",
            """
def agreement(gradients):
    mean = gradients.mean(dim=0)

    def cosine(row):
        return row @ mean / (row.norm() * mean.norm()) if row.norm() > 0 else row.new_zeros(())

    return torch.func.vmap(cosine)(gradients)
""",
        ),
        lost=AGREEMENT,
        says=("raised RuntimeError",),
    ),
    Case(
        row=60,
        name="random_numbers_under_vmap",
        what="The answer draws random numbers inside vmap without saying how.",
        hand_in=answer(
            "agreement",
            "def agreement(gradients):\n    return torch.func.vmap(lambda row: row @ torch.rand_like(row))(gradients)",
        ),
        lost=AGREEMENT,
        says=("raised RuntimeError",),
    ),
    Case(
        row=60,
        name="recursion_without_an_end",
        what="The answer calls itself without an end.",
        hand_in=wrong("agreement", inside="return agreement(gradients)"),
        lost=AGREEMENT,
        says=("RecursionError",),
    ),
    Case(
        row=60,
        name="tensor_carried_out_of_vmap",
        what="The answer carries a tensor out of vmap in a list.",
        hand_in=answer(
            "agreement",
            """
def agreement(gradients):
    kept = []
    torch.func.vmap(lambda row: kept.append(row.sum()) or row)(gradients)
    return kept[0]
""",
        ),
        lost=AGREEMENT,
        says=("vmap",),
    ),
]

# --- questions to nobody ----------------------------------------------------------------------------------------------

_QUESTIONS = [
    Case(
        row=71,
        name="input_in_the_answer",
        what="The answer to the quiz asks the person at the keyboard.",
        hand_in=answer("quiz", 'def quiz():\n    return input("1? "), input("2? "), input("3? ")'),
        lost=QUIZ,
    ),
    Case(
        row=71,
        name="input_below_the_answer",
        what="An honest student's own cell waits for the enter key, twice, and for a password.",
        hand_in=both(
            extra("test-row-gradient", 'input("Press enter to go on")'),
            extra("test-agreement", "from getpass import getpass\n\ngetpass()"),
            after("quiz", 'input("done?")'),
        ),
        lost=NONE,
    ),
    Case(
        row=71,
        name="figures",
        what="An honest answer shows a figure each time, by the default backend and by one with windows.",
        hand_in=after(
            "agreement",
            """
import matplotlib.pyplot as plt

try:
    plt.switch_backend("tkagg")
except ImportError:
    pass
without_figure = agreement


def agreement(gradients):
    plt.figure()
    plt.plot(gradients.numpy())
    plt.show(block=False)
    return without_figure(gradients)
""",
        ),
        lost=NONE,
    ),
    Case(
        row=71,
        name="breakpoint",
        what="An honest student forgot a breakpoint below an answer, and a debugger in a cell of their own.",
        hand_in=both(after("agreement", "breakpoint()"), extra("test-quiz-3", "1 / 0"), extra("title", "%pdb on")),
        lost=NONE,
    ),
    Case(
        row=71,
        name="reads_standard_input",
        what="The answer reads file descriptor 0 and runs a program that asks a question.",
        hand_in=wrong(
            "quiz",
            "import os\nimport subprocess",
            inside='subprocess.run(["cat"], timeout=20)\nos.read(0, 100)',
        ),
        lost=QUIZ,
    ),
    Case(
        row=71,
        name="waits_for_a_page",
        what="An honest student's last cell serves a page and waits for somebody to look at it, for a minute.",
        hand_in=extra(
            "test-quiz-3",
            """
from http.server import HTTPServer, SimpleHTTPRequestHandler

with HTTPServer(("127.0.0.1", 0), SimpleHTTPRequestHandler) as server:
    server.timeout = 60
    server.handle_request()
""",
        ),
        lost=NONE,
    ),
]

CASES = [*_NOISE, *_NAMES, *_SHARED, *_NEARLY, *_AUTOGRAD, *_QUESTIONS]
