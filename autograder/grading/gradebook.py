"""nbgrader's steps that read and write the gradebook, asking it for all cells of a submission at once.

nbgrader's own ask for every cell and open the gradebook anew for every step: with tests that take a tenth of a second,
that is where most of the time would go.
"""

from __future__ import annotations

import functools
from types import SimpleNamespace
from typing import Any

import nbgrader.api
from nbformat import NotebookNode
from nbgrader import utils
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.preprocessors import NbGraderPreprocessor
from nbgrader.preprocessors import OverwriteCells as StockOverwriteCells


def keep_engines() -> None:
    """Let nbgrader open each gradebook of this process through one SQLAlchemy engine.

    nbgrader makes an engine each time, and with it loses the compiled form of each statement. Closing a gradebook
    disposes of the engine's connections, so nothing stays open.
    """
    if not hasattr(nbgrader.api.create_engine, "cache_info"):
        nbgrader.api.create_engine = functools.cache(nbgrader.api.create_engine)


class OverwriteCells(StockOverwriteCells):
    """nbgrader's step which holds the cells against what the gradebook says they are."""

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict[str, Any]]:
        """Repair what differs from the gradebook, and note each cell's checksum."""
        names = resources["nbgrader"]
        self.notebook_id, self.assignment_id = names["notebook"], names["assignment"]
        with Gradebook(names["db_url"]) as gradebook:
            notebook = gradebook.find_notebook(self.notebook_id, self.assignment_id)
            known = {cell.name: cell for cell in notebook.source_cells}
            graded = {cell.name: cell for cell in (*notebook.grade_cells, *notebook.task_cells)}
            self.gradebook = SimpleNamespace(
                find_source_cell=functools.partial(_find, known), find_graded_cell=functools.partial(_find, graded)
            )
            return NbGraderPreprocessor.preprocess(self, nb, resources)


class SaveMarks(NbGraderPreprocessor):
    """Takes the place of ``nbgrader.preprocessors.SaveAutoGrades`` and writes the same, in one transaction.

    That one commits after each cell: a grader that is killed leaves half of the marks of a submission.
    """

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict[str, Any]]:
        """Write the automatic marks and comments; marks and comments that a person gave stay as they are."""
        names = resources["nbgrader"]
        with Gradebook(names["db_url"]) as gradebook:
            saved = gradebook.find_submission_notebook(names["notebook"], names["assignment"], names["student"])
            source = saved.notebook
            cells = {cell.id: cell.name for cell in (*source.grade_cells, *source.solution_cells, *source.task_cells)}
            grades = {cells[grade.cell_id]: grade for grade in saved.grades}
            comments = {cells[comment.cell_id]: comment for comment in saved.comments}
            for cell in nb.cells:
                if utils.is_grade(cell):
                    self._grade(_find(grades, cell.metadata.nbgrader.grade_id), cell)
                if utils.is_solution(cell):
                    _find(comments, cell.metadata.nbgrader.grade_id).auto_comment = _comment(cell)
            gradebook.db.commit()
        return nb, resources

    def _grade(self, grade: Any, cell: NotebookNode) -> None:
        grade.auto_score, _ = utils.determine_grade(cell, self.log)
        # A person has to look again at what a person marked, and at what no test marks.
        grade.needs_manual_grade = grade.manual_score is not None or grade.auto_score is None


def _find(known: dict[str, Any], name: str, *place: str) -> Any:
    if name not in known:
        raise MissingEntry(f"The gradebook has no cell {name}. Generate the assignment again: make grade does it.")
    return known[name]


def _comment(cell: NotebookNode) -> str | None:
    untouched = cell.metadata.nbgrader.get("checksum") == utils.compute_checksum(cell)
    return "No response." if untouched and not utils.is_task(cell) else None
