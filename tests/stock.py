"""Stock nbgrader: its own steps, nothing of this course's grader. What ours is compared with.

Its kernels are the ordinary ones, or warm ones, where only the verdicts count: those start ten times as fast.
"""

from __future__ import annotations

import functools
import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import nbformat
from nbgrader.apps import NbGraderAPI
from traitlets.config import Config

from autograder.grading.course import ROOT

WORKERS = 2


@functools.cache
def api(class_folder: Path, root: Path = ROOT, warm: bool = False) -> NbGraderAPI:
    """Stock nbgrader for a class; its gradebook and its autograded notebooks lie in ``stock`` in the class folder."""
    config = Config()
    place = class_folder / "stock"
    place.mkdir(exist_ok=True)
    config.CourseDirectory.course_id = "stock"
    config.CourseDirectory.root = str(root)
    config.CourseDirectory.submitted_directory = str(class_folder / "submitted")
    config.CourseDirectory.autograded_directory = str(place / "autograded")
    config.CourseDirectory.release_directory = str(place / "release")
    config.CourseDirectory.db_url = f"sqlite:///{place / 'gradebook.db'}"
    # How marking schemes are written is no part of grading.
    config.ClearMarkScheme.enforce_metadata = False
    if warm:
        os.environ["JUPYTER_PATH"] = str(ROOT / "autograder" / "kernels" / "jupyter")
        config.Execute.kernel_name = "sandboxed"
        config.SandboxProvisioner.prepare_next = True
    return NbGraderAPI(config=config)


def generate(class_folder: Path, assignment: str, root: Path = ROOT) -> None:
    """Let stock nbgrader store an assignment in its gradebook."""
    result = api(class_folder, root).generate_assignment(assignment, force=True, create=True)
    assert result["success"], result


def grade(
    class_folder: Path, pairs: list[tuple[str, str]], root: Path = ROOT, *, warm: bool = False
) -> dict[tuple[str, str], bool]:
    """Autograde submissions, some at a time; for each pair of student and assignment, whether it came through."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(WORKERS, mp_context=context, initializer=_silence) as pool:
        done = pool.map(_grade, *zip(*((class_folder, root, warm, *pair) for pair in pairs), strict=True))
        return dict(zip(pairs, done, strict=True))


def _silence() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def _grade(class_folder: Path, root: Path, warm: bool, student: str, assignment: str) -> bool:
    return api(class_folder, root, warm).autograde(assignment, student, force=True)["success"]


def scores(nbgrader: NbGraderAPI, student: str, assignment: str) -> dict[str, float | None]:
    """Automatic score of each graded cell, by its id; None where a person is to mark."""
    found = {}
    with nbgrader.gradebook as gradebook:
        for notebook in gradebook.find_submission(assignment, student).notebooks:
            found |= {grade.name: grade.auto_score for grade in notebook.grades}
    return found


def graded(class_folder: Path, student: str, assignment: str) -> nbformat.NotebookNode:
    """The notebook that stock nbgrader wrote."""
    path = class_folder / "stock" / "autograded" / student / assignment / f"{assignment}.ipynb"
    return nbformat.read(path, as_version=4)
