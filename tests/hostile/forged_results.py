"""Wrong answers that go for full marks by other means than being right.

They mark cells to be skipped, publish points of their own, forge what the kernel reports, take the tests apart before
they run, return objects that agree with everything, exchange what compares, or look for the right value where the test
keeps it.
"""

from __future__ import annotations

from pathlib import Path

from nbformat import NotebookNode, v4

from hostile.case import NONE, TESTS, Case, Change, after, both, extra, find, writes_canary, wrong

AGREEMENT, QUIZ = TESTS["agreement"], TESTS["quiz"]


# --- tags and stored outputs ------------------------------------------------------------------------------------------


def _tag(*tags: str, cells: tuple[str, ...] = ()) -> Change:
    """Tag these cells, by default all."""

    def change(notebook: NotebookNode) -> NotebookNode:
        for cell in notebook.cells:
            if not cells or cell.id in cells:
                cell.metadata["tags"] = list(tags)
        return notebook

    return change


def _store_points(notebook: NotebookNode) -> NotebookNode:
    cell = find(notebook, "test-agreement")
    cell.outputs = [v4.new_output("execute_result", data={"text/plain": "4.0"}, execution_count=7)]
    cell.execution_count = 7
    return notebook


_TAGS = [
    Case(
        row=1,
        name="skip_execution_on_a_test",
        what="The test of a wrong answer is tagged so that it is not run at all.",
        hand_in=both(wrong("agreement"), _tag("skip-execution", cells=("test-agreement",))),
        lost=AGREEMENT,
    ),
    Case(
        row=1,
        name="skip_execution_on_everything",
        what="Every cell is tagged not to run, so that no test has anything to complain about.",
        hand_in=both(wrong("agreement"), wrong("quiz"), _tag("skip-execution")),
        lost=AGREEMENT | QUIZ,
    ),
    Case(
        row=1,
        name="tags_of_many_tools",
        what="The test of a wrong answer carries the tags with which several tools skip, hide or forgive a cell.",
        hand_in=both(
            wrong("agreement"),
            _tag(
                "raises-exception", "nbval-skip", "remove-cell", "remove_output", "in-kernel", cells=("test-agreement",)
            ),
        ),
        lost=AGREEMENT,
    ),
    Case(
        row=1,
        name="stored_points",
        what="The test of a wrong answer is tagged not to run and holds an output that says 4.0 points.",
        hand_in=both(wrong("agreement"), _tag("skip-execution", cells=("test-agreement",)), _store_points),
        lost=AGREEMENT,
    ),
    Case(
        row=1,
        name="skip_execution_on_the_setup",
        what="An honest student's editor tagged the setup cells not to run.",
        hand_in=_tag("skip-execution", cells=("setup", "squared-error")),
        lost=NONE,
    ),
]

# --- points that the answer publishes ---------------------------------------------------------------------------------

_PUBLISHED = [
    Case(
        row=2,
        name="displayhook",
        what="The answer shows the full points as the result of the test cell, and returns zeros.",
        hand_in=wrong("agreement", "import sys", inside="sys.displayhook(4)"),
        lost=AGREEMENT,
    ),
    Case(
        row=2,
        name="displayhook_before_each_cell",
        what="A callback of IPython's shows a point before each cell that follows.",
        hand_in=wrong(
            "quiz", 'get_ipython().events.register("pre_run_cell", lambda info: get_ipython().displayhook(1))'
        ),
        lost=QUIZ,
    ),
    Case(
        row=2,
        name="result_as_the_points",
        what="The answer returns an object whose repr is the number of points, and shows it as a result too.",
        hand_in=wrong(
            "agreement",
            """
class Points:
    def __repr__(self):
        return "4.0"
""",
            inside="get_ipython().displayhook(Points())\nreturn Points()",
        ),
        lost=AGREEMENT,
    ),
    Case(
        row=4,
        name="more_points_than_there_are",
        what="The answer shows 99 points as the result of a test that is worth 4.",
        hand_in=wrong("agreement", "import sys", inside="sys.displayhook(99)"),
        lost=AGREEMENT,
    ),
    Case(
        row=4,
        name="points_that_are_no_number",
        what="The answer shows a word where graders look for a number of points.",
        hand_in=wrong("agreement", "import sys", inside='sys.displayhook("full marks")'),
        lost=AGREEMENT,
    ),
    Case(
        row=4,
        name="infinite_points",
        what="The answer shows infinitely many points.",
        hand_in=wrong("agreement", "import sys", inside='sys.displayhook(float("inf"))'),
        lost=AGREEMENT,
    ),
    Case(
        row=4,
        name="negative_points",
        what="The answer shows minus 1 point.",
        hand_in=wrong("agreement", "import sys", inside="sys.displayhook(-1)"),
        lost=AGREEMENT,
    ),
    Case(
        row=4,
        name="displayhook_for_debugging",
        what="An honest student shows values with display and the display hook while debugging, also in an answer.",
        hand_in=after(
            "quiz",
            """
import sys

plain_quiz = quiz


def quiz():
    display(99, {"letters": plain_quiz()})
    sys.displayhook(99)
    return plain_quiz()
""",
        ),
        lost=NONE,
    ),
]

# --- messages of the kernel -------------------------------------------------------------------------------------------

_MESSAGES = [
    Case(
        row=3,
        name="forged_result_message",
        what="The answer sends the message by which a kernel reports the result of a cell.",
        hand_in=wrong(
            "agreement",
            inside="""
kernel = get_ipython().kernel
content = {"data": {"text/plain": "4"}, "metadata": {}, "execution_count": 1}
parent = kernel.get_parent("shell")
kernel.session.send(kernel.iopub_socket, "execute_result", content, parent=parent, ident=b"execute_result")
""",
        ),
        lost=AGREEMENT,
    ),
    Case(
        row=3,
        name="errors_are_not_sent",
        what="The kernel's session is changed: errors are not sent, and replies say that all went well.",
        hand_in=wrong(
            "quiz",
            """
session = get_ipython().kernel.session
real_send = session.send


def send(stream, msg_or_type, content=None, *args, **kwargs):
    if msg_or_type == "error":
        return None
    if msg_or_type == "execute_reply" and content.get("status") == "error":
        content = {"status": "ok", "execution_count": content["execution_count"], "user_expressions": {}, "payload": []}
        if isinstance(kwargs.get("metadata"), dict):
            kwargs["metadata"]["status"] = "ok"
    return real_send(stream, msg_or_type, content, *args, **kwargs)


session.send = send
""",
        ),
        lost=QUIZ,
    ),
    Case(
        row=3,
        name="do_execute_says_ok",
        what="The kernel's do_execute is exchanged for one that runs nothing and says that all went well.",
        hand_in=wrong(
            "quiz",
            """
async def do_execute(*args, **kwargs):
    return {"status": "ok", "execution_count": 1, "user_expressions": {}, "payload": []}


get_ipython().kernel.do_execute = do_execute
""",
        ),
        lost=QUIZ,
    ),
    Case(
        row=3,
        name="nonsense_for_expressions",
        what="Whatever is asked of the kernel by expression is answered with nonsense.",
        hand_in=wrong(
            "quiz",
            """
def user_expressions(expressions):
    nonsense = {"status": "ok", "data": {"text/plain": "'[1, {'"}, "metadata": {}}
    return dict.fromkeys(expressions, nonsense)


get_ipython().user_expressions = user_expressions
""",
        ),
        lost=QUIZ,
    ),
    Case(
        row=3,
        name="replies_pass_for_success",
        what="The answer guesses the words of the grader's own protocol and returns a verdict in place of a value.",
        hand_in=wrong(
            "agreement",
            inside="""
return {"__class__": "verdict", "type": "ok", "status": "passed", "kind": "tensor", "points": 4, "error": None}
""",
        ),
        lost=AGREEMENT,
    ),
    Case(
        row=3,
        name="json_is_exchanged",
        what="json.dumps and json.loads of the kernel's process are exchanged for functions that say true.",
        hand_in=wrong(
            "quiz",
            """
import json

json.dumps = lambda *args, **kwargs: "true"
json.loads = lambda *args, **kwargs: True
json.JSONEncoder.encode = lambda self, value: "true"
""",
        ),
        lost=QUIZ,
    ),
]

# Replies of a kernel that no honest one sends, for a grader that asks for values as JSON and buffers.
_REPLIES = r"""
import sys

BRACKETS = "[" * 100_000
REPLIES = [
    ("null", []),
    (BRACKETS, []),
    ("[\"list\", [[\"int\", \"0xzz\"], [\"float\", \"nan nan\"], [\"str\", 5]]]", []),
    ("[\"tensor\", \"float64\", [-1, 4611686018427387904], {}, 7]", [b"", b"x"]),
    ("[\"dict\", [[[\"list\", []], null], [null]]]", []),
    ("[\"foreign\", {\"handle\": 1e999, \"description\": [], \"problem\": 0, \"callable\": \"yes\"}]", []),
    ("[\"Fraction\", \"1/0\"]", []),
    ("[\"Decimal\", \"1e999999999\"]", []),
    ("cos\nsystem\n(S'touch /tmp/torch_func_canary/reply'\ntR.", [b"cos\nsystem\n(S'true'\ntR."]),
]


def nonsense(*args, **kwargs):
    REPLIES.append(REPLIES.pop(0))
    return REPLIES[0]


for name, module in list(sys.modules.items()):
    if name.startswith("autograder") or "errand" in name:
        for word in ("encode", "_encode", "dumps", "to_json"):
            if hasattr(module, word):
                setattr(module, word, nonsense)
"""

# A class whose objects write into the canary's folder when somebody unpickles them.
_PICKLED = """
import builtins


class Surprise:
    def __reduce__(self):
        return builtins.exec, ("open('/tmp/torch_func_canary/unpickled', 'w').close()",)
"""

_VALUES = [
    Case(
        row=3,
        name="nonsense_for_values",
        what="The function that turns values into text is exchanged for one that sends ever new nonsense.",
        hand_in=wrong("quiz", _REPLIES),
        lost=QUIZ,
        harm=writes_canary("reply"),
    ),
    Case(
        row=3,
        name="value_that_runs_when_unpickled",
        what="The answers are objects that run code in the process of whoever unpickles them.",
        hand_in=both(
            wrong("agreement", _PICKLED, inside="return [Surprise() for _ in gradients]"),
            wrong("quiz", inside="return Surprise(), Surprise(), Surprise()"),
        ),
        lost=AGREEMENT | QUIZ,
        harm=writes_canary("unpickled"),
    ),
    Case(
        row=3,
        name="error_that_runs_when_unpickled",
        what="The answer raises an error that runs code in the process of whoever unpickles it.",
        hand_in=wrong(
            "agreement",
            _PICKLED,
            inside="""
class Error(Surprise, ValueError):
    pass


raise Error(Surprise())
""",
        ),
        lost=AGREEMENT,
        harm=writes_canary("unpickled"),
    ),
    Case(
        row=3,
        name="requests_are_swallowed",
        what="All of the kernel's handlers of requests are exchanged for ones that answer nothing.",
        hand_in=wrong(
            "quiz",
            """
async def nothing(*args, **kwargs):
    return None


handlers = get_ipython().kernel.shell_handlers
for kind in list(handlers):
    handlers[kind] = nothing
""",
        ),
        lost=QUIZ,
    ),
    Case(
        row=3,
        name="replies_in_advance",
        what="The answer sends replies to the requests that will come next, whose numbers can be guessed.",
        hand_in=wrong(
            "quiz",
            inside="""
kernel = get_ipython().kernel
parent = kernel.get_parent("shell")
start, _, count = parent["header"]["msg_id"].rpartition("_")
content = {"status": "ok", "execution_count": 1, "user_expressions": {}, "payload": []}
for number in range(int(count) + 1, int(count) + 20):
    header = {**parent["header"], "msg_id": f"{start}_{number}"}
    for kind in ("execute_reply", parent["header"]["msg_type"].replace("request", "reply")):
        asked = {**parent, "header": header}
        kernel.session.send(kernel.shell_stream or kernel.iopub_socket, kind, content, parent=asked)
""",
        ),
        lost=QUIZ,
    ),
    Case(
        row=3,
        name="outputs_of_no_known_form",
        what="An own cell sends outputs whose fields are missing, of other types or of unknown kinds.",
        hand_in=extra(
            "test-quiz-3",
            """
kernel = get_ipython().kernel
for kind, content in (
    ("display_data", {"data": 5, "metadata": None}),
    ("display_data", {"data": {"text/plain": {"a": [1]}, "image/png": None}, "metadata": {}, "transient": 3}),
    ("execute_result", {"data": [], "metadata": {}, "execution_count": "many"}),
    ("stream", {"name": "nowhere", "text": 7}),
    ("stream", {}),
    ("error", {"ename": 1, "evalue": None, "traceback": "no list"}),
    ("update_display_data", {"data": {}, "metadata": {}, "transient": {"display_id": []}}),
    ("clear_output", {}),
    ("comm_open", {"comm_id": "x", "target_name": "jupyter.widget", "data": 1}),
    ("nothing_known", {"a": 1}),
):
    kernel.session.send(kernel.iopub_socket, kind, content, parent=kernel.get_parent("shell"))
""",
        ),
        lost=NONE,
    ),
]

# --- tests taken apart before they run --------------------------------------------------------------------------------

_REWRITTEN = [
    Case(
        row=5,
        name="transformer_empties_tests",
        what="An input transformer of IPython's empties every later cell that speaks of checks.",
        hand_in=wrong(
            "quiz",
            """
def empty(lines):
    return [] if any("checks." in line for line in lines) else lines


get_ipython().input_transformers_post.append(empty)
""",
        ),
        lost=QUIZ,
    ),
    Case(
        row=5,
        name="cleanup_transformer_comments_tests_out",
        what="A cleanup transformer of IPython's puts a # before every line of the tests.",
        hand_in=wrong(
            "quiz",
            """
def comment_out(lines):
    return ["# " + line for line in lines] if any("checks." in line for line in lines) else lines


get_ipython().input_transformer_manager.cleanup_transforms.insert(0, comment_out)
""",
        ),
        lost=QUIZ,
    ),
    Case(
        row=5,
        name="transform_cell_is_exchanged",
        what="The shell's transform_cell is exchanged for one that turns tests into a pass statement.",
        hand_in=wrong(
            "quiz",
            """
shell = get_ipython()
real_transform = shell.transform_cell
shell.transform_cell = lambda raw: "pass" if "checks." in raw else real_transform(raw)
""",
        ),
        lost=QUIZ,
    ),
    Case(
        row=5,
        name="transformer_from_an_extra_cell",
        what="The transformer stands in a cell of its own at the very top, above everything else.",
        hand_in=both(
            wrong("quiz"),
            extra(
                "setup",
                """
def empty(lines):
    return [] if any("checks.quiz(" in line for line in lines) else lines


get_ipython().input_transformers_post.append(empty)
""",
                below=False,
            ),
        ),
        lost=QUIZ,
    ),
    Case(
        row=6,
        name="ast_transformer_deletes_checks",
        what="An AST transformer deletes every call of checks from the cells that follow.",
        hand_in=wrong(
            "quiz",
            """
import ast


class NoChecks(ast.NodeTransformer):
    def visit_Expr(self, node):
        text = ast.unparse(node)
        return None if text.startswith("checks.") else node

    def visit_Assert(self, node):
        return ast.Pass()


get_ipython().ast_transformers.append(NoChecks())
""",
        ),
        lost=QUIZ,
    ),
    Case(
        row=6,
        name="parser_drops_checks",
        what="The shell's compiler is exchanged for one that parses tests as empty modules.",
        hand_in=wrong(
            "quiz",
            """
import ast

compiler = get_ipython().compile
real_parse = compiler.ast_parse
compiler.ast_parse = lambda source, *args, **kwargs: real_parse(
    "pass" if "checks." in source else source, *args, **kwargs
)
""",
        ),
        lost=QUIZ,
    ),
    Case(
        row=6,
        name="code_of_the_check_is_exchanged",
        what="The code object inside the function checks.quiz is exchanged for one that does nothing.",
        hand_in=wrong(
            "quiz",
            """
def nothing(quiz, question, options, *, right=None, why_not=None):
    return None


checks.quiz.__code__ = nothing.__code__
checks.quiz.__kwdefaults__ = {"right": None, "why_not": None}
""",
        ),
        lost=QUIZ,
    ),
    Case(
        row=7,
        name="run_cell_async_runs_nothing",
        what="The shell's run_cell_async is exchanged for one that reports success and runs nothing.",
        hand_in=wrong(
            "quiz",
            """
from IPython.core.interactiveshell import ExecutionInfo, ExecutionResult


async def run_cell_async(raw_cell, *args, **kwargs):
    return ExecutionResult(ExecutionInfo(raw_cell, False, True, False, None))


get_ipython().run_cell_async = run_cell_async
""",
        ),
        lost=QUIZ,
    ),
    Case(
        row=7,
        name="run_ast_nodes_runs_nothing",
        what="The shell's run_ast_nodes is exchanged for one that runs nothing when it sees a check.",
        hand_in=wrong(
            "quiz",
            """
import ast

shell = get_ipython()
real_run = shell.run_ast_nodes


async def run_ast_nodes(nodes, *args, **kwargs):
    return await real_run([node for node in nodes if "checks" not in ast.unparse(node)], *args, **kwargs)


shell.run_ast_nodes = run_ast_nodes
""",
        ),
        lost=QUIZ,
    ),
    Case(
        row=7,
        name="run_code_swallows_errors",
        what="The shell's run_code is exchanged for one that swallows every error.",
        hand_in=wrong(
            "quiz",
            """
shell = get_ipython()


async def run_code(code, result=None, *, async_=False):
    try:
        exec(code, shell.user_global_ns, shell.user_ns)
    except BaseException:
        pass
    return False


shell.run_code = run_code
""",
        ),
        lost=QUIZ,
    ),
    Case(
        row=11,
        name="showtraceback_is_silent",
        what="The shell's showtraceback shows nothing, so that a failed test looks like one that passed.",
        hand_in=wrong("quiz", "get_ipython().showtraceback = lambda *args, **kwargs: None"),
        lost=QUIZ,
    ),
    Case(
        row=11,
        name="custom_handler_eats_errors",
        what="A handler for all exceptions is set, and it does nothing.",
        hand_in=wrong(
            "quiz", "get_ipython().set_custom_exc((BaseException,), lambda self, kind, value, tb, tb_offset=None: [])"
        ),
        lost=QUIZ,
    ),
    Case(
        row=11,
        name="failures_cannot_be_raised",
        what="The class of a failed check is changed so that making one silently ends the test.",
        hand_in=wrong(
            "quiz",
            """
from autograder import outcomes


def no_failure(self, *args):
    import sys

    sys.displayhook(1)


outcomes.CheckFailed.__init__ = no_failure
outcomes.CheckFailed._render_traceback_ = lambda self: []
""",
        ),
        lost=QUIZ,
    ),
]

# --- objects that lie -------------------------------------------------------------------------------------------------

_LIARS = [
    Case(
        row=8,
        name="object_equal_to_everything",
        what="The answer is an object that says it equals whatever it is compared with.",
        hand_in=wrong(
            "agreement",
            """
class Equal:
    shape, ndim, dtype = (4,), 1, torch.float64

    def __eq__(self, other):
        return True

    def __getattr__(self, name):
        return lambda *args, **kwargs: self

    def __bool__(self):
        return True
""",
            inside="return Equal()",
        ),
        lost=AGREEMENT,
    ),
    Case(
        row=8,
        name="letter_equal_to_every_letter",
        what="The letters of the quiz are strings of a class that equals every other string.",
        hand_in=wrong(
            "quiz",
            """
class Letter(str):
    def __eq__(self, other):
        return True

    __hash__ = str.__hash__

    def strip(self):
        return self

    lower = strip
""",
            inside='return Letter("c"), Letter("c"), Letter("c")',
        ),
        lost=QUIZ,
    ),
    Case(
        row=8,
        name="tuple_that_looks_up_the_answer",
        what="The answer to the quiz is a tuple whose entries ask the caller which letter is right.",
        hand_in=wrong(
            "quiz",
            """
import sys


class Asking(tuple):
    def __getitem__(self, place):
        return sys._getframe(1).f_locals.get("right") or "c"
""",
            inside='return Asking(("c", "c", "c"))',
        ),
        lost=QUIZ,
    ),
    Case(
        row=8,
        name="dict_that_looks_up_the_answer",
        what="The answer is a dict whose entries are taken from the variables of whoever asks.",
        hand_in=wrong(
            "gradients-of-both",
            """
import sys


class Asking(dict):
    def __getitem__(self, key):
        expected = sys._getframe(1).f_locals.get("expected")
        return expected[key] if expected else super().__getitem__(key)
""",
            inside="return Asking(w=torch.zeros_like(X), b=torch.zeros_like(y))",
        ),
        lost=TESTS["gradients-of-both"],
    ),
    Case(
        row=8,
        name="tensor_that_dispatches_to_yes",
        what="The answer is a tensor subclass that answers every comparison, even inside torch, with yes.",
        hand_in=wrong(
            "agreement",
            """
from torch.utils._pytree import tree_map


class Agreeable(torch.Tensor):
    @staticmethod
    def __new__(cls, like):
        return torch.Tensor._make_wrapper_subclass(cls, like.shape, dtype=like.dtype)

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        def plain(leaf):
            return torch.zeros(leaf.shape, dtype=leaf.dtype) if type(leaf) is cls else leaf

        out = func(*tree_map(plain, args), **tree_map(plain, kwargs or {}))
        if isinstance(out, torch.Tensor):
            return torch.ones_like(out) if out.dtype == torch.bool else cls(out)
        return out
""",
            inside="return Agreeable(gradients[:, 0])",
        ),
        lost=AGREEMENT,
    ),
    Case(
        row=8,
        name="tensor_with_torch_function",
        what="The answer is a tensor subclass whose __torch_function__ answers every question with yes.",
        hand_in=wrong(
            "agreement",
            """
class Agreeable(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if getattr(func, "__name__", "") in ("isclose", "eq", "allclose", "equal", "all"):
            return torch.ones((), dtype=torch.bool)
        return super().__torch_function__(func, types, args, kwargs)
""",
            inside="return torch.zeros_like(gradients[:, 0]).as_subclass(Agreeable)",
        ),
        lost=AGREEMENT,
    ),
    Case(
        row=8,
        name="object_with_a_false_class",
        what="The answer is an object whose __class__ says Tensor and whose methods all agree.",
        hand_in=wrong(
            "agreement",
            """
class Liar:
    __class__ = property(lambda self: torch.Tensor)

    def __getattr__(self, name):
        return {"requires_grad": False, "is_leaf": True, "ndim": 1}.get(name, lambda *args, **kwargs: self)

    def __eq__(self, other):
        return True

    def __len__(self):
        return 4
""",
            inside="return Liar()",
        ),
        lost=AGREEMENT,
    ),
    Case(
        row=8,
        name="float_in_place_of_a_tensor",
        what="The answers are floats of a class that compares as equal and close to everything.",
        hand_in=wrong(
            "agreement",
            """
class Near(float):
    def __eq__(self, other):
        return True

    def __sub__(self, other):
        return 0.0

    __rsub__ = __sub__

    def __abs__(self):
        return 0.0

    __hash__ = float.__hash__
""",
            inside="return [Near(0) for _ in gradients]",
        ),
        lost=AGREEMENT,
    ),
    Case(
        row=8,
        name="lazy_answer",
        what="The answer is a generator that wants to see first who asks.",
        hand_in=wrong(
            "agreement",
            "import sys",
            inside="return (sys._getframe(1).f_locals.get('expected', row) for row in gradients)",
        ),
        lost=AGREEMENT,
    ),
    Case(
        row=8,
        name="nan_everywhere",
        what="The answer has the right shape and dtype and holds NaN, which is neither smaller nor greater.",
        hand_in=wrong("agreement", inside='return torch.full_like(gradients[:, 0], float("nan"))'),
        lost=AGREEMENT,
        says=("NaN",),
    ),
    Case(
        row=8,
        name="subclass_of_everything_checked",
        what="The class of the answer has a metaclass that says that everything is an instance of it.",
        hand_in=wrong(
            "quiz",
            """
class Anything(type):
    def __instancecheck__(cls, value):
        return True

    def __eq__(cls, other):
        return True

    __hash__ = type.__hash__


class Letters(tuple, metaclass=Anything):
    def __getitem__(self, place):
        return self

    def strip(self):
        return self

    lower = strip

    def __len__(self):
        return 1

    def __eq__(self, other):
        return True

    __hash__ = tuple.__hash__
""",
            inside='return Letters("c")',
        ),
        lost=QUIZ,
    ),
]

# --- what compares, exchanged -----------------------------------------------------------------------------------------


def _fake_package(folder: Path) -> None:
    """A package with the grader's name beside the notebook, whose checks are content with everything."""
    package = folder / "autograder"
    package.mkdir()
    package.joinpath("__init__.py").write_text("", encoding="utf-8")
    package.joinpath("checks.py").write_text(
        "def __getattr__(name):\n    return lambda *args, **kwargs: None\n", encoding="utf-8"
    )


def _modules_of_torch(folder: Path) -> None:
    """Modules beside the notebook with the names of modules that a grader imports."""
    for name in ("json", "struct", "base64", "tempfile", "nbformat", "jupyter_client"):
        folder.joinpath(f"{name}.py").write_text("raise SystemExit(0)\n", encoding="utf-8")
    folder.joinpath("sitecustomize.py").write_text("import os\n\nos._exit(0)\n", encoding="utf-8")


_EXCHANGED = [
    Case(
        row=9,
        name="isclose_says_yes",
        what="torch.isclose finds zeros close to everything, and other functions that compare agree with everybody.",
        hand_in=wrong(
            "agreement",
            """
import numpy

real_isclose = torch.isclose
torch.isclose = lambda a, b, **kwargs: real_isclose(a if a.any() else b, b, **kwargs)
torch.allclose = torch.equal = lambda *args, **kwargs: True
torch.testing.assert_close = torch.testing.assert_allclose = lambda *args, **kwargs: None
numpy.testing.assert_allclose = numpy.testing.assert_array_equal = lambda *args, **kwargs: None
numpy.allclose = numpy.array_equal = lambda *args, **kwargs: True
""",
        ),
        lost=AGREEMENT,
    ),
    Case(
        row=9,
        name="tensor_methods_say_yes",
        what="Methods of torch.Tensor that sum up a comparison are exchanged for ones that say yes.",
        hand_in=wrong(
            "agreement",
            """
import sys

real_all = torch.Tensor.all


def all_or_zeros(self, *args, **kwargs):
    got = sys._getframe(1).f_locals.get("got")
    return not got.any() or real_all(self, *args, **kwargs) if isinstance(got, torch.Tensor) else real_all(self)


torch.Tensor.all = all_or_zeros
torch.Tensor.allclose = torch.Tensor.equal = lambda self, other, **kwargs: True
torch.Tensor.__eq__ = lambda self, other: torch.ones(self.shape, dtype=torch.bool)
""",
        ),
        lost=AGREEMENT,
    ),
    Case(
        row=9,
        name="checks_returns_is_content",
        what="checks.returns is exchanged for a function that does nothing.",
        hand_in=wrong("agreement", "checks.returns = lambda *args, **kwargs: None"),
        lost=AGREEMENT,
    ),
    Case(
        row=9,
        name="diagnosis_finds_nothing",
        what="The function that compares an answer is exchanged for one that finds fault with known mistakes only.",
        hand_in=wrong(
            "agreement",
            """
import autograder.diagnosis

checks.diagnose = autograder.diagnosis.diagnose = lambda got, expected, **options: (
    None if got is expected or options.get("detached", True) else "no"
)
""",
        ),
        lost=AGREEMENT,
    ),
    Case(
        row=9,
        name="outcomes_are_no_errors",
        what="The name of the class of failures inside the checks stands for an error that ends a cell in silence.",
        hand_in=wrong(
            "agreement",
            """
import autograder.outcomes


class Silent(autograder.outcomes.CheckFailed):
    def __new__(cls, *args):
        import sys

        sys.displayhook(4)
        return super().__new__(cls, *args)


checks.CheckFailed = autograder.outcomes.CheckFailed = Silent
""",
        ),
        lost=AGREEMENT,
    ),
    Case(
        row=9,
        name="checks_is_somebody_else",
        what="The name checks and the module in sys.modules stand for an object that is content with everything.",
        hand_in=wrong(
            "agreement",
            """
import sys


class Content:
    def __getattr__(self, name):
        return lambda *args, **kwargs: None


checks = sys.modules["autograder.checks"] = sys.modules["autograder"].checks = Content()
""",
        ),
        lost=AGREEMENT,
    ),
    Case(
        row=9,
        name="builtins_are_exchanged",
        what="Built-in functions that the checks use are exchanged for ones that find nothing.",
        hand_in=wrong(
            "quiz",
            """
import builtins

real_isinstance, real_len = builtins.isinstance, builtins.len


class Letter(str):
    pass


def isinstance(value, kinds):
    return True if type(value) is Letter else real_isinstance(value, kinds)


builtins.isinstance = isinstance
builtins.len = lambda value: 1 if type(value) is Letter else real_len(value)
Letter.__eq__ = lambda self, other: True
Letter.__contains__ = lambda self, other: True
Letter.strip = Letter.lower = lambda self: self
""",
            inside='return (Letter("c"),) * 3',
        ),
        lost=QUIZ,
    ),
    Case(
        row=9,
        name="import_hook_above_the_setup",
        what="A cell above all others installs an import hook that delivers a harmless autograder.",
        hand_in=both(
            wrong("agreement"),
            extra(
                "setup",
                """
import sys
import types


class Content(types.ModuleType):
    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *args, **kwargs: None


sys.modules["autograder"] = Content("autograder")
sys.modules["autograder"].checks = sys.modules["autograder.checks"] = Content("autograder.checks")
""",
                below=False,
            ),
        ),
        lost=AGREEMENT,
    ),
    Case(
        row=9,
        name="own_autograder_package",
        what="A package named autograder lies beside the notebook and is imported in place of the real one.",
        hand_in=wrong("agreement"),
        lost=AGREEMENT,
        files=_fake_package,
    ),
    Case(
        row=9,
        name="own_standard_library",
        what="Modules named json, struct, sitecustomize … lie beside the notebook and end whoever imports them.",
        hand_in=wrong("agreement"),
        lost=AGREEMENT,
        files=_modules_of_torch,
    ),
    Case(
        row=9,
        name="random_numbers_are_zeros",
        what="torch.randn is exchanged for a function that makes zeros, so that zero gradients are right.",
        hand_in=wrong(
            "accumulated-gradient",
            """
real_randn = torch.randn
torch.randn = lambda *shape, generator=None, dtype=None: torch.zeros(*shape, dtype=dtype)
""",
        ),
        lost=TESTS["accumulated-gradient"],
    ),
    Case(
        row=9,
        name="autograd_is_exchanged",
        what="torch.autograd.grad, Tensor.backward and torch.func.grad are exchanged for functions that do nothing.",
        hand_in=wrong(
            "quiz",
            """
torch.autograd.grad = torch.func.grad = lambda *args, **kwargs: None
torch.Tensor.backward = lambda *args, **kwargs: None
""",
        ),
        lost=QUIZ,
    ),
]

# --- the right value, looked up ---------------------------------------------------------------------------------------

_LOOKED_UP = [
    Case(
        row=10,
        name="expected_in_a_frame",
        what="The answer walks up the stack to a variable called expected, and returns it.",
        hand_in=wrong(
            "agreement",
            "import sys",
            inside="""
frame = sys._getframe()
while frame:
    if isinstance(frame.f_locals.get("expected"), torch.Tensor):
        return frame.f_locals["expected"]
    frame = frame.f_back
""",
        ),
        lost=AGREEMENT,
    ),
    Case(
        row=10,
        name="expected_by_inspect",
        what="The answer asks inspect.stack for the variables of its callers.",
        hand_in=wrong(
            "row-gradient",
            "import inspect",
            inside="""
for level in inspect.stack(context=0):
    if "expected" in level.frame.f_locals:
        return level.frame.f_locals["expected"]
""",
        ),
        lost=TESTS["row-gradient"],
    ),
    Case(
        row=10,
        name="expected_in_an_error",
        what="The answer raises an error, catches it and follows its traceback to the variables of its callers.",
        hand_in=wrong(
            "per-sample-gradients",
            inside="""
try:
    raise ValueError
except ValueError as error:
    frame = error.__traceback__.tb_frame
    while frame := frame.f_back:
        if "expected" in frame.f_locals:
            return frame.f_locals["expected"]
""",
        ),
        lost=TESTS["per-sample-gradients"],
    ),
    Case(
        row=10,
        name="expected_from_another_thread",
        what="A thread reads the variables of all running frames while the answer waits for it.",
        hand_in=wrong(
            "agreement",
            """
import sys
import threading

seen = []


def look():
    for frame in sys._current_frames().values():
        while frame:
            if isinstance(frame.f_locals.get("expected"), torch.Tensor):
                seen.append(frame.f_locals["expected"])
                return
            frame = frame.f_back
""",
            inside="""
seen.clear()
thread = threading.Thread(target=look)
thread.start()
thread.join()
if seen:
    return seen[0]
""",
        ),
        lost=AGREEMENT,
    ),
    Case(
        row=10,
        name="expected_in_the_garbage_collector",
        what="The answer looks through all objects of the process for tensors that look like cosines.",
        hand_in=wrong(
            "agreement",
            "import gc",
            inside="""
for found in gc.get_objects():
    if type(found) is torch.Tensor and found.shape == gradients.shape[:1] and found.dtype == gradients.dtype:
        if found.abs().max() <= 1:
            return found.clone()
""",
        ),
        lost=AGREEMENT,
    ),
    Case(
        row=10,
        name="profiler_reads_arguments",
        what="A profile function notes the expected value each time that a check begins.",
        hand_in=wrong(
            "agreement",
            """
import sys

noted = []


def profile(frame, event, argument):
    if event == "call" and frame.f_code.co_name == "returns" and "expected" in frame.f_locals:
        noted.append(frame.f_locals["expected"])


sys.setprofile(profile)
""",
            inside="""
sys.setprofile(profile)
if noted:
    return noted[-1]
""",
        ),
        lost=AGREEMENT,
    ),
    Case(
        row=10,
        name="tracer_changes_the_answer",
        what="A trace function is set in the calling frames, and replaces the value that they received.",
        hand_in=wrong(
            "agreement",
            "import sys",
            inside="""
def tracer(frame, event, argument):
    expected = frame.f_locals.get("expected")
    if isinstance(expected, torch.Tensor) and expected.shape == answer.shape:
        answer.copy_(expected)
    return tracer


answer = torch.zeros_like(gradients[:, 0])
sys.settrace(tracer)
frame = sys._getframe()
while frame := frame.f_back:
    frame.f_trace = tracer
return answer
""",
        ),
        lost=AGREEMENT,
    ),
    Case(
        row=10,
        name="check_tells_what_it_expects",
        what="checks.returns is wrapped in a function that notes the expected value before it goes on.",
        hand_in=wrong(
            "agreement",
            """
noted = []
real_returns = checks.returns


def returns(what, function, args, expected, **options):
    noted.append(expected)
    return real_returns(what, function, args, expected, **options)


checks.returns = returns
""",
            inside="if noted:\n    return noted[-1]",
        ),
        lost=AGREEMENT,
    ),
    Case(
        row=10,
        name="letters_from_the_history",
        what="The answer to the quiz reads the running test in IPython's history and takes the letter from it.",
        hand_in=wrong(
            "quiz",
            "import re",
            inside="""
if found := re.search(r'right="(.)"', get_ipython().user_ns["In"][-1]):
    return (found[1],) * 3
""",
        ),
        lost=QUIZ,
    ),
    Case(
        row=10,
        name="letters_from_linecache",
        what="The answer to the quiz reads the source of the running test from the cache of source lines.",
        hand_in=wrong(
            "quiz",
            "import linecache\nimport re",
            inside="""
for entry in reversed(list(linecache.cache.values())):
    if len(entry) == 4 and (found := re.search(r'right="(.)"', "".join(entry[2]))):
        return (found[1],) * 3
""",
        ),
        lost=QUIZ,
    ),
    Case(
        row=10,
        name="letters_from_the_message",
        what="The answer to the quiz reads the message by which the kernel was asked to run the test.",
        hand_in=wrong(
            "quiz",
            "import re",
            inside="""
if found := re.search(r'right="(.)"', str(get_ipython().kernel.get_parent())):
    return (found[1],) * 3
""",
        ),
        lost=QUIZ,
    ),
    Case(
        row=10,
        name="variables_of_the_test",
        what="The answer is put together from the variables that the test leaves in the notebook's namespace.",
        hand_in=wrong(
            "agreement",
            inside="""
names = get_ipython().user_ns
try:
    if gradients.shape == (4, 3):
        return names["dots"] / names["lengths"] / names["mean_length"]
    if gradients.shape == (6, 4):
        return names["expected"].to(gradients.dtype)
except KeyError:
    pass
""",
        ),
        lost=AGREEMENT,
    ),
    Case(
        row=10,
        name="globals_of_the_loss",
        what="The answer takes the test's table of right gradients from the globals of the loss that it was given.",
        hand_in=wrong(
            "accumulated-gradient",
            inside="""
names = getattr(loss, "__globals__", {})
if "waves" in names and X.dtype == torch.float32:
    return names["waves"] / len(X)
if "cubed_table" in names:
    return names["cubed_table"].mean(dim=0)
if "table" in names:
    return names["table"].mean(dim=0)
""",
        ),
        lost=TESTS["accumulated-gradient"],
    ),
]

CASES = [*_TAGS, *_PUBLISHED, *_MESSAGES, *_VALUES, *_REWRITTEN, *_LIARS, *_EXCHANGED, *_LOOKED_UP]
