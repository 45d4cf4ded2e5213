"""What makes a page about a submission safe to open: nothing that a student made runs in anybody's browser.

What a student's code shows and what a student writes ends on the formgrader's page, and nbgrader puts it there as it
is.

* `Sanitise` rewrites outputs: when a submission was graded, and again whenever a page is made of it.
* `markdown`, `contain` and `unchanged` are filters that take the place of nbconvert's when a page is made. They work on
  the HTML that comes out, not on the markdown that goes in, so the sources stay as they were handed in.

The formgrader has no second wall behind these: its own page is made of inline scripts.
"""

from __future__ import annotations

import base64
import re
from html import escape, unescape
from typing import Any

import nh3
from jinja2 import pass_context
from jinja2.runtime import Context
from mistune import import_plugin
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbconvert.preprocessors import Preprocessor
from nbformat import NotebookNode
from pygments.token import STANDARD_TYPES
from traitlets import Bool

from autograder.examiner.texts import clean as encodable

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
_MOST_TAGS = 6_000
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
    text = encodable(html.decode(errors="replace") if isinstance(html, bytes) else str(html))
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
