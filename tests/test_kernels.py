"""Kernels in the sandbox: what code in them can see, take and leave behind."""

import os
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest
from conftest import ROOT
from nbclient import NotebookClient

from autograder.examiner.examine import examine
from autograder.examiner.student_kernel import StudentKernel
from autograder.kernels import nursery as nursery_module
from autograder.kernels import sandbox
from autograder.kernels.limits import Limits
from autograder.kernels.nursery import nursery
from autograder.kernels.provisioner import JUPYTER_PATH, NAME

pytestmark = pytest.mark.sandbox
LIMITS = Limits(cell_seconds=20, test_seconds=20, memory=512, processes=32, disk=32, files=500, grace_seconds=0.5)


@pytest.fixture
def kernel():
    made = StudentKernel(nursery(LIMITS), LIMITS)
    yield made
    made.close()


def shown(kernel, source):
    """All that a cell shows, as one text."""
    texts = []
    for output in kernel.run(source):
        texts += [output.get("text"), output.get("evalue"), output.get("data", {}).get("text/plain")]
        texts += output.get("traceback", [])
    return "\n".join(filter(None, texts))


# What it sees.


def test_the_course_and_its_class_are_not_there(kernel):
    (ROOT / "README.md").read_text()
    paths = ["README.md", "source", "tests", "nbgrader_config.py", "gradebook.db", ".git", "release"]
    seen = shown(kernel, f"import os; print([p for p in {paths} if os.path.exists(os.path.join({str(ROOT)!r}, p))])")
    assert seen == "[]\n"


def test_the_home_folder_and_the_environment_are_empty(kernel, monkeypatch):
    monkeypatch.setenv("SECRET_TOKEN", "abc")  # the zygote may run already, so look at what it was given, too
    assert "SECRET_TOKEN" not in sandbox.environment()
    assert shown(kernel, "import os; print(os.environ.get('SECRET_TOKEN'), os.listdir(os.path.expanduser('~')))") == (
        "None []\n"
    )


def test_the_system_is_read_only(kernel):
    tried = """
import os
open_ones = []
for folder in ("/usr", "/etc", "/", "/dev", os.path.dirname(os.__file__), os.path.dirname(__import__("torch").__file__),
               os.path.dirname(__import__("autograder").__file__), "/proc/sys/kernel"):
    try:
        open(os.path.join(folder, "written"), "w")
        open_ones.append(folder)
    except OSError:
        pass
print(open_ones)
"""
    assert shown(kernel, tried) == "[]\n"


def test_there_is_no_network(kernel):
    tried = """
import socket
for address in (("127.0.0.1", 22), ("1.1.1.1", 53)):
    try:
        socket.create_connection(address, 2)
        print("connected")
    except OSError as error:
        print(type(error).__name__)
"""
    assert "connected" not in shown(kernel, tried)
    assert "Temporary failure in name resolution" in shown(kernel, "socket.getaddrinfo('pypi.org', 443)")


def test_it_has_no_rights_and_gets_none(kernel):
    tried = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
status = dict(line.split(":\\t", 1) for line in open("/proc/self/status").read().splitlines() if ":\\t" in line)
print([status[name] for name in ("CapEff", "CapPrm", "CapBnd", "NoNewPrivs", "Seccomp")])
calls = {
    "mount": lambda: libc.mount(b"t", b"/usr", b"tmpfs", 0, None),
    "umount": lambda: libc.umount2(b"/run", 2),
    "unshare": lambda: libc.unshare(0x10000000),
    "memfd": lambda: libc.memfd_create(b"m", 0),
    "shmget": lambda: libc.shmget(0, 4096, 0o1000),
    "ptrace": lambda: libc.ptrace(16, os.getppid() or 2, 0, 0),
    "keyctl": lambda: libc.syscall(250, 0, -3, 0),
}
print({name: call() for name, call in calls.items()})
"""
    lines = shown(kernel, tried).splitlines()
    assert lines[0] == "['0000000000000000', '0000000000000000', '0000000000000000', '1', '2']"
    assert set(eval(lines[1]).values()) == {-1}


def test_it_cannot_look_into_other_kernels_or_the_zygote(kernel):
    other = StudentKernel(kernel.nursery, LIMITS)
    other.run("open('/run/work/mine', 'w').write('private')\nopen('/dev/shm/mine', 'w').write('private')")
    tried = """
import os
found = []
for process in (p for p in os.listdir("/proc") if p.isdigit()):
    if process == os.readlink("/proc/self"):
        continue
    for what in ("environ", "mem", "maps", "root/run/work/mine", "fd/0", "cwd/mine"):
        try:
            open(f"/proc/{process}/{what}", "rb").read(1)
            found.append((process, what))
        except OSError:
            pass
    try:
        os.kill(int(process), 0)
        os.kill(int(process), 9) if int(process) > 1 else None
    except OSError:
        pass
print(found, os.path.exists("/run/work/mine"), os.listdir("/dev/shm"))
"""
    assert shown(kernel, tried) == "[] False []\n"
    assert shown(other, "print(open('mine').read())") == "private\n"
    assert (kernel.generation, other.generation) == (1, 1)
    other.close()


def test_the_sockets_are_sealed_and_proc_cannot_be_written(kernel):
    tried = """
import os
def attempt(what, *args):
    try:
        what(*args)
        return "done"
    except OSError as error:
        return error.strerror
print({attempt(os.rename, "/run/kernel/s-examiner", "/run/kernel/x"), attempt(os.symlink, "/x", "/run/kernel/y"),
       attempt(os.unlink, "/run/kernel/s-examiner"), attempt(open, "/proc/sys/kernel/core_pattern", "r+"),
       attempt(open, "/proc/1/oom_score_adj", "w")})
"""
    assert shown(kernel, tried) == "{'Read-only file system'}\n"
    assert shown(kernel, "print(1)") == "1\n"


def test_new_namespaces_and_odd_sockets_are_denied(kernel):
    tried = """
import ctypes, mmap, os, socket
libc = ctypes.CDLL(None, use_errno=True)
made = [libc.syscall(56, 0x10000000 | 17, 0, 0, 0, 0), libc.syscall(435, 0, 0)]
if 0 in made:
    os._exit(9)
for attempt in (lambda: socket.socket(40, 1), lambda: socket.socket(17, 3), lambda: mmap.mmap(-1, 4096)):
    try:
        attempt()
        made.append(attempt)
    except OSError:
        pass
print(made)
"""
    assert shown(kernel, tried) == "[-1, -1]\n"


def test_kernels_share_no_network(kernel):
    other = StudentKernel(kernel.nursery, LIMITS)
    other.run("import socket\ndoor = socket.socket(socket.AF_UNIX)\ndoor.bind('\\0door')\ndoor.listen()")
    assert "Connection refused" in shown(kernel, "import socket\nsocket.socket(socket.AF_UNIX).connect('\\0door')")
    other.close()


# What it takes.


def test_a_tensor_that_is_too_large_is_an_error_that_a_student_can_read(kernel):
    assert "can't allocate memory" in shown(kernel, "import torch; x = torch.ones(2 * 2**30, dtype=torch.uint8)")
    assert shown(kernel, "print(len(torch.ones(2**26, dtype=torch.uint8)))") == f"{2**26}\n"


@pytest.mark.parametrize(
    "source, reason",
    [
        # In many processes, none of which takes much.
        (
            "import os, time\nfor _ in range(16):\n    if os.fork() == 0:\n        x = bytearray(100 * 2**20)\n"
            "        time.sleep(60)\ntime.sleep(15)",
            "MB of memory",
        ),
        (
            "import os, time\nfor _ in range(600):\n    if os.fork() == 0:\n        time.sleep(60)\ntime.sleep(5)",
            "processes and threads",
        ),
        # Shared memory, which no limit of a process counts.
        (
            "import mmap, time\nkept = []\nfor _ in range(40):\n    kept.append(mmap.mmap(-1, 64 * 2**20))\n"
            "    kept[-1].write(b'x' * (64 * 2**20))\ntime.sleep(5)",
            "MB of memory",
        ),
    ],
)  # fmt: skip
def test_too_many_processes_and_too_much_memory_end_the_kernel(kernel, source, reason):
    text = shown(kernel, source)
    refused = ("Resource temporarily unavailable", "Cannot allocate memory", "Operation not permitted")
    assert reason in text or any(words in text for words in refused)
    assert shown(kernel, "print(1)") == "1\n"


def test_files_have_a_limit_of_size_and_of_number(kernel):
    for folder in ("/run/work", "/dev/shm", "/tmp"):
        text = shown(
            kernel,
            f"try:\n    for i in range(10**6):\n        open('{folder}/' + str(i), 'w').write('x' * 2**20)\n"
            "except OSError as error:\n    print(i < 40, error.strerror)",
        )
        assert text in ("True No space left on device\n", "True Read-only file system\n")
    text = shown(kernel, "import os\nfor i in range(10**5):\n    os.mkdir('/run/work/d' + str(i))")
    assert "No space left on device" in text


def test_a_flood_of_output_is_cut(kernel):
    (output,) = kernel.run("for _ in range(300_000):\n    print('a' * 50)")
    assert len(output.text) < LIMITS.output_bytes + 200
    assert "the rest was dropped" in output.text


@pytest.mark.parametrize(
    "source",
    [
        "while True:\n    pass",
        "while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass",
        "import ctypes\nctypes.CDLL(None).sleep(1000)",
        "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "signal.pthread_sigmask(signal.SIG_BLOCK, [2, 15])\nwhile True:\n    pass",
        "import os, time\nos.kill(os.getpid(), 19)\ntime.sleep(100)",
    ],
)
def test_what_never_ends_is_ended(source):
    limits = Limits(cell_seconds=1, grace_seconds=0.5)
    kernel = StudentKernel(nursery(LIMITS), limits)
    start = time.monotonic()
    assert kernel.run(source)[-1].output_type == "error"
    assert time.monotonic() - start < 15
    assert shown(kernel, "print(1)") == "1\n"
    kernel.close()


# What it leaves behind.


def wait_until(condition):
    deadline = time.monotonic() + 5
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def running(word):
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if word.encode() in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
        except OSError:
            pass
    return found


def test_nothing_survives(kernel):
    word = f"survivor-{os.getpid()}"
    kernel.run(
        "import subprocess, os, sys\n"
        f"subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(100)', '{word}'], start_new_session=True)\n"
        "if os.fork() == 0:\n    os.setsid()\n"
        f"    os.execv(sys.executable, ['{word}', '-c', 'import time; time.sleep(99)'])"
    )
    wait_until(lambda: len(running(word)) == 2)
    kernel.close()
    wait_until(lambda: running(word) == [])


KILLED = """
import os, sys
from autograder.examiner.student_kernel import StudentKernel
from autograder.kernels.limits import Limits
from autograder.kernels.nursery import nursery
kernel = StudentKernel(nursery(Limits()), Limits())
sleep = "import time; time.sleep(99)"
kernel.run(f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {sleep!r}, {sys.argv[1]!r}])")
print("started", flush=True)
{end}
"""


@pytest.mark.parametrize("end", ["os.kill(os.getpid(), 9)", "sys.exit()"])
def test_nothing_survives_the_grader(end):
    word = f"orphan-{os.getpid()}-{len(end)}"
    subprocess.run([sys.executable, "-c", KILLED.replace("{end}", end), word], capture_output=True)
    wait_until(lambda: running(word) == [])


# Who can use it.


def test_nbclient_uses_it_by_name(monkeypatch):
    monkeypatch.setenv("JUPYTER_PATH", str(JUPYTER_PATH))
    cells = [nbformat.v4.new_code_cell(source) for source in ("import os\nx = os.getpid()", "x", "1 / 0")]
    nb = nbformat.v4.new_notebook(cells=cells)
    NotebookClient(nb, kernel_name=NAME, timeout=60, allow_errors=True).execute()
    assert nb.cells[1].outputs[0].data["text/plain"] == "1"
    assert nb.cells[2].outputs[0].ename == "ZeroDivisionError"


def test_nbval_uses_it_by_name(tmp_path):
    cell = nbformat.v4.new_code_cell("import os; os.getpid()", execution_count=1)
    cell.outputs = [nbformat.v4.new_output("execute_result", data={"text/plain": "1"}, execution_count=1)]
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), tmp_path / "one.ipynb")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "--nbval",
        "--nbval-kernel-name",
        NAME,
        "one.ipynb",
        "-p",
        "no:cacheprovider",
    ]
    environment = {**os.environ, "JUPYTER_PATH": str(JUPYTER_PATH)}
    run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert "1 passed" in run.stdout, run.stdout + run.stderr


def test_a_dead_zygote_is_replaced():
    limits = Limits(cell_seconds=19)
    first = nursery(limits)
    kernel = StudentKernel(first, limits)
    assert shown(kernel, "print(1)") == "1\n"
    first._zygote.kill()
    first._zygote.wait()
    assert shown(kernel, "print(2)") == "2\n"
    kernel.close()
    first.close()


# Without a sandbox.


def test_without_bubblewrap_it_refuses_with_the_install_line(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(sandbox.SandboxUnavailable, match="sudo apt install bubblewrap"):
        nursery_module.Nursery(LIMITS).take()
    with pytest.raises(sandbox.SandboxUnavailable, match="--unsafe-no-sandbox"):
        sandbox.check()


def test_without_user_namespaces_it_refuses_and_says_why(monkeypatch, tmp_path):
    fake = tmp_path / "bwrap"
    fake.write_text("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    for run in (nursery_module.Nursery(LIMITS).take, sandbox.check):
        with pytest.raises(sandbox.SandboxUnavailable, match=r"setting up uid map: Permission denied.*sysctl"):
            run()


def test_the_override_runs_without_a_sandbox_and_the_record_says_so():
    limits = Limits(unsafe_no_sandbox=True, cell_seconds=18)
    nb = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(f"import os\nos.path.exists({str(ROOT / 'source')!r})")]
    )
    about = examine(nb, nb, nb, ROOT, {}, limits)
    assert nb.cells[0].outputs[0].data["text/plain"] == "True"
    assert about["sandbox"] is False
    nursery(limits).close()
