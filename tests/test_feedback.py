"""Pages that nbgrader makes of a class: the formgrader's is harmless, and the feedback is ours, whoever makes it."""

import base64
import collections
import copy
import json
import re
import time

import nbformat
import pytest
from conftest import BANK, read, role
from nbconvert.exporters import HTMLExporter
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output
from nbgrader.server_extensions.formgrader.handlers import template_path
from payloads import BUNDLES, CHROMIUM, DATA_PAGE, HTML, MARKDOWN, PNG, RUN, SHOWN, TEXT, Page, in_browser

from autograder.grading import answer_bank, sanitise
from autograder.grading.course import Course
from autograder.grading.gradebook import all_marks
from autograder.grading.handback import write_feedback
from autograder.grading.reading import record_of
from autograder.grading.record import Records

NAME = "01_backward_loop"
ATTACK = f"""import json
import sys

from IPython.display import display

for data, metadata in json.loads({json.dumps(SHOWN)!r}):
    display(data, metadata=metadata, raw=True)
print({TEXT!r})
print({TEXT!r}, file=sys.stderr)


class Shown:
    def _repr_html_(self):
        return {HTML[5]!r}


display(Shown())
raise type({RUN!r} + "<script>", (Exception,), {{}})({TEXT!r})
"""
HONEST = r"""import base64

import matplotlib.pyplot as plt
from IPython.display import HTML, Image, Latex, Markdown, display

from autograder.figures import show

display(HTML('<div><style scoped>td { color: red }</style><table border="1" class="dataframe"><thead>'
             '<tr style="text-align: right;"><th></th><th>loss</th></tr></thead>'
             '<tbody><tr><th>0</th><td>0.25</td></tr></tbody></table></div>'))
display(Image(base64.b64decode("PNG"), format="png", width=40))
display(Markdown("a **bold** word and $x^2 < 3$"))
display(Latex(r"$\frac{a}{b}$"))
print("a < b & c")
figure, axes = plt.subplots()
axes.plot([1, 2])
show(figure, "A line rises from one to two in one step.")
""".replace("PNG", PNG)
NOTES = """## My notes

Mathematics: $a < b$ and $$\\frac{\\partial L}{\\partial w}$$ and

\\begin{equation}x^2\\end{equation}

| row | loss |
|----:|------|
| 1 | *small* |

```python
grad = loss.backward()
```

- [x] done, see [the documentation](https://pytorch.org/docs)

![a pasted picture](attachment:lost.png)
"""


def cell(notebook, cell_id):
    return next(cell for cell in notebook.cells if cell.id == cell_id)


def injected(released):
    """A submission that tries everything, in answers, in its own cells, and in text cells that anybody may edit."""
    notebook = answer_bank.fill(released, {"written-answer": HTML[0] + "\n\n" + "\n\n".join(MARKDOWN)})
    quiz = (
        "from IPython.display import HTML",
        "def quiz():",
        f"    display(HTML({HTML[5]!r}))",
        f"    raise ValueError({TEXT!r})",
    )
    cell(notebook, "quiz").source = "\n".join(quiz)
    cell(notebook, "about-quiz").source += "\n\n" + "\n\n".join(HTML)
    notebook.cells.append(new_code_cell(ATTACK))
    notebook.cells += [new_markdown_cell(text) for text in HTML + MARKDOWN]
    notebook.cells.append(nbformat.v4.new_raw_cell(HTML[0]))
    for extra in notebook.cells[-3:]:
        extra.metadata = {"tags": [f'"><script>{RUN}</script>'], "raw_mimetype": "text/html", "name": HTML[0]}
        extra.attachments = {"nothing.png": {"text/html": DATA_PAGE, "image/svg+xml": f'" onerror="{RUN}'}}
    notebook.cells.append(new_markdown_cell("The last cell of all."))
    notebook.metadata.update(title=HTML[0], widgets={"application/vnd.jupyter.widget-state+json": {"state": {}}})
    return notebook


def honest(released):
    right = {answer.exercise: answer.source for answer in answer_bank.load(BANK, NAME) if answer.right}
    notebook = answer_bank.fill(released, right | {"written-answer": NOTES})
    notebook.cells += [new_code_cell(HONEST), new_markdown_cell(NOTES)]
    return notebook


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A class whose submissions were graded and given feedback, with the settings of the course."""
    folder = tmp_path_factory.mktemp("class")
    course = Course(class_folder=folder)
    released = read(course.generate(NAME, folder / "release"))
    for make in (injected, honest):
        path = course.notebook("submitted", make.__name__, NAME)
        path.parent.mkdir(parents=True)
        path.write_text(nbformat.writes(make(released)), encoding="utf-8")
        for step in (course.nbgrader.autograde, course.nbgrader.generate_feedback):
            result = step(NAME, make.__name__, force=True)
            assert result["success"], result
    return course


def formgrader_page(course, student, path=None):
    """The page for marking by hand, made as nbgrader's formgrader makes it: nothing but settings reaches it."""
    config = copy.deepcopy(course.nbgrader.config)
    config.HTMLExporter.template_name = "formgrade"
    config.HTMLExporter.extra_template_basedirs = [template_path]
    names = {"notebook_id": NAME, "assignment_id": NAME, "submission_id": "1", "index": 0, "total": 1, "base_url": ""}
    path = path or course.notebook("autograded", student, NAME)
    text, _ = HTMLExporter(config=config).from_filename(str(path), resources=names)
    return Page(text)


def test_nothing_injected_is_on_the_page(course):
    found = formgrader_page(course, "injected").suspects - formgrader_page(course, "honest").suspects
    assert len(HTML) + len(MARKDOWN) + len(BUNDLES) > 80
    assert not found, "\n".join(map(str, found))


def test_all_of_the_page_is_still_there(course):
    text = formgrader_page(course, "injected").texts
    headings = [line for c in course.source(NAME).cells for line in c.source.splitlines() if line.startswith("## ")]
    for expected in (*headings, "The last cell of all."):
        assert expected.removeprefix("## ").replace("`", "") in text


def test_what_honest_students_made_is_shown(course):
    page = formgrader_page(course, "honest")
    tables = [attributes for tag, attributes in page.elements if tag == "table" and "border" in attributes]
    assert tables == [{"border": "1", "class": "dataframe"}]
    images = [attributes for tag, attributes in page.elements if tag == "img"]
    png, figure = images
    assert png["src"].replace("\n", "") == f"data:image/png;base64,{PNG}"
    kind, _, code = figure["src"].partition(",")
    assert (kind, figure["alt"]) == ("data:image/svg+xml;base64", "A line rises from one to two in one step.")
    assert base64.b64decode(code).startswith(b"<svg ")
    assert ("tr", {"style": "text-align:right"}) in page.elements
    assert ("a", {"href": "https://pytorch.org/docs", "rel": "noopener noreferrer"}) in page.elements
    assert ("span", {"class": "n"}) in page.elements  # code in colours
    for tag in ("details", "summary", "strong", "em", "th", "td", "h2"):
        assert tag in [element for element, _ in page.elements]
    for text in ("$x^2 < 3$", "$\\frac{a}{b}$", "a < b & c", "$a < b$", "$$\\frac{\\partial L}{\\partial w}$$",
                 "\\begin{equation}x^2\\end{equation}", "[x] done", "The figure in words", "lost.png"):  # fmt: skip
        assert text in page.texts


def test_the_autograded_notebook_is_harmless_but_its_sources_are_as_handed_in(course):
    notebook = read(course.notebook("autograded", "injected", NAME))
    nbformat.validate(notebook)
    submitted = read(course.notebook("submitted", "injected", NAME))
    sources = [c.source for c in notebook.cells]
    assert all(c.source in sources for c in submitted.cells if c.source.startswith(("import json", "<", "def quiz")))
    kinds = {kind for c in notebook.cells for out in c.get("outputs", []) for kind in out.get("data", {})}
    assert kinds <= {"text/plain", "text/html", "image/png", "image/jpeg"}
    shown = [out.data.get("text/html", "") for c in notebook.cells for out in c.get("outputs", []) if "data" in out]
    assert len(shown) > 100
    assert not sum((Page(html).suspects for html in shown), collections.Counter())


def test_what_was_graded_before_is_harmless_in_the_formgrader_too(course, tmp_path):
    notebook = read(course.notebook("autograded", "injected", NAME))
    outputs = [new_output("display_data", {kind: text}) for text in HTML for kind in ("text/html", "text/markdown")]
    outputs += [new_output("display_data", data, metadata=metadata) for data, metadata in BUNDLES]
    outputs += [new_output("stream", text=TEXT), new_output("error", ename=TEXT, evalue=TEXT, traceback=[TEXT])]
    notebook.cells.append(new_code_cell("x", outputs=outputs))
    notebook.cells.append(nbformat.v4.new_raw_cell(HTML[5], metadata={"raw_mimetype": "text/html"}))
    notebook.cells.append(new_markdown_cell("![x](attachment:a)", attachments={"a": {"text/html": DATA_PAGE}}))
    notebook.metadata["widgets"] = {"application/vnd.jupyter.widget-state+json": {"state": {"x": "</script>"}}}
    path = tmp_path / f"{NAME}.ipynb"
    path.write_text(nbformat.writes(notebook), encoding="utf-8")
    assert not formgrader_page(course, "", path).suspects - formgrader_page(course, "honest").suspects


def test_nothing_of_a_cell_is_painted_outside_of_it(course):
    page = formgrader_page(course, "honest").text
    for shown in ("a <strong>bold</strong>", "<h2>My notes", "$\\frac{a}{b}$"):
        assert 'style="contain: paint; overflow: auto"' in page.partition(shown)[0][-200:]


@pytest.mark.parametrize("text", HTML + MARKDOWN)
def test_to_clean_twice_changes_nothing(text):
    for once in (sanitise.clean(text), sanitise.render(text)):
        assert sanitise.clean(once) == once


def sanitised(data, metadata):
    notebook = nbformat.v4.new_notebook(
        cells=[new_code_cell(outputs=[new_output("display_data", data, metadata=metadata)])]
    )
    return sanitise.Sanitise().preprocess(notebook, {})[0].cells[0].outputs[0]


def test_images_keep_their_size_and_their_words():
    about = {"image/png": {"alt": "one pixel", "width": 40, "height": 3.5}}
    assert sanitised({"image/png": PNG}, about).metadata == about
    labelled = '<svg xmlns="http://www.w3.org/2000/svg" aria-label="a &lt; b"><path d="M 0 0"/></svg>'
    assert 'alt="a &lt; b"' in sanitised({"image/svg+xml": labelled}, {}).data["text/html"].replace("a < b", "a &lt; b")
    assert 'alt="c"' in sanitised({"image/svg+xml": labelled}, {"image/svg+xml": {"alt": "c"}}).data["text/html"]


def test_to_sanitise_twice_changes_nothing():
    outputs = [new_output("display_data", data, metadata=metadata) for data, metadata in BUNDLES]
    outputs += [new_output("display_data", {"text/markdown": text}) for text in HTML]
    notebook = nbformat.v4.new_notebook(cells=[new_code_cell("x", outputs=outputs)])
    once, _ = sanitise.Sanitise().preprocess(copy.deepcopy(notebook), {})
    twice, _ = sanitise.Sanitise().preprocess(copy.deepcopy(once), {})
    assert once == twice != notebook
    nbformat.validate(once)


@pytest.mark.parametrize("text", ["<div>" * 100_000, "<b><p>" * 9_000, ">" * 5_000 + "x", "[" * 5_000, "$" * 9_999])
def test_a_text_that_is_hard_to_read_does_not_stop_the_page(text):
    started = time.perf_counter()
    sanitise.clean(sanitise.render(text))
    assert time.perf_counter() - started < 10


def test_the_formgrader_shows_hidden_tests_and_marking_schemes(course):
    text = formgrader_page(course, "honest").texts
    assert "BEGIN HIDDEN TESTS" in text


@pytest.mark.skipif(not CHROMIUM, reason="no Chromium here to run a page in")
def test_a_browser_runs_nothing_that_was_injected(course, tmp_path):
    page = formgrader_page(course, "injected").text
    assert "<title>INJECTED" not in in_browser(page, tmp_path)


def test_the_settings_of_the_course_have_it():
    config = Course().nbgrader.config
    assert config.HTMLExporter.preprocessors == ["autograder.grading.sanitise.Sanitise"]
    assert set(config.HTMLExporter.filters) == {"markdown2html", "clean_html", "strip_files_prefix"}
    assert "autograder.grading.sanitise.Sanitise" in repr(config.Autograde.autograde_preprocessors)


# --- Feedback ---------------------------------------------------------------------------------------------------------


def feedback_path(course, student):
    return course.notebook("feedback", student, NAME).with_suffix(".html")


def feedback_page(course, student):
    return Page(feedback_path(course, student).read_text(encoding="utf-8"))


def by_nbgrader(course, student):
    """The page after the formgrader's button was pressed."""
    result = course.nbgrader.generate_feedback(NAME, student, force=True)
    assert result["success"], result
    return feedback_page(course, student)


def record_and_marks(course, student):
    notebook = read(course.notebook("autograded", student, NAME))
    record = record_of(notebook, course.source(NAME), student, NAME)
    with course.nbgrader.gradebook as gradebook:
        return record, all_marks(gradebook, NAME)[student]


@pytest.fixture
def kept(course):
    """The grader's own record of the honest student, which knows more than the notebook."""
    record, _ = record_and_marks(course, "honest")
    record.intake = ["homework.ipynb was taken for it."]
    records = Records(course.step("records"))
    records.put(record)
    yield record
    records.path("honest", NAME).unlink()


def test_nothing_injected_is_in_the_feedback(course):
    page = feedback_page(course, "injected")
    assert "written-answer" not in page.texts and HTML[0] in page.texts
    found = page.suspects - feedback_page(course, "honest").suspects
    assert not found, "\n".join(map(str, found))


def test_no_line_of_a_hidden_test_is_in_the_feedback(course):
    hidden = [c.source.split("### BEGIN HIDDEN TESTS")[1] for c in course.source(NAME).cells if is_test(c)]
    submitted = "\n".join(c.source for c in read(course.notebook("submitted", "injected", NAME)).cells)
    lines = {line.strip() for text in hidden for line in text.splitlines() if len(line) > 16} - {
        *submitted.splitlines()
    }
    assert len(lines) > 20
    for student in ("injected", "honest"):
        assert not [line for line in lines if line in feedback_page(course, student).texts]


def is_test(c):
    return role(c).get("grade") and c.cell_type == "code"


def test_nbgrader_and_the_grader_make_the_same_page(course, kept):
    page = by_nbgrader(course, "honest").text
    assert kept.intake[0] in page
    feedback_path(course, "honest").unlink()
    _, marks = record_and_marks(course, "honest")
    released = read(course.class_folder / "release" / NAME / f"{NAME}.ipynb")
    write_feedback(course, kept, marks, released)
    assert re.fullmatch(re.escape(page) + "<!-- made of [0-9a-f]{64} -->\n", feedback_page(course, "honest").text)
    summary = feedback_path(course, "honest").with_suffix(".txt").read_text(encoding="utf-8")
    assert "Score so far: 19 of 22 points" in summary


def test_a_record_of_another_notebook_is_not_used(course, kept):
    kept.answers["quiz"] = "def quiz():\n    return 'an older answer'"
    Records(course.step("records")).put(kept)
    text = by_nbgrader(course, "honest").texts
    assert kept.intake[0] not in text
    assert "an older answer" not in text


def test_marks_and_comments_given_by_hand_are_in_the_feedback(course):
    with course.nbgrader.gradebook as gradebook:
        grade = gradebook.find_grade("written-answer", NAME, NAME, "honest")
        grade.manual_score, grade.needs_manual_grade = 2, False
        gradebook.find_comment("written-answer", NAME, NAME, "honest").manual_comment = "Where does it *stop*?"
        gradebook.db.commit()
    page = by_nbgrader(course, "honest")
    assert "21 of 22 points" in page.texts
    assert "A person gave 2 points here." in page.texts
    assert "<p>Where does it <em>stop</em>?</p>" in page.text


def test_feedback_that_says_the_same_is_not_written_again(course):
    record, marks = record_and_marks(course, "injected")
    released = read(course.class_folder / "release" / NAME / f"{NAME}.ipynb")
    path = feedback_path(course, "injected")
    write_feedback(course, record, marks, released)
    assert not write_feedback(course, record, marks, released)
    record.repairs = ["Cells were moved."]
    assert write_feedback(course, record, marks, released)
    assert "Cells were moved." in path.read_text(encoding="utf-8")
    marks.cells["test-quiz-1"].extra_credit = 0.5
    assert write_feedback(course, record, marks, released)
    assert "0.5" in path.read_text(encoding="utf-8")
