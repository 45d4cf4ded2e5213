"""nbgrader's settings for this course: all that it writes stays inside the course folder."""

from pathlib import Path

from autograder.grading.feedback import configure
from autograder.grading.gradebook import keep_engines

COURSE = Path(__file__).resolve().parent

c = get_config()  # noqa: F821 - traitlets defines it when it loads this file

c.CourseDirectory.course_id = "torch-func"
c.CourseDirectory.root = str(COURSE)
c.Exchange.root = str(COURSE / "exchange")
c.Exchange.cache = str(COURSE / "nbgrader_cache")

# The marking scheme of a written answer stands in the locked cell that asks the question: graders see it above the
# answer, and the release does not hold it. nbgrader on its own allows a marking scheme in task cells only.
c.ClearMarkScheme.enforce_metadata = False

keep_engines()

# What is graded is rebuilt from the assignment's own cells; nbgrader's repair of single cells stops at a copied cell.
# Its cells carry the assignment's own metadata and no outputs, so nbgrader need not clear or check them.
c.Autograde.sanitize_preprocessors = [
    "autograder.grading.rebuild.Rebuild",
    "autograder.grading.gradebook.OverwriteCells",
]

# Answers run in a sandboxed kernel, tests in a process of their own; a mark is made from what the test said.
c.Autograde.autograde_preprocessors = [
    "autograder.examiner.examine.Examine",
    "autograder.grading.gradebook.SaveMarks",
    "nbgrader.preprocessors.AssignLatePenalties",
]

# What a submission may take: time, memory, processes, files, output. autograder/kernels/limits.py lists them all.
# c.Limits.test_seconds = 60

# Feedback pages, and the formgrader's, show students' outputs and texts: sanitised, and without hidden tests.
configure(c)
