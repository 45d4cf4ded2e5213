"""Pages about a submission that are safe to open: feedback for the student, the formgrader for the instructor.

What a student's code shows and what a student writes ends on a page in somebody's browser, and nbgrader puts it there
as it is. Three things here see to it that it is harmless and that no page tells a student the hidden tests:

* `Sanitise` rewrites outputs: when a submission was graded, and again whenever a page is made of it.
* `markdown`, `contain` and `unchanged` are filters that take the place of nbconvert's when a page is made. They work on
  the HTML that comes out, not on the markdown that goes in, so the sources stay as they were handed in.
* `HideTests` takes hidden tests and marking schemes out of the feedback.

`FeedbackExporter` adds a Content-Security-Policy to the feedback, a second wall behind the first. The formgrader has no
such wall: its own page is made of inline scripts.
"""

from __future__ import annotations

import base64
import re
from html import escape, unescape
from typing import Any

import nh3
from jinja2 import BytecodeCache, Environment, pass_context
from jinja2.bccache import Bucket
from jinja2.runtime import Context
from mistune import import_plugin
from nbconvert.exporters import HTMLExporter
from nbconvert.exporters.templateexporter import TemplateExporter
from nbconvert.filters import Highlight2HTML, strip_ansi
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbconvert.filters.widgetsdatatypefilter import WidgetsDataTypeFilter
from nbconvert.preprocessors import Preprocessor
from nbformat import NotebookNode
from nbgrader.preprocessors import ClearHiddenTests, ClearMarkScheme
from pygments.token import STANDARD_TYPES
from traitlets import Bool
from traitlets.config import Config

Resources = dict[str, Any]

# --- HTML -------------------------------------------------------------------------------------------------------------

_TAGS = (nh3.ALLOWED_TAGS | {"tfoot"}) - {"area", "map"}
# No id and no name: the formgrader finds its input fields by id, and another element must not pass for one of them.
_ATTRIBUTES = {
    "*": {"style", "title", "align"},
    "a": {"href"},
    "details": {"open"},
    "img": {"src", "alt", "width", "height"},
    "ol": {"start"},
    "table": {"border"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan", "scope"},
}
# Only classes that pandas and Pygments write: those of the page itself could lay a text over the score.
_CLASSES = {"table": {"dataframe"}, "div": {"highlight"}, "span": {name for name in STANDARD_TYPES.values() if name}}
# Nothing that moves, sizes or hides.
_STYLES = {"text-align", "vertical-align", "color", "background-color", "font-weight", "font-style", "text-decoration"}
_LINK = re.compile(r"(https?://|mailto:)", re.IGNORECASE)
# An image inside the page. A browser runs no script in an SVG that an <img> shows, and loads nothing that it refers to.
_IMAGE = re.compile(r"data:image/(png|jpeg|gif|webp|svg\+xml);base64,[A-Za-z0-9+/=\s]*\Z")
_SIZE = re.compile(r"\d{1,4}%?\Z")
# What lets mathematics set links, styles, classes and ids. MathJax's own "Safe" extension stops the worst of it; this
# does not depend on it. TeX can build no command name from parts here, so the names have to be written out.
_TEX = re.compile(r"\\(?=(href|style|class|cssId|bbox|require|unicode)(?![A-Za-z]))")
_LABEL = re.compile(r'<svg\b[^>]*\baria-label="([^"]*)"')
_BASE64 = re.compile(r"[A-Za-z0-9+/=\s]+\Z")
# The time that nh3 takes grows with the square of the depth: 20,000 elements inside each other take it a second.
_MOST_TAGS = 20_000
# The time that mistune takes grows with the square of what is opened and never closed.
_MOST_MARKDOWN = 20_000


def _attribute(tag: str, name: str, value: str) -> str | None:
    """Return the value that an attribute may have, or None when it must go. It must never raise: nh3 would go on."""
    if name == "href":
        return value if _LINK.match(value) else None
    if name == "src":
        return value if _IMAGE.match(value) else None
    if tag == "img" and name in ("width", "height"):
        return value if _SIZE.match(value) else None
    return value


_CLEANER = nh3.Cleaner(
    tags=_TAGS,
    attributes=_ATTRIBUTES,
    attribute_filter=_attribute,
    allowed_classes=_CLASSES,
    filter_style_properties=_STYLES,
    url_schemes={"http", "https", "mailto", "data"},
    # A relative link leads into the formgrader, with the instructor's rights.
    url_relative="deny",
)


def clean(html: object) -> str:
    """Return HTML without anything that runs, loads, covers the page or asks for input."""
    text = html.decode(errors="replace") if isinstance(html, bytes) else str(html)
    if text.count("<") > _MOST_TAGS:
        return "<em>(more elements than a page can show)</em>"
    cleaned = _CLEANER.clean(text)
    # An empty element ends the mathematics for MathJax, but neither shows nor gets into a copy of the text.
    return _TEX.sub(r"\\<span></span>", cleaned)


def contain(html: object) -> str:
    """Take the place of nbconvert's filter clean_html: clean, and in a box that nothing is painted outside of.

    Mathematics can be raised, shifted and made large, so that it would lie over a score.
    """
    return f'<div style="contain: paint; overflow: auto">{clean(html)}</div>'


def unchanged(text: str) -> str:
    """Take the place of strip_files_prefix: after the cleaning it would turn files/javascript:… into javascript:…"""
    return text


class _Renderer(IPythonRenderer):
    """nbconvert's renderer, but a picture that was not handed in does not cost the whole page."""

    def image(self, text: str, url: str, title: str | None = None) -> str:
        """Render an image; one whose attachment is missing as its text."""
        name = url.removeprefix("attachment:")
        if name != url and name not in self.attachments:
            return f"<em>(the image {escape(name)} is not in the notebook)</em>"
        return super().image(text, url, title)


# Without task_lists: it writes <input> elements, and "[x]" reads well.
_PLUGINS = [import_plugin(name) for name in ("strikethrough", "table", "url", "def_list")]


def render(source: str, attachments: dict[str, dict[str, str]] | None = None) -> str:
    """Return markdown as clean HTML, with its mathematics left to MathJax."""
    if len(source) > _MOST_MARKDOWN:
        return clean(f"<pre>{escape(source)}</pre>")
    renderer = _Renderer(escape=False, attachments=attachments or {}, exclude_anchor_links=True)
    try:
        html = MarkdownWithMath(renderer=renderer, plugins=_PLUGINS).render(source)
    except Exception:  # Whatever a text does to the parser, the page must come out.
        html = f"<pre>{escape(source)}</pre>"
    return clean(html)


@pass_context
def markdown(context: Context, source: str) -> str:
    """Take the place of nbconvert's filter markdown2html, for cells, comments and outputs alike."""
    return contain(render(source, context.get("cell", {}).get("attachments")))


# --- Outputs ----------------------------------------------------------------------------------------------------------


class Sanitise(Preprocessor):
    """Rewrites outputs so that no page and no editor that shows them runs anything. Sources stay as they are.

    It does nothing more when it is run again.
    """

    enabled = Bool(True).tag(config=True)

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """Rewrite the outputs of all cells: what a locked cell shows was made by the student's code as well."""
        # The state of widgets goes onto the page as a script.
        nb.metadata.pop("widgets", None)
        for cell in nb.cells:
            if cell.cell_type == "code":
                cell.outputs = [_safe_output(output) for output in cell.outputs]
        return nb, resources


def _safe_output(output: NotebookNode) -> NotebookNode:
    kind = output.output_type
    if kind == "stream":
        name = "stderr" if output.name == "stderr" else "stdout"
        return NotebookNode(output_type=kind, name=name, text=str(output.text))
    if kind == "error":
        lines = [str(line) for line in output.traceback]
        return NotebookNode(output_type=kind, ename=str(output.ename), evalue=str(output.evalue), traceback=lines)
    data, metadata = _safe_data(output.get("data", {}), output.get("metadata", {}))
    safe = NotebookNode(output_type=kind, data=data, metadata=metadata)
    if kind == "execute_result":
        safe.execution_count = output.get("execution_count")
    return safe


def _safe_data(data: dict[str, Any], metadata: dict[str, Any]) -> tuple[NotebookNode, NotebookNode]:
    """Return what can be shown of an output in harmless forms, and what its images need to be shown."""
    texts = {kind: value for kind, value in data.items() if isinstance(value, str)}
    safe, about = NotebookNode(), NotebookNode()
    if html := _as_html(texts, metadata):
        safe["text/html"] = html
    for kind in ("image/png", "image/jpeg"):
        if _BASE64.match(texts.get(kind, "")):
            safe[kind] = texts[kind]
            about[kind] = _about_image(metadata.get(kind))
    if "text/plain" in texts:
        safe["text/plain"] = texts["text/plain"]
    elif data and not safe:
        safe["text/plain"] = f"(not shown here: {', '.join(sorted(map(str, data)))[:80]})"
    return safe, about


def _as_html(texts: dict[str, str], metadata: dict[str, Any]) -> str:
    """Return the first of an output's forms that can be HTML, clean, in the order in which nbconvert chooses."""
    if "text/html" in texts and (html := clean(texts["text/html"])).strip():
        return html
    if "text/markdown" in texts and (html := render(texts["text/markdown"])).strip():
        return html
    if "image/svg+xml" in texts:
        svg = texts["image/svg+xml"]
        # The course's figures say what they show in two places; the metadata may be lost on the way.
        label = _LABEL.search(svg, 0, 2000)
        alt = _about_image(metadata.get("image/svg+xml") or {"alt": unescape(label[1]) if label else None})["alt"]
        code = base64.b64encode(svg.encode(errors="replace")).decode()
        return clean(f'<img alt="{escape(alt)}" src="data:image/svg+xml;base64,{code}">')
    return clean(escape(texts.get("text/latex", "")))


def _about_image(given: Any) -> NotebookNode:
    """Return an image's text and size. nbconvert writes a size into the page without quotes, so it must be a number."""
    given = given if isinstance(given, dict) else {}
    sizes = {name: given[name] for name in ("width", "height") if type(given.get(name)) in (int, float)}
    sizes = {name: size for name, size in sizes.items() if 0 < size < 10_000}
    alt = given.get("alt")
    return NotebookNode(alt=alt if isinstance(alt, str) and alt else "No description was given for this image", **sizes)


# --- Hidden tests -----------------------------------------------------------------------------------------------------


class HideTests(Preprocessor):
    """Takes hidden tests and marking schemes out of locked cells, and their lines out of tracebacks.

    A student's own text may contain the markers; it is never touched. The messages of hidden tests stay.
    """

    enabled = Bool(True).tag(config=True)

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        """Cut the locked cells, then mask what the cut lines left in tracebacks."""
        clear_tests = ClearHiddenTests(config=self._own(ClearHiddenTests), enforce_metadata=False)
        clear_scheme = ClearMarkScheme(
            config=self._own(ClearMarkScheme), enforce_metadata=False, check_attachment_leakage=False
        )
        markers = {
            clear_tests: clear_tests.begin_test_delimeter,
            clear_scheme: clear_scheme.begin_mark_scheme_delimeter,
        }
        before = _lines(nb)
        for index, cell in enumerate(nb.cells):
            if not _is_locked(cell):
                continue
            for clear, marker in markers.items():
                try:
                    clear.preprocess_cell(cell, {}, index)
                except RuntimeError:  # Markers without a partner: show less rather than too much.
                    cell.source = cell.source.partition(marker)[0]
        hidden = before - _lines(nb)
        for cell in nb.cells if hidden else []:
            for output in cell.get("outputs", []):
                if output.output_type == "error":
                    output.traceback = [_without(hidden, frame) for frame in output.traceback]
        return nb, resources

    def _own(self, step: type) -> Config:
        """Return the settings of one of nbgrader's steps. It would warn of those that are meant for the exporter."""
        return Config({step.__name__: self.config[step.__name__]})


def _is_locked(cell: NotebookNode) -> bool:
    """Whether the text of a cell is the assignment's own (see `autograder.grading.rebuild`)."""
    role = cell.metadata.get("nbgrader")
    return bool(role) and not role.get("solution", False)


def _lines(nb: NotebookNode) -> set[str]:
    return {line.strip() for cell in nb.cells for line in cell.source.splitlines()} - {""}


def _without(hidden: set[str], frame: str) -> str:
    """Return a part of a traceback with the lines that belong to a hidden test replaced."""
    lines = frame.split("\n")
    for number, line in enumerate(lines):
        # IPython writes "---> 12 check(...)" before the line where it happened and "     13 check(...)" around it.
        code = re.sub(r"^\s*(-+>)?\s*\d+\s", "", strip_ansi(line)).strip()
        if code in hidden:
            lines[number] = "     (a line of a hidden test)"
    return "\n".join(lines)


# --- The page ---------------------------------------------------------------------------------------------------------


class _Compiled(BytecodeCache):
    """Compiled templates, kept for the next page: nbgrader makes a new exporter for each."""

    def __init__(self) -> None:
        self._code: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Give a template that was compiled before."""
        if bucket.key in self._code:
            bucket.bytecode_from_string(self._code[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep a compiled template."""
        self._code[bucket.key] = bucket.bytecode_to_string()


_COMPILED = _Compiled()
_CHARSET = '<meta charset="utf-8" />'
# Where nbgrader's template for feedback gets MathJax from; no setting changes it.
_MATHJAX = "https://cdnjs.cloudflare.com/ajax/libs/mathjax/2.7.7/"
_POLICY = "; ".join(
    (
        "default-src 'none'",
        # No 'unsafe-inline': handlers, javascript: links and scripts in the page do not run. MathJax evaluates its
        # settings, which stand in a script element of a type that is not a script's; only loaded code can evaluate.
        f"script-src {_MATHJAX} 'unsafe-eval'",
        f"font-src {_MATHJAX}",
        f"style-src 'unsafe-inline' {_MATHJAX}",
        f"img-src data: {_MATHJAX}",
        "base-uri 'none'",
        "form-action 'none'",
    )
)
_HEAD = f"""{_CHARSET}
<meta http-equiv="Content-Security-Policy" content="{_POLICY}" />"""


class FeedbackExporter(HTMLExporter):
    """nbconvert's exporter with a Content-Security-Policy on the page, and faster."""

    def _create_environment(self) -> Environment:
        environment = super()._create_environment()
        environment.bytecode_cache = _COMPILED
        return environment

    def from_notebook_node(
        self, nb: NotebookNode, resources: Resources | None = None, **kw: Any
    ) -> tuple[str, Resources]:
        """Make the page as HTMLExporter does, but do not read the whole page again to add texts to images."""
        lexer = nb.metadata.get("language_info", {}).get("name")
        resources = self._init_resources(resources)
        self.register_filter("highlight_code", Highlight2HTML(pygments_lexer=lexer, parent=self))
        self.register_filter(
            "filter_data_type",
            WidgetsDataTypeFilter(notebook_metadata=self._nb_metadata, parent=self, resources=resources),
        )
        page, resources = TemplateExporter.from_notebook_node(self, nb, resources, **kw)
        if _CHARSET not in page or _MATHJAX not in page:
            raise ValueError("nbgrader's template for feedback has changed: see what its page may load now.")
        return page.replace(_CHARSET, _HEAD, 1), resources


# --- Settings ---------------------------------------------------------------------------------------------------------


def configure(c: Config) -> None:
    """Make nbgrader use all of this; called in nbgrader_config.py.

    ``HTMLExporter`` is what makes both pages, and its settings are all that reaches the formgrader. The exporter's own
    list of preprocessors is not the one that nbgrader fills, so neither replaces the other.
    """
    here = __name__
    # nbgrader's own list, or the one that was set before, and this at its end: what was graded is what was shown.
    c.Autograde.autograde_preprocessors.append(f"{here}.Sanitise")
    c.HTMLExporter.preprocessors = [f"{here}.Sanitise"]
    c.HTMLExporter.filters = {
        "markdown2html": f"{here}.markdown",
        "clean_html": f"{here}.contain",
        "strip_files_prefix": f"{here}.unchanged",
    }
    # nbconvert's templates then pass every output through clean_html and leave scripts and widgets out.
    c.HTMLExporter.sanitize_html = True
    c.GenerateFeedback.preprocessors = [
        f"{here}.HideTests",
        "nbgrader.preprocessors.GetGrades",
        "nbconvert.preprocessors.CSSHTMLHeaderPreprocessor",
    ]
    c.GenerateFeedback.exporter_class = f"{here}.FeedbackExporter"
