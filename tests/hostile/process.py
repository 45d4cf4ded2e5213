"""Answers that end, hang or outlive the process in which they run.

Loops that never end would be the honest thing to test; here each ends by itself after three minutes, so that nothing is
left spinning where a grader does not stop it.
"""

from __future__ import annotations

from hostile.case import ALL, NONE, TESTS, Case, after, before, both, extra, survives, wrong

ROW, ROWS, BOTH = TESTS["row-gradient"], TESTS["per-sample-gradients"], TESTS["gradients-of-both"]
CHUNKS, AGREEMENT, QUIZ = TESTS["accumulated-gradient"], TESTS["agreement"], TESTS["quiz"]

# --- the end of the process -------------------------------------------------------------------------------------------

_EXITS = [
    Case(
        row=20,
        name="sys_exit_in_the_answer",
        what="The answer calls sys.exit(0).",
        hand_in=wrong("agreement", "import sys", inside="sys.exit(0)"),
        lost=AGREEMENT,
        says=("SystemExit",),
    ),
    Case(
        row=20,
        name="sys_exit_below_the_answer",
        what="An honest student's answer cell ends in sys.exit().",
        hand_in=after("agreement", "import sys\n\nsys.exit()"),
        lost=NONE,
    ),
    Case(
        row=20,
        name="system_exit_of_an_own_class",
        what="The answer raises an exception of an own class, which is a SystemExit and cannot be shown.",
        hand_in=wrong(
            "row-gradient",
            """
class Done(SystemExit):
    def __str__(self):
        raise Done

    __repr__ = __str__
""",
            inside="raise Done",
        ),
        lost=ROW,
    ),
    Case(
        row=20,
        name="base_exception",
        what="The answer raises an exception that is a BaseException and no Exception.",
        hand_in=wrong(
            "per-sample-gradients",
            "class Unstoppable(BaseException):\n    pass",
            inside='raise Unstoppable("nobody catches me")',
        ),
        lost=ROWS,
    ),
    Case(
        row=20,
        name="raises_keyboard_interrupt",
        what="The answer raises KeyboardInterrupt itself, as if somebody had stopped the grader.",
        hand_in=wrong("agreement", inside="raise KeyboardInterrupt"),
        lost=AGREEMENT,
    ),
    Case(
        row=20,
        name="raises_what_the_grader_raises",
        what="Two answers raise errors by which loops and tests of the grader's own end.",
        hand_in=both(
            wrong("agreement", inside="raise StopIteration"),
            wrong(
                "quiz",
                inside="""
from autograder.outcomes import NotAttempted

raise type("CheckPassed", (NotAttempted,), {"_render_traceback_": lambda self: []})("all well")
""",
            ),
        ),
        lost=AGREEMENT | QUIZ,
    ),
    Case(
        row=21,
        name="os_exit_in_the_answer",
        what="The answer ends the process at once with os._exit(0).",
        hand_in=wrong("per-sample-gradients", "import os", inside="os._exit(0)"),
        lost=ROWS,
    ),
    Case(
        row=21,
        name="os_exit_in_the_cell",
        what="The answer cell itself ends the process, each time that it is run.",
        hand_in=wrong("per-sample-gradients", "import os\n\nos._exit(0)"),
        lost=ROWS,
    ),
    Case(
        row=21,
        name="os_exit_in_an_extra_cell",
        what="A cell of the student's own between two exercises ends the process; all answers are right.",
        hand_in=extra("test-gradients-of-both", "import os\n\nos._exit(1)"),
        lost=NONE,
    ),
    Case(
        row=21,
        name="kills_itself",
        what="The answer sends SIGKILL to its own process.",
        hand_in=wrong("gradients-of-both", "import os\nimport signal", inside="os.kill(os.getpid(), signal.SIGKILL)"),
        lost=BOTH,
    ),
    Case(
        row=21,
        name="becomes_another_program",
        what="The answer replaces its process by the program true.",
        hand_in=wrong("agreement", "import os", inside='os.execv("/bin/true", ["true"])'),
        lost=AGREEMENT,
    ),
    Case(
        row=21,
        name="dies_on_the_second_call",
        what="The answer is right on the first call and ends the process on the second.",
        hand_in=after(
            "row-gradient",
            """
import os

calls = []
right_row_gradient = row_gradient


def row_gradient(*args):
    calls.append(1)
    if len(calls) == 2:
        os._exit(0)
    return right_row_gradient(*args)
""",
        ),
        lost=ROW,
    ),
    Case(
        row=21,
        name="dies_in_two_exercises",
        what="Two answers end the process, one with an exit status of 0 and one with abort().",
        hand_in=both(
            wrong("row-gradient", "import os", inside="os.abort()"), wrong("quiz", "import os", inside="os._exit(0)")
        ),
        lost=ROW | QUIZ,
    ),
    Case(
        row=21,
        name="dies_in_every_exercise",
        what="Every answer ends the process.",
        hand_in=both(*[wrong(exercise, "import os", inside="os._exit(3)") for exercise in TESTS]),
        lost=ALL,
    ),
    Case(
        row=22,
        name="reads_address_zero",
        what="The answer reads from address 0, and the process gets a segmentation fault.",
        hand_in=wrong("accumulated-gradient", "import ctypes", inside="ctypes.string_at(0)"),
        lost=CHUNKS,
    ),
    Case(
        row=22,
        name="stack_overflow",
        what="The answer lets C code call itself until the stack is full.",
        hand_in=wrong(
            "agreement",
            "import ctypes\nimport sys",
            inside="""
sys.setrecursionlimit(10**8)
compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)


@compare
def deeper(n):
    return deeper(n + 1)


deeper(0)
""",
        ),
        lost=AGREEMENT,
    ),
    Case(
        row=22,
        name="tensor_over_freed_memory",
        what="The answer returns a tensor whose memory lies at an address where nothing is.",
        hand_in=wrong(
            "agreement",
            "import ctypes\n\nimport numpy",
            inside="""
nothing = (ctypes.c_double * len(gradients)).from_address(64)
return torch.from_numpy(numpy.ctypeslib.as_array(nothing))
""",
        ),
        lost=AGREEMENT,
    ),
    Case(
        row=22,
        name="bus_error",
        what="The answer raises the signal of a bus error in its own process.",
        hand_in=wrong("quiz", "import signal", inside="signal.raise_signal(signal.SIGBUS)"),
        lost=QUIZ,
    ),
    Case(
        row=23,
        name="quit_in_the_answer",
        what="The answer calls quit() and returns nothing of use.",
        hand_in=wrong("quiz", inside="quit()\nexit()"),
        lost=QUIZ,
    ),
    Case(
        row=23,
        name="exit_at_the_end",
        what="An honest student's last cell calls exit(), to save memory.",
        hand_in=extra("test-quiz-3", "exit()"),
        lost=NONE,
    ),
    Case(
        row=23,
        name="kernel_shuts_down",
        what="The answer asks the kernel to shut down, by its own functions.",
        hand_in=wrong(
            "quiz",
            inside="""
shell = get_ipython()
shell.ask_exit()
shell.kernel.do_shutdown(False)
shell.kernel.io_loop.add_callback(shell.kernel.io_loop.stop)
""",
        ),
        lost=QUIZ,
    ),
    Case(
        row=23,
        name="nonsense_into_every_descriptor",
        what="The answer writes nonsense into every pipe and socket that its process has open.",
        hand_in=wrong(
            "quiz",
            "import os\nimport stat",
            inside="""
for number in range(3, 256):
    try:
        kind = os.fstat(number).st_mode
        if stat.S_ISSOCK(kind) or stat.S_ISFIFO(kind):
            os.set_blocking(number, False)
            os.write(number, b"nonsense" * 100)
    except OSError:
        pass
""",
        ),
        lost=QUIZ,
    ),
    Case(
        row=23,
        name="sockets_are_closed",
        what="The answer closes all files and sockets of its process, those of the kernel too.",
        hand_in=wrong("quiz", "import os", inside="os.closerange(0, 4096)"),
        lost=QUIZ,
    ),
]

# --- no end -----------------------------------------------------------------------------------------------------------

# The start of loops that would not end otherwise.
_CLOCK = "import time\n\nEND = time.monotonic() + 180"
_TOO_LONG = ("too long",)

_LOOPS = [
    Case(
        row=24,
        name="loop_in_the_answer",
        what="The answer never comes back.",
        hand_in=wrong("agreement", _CLOCK, inside="while time.monotonic() < END:\n    pass"),
        lost=AGREEMENT,
        says=_TOO_LONG,
    ),
    Case(
        row=24,
        name="loop_below_the_answer",
        what="The answer is right, and its cell goes on for ever after the definition.",
        hand_in=after("row-gradient", f"{_CLOCK}\nwhile time.monotonic() < END:\n    pass"),
        lost=NONE,
        says=_TOO_LONG,
    ),
    Case(
        row=24,
        name="list_without_an_end",
        what="The answer is a list whose iterator never ends, and whose repr and length never come.",
        hand_in=wrong(
            "per-sample-gradients",
            f"""
{_CLOCK}


class Endless(list):
    def __iter__(self):
        while time.monotonic() < END:
            yield 0

    def __len__(self):
        return sum(self)

    def __repr__(self):
        return str(sum(self))

    def __reduce_ex__(self, protocol):
        return list, (list(self),)
""",
            inside="return Endless()",
        ),
        lost=ROWS,
    ),
    Case(
        row=24,
        name="loop_only_when_graded",
        what="The answer is right on the first call and never comes back from the second.",
        hand_in=after(
            "accumulated-gradient",
            f"""
{_CLOCK}
calls = []
right_accumulated_gradient = accumulated_gradient


def accumulated_gradient(*args):
    calls.append(1)
    while len(calls) > 1 and time.monotonic() < END:
        time.sleep(0.01)
    return right_accumulated_gradient(*args)
""",
        ),
        lost=CHUNKS,
        says=_TOO_LONG,
    ),
    Case(
        row=25,
        name="loop_swallows_interrupts",
        what="The answer sleeps for ever and catches every attempt to interrupt it.",
        hand_in=wrong(
            "gradients-of-both",
            _CLOCK,
            inside="""
while time.monotonic() < END:
    try:
        time.sleep(60)
    except BaseException:
        pass
""",
        ),
        lost=BOTH,
        says=_TOO_LONG,
    ),
    Case(
        row=25,
        name="finally_begins_anew",
        what="The answer begins anew in a finally clause each time that it is interrupted.",
        hand_in=wrong(
            "agreement",
            _CLOCK,
            inside="""
def wait():
    try:
        while time.monotonic() < END:
            pass
    finally:
        while time.monotonic() < END:
            return wait()


wait()
""",
        ),
        lost=AGREEMENT,
        says=_TOO_LONG,
    ),
    Case(
        row=25,
        name="stubborn_cell",
        what="The cell of a right answer never ends and cannot be interrupted; the answers after it are right too.",
        hand_in=after(
            "per-sample-gradients",
            f"""
{_CLOCK}
while time.monotonic() < END:
    try:
        time.sleep(1)
    except KeyboardInterrupt:
        print("no")
""",
        ),
        lost=ROWS,
        says=_TOO_LONG,
    ),
    Case(
        row=26,
        name="sleep_holds_the_interpreter",
        what="The answer sleeps in C without giving up the interpreter's lock, so that no thread can run.",
        hand_in=wrong("per-sample-gradients", "import ctypes", inside="ctypes.PyDLL(None).sleep(120)"),
        lost=ROWS,
        says=_TOO_LONG,
    ),
    Case(
        row=26,
        name="sum_in_c",
        what="The answer adds up billions of numbers inside one call of a built-in function.",
        hand_in=wrong("agreement", inside="sum(range(6_000_000_000))"),
        lost=AGREEMENT,
        says=_TOO_LONG,
    ),
    Case(
        row=26,
        name="plain_sleep",
        what="The answer sleeps for two minutes.",
        hand_in=wrong("row-gradient", "import time", inside="time.sleep(120)"),
        lost=ROW,
        says=_TOO_LONG,
    ),
    Case(
        row=26,
        name="waits_for_a_lock",
        what="The answer waits for a lock that nobody releases, in a thread that it then joins.",
        hand_in=wrong(
            "quiz",
            "import threading",
            inside="""
lock = threading.Lock()
lock.acquire()
thread = threading.Thread(target=lock.acquire, kwargs={"timeout": 120}, daemon=True)
thread.start()
thread.join()
""",
        ),
        lost=QUIZ,
        says=_TOO_LONG,
    ),
    Case(
        row=27,
        name="signals_are_ignored",
        what="The answer ignores SIGINT, SIGTERM and SIGHUP and never comes back.",
        hand_in=wrong(
            "agreement",
            f"import signal\n{_CLOCK}",
            inside="""
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
    signal.signal(number, signal.SIG_IGN)
while time.monotonic() < END:
    pass
""",
        ),
        lost=AGREEMENT,
        says=_TOO_LONG,
    ),
    Case(
        row=27,
        name="signals_are_blocked",
        what="The answer blocks all signals for its thread and never comes back.",
        hand_in=wrong(
            "row-gradient",
            f"import signal\n{_CLOCK}",
            inside="""
signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
while time.monotonic() < END:
    time.sleep(1)
""",
        ),
        lost=ROW,
        says=_TOO_LONG,
    ),
    Case(
        row=27,
        name="stops_itself",
        what="The answer stops its own process with SIGSTOP, and waits five minutes for the SIGCONT.",
        hand_in=wrong(
            "quiz",
            "import os\nimport signal\nimport subprocess",
            inside="""
subprocess.Popen(["sh", "-c", f"sleep 300; kill -CONT {os.getpid()}"])
os.kill(os.getpid(), signal.SIGSTOP)
""",
        ),
        lost=QUIZ,
    ),
    Case(
        row=27,
        name="kernel_ignores_requests",
        what="The kernel's functions for interrupts and shutdown are exchanged, and the answer never comes back.",
        hand_in=wrong(
            "quiz",
            f"""
import signal
{_CLOCK}


async def nothing(*args, **kwargs):
    return None


kernel = get_ipython().kernel
kernel.control_handlers["interrupt_request"] = kernel.control_handlers["shutdown_request"] = nothing
kernel._send_interrupt_children = lambda: None
""",
            inside="""
signal.signal(signal.SIGINT, signal.SIG_IGN)
while time.monotonic() < END:
    time.sleep(1)
""",
        ),
        lost=QUIZ,
        says=_TOO_LONG,
    ),
]

# --- what goes on afterwards ------------------------------------------------------------------------------------------


def _outliving(name: str, how: str, code: str) -> Case:
    return Case(row=33, name=name, what=how, hand_in=extra("test-quiz-3", code), lost=NONE, harm=survives(name))


_SURVIVORS = [
    _outliving(
        "orphan_in_a_new_session",
        "A process in a session of its own goes on after the kernel has gone.",
        """
import os
import subprocess

environment = {**os.environ, "TORCH_FUNC_CANARY": "orphan_in_a_new_session"}
subprocess.Popen(["sleep", "600"], start_new_session=True, env=environment)
""",
    ),
    _outliving(
        "daemon_by_two_forks",
        "A process forks twice, leaves its session and its group, and goes on as a daemon.",
        """
import os

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.closerange(0, 4096)
        os.execve("/bin/sleep", ["sleep", "600"], {"TORCH_FUNC_CANARY": "daemon_by_two_forks"})
    os._exit(0)
""",
    ),
    _outliving(
        "shell_that_ignores_hangups",
        "A shell that ignores hang-ups and the request to end starts programs in the background.",
        """
import os

os.system(
    "export TORCH_FUNC_CANARY=shell_that_ignores_hangups; trap '' HUP INT TERM; "
    "nohup setsid sleep 600 > /dev/null 2>&1 & nohup sleep 600 > /dev/null 2>&1 &"
)
""",
    ),
    _outliving(
        "stopped_child",
        "A child process that has stopped itself does not see that it should end.",
        """
import os
import subprocess

environment = {**os.environ, "TORCH_FUNC_CANARY": "stopped_child"}
script = "(sleep 300; kill -CONT $$) & kill -STOP $$; sleep 300"
subprocess.Popen(["sh", "-c", script], start_new_session=True, env=environment)
""",
    ),
    Case(
        row=33,
        name="orphan_of_a_dead_kernel",
        what="The answer starts a process and then ends its own, so that nobody is left to ask it to stop.",
        hand_in=wrong(
            "quiz",
            "import os\nimport subprocess",
            inside="""
environment = {**os.environ, "TORCH_FUNC_CANARY": "orphan_of_a_dead_kernel"}
subprocess.Popen(["sleep", "600"], start_new_session=True, env=environment)
os._exit(0)
""",
        ),
        lost=QUIZ,
        harm=survives("orphan_of_a_dead_kernel"),
    ),
]

_THREADS = [
    Case(
        row=34,
        name="thread_writes_to_stderr",
        what="A thread that an honest student forgot writes to stderr for a minute, while later tests run.",
        hand_in=before(
            "row-gradient",
            """
import sys
import threading
import time


def chatter():
    for second in range(600):
        print("still here", second, file=sys.stderr)
        time.sleep(0.1)


threading.Thread(target=chatter, daemon=True).start()
""",
        ),
        lost=NONE,
    ),
    Case(
        row=34,
        name="tasks_between_cells",
        what="A task in the kernel's event loop prints and warns between the cells.",
        hand_in=before(
            "row-gradient",
            """
import asyncio
import warnings


async def chatter():
    for _ in range(600):
        warnings.warn("still here")
        print("still here")
        await asyncio.sleep(0.1)


task = asyncio.get_event_loop().create_task(chatter())
""",
        ),
        lost=NONE,
    ),
    Case(
        row=34,
        name="thread_that_raises",
        what="Threads raise errors, whose tracebacks go to stderr while later tests run.",
        hand_in=before(
            "per-sample-gradients",
            """
import threading


def fail():
    raise RuntimeError("in a thread")


for seconds in range(1, 20):
    threading.Timer(seconds / 4, fail).start()
""",
        ),
        lost=NONE,
    ),
    Case(
        row=34,
        name="thread_publishes_points",
        what="A thread shows a point again and again, in whichever cell is running.",
        hand_in=wrong(
            "quiz",
            """
import sys
import threading
import time


def publish():
    for _ in range(600):
        sys.displayhook(1)
        time.sleep(0.05)


threading.Thread(target=publish, daemon=True).start()
""",
        ),
        lost=QUIZ,
    ),
    Case(
        row=34,
        name="exit_handlers_do_not_end",
        what="An exit handler and a thread that is no daemon keep the kernel from ending.",
        hand_in=extra(
            "test-quiz-3",
            """
import atexit
import threading
import time

atexit.register(time.sleep, 120)
threading.Thread(target=time.sleep, args=(120,), daemon=False).start()
""",
        ),
        lost=NONE,
    ),
]

CASES = [*_EXITS, *_LOOPS, *_SURVIVORS, *_THREADS]
