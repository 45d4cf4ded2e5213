"""Answers that read or write what is not theirs: the gradebook, solutions, tests, other students, secrets, the network.

What they find is printed, in words that `harm` looks for. Files are opened for writing but not written to, save for
the gradebook of the class folder, whose points some change.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import sqlite3
import sysconfig
import threading
from collections.abc import Callable
from pathlib import Path

import nbformat

from hostile.case import (
    ALL,
    ASSIGNMENT,
    CANARY,
    NONE,
    SECRET,
    TESTS,
    Case,
    Scene,
    after,
    extra,
    first_harm,
    outputs,
    shows,
    unchanged,
    writes_canary,
    wrong,
)

AGREEMENT, QUIZ = TESTS["agreement"], TESTS["quiz"]

# --- the gradebook ----------------------------------------------------------------------------------------------------

# Where things can be: above the working folder, or beside what a process that can be seen has open. Of gradebooks only
# one of a class in which this very student is: no other may be touched.
_FIND = """
import glob
import os


def find(pattern):
    folder = os.getcwd()
    while folder != os.path.dirname(folder):
        yield from glob.glob(f"{folder}/{pattern}")
        folder = os.path.dirname(folder)
    for link in [*glob.glob("/proc/[0-9]*/cwd"), *glob.glob("/proc/[0-9]*/fd/*")]:
        try:
            place = os.readlink(link)
        except OSError:
            continue
        for folder in (place, os.path.dirname(place)):
            yield from glob.glob(f"{folder}/{pattern}")


def gradebooks(student):
    for path in find("gradebook.db"):
        if os.path.isdir(f"{os.path.dirname(path)}/submitted/{student}"):
            yield path
"""


def _points_changed(mark: float) -> Callable[[Scene], str | None]:
    """Make a `harm` that looks for points in the gradebook that only the attack gives, and takes them out again."""

    def harm(scene: Scene) -> str | None:
        with contextlib.closing(sqlite3.connect(scene.class_folder / "gradebook.db")) as gradebook, gradebook:
            count = gradebook.execute("update grade set extra_credit = null where extra_credit = ?", (mark,)).rowcount
        return f"{count} grades in the gradebook were changed by a submission." if count else None

    return harm


_GRADEBOOK = [
    Case(
        row=12,
        name="rewrites_the_gradebook",
        what="The answer looks for the gradebook above its working folder and gives itself extra credit.",
        hand_in=after(
            "quiz",
            f"""
import sqlite3
{_FIND}

for path in gradebooks("rewrites_the_gradebook"):
    with sqlite3.connect(path, timeout=2) as gradebook:
        gradebook.execute("update grade set extra_credit = 0.0321")
    break
""",
        ),
        lost=NONE,
        harm=_points_changed(0.0321),
    ),
    Case(
        row=12,
        name="rewrites_the_gradebook_later",
        what="A process of its own waits until grading is over, and then gives extra credit.",
        hand_in=after(
            "quiz",
            f'''
import subprocess
import sys

LATER = """
import sqlite3
import time
{_FIND}

place = next(gradebooks("rewrites_the_gradebook_later"), None)
for _ in range(60 if place else 0):
    time.sleep(1)
    with sqlite3.connect(place, timeout=2) as gradebook:
        gradebook.execute("update grade set extra_credit = 0.0322 where extra_credit is null")
"""
subprocess.Popen([sys.executable, "-c", LATER], start_new_session=True, stderr=subprocess.DEVNULL)
''',
        ),
        lost=NONE,
        harm=_points_changed(0.0322),
    ),
    Case(
        row=12,
        name="asks_nbgrader_for_the_gradebook",
        what="The answer opens the gradebook with nbgrader's own classes and gives itself extra credit.",
        hand_in=after(
            "quiz",
            f"""
{_FIND}

try:
    from nbgrader.api import Gradebook
except ImportError:
    Gradebook = None
for path in gradebooks("asks_nbgrader_for_the_gradebook") if Gradebook else []:
    with Gradebook(f"sqlite:///{{path}}") as gradebook:
        for submission in gradebook.assignment_submissions("{ASSIGNMENT}"):
            for notebook in submission.notebooks:
                for grade in notebook.grades:
                    grade.extra_credit = 0.0323
        gradebook.db.commit()
    break
""",
        ),
        lost=NONE,
        harm=_points_changed(0.0323),
    ),
    Case(
        row=12,
        name="locks_the_gradebook",
        what="A thread of the answer's holds a lock on the gradebook for ten seconds, so that nobody else is graded.",
        hand_in=after(
            "quiz",
            f"""
import sqlite3
import threading
import time
{_FIND}


def lock(path):
    gradebook = sqlite3.connect(path, timeout=5)
    try:
        gradebook.execute("begin exclusive")
        print("GRADEBOOK " + "LOCKED")
        time.sleep(10)
    finally:
        gradebook.rollback()


for path in gradebooks("locks_the_gradebook"):
    thread = threading.Thread(target=lock, args=(path,))
    thread.start()
    thread.join(timeout=1)
    break
""",
        ),
        lost=NONE,
        harm=shows("GRADEBOOK LOCKED", "A submission held a lock on the gradebook."),
    ),
]

# --- solutions and tests ----------------------------------------------------------------------------------------------

# The course folder, by the package that notebooks import; and by the places that processes have open.
_COURSE = f"""
import autograder
{_FIND}


def course(pattern):
    yield from glob.glob(f"{{os.path.dirname(os.path.dirname(autograder.__file__))}}/{{pattern}}")
    yield from find(pattern)
"""

_SOURCES = [
    Case(
        row=13,
        name="prints_the_solutions",
        what="The answer looks for the instructor's notebook and prints it.",
        hand_in=after(
            "quiz",
            f"""
{_COURSE}

for path in course("source/*/{ASSIGNMENT}.ipynb"):
    try:
        if "BEGIN" + " SOLUTION" in open(path).read():
            print("SOLUTIONS " + "FOUND")
    except OSError:
        pass
""",
        ),
        lost=NONE,
        harm=shows("SOLUTIONS FOUND", "A submission read the instructor's notebook."),
    ),
    Case(
        row=13,
        name="answers_with_the_solutions",
        what="The answer runs the solution that it finds in the instructor's notebook.",
        hand_in=wrong(
            "agreement",
            f"""
import json
{_COURSE}


def solution():
    for path in course("source/*/{ASSIGNMENT}.ipynb"):
        for cell in json.load(open(path))["cells"]:
            if cell.get("id") == "agreement":
                exec("".join(cell["source"]), globals())
                return agreement
""",
            inside="if found := solution():\n    return found(gradients)",
        ),
        lost=AGREEMENT,
    ),
    Case(
        row=13,
        name="answers_with_the_answer_bank",
        what="The answer runs a right answer that it finds in the tests of the course.",
        hand_in=wrong(
            "agreement",
            _COURSE,
            inside=f"""
for path in course("tests/answer_bank/{ASSIGNMENT}/agreement/right_*.py"):
    names = dict(globals())
    exec(open(path).read(), names)
    return names["agreement"](gradients)
""",
        ),
        lost=AGREEMENT,
    ),
    Case(
        row=13,
        name="opens_course_files_for_writing",
        what="The answer opens files of the course for writing, and writes nothing.",
        hand_in=after(
            "quiz",
            f"""
{_COURSE}

for pattern in ("source/*/*.ipynb", "nbgrader_config.py", "autograder/checks.py", "submitted/*/*/*.ipynb"):
    for path in course(pattern):
        try:
            open(path, "a").close()
            print("WRITABLE " + "FILE", path)
            break
        except OSError:
            pass
""",
        ),
        lost=NONE,
        harm=shows("WRITABLE FILE", "A submission could have written to the files of the course."),
    ),
    Case(
        row=13,
        name="writes_outside",
        what="The answer writes into a folder that has nothing to do with the class.",
        hand_in=after(
            "quiz",
            f"""
import os

try:
    os.makedirs("{CANARY}", exist_ok=True)
    with open("{CANARY}/writes_outside", "w") as file:
        file.write("here")
except OSError as error:
    print(error)
""",
        ),
        lost=NONE,
        harm=writes_canary("writes_outside"),
    ),
    Case(
        row=13,
        name="writes_outside_by_a_link",
        what="The code makes links to a folder outside and to the root, and writes through them.",
        hand_in=extra(
            "test-quiz-3",
            f"""
import os

for way in ("", "/proc/1/root", "/proc/self/root", "/proc/self/cwd/../../../../../../..", "../../../../../../../.."):
    try:
        os.symlink(way + "{CANARY}", "way_out")
        open("way_out/writes_outside_by_a_link", "w").close()
    except OSError as error:
        print(error)
    finally:
        if os.path.islink("way_out"):
            os.unlink("way_out")
""",
        ),
        lost=NONE,
        harm=writes_canary("writes_outside_by_a_link"),
    ),
]


def _shows_hidden_lines(scene: Scene) -> str | None:
    """Say so if an output of the graded notebook holds a line that only the instructor's copy of a test holds."""
    source = nbformat.read(scene.root / "source" / ASSIGNMENT / f"{ASSIGNMENT}.ipynb", as_version=4)
    tests = [cell.source.split("### BEGIN HIDDEN TESTS") for cell in source.cells if "### BEGIN HIDDEN" in cell.source]
    visible = {line.strip() for parts in tests for line in parts[0].splitlines()}
    hidden = {line.strip() for parts in tests for line in parts[1].splitlines()} - visible
    text = outputs(scene)
    found = [line for line in hidden if len(line) > 20 and line in text]
    return f"A line of a hidden test is shown to the student: {found[0]}" if found else None


_HIDDEN = [
    Case(
        row=14,
        name="prints_notebooks_around_it",
        what="The answer prints the tests in every notebook that lies in its working folder or above it.",
        hand_in=after(
            "quiz",
            f"""
import json
{_FIND}

for path in [*glob.glob("*.ipynb"), *glob.glob("**/*.ipynb", recursive=True), *find("autograded/*/*/*.ipynb")][:20]:
    try:
        for cell in json.load(open(path))["cells"]:
            if "HIDDEN" in "".join(cell["source"]):
                print("".join(cell["source"]))
    except (OSError, ValueError):
        pass
""",
        ),
        lost=NONE,
        harm=_shows_hidden_lines,
    ),
    Case(
        row=14,
        name="letters_from_the_notebook",
        what="The answer to the quiz takes the letters from the copy of the notebook that is being graded.",
        hand_in=wrong(
            "quiz",
            """
import glob
import json
import re


def letters():
    for path in glob.glob("*.ipynb"):
        text = "\\n".join("".join(cell["source"]) for cell in json.load(open(path))["cells"])
        return re.findall(r'right="(.)"', text)
""",
            inside="if found := letters():\n    return found",
        ),
        lost=QUIZ,
    ),
    Case(
        row=14,
        name="prints_the_history",
        what="The answer prints the cells that have run before, from IPython's history and its cache of source lines.",
        hand_in=extra(
            "test-quiz-3",
            """
import linecache

print("\\n".join(get_ipython().user_ns["In"]))
print("\\n".join("".join(entry[2]) for entry in linecache.cache.values() if len(entry) == 4))
for _, _, text in get_ipython().history_manager.get_range():
    print(text)
""",
        ),
        lost=NONE,
        harm=_shows_hidden_lines,
    ),
    Case(
        row=14,
        name="prints_what_callers_hold",
        what="The answer prints the source and the constants of all code that is running above it.",
        hand_in=after(
            "quiz",
            """
import linecache
import sys

letters = quiz()


def quiz():
    frame = sys._getframe()
    while frame := frame.f_back:
        if "ipykernel_" in frame.f_code.co_filename or frame.f_code.co_filename.startswith("<"):
            print(frame.f_code.co_consts)
            print("".join(linecache.getlines(frame.f_code.co_filename)))
    return letters
""",
        ),
        lost=NONE,
        harm=_shows_hidden_lines,
    ),
    Case(
        row=14,
        name="prints_memory_of_others",
        what="The answer looks for other processes of the grader whose memory it could read.",
        hand_in=after(
            "quiz",
            """
import glob
import os

# Not getpid(): in a namespace of its own a process has another number than in /proc.
own = os.readlink("/proc/self")
for path in glob.glob("/proc/[0-9]*"):
    try:
        if os.path.basename(path) == own or b"python" not in open(f"{path}/cmdline", "rb").read():
            continue
        with open(f"{path}/mem", "rb") as memory:
            memory.seek(int(open(f"{path}/maps").readline().split("-")[0], 16))
            if memory.read(4):
                print("MEMORY " + "READ", open(f"{path}/comm").read())
    except (OSError, ValueError):
        pass
""",
        ),
        lost=NONE,
        harm=shows("MEMORY READ", "A submission could read the memory of another process."),
    ),
    Case(
        row=15,
        name="error_inside_the_loss",
        what="The answer calls the hidden loss with nonsense, so that the traceback shows the lines of the loss.",
        hand_in=after(
            "row-gradient",
            """
right_row_gradient = row_gradient


def row_gradient(loss, w, x_row, target):
    return right_row_gradient(loss, w, x_row, target if loss.__name__ == "squared_error" else "nonsense")
""",
        ),
        lost=TESTS["row-gradient"],
        harm=_shows_hidden_lines,
    ),
    Case(
        row=15,
        name="prints_the_source_of_the_loss",
        what="The answer prints the source, the constants and the names of every loss that it is given.",
        hand_in=after(
            "row-gradient",
            """
import inspect

right_row_gradient = row_gradient


def row_gradient(loss, w, x_row, target):
    try:
        print(inspect.getsource(loss))
    except (OSError, TypeError) as error:
        print(error)
    return right_row_gradient(loss, w, x_row, target)
""",
        ),
        lost=NONE,
        harm=_shows_hidden_lines,
    ),
    Case(
        row=15,
        name="traceback_in_full",
        what="The answer fails on hidden inputs only, and prints the whole stack with the lines around each place.",
        hand_in=after(
            "agreement",
            """
import sys
import traceback

right_agreement = agreement


def agreement(gradients):
    if len(gradients) == 4:
        return right_agreement(gradients)
    traceback.print_stack()
    traceback.print_stack(file=sys.stdout)
    raise ZeroDivisionError(" ".join(traceback.format_stack()[-4:]).replace("\\n", " "))
""",
        ),
        lost=AGREEMENT,
        harm=_shows_hidden_lines,
    ),
    Case(
        row=15,
        name="error_that_prints_its_callers",
        what="The answer raises an error whose text is made, when it is shown, from the source of whoever shows it.",
        hand_in=after(
            "agreement",
            """
import inspect
import linecache

right_agreement = agreement


class Curious(Exception):
    def __str__(self):
        for level in inspect.stack(context=0):
            text = "".join(linecache.getlines(level.filename))
            if "checks.returns(" in text and "autograder" not in level.filename:
                return text.partition("HIDDEN TESTS")[2].replace("\\n", " ; ")
        return "nothing found"


def agreement(gradients):
    if len(gradients) == 4:
        return right_agreement(gradients)
    raise Curious
""",
        ),
        lost=AGREEMENT,
        harm=_shows_hidden_lines,
    ),
]

# --- what an answer may know from outside -----------------------------------------------------------------------------

_SNIFFING = [
    Case(
        row=17,
        name="knows_the_visible_inputs",
        what="The answer returns the numbers of the visible test when it sees that test's input, else zeros.",
        hand_in=wrong(
            "row-gradient",
            inside="if w.tolist() == [0.5, -1.0, 2.0]:\n    return torch.tensor([-8.0, -4.0, 0.0], dtype=w.dtype)",
        ),
        lost=TESTS["row-gradient"],
    ),
    Case(
        row=17,
        name="knows_the_loss_by_name",
        what="The answer returns the formula of the one loss that it knows, and does not use the loss it is given.",
        hand_in=wrong("per-sample-gradients", inside="return 2 * (X @ w - y)[:, None] * X"),
        lost=TESTS["per-sample-gradients"],
        says=("Use the function that is passed in as loss",),
    ),
    Case(
        row=17,
        name="counts_its_calls",
        what="The answer is right on its first call, the visible test, and returns zeros afterwards.",
        hand_in=after(
            "agreement",
            """
calls = []
right_agreement = agreement


def agreement(gradients):
    calls.append(1)
    return right_agreement(gradients) if len(calls) == 1 else torch.zeros_like(gradients[:, 0])
""",
        ),
        lost=AGREEMENT,
    ),
    Case(
        row=17,
        name="right_for_the_student_only",
        what="The answer is right in JupyterLab and is zeros where an environment variable says that it is graded.",
        hand_in=after(
            "agreement",
            """
import os

right_agreement = agreement


def agreement(gradients):
    graded = "NBGRADER_EXECUTION" in os.environ or len(gradients) == 6
    return torch.zeros_like(gradients[:, 0]) if graded else right_agreement(gradients)
""",
        ),
        lost=AGREEMENT,
    ),
]

# --- the network ------------------------------------------------------------------------------------------------------

PORT = 58817
_called: set[str] = set()


def _listen(folder: Path) -> None:
    """Wait for calls, on a port of this machine and on an abstract Unix socket, while the class is graded."""
    for family, address in ((socket.AF_INET, ("127.0.0.1", PORT)), (socket.AF_UNIX, "\0torch_func_canary")):
        server = socket.socket(family, socket.SOCK_STREAM)
        try:
            server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            server.bind(address)
        except OSError:  # another case listens already
            server.close()
            continue
        server.listen()
        threading.Thread(target=_note_calls, args=(server,), daemon=True).start()


def _note_calls(server: socket.socket) -> None:
    while True:
        connection, _ = server.accept()
        with connection, contextlib.suppress(OSError):
            connection.settimeout(2)
            _called.add(connection.recv(100).decode(errors="replace"))


def _was_called(name: str) -> Callable[[Scene], str | None]:
    return lambda scene: "A submission reached a socket of this machine." if name in _called else None


_NETWORK = [
    Case(
        row=38,
        name="calls_a_port",
        what="The answer sends a word to a port of this machine.",
        hand_in=after(
            "quiz",
            f"""
import socket

try:
    with socket.create_connection(("127.0.0.1", {PORT}), timeout=2) as connection:
        connection.sendall(b"calls_a_port")
except OSError as error:
    print(error)
""",
        ),
        lost=NONE,
        files=_listen,
        harm=_was_called("calls_a_port"),
    ),
    Case(
        row=38,
        name="calls_an_abstract_socket",
        what="The answer sends a word to an abstract Unix socket, which needs no file.",
        hand_in=after(
            "quiz",
            """
import socket

try:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(2)
        connection.connect("\\0torch_func_canary")
        connection.sendall(b"calls_an_abstract_socket")
except OSError as error:
    print(error)
""",
        ),
        lost=NONE,
        files=_listen,
        harm=_was_called("calls_an_abstract_socket"),
    ),
    Case(
        row=38,
        name="sees_the_network",
        what="The answer lists the network interfaces and asks for the address of a name.",
        hand_in=after(
            "quiz",
            """
import socket

others = [name for _, name in socket.if_nameindex() if name != "lo"]
if others:
    print("NETWORK " + "SEEN", others)
try:
    print("NETWORK " + "SEEN", bool(socket.getaddrinfo("example.com", 80)))
except OSError as error:
    print(error)
""",
        ),
        lost=NONE,
        harm=shows("NETWORK SEEN", "A submission can use the network."),
    ),
    Case(
        row=38,
        name="installs_a_package",
        what="An honest student's first cell installs a package, from an index that does not answer.",
        hand_in=extra(
            "setup",
            "%pip install --index-url http://127.0.0.1:9/simple --retries 0 --timeout 1 torch-func-canary",
            below=False,
        ),
        lost=NONE,
    ),
    Case(
        row=38,
        name="downloads_a_file",
        what="An honest student's own cell downloads data, which raises an error where there is no network.",
        hand_in=extra(
            "test-quiz-3", 'import urllib.request\n\nurllib.request.urlopen("http://127.0.0.1:9/data.csv", timeout=2)'
        ),
        lost=NONE,
    ),
    Case(
        row=38,
        name="finds_the_kernels_of_others",
        what="The answer looks for the connection files of kernels, with which it could run code in them.",
        hand_in=after(
            "quiz",
            """
import glob
import os

from jupyter_core.paths import jupyter_runtime_dir

own = os.path.realpath(get_ipython().kernel.parent.connection_file)
places = [jupyter_runtime_dir(), os.path.dirname(own), os.path.expanduser("~/.local/share/jupyter/runtime"), "/tmp"]
for path in {os.path.realpath(path) for place in places for path in glob.glob(f"{place}/*.json")} - {own}:
    try:
        if "hmac" in open(path).read():
            print("CONNECTION FILE " + "READ", path)
    except OSError:
        pass
""",
        ),
        lost=NONE,
        harm=shows("CONNECTION FILE READ", "A submission could have run code in another kernel."),
    ),
]

# --- secrets and other students ---------------------------------------------------------------------------------------


def _set_a_secret(folder: Path) -> None:
    """Set an environment variable in the grader's process that no submission may see."""
    os.environ["TORCH_FUNC_CANARY_TOKEN"] = SECRET


def _unset_and(harm: Callable[[Scene], str | None]) -> Callable[[Scene], str | None]:
    def look(scene: Scene) -> str | None:
        os.environ.pop("TORCH_FUNC_CANARY_TOKEN", None)
        return harm(scene)

    return look


def _planted(scene: Scene) -> str | None:
    """Look for the file that the attack plants where later kernels find it, and take it away."""
    found = None
    places = [Path.home() / ".ipython/profile_default/startup", Path(os.__file__).parent / "site-packages"]
    places.append(Path(sysconfig.get_path("purelib")))
    for place in places:
        path = place / "torch_func_canary_planted.py"
        if path.exists():
            path.unlink()
            found = f"A submission left a file that later kernels would run: {path}."
    return found


_NOTES = """
import os

for folder in ("/tmp", "/var/tmp", "/dev/shm", os.path.expanduser("~"), ".."):
    try:
        if os.path.exists(f"{{folder}}/torch_func_canary_{other}"):
            print("NOTE FROM " + "{other}")
        open(f"{{folder}}/torch_func_canary_{own}", "w").close()
    except OSError:
        pass
"""


def _no_notes(scene: Scene) -> str | None:
    """Take away the notes that were left outside, and say so."""
    folders = [Path("/tmp"), Path("/var/tmp"), Path("/dev/shm"), Path.home(), scene.class_folder / "autograded"]
    notes = [
        folder / name
        for folder in [*folders, scene.class_folder / "autograded" / scene.student]
        for name in ("torch_func_canary_passes_notes", "torch_func_canary_reads_notes")
    ]
    found = [note for note in notes if note.exists()]
    for note in found:
        note.unlink()
    return f"A submission left a file in a folder that all share: {found[0]}." if found else None


_SECRET_SHOWN = shows(SECRET, "A secret from outside the submission is shown.")

_SECRETS = [
    Case(
        row=39,
        name="prints_a_token",
        what="The answer prints a token from the grader's environment.",
        hand_in=after("quiz", 'import os\n\nprint(os.environ.get("TORCH_FUNC_CANARY_TOKEN"))'),
        lost=NONE,
        files=_set_a_secret,
        harm=_unset_and(_SECRET_SHOWN),
    ),
    Case(
        row=39,
        name="prints_the_environment_of_others",
        what="The answer looks for the token in the environment of every process that it can see.",
        hand_in=after(
            "quiz",
            """
import glob

for path in glob.glob("/proc/[0-9]*/environ"):
    try:
        for setting in open(path, "rb").read().split(b"\\0"):
            if setting.startswith(b"TORCH_FUNC_CANARY_TOKEN="):
                print(setting)
    except OSError:
        pass
""",
        ),
        lost=NONE,
        files=_set_a_secret,
        harm=_unset_and(_SECRET_SHOWN),
    ),
    Case(
        row=39,
        name="prints_a_file_from_outside",
        what="The answer prints a file that has nothing to do with the class.",
        hand_in=after(
            "quiz",
            f"""
for path in ("{CANARY}/secret.txt", "/proc/1/root{CANARY}/secret.txt", "/proc/self/root{CANARY}/secret.txt"):
    try:
        print(open(path).read())
    except OSError as error:
        print(error)
""",
        ),
        lost=NONE,
        harm=_SECRET_SHOWN,
    ),
    Case(
        row=39,
        name="looks_at_other_students",
        what="The answer looks for the work of other students, in all steps of grading.",
        hand_in=after(
            "quiz",
            f"""
{_FIND}

own = os.getcwd().split(os.sep)
for step in ("submitted", "autograded", "feedback"):
    for path in find(f"{{step}}/*/*/*.*"):
        if not set(path.split(os.sep)[-3:-2]) & set(own):
            print("OTHER STUDENTS " + "SEEN", path)
            break
""",
        ),
        lost=NONE,
        harm=shows("OTHER STUDENTS SEEN", "A submission could read the work of other students."),
    ),
    *[
        Case(
            row=39,
            name=name,
            what="Two students pass notes by files in folders that all processes share.",
            hand_in=after("quiz", _NOTES.format(own=name, other=other)),
            lost=NONE,
            harm=first_harm(shows(f"NOTE FROM {other}", "A submission read what another had left."), _no_notes),
        )
        for name, other in (("passes_notes", "reads_notes"), ("reads_notes", "passes_notes"))
    ],
    Case(
        row=39,
        name="could_signal_others",
        what="The answer asks which processes outside its own session it could send a signal to, and sends none.",
        hand_in=after(
            "quiz",
            """
import os

for number in range(2, 70_000):
    try:
        os.kill(number, 0)
        if number != os.getppid() and os.getsid(number) != os.getsid(0):
            print("SIGNAL " + "POSSIBLE", number)
            break
    except OSError:
        pass
""",
        ),
        lost=NONE,
        harm=shows("SIGNAL POSSIBLE", "A submission could end processes of others."),
    ),
    Case(
        row=39,
        name="plants_a_startup_file",
        what="The answer leaves files that hold a comment only where later kernels look for code to run.",
        hand_in=after(
            "quiz",
            """
import os
import sysconfig

folders = [os.path.expanduser("~/.ipython/profile_default/startup"), sysconfig.get_path("purelib")]
folders += [os.path.join(os.path.dirname(os.__file__), "site-packages"), get_ipython().profile_dir.startup_dir]
for folder in folders:
    try:
        with open(f"{folder}/torch_func_canary_planted.py", "w") as file:
            file.write("# nothing\\n")
    except OSError as error:
        print(error)
""",
        ),
        lost=NONE,
        harm=_planted,
    ),
]

# --- links in the submission ------------------------------------------------------------------------------------------

_PRINT_ALL = """
import os

for folder, _, names in os.walk(".", followlinks=True):
    for name in names[:20]:
        try:
            print(open(f"{folder}/{name}").read(10_000))
        except (OSError, ValueError) as error:
            print(error)
    if folder.count("/") > 3:
        break
"""


def _secret_copied(scene: Scene) -> str | None:
    """Look for the secret in the folders that grading wrote."""
    for step in ("autograded", "feedback"):
        for path in (scene.class_folder / step / scene.student).rglob("*"):
            if path.is_file() and path.stat().st_size < 10**7 and SECRET.encode() in path.read_bytes():
                return f"A link was followed, and what it leads to was copied to {path}."
    return None


def _link_to_file(folder: Path) -> None:
    folder.joinpath("data.txt").symlink_to(CANARY / "secret.txt")


def _link_to_folder(folder: Path) -> None:
    folder.joinpath("data").symlink_to(CANARY, target_is_directory=True)


def _link_to_itself(folder: Path) -> None:
    folder.joinpath("again").symlink_to(".", target_is_directory=True)
    folder.joinpath("nowhere.txt").symlink_to("nowhere.txt")
    folder.joinpath("gone.txt").symlink_to("/nothing/is/here")


def _link_to_device(folder: Path) -> None:
    # Not one that gives without an end: a grader that follows the link would fill the disk.
    folder.joinpath("nothing.bin").symlink_to("/dev/null")
    folder.joinpath("asks.txt").symlink_to("/dev/stdin")


def _pipe(folder: Path) -> None:
    os.mkfifo(folder / "pipe.txt")


def _socket(folder: Path) -> None:
    """Leave a Unix socket, made by a short relative path: the folder's own may be too long."""
    here = os.open(folder, os.O_RDONLY)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"/proc/self/fd/{here}/socket.txt")
    os.close(here)


def _notebook_is_a_link(folder: Path) -> None:
    notebook = folder / f"{ASSIGNMENT}.ipynb"
    shutil.move(notebook, CANARY / "somebody_elses.ipynb")
    notebook.symlink_to(CANARY / "somebody_elses.ipynb")


_LINKS = [
    Case(
        row=68,
        name="link_to_a_secret",
        what="The submission holds a link to a file outside, and a cell that prints all files of the submission.",
        hand_in=extra("test-quiz-3", _PRINT_ALL),
        lost=NONE,
        files=_link_to_file,
        harm=first_harm(_SECRET_SHOWN, _secret_copied),
    ),
    Case(
        row=68,
        name="link_to_a_folder",
        what="The submission holds a link to a folder outside, and a cell that prints all files of the submission.",
        hand_in=extra("test-quiz-3", _PRINT_ALL),
        lost=NONE,
        files=_link_to_folder,
        harm=first_harm(_SECRET_SHOWN, _secret_copied),
    ),
    Case(
        row=68,
        name="links_in_a_circle",
        what="The submission holds links that lead to themselves, to their own folder and to nothing.",
        hand_in=unchanged,
        lost=NONE,
        files=_link_to_itself,
    ),
    Case(
        row=68,
        name="link_to_a_device",
        what="The submission holds links to devices, one of which waits for a keyboard.",
        hand_in=unchanged,
        lost=NONE,
        files=_link_to_device,
    ),
    Case(
        row=68,
        name="pipe_in_the_folder",
        what="The submission holds a named pipe, which whoever reads it waits for.",
        hand_in=unchanged,
        lost=NONE,
        files=_pipe,
    ),
    Case(
        row=68,
        name="socket_in_the_folder",
        what="The submission holds a Unix socket, which cannot be copied.",
        hand_in=unchanged,
        lost=NONE,
        files=_socket,
    ),
    Case(
        row=68,
        name="notebook_is_a_link",
        what="The notebook itself is a link to somebody else's, which lies outside and has right answers.",
        hand_in=unchanged,
        lost=ALL,
        files=_notebook_is_a_link,
    ),
]

CASES = [*_GRADEBOOK, *_SOURCES, *_HIDDEN, *_SNIFFING, *_NETWORK, *_SECRETS, *_LINKS]
