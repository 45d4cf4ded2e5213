"""`python -m autograder lab` as a student meets it: the page, the first lesson, and its figures."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import nbformat
import pytest
from nbformat import v4
from nbformat.sign import NotebookNotary

from autograder import environment, lab

ROOT = environment.ROOT
PATIENCE = 60  # seconds; on a quiet machine the server is up in 4
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><title>{}</title></svg>'


@dataclass
class Running:
    """A JupyterLab that was started the way `make lab` does it."""

    folder: Path
    home: Path
    log: Path
    port: int
    token: str

    def get(self, path: str) -> str:
        """Return what the server answers; anything but 200 is an error."""
        request = urllib.request.Request(
            f"http://localhost:{self.port}/{path}", headers={"Authorization": f"token {self.token}"}
        )
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.read().decode()


def write_notebook(path: Path, title: str) -> None:
    """Write a notebook with one stored figure."""
    figure = v4.new_output("display_data", data={"image/svg+xml": SVG.format(title)})
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(v4.new_notebook(cells=[v4.new_code_cell("figure()", execution_count=1, outputs=[figure])]), path)


def make_course(folder: Path) -> None:
    """Make a course that is as small as can be, with this course's package and settings."""
    shutil.copytree(ROOT / "autograder", folder / "autograder", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("requirements.txt", "nbgrader_config.py"):
        shutil.copy(ROOT / name, folder)
    write_notebook(folder / lab.START, "shipped")
    write_notebook(folder / "release" / "01_backward_loop" / "01_backward_loop.ipynb", "shipped")


def free_port() -> int:
    """Return a port that nothing listens on at this moment."""
    with socket.socket() as listener:
        listener.bind(("localhost", 0))
        return listener.getsockname()[1]


def start(folder: Path, port: int, **options: object) -> subprocess.Popen[str]:
    """Start JupyterLab as the Makefile does."""
    command = [sys.executable, "-m", "autograder", "lab", "--no-browser", "--port", str(port)]
    return subprocess.Popen(command, cwd=folder, text=True, stdin=subprocess.DEVNULL, **options)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Yield a running JupyterLab, with an empty home for all that Jupyter keeps about a user."""
    folder, home = tmp_path_factory.mktemp("course"), tmp_path_factory.mktemp("home")
    make_course(folder)
    log = home / "log"
    port = free_port()
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "XDG"))}
    with log.open("w") as output:
        server = start(folder, port, stdout=output, stderr=output, env=variables | {"HOME": str(home)})
    try:
        end = time.monotonic() + PATIENCE
        while not (token := re.search(r"token=([0-9a-f]+)", log.read_text())):
            assert server.poll() is None and time.monotonic() < end, log.read_text()
            time.sleep(0.1)
        # Some of what was shipped is changed while the server runs, as a student or anyone else might.
        write_notebook(folder / "notebooks" / "from_elsewhere.ipynb", "from elsewhere")
        yield Running(folder, home, log, port, token[1])
    finally:
        server.terminate()
        server.wait(timeout=20)


def trusted(notebook: str) -> bool:
    """Return whether the contents API's answer marks every code cell as trusted, which is what shows an SVG."""
    return all(cell["metadata"].get("trusted", False) for cell in json.loads(notebook)["content"]["cells"])


def test_the_first_lesson_is_there() -> None:
    assert (ROOT / lab.START).is_file()


def test_the_page_is_served(running: Running) -> None:
    assert "<title>JupyterLab" in running.get(f"lab/tree/{lab.START}")


def test_the_address_that_is_printed_opens_the_first_lesson(running: Running) -> None:
    assert f"http://localhost:{running.port}/lab/tree/{lab.START}?token={running.token}" in running.log.read_text()


def test_the_first_lesson_can_be_opened_with_its_figures(running: Running) -> None:
    assert trusted(running.get(f"api/contents/{lab.START}"))


def test_an_assignment_can_be_opened_with_its_figures(running: Running) -> None:
    assert trusted(running.get("api/contents/release/01_backward_loop/01_backward_loop.ipynb"))


def test_a_notebook_from_elsewhere_is_not_trusted(running: Running) -> None:
    assert not trusted(running.get("api/contents/notebooks/from_elsewhere.ipynb"))


def test_signatures_stay_in_the_course_folder(running: Running) -> None:
    running.get(f"api/contents/{lab.START}")
    assert (running.folder / lab.SIGNATURES / "nbsignatures.db").is_file()
    assert not [path for path in running.home.rglob("*") if path.name in ("nbsignatures.db", "notebook_secret")]


def test_a_start_shows_an_address_and_nothing_else_to_worry_about(running: Running) -> None:
    running.get("lab")
    lines = re.findall(r"^(?:\[|Traceback).*", running.log.read_text(), re.MULTILINE)
    lines = [line for line in lines if "from_elsewhere.ipynb is not trusted" not in line]
    (address,) = lines
    assert address.startswith("[C ")


def test_a_second_start_names_a_free_port_in_one_line(running: Running) -> None:
    second = start(running.folder, running.port, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    output, errors = second.communicate(timeout=PATIENCE)
    assert (second.returncode, output) == (1, "")
    (line,) = errors.splitlines()
    assert line.startswith(f"Port {running.port} is in use, perhaps by a JupyterLab that is already running.")
    assert re.search(r"(make lab PORT=|--port )\d+$", line)


def test_a_course_without_its_first_lesson_is_told_so_in_one_line(tmp_path: Path) -> None:
    (line,) = lab.problems(free_port(), tmp_path)
    assert line.startswith(f"{lab.START} is not in {tmp_path}")


def is_signed(root: Path, notebook: str) -> bool:
    """Return whether JupyterLab would trust the notebook."""
    with NotebookNotary(data_dir=str(root / lab.SIGNATURES)) as notary:
        return notary.check_signature(nbformat.read(root / notebook, as_version=4))


def test_in_a_clone_what_git_finds_unchanged_is_trusted(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=tmp_path, check=True, capture_output=True)

    for name in ("same", "changed"):
        write_notebook(tmp_path / f"notebooks/{name}.ipynb", "shipped")
    write_notebook(tmp_path / "release/lesson/lesson.ipynb", "shipped")
    git("init")
    git("add", "notebooks", "release")
    write_notebook(tmp_path / "notebooks/changed.ipynb", "changed")
    write_notebook(tmp_path / "notebooks/added.ipynb", "added")
    lab.trust(tmp_path)
    assert is_signed(tmp_path, "notebooks/same.ipynb")
    assert is_signed(tmp_path, "release/lesson/lesson.ipynb")
    assert not is_signed(tmp_path, "notebooks/changed.ipynb")
    assert not is_signed(tmp_path, "notebooks/added.ipynb")

    git("add", "notebooks")  # as an update does
    lab.trust(tmp_path)
    assert is_signed(tmp_path, "notebooks/changed.ipynb")


def test_without_git_only_what_the_first_start_finds_is_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    write_notebook(tmp_path / "notebooks/same.ipynb", "shipped")
    write_notebook(tmp_path / "notebooks/changed.ipynb", "shipped")
    lab.trust(tmp_path)
    write_notebook(tmp_path / "notebooks/changed.ipynb", "changed")
    lab.trust(tmp_path)
    assert is_signed(tmp_path, "notebooks/same.ipynb")
    assert not is_signed(tmp_path, "notebooks/changed.ipynb")
