"""What a person reads whose machine is not ready: one sentence for each problem, and what to do."""

import ast
import os
import re
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from autograder import environment

ROOT = environment.ROOT
TORCH = environment.pins()["torch"]


def install(folder: Path, name: str, version: str) -> None:
    """Make Python believe that this release is installed, when `folder` comes first on its path."""
    record = folder / f"{name}-{version}.dist-info" / "METADATA"
    record.parent.mkdir()
    record.write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")


def locked() -> dict[str, str]:
    """Return the versions in constraints.txt by normalised name."""
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    return {
        canonicalize_name(name): version for name, version in re.findall(r"^([^#=]+)==(.+)$", "\n".join(lines), re.M)
    }


def test_the_environment_of_the_tests_is_the_pinned_one() -> None:
    assert environment.problems() == []


def test_another_torch_is_named_with_the_right_one_and_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "torch", "1.0.2")
    monkeypatch.syspath_prepend(tmp_path)
    assert environment.problems() == [
        f"torch 1.0.2 is installed, this course needs {TORCH}: "
        "run `make lab`, or `pip install -c constraints.txt -r requirements.txt`."
    ]


@pytest.mark.parametrize("build", ["", "+cpu", "+cu130"])
def test_every_build_of_the_right_torch_will_do(build: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "torch", TORCH + build)
    monkeypatch.syspath_prepend(tmp_path)
    assert metadata.version("torch") == TORCH + build
    assert environment.problems() == []


def test_missing_packages_are_named_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text(f"-e .\ntorch=={TORCH}\nnot-a-package==1.5\nnor-this==2.0 # why\n")
    assert environment.problems(tmp_path) == [
        "Not installed, but needed by this course: not-a-package 1.5, nor-this 2.0: "
        "run `make lab`, or `pip install -c constraints.txt -r requirements.txt`."
    ]


def test_a_python_without_any_of_the_packages_is_told_so_in_one_line() -> None:
    # -S leaves out site-packages: whatever is imported from there before the check would end in a traceback.
    done = subprocess.run([sys.executable, "-S", "-m", "autograder", "lab"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith(
        f"None of the course's packages is installed in this Python ({sys.executable}): run `make lab`"
    )


def test_the_command_line_ends_with_one_line_on_another_torch(tmp_path: Path) -> None:
    install(tmp_path, "torch", "1.0.2")
    done = subprocess.run(
        [sys.executable, "-m", "autograder", "lab"],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"torch 1.0.2 is installed, this course needs {TORCH}: run `make lab`")


def test_an_old_python_is_the_only_problem_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 9, 2, "final", 0))
    (line,) = environment.problems()
    assert line.startswith(
        "This is Python 3.9.2, the course needs 3.11 or newer: run `make lab PYTHON=/path/to/python3.12`"
    )


@pytest.mark.parametrize("name", ["__init__.py", "__main__.py", "environment.py"])
def test_an_old_python_can_read_what_speaks_to_it(name: str) -> None:
    ast.parse((ROOT / "autograder" / name).read_text(), feature_version=(3, 8))


def test_a_folder_without_requirements_is_told_so(tmp_path: Path) -> None:
    (line,) = environment.problems(tmp_path)
    assert line.startswith(f"The file requirements.txt is not in {tmp_path}")


def test_what_lesson_00_stores_says_nothing_about_this_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    install(tmp_path, "torch", f"{TORCH}+cpu")
    monkeypatch.syspath_prepend(tmp_path)
    environment.show()
    first, *packages, last = capsys.readouterr().out.splitlines()
    assert first == "Python 3.11 or newer: yes"
    assert packages == [f"{name} {version}: yes" for name, version in environment.pins().items()]
    assert last == "All packages are as pinned."


def test_on_a_wrong_machine_lesson_00_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    install(tmp_path, "torch", "1.0.2")
    monkeypatch.syspath_prepend(tmp_path)
    environment.show()
    lines = capsys.readouterr().out.splitlines()
    assert f"torch {TORCH}: no" in lines
    assert lines[-1].startswith(f"torch 1.0.2 is installed, this course needs {TORCH}: run `make lab`")
    assert "All packages are as pinned." not in lines


def test_the_constraints_agree_with_the_pins() -> None:
    wanted = {canonicalize_name(name): version for name, version in environment.pins().items()}
    assert wanted.items() <= locked().items(), "run `make lock` after a change of requirements.txt"


def test_the_constraints_admit_every_build_of_torch() -> None:
    assert not [f"{name}=={version}" for name, version in locked().items() if "+" in version]
    assert not [name for name in locked() if re.match("nvidia|cuda|triton", name)]


def test_the_constraints_hold_on_the_oldest_python() -> None:
    # Debian 12 has 3.11.2. Some releases ask for a later 3.11 than the first, and pip then finds no solution there.
    oldest = ".".join(str(number) for number in environment.OLDEST_PYTHON) + ".0"
    asked = {name: metadata.metadata(name).get("Requires-Python") for name in locked() if _is_installed(name)}
    assert len(asked) > 50
    assert not [(name, spec) for name, spec in asked.items() if spec and oldest not in SpecifierSet(spec)]


def _is_installed(name: str) -> bool:
    return any(metadata.distributions(name=name))


@pytest.fixture
def read_only_folder() -> Iterator[Path]:
    """Yield a folder in which this process may not write: root gives up its rights for the time being."""
    if os.name == "nt":
        pytest.skip("Windows has no permission bits for folders")
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o555)
        is_root = os.geteuid() == 0
        if is_root:
            os.seteuid(65534)
        try:
            yield Path(folder)
        finally:
            if is_root:
                os.seteuid(0)
            os.chmod(folder, 0o755)


def test_a_folder_that_cannot_be_written_is_named_in_one_line(read_only_folder: Path) -> None:
    (line,) = environment.check_writable(read_only_folder)
    assert line.startswith(f"The folder {read_only_folder} cannot be written (Permission denied)")
    assert "copy the course to a folder of your own" in line


def test_a_folder_that_can_be_written_is_no_problem_and_stays_as_it_was(tmp_path: Path) -> None:
    assert environment.check_writable(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("address", ["127.0.0.1", "::1"])
def test_a_port_in_use_is_named_with_a_free_one(address: str) -> None:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    if not any(info[4][0] == address for info in socket.getaddrinfo("localhost", 80)):
        pytest.skip(f"localhost is not {address} here")
    with socket.socket(family) as listener:
        listener.bind((address, 0))
        listener.listen()
        port = listener.getsockname()[1]
        (line,) = environment.check_port(port)
        assert line.startswith(
            f"Port {port} is in use, perhaps by a JupyterLab that is already running. Open that one, or"
        )
        free = int(re.search(r"(\d+)$", line)[1])
        assert free != port
        assert environment.check_port(free) == []
    assert environment.check_port(port) == []
