"""Report which stored outputs another version of torch changes.

It makes a second environment, .venv-drift, that differs from the course's own in torch alone, runs nbval over all
notebooks there, and lists each cell that comes out differently, with its old and its new text. What it finds is a
report and not a failure: the exit status is 0 whenever it could run.

This file is also the pytest plugin that collects the differences while nbval runs.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".venv-drift"
PYTHON = FOLDER / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
REPORT = "DRIFT_REPORT"  # the environment variable that tells the plugin where to write


def main() -> None:
    """Set up the other environment, run every notebook in it and print what differs."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], epilog=__doc__.split("\n\n")[1])
    parser.add_argument("--torch", default="2.13.0", metavar="VERSION", help="the torch to try (default: 2.13.0)")
    parser.add_argument("notebooks", nargs="*", default=["notebooks", "source"], help="folders or files to run")
    options = parser.parse_args()

    requirements = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    pinned = re.search(r"^torch==(\S+)", requirements, re.MULTILINE)[1]
    set_up(options.torch, requirements)
    cells, differing = run(options.notebooks)
    print(f"\ntorch {options.torch} instead of {pinned}: {len(differing)} of {cells} cells come out differently.")
    for cell in differing:
        print(f"\n{cell['notebook']}  {cell['id']}")
        print(f"  {pinned}:\n{_indented(cell['old'])}\n  {options.torch}:\n{_indented(cell['new'])}")


def set_up(torch: str, requirements: str) -> None:
    """Make the other environment, or bring it up to date; leave it alone if it is."""
    constraints = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    recipe = f"torch=={torch}\n{_without_torch(requirements)}", _without_torch(constraints)
    stamp = FOLDER / "recipe.json"
    if stamp.is_file() and json.loads(stamp.read_text(encoding="utf-8")) == [*recipe, str(ROOT)]:
        return
    print(f"Setting up {FOLDER.name} with torch {torch}. This takes some minutes.", flush=True)
    if not PYTHON.exists():
        subprocess.run([sys.executable, "-m", "venv", str(FOLDER)], check=True)
    with tempfile.TemporaryDirectory() as scratch:
        names = Path(scratch, "requirements.txt"), Path(scratch, "constraints.txt")
        for name, text in zip(names, recipe, strict=True):
            name.write_text(text, encoding="utf-8")
        command = [str(PYTHON), "-m", "pip", "install", "--disable-pip-version-check"]
        command += ["-r", str(names[0]), "-c", str(names[1])]
        # From the root, since `-e .` in the copied requirements means the current folder.
        if subprocess.run(command, cwd=ROOT).returncode:
            sys.exit(f"torch {torch} could not be installed with the course's other packages: see pip's message above.")
    stamp.write_text(json.dumps([*recipe, str(ROOT)]), encoding="utf-8")


def run(notebooks: list[str]) -> tuple[int, list[dict[str, str]]]:
    """Return how many cells ran, and those that came out differently, in reading order."""
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch, "report.json")
        command = [str(PYTHON), "-m", "pytest", "--nbval", "--nbval-current-env", "--nbval-cell-timeout=120"]
        command += [
            "--nbval-kernel-startup-timeout=120",
            "-n",
            "auto",
            "--dist",
            "loadfile",
            "-q",
            "--tb=no",
            "-r",
            "N",
        ]
        command += ["-p", "drift", "-p", "no:cacheprovider", *notebooks]
        environment = os.environ | {REPORT: str(report), "PYTHONPATH": str(Path(__file__).parent)}
        status = subprocess.run(command, cwd=ROOT, env=environment).returncode
        # 0 and 1 say that every cell ran, with or without differences.
        if status not in (0, 1) or not report.exists():
            sys.exit(f"The notebooks could not be run: pytest ended with status {status}.")
        result = json.loads(report.read_text(encoding="utf-8"))
    return result["cells"], sorted(result["differing"], key=lambda cell: (cell["notebook"], cell["number"]))


class Collector:
    """Gathers the cells that differ, from all workers, and writes them down at the end."""

    def __init__(self, report: Path) -> None:
        """Write to `report`."""
        self.report = report
        self.cells = 0
        self.differing: list[dict[str, Any]] = []

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Count a cell, and keep what the worker said about it."""
        self.cells += report.when == "call"
        self.differing += [value for key, value in report.user_properties if key == "drift" and report.when == "call"]

    def pytest_sessionfinish(self) -> None:
        """Write the report."""
        self.report.write_text(json.dumps({"cells": self.cells, "differing": self.differing}), encoding="utf-8")


def pytest_configure(config: Any) -> None:
    """Collect where the reports of all workers arrive."""
    if REPORT in os.environ and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Collector(Path(os.environ[REPORT])))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item: Any, call: Any) -> None:
    """Attach a failed cell's old and new text to its report, the one thing that travels from a worker."""
    if call.when == "call" and call.excinfo and hasattr(item, "cell"):
        new = text_of(item.test_outputs or [])
        if not new or "Timeout" in str(call.excinfo.value):
            new = f"{new}\n{call.excinfo.value}".strip()
        cell = {
            "notebook": item.path.relative_to(item.config.rootpath).as_posix(),
            "number": item.cell_num,
            "id": item.cell.get("id", f"code cell {item.cell_num}"),
            "old": text_of(item.cell.outputs),
            "new": new,
        }
        item.user_properties.append(("drift", cell))


def text_of(outputs: list[Any]) -> str:
    """Return what a reader sees of a cell's outputs, with a figure named instead of spelt out."""
    parts = []
    for output in outputs:
        if "text" in output:
            parts.append(output["text"])
        elif "ename" in output:
            parts.append(f"{output['ename']}: {output['evalue']}")
        for kind, data in output.get("data", {}).items():
            if kind == "text/plain":
                parts.append(data)
            else:
                digest = hashlib.sha256(str(data).encode()).hexdigest()[:8]  # shows that two figures differ
                parts.append(f"({kind}, {len(data)} characters, digest {digest})")
    return "\n".join(part.rstrip("\n") for part in parts)


def _without_torch(lines: str) -> str:
    return re.sub(r"^torch==.*\n?", "", lines, flags=re.MULTILINE)


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in (text or "(nothing)").splitlines())


if __name__ == "__main__":
    main()
