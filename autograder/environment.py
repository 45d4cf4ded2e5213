"""Is this machine ready for the course? Every answer is one sentence that says what is wrong and what to do.

Only the standard library is used, and no syntax newer than Python 3.8: this module must be able to speak where nothing
is installed, or where the Python is too old.
"""

from __future__ import annotations

import os
import re
import socket
import sys
import tempfile
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OLDEST_PYTHON = (3, 11)
PACKAGE = "torch-func-course"  # the name under which `-e .` installs the course itself
INSTALL = "run `make lab`, or `pip install -c constraints.txt -r requirements.txt`"

_PIN = re.compile(r"^(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[^\]]*\])?\s*==\s*(?P<version>[^\s;#]+)")


def pins(root: Path = ROOT) -> dict[str, str]:
    """Return the exact versions that requirements.txt asks for, by package name, in its order."""
    lines = (root / "requirements.txt").read_text(encoding="utf-8").splitlines()
    found = (_PIN.match(line) for line in lines)
    return {pin["name"]: pin["version"] for pin in found if pin}


def problems(root: Path = ROOT) -> list[str]:
    """Return what keeps the course from running in this Python; an empty list means that all is well.

    The local part of an installed version (`+cpu`, `+cu130`) is not compared: each build of the same release will do.
    """
    if sys.version_info[:2] < OLDEST_PYTHON:
        # What is installed in a Python that cannot be used does not matter.
        return [
            f"This is Python {_dotted(sys.version_info[:3])}, the course needs {_dotted(OLDEST_PYTHON)} or newer: "
            "run `make lab PYTHON=/path/to/python3.12`, or make the environment with a newer Python."
        ]
    try:
        wanted = pins(root)
    except OSError:
        return [
            f"The file requirements.txt is not in {root}: the course runs from its own folder, so "
            "get the whole folder, and install it there with `pip install -c constraints.txt -r requirements.txt`."
        ]
    installed = {name: _installed(name) for name in wanted}
    missing = [name for name in wanted if not installed[name]]
    found = []
    if len(missing) == len(wanted):
        found.append(
            f"None of the course's packages is installed in this Python ({sys.executable}): {INSTALL}, "
            "or use the Python of the environment where they are."
        )
    elif missing:
        names = ", ".join(f"{name} {wanted[name]}" for name in missing)
        found.append(f"Not installed, but needed by this course: {names}: {INSTALL}.")
    elif not _installed(PACKAGE):
        found.append(f"The course's own package is not installed, so notebooks cannot import it: {INSTALL}.")
    found += [
        f"{name} {installed[name]} is installed, this course needs {version}: {INSTALL}."
        for name, version in wanted.items()
        if installed[name] and _public(installed[name]) != version
    ]
    return found


def check_writable(folder: Path) -> list[str]:
    """Return a problem if no file can be made in `folder`, tried by making one."""
    try:
        # Asking for permission bits would miss read-only disks, full disks and quotas.
        with tempfile.TemporaryFile(dir=folder):
            return []
    except OSError as error:
        return [
            f"The folder {folder} cannot be written ({error.strerror or error}), so nothing you do could be saved: "
            "copy the course to a folder of your own and start it there."
        ]


def check_port(port: int) -> list[str]:
    """Return a problem, with a port that is free, if `port` on this machine is in use."""
    if _is_free(port):
        return []
    free = next((other for other in range(port + 1, min(port + 1000, 65536)) if _is_free(other)), 0) or _any_free()
    command = f"make lab PORT={free}" if os.name != "nt" else f"python -m autograder lab --port {free}"
    return [f"Port {port} is in use, perhaps by a JupyterLab that is already running. Open that one, or run: {command}"]


def show(root: Path = ROOT) -> None:
    """Print whether this machine is ready: the same lines on every machine that is, and what to do on one that is not.

    Lesson 00 stores what this prints, so nothing here may differ between two right machines.
    """
    found = problems(root)
    print(f"Python {_dotted(OLDEST_PYTHON)} or newer: {_yes(sys.version_info[:2] >= OLDEST_PYTHON)}")
    wanted = pins(root) if (root / "requirements.txt").is_file() else {}
    for name, version in wanted.items():
        print(f"{name} {version}: {_yes(_public(_installed(name)) == version)}")
    print("\n".join(found) if found else "All packages are as pinned.")


def _installed(name: str) -> str:
    """Return the installed version, or nothing."""
    try:
        return metadata.version(name) or ""
    except metadata.PackageNotFoundError:
        return ""


def _public(version: str) -> str:
    return version.partition("+")[0]


def _dotted(numbers: tuple) -> str:
    return ".".join(str(number) for number in numbers)


def _yes(answer: bool) -> str:
    return "yes" if answer else "no"


def _is_free(port: int) -> bool:
    """Try to listen on every address of localhost, as Jupyter's server does."""
    for family, kind, protocol, _, address in socket.getaddrinfo("localhost", port, type=socket.SOCK_STREAM):
        try:
            listener = socket.socket(family, kind, protocol)
        except OSError:
            continue  # a family that this machine does not have, often IPv6
        with listener:
            if os.name != "nt":
                # Else a port whose server has ended counts as taken for a minute. On Windows the option would let
                # two servers share a port.
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == getattr(socket, "AF_INET6", None):
                # Else this could meet its own IPv4 address.
                listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            try:
                listener.bind(address)
            except OSError:
                return False
    return True


def _any_free() -> int:
    with socket.socket() as listener:
        listener.bind(("localhost", 0))
        return listener.getsockname()[1]
