"""The Makefile as a person meets it. Python is played by a small script, so that nothing is downloaded."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MAKE = shutil.which("make")
pytestmark = pytest.mark.skipif(not MAKE, reason="make is not installed here (Windows goes without)")

# It answers what the Makefile asks a Python, makes a .venv that holds itself, and notes every call.
ACTOR = """#!/bin/sh
echo "$*" >> calls
case "$*" in
  *"import ensurepip"*) {ensurepip} ;;
  *version_info*) echo {version} ;;
  *"-m venv"*) mkdir -p .venv/bin && cp "$0" .venv/bin/python ;;
  *"-m pip install"*) test ! -e no_network ;;
esac
"""


class Course:
    """A course folder with the real Makefile, and a PATH on which only the named Pythons are."""

    def __init__(self, folder: Path, tools: Path) -> None:
        """Set both up."""
        self.folder, self.tools = folder, tools
        for path in (folder, tools):
            path.mkdir()
        for name in ("Makefile", "requirements.txt", "constraints.txt", "pyproject.toml"):
            shutil.copy(ROOT / name, folder)
        for name in ("awk", "cat", "cp", "grep", "mkdir", "sh"):
            (tools / name).symlink_to(shutil.which(name))

    def add_python(self, name: str, version: str, ensurepip: str = "true") -> None:
        """Put a Python of this version on the PATH."""
        python = self.tools / name
        python.write_text(ACTOR.format(version=version, ensurepip=ensurepip))
        python.chmod(0o755)

    def make(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run make here, with nothing inherited from a make that runs these tests."""
        variables = {"PATH": str(self.tools), "HOME": os.environ.get("HOME", "")}
        return subprocess.run([MAKE, *arguments], cwd=self.folder, env=variables, capture_output=True, text=True)

    def calls(self, pattern: str) -> list[str]:
        """Return the calls of Python that match, in order."""
        calls = self.folder / "calls"
        return [line for line in calls.read_text().splitlines() if re.search(pattern, line)] if calls.exists() else []


@pytest.fixture
def course(tmp_path: Path) -> Course:
    """Return a course in which nothing is set up, and no Python on the PATH."""
    return Course(tmp_path / "course", tmp_path / "tools")


def one_line(done: subprocess.CompletedProcess[str]) -> str:
    """Return what was said besides make's own closing line."""
    assert done.returncode != 0
    (line,) = [line for line in done.stderr.splitlines() if not line.startswith("make: ***")]
    return line


@pytest.mark.parametrize("goal", [(), ("help",)])
def test_help_names_the_targets(course: Course, goal: tuple[str, ...]) -> None:
    done = course.make(*goal)
    assert done.returncode == 0
    assert re.findall(r"^  make (\w+) +\S", done.stdout, re.MULTILINE) == [
        "help",
        "lab",
        "grade",
        "test",
        "bench",
        "drift",
        "lock",
    ]


def test_the_first_command_sets_up_and_then_runs(course: Course) -> None:
    course.add_python("python3", "3.11.2")
    done = course.make("lab", "PORT=8890")
    assert done.returncode == 0, done.stderr
    assert "Setting up .venv with python3 (3.11.2)." in done.stdout
    assert len(course.calls("-m venv")) == 1
    (install,) = course.calls("-m pip install")
    assert install.endswith("-c constraints.txt -r requirements.txt")
    assert course.calls("autograder") == ["-m autograder lab --port 8890"]


@pytest.mark.parametrize("goal", ["lab", "grade", "test", "drift"])
def test_nothing_is_set_up_twice(course: Course, goal: str) -> None:
    course.add_python("python3", "3.12.4")
    assert course.make("lab").returncode == 0
    assert "pip install" not in course.make("-n", goal).stdout
    stamp = (course.folder / ".venv" / ".ready").stat()
    os.utime(course.folder / "requirements.txt", (stamp.st_atime + 10, stamp.st_mtime + 10))
    assert "pip install" in course.make("-n", goal).stdout


def test_an_interrupted_set_up_is_taken_up_again(course: Course) -> None:
    course.add_python("python3", "3.12.4")
    (course.folder / "no_network").touch()
    assert course.make("lab").returncode != 0
    assert not course.calls("autograder lab")
    (course.folder / "no_network").unlink()
    assert course.make("lab").returncode == 0
    assert len(course.calls("-m venv")) == 1
    assert len(course.calls("-m pip install")) == 2
    assert course.calls("autograder lab")


def test_a_folder_that_was_moved_is_set_up_where_it_is(course: Course, tmp_path: Path) -> None:
    course.add_python("python3", "3.12.4")
    assert course.make("lab").returncode == 0
    course.folder = course.folder.rename(tmp_path / "elsewhere")
    assert course.make("lab").returncode == 0
    assert len(course.calls("-m pip install")) == 2
    assert course.make("lab").returncode == 0
    assert len(course.calls("-m pip install")) == 2


def test_torch_can_come_from_another_index(course: Course) -> None:
    course.add_python("python3", "3.12.4")
    assert course.make("lab", "TORCH_INDEX=https://download.pytorch.org/whl/cpu").returncode == 0
    torch, rest = course.calls("-m pip install")
    pin = re.search(r"^torch==.*$", (ROOT / "requirements.txt").read_text(), re.MULTILINE)[0]
    assert torch.endswith(f"--no-deps --index-url https://download.pytorch.org/whl/cpu {pin}")
    assert rest.endswith("-c constraints.txt -r requirements.txt")


def test_an_old_python_is_named_in_one_line(course: Course) -> None:
    course.add_python("python3", "3.9.2")
    assert one_line(course.make("lab")) == (
        "The course needs Python 3.11 or newer, found: python3 is 3.9.2. "
        "Install one, or name one that you have: make lab PYTHON=/path/to/python3.12"
    )


def test_no_python_is_named_in_one_line(course: Course) -> None:
    assert one_line(course.make("lab", "PYTHON=/nowhere/python3")).startswith(
        "The course needs Python 3.11 or newer, found: no /nowhere/python3."
    )


@pytest.mark.parametrize("old", ["2.7.18", "3.9.2", "3.10.13"])
def test_a_newer_python_on_the_path_is_taken_instead_of_an_old_one(course: Course, old: str) -> None:
    course.add_python("python3", old)
    course.add_python("python3.13", "3.13.0")
    assert "Setting up .venv with python3.13 (3.13.0)." in course.make("lab").stdout


def test_a_missing_venv_module_is_named_with_its_package(course: Course) -> None:
    course.add_python("python3", "3.11.2", ensurepip="exit 1")
    line = one_line(course.make("lab"))
    assert "python3 (3.11.2) cannot make a virtual environment" in line
    assert "apt install python3-venv" in line
