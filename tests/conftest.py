"""What several test modules share: where things lie, and the notebooks."""

import sys
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).resolve().parents[1]
BANK = ROOT / "tests" / "answer_bank"
LESSONS = sorted((ROOT / "notebooks").glob("*.ipynb"))
SOURCES = sorted((ROOT / "source").glob("*/*.ipynb"))


def name_of(path: Path) -> str:
    """A short name for test ids."""
    return f"{path.parent.parent.name}/{path.stem}" if path.parent.parent.name == "source" else f"lesson/{path.stem}"


def read(path: Path) -> nbformat.NotebookNode:
    """The notebook at `path`."""
    return nbformat.read(path, as_version=4)


def role(cell: nbformat.NotebookNode) -> dict:
    """nbgrader's metadata of a cell."""
    return cell.metadata.get("nbgrader", {})


def pytest_collection_modifyitems(items):
    """Grading needs Linux; everything else is tested everywhere."""
    for item in items:
        if sys.platform != "linux" and item.get_closest_marker("sandbox"):
            item.add_marker(pytest.mark.skip(reason="grading needs Linux"))
