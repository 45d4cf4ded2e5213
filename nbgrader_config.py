"""nbgrader's settings for this course: all that it writes stays inside the course folder."""

from pathlib import Path

COURSE = Path(__file__).resolve().parent

c = get_config()  # noqa: F821 - traitlets defines it when it loads this file

c.CourseDirectory.course_id = "torch-func"
c.CourseDirectory.root = str(COURSE)
c.Exchange.root = str(COURSE / "exchange")
c.Exchange.cache = str(COURSE / "nbgrader_cache")

# The marking scheme of a written answer stands in the locked cell that asks the question: graders see it above the
# answer, and the release does not hold it. nbgrader on its own allows a marking scheme in task cells only.
c.ClearMarkScheme.enforce_metadata = False

# A warning is not a wrong answer: nbgrader gives 0 to a test cell that has any text on stderr.
c.IgnorePattern.enabled = True
c.IgnorePattern.pattern = r"(?s).*"

# What is graded is rebuilt from the assignment's own cells; nbgrader's repair of single cells stops at a copied cell.
c.Autograde.sanitize_preprocessors = [
    "autograder.grading.rebuild.Rebuild",
    "nbgrader.preprocessors.ClearOutput",
    "nbgrader.preprocessors.OverwriteKernelspec",
    "nbgrader.preprocessors.OverwriteCells",
    "nbgrader.preprocessors.CheckCellMetadata",
]

# Seconds for one cell. Tests here take less than one; the first import of torch on a busy machine takes longer.
c.Execute.timeout = 30
c.Execute.iopub_timeout = 10
