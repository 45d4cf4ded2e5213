"""Submissions too much alike to be independent: a reason to look, not a verdict.

Many students rightly write the same two lines, so that two answers are equal says little by itself. What counts is how
rare it is: an answer like those of k of the other n - 1 students comes from one of them by chance with a probability of
about k / (n - 1). Its *evidence* is the logarithm to base 2 of the inverse, in bits, and the evidence of a pair of
submissions is the sum over the exercises that they answer alike.

How much is too much? If a student's answer to each exercise is met by chance with such a probability, and in the
exercises independently of each other, then the probability that a pair has at least so much evidence is known. Times
the number of pairs it is the number of such pairs that chance brings. A pair is listed if it is at most `BY_CHANCE`.
People have habits, which make exercises depend on each other; that is one reason why this is not a verdict.

Answers are compared without comments, docstrings, formatting and the names that the student chose, and without regard
to the order of lines. What the assignment gives is left out. For each pair that is found, copydetect
(https://pypi.org/project/copydetect/, the method of Stanford's MOSS) says how much of one text is in the other. It
works on this machine alone; nothing is sent anywhere.
"""

from __future__ import annotations

import ast
import io
import math
import re
import warnings
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
from scipy import sparse

# Answers are alike from this share of common pieces on.
ALIKE = 0.8
# Tokens of a piece.
PIECE = 4
# An answer with fewer pieces of its own is too short to compare.
SHORTEST = 8
# A pair is looked at if it shares a piece that at most so many answers hold. Larger groups of equal answers are no
# evidence in a large class, and would make the time grow with the square of the class.
RARE = 40
# A pair is listed if chance brings at most so many as much alike in such a class.
BY_CHANCE = 0.01
# In a smaller class nobody knows which answers are common.
SMALLEST = 10
# Characters of an answer that are compared.
MOST_TEXT = 20_000
# Pairs that are examined closely in one assignment.
MOST_PAIRS = 2000
# Precision of evidence, in bits.
_STEP = 0.05
# Rows of one block of the comparison of all with all.
_BLOCK = 2000
# copydetect's pieces, in characters of its own normal form, where a name is one character.
_COPYDETECT_PIECE = 10

_TOKEN = re.compile(r"\w+|[^\w\s]")
_COLUMNS = ["assignment", "a", "b", "alike", "compared", "by_chance", "exercises"]


def pieces(source: str) -> frozenset[str]:
    """The pieces of an answer: runs of `PIECE` tokens in each line, after all that a copier changes is taken out."""
    found = set()
    for line in _normal_form(source).splitlines():
        tokens = ["^", *_TOKEN.findall(line), "$"]
        found.update(" ".join(tokens[i : i + PIECE]) for i in range(max(1, len(tokens) - PIECE + 1)))
    return frozenset(found)


def probability(chances: Sequence[float], bits: float) -> float:
    """How probable it is that a pair has at least so much evidence by chance.

    Args:
        chances: for each exercise that both answered, how often the answer is met by chance.
        bits: the evidence.
    """
    # Rounded up in steps, so that the sums are few; the probability comes out slightly too large.
    steps = [math.ceil(-math.log2(chance) / _STEP - 1e-9) for chance in chances]
    sums = np.zeros(sum(steps) + 1)
    sums[0] = 1.0
    for step, chance in zip(steps, chances, strict=True):
        moved = np.zeros_like(sums)
        moved[step:] = sums[: len(sums) - step]
        sums = (1 - chance) * sums + chance * moved
    return float(sums[math.floor(bits / _STEP + 1e-9) :].sum())


def large_enough(students: int, exercises: int) -> bool:
    """Whether a class is so large that a pair could be found at all."""
    return students >= SMALLEST and math.comb(students, 2) <= BY_CHANCE * (students - 1) ** exercises


def pairs(answers: pd.DataFrame, stubs: dict[tuple[str, str], str]) -> pd.DataFrame:
    """Find pairs of submissions that are too much alike to be independent.

    Args:
        answers: as in `results.ClassResults`.
        stubs: as there.

    Returns:
        One row for each pair in each assignment, the least probable first: the students ``a`` and ``b``, in how many
        exercises they are ``alike`` of those ``compared``, how many pairs as much alike come ``by_chance`` in such a
        class, and the ``exercises`` that are alike: ids of answer cells, rarest first, with the number of students
        whose answers are like it, these two among them.
    """
    found = [
        _pairs_of(assignment, part, stubs)
        for assignment, part in answers.groupby("assignment", observed=True, sort=True)
    ]
    found = [frame for frame in found if len(frame)]
    if not found:
        return pd.DataFrame(columns=_COLUMNS)
    return pd.concat(found).sort_values("by_chance", kind="stable").reset_index(drop=True)


def overlap(a: str, b: str, given: str = "") -> tuple[float, float]:
    """Say with copydetect which share of the text `a` is in `b`, and of `b` in `a`, apart from what was `given`."""
    from copydetect import CodeFingerprint, compare_files  # imported here: it takes a second

    def fingerprint(text: str, without: Iterable[int] = ()) -> CodeFingerprint:
        # A window of 1 takes all pieces: answers are too short to leave any out.
        return CodeFingerprint(
            "answer.py", _COPYDETECT_PIECE, 1, boilerplate=list(without), language="python", fp=io.StringIO(text)
        )

    common = fingerprint(given).hashes
    _, shares, _ = compare_files(fingerprint(a, common), fingerprint(b, common))
    return float(shares[0]), float(shares[1])


class _Exercise:
    """All answers to one exercise. Answers with the same pieces are one form."""

    def __init__(self, name: str, students: list[str], sets: list[frozenset[str]], numbers: dict[str, int]) -> None:
        forms: dict[frozenset[str], int] = {}
        self.name = name
        self.form_of = np.array([forms.setdefault(held, len(forms)) for held in sets], dtype=np.int64)
        self.students = np.array([numbers[student] for student in students], dtype=np.int64)
        self.weights = np.bincount(self.form_of, minlength=len(forms))
        self.sizes = np.array([len(held) for held in forms], dtype=np.int64)
        columns: dict[str, int] = {}
        cells = [columns.setdefault(piece, len(columns)) for held in forms for piece in held]
        starts = np.concatenate([[0], np.cumsum(self.sizes)])
        ones = np.ones(len(cells), dtype=np.int32)
        self.holds = sparse.csr_matrix((ones, cells, starts), shape=(len(forms), len(columns)))
        self._counts: dict[int, int] = {}

    def alike(self) -> pd.DataFrame:
        """Pairs of forms that are alike and share a rare piece.

        A form that a few students gave makes a pair with itself. ``count`` is the least number of students who gave
        an answer like it: those found here.
        """
        frequency = self.weights @ self.holds
        rare = self.holds[:, np.flatnonzero(frequency <= RARE)]
        lefts, rights = [], []
        for start in range(0, rare.shape[0], _BLOCK):
            shared = (rare[start : start + _BLOCK] @ rare.T).tocoo()
            left, right = shared.row + start, shared.col
            upper = left < right
            lefts.append(left[upper])
            rights.append(right[upper])
        left, right = np.concatenate(lefts), np.concatenate(rights)
        near = self._similarity(left, right) >= ALIKE
        left, right = left[near], right[near]
        count = self.weights.copy()
        np.add.at(count, left, self.weights[right])
        np.add.at(count, right, self.weights[left])
        itself = np.flatnonzero((self.weights > 1) & (self.weights <= RARE))
        left, right = np.concatenate([left, itself]), np.concatenate([right, itself])
        return pd.DataFrame({"form_a": left, "form_b": right, "count": np.maximum(count[left], count[right])})

    def _similarity(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """Share of common pieces, for pairs of forms."""
        parts = [
            np.asarray(self.holds[left[i : i + 100_000]].multiply(self.holds[right[i : i + 100_000]]).sum(axis=1))
            for i in range(0, len(left), 100_000)
        ]
        common = np.concatenate(parts).ravel() if parts else np.zeros(0)
        return common / (self.sizes[left] + self.sizes[right] - common)

    def count(self, form: int) -> int:
        """How many students gave an answer like this form, whoever gave it among them."""
        if form not in self._counts:
            common = (self.holds @ self.holds[form].T).toarray().ravel()
            near = common / (self.sizes + self.sizes[form] - common) >= ALIKE
            self._counts[form] = int(self.weights[near].sum())
        return self._counts[form]


def _pairs_of(assignment: str, answers: pd.DataFrame, stubs: dict[tuple[str, str], str]) -> pd.DataFrame:
    names = sorted(answers.student.unique())
    numbers = {name: number for number, name in enumerate(names)}
    exercises = list(_exercises(assignment, answers, stubs, numbers))
    if not large_enough(len(names), len(exercises)):
        return pd.DataFrame(columns=_COLUMNS)
    candidates = [_student_pairs(exercise, number) for number, exercise in enumerate(exercises)]
    table = pd.concat(candidates)
    table["bits"] = np.log2((len(names) - 1) / (table["count"] - 1))
    bound = table.groupby(["a", "b"]).bits.sum()
    # Evidence of so many bits has at least the probability of 2 to the power of minus so many.
    bound = bound[bound >= math.log2(math.comb(len(names), 2) / BY_CHANCE)]
    bound = bound.sort_values(ascending=False, kind="stable").head(MOST_PAIRS)
    table = table.merge(bound.rename("bound").reset_index()[["a", "b"]], on=["a", "b"])
    return _weigh(assignment, names, exercises, table)


def _exercises(
    assignment: str, answers: pd.DataFrame, stubs: dict[tuple[str, str], str], numbers: dict[str, int]
) -> Iterable[_Exercise]:
    for name, part in answers.groupby("answer", observed=True, sort=True):
        given = pieces(stubs.get((assignment, name), ""))
        known = {text: pieces(text) - given for text in part.text.unique()}
        held = [(student, known[text]) for student, text in zip(part.student, part.text, strict=True)]
        held = [(student, found) for student, found in held if len(found) >= SHORTEST]
        if len(held) > 1:
            yield _Exercise(name, [student for student, _ in held], [found for _, found in held], numbers)


def _student_pairs(exercise: _Exercise, number: int) -> pd.DataFrame:
    """Pairs of students whose answers are alike, as numbers, with the forms of their answers."""
    given = pd.DataFrame({"student": exercise.students, "form": exercise.form_of})
    found = exercise.alike().merge(given.rename(columns={"student": "a", "form": "form_a"}), on="form_a")
    found = found.merge(given.rename(columns={"student": "b", "form": "form_b"}), on="form_b")
    same = found.form_a == found.form_b
    found = found[(found.a != found.b) & (~same | (found.a < found.b))]
    swapped = found.a > found.b
    found.loc[swapped, ["a", "b", "form_a", "form_b"]] = found.loc[swapped, ["b", "a", "form_b", "form_a"]].to_numpy()
    return found.assign(exercise=number)


def _weigh(assignment: str, names: list[str], exercises: list[_Exercise], table: pd.DataFrame) -> pd.DataFrame:
    form_of = [dict(zip(exercise.students, exercise.form_of, strict=True)) for exercise in exercises]
    found = []
    for (a, b), rows in table.groupby(["a", "b"]):
        both = [number for number, forms in enumerate(form_of) if a in forms and b in forms]
        counts = {number: max(exercises[number].count(form_of[number][who]) for who in (a, b)) for number in both}
        # What nobody else wrote could have been written by one.
        chances = {number: max(1, count - 1) / (len(names) - 1) for number, count in counts.items()}
        alike = sorted(rows.exercise, key=chances.__getitem__)
        bits = -sum(math.log2(chances[number]) for number in alike)
        by_chance = math.comb(len(names), 2) * probability([*chances.values()], bits)
        if by_chance <= BY_CHANCE:
            which = [(exercises[number].name, counts[number]) for number in alike]
            found.append((assignment, names[a], names[b], len(alike), len(both), by_chance, which))
    return pd.DataFrame(found, columns=_COLUMNS)


def _normal_form(source: str) -> str:
    """An answer without comments, docstrings and formatting, and with one name for all names that it binds."""
    source = source[:MOST_TEXT]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python's warnings are about the student's code
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        # It never ran. What is there can still be compared, without comments and spaces.
        lines = (line.partition("#")[0].strip() for line in source.splitlines())
        return "\n".join(line for line in lines if line)
    try:
        bound = {name for node in ast.walk(tree) for name in _binds(node)}
        return ast.unparse(_Plain(bound).visit(tree))
    except (RecursionError, ValueError):  # too deep, or a number too long to write
        return source


def _binds(node: ast.AST) -> Iterable[str]:
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name


class _Plain(ast.NodeTransformer):
    """Takes docstrings out and gives all names that the answer binds one name."""

    def __init__(self, bound: set[str]) -> None:
        self._bound = bound

    def visit(self, node: ast.AST) -> ast.AST:
        """Rewrite a node and all below it."""
        body = getattr(node, "body", None)
        if isinstance(body, list) and len(body) > 1:
            node.body = [part for part in body if not _is_text(part)] or body
        self.generic_visit(node)
        for name in ("id", "arg", "name"):
            if getattr(node, name, None) in self._bound:
                setattr(node, name, "V")
        return node


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
