"""Which misunderstandings are behind wrong answers: messages that say the same, counted once for each student."""

from __future__ import annotations

import re

import pandas as pd

from autograder.grading.record import NOT_ATTEMPTED, PARTIAL, WRONG

# A number of its own; the 64 of float64 is a part of a name.
_NUMBER = re.compile(r"(?<![\w.])[-+]?(\d[\d_]*\.?\d*|\.\d+)(e[-+]?\d+)?(?!\w)", re.IGNORECASE)
_LIST = re.compile(r"#(,? (and )?#)+,?")
_ONE_OR_MANY = re.compile(r"\b([a-z]{2,})s(?= #)")
# Quoted, and not the apostrophe of "Python's".
_QUOTED = re.compile(r"""(?<!\w)(["'])(?:(?!\1).)*\1(?!\w)""")
_TIMES = re.compile(r"\b(once|twice|# times)\b")


def pattern(message: str) -> str:
    """What is left of a message without the student's own lines and values: equal for the same mistake.

    Examples:
        >>> pattern("Look at rows 1, 2: 'a' is not 'b'.\\n  line 3: return x")
        'Look at row #: … is not ….'
    """
    # The lines of the student's code start with a space.
    text = " ".join(line.strip() for line in message.splitlines() if not line.startswith(" "))
    text = _LIST.sub("#", _NUMBER.sub("#", _QUOTED.sub("…", text)))
    return _TIMES.sub("# times", _ONE_OR_MANY.sub(r"\1", text))


def frequent(tests: pd.DataFrame, answers: pd.DataFrame, most: int | None = 10) -> pd.DataFrame:
    """The misconceptions of a class, most frequent first.

    Args:
        tests: as in `results.ClassResults`.
        answers: as there.
        most: number of rows; all if None.

    Returns:
        One row for each exercise and pattern: ``students``, how many got such a message; ``share``, of those who tried
        the exercise; ``message``, the one that most of them got; and ``example``, the answer that most of them gave, or
        the shortest of these.
    """
    columns = ["assignment", "answer", "exercise", "students", "share", "message", "example"]
    wrong = tests[tests.outcome.isin([WRONG, PARTIAL]) & tests.message.notna()]
    if wrong.empty:
        return pd.DataFrame(columns=columns)
    # Each text once: a class shares most of its messages.
    patterns = {message: pattern(message) for message in wrong.message.unique()}
    wrong = wrong.assign(pattern=wrong.message.astype(object).map(patterns))
    keys = ["assignment", "answer", "pattern"]
    wrong = wrong.drop_duplicates(["student", *keys])
    counts = wrong.groupby(keys, observed=True, sort=False).size().rename("students").reset_index()
    # The sort is stable: of equally frequent ones, the first in the notebook stays first.
    counts = counts.sort_values("students", ascending=False, kind="stable").head(most)
    tried = tests[tests.outcome != NOT_ATTEMPTED].groupby(["assignment", "answer"], observed=True).student.nunique()
    rows = wrong.merge(counts[keys], on=keys)
    rows = rows.merge(answers, on=["student", "assignment", "answer"], how="left")
    found = []
    groups = dict(list(rows.groupby(keys, observed=True)))
    for assignment, answer, kind, students in counts.itertuples(index=False):
        group = groups[assignment, answer, kind]
        texts = group.text.astype(object).dropna().value_counts()
        likely = texts[texts == texts.max()].index if len(texts) else [""]
        share = students / tried[assignment, answer]
        message = group.message.astype(object).value_counts().index[0]
        example = min(likely, key=lambda text: (len(text), text))
        found.append((assignment, answer, group.exercise.iloc[0], students, share, message, example))
    return pd.DataFrame(found, columns=columns)
