"""Answers that take too much: time, output, disk, memory, processes; and values that are too much to hand over.

Each bomb has its bound in its own code: at most 300 MB on disk, 2 GB of memory (and only while as much again is free),
300 processes or threads that end within a minute. Tensors of a terabyte have no storage to match.
"""

from __future__ import annotations

from hostile.case import NONE, TESTS, Case, Scene, after, before, both, extra, survives, wrong

ROW, ROWS, BOTH = TESTS["row-gradient"], TESTS["per-sample-gradients"], TESTS["gradients-of-both"]
CHUNKS, AGREEMENT, QUIZ = TESTS["accumulated-gradient"], TESTS["agreement"], TESTS["quiz"]

# --- time -------------------------------------------------------------------------------------------------------------

_SLOW_CELLS = both(*[extra("test-quiz-3", f"import time\n\ntime.sleep(4)  # cell {n}") for n in range(15)])

_SLOWER = """
import time


def slower(function):
    def wait(*args):
        time.sleep(0.5)
        return function(*args)

    return wait


{0} = slower({0})
"""

_TIME = [
    Case(
        row=28,
        name="many_slow_cells",
        what="Below the last exercise stand fifteen cells of the student's own that take four seconds each.",
        hand_in=_SLOW_CELLS,
        lost=NONE,
    ),
    Case(
        row=28,
        name="slow_answers",
        what="All answers are right and take half a second for each call.",
        hand_in=both(*[after(exercise, _SLOWER.format(exercise.replace("-", "_"))) for exercise in TESTS]),
        lost=NONE,
    ),
    Case(
        row=28,
        name="a_thousand_cells",
        what="Below the last exercise stand a thousand small cells of the student's own.",
        hand_in=both(*[extra("test-quiz-3", f"x = {n}") for n in range(1000)]),
        lost=NONE,
    ),
    Case(
        row=28,
        name="slower_with_each_call",
        what="The answer is slow on each call, and the sum of all calls is longer than any one may be.",
        hand_in=wrong("accumulated-gradient", "import time", inside="time.sleep(5)"),
        lost=CHUNKS,
    ),
]

# --- output -----------------------------------------------------------------------------------------------------------


def _is_big(scene: Scene) -> str | None:
    """Say so if a file of this student's, as handed back, is bigger than 20 MB."""
    for step in ("autograded", "feedback"):
        for path in (scene.class_folder / step / scene.student).rglob("*"):
            if path.is_file() and not path.is_symlink() and path.stat().st_size > 20e6:
                return f"{path.name} in {step}/ takes {path.stat().st_size / 1e6:.0f} MB."
    return None


_OUTPUT = [
    Case(
        row=29,
        name="output_flood",
        what="The answer prints 200,000 lines each time that it is called, and is wrong.",
        hand_in=wrong("agreement", inside='for n in range(200_000):\n    print("line", n)'),
        lost=AGREEMENT,
        harm=_is_big,
    ),
    Case(
        row=29,
        name="one_long_line",
        what="A cell of the student's own prints one line of 50 MB.",
        hand_in=extra("test-quiz-3", 'print("x" * 50_000_000)'),
        lost=NONE,
        harm=_is_big,
    ),
    Case(
        row=29,
        name="flood_of_displays",
        what="An honest answer cell shows 2,000 results, and updates one of them 2,000 times.",
        hand_in=before(
            "row-gradient",
            """
from IPython.display import clear_output, display

handle = display("start", display_id=True)
for n in range(2_000):
    display(n)
    handle.update(n)
    clear_output(wait=True)
""",
        ),
        lost=NONE,
        harm=_is_big,
    ),
    Case(
        row=29,
        name="flood_from_c",
        what="The answer cell writes 40 MB to file descriptors 1 and 2, past Python.",
        hand_in=before(
            "row-gradient",
            """
import os

for _ in range(400):
    os.write(1, b"o" * 50_000)
    os.write(2, b"e" * 50_000)
""",
        ),
        lost=NONE,
        harm=_is_big,
    ),
    Case(
        row=29,
        name="long_error_message",
        what="The answer raises an error whose message has 30 million characters.",
        hand_in=wrong("agreement", inside='raise ValueError("no " * 10_000_000)'),
        lost=AGREEMENT,
        harm=_is_big,
    ),
    Case(
        row=29,
        name="output_that_is_no_text",
        what="An own cell prints lone surrogates and null bytes, and raises an error with them in its message.",
        hand_in=extra("test-quiz-3", r'print("\ud800 \x00 \x1b[2J")' + "\n" + r'raise ValueError("\udfff \x00")'),
        lost=NONE,
    ),
    Case(
        row=29,
        name="error_that_is_no_text",
        what="The answer raises an error whose message and name are lone surrogates and control characters.",
        hand_in=wrong("agreement", inside=r'raise type("\x1b[31m\n", (Exception,), {})("\ud800 \x00 \u202e")'),
        lost=AGREEMENT,
    ),
    Case(
        row=29,
        name="big_picture",
        what="A cell of the student's own shows a picture of 40 MB.",
        hand_in=extra(
            "test-quiz-3",
            """
import os

from IPython.display import display

display({"image/png": os.urandom(20_000_000).hex()}, raw=True)
""",
        ),
        lost=NONE,
        harm=_is_big,
    ),
]

# --- disk -------------------------------------------------------------------------------------------------------------


def _left_files(scene: Scene) -> str | None:
    """Say so if the submission's graded folder took in what the code wrote."""
    folder = scene.class_folder / "autograded" / scene.student
    found = list(folder.rglob("filler*"))
    size = sum(path.stat().st_size for path in found if path.is_file())
    return f"{len(found)} files with {size / 1e6:.0f} MB were left in {folder}." if found else None


_DISK = [
    Case(
        row=30,
        name="big_file",
        what="A cell of the student's own writes a file of 300 MB beside the notebook.",
        hand_in=extra(
            "test-quiz-3",
            """
with open("filler.bin", "wb") as file:
    for _ in range(300):
        file.write(bytes(10**6))
""",
        ),
        lost=NONE,
        harm=_left_files,
    ),
    Case(
        row=30,
        name="many_files",
        what="A cell of the student's own makes 20,000 small files and folders in folders.",
        hand_in=extra(
            "test-quiz-3",
            """
import os

for n in range(20_000):
    folder = f"filler/{n % 100}/{n // 100}"
    os.makedirs(folder, exist_ok=True)
    open(f"{folder}/{n}", "w").close()
""",
        ),
        lost=NONE,
        harm=_left_files,
    ),
    Case(
        row=30,
        name="file_that_grows_unseen",
        what="The answer writes 300 MB to a file that it has already deleted, and keeps it open.",
        hand_in=wrong(
            "agreement",
            "import tempfile",
            inside="""
hole = tempfile.TemporaryFile()
for _ in range(300):
    hole.write(bytes(10**6))
globals()["kept"] = hole
""",
        ),
        lost=AGREEMENT,
    ),
    Case(
        row=30,
        name="shared_memory_is_filled",
        what="The answer fills 300 MB of /dev/shm, and takes them away again at the end.",
        hand_in=wrong(
            "agreement",
            "import os",
            inside="""
try:
    with open("/dev/shm/torch_func_canary", "wb") as file:
        for _ in range(300):
            file.write(bytes(10**6))
finally:
    os.unlink("/dev/shm/torch_func_canary")
""",
        ),
        lost=AGREEMENT,
    ),
    Case(
        row=30,
        name="endless_folder",
        what="A folder in a folder in a folder …, 400 deep, with a link at the end that leads back to the start.",
        hand_in=extra(
            "test-quiz-3",
            """
import os

start = os.getcwd()
for _ in range(400):
    os.mkdir("filler")
    os.chdir("filler")
os.symlink(start, "filler_back")
os.chdir(start)
""",
        ),
        lost=NONE,
        harm=_left_files,
    ),
]

# --- memory -----------------------------------------------------------------------------------------------------------

# Nothing is taken when less than this is free, so that a machine with little memory does not suffer.
_ROOM = """
import psutil


def room(size=4 * 10**9):
    return psutil.virtual_memory().available > size
"""

_MEMORY = [
    Case(
        row=31,
        name="terabyte_tensor",
        what="The answer asks for a tensor of a terabyte, which it does not touch.",
        hand_in=wrong("agreement", inside="return torch.empty(2**40, dtype=torch.uint8)"),
        lost=AGREEMENT,
    ),
    Case(
        row=31,
        name="many_allocations",
        what="The answer takes 2 GB of memory, a megabyte at a time, and keeps them.",
        hand_in=wrong(
            "gradients-of-both",
            _ROOM,
            inside="""
kept = globals().setdefault("kept", [])
while len(kept) < 2_000 and room():
    kept.append(bytearray(b"x") * 10**6)
""",
        ),
        lost=BOTH,
    ),
    Case(
        row=31,
        name="memory_by_children",
        what="The answer takes 2 GB in four processes, each of which keeps its part for ten seconds.",
        hand_in=wrong(
            "per-sample-gradients",
            f"import os\nimport time\n{_ROOM}",
            inside="""
children = []
for _ in range(4):
    child = os.fork() if room() else -1
    if child == 0:
        kept = bytearray(b"x") * (500 * 10**6)
        time.sleep(10)
        os._exit(0)
    children.append(child)
for child in children:
    if child > 0:
        os.waitpid(child, 0)
""",
        ),
        lost=ROWS,
    ),
    Case(
        row=31,
        name="long_string",
        what="The answer is a string of 200 MB.",
        hand_in=wrong("agreement", inside='return "x" * 200_000_000'),
        lost=AGREEMENT,
    ),
    Case(
        row=31,
        name="string_for_the_quiz",
        what="The letters of the quiz are one string of 200 MB.",
        hand_in=wrong("quiz", inside='return "c" * 200_000_000'),
        lost=QUIZ,
    ),
    Case(
        row=31,
        name="big_tensor",
        what="The answer is a real tensor of 400 MB.",
        hand_in=wrong("agreement", inside="return torch.zeros(50_000_000, dtype=torch.float64)"),
        lost=AGREEMENT,
    ),
    Case(
        row=31,
        name="expanded_tensor",
        what="The answer is a tensor of a terabyte that has one number of storage.",
        hand_in=wrong("agreement", inside="return torch.zeros(1, dtype=torch.float64).expand(2**37)"),
        lost=AGREEMENT,
    ),
    Case(
        row=31,
        name="sparse_tensor",
        what="The answer is a sparse tensor with one entry and room for a trillion.",
        hand_in=wrong(
            "agreement",
            inside="""
place, value = torch.tensor([[2**39], [2**19]]), torch.ones(1, dtype=torch.float64)
return torch.sparse_coo_tensor(place, value, (2**40, 2**20))
""",
        ),
        lost=AGREEMENT,
    ),
    Case(
        row=31,
        name="meta_tensor",
        what="The answer is a tensor on the meta device: it has the right shape and no values.",
        hand_in=wrong("agreement", inside='return torch.empty(len(gradients), dtype=gradients.dtype, device="meta")'),
        lost=AGREEMENT,
    ),
    Case(
        row=31,
        name="storage_behind_a_view",
        what="The answer has the right shape and is a view into a storage of 400 MB.",
        hand_in=wrong(
            "agreement",
            inside="""
count = len(gradients)
return torch.zeros(50_000_000, dtype=gradients.dtype)[:: 50_000_000 // count][:count]
""",
        ),
        lost=AGREEMENT,
    ),
    Case(
        row=31,
        name="deeply_nested_list",
        what="The answer is a list in a list in a list …, a hundred thousand deep.",
        hand_in=wrong("quiz", inside='value = "b"\nfor _ in range(100_000):\n    value = [value]\nreturn value'),
        lost=QUIZ,
    ),
    Case(
        row=31,
        name="list_that_holds_itself",
        what="The answer is a list, and a dict, that hold themselves.",
        hand_in=wrong("agreement", inside='value = []\nvalue.append({"self": value})\nreturn value'),
        lost=AGREEMENT,
    ),
    Case(
        row=31,
        name="list_that_doubles",
        what="The answer is a list of forty levels that holds its inner list twice on each, a trillion entries in all.",
        hand_in=wrong(
            "agreement", inside="value = [0.0]\nfor _ in range(40):\n    value = [value, value]\nreturn value"
        ),
        lost=AGREEMENT,
    ),
    Case(
        row=31,
        name="endless_generator",
        what="The answer is a generator that yields tensors for ever.",
        hand_in=wrong("per-sample-gradients", "import itertools", inside="return (w for _ in itertools.count())"),
        lost=ROWS,
    ),
    Case(
        row=31,
        name="a_million_tensors",
        what="The answer is a list of a million small tensors.",
        hand_in=wrong("agreement", inside="return list(torch.zeros(1_000_000).unbind())"),
        lost=AGREEMENT,
    ),
    Case(
        row=31,
        name="long_integer",
        what="The answer is an integer of a million digits, which takes for ever to print.",
        hand_in=wrong("quiz", inside="return 1 << 3_500_000"),
        lost=QUIZ,
    ),
    Case(
        row=31,
        name="strange_text",
        what="The answers to the quiz are lone surrogates, null bytes and the letters of other alphabets.",
        hand_in=wrong("quiz", inside=r'return "\ud800", "\x00", "ｂ"'),
        lost=QUIZ,
    ),
]

# --- processes and threads --------------------------------------------------------------------------------------------

_PROCESSES = [
    Case(
        row=32,
        name="fork_bomb",
        what="The answer forks 255 processes, by doubling, that sleep five seconds each.",
        hand_in=wrong(
            "agreement",
            "import os\nimport time",
            inside="""
if globals().setdefault("forked", False) is False:
    globals()["forked"] = True
    me = os.getpid()
    for _ in range(8):
        try:
            os.fork()
        except OSError:
            break
    if os.getpid() != me:
        time.sleep(5)
        os._exit(0)
""",
        ),
        lost=AGREEMENT,
    ),
    Case(
        row=32,
        name="many_threads",
        what="A cell of the student's own starts a thousand threads, which sleep for half a minute.",
        hand_in=extra(
            "test-quiz-3",
            """
import threading
import time

for _ in range(1_000):
    try:
        threading.Thread(target=time.sleep, args=(30,), daemon=True).start()
    except RuntimeError:
        break
""",
        ),
        lost=NONE,
    ),
    Case(
        row=32,
        name="workers_left_alive",
        what="An honest student's data loader leaves its workers alive.",
        hand_in=extra(
            "test-quiz-3",
            """
loader = torch.utils.data.DataLoader(list(range(8)), num_workers=2, persistent_workers=True)
batches = iter(loader)
next(batches)
""",
        ),
        lost=NONE,
    ),
    Case(
        row=32,
        name="many_programs",
        what="A cell of the student's own starts 200 programs that sleep for a minute.",
        hand_in=extra(
            "test-quiz-3",
            """
import os
import subprocess

environment = {**os.environ, "TORCH_FUNC_CANARY": "many_programs"}
for _ in range(200):
    try:
        subprocess.Popen(["sleep", "60"], env=environment)
    except OSError:
        break
""",
        ),
        lost=NONE,
        harm=survives("many_programs"),
    ),
    Case(
        row=32,
        name="both_halves_go_on",
        what="The answer forks, and parent and child both return to the kernel and answer for it, for a minute.",
        hand_in=wrong("quiz", "import os\nimport signal", inside="if os.fork() == 0:\n    signal.alarm(60)"),
        lost=QUIZ,
    ),
    Case(
        row=32,
        name="pool_in_the_answer",
        what="An honest answer uses a pool of threads and as many threads of torch as it likes.",
        hand_in=before(
            "quiz",
            """
from concurrent.futures import ThreadPoolExecutor

torch.set_num_threads(8)
with ThreadPoolExecutor(8) as pool:
    sums = list(pool.map(lambda n: torch.ones(n).sum().item(), range(64)))
""",
        ),
        lost=NONE,
    ),
]

CASES = [*_TIME, *_OUTPUT, *_DISK, *_MEMORY, *_PROCESSES]
