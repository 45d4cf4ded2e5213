"""The report's figures: each is shown below a sentence, made of its data, that says what it shows."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from autograder import figures
from autograder.insight import statistics
from autograder.insight.pages import NOTHING, count, listed, say
from autograder.insight.results import MISSING, STATES, ClassResults

# From the best to none: light to dark is not needed, the parts are also told apart by their hatching.
_PARTS = {
    "full": ("full marks", figures.BLUE, ""),
    "partly": ("partly right", figures.SKY, "//"),
    "wrong": ("wrong", figures.AMBER, ".."),
    "not_attempted": ("not attempted", "#DDDDDD", ""),
}
_STATE_LOOKS = dict(
    zip(STATES, [(figures.BLUE, ""), (figures.ORANGE, ".."), (figures.AMBER, "//"), ("#DDDDDD", "")], strict=True)
)
_MOST_BARS = 15


def handed_in(results: ClassResults) -> None:
    """Bars of how many students are in which state, by assignment."""
    if results.handed_in.empty:
        return say("No students are known yet.")
    rows = results.handed_in.groupby(["assignment", "state"], observed=True).size().unstack(fill_value=0)
    rows = rows.rename(columns=str).reindex(columns=list(STATES), fill_value=0)
    worst = rows[MISSING].idxmax()
    sentence = (
        f"{worst} is missing most often: {rows[MISSING][worst]:,} of {count(rows.loc[worst].sum(), 'student')} "
        "did not hand it in."
        if rows[MISSING].max()
        else "Everybody has handed in everything."
    )
    axes = _bars(len(rows))
    _stack(axes, rows, [(state, *_STATE_LOOKS[state]) for state in STATES if rows[state].sum()])
    axes.set_xlabel("students")
    details = "; ".join(
        f"{name}: " + ", ".join(f"{number} {state}" for state, number in row.items() if number)
        for name, row in rows.iterrows()
    )
    _show(axes, sentence, f"Bars, one for each assignment. {details}.")
    return None


def scores(results: ClassResults) -> None:
    """The middle half and the median of the scores of each assignment."""
    rows = statistics.shares(results.submissions)
    rows = rows[rows.share.notna()]
    if rows.empty:
        return say(NOTHING)
    found = rows.groupby("assignment", observed=True).share.quantile([0, 0.25, 0.5, 0.75, 1]).unstack()
    low, high = found[0.5].idxmin(), found[0.5].idxmax()
    sentence = (
        f"The median score is lowest in {low} ({found[0.5][low]:.0%}) and highest in {high} ({found[0.5][high]:.0%})."
        if len(found) > 1
        else f"The median score in {low} is {found[0.5][low]:.0%}."
    )
    axes = _bars(len(found))
    places = np.arange(len(found))
    axes.hlines(places, 100 * found[0], 100 * found[1], color=figures.GREY, linewidth=1, label="all")
    axes.barh(
        places, 100 * (found[0.75] - found[0.25]), left=100 * found[0.25], height=0.5, color=figures.SKY,
        label="the middle half",
    )  # fmt: skip
    axes.plot(100 * found[0.5], places, "o", color=figures.BLUE, label="median")
    _name_bars(axes, list(found.index))
    axes.set(xlim=(-2, 102), xlabel="score in % of what could be marked so far")
    axes.legend(ncols=3, loc="lower left", bbox_to_anchor=(0, 1))
    details = "; ".join(
        f"{name}: median {row[0.5]:.0%}, half between {row[0.25]:.0%} and {row[0.75]:.0%}"
        for name, row in found.iterrows()
    )
    _show(axes, sentence, f"Median and middle half of the scores by assignment. {details}.")
    return None


def distribution(results: ClassResults) -> None:
    """A histogram of the scores of one assignment."""
    graded = statistics.shares(results.submissions)
    graded = graded[graded.share.notna()]
    if graded.empty:
        return say(NOTHING)
    percent = 100 * graded.share.clip(upper=1)
    numbers, edges = np.histogram(percent, bins=np.linspace(0, 100, 11))
    median = float(percent.median())
    low, full = int((percent < 50).sum()), int((graded.share >= 1 - 1e-9).sum())
    sentence = (
        f"{count(len(graded), 'submission')}: the median is {median:.0f}%; {full:,} "
        f"{'has' if full == 1 else 'have'} full marks and {low:,} {'is' if low == 1 else 'are'} below half."
    )
    if (waiting := int((graded.by_hand > 0).sum())) > 0:
        sentence += f" Points that a person has yet to give are left out ({count(waiting, 'submission')})."
    _, axes = plt.subplots(figsize=(6.4, 2.6))
    axes.bar(edges[:-1], numbers, width=10, align="edge", color=figures.SKY, edgecolor="white")
    axes.axvline(median, color=figures.BLUE, label=f"median {median:.0f}%")
    axes.set(xlabel="score in % of what could be marked so far", ylabel="submissions", xlim=(0, 100))
    axes.yaxis.get_major_locator().set_params(integer=True)
    axes.legend(loc="upper left")
    bins = ", ".join(f"{edge:.0f} to {edge + 10:.0f}%: {number}" for edge, number in zip(edges, numbers, strict=False))
    _show(axes, sentence, f"Histogram of scores. Submissions with {bins}.")
    return None


def difficulty(results: ClassResults, most: int = _MOST_BARS) -> None:
    """Shares of full marks, partly right, wrong and not attempted answers, by exercise.

    Args:
        results: of one assignment, whose exercises are all shown in their order, or of more, of which the hardest are.
        most: number of exercises, if there is more than one assignment.
    """
    rows = statistics.difficulty(results.tests)
    if rows.empty:
        return say(NOTHING)
    hardest = rows.loc[rows.full.idxmin()]
    several = len(results.assignments) > 1
    names = [f"{row.assignment[:2]} · {row.exercise}" if several else row.exercise for row in rows.itertuples()]
    rows = rows.assign(name=names)
    if several:
        rows = rows.sort_values("full", kind="stable").head(most)
    where = f"{hardest.assignment}, " if several else ""
    sentence = (
        f"The hardest exercise is {where}{hardest.exercise}: {hardest.full:.0%} have full marks, and the class has "
        f"{hardest.points:.0%} of its points."
        if hardest.full < 1
        else "Everybody has full marks in every exercise."
    )
    skipped = rows.loc[rows.not_attempted.idxmax()]
    if skipped.not_attempted > 0:
        where = f"{skipped.assignment}, " if several else ""
        sentence += f" Most often left empty: {where}{skipped.exercise} ({skipped.not_attempted:.0%})."
    axes = _bars(len(rows))
    _stack(axes, 100 * rows.set_index("name")[list(_PARTS)], [(key, *look[1:]) for key, look in _PARTS.items()])
    for place, points in enumerate(rows.points):
        axes.annotate(f"{points:.0%}", (101, place), va="center", annotation_clip=False)
    axes.annotate("points", (101, -0.75), va="center", annotation_clip=False)
    axes.set(xlim=(0, 100), xlabel="% of the submissions")
    details = "; ".join(
        f"{row.name}: {row.full:.0%} full, {row.partly:.0%} partly, {row.wrong:.0%} wrong, "
        f"{row.not_attempted:.0%} not attempted"
        for row in rows.drop(columns="assignment").itertuples(index=False)
    )
    _show(axes, sentence, f"Bars, one for each exercise. {details}.")
    return None


def discrimination(results: ClassResults) -> None:
    """How well the exercises separate those who know the matter, with 95 % intervals, for one assignment."""
    rows = statistics.discrimination(results.tests)
    if rows.empty:
        return say(NOTHING)
    drawn = rows[rows.correlation.notna()]
    if drawn.empty:
        reasons = list(dict.fromkeys(rows.verdict))
        return say(f"How well the exercises separate strong from weak submissions cannot be said: {listed(reasons)}.")
    little = drawn[drawn.correlation < statistics.LITTLE]
    sentence = (
        f"{listed(little.exercise)} {'tells' if len(little) == 1 else 'tell'} little about who knows the matter."
        if len(little)
        else "Each exercise separates: who is right there tends to be right elsewhere."
    )
    sentence += (
        " The dot is the correlation between the points in the exercise and in the rest of the assignment: near 1, "
        "those who are right here are right elsewhere; near 0, it makes no difference; below 0, the stronger students "
        "fail here, and the exercise deserves a look. The line is where the value may lie (95%)."
    )
    if (submissions := int(drawn.submissions.max())) < statistics.ENOUGH:
        sentence += f" With {count(submissions, 'submission')} take it as a hint."
    for row in rows[rows.correlation.isna()].itertuples():
        sentence += f" {row.exercise}: {row.verdict}."
    axes = _bars(len(drawn))
    places = np.arange(len(drawn))
    axes.axvspan(-1, statistics.LITTLE, color="#F0F0F0", zorder=0)
    axes.axvline(0, color=figures.GREY, linewidth=1)
    axes.hlines(places, drawn.low, drawn.high, color=figures.BLUE)
    axes.plot(drawn.correlation, places, "o", color=figures.BLUE)
    _name_bars(axes, list(drawn.exercise))
    axes.set(
        xlim=(min(-0.25, float(drawn.low.min()) - 0.05), 1), xlabel="correlation with the rest (grey: tells little)"
    )
    details = "; ".join(f"{row.exercise}: {row.correlation:.2f}, {row.verdict}" for row in drawn.itertuples())
    _show(axes, sentence, f"One dot for each exercise. {details}.")
    return None


def use_style() -> None:
    """Give the figures the course's look."""
    figures.use_course_style()
    # A heading with a dollar sign is text.
    plt.rcParams["text.parse_math"] = False


def _bars(number: int) -> Axes:
    _, axes = plt.subplots(figsize=(7.5, 1.2 + 0.36 * number))
    return axes


def _stack(axes: Axes, rows: pd.DataFrame, parts: Sequence[tuple[str, str, str]]) -> None:
    left = np.zeros(len(rows))
    for key, color, hatch in parts:
        label = _PARTS[key][0] if key in _PARTS else key
        values = rows[key].to_numpy(dtype=float)
        axes.barh(
            np.arange(len(rows)),
            values,
            left=left,
            height=0.7,
            color=color,
            hatch=hatch,
            edgecolor="white",
            label=label,
        )
        left += values
    _name_bars(axes, list(rows.index))
    axes.legend(ncols=4, loc="lower left", bbox_to_anchor=(-0.3, 1.02 if len(rows) > 2 else 1.15), handlelength=1.2)


def _name_bars(axes: Axes, names: list[str]) -> None:
    axes.set_yticks(np.arange(len(names)), [textwrap.shorten(name, 44, placeholder=" …") for name in names])
    axes.set_ylim(len(names) - 0.4, -0.6)  # the first one on top


def _show(axes: Axes, sentence: str, alt: str) -> None:
    figure = axes.figure
    assert isinstance(figure, Figure)
    say(sentence)
    figures.show(figure, f"{sentence} {alt}")
