"""The course folder as nbgrader sees it: where things lie, and nbgrader itself, configured."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbgrader.apps import NbGraderAPI
from nbgrader.preprocessors import NbGraderPreprocessor
from sqlalchemy.engine import make_url
from traitlets.config import Config, PyFileConfigLoader

from autograder.grading.intake import Intake
from autograder.grading.template import Template, template_of
from autograder.kernels.limits import Limits

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Course:
    """A course and one class that takes it.

    Attributes:
        class_folder: holds submitted/, autograded/, feedback/ and gradebook.db of one class.
        root: the course folder, with source/ and nbgrader_config.py.
        unsafe_no_sandbox: run students' code with the rights of whoever grades; every record then says so.
        db: URL of the gradebook, such as ``postgresql://host/course``. By default nbgrader_config.py says which, or it
            is gradebook.db in the class folder.
    """

    class_folder: Path = ROOT
    root: Path = ROOT
    unsafe_no_sandbox: bool = False
    db: str | None = None

    @property
    def assignments(self) -> list[str]:
        """Names of the assignments in source/, in course order."""
        return sorted(path.parent.name for path in self.root.glob("source/*/*.ipynb"))

    @property
    def students(self) -> list[str]:
        """Names of the students who have a folder in submitted/, in alphabetical order."""
        return sorted(path.name for path in self.step("submitted").glob("[!.]*") if path.is_dir())

    def check_names(self, assignments: list[str] | None) -> None:
        """Do nothing if there are such assignments.

        Raises:
            GradingError: there are not; the message lists those that there are.
        """
        if unknown := sorted(set(assignments or ()) - set(self.assignments)):
            raise GradingError(
                f"No such assignment in source/: {', '.join(unknown)}. Known: {', '.join(self.assignments)}."
            )

    def step(self, name: str) -> Path:
        """The folder of one of nbgrader's steps, submitted, autograded or feedback, or records."""
        return self.class_folder / name

    def folder(self, step: str, student: str, assignment: str) -> Path:
        """A student's folder for an assignment in one of nbgrader's steps."""
        return self.step(step) / student / assignment

    def notebook(self, step: str, student: str, assignment: str) -> Path:
        """Path of a student's notebook in one of nbgrader's steps."""
        return self.folder(step, student, assignment) / f"{assignment}.ipynb"

    def source(self, assignment: str) -> NotebookNode:
        """The instructor's notebook of an assignment."""
        return nbformat.read(self.root / "source" / assignment / f"{assignment}.ipynb", as_version=4)

    @cached_property
    def nbgrader(self) -> NbGraderAPI:
        """nbgrader with the settings of nbgrader_config.py, working on this class."""
        _find_alembic()
        config: Config = PyFileConfigLoader("nbgrader_config.py", str(self.root)).load_config()
        config.CourseDirectory.root = str(self.root)
        config.CourseDirectory.submitted_directory = str(self.step("submitted"))
        config.CourseDirectory.autograded_directory = str(self.step("autograded"))
        config.CourseDirectory.feedback_directory = str(self.step("feedback"))
        config.CourseDirectory.db_url = (
            self.db or config.CourseDirectory.get("db_url") or f"sqlite:///{self.class_folder / 'gradebook.db'}"
        )
        if self.unsafe_no_sandbox:
            config.Limits.unsafe_no_sandbox = True
        return NbGraderAPI(config=config)

    @cached_property
    def limits(self) -> Limits:
        """What a submission may use."""
        return Limits(config=self.nbgrader.config)

    @cached_property
    def intake(self) -> Intake:
        """What is taken of a submission."""
        return Intake(config=self.nbgrader.config)

    @property
    def shown_db_url(self) -> str:
        """The URL of the gradebook, without a password."""
        return make_url(self.nbgrader.coursedir.db_url).render_as_string(hide_password=True)

    def template(self, assignment: str) -> Template:
        """The notebooks of an assignment: with solutions, with stubs, and as students got it."""
        return template_of(NbGraderPreprocessor(config=self.nbgrader.config), assignment, assignment)

    def store(self, assignment: str) -> None:
        """Let nbgrader store an assignment in the gradebook.

        Raises:
            GradingError: nbgrader could not do it.
        """
        with tempfile.TemporaryDirectory() as scratch:
            self.generate(assignment, Path(scratch))

    def generate(self, assignment: str, into: Path) -> Path:
        """Let nbgrader store an assignment in the gradebook and write its release below the folder `into`.

        Returns:
            The released notebook.

        Raises:
            GradingError: nbgrader could not do it.
        """
        self.class_folder.mkdir(parents=True, exist_ok=True)
        self.nbgrader.coursedir.release_directory = str(into)
        result = self.nbgrader.generate_assignment(assignment, force=True, create=True)
        if not result["success"]:
            reason = last_error(result)
            if "Cannot add or remove cells" in reason:
                reason = (
                    "it has other cells than when this class was graded. To grade the class anew, move "
                    f"{self.class_folder / 'gradebook.db'} away first; it also holds the marks given by hand."
                )
            raise GradingError(f"source/{assignment}/{assignment}.ipynb cannot be released: {reason}")
        return into / assignment / f"{assignment}.ipynb"


class GradingError(Exception):
    """Raised when a step cannot be done for a reason that the instructor must mend. The message says which."""


def last_error(result: dict[str, str]) -> str:
    """Say in a sentence why one of nbgrader's steps failed, from what it returned."""
    text = "\n".join(filter(None, (result.get("log"), result.get("error"))))
    if "DeadKernelError" in text:
        return "its kernel died. Does the code end the process, or need more memory than there is?"
    errors = [line.strip() for line in text.splitlines() if re.match(r"[\w.]*(Error|Exception|Died)\b", line.strip())]
    # nbgrader closes with an exception of its own which says only that there was one.
    telling = [line for line in errors if "NbGraderException" not in line]
    return (telling or errors or ["nbgrader gave no reason; see grading.log."])[-1]


def _find_alembic() -> None:
    # nbgrader calls the alembic command, which lies beside the interpreter of a virtual environment, activated or not.
    scripts = str(Path(sys.executable).parent)
    if scripts not in os.environ["PATH"].split(os.pathsep):
        os.environ["PATH"] = scripts + os.pathsep + os.environ["PATH"]
