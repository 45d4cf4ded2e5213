"""Write the feedback of a class: a page and a text for each submission, made anew only where something changed."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from pathlib import Path

from nbformat import NotebookNode

from autograder.grading import page
from autograder.grading.course import Course, GradingError
from autograder.grading.gradebook import Marks, all_marks
from autograder.grading.lateness import settle_all
from autograder.grading.record import Record, Records, write
from autograder.grading.trouble import in_plain_words

_END = "<!-- made of {} -->\n"


def write_feedback(course: Course, record: Record, marks: Marks, released: NotebookNode) -> bool:
    """Write the feedback of one submission, unless what is there says the same.

    Args:
        course: the course and its class.
        record: of the submission.
        marks: of the submission.
        released: the assignment as students received it.

    Returns:
        Whether it was written.

    Raises:
        OSError: it cannot be written.
    """
    path = course.folder("feedback", record.student, record.assignment) / f"{record.assignment}.html"
    what = f"{record.to_json()}\0{marks!r}\0{_page_version()}"
    end = _END.format(hashlib.sha256(what.encode()).hexdigest())
    if _ends_with(path, end.encode()):
        return False
    write(path.with_suffix(".txt"), page.text(record, marks, released))
    # Last: it says that both are there.
    write(path, page.page(record, marks, released) + end)
    return True


def write_all(
    course: Course,
    assignments: list[str] | None = None,
    students: list[str] | None = None,
    *,
    progress: Callable[[str, int, int], None] = lambda what, done, total: None,
) -> tuple[int, int]:
    """Write the feedback of a class from its records and the gradebook. Nothing is executed.

    Args:
        course: the course and its class.
        assignments: which, by default all in source/.
        students: which, by default all that were graded.
        progress: called as ``progress(what, done, total)``.

    Returns:
        How many pages were written, and how many already said the same.

    Raises:
        GradingError: nothing was graded yet, or there is no such assignment or student.
    """
    course.check_names(assignments)
    records, written, seen = Records(course.step("records")), 0, 0
    names = assignments or course.assignments
    with in_plain_words(course), course.nbgrader.gradebook as gradebook:
        settle_all(course, names)
        for number, name in enumerate(names):
            progress(f"feedback for {name}", number, len(names))
            found = [record for record in records.all(name) if students is None or record.student in students]
            if not found:
                continue
            released, marks = course.template(name).released, all_marks(gradebook, name)
            for record in found:
                if record.student in marks:
                    seen += 1
                    written += write_feedback(course, record, marks[record.student], released)
    if not seen:
        who = f" of {', '.join(students)}" if students else ""
        raise GradingError(f"There are no graded submissions{who} in {course.class_folder}: grade them first.")
    return written, seen - written


def _ends_with(path: Path, end: bytes) -> bool:
    try:
        with path.open("rb") as file:
            file.seek(-len(end), 2)
            return file.read() == end
    except OSError:  # it is not there, or shorter
        return False


@functools.cache
def _page_version() -> str:
    folder = Path(page.__file__).parent
    texts = [folder / "page.py", folder / "sanitise.py", *sorted(folder.glob("*.jinja"))]
    return hashlib.sha256(b"".join(path.read_bytes() for path in texts)).hexdigest()
