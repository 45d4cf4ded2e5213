"""The figures of the lessons: one style, reproducible SVG, and a text for those who do not see them."""

from __future__ import annotations

import hashlib
import io
import re
from html import escape
from xml.etree import ElementTree

import matplotlib.pyplot as plt
from IPython.display import display
from matplotlib.figure import Figure

# Okabe and Ito's palette: distinct for readers with any common colour blindness (https://jfly.uni-koeln.de/color/).
BLUE, ORANGE, GREEN, PINK = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
SKY, AMBER, GREY = "#56B4E9", "#E69F00", "#595959"

STYLE = {
    "axes.prop_cycle": plt.cycler(
        color=[BLUE, ORANGE, GREEN, PINK, SKY, AMBER],
        linestyle=["-", "--", "-.", ":", "-", "--"],
    ),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 12,
    "figure.constrained_layout.use": True,
    "figure.figsize": (6.4, 3.4),
    "font.size": 11,
    "legend.frameon": False,
    "lines.linewidth": 2,
    "svg.fonttype": "none",
    "svg.hashsalt": "torch-func-course",
}

# Attributes which hold coordinates. Text, colours and dashes stay as they are.
_GEOMETRY = {
    "d",
    "points",
    "transform",
    "viewBox",
    "x",
    "y",
    "x1",
    "y1",
    "x2",
    "y2",
    "cx",
    "cy",
    "r",
    "width",
    "height",
}
_NUMBER = re.compile(r"-?\d+(\.\d+)?(e[-+]?\d+)?")

ElementTree.register_namespace("", "http://www.w3.org/2000/svg")
ElementTree.register_namespace("xlink", "http://www.w3.org/1999/xlink")


def use_course_style() -> None:
    """Give all figures of a notebook the course's look: palette, sizes, text kept as text."""
    plt.rcParams.update(STYLE)


def show(figure: Figure, alt: str) -> None:
    """Show `figure` as SVG whose text is the same on every machine, and close it.

    Args:
        figure: the figure, drawn with data that was rounded before. Draw grids of values with ``pcolormesh``:
            ``imshow`` puts a PNG into the figure, whose bytes depend on the machine.
        alt: what a reader sees in it, in one or two sentences; for screen readers, and shown where SVG is not.

    Raises:
        ValueError: `alt` is shorter than a sentence.
    """
    if len(alt.split()) < 6:
        raise ValueError(f"alt={alt!r} does not say what the figure shows: write a sentence.")
    buffer = io.StringIO()
    with plt.rc_context({key: value for key, value in STYLE.items() if key.startswith("svg.")}):
        figure.savefig(buffer, format="svg", metadata={"Creator": None, "Date": None, "Format": None, "Type": None})
    plt.close(figure)
    svg = _canonical(buffer.getvalue(), alt)
    display(
        {"image/svg+xml": svg, "text/plain": "<figure: run this cell to see it>"},
        metadata={"image/svg+xml": {"alt": alt}},
        raw=True,
    )
    # JupyterLab shows an SVG as an image without alternative text, so the words follow it, folded.
    words = f"<details><summary>The figure in words</summary><p>{escape(alt)}</p></details>"
    display({"text/html": words, "text/plain": f"The figure in words: {alt}"}, raw=True)


def _canonical(svg: str, alt: str) -> str:
    """Round the coordinates, name the ids anew and add `alt`: the last bits of a float must not change a figure."""
    root = ElementTree.fromstring(svg)
    for element in root.iter():
        for name in _GEOMETRY & element.attrib.keys():
            element.set(name, _NUMBER.sub(_rounded, element.get(name)))
    root.attrib |= {"role": "img", "aria-label": alt}
    # matplotlib's ids are hashes of unrounded coordinates, so they are numbered. What is drawn goes into the ids as
    # well: in an HTML page all figures share one space of names, and a figure must not find the parts of another.
    ids = [element.get("id") for element in root.iter() if "id" in element.attrib]
    numbers = {name: str(number) for number, name in enumerate(dict.fromkeys(ids), 1)}
    _rename(root, numbers)
    digest = hashlib.sha256(ElementTree.tostring(root)).hexdigest()[:8]
    _rename(root, {number: f"figure-{digest}-{number}" for number in numbers.values()})
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _rounded(number: re.Match[str]) -> str:
    value = float(number[0])
    # Small numbers are scales and the shapes of markers, the others are positions, in points.
    places = 4 if abs(value) < 1 else 2
    # Positions are often multiples of 1/8, where rounding at the half would hang on the last bit. This moves the
    # half to where positions seldom are.
    text = f"{value + 0.17 * 10**-places:.{places}f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _rename(root: ElementTree.Element, names: dict[str, str]) -> None:
    for element in root.iter():
        for key, value in element.items():
            if key == "id":
                element.set(key, names[value])
            elif key.endswith("href") and value.removeprefix("#") in names:
                element.set(key, "#" + names[value[1:]])
            elif "url(#" in value:
                element.set(key, re.sub(r"url\(#([^)]+)\)", lambda m: f"url(#{names.get(m[1], m[1])})", value))
