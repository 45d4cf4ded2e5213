"""Pages made of submissions: nothing that a student made runs in anybody's browser, and no hidden test is told."""

import base64
import collections
import copy
import html.parser
import json
import shutil
import subprocess
import time
from pathlib import Path

import nbformat
import pytest
from bs4 import BeautifulSoup
from conftest import BANK, ROOT, SOURCES, read, role
from nbconvert.exporters import HTMLExporter
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output
from nbgrader.preprocessors import ClearHiddenTests, ClearMarkScheme, ClearSolutions
from nbgrader.server_extensions.formgrader.handlers import template_path

from autograder.grading import answer_bank, feedback
from autograder.grading.course import Course

NAME = "01_backward_loop"
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="  # one pixel
RUN = "document.title='INJECTED'"
DATA_PAGE = "data:text/html;base64," + base64.b64encode(f"<script>top.{RUN}</script>".encode()).decode()
EVIL_SVG = f'<svg xmlns="http://www.w3.org/2000/svg" onload="{RUN}"><script>{RUN}</script></svg>'

# Each is shown as text/html, written into markdown, and shown as text/markdown.
HTML = [
    f"<script>{RUN}</script>",
    f"<SCRIPT SRC=//evil.example/x.js></SCRIPT><scr<script>ipt>{RUN}</scr</script>ipt>",
    f"<script type=module>{RUN}</script>",
    f'<script type="text/x-mathjax-config">{RUN}</script>',
    f'<script type="math/tex">\\href{{javascript:{RUN}}}{{x}}</script>',
    f'<img src=x onerror="{RUN}">',
    f"<img src=x onerror={RUN}//",
    f'<img """><script>{RUN}</script>">',
    f"<img src='x'onerror='{RUN}'>",
    f"<img\tsrc=x\nonerror\n=\n'{RUN}'>",
    f"<svg onload={RUN}>",
    f"<svg/onload={RUN}><animate onbegin={RUN} attributeName=x dur=1s>",
    f"<svg><a xlink:href='javascript:{RUN}'><text x=20 y=20>x</text></a></svg>",
    f"<svg><style><img src=x onerror={RUN}></style></svg>",
    f"<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror={RUN}&gt;'>",
    f"<math href='javascript:{RUN}'>x</math>",
    f"<noscript><p title='</noscript><img src=x onerror={RUN}>'>",
    f"<template><img src=x onerror={RUN}></template>",
    f"<textarea><img title='</textarea><img src=x onerror={RUN}>'>",
    f"<title><a title='</title><img src=x onerror={RUN}>'>x</a></title>",
    f"<xmp><p title='</xmp><img src=x onerror={RUN}>'></xmp>",
    f"<!--><img src=x onerror={RUN}>-->",
    f"<![CDATA[<img src=x onerror={RUN}>]]>",
    f"<body onload={RUN}><p>x</p></body>",
    f"<details open ontoggle={RUN}><summary>x</summary></details>",
    f"<input autofocus onfocus={RUN}>",
    f"<video><source onerror={RUN}></video><audio src=x onerror={RUN}></audio>",
    f"<marquee onstart={RUN}>x</marquee>",
    f"<div onpointerover={RUN} style='position:fixed;inset:0'>x</div>",
    f"<a href='javascript:{RUN}'>x</a>",
    f"<a href=' &#1; java\tscript:{RUN}'>x</a>",
    f"<a href='&#x6A;avascript&colon;{RUN}'>x</a>",
    f"<a href='files/javascript:{RUN}'>x</a><a href='/files/files/javascript:{RUN}'>x</a>",
    f"<a href='JaVaScRiPt:{RUN}'>x</a><a href='vbscript:x'>x</a>",
    f"<a href='{DATA_PAGE}'>x</a>",
    "<a href='/formgrader/api/submission/1/flag'>x</a><a href='//evil.example'>x</a>",
    f"<iframe src='{DATA_PAGE}'></iframe>",
    f"<iframe srcdoc='<script>parent.{RUN}</script>'></iframe>",
    f"<object data='{DATA_PAGE}'></object><embed src='{DATA_PAGE}'>",
    f"<form action='javascript:{RUN}'><button>x</button></form><button formaction='javascript:{RUN}'>x</button>",
    "<meta http-equiv=refresh content='0;url=https://evil.example'>",
    "<base href='https://evil.example/'>",
    "<link rel=stylesheet href='https://evil.example/x.css'>",
    "<style>.score, .panel-heading { display: none } @import 'https://evil.example/x.css';</style>",
    "<style>@import 'https://evil.example/x.css';",
    "<div style='position:fixed;top:0;left:0;width:100%;height:100%;background:white'>Score: 22 / 22</div>",
    "<p style='background-image:url(https://evil.example/x.png);margin:-999px'>x</p>",
    "<div class='navbar-fixed-top modal panel-heading'><span class='pull-right score'>Score: 22 / 22</span></div>",
    "<a name='top' id='test-quiz-1'>x</a><input id='test-quiz-1' value=9><form name=base_url></form>",
    "<img src='https://evil.example/pixel.png'><img src='files/https://evil.example/pixel.png'>",
    "<img srcset='https://evil.example/pixel.png 1x' width='100%;position:fixed' src=x>",
    "<img src='data:text/html,<script>x</script>'><img src='data:image/svg+xml,<svg onload=x>'>",
    "</div></div></div></div></div></body></html><script>x</script><div id='notebook'>",
    "</pre></td></table><plaintext>",
    f"$\\href{{javascript:{RUN}}}{{x}}$ $$\\style{{position:fixed;top:0}}{{x}} \\cssId{{top}}{{x}}$$",
    f"$\\let\\h\\href \\h{{javascript:{RUN}}}{{x}}$ \\\\(\\hr<!-- -->ef{{javascript:{RUN}}}{{x}}\\\\)",
    f"\\begin{{equation}}\\href{{javascript:{RUN}}}{{x}}</p><img src=x onerror={RUN}>\\end{{equation}}",
    f"$<img src=x onerror={RUN}>$ $$</p><script>{RUN}</script>$$",
]
MARKDOWN = [
    f"[x](javascript:{RUN}) [x](<java\tscript:{RUN}>) [x](files/javascript:{RUN}) [x]({DATA_PAGE})",
    f"[x]: javascript:{RUN}\n\n[x] ![x] <javascript:{RUN}>",
    f'![x](https://evil.example/p.png) ![x](javascript:{RUN}) ![" onerror={RUN} x="](x)',
    f'![x](x "\\" onerror={RUN} \\"") [x](https://a.example "\\"onclick={RUN}")',
    f'![x](attachment:nothing.png) ![x](attachment:"onerror={RUN})',
    f"```html\n<script>{RUN}</script>\n```\n\n~~~mermaid\n</pre><script>{RUN}</script>\n~~~",
    f"# <img src=x onerror={RUN}>\n\n| a | <svg onload={RUN}> |\n|---|---|\n| `<script>` | x |",
    f"`` `<img src=x onerror={RUN}>` ``\n\n- [x] <script>{RUN}</script>\n\nterm\n: <svg onload={RUN}>",
]
# Outputs of other kinds: (data, metadata).
BUNDLES = [
    ({"application/javascript": RUN}, {}),
    ({"text/javascript": RUN, "text/plain": "x"}, {}),
    ({"application/vnd.jupyter.widget-view+json": {"model_id": "</script><script>x</script>"}}, {}),
    ({"application/vnd.jupyter.widget-state+json": {"state": {"x": {"state": "</script>"}}}}, {}),
    ({"application/json": {"x": f"<script>{RUN}</script>"}}, {}),
    ({f"application/x-<script>{RUN}</script>": "x"}, {}),
    ({"text/vnd.mermaid": f"</pre><script>{RUN}</script>"}, {}),
    ({"application/pdf": "JVBERi0="}, {}),
    ({"image/svg+xml": EVIL_SVG}, {"image/svg+xml": {"alt": f'"><script>{RUN}</script>'}}),
    ({"image/svg+xml": f'"><script>{RUN}</script>'}, {"isolated": True}),
    ({"image/png": f'"><script>{RUN}</script>'}, {}),
    ({"image/png": PNG}, {"image/png": {"width": f"1 onerror={RUN}", "height": "1><script>x</script>"}}),
    ({"image/jpeg": PNG}, {"image/jpeg": {"alt": f'" onerror="{RUN}', "unconfined": True}}),
    ({"image/png": PNG}, {"filenames": {"image/png": "https://evil.example/p.png"}}),
    ({"text/html": f"<script>{RUN}</script>x"}, {"text/html": {"isolated": True}}),
    ({"text/html": f"<p onclick={RUN}>x"}, {"isolated": True}),
    ({"text/latex": f"$\\href{{javascript:{RUN}}}{{x}}$<script>{RUN}</script>"}, {}),
    ({"text/latex": f"$x$</div><script>{RUN}</script>"}, {}),
    ({"text/plain": f"\x1b[31;<script>{RUN}</script>m\x1b[38;2;1;1;1m</pre><script>{RUN}</script>"}, {}),
]
TEXT = f"</pre><script>{RUN}</script>\x1b[1;31m<img src=x onerror={RUN}>\x1b[0m\x1b[</span><script>m\x9b31m"

SHOWN = [
    *BUNDLES,
    *(({kind: text}, {}) for text in HTML for kind in ("text/html", "text/markdown")),
    *(({"text/markdown": text}, {}) for text in MARKDOWN),
]
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
# What is on a page only if somebody put it there, or if the template did.
SUSPECT_TAGS = {
    *("script", "style", "meta", "link", "base", "form", "iframe", "object", "embed", "frame", "frameset", "applet"),
    *("input", "button", "textarea", "select", "svg", "math", "video", "audio", "template", "noscript", "marquee"),
}
ADDRESSES = {"href", "src", "srcset", "action", "formaction", "data", "poster", "background", "xlink:href", "cite"}


class Page(html.parser.HTMLParser):
    """What a page is made of."""

    def __init__(self, text):
        super().__init__()
        self.text, self.suspects, self.elements = text, collections.Counter(), []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        attributes = {name: value or "" for name, value in attributes}
        self.elements.append((tag, attributes))
        if tag in SUSPECT_TAGS:
            self.suspects[tag, tuple(attributes.items())] += 1
        for name, value in attributes.items():
            address = "".join(c for c in value if c > " ").lower()
            scheme = address.partition(":")[0]
            bad = (
                name.startswith("on")
                or (name in ("id", "name", "srcdoc", "target") and not value.startswith("cell-id="))
                or (name == "style" and ("url" in value or "position" in value or "margin" in value))
                or (name in ADDRESSES and scheme in ("javascript", "vbscript"))
                or (name in ADDRESSES and scheme == "data" and not (tag == "img" and address.startswith("data:image/")))
                or (name == "src" and tag == "img" and scheme != "data")
                or (name == "href" and scheme not in ("http", "https", "mailto") and value[:1] != "#")
                or (name == "class" and {"modal", "navbar-fixed-top", "score", "panel-heading"} & set(value.split()))
            )
            if bad:
                self.suspects[tag, name, value] += 1

    @property
    def texts(self):
        return BeautifulSoup(self.text, "html.parser").get_text()


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


# What these leave in a traceback: nothing of the tests catches them, and IPython shows the lines around.
STOPS = """class Stop(BaseException):
    pass


def quiz(*_):
    raise Stop
"""


def stopped(released):
    notebook = answer_bank.fill(released, {})
    for solution in notebook.cells:
        if role(solution).get("solution") and solution.cell_type == "code":
            name = solution.source.partition("def ")[2].partition("(")[0]
            solution.source = STOPS.replace("quiz", name or "quiz")
    return notebook


def configured(course):
    config = course.nbgrader.config
    if "filters" not in config.HTMLExporter:
        feedback.configure(config)
    return config


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A class whose submissions were graded and given feedback, with the settings of the course."""
    folder = tmp_path_factory.mktemp("class")
    course = Course(class_folder=folder)
    configured(course)
    released = read(course.generate(NAME, folder / "release"))
    for make in (injected, honest, stopped):
        path = course.notebook("submitted", make.__name__, NAME)
        path.parent.mkdir(parents=True)
        path.write_text(nbformat.writes(make(released)), encoding="utf-8")
        for step in (course.nbgrader.autograde, course.nbgrader.generate_feedback):
            result = step(NAME, make.__name__, force=True)
            assert result["success"], result
    return course


def feedback_page(course, student):
    return Page((course.step("feedback") / student / NAME / f"{NAME}.html").read_text(encoding="utf-8"))


def formgrader_page(course, student, path=None):
    """The page for marking by hand, made as nbgrader's formgrader makes it: nothing but settings reaches it."""
    config = copy.deepcopy(configured(course))
    config.HTMLExporter.template_name = "formgrade"
    config.HTMLExporter.extra_template_basedirs = [template_path]
    names = {"notebook_id": NAME, "assignment_id": NAME, "submission_id": "1", "index": 0, "total": 1, "base_url": ""}
    path = path or course.notebook("autograded", student, NAME)
    text, _ = HTMLExporter(config=config).from_filename(str(path), resources=names)
    return Page(text)


PAGES = pytest.mark.parametrize("page_of", [feedback_page, formgrader_page])


@PAGES
def test_nothing_injected_is_on_the_page(course, page_of):
    found = page_of(course, "injected").suspects - page_of(course, "honest").suspects
    assert len(HTML) + len(MARKDOWN) + len(BUNDLES) > 80
    assert not found, "\n".join(map(str, found))


@PAGES
def test_all_of_the_page_is_still_there(course, page_of):
    text = page_of(course, "injected").texts
    headings = [line for c in course.source(NAME).cells for line in c.source.splitlines() if line.startswith("## ")]
    for expected in (*headings, "The last cell of all."):
        assert expected.removeprefix("## ").replace("`", "") in text


@PAGES
def test_what_honest_students_made_is_shown(course, page_of):
    page = page_of(course, "honest")
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


@PAGES
def test_nothing_of_a_cell_is_painted_outside_of_it(course, page_of):
    page = page_of(course, "honest").text
    for shown in ("a <strong>bold</strong>", "<h2>My notes", "$\\frac{a}{b}$"):
        assert 'style="contain: paint; overflow: auto"' in page.partition(shown)[0][-200:]


@pytest.mark.parametrize("text", HTML + MARKDOWN)
def test_to_clean_twice_changes_nothing(text):
    for once in (feedback.clean(text), feedback.render(text)):
        assert feedback.clean(once) == once


def sanitised(data, metadata):
    notebook = nbformat.v4.new_notebook(
        cells=[new_code_cell(outputs=[new_output("display_data", data, metadata=metadata)])]
    )
    return feedback.Sanitise().preprocess(notebook, {})[0].cells[0].outputs[0]


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
    once, _ = feedback.Sanitise().preprocess(copy.deepcopy(notebook), {})
    twice, _ = feedback.Sanitise().preprocess(copy.deepcopy(once), {})
    assert once == twice != notebook
    nbformat.validate(once)


@pytest.mark.parametrize("text", ["<div>" * 100_000, "<b><p>" * 9_000, ">" * 5_000 + "x", "[" * 5_000, "$" * 9_999])
def test_a_text_that_is_hard_to_read_does_not_stop_the_page(text):
    started = time.perf_counter()
    feedback.clean(feedback.render(text))
    assert time.perf_counter() - started < 10


def hidden_lines(source):
    """Lines that only the hidden tests or the marking schemes of an assignment have."""
    released = copy.deepcopy(source)
    for clear in (ClearHiddenTests(), ClearMarkScheme(enforce_metadata=False)):
        released, _ = clear.preprocess(released, {})
    kept = "\n".join(c.source for c in released.cells)
    lines = {line.strip() for c in source.cells for line in c.source.splitlines()}
    # Shorter ones, such as "expected," are everywhere.
    return {line for line in lines if len(line) > 12 and line not in kept}


def page_without_grades(notebook, name):
    exporter = feedback.FeedbackExporter(
        template_name="feedback",
        extra_template_basedirs=[template_path],
        extra_template_paths=[str(Path(template_path).parent / "static/node_modules/bootstrap/dist/css")],
    )
    for preprocessor in (feedback.HideTests, "nbconvert.preprocessors.CSSHTMLHeaderPreprocessor"):
        exporter.register_preprocessor(preprocessor, enabled=True)
    for test in notebook.cells:
        if role(test).get("grade"):
            test.metadata.nbgrader["score"] = 0
    about = {"notebook": name, "score": 0, "max_score": 0, "late_penalty": 0}
    return Page(exporter.from_notebook_node(notebook, resources={"nbgrader": about})[0])


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_no_line_of_a_hidden_test_or_marking_scheme_is_on_the_page(path):
    notebook, _ = ClearSolutions().preprocess(read(path), {})
    hidden = hidden_lines(notebook)
    assert len(hidden) > 20
    text = page_without_grades(notebook, path.stem).texts
    assert not [line for line in hidden if line in text]


@pytest.mark.parametrize("student", ["injected", "honest", "stopped"])
def test_no_line_of_a_hidden_test_is_in_the_feedback_of_a_class(course, student):
    submitted = read(course.notebook("submitted", student, NAME))
    own = "\n".join(c.source for c in submitted.cells)
    hidden = {line for line in hidden_lines(course.source(NAME)) if line not in own}
    text = feedback_page(course, student).texts
    assert not [line for line in hidden if line in text]


def test_the_formgrader_shows_hidden_tests_and_marking_schemes(course):
    text = formgrader_page(course, "honest").texts
    assert "BEGIN HIDDEN TESTS" in text


def locked(source, kind=new_code_cell, **outputs):
    made = kind(source, **outputs)
    made.metadata["nbgrader"] = {"grade": True, "solution": False, "locked": True, "grade_id": "test", "points": 1}
    return made


def hide(*cells):
    return feedback.HideTests().preprocess(nbformat.v4.new_notebook(cells=list(cells)), {})[0].cells


TEST = "check(1)\n### BEGIN HIDDEN TESTS\ncheck(2)\n### END HIDDEN TESTS"


@pytest.mark.parametrize(
    "text",
    [
        TEST,
        "### BEGIN HIDDEN TESTS\nx = 1",
        f"### BEGIN HIDDEN TESTS\n{TEST}",
        "a\n### END HIDDEN TESTS",
        "BEGIN MARK SCHEME",
    ],
)
def test_a_student_may_write_the_markers(text):
    answer = new_code_cell(text, metadata={"nbgrader": {"grade": False, "solution": True, "grade_id": "answer"}})
    written = new_markdown_cell(text, metadata={"nbgrader": {"grade": True, "solution": True, "grade_id": "words"}})
    own = [new_code_cell(text), new_markdown_cell(text)]
    cells = hide(answer, written, *own, locked(TEST))
    assert [c.source for c in cells] == [text] * 4 + ["check(1)"]


def test_markers_without_a_partner_show_too_little_rather_than_too_much():
    (left,) = hide(locked("check(1)\n### BEGIN HIDDEN TESTS\ncheck(2)"))
    assert left.source == "check(1)\n### "


def test_a_traceback_keeps_its_message_but_no_hidden_line():
    frame = "Cell In[1], line 3\n      1 \x1b[32mcheck\x1b[39m(1)\n----> 3 \x1b[32mcheck\x1b[39m(2)\n"
    error = new_output(
        "error", ename="CheckFailed", evalue="wrong", traceback=[frame, "CheckFailed: check(2) is wrong"]
    )
    (cell,) = hide(locked(TEST, outputs=[error]))
    assert cell.outputs[0].traceback[0].splitlines()[2].strip() == "(a line of a hidden test)"
    assert "\x1b[32mcheck\x1b[39m(1)" in cell.outputs[0].traceback[0]
    assert cell.outputs[0].traceback[1] == "CheckFailed: check(2) is wrong"


def test_the_policy_of_the_feedback_lets_in_only_mathjax(course):
    page = feedback_page(course, "honest")
    (policy,) = [a["content"] for tag, a in page.elements if a.get("http-equiv") == "Content-Security-Policy"]
    assert "default-src 'none'" in policy
    scripts = policy.partition("script-src ")[2].partition(";")[0].split()
    assert scripts == ["https://cdnjs.cloudflare.com/ajax/libs/mathjax/2.7.7/", "'unsafe-eval'"]
    for tag, attributes in page.elements:
        if tag == "script" and "src" in attributes:
            assert attributes["src"].startswith(scripts[0])
        elif tag == "script":
            assert attributes["type"] == "text/x-mathjax-config"
    # A policy holds for what follows it.
    assert page.text.index("Content-Security-Policy") < page.text.index("<script")


CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def in_browser(page, folder):
    """The page after a browser has run it, with every address on the network turned away."""
    path = folder / "page.html"
    path.write_text(page, encoding="utf-8")
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=5000",
               "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={folder / 'profile'}",
               "--dump-dom", path.as_uri()]  # fmt: skip
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout


@pytest.mark.skipif(not CHROMIUM, reason="no Chromium here to run a page in")
@PAGES
def test_a_browser_runs_nothing_that_was_injected(course, page_of, tmp_path):
    page = page_of(course, "injected").text
    # The policy would hide what got through: it has to hold without.
    page = page.replace("Content-Security-Policy", "none")
    assert "<title>INJECTED" not in in_browser(page, tmp_path)


@pytest.mark.skipif(not CHROMIUM, reason="no Chromium here to run a page in")
@pytest.mark.parametrize("payload", [HTML[0], HTML[5], HTML[10], HTML[24]])
def test_the_browser_would_run_the_payloads_and_the_policy_alone_stops_them(course, payload, tmp_path):
    page = feedback_page(course, "honest").text
    assert "</body>" in page
    with_payload = page.replace('<div class="panel-body">', f'<div class="panel-body">{payload}', 1)
    (tmp_path / "open").mkdir()
    assert "<title>INJECTED" in in_browser(with_payload.replace("Content-Security-Policy", "none"), tmp_path / "open")
    assert "<title>INJECTED" not in in_browser(with_payload, tmp_path)


@pytest.mark.skipif(
    "feedback" not in (ROOT / "nbgrader_config.py").read_text(encoding="utf-8"),
    reason="nbgrader_config.py does not call autograder.grading.feedback.configure",
)
def test_the_settings_of_the_course_have_it():
    config = Course().nbgrader.config
    assert config.HTMLExporter.preprocessors == ["autograder.grading.feedback.Sanitise"]
    assert set(config.HTMLExporter.filters) == {"markdown2html", "clean_html", "strip_files_prefix"}
    assert config.GenerateFeedback.exporter_class == "autograder.grading.feedback.FeedbackExporter"
    assert "autograder.grading.feedback.Sanitise" in repr(config.Autograde.autograde_preprocessors)
