"""The command that starts bubblewrap: a read-only system, no network, an empty environment, no way out.

Reference: https://github.com/containers/bubblewrap, bwrap(1)
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]

# Where a kernel lives inside: its sockets, and its working folder, which is also its home.
SOCKETS = "/run/kernel"
WORK = "/run/work"

LINUX = (
    "Grading runs students' code in a sandbox that only Linux has. On Windows grade in WSL 2, on macOS in a virtual "
    "machine with Linux."
)
INSTALL = "Install it with: sudo apt install bubblewrap (Debian, Ubuntu), sudo dnf install bubblewrap (Fedora)."
NAMESPACES = (
    "On Ubuntu 24.04 and newer: sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0. In Docker: run the "
    "container with --security-opt seccomp=unconfined --security-opt apparmor=unconfined --cap-add SYS_ADMIN, or grade "
    "on the machine itself."
)
OVERRIDE = (
    "Only for code that you trust as your own: python -m autograder grade --unsafe-no-sandbox, or "
    "c.Limits.unsafe_no_sandbox = True in nbgrader_config.py; every record then says so."
)


class SandboxUnavailable(Exception):
    """Raised when student code cannot be confined on this machine. The message says what to install or to allow."""


def find_bubblewrap() -> str:
    """Path of bubblewrap.

    Raises:
        SandboxUnavailable: it is not installed.
    """
    if not (path := shutil.which("bwrap")):
        raise SandboxUnavailable(f"Grading runs students' code in bubblewrap, which is not here. {INSTALL} {OVERRIDE}")
    return path


def check(*, confined: bool = True) -> None:
    """Try the sandbox.

    Args:
        confined: whether it is needed; kernels need Linux in any case.

    Raises:
        SandboxUnavailable: it does not work here; the message holds the reason that bubblewrap gives.
    """
    if sys.platform != "linux":
        raise SandboxUnavailable(LINUX)
    if not confined:
        return
    # The namespaces of a kernel are made inside: some systems let bubblewrap make them, and nobody in there.
    program = "from autograder.kernels import confine; confine.new_namespaces(); confine.mount_tmpfs('/run', 1, 9)"
    tried = subprocess.run(command([sys.executable, "-c", program]), capture_output=True, text=True)
    if tried.returncode:
        raise SandboxUnavailable(refusal(tried.stderr))


def refusal(reason: str) -> str:
    """Say that the sandbox could not be made, for the `reason` that bubblewrap gave."""
    lines = reason.strip().splitlines() or ["it gave no reason"]
    what = f"Grading runs students' code in bubblewrap, which could not make a sandbox: {lines[-1]}."
    return f"{what} {NAMESPACES} {OVERRIDE}"


def command(argv: list[str]) -> list[str]:
    """The command line that runs `argv`, a command with absolute paths, in the sandbox.

    The command is the first process in there: when it ends, everything in the sandbox ends. (--die-with-parent would
    tie it to the thread that starts it.)
    """
    line = [find_bubblewrap(), *_namespaces(), "--as-pid-1", "--new-session", "--clearenv"]
    for name, value in environment().items():
        line += ["--setenv", name, value]
    # The zygote writes to /run only; each kernel mounts file systems of its own over /run, /dev/shm and /tmp.
    line += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--size", str(4 * 2**20), "--tmpfs", "/run"]
    for place in _system():
        line += _bind(place)
    line += ["--remount-ro", "/", "--remount-ro", "/tmp", "--remount-ro", "/dev", "--chdir", "/"]
    return [*line, *argv]


def has_own_tmp() -> bool:
    """Whether a kernel can have a /tmp of its own: nothing that it needs lies below /tmp."""
    return not any(place.is_relative_to("/tmp") for place in _system())


def environment() -> dict[str, str]:
    """The environment of a kernel: nothing of the grader's."""
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": WORK,
        "USER": "student",
        "LOGNAME": "student",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "TMPDIR": "/run",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "MPLCONFIGDIR": "/run/matplotlib",
        "IPYTHONDIR": "/run/ipython",
        "JUPYTER_RUNTIME_DIR": "/run/jupyter",
        # One thread: a forked process must not meet the thread pool of its parent, and the sums come out the same.
        **dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"),
        "CUDA_VISIBLE_DEVICES": "",
        # A set of names comes out in the same order each time.
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": str(PACKAGE.parent) if _is_editable() else "",
        "NBGRADER_EXECUTION": "autograde",
    }


def _namespaces() -> list[str]:
    return [
        "--unshare-user",
        "--unshare-pid",
        "--unshare-net",
        "--unshare-ipc",
        "--unshare-uts",
        "--unshare-cgroup-try",
    ]


def _system() -> list[Path]:
    """What is visible: the system's libraries, Python, its packages and this package. Not the course's folder."""
    places = [Path(place) for place in ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")]
    places += [Path("/etc") / name for name in ("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "fonts")]
    prefixes = {sys.prefix, sys.base_prefix, *(sysconfig.get_path(name) for name in ("purelib", "platlib", "stdlib"))}
    places += [Path(prefix) for prefix in sorted(prefixes)]
    places.append(PACKAGE)
    outer = [place for place in places if not any(place != top and place.is_relative_to(top) for top in places)]
    return list(dict.fromkeys(outer))


def _bind(place: Path) -> list[str]:
    # /bin and /lib are links into /usr on most systems.
    if place.is_symlink() and len(place.parts) == 2:
        return ["--symlink", os.readlink(place), str(place)]
    return ["--ro-bind-try", str(place), str(place)]


def _is_editable() -> bool:
    return not PACKAGE.is_relative_to(sys.prefix)
