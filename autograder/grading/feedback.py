"""nbgrader's settings for the pages that it makes.

Whoever makes the feedback, the grader, ``nbgrader generate_feedback`` or the formgrader's button, the page is that of
`autograder.grading.page`. The formgrader's own page for the instructor is made by nbgrader, of sanitised parts.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nbconvert.exporters import Exporter
from nbformat import NotebookNode
from nbgrader.api import Gradebook
from traitlets import default
from traitlets.config import Config

from autograder.grading.gradebook import Marks, all_marks
from autograder.grading.page import page
from autograder.grading.record import Records
from autograder.grading.template import template_of

Resources = dict[str, Any]


class FeedbackExporter(Exporter):
    """Makes the page of an autograded notebook for nbgrader."""

    output_mimetype = "text/html"

    @default("file_extension")
    def _file_extension_default(self) -> str:
        return ".html"

    def __init__(self, **kw: Any) -> None:
        """Make an exporter; nbgrader makes one for each run."""
        super().__init__(**kw)
        self._marks: dict[tuple[str, str], dict[str, Marks]] = {}

    def from_notebook_node(
        self, nb: NotebookNode, resources: Resources | None = None, **kw: Any
    ) -> tuple[str, Resources]:
        """Return the page, and the resources, which name the student and the assignment under ``nbgrader``."""
        # Grading needs Linux; nbgrader_config.py, which loads this module, is read elsewhere too.
        from autograder.grading.reading import record_of

        resources = self._init_resources(resources)
        names = resources["nbgrader"]
        student, assignment = names["student"], names["assignment"]
        template = template_of(self, assignment, names["notebook"])
        record = record_of(nb, template.source, student, assignment)
        # The grader's own record knows more, as long as it is about this notebook.
        kept = Records(Path(resources["metadata"]["path"]).parents[2] / "records").find(student, assignment)
        if kept and (kept.tests, kept.answers) == (record.tests, record.answers):
            record = kept
        marks = self._of_class(names["db_url"], assignment).get(student)
        return page(record, marks, template.released), resources

    def _of_class(self, db_url: str, assignment: str) -> dict[str, Marks]:
        """Marks by student, read once for all pages of a run."""
        if (db_url, assignment) not in self._marks:
            with Gradebook(db_url) as gradebook:
                self._marks[db_url, assignment] = all_marks(gradebook, assignment)
        return self._marks[db_url, assignment]


def configure(c: Config) -> None:
    """Make nbgrader use all of this; called in nbgrader_config.py.

    ``HTMLExporter`` makes the formgrader's page, and its settings are all that reaches that page.
    """
    sanitise = "autograder.grading.sanitise"
    # nbgrader's own list, or the one that was set before, and this at its end: what was graded is what was shown.
    c.Autograde.autograde_preprocessors.append(f"{sanitise}.Sanitise")
    c.HTMLExporter.preprocessors = [f"{sanitise}.Sanitise"]
    c.HTMLExporter.filters = {
        "markdown2html": f"{sanitise}.markdown",
        "clean_html": f"{sanitise}.contain",
        "strip_files_prefix": f"{sanitise}.unchanged",
    }
    # nbconvert's templates then pass every output through clean_html and leave scripts and widgets out.
    c.HTMLExporter.sanitize_html = True
    # The page is made of texts, never of the outputs of the notebook: there is nothing to prepare.
    c.GenerateFeedback.preprocessors = []
    c.GenerateFeedback.exporter_class = f"{__name__}.FeedbackExporter"
