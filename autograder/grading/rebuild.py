"""Put the answers of a submission into the assignment's own cells.

What is graded is made from the assignment: its cells, in its order, with its settings. From the submission come the
text of the answer cells and the student's own extra cells. So it does not matter which cells were deleted, copied,
moved or edited, and each such change is reported in a sentence.

A submitted cell is recognised by its marks, which are nbgrader's ``grade_id`` and the id of the cell; where these are
lost, by its text, and only where that is certain.
"""

from __future__ import annotations

import ast
import copy
import itertools
import re
import symtable
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import NbGraderPreprocessor

from autograder.examiner.texts import clean
from autograder.grading.intake import pictures
from autograder.grading.template import template_of

_FLAGS = ("grade", "locked", "solution", "task")
_SETTINGS = ("grade_id", *_FLAGS, "points", "schema_version")
# The body of a cell with another magic is not Python of the notebook: it goes to a file, to a shell, to a browser.
_PYTHON_MAGICS = ("%%time", "%%capture")


class Rebuild(NbGraderPreprocessor):
    """nbgrader's first step of autograding here, in place of its repair of single cells."""

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict[str, Any]]:
        """Return the rebuilt notebook; its metadata list the changes under ``autograder.problems``."""
        names = resources["nbgrader"]
        folder = CourseDirectory(parent=self)
        template = template_of(self, names["assignment"], names["notebook"])
        handed_in = folder.format_path(folder.submitted_directory, names.get("student", "."), names["assignment"])
        if Path(handed_in, f"{names['notebook']}.ipynb").is_symlink():
            nb = nbformat.v4.new_notebook()  # somebody else's, perhaps
        rebuilt, problems = rebuild(nb, template.stubs, template.released)
        rebuilt.metadata["autograder"] = {"problems": problems}
        return rebuilt, resources


def rebuild(submitted: NotebookNode, template: NotebookNode, released: NotebookNode) -> tuple[NotebookNode, list[str]]:
    """Make the notebook to grade.

    Args:
        submitted: what the student handed in; whatever its metadata hold, this raises nothing.
        template: the assignment with stubs for answers, and with its hidden tests.
        released: the assignment as students received it.

    Returns:
        The notebook to grade, and a sentence for each change that was found. Made from a notebook that was made by
        this function, it is the same notebook, and there are no sentences.
    """
    assignment = _Assignment.of(template, released)
    theirs = _theirs(submitted)
    match = _match(assignment, theirs)
    items = _in_order(assignment, theirs, match)
    items, used = _bring_up(assignment, items)
    problems = _problems(assignment, theirs, match, used)
    _give_ids(items)
    cells = [item.cell for item in items]
    return nbformat.v4.new_notebook(cells=cells, metadata=copy.deepcopy(template.metadata)), problems


@dataclass
class _Assignment:
    """The assignment's cells by key, in order. A key is the cell's grade_id, or its id if it has no role."""

    cells: dict[str, NotebookNode]
    texts: dict[str, set[str]]  # released, and with hidden tests
    ids: dict[str, str]  # key by id of the cell
    names: dict[str, frozenset[str]]  # what the stub of a code answer defines

    @classmethod
    def of(cls, template: NotebookNode, released: NotebookNode) -> _Assignment:
        cells = {_key(cell, number): cell for number, cell in enumerate(template.cells)}
        texts = {key: {_text(cell.source)} for key, cell in cells.items()}
        for number, cell in enumerate(released.cells):
            texts.setdefault(_key(cell, number), set()).add(_text(cell.source))
        ids = {cell.id: key for key, cell in cells.items() if cell.get("id")}
        names = {
            key: _definitions(cell.source)
            for key, cell in cells.items()
            if _role(cell).get("solution") and cell.cell_type == "code"
        }
        return cls(cells, texts, ids, names)

    def role(self, key: str) -> dict[str, Any]:
        return _role(self.cells[key])

    def is_answer(self, key: str) -> bool:
        return bool(self.role(key).get("solution"))

    def is_test(self, key: str) -> bool:
        return bool(self.role(key).get("grade")) and not self.is_answer(key)

    def is_untouched(self, key: str, cell: _Theirs) -> bool:
        return cell.text in self.texts[key]

    def tells_nothing_new(self, cell: _Theirs) -> bool:
        """Whether the cell is a test or a stub, word for word: as an own cell it would be noise."""
        return any(self.is_untouched(key, cell) for key in self.cells if self.is_test(key) or self.is_answer(key))


@dataclass
class _Theirs:
    """A submitted cell, with whatever it holds made safe to look at."""

    place: int
    kind: str
    source: str
    text: str
    id: str
    marks: dict[str, Any]  # nbgrader's metadata, if they are any
    tags: list[str]
    pictures: NotebookNode = field(default_factory=NotebookNode)  # pasted into a text


def _theirs(submitted: NotebookNode) -> list[_Theirs]:
    cells = submitted.get("cells")
    cells = [cell for cell in cells if isinstance(cell, dict)] if isinstance(cells, list) else []
    return [_safe(place, cell) for place, cell in enumerate(cells)]


def _safe(place: int, cell: dict[str, Any]) -> _Theirs:
    source, metadata = cell.get("source"), cell.get("metadata")
    if isinstance(source, list):
        source = "".join(map(str, source))
    source = clean(source) if isinstance(source, str) else ""
    metadata = metadata if isinstance(metadata, dict) else {}
    marks, tags = metadata.get("nbgrader"), metadata.get("tags") or []
    return _Theirs(
        place=place,
        kind=cell["cell_type"] if isinstance(cell.get("cell_type"), str) else "raw",
        source=source,
        text=_text(source),
        id=cell["id"] if isinstance(cell.get("id"), str) else "",
        marks=marks if isinstance(marks, dict) else {},
        tags=[str(tag) for tag in (tags if isinstance(tags, list) else [tags])],
        pictures=pictures(cell.get("attachments")),
    )


def _role(cell: NotebookNode) -> dict[str, Any]:
    return cell.metadata.get("nbgrader") or {}


def _key(cell: NotebookNode, number: int) -> str:
    return _role(cell).get("grade_id") or cell.get("id") or f"cell {number + 1}"


def _text(source: str) -> str:
    """The source without what an editor changes on its own."""
    return "\n".join(line.rstrip() for line in source.splitlines()).strip("\n")


@dataclass
class _Match:
    """Which submitted cells are which cells of the assignment, by their places."""

    claims: dict[str, list[int]] = field(default_factory=dict)  # all copies, in order
    by_text: set[str] = field(default_factory=set)  # keys that no mark led to
    lost: bool = False  # no cell with a role has a mark
    chosen: dict[str, int] = field(default_factory=dict)
    spot: dict[str, int] = field(default_factory=dict)  # where the cell stands; the answer may be in a later copy

    def claim(self, key: str, place: int) -> None:
        self.claims[key] = sorted([*self.claims.get(key, []), place])

    def claimed(self) -> dict[int, str]:
        return {place: key for key, places in self.claims.items() for place in places}


def _match(assignment: _Assignment, theirs: list[_Theirs]) -> _Match:
    match = _Match()
    for cell in theirs:
        if key := _marked(assignment, cell):
            match.claim(key, cell.place)
    marked = set(match.claims)
    match.lost = bool(theirs) and not any(assignment.role(key) for key in marked)
    _match_texts(assignment, theirs, match)
    while _match_places(assignment, theirs, match) or _match_names(assignment, theirs, match):
        pass  # each found cell can make the place of another one certain
    match.by_text = set(match.claims) - marked
    for key, places in match.claims.items():
        match.chosen[key] = _choose(assignment, key, [theirs[place] for place in places])
        match.spot[key] = places[0] if assignment.is_answer(key) else match.chosen[key]
    return match


def _marked(assignment: _Assignment, cell: _Theirs) -> str | None:
    name, by_id = cell.marks.get("grade_id"), assignment.ids.get(cell.id)
    by_name = name if isinstance(name, str) and name in assignment.cells and assignment.role(name) else None
    if by_name and by_id and by_name != by_id:
        return _settle(assignment, cell, by_name, by_id)
    return by_name or by_id


def _settle(assignment: _Assignment, cell: _Theirs, by_name: str, by_id: str) -> str:
    """The two marks contradict each other: let the text decide, then take care that no answer is lost."""
    for key in (by_name, by_id):
        if assignment.is_untouched(key, cell):
            return key
    answers = [key for key in (by_id, by_name) if assignment.is_answer(key)]
    defining = [key for key in answers if assignment.names.get(key, frozenset()) & _definitions(cell.source)]
    # A grade_id can be edited in JupyterLab, an id cannot.
    return [*defining, *answers, by_id][0]


def _match_texts(assignment: _Assignment, theirs: list[_Theirs], match: _Match) -> None:
    """Recognise cells whose text is, word for word, that of a cell of the assignment."""
    marked, claimed = set(match.claims), match.claimed()
    same_text: dict[str, list[_Theirs]] = {}
    for cell in theirs:
        if cell.text and cell.place not in claimed:
            same_text.setdefault(cell.text, []).append(cell)
    for text, cells in same_text.items():
        keys = [key for key in assignment.cells if text in assignment.texts[key]]
        missing = [key for key in keys if key not in marked]
        if len(keys) == 1 and (missing or assignment.is_test(keys[0]) or assignment.is_answer(keys[0])):
            for cell in cells:
                match.claim(keys[0], cell.place)
        elif len(missing) == len(cells):
            for key, cell in zip(missing, cells, strict=True):
                match.claim(key, cell.place)


def _candidates(theirs: list[_Theirs], match: _Match) -> list[_Theirs]:
    """Cells that may be answers without marks.

    If other cells have theirs, a cell that never had any is the student's own.
    """
    claimed = match.claimed()
    return [cell for cell in theirs if cell.place not in claimed and cell.text and (match.lost or cell.marks)]


def _match_places(assignment: _Assignment, theirs: list[_Theirs], match: _Match) -> bool:
    """Recognise an answer by its neighbours; return whether there was one.

    Between the nearest two recognised cells there must be one cell of this type in the assignment, and one in the
    submission.
    """
    keys = list(assignment.cells)
    for number, key in enumerate(keys):
        if key in match.claims or not assignment.is_answer(key):
            continue
        kind = assignment.cells[key].cell_type
        before = next((i for i in range(number - 1, -1, -1) if keys[i] in match.claims), -1)
        after = next((i for i in range(number + 1, len(keys)) if keys[i] in match.claims), len(keys))
        start = match.claims[keys[before]][0] if before >= 0 else -1
        end = match.claims[keys[after]][0] if after < len(keys) else len(theirs)
        missing = [other for other in keys[before + 1 : after] if assignment.cells[other].cell_type == kind]
        between = [c for c in _candidates(theirs, match) if start < c.place < end and c.kind == kind]
        if len(missing) == len(between) == 1 and not _defines_another(assignment, key, between[0]):
            match.claim(key, between[0].place)
            return True
    return False


def _defines_another(assignment: _Assignment, key: str, cell: _Theirs) -> bool:
    if cell.kind != "code":
        return False
    defined = _definitions(cell.source)
    others = frozenset().union(*(names for other, names in assignment.names.items() if other != key))
    return bool(defined & others) and not defined & assignment.names[key]


def _match_names(assignment: _Assignment, theirs: list[_Theirs], match: _Match) -> bool:
    """Recognise the only cell that defines what a stub defines, and nothing else; return whether there was one."""
    for key, names in assignment.names.items():
        if key in match.claims or not names:
            continue
        defining = [c for c in _candidates(theirs, match) if c.kind == "code" and names <= _definitions(c.source)]
        if len(defining) == 1 and _definitions(defining[0].source) == names:
            match.claim(key, defining[0].place)
            return True
    return False


def _choose(assignment: _Assignment, key: str, copies: list[_Theirs]) -> int:
    """Which of the copies counts: the last answer that was written, or the first cell that was left as it was."""
    if assignment.is_answer(key):
        return next((c.place for c in reversed(copies) if _is_written(assignment, key, c)), copies[0].place)
    return next((c.place for c in copies if assignment.is_untouched(key, c)), copies[0].place)


def _is_written(assignment: _Assignment, key: str, cell: _Theirs) -> bool:
    return bool(cell.text) and not assignment.is_untouched(key, cell)


@dataclass
class _Item:
    """A cell of the notebook to grade."""

    cell: NotebookNode
    place: int  # in the submission; -1 if it was not there
    key: str | None = None  # None for an own cell

    @property
    def text(self) -> str:
        return _text(self.cell.source)

    def binds(self) -> frozenset[str]:
        return _bindings(self.cell.source) if self.cell.cell_type == "code" else frozenset()


def _in_order(assignment: _Assignment, theirs: list[_Theirs], match: _Match) -> list[_Item]:
    """The assignment's cells in their order, each followed by the own cells that followed it in the submission."""
    earlier, following = _own_cells(assignment, theirs, match)
    items = following.pop(None, [])
    for key, original in assignment.cells.items():
        cell, place = copy.deepcopy(original), match.chosen.get(key, -1)
        if place >= 0 and (not assignment.role(key) or assignment.is_answer(key)):
            cell.source = theirs[place].source
            if cell.cell_type == "markdown" and theirs[place].pictures:
                cell.attachments = theirs[place].pictures
        items += [*earlier.get(key, []), _Item(cell, place, key), *following.get(key, [])]
    return items


def _own_cells(
    assignment: _Assignment, theirs: list[_Theirs], match: _Match
) -> tuple[dict[str, list[_Item]], dict[str | None, list[_Item]]]:
    """Own cells by the answer that they precede, and by the cell that they follow."""
    claimed, keys_at = match.claimed(), {place: key for key, place in match.spot.items()}
    earlier: dict[str, list[_Item]] = {}
    following: dict[str | None, list[_Item]] = {}
    before = None
    for cell in theirs:
        key = claimed.get(cell.place)
        if key is None or cell.place != match.chosen[key]:
            item = _Item(_plain(cell), cell.place)
            if key is None:
                following.setdefault(before, []).append(item)
            elif _is_kept(assignment, key, cell, theirs[match.chosen[key]]):
                # JupyterLab copies the marks when it splits a cell: the first part must run, and must not come last.
                group = earlier.setdefault(key, []) if assignment.is_answer(key) else following.setdefault(before, [])
                group.append(item)
        before = keys_at.get(cell.place, before)
    return earlier, following


def _is_kept(assignment: _Assignment, key: str, cell: _Theirs, chosen: _Theirs) -> bool:
    """Whether a copy stays in the notebook, as an own cell."""
    if assignment.tells_nothing_new(cell):
        return False
    if assignment.is_answer(key):
        return bool(cell.text) and cell.text != chosen.text
    # Given code is kept: who runs it again may have redefined something in between.
    return not (assignment.role(key) and cell.kind == "markdown" and assignment.is_untouched(key, cell))


def _plain(cell: _Theirs) -> NotebookNode:
    """An own cell with its text and nothing else: no metadata, no tags, no outputs, no attachments."""
    if cell.kind == "code":
        return nbformat.v4.new_code_cell(cell.source)
    if cell.kind == "markdown":
        return nbformat.v4.new_markdown_cell(cell.source)
    # A raw cell goes into the feedback page unchanged, as HTML or whatever it claims to be; what a student wrote there
    # should be seen all the same, and as it was typed.
    longest = max((len(ticks) for ticks in re.findall("`+", cell.source)), default=0)
    fence = "`" * max(3, longest + 1)
    return nbformat.v4.new_markdown_cell(f"{fence}\n{cell.source}\n{fence}")


def _give_ids(items: list[_Item]) -> None:
    """Give the cells that are not the assignment's new ids, the same in each run."""
    taken = {item.cell.get("id") for item in items if item.key}
    free = (name for number in itertools.count(1) if (name := f"own-cell-{number}") not in taken)
    for item in items:
        if item.key is None or not item.cell.get("id"):
            item.cell["id"] = next(free)


def _bring_up(assignment: _Assignment, items: list[_Item]) -> tuple[list[_Item], dict[str, list[str]]]:
    """Move own cells that define an answer's names to directly after its cell, where its tests see them.

    Returns:
        The cells, and the names that are defined further down, by key.
    """
    used: dict[str, list[str]] = {}
    # Ends: no cell comes twice to the same answer.
    while moves := {key: found for key in assignment.names if (found := _definers(assignment, items, key))}:
        for key, numbers in moves.items():
            bound = frozenset().union(*(items[number].binds() for number in numbers))
            used.setdefault(key, sorted(bound & assignment.names[key]))
        items = _moved(assignment, items, moves)
    return items, used


def _definers(assignment: _Assignment, items: list[_Item], key: str) -> list[int]:
    """Numbers of the own cells which define the names of an answer, and which do not stand right behind it."""
    answer, group = _group(items, key)
    seen = {items[number].text for number in (answer, *group)}
    place = items[answer].place
    return [
        number
        for number, item in enumerate(items)
        if item.key is None
        and number not in group
        and (number > answer or item.place > place)  # place is -1, before all others, if the answer was not there
        and item.text not in seen
        and item.binds() & assignment.names[key]
    ]


def _group(items: list[_Item], key: str) -> tuple[int, range]:
    """The number of a cell, and those of the own cells right behind it."""
    number = next(number for number, item in enumerate(items) if item.key == key)
    end = next((n for n in range(number + 1, len(items)) if items[n].key), len(items))
    return number, range(number + 1, end)


def _moved(assignment: _Assignment, items: list[_Item], moves: dict[str, list[int]]) -> list[_Item]:
    moves = {key: _with_helpers(items, key, numbers) for key, numbers in moves.items()}
    gone = {number for numbers in moves.values() for number in numbers} - _answering(assignment, items)
    new: list[_Item] = []
    for key, numbers in _runs(items):
        new += [items[number] for number in numbers if number not in gone]
        new += [copy.deepcopy(items[number]) for number in moves.get(key, [])]  # several answers may need it
    for place, item in enumerate(new):
        item.place = place
    return new


def _runs(items: list[_Item]) -> Iterator[tuple[str | None, list[int]]]:
    """The cells in runs: one of the assignment's, with the own cells right behind it."""
    key, run = None, []
    for number, item in enumerate(items):
        if item.key:
            yield key, run
            key, run = item.key, []
        run.append(number)
    yield key, run


def _answering(assignment: _Assignment, items: list[_Item]) -> set[int]:
    """Numbers of the own cells which stand right behind an answer and define its names: they are needed there."""
    return {
        number
        for key, names in assignment.names.items()
        for number in _group(items, key)[1]
        if items[number].binds() & names
    }


def _with_helpers(items: list[_Item], key: str, numbers: list[int]) -> list[int]:
    """Add the later own cells that define what the cells to be moved use."""
    answer, group = _group(items, key)
    seen = {items[number].text for number in (answer, *group)}
    later = [n for n in range(group.stop, len(items)) if items[n].key is None and items[n].text not in seen]
    binders: dict[str, list[int]] = {}
    for number in later:
        for name in items[number].binds():
            binders.setdefault(name, []).append(number)
    needed, waiting = set(numbers), list(numbers)
    while waiting:
        for name in _reads(items[waiting.pop()].cell.source):
            more = [number for number in binders.get(name, []) if number not in needed]
            needed.update(more)
            waiting += more
    return sorted(needed)


@lru_cache(maxsize=256)
def _parsed(source: str) -> tuple[str, ast.Module] | None:
    """The Python of a cell, without magics, as text and as a tree; None if it is none."""
    lines = source.strip().splitlines()
    if lines and lines[0].startswith("%%") and lines[0].split()[0] not in _PYTHON_MAGICS:
        return None
    without_magics = "\n".join(line for line in lines if not line.lstrip().startswith(("%", "!")))
    for text in (source, without_magics):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                symtable.symtable(text, "<cell>", "exec")  # finds more errors than the parser
                return text, ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
    return None


def _definitions(source: str) -> frozenset[str]:
    """Names that code defines at top level by def, class or assignment."""
    parsed = _parsed(source)
    return frozenset(name for node in _top_level(parsed[1].body) for name in _defined(node)) if parsed else frozenset()


def _bindings(source: str) -> frozenset[str]:
    """Names that code defines or imports at top level."""
    parsed = _parsed(source)
    nodes = list(_top_level(parsed[1].body)) if parsed else []
    imports = [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
    imported = {(alias.asname or alias.name).split(".")[0] for node in imports for alias in node.names}
    return _definitions(source) | imported


def _top_level(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements that run in the module's scope, also those below ``if``, ``try``, ``with`` and loops."""
    waiting: list[Any] = list(body)  # a long chain of elif is nested too deep for a recursion
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.stmt):
            yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            for part in ("body", "orelse", "finalbody", "handlers", "cases"):
                waiting += getattr(node, part, [])


def _defined(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
        return set()
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    stored = [n for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)]
    names = {name.id for name in stored if isinstance(name.ctx, ast.Store)}
    if isinstance(node.value, ast.Lambda):
        return names
    # f = f(2) keeps a result of f under its name: it is no new definition of f.
    calls = [n.func.id for n in ast.walk(node.value) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)]
    return names - set(calls)


@lru_cache(maxsize=1024)
def _reads(source: str) -> frozenset[str]:
    """Global names that code uses, functions included."""
    parsed = _parsed(source)
    if not parsed:
        return frozenset()
    tables, names = [symtable.symtable(parsed[0], "<cell>", "exec")], set()
    while tables:
        table = tables.pop()
        tables += table.get_children()
        at_top = table.get_type() == "module"
        names |= {s.get_name() for s in table.get_symbols() if s.is_referenced() and (at_top or s.is_global())}
    return frozenset(names)


def _problems(assignment: _Assignment, theirs: list[_Theirs], match: _Match, used: dict[str, list[str]]) -> list[str]:
    unfound = [
        key
        for key in assignment.cells
        if assignment.is_answer(key)
        and not (key in match.chosen or key in used)
        and _may_be_there(assignment, key, theirs, match)
    ]
    # A sentence for each of these says that the marks were lost.
    problems = [] if unfound else _lost_marks(assignment, theirs, match)
    for key in assignment.cells:
        if key in match.chosen:
            cells = [theirs[place] for place in match.claims[key]]
            problems += _copies(assignment, key, cells, theirs[match.chosen[key]])
            problems += _changes(assignment, key, theirs[match.chosen[key]], key in match.by_text)
        elif assignment.role(key) and key not in used:
            problems.append(_missing(assignment, key, theirs, match))
        if key in used:
            problems.append(_defined_elsewhere(assignment, key, theirs, match, used[key]))
    found = [match.spot[key] for key in assignment.cells if key in match.spot]
    if found != sorted(found):
        problems.append("Cells were moved; they were run in the order of the assignment.")
    return problems + _dropped_tags(assignment, theirs, match)


def _lost_marks(assignment: _Assignment, theirs: list[_Theirs], match: _Match) -> list[str]:
    found = [key for key in assignment.cells if key in match.chosen and assignment.role(key)]
    by_text = [key for key in found if key in match.by_text]
    stripped = [key for key in found if key not in by_text and not theirs[match.chosen[key]].marks]
    problems = []
    if by_text and match.lost:
        problems.append("The notebook had lost its cell metadata; its cells were recognised by their text.")
    elif by_text:
        what = "they were recognised by their" if len(by_text) > 1 else "it was recognised by its"
        problems.append(f"The metadata of the {_cells(by_text)} were lost; {what} text.")
    if stripped and stripped == found:
        problems.append("The notebook had lost its cell metadata; its cells were recognised by their ids.")
    elif stripped:
        problems.append(f"The settings of the {_cells(stripped)} were lost; the original ones were used.")
    return problems


def _copies(assignment: _Assignment, key: str, cells: list[_Theirs], chosen: _Theirs) -> list[str]:
    if len(cells) == 1 or not assignment.role(key):
        return []
    others = [cell for cell in cells if cell is not chosen]
    kept = [cell for cell in others if _is_kept(assignment, key, cell, chosen)]
    if assignment.is_answer(key):
        if kept:
            what = "the last one that you changed is the answer, the others were put before it"
        elif any(cell.text != chosen.text for cell in others):
            what = "the one that you changed is the answer"
        else:
            what = "the copies were left out"
        return [f"The answer cell {key} is there more than once; {what}."]
    what = "were run as ordinary cells" if kept else "were left out"
    if kept and len(kept) < len(others):
        what = "were left out, but edited ones were run as ordinary cells"
    return [f"The cell {key} is there more than once; the copies {what}."]


def _changes(assignment: _Assignment, key: str, cell: _Theirs, by_text: bool) -> list[str]:
    problems, kind = [], assignment.cells[key].cell_type
    if assignment.is_answer(key):
        if cell.kind != kind:
            taken = "taken as code" if kind == "code" else "taken as it stands"
            problems.append(f"The answer cell {key} was turned into a {cell.kind} cell; its text was {taken}.")
    elif assignment.role(key):
        if cell.kind != kind:
            problems.append(f"The cell {key} was turned into a {cell.kind} cell; the original was used.")
        if not assignment.is_untouched(key, cell):
            problems.append(f"The cell {key} was edited; the original was used.")
    changed = [] if by_text else _changed_settings(assignment, key, cell)
    if changed:
        problems.append(
            f"The settings of the cell {key} were changed ({', '.join(changed)}); the original ones were used."
        )
    return problems


def _changed_settings(assignment: _Assignment, key: str, cell: _Theirs) -> list[str]:
    original = assignment.role(key)
    if not original:  # nbgrader's toolbar leaves settings in such a cell that say no to everything
        return [name for name in _FLAGS if cell.marks.get(name)]
    default = dict.fromkeys(_FLAGS, False)
    if not cell.marks:
        return []
    return [n for n in _SETTINGS if cell.marks.get(n, default.get(n)) != original.get(n, default.get(n))]


def _may_be_there(assignment: _Assignment, key: str, theirs: list[_Theirs], match: _Match) -> bool:
    """Whether a cell that was not recognised may be among those that nothing is known about."""
    kind = assignment.cells[key].cell_type
    return match.lost and any(cell.kind == kind for cell in _candidates(theirs, match))


def _missing(assignment: _Assignment, key: str, theirs: list[_Theirs], match: _Match) -> str:
    unknown = _may_be_there(assignment, key, theirs, match)
    if not assignment.is_answer(key):
        return f"The cell {key} was {'deleted or edited' if unknown else 'deleted'}; it was put back."
    if unknown:
        return (
            f"The answer cell {key} could not be found: the notebook has lost the marks by which answers are told "
            "apart. It counts as not attempted. Hand in the notebook again, from JupyterLab."
        )
    return f"The answer cell {key} was deleted; it counts as not attempted."


def _defined_elsewhere(
    assignment: _Assignment, key: str, theirs: list[_Theirs], match: _Match, names: list[str]
) -> str:
    what = f"the definition of {_list(names)}"
    if key not in match.chosen:
        return f"The answer cell {key} was not found; {what} in a cell of your own was used."
    cell = theirs[match.chosen[key]]
    if assignment.is_untouched(key, cell):
        return f"The answer cell {key} still held its stub; {what} in a cell further down was used."
    if _parsed(cell.source) and not _definitions(cell.source) & set(names):
        return f"The answer cell {key} does not define {_list(names)}; {what} in a cell further down was used."
    are, definitions = ("is", "that definition was") if len(names) == 1 else ("are", "those definitions were")
    return f"{_list(names)} {are} defined again in a cell of your own further down; {definitions} used."


def _dropped_tags(assignment: _Assignment, theirs: list[_Theirs], match: _Match) -> list[str]:
    dropped = []
    for key, original in assignment.cells.items():
        tags = theirs[match.chosen[key]].tags if key in match.chosen else []
        if new := [tag for tag in tags if tag not in original.metadata.get("tags", [])]:
            dropped.append(f"{key} ({', '.join(new)})")
    return [f"Tags were dropped from the assignment's cells: {', '.join(dropped)}."] if dropped else []


def _cells(keys: list[str]) -> str:
    return f"cell{'s' if len(keys) > 1 else ''} {_list(keys)}"


def _list(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
