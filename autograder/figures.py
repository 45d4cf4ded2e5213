"""The figures of the lessons: one style, reproducible SVG, and a text for those who do not see them."""

from __future__ import annotations

import io
import re
from xml.sax.saxutils import escape, quoteattr

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


def use_course_style() -> None:
    """Give all figures of a notebook the course's look: palette, sizes, text kept as text."""
    plt.rcParams.update(STYLE)


def show(figure: Figure, alt: str) -> None:
    """Show `figure` as SVG whose text is the same on every machine, and close it.

    Args:
        figure: the figure, drawn with data that was rounded before.
        alt: what a reader sees in it, in one or two sentences; for screen readers, and shown where SVG is not.

    Raises:
        ValueError: `alt` is shorter than a sentence.
    """
    if len(alt.split()) < 6:
        raise ValueError(f"alt={alt!r} does not say what the figure shows: write a sentence.")
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata={"Creator": None, "Date": None, "Format": None, "Type": None})
    plt.close(figure)
    svg = _canonical(buffer.getvalue()).replace("<svg ", f'<svg role="img" aria-label={quoteattr(alt)} ', 1)
    display({"image/svg+xml": svg, "text/plain": "<figure>"}, metadata={"image/svg+xml": {"alt": alt}}, raw=True)
    # JupyterLab shows an SVG as an image without alternative text, so the words follow it, folded.
    words = f"<details><summary>The figure in words</summary><p>{escape(alt)}</p></details>"
    display({"text/html": words, "text/plain": f"The figure in words: {alt}"}, raw=True)


def _canonical(svg: str) -> str:
    """Round coordinates and number the ids: the last bits of a float must not change the text of a figure."""
    svg = svg[svg.index("<svg ") :]
    svg = re.sub(r"-?\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}", svg)
    names = dict.fromkeys(re.findall(r'\bid="([^"]+)"', svg))
    numbered = {name: f"{re.match('[A-Za-z]+', name)[0]}{i}" for i, name in enumerate(names, 1)}
    svg = re.sub(r'\bid="([^"]+)"', lambda m: f'id="{numbered[m[1]]}"', svg)
    svg = re.sub(r"url\(#([^)]+)\)", lambda m: f"url(#{numbered[m[1]]})", svg)
    svg = re.sub(r'href="#([^"]+)"', lambda m: f'href="#{numbered[m[1]]}"', svg)
    return "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"
