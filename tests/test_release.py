"""release/ is what nbgrader makes of source/, and gives nothing away."""

import re
import shutil

import nbformat
import pytest
from conftest import ROOT, SOURCES, read, role

from autograder.grading.release import release

REGION = re.compile(r"### BEGIN (SOLUTION|HIDDEN TESTS|MARK SCHEME)\n(.*?)### END \1", re.DOTALL)


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    folder = tmp_path_factory.mktemp("release")
    assert set(release(folder=folder).values()) == {"written"}
    return folder


def test_release_folder_is_what_nbgrader_generates(fresh):
    def files(folder):
        return {path.relative_to(folder): path.read_bytes() for path in folder.glob("*/*")}

    made, stored = files(fresh), files(ROOT / "release")
    assert made.keys() == stored.keys(), "run: make grade"
    changed = [str(path) for path in made if made[path] != stored[path]]
    assert not changed, f"release/ is not what source/ gives: {changed}; run: make grade"


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_release_holds_no_solution_hidden_test_or_marking_scheme(source, fresh):
    released = {cell.id: cell.source for cell in read(fresh / source.stem / source.name).cells}
    regions = {"SOLUTION": 0, "HIDDEN TESTS": 0, "MARK SCHEME": 0}
    for cell in read(source).cells:
        rest = {line.strip() for line in REGION.sub("", cell.source).splitlines()}
        for kind, text in REGION.findall(cell.source):
            regions[kind] += 1
            secret = {line.strip() for line in text.splitlines() if len(line.strip()) > 3} - rest
            leaked = secret & {line.strip() for line in released[cell.id].splitlines()}
            assert not leaked, f"{kind} of {cell.id} in release/: {leaked}"
        assert not re.search("(BEGIN|END) (SOLUTION|HIDDEN|MARK)", released[cell.id])
    assert all(regions.values()), f"{source.name} should have each kind of region: {regions}"


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_release_stores_no_outputs_of_the_solution(source, fresh):
    for cell in read(fresh / source.stem / source.name).cells:
        assert not cell.get("outputs"), cell.id


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_every_answer_cell_is_a_stub_that_tells_where_to_write(source, fresh):
    for cell in read(fresh / source.stem / source.name).cells:
        if role(cell).get("solution"):
            stub = (
                "# YOUR CODE HERE\n    raise NotImplementedError()" if cell.cell_type == "code" else "YOUR ANSWER HERE"
            )
            assert stub in cell.source, cell.id


def test_a_notebook_that_holds_answers_is_not_overwritten(fresh, tmp_path):
    name = SOURCES[0].stem
    shutil.copytree(fresh / name, tmp_path / name)
    path = tmp_path / name / f"{name}.ipynb"
    notebook = read(path)
    answer = next(cell for cell in notebook.cells if role(cell).get("solution"))
    answer.source = answer.source.replace("raise NotImplementedError()", "return 1")
    nbformat.write(notebook, path)
    before = path.read_bytes()
    assert release([name], folder=tmp_path) == {name: "kept"}
    assert path.read_bytes() == before


def test_an_outdated_release_without_answers_is_replaced(fresh, tmp_path):
    name = SOURCES[0].stem
    path = tmp_path / name / f"{name}.ipynb"
    shutil.copytree(fresh / name, tmp_path / name)
    notebook = read(path)
    notebook.cells = notebook.cells[:-1]
    nbformat.write(notebook, path)
    assert release([name], folder=tmp_path) == {name: "written"}
    assert path.read_bytes() == (fresh / name / f"{name}.ipynb").read_bytes()
