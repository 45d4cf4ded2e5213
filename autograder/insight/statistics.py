"""Numbers about exercises and submissions."""

from __future__ import annotations

import numpy as np
import pandas as pd

from autograder.grading.record import BY_HAND, NOT_ATTEMPTED

# Fewer submissions than this say nothing about how an exercise separates; up to ENOUGH they say it roughly.
TOO_FEW, ENOUGH = 10, 30
# Below this an exercise tells little about who knows the matter (Ebel's rule of thumb for test items).
LITTLE = 0.2
_KEYS = ["assignment", "answer"]


def by_exercise(tests: pd.DataFrame) -> pd.DataFrame:
    """Put the tests of one exercise together.

    Args:
        tests: as in `results.ClassResults`.

    Returns:
        One row for each submission and exercise, in the order of the notebook: ``exercise`` (its heading), ``share``
        (points over possible points, missing while a person has yet to mark), and whether it has ``full`` marks,
        is ``not_attempted`` and is marked ``by_hand``.
    """
    if tests.empty:
        columns = ["student", *_KEYS, "exercise", "share", "full", "not_attempted", "by_hand"]
        return pd.DataFrame(columns=columns)
    rows = tests.assign(
        number=np.arange(len(tests)),
        waits=tests.score.isna(),
        not_attempted=tests.outcome == NOT_ATTEMPTED,
        by_hand=tests.outcome == BY_HAND,
    )
    groups = rows.groupby(["student", *_KEYS], observed=True, sort=False)
    found = groups.agg(
        exercise=("exercise", "first"),
        score=("score", "sum"),
        max_score=("max_score", "sum"),
        waits=("waits", "any"),
        # Of several tests, the visible one says that nothing was written and the others may say something else.
        not_attempted=("not_attempted", "any"),
        by_hand=("by_hand", "any"),
    ).reset_index()
    found["share"] = (found.score / found.max_score.where(found.max_score > 0)).mask(found.waits)
    found["full"] = found.share >= 1 - 1e-9
    return found.drop(columns=["score", "max_score", "waits"])


def difficulty(tests: pd.DataFrame) -> pd.DataFrame:
    """Say how hard each exercise was.

    Returns:
        One row for each exercise: ``submissions`` that have a mark for it, and the shares of ``full`` marks, of
        ``partly`` right, of ``wrong`` and of ``not_attempted`` answers among them, which add up to 1, and
        ``points``, the share of all possible points.
    """
    rows = by_exercise(tests)
    marked = rows[rows.share.notna()]
    marked = marked.assign(
        not_attempted=marked.not_attempted.astype(bool) & ~marked.full.astype(bool),
        partly=(marked.share > 0) & ~marked.full.astype(bool) & ~marked.not_attempted.astype(bool),
    )
    marked["wrong"] = ~marked.full.astype(bool) & ~marked.partly & ~marked.not_attempted
    found = marked.groupby(_KEYS, observed=True, sort=False).agg(
        exercise=("exercise", "first"),
        submissions=("share", "size"),
        full=("full", "mean"),
        partly=("partly", "mean"),
        wrong=("wrong", "mean"),
        not_attempted=("not_attempted", "mean"),
        points=("share", "mean"),
    )
    return found.reset_index()


def discrimination(tests: pd.DataFrame) -> pd.DataFrame:
    """Say how well each exercise separates those who know the matter from those who do not.

    The measure is the item-rest correlation, also called corrected point-biserial correlation: between the share of
    points in the exercise and the mean share in the other exercises of the assignment, over the submissions.

    Returns:
        One row for each exercise that has marks, with ``correlation``, its 95 % interval ``low`` to ``high`` (by
        Fisher's transformation), the number of ``submissions``, and a ``verdict`` in words. The correlation is
        missing where there are fewer than `TOO_FEW` submissions, or where all have the same points.
    """
    rows = by_exercise(tests)
    found = []
    for assignment, part in rows.groupby("assignment", observed=True, sort=False):
        order = part[part.share.notna()].drop_duplicates("answer")
        shares = part.pivot(index="student", columns="answer", values="share").astype(float)
        for answer, exercise in zip(order.answer, order.exercise, strict=True):
            rest = shares.drop(columns=answer).mean(axis=1)
            both = shares[answer].notna() & rest.notna()
            found.append((assignment, answer, exercise, *_correlation(shares[answer][both], rest[both])))
    columns = [*_KEYS, "exercise", "submissions", "correlation", "low", "high", "verdict"]
    return pd.DataFrame(found, columns=columns)


def _correlation(item: pd.Series, rest: pd.Series) -> tuple[int, float, float, float, str]:
    count = len(item)
    if count < TOO_FEW:
        return count, np.nan, np.nan, np.nan, f"too few submissions to say (fewer than {TOO_FEW})"
    if item.nunique() < 2:
        return count, np.nan, np.nan, np.nan, "all got the same points, so it separates nobody"
    if rest.nunique() < 2:
        return count, np.nan, np.nan, np.nan, "all got the same points elsewhere, so there is nothing to compare with"
    r = float(np.corrcoef(item, rest)[0, 1])
    half = 1.96 / np.sqrt(count - 3)
    z = np.arctanh(np.clip(r, -0.999999, 0.999999))
    low, high = float(np.tanh(z - half)), float(np.tanh(z + half))
    return count, r, low, high, _verdict(r, high) + (" (roughly: a small class)" if count < ENOUGH else "")


def _verdict(r: float, high: float) -> str:
    if high < 0:
        return "the stronger students fail it more often: check the exercise and its tests"
    if r < LITTLE:
        return "tells little about who knows the matter"
    return "separates well" if r >= 0.4 else "separates"


def shares(submissions: pd.DataFrame) -> pd.DataFrame:
    """Add ``share``, the score over what could be marked so far, to the graded submissions."""
    graded = submissions[submissions.state == "graded"]
    possible = graded.max_score - graded.by_hand
    return graded.assign(share=(graded.score / possible.where(possible > 0)).clip(0))


def slowest(tests: pd.DataFrame, most: int = 10) -> pd.DataFrame:
    """The tests that took the grader longest: median, longest and total time in seconds, longest total first."""
    timed = tests[tests.seconds > 0]
    found = timed.groupby(["assignment", "test"], observed=True).seconds.agg(["median", "max", "sum"])
    return found.sort_values("sum", ascending=False).head(most).reset_index()
