"""What every notebook of the course keeps to: readable, accessible, reproducible, safe to grade."""

import ast
import re
import time
from itertools import pairwise

import nbclient
import pytest
from conftest import BANK, LESSONS, ROOT, SOURCES, name_of, read, role

NOTEBOOKS = [*LESSONS, *SOURCES]
every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=name_of)
every_lesson = pytest.mark.parametrize("path", LESSONS, ids=name_of)
every_teaching_lesson = pytest.mark.parametrize("path", LESSONS[1:], ids=name_of)  # lesson 00 checks the machine
every_source = pytest.mark.parametrize("path", SOURCES, ids=name_of)

READABLE_ID = re.compile(r"[a-z]+[a-z0-9]*(-[a-z0-9]+)*")
MACHINE = re.compile(
    r"(/home/|/root/|/tmp/|/Users/|/work/|/usr/|[A-Z]:\\|\b0x[0-9a-f]{6,}|\b\d+\.\d+\.\d+\+(cpu|cu\d+))"
)
DRAWS = {
    "rand", "randn", "randint", "randperm", "normal", "bernoulli", "multinomial", "rand_like", "randn_like",
    "dropout", "uniform_", "normal_", "bernoulli_", "shuffle", "choice", "random", "sample",
}  # fmt: skip
MAKES_RANDOM_WEIGHTS = {"Linear", "Conv1d", "Conv2d", "Sequential", "Embedding", "LSTM", "GRU"}
HASTY = re.compile(r"\b(simply|just|obviously|of course|easily|trivial(ly)?|clearly)\b", re.IGNORECASE)


def code_cells(path):
    return [cell for cell in read(path).cells if cell.cell_type == "code"]


def tags(cell):
    return cell.metadata.get("tags", [])


def outputs(cell, kind=None):
    return [out for out in cell.get("outputs", []) if kind in (None, out.output_type)]


def headings(path):
    """(level, title) of each heading outside code blocks."""
    found = []
    for cell in read(path).cells:
        if cell.cell_type == "markdown":
            prose = re.sub(r"^```.*?^```", "", cell.source, flags=re.DOTALL | re.MULTILINE)
            found += [(len(marks), title) for marks, title in re.findall(r"^(#+) (.+)$", prose, re.MULTILINE)]
    return [(level, title) for level, title in found if not re.match("(BEGIN|END) ", title)]


@every_notebook
def test_cell_ids_are_readable_and_unique(path):
    ids = [cell.id for cell in read(path).cells]
    assert len(ids) == len(set(ids))
    # Eight hexadecimal digits are what Jupyter makes up for a new cell.
    assert [i for i in ids if not READABLE_ID.fullmatch(i) or re.fullmatch("[0-9a-f]{8}", i)] == []


@every_notebook
def test_headings_descend_without_gaps(path):
    levels = [level for level, _ in headings(path)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels)), levels


@every_notebook
def test_outputs_come_from_one_run_from_top_to_bottom(path):
    counts = [cell.execution_count for cell in code_cells(path) if cell.source.strip()]
    assert counts == list(range(1, len(counts) + 1))


@every_notebook
def test_nothing_was_written_to_stderr(path):
    assert [cell.id for cell in code_cells(path) for out in outputs(cell, "stream") if out.name == "stderr"] == []


@every_notebook
def test_errors_are_announced_and_real(path):
    for cell in code_cells(path):
        assert bool(outputs(cell, "error")) == ("raises-exception" in tags(cell)), cell.id


@every_notebook
def test_figures_are_svg_with_a_text_in_their_place(path):
    for cell in code_cells(path):
        for out in outputs(cell):
            images = [kind for kind in out.get("data", {}) if kind.startswith("image/")]
            assert images in ([], ["image/svg+xml"]), f"{cell.id}: only SVG can be compared"
            if images:
                alt = out.metadata["image/svg+xml"]["alt"]
                assert len(alt.split()) >= 6, f"{cell.id}: alt={alt!r}"
                assert "<text" in out.data["image/svg+xml"], f"{cell.id}: text was turned into outlines"


@every_notebook
def test_pictures_in_prose_have_alt_text(path):
    prose = "\n".join(cell.source for cell in read(path).cells if cell.cell_type == "markdown")
    assert re.findall(r"!\[\s*\]\(", prose) == []
    assert [tag for tag in re.findall(r"<img[^>]*>", prose) if "alt=" not in tag] == []


@every_notebook
def test_nothing_of_the_machine_shows(path):
    for cell in read(path).cells:
        shown = [cell.source]
        for out in outputs(cell):
            data = {kind: text for kind, text in out.get("data", {}).items() if kind != "image/svg+xml"}
            shown += [out.get("text", ""), *out.get("traceback", []), *map(str, data.values())]
        assert MACHINE.findall("\n".join(shown)) == [], cell.id


@every_notebook
def test_random_numbers_are_seeded(path):
    seeded = False
    for cell in code_cells(path):
        for node in ast.walk(ast.parse(_python(cell.source))):
            if not isinstance(node, ast.Call):
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            seeded |= name == "manual_seed"
            has_generator = any(keyword.arg == "generator" for keyword in node.keywords)
            if name in DRAWS | MAKES_RANDOM_WEIGHTS and not has_generator:
                assert seeded or "manual_seed" in cell.source, f"{cell.id}: {ast.unparse(node)} is not seeded"


@every_notebook
def test_only_timings_may_differ_and_a_statement_follows(path):
    cells = code_cells(path)
    for cell, after in zip(cells, [*cells[1:], None], strict=True):
        assert "nbval-skip" not in tags(cell) and "NBVAL" not in cell.source, cell.id
        if "nbval-ignore-output" in tags(cell):
            assert re.search(r"\b(time|timeit|Timer|perf_counter)\b", cell.source), f"{cell.id} shows no timing"
            assert after is not None and "nbval-ignore-output" not in tags(after), f"no statement after {cell.id}"
            assert outputs(after), f"{after.id} should state something reproducible"


@every_notebook
def test_links_within_the_course_lead_somewhere(path):
    prose = "\n".join(cell.source for cell in read(path).cells if cell.cell_type == "markdown")
    # A link is the same from source/ and from release/: both lie two levels below the root.
    links = [link for link in re.findall(r"\]\(([^)#\s]+)", prose) if "://" not in link]
    assert links
    assert [link for link in links if not (path.parent / link).exists()] == []


@every_notebook
def test_tone(path):
    for cell in read(path).cells:
        if cell.cell_type == "markdown":
            assert HASTY.findall(cell.source) == [], cell.id


@every_notebook
def test_first_code_cell_imports_what_is_needed(path):
    first = code_cells(path)[0]
    assert first.id == "setup"
    later = [line for cell in code_cells(path)[1:] for line in re.findall(r"^(?:import|from) .+", cell.source, re.M)]
    assert later == []


@every_teaching_lesson
def test_lesson_follows_the_template(path):
    title, *sections = [text for _, text in headings(path)]
    number = path.stem[:2]
    assert title.startswith(f"{number} · ")
    last = [s for s in ("Break it", "Key points", "Try it yourself", "Where next") if s in sections]
    assert last == ["Break it", "Key points", "Try it yourself", "Where next"]
    assert sections[-3:] == last[-3:]
    opening, prose = read(path).cells[0].source, "\n".join(c.source for c in read(path).cells)
    assert re.search(r"^\*[^*\n]+\*$", opening, re.M), "the sentence that says what it is"
    assert len(re.findall(r"^- ", opening, re.M)) == 3, "three things you can do after it"
    assert re.search(r"\*\*Time\*\* \d+ minutes", opening) and "**Know first**" in opening
    assert "**Predict.**" in prose
    assert f"](../release/{path.stem}/{path.stem}.ipynb)" in prose
    assert "https://docs.pytorch.org/" in prose
    assert "torch 2.14.1" in read(path).cells[-1].source
    assert any("raises-exception" in tags(cell) for cell in code_cells(path))
    if number != "12":  # an index, where nothing is to be seen that a table does not say better
        assert any("image/svg+xml" in out.get("data", {}) for cell in code_cells(path) for out in outputs(cell))
    assert "costs." in prose, "cost is shown by exact counts"


@every_lesson
def test_lesson_runs_in_under_a_minute(path):
    notebook = read(path)
    start = time.monotonic()
    nbclient.NotebookClient(notebook, timeout=60, resources={"metadata": {"path": path.parent}}).execute()
    assert time.monotonic() - start < 60


@every_source
def test_grade_ids_are_cell_ids_and_exercises_come_with_tests(path):
    cells = [cell for cell in read(path).cells if role(cell)]
    assert [cell.id for cell in cells if role(cell)["grade_id"] != cell.id] == []
    ids = [cell.id for cell in cells]
    for cell in code_cells(path):
        if role(cell).get("solution"):
            assert f"about-{cell.id}" in [c.id for c in read(path).cells]
            assert any(re.fullmatch(rf"test-{cell.id}(-\d+)?", i) for i in ids), f"{cell.id} has no test"
    exercises = sum(bool(role(cell).get("solution")) for cell in cells)
    assert 6 <= exercises <= 9, "4 to 7 exercises, a quiz and a written answer"


@every_source
def test_exercises_tell_difficulty_time_and_points_and_have_hints(path):
    cells = {cell.id: cell for cell in read(path).cells}
    minutes = 0
    for cell in cells.values():
        if not role(cell).get("solution"):
            continue
        about = cells[f"about-{cell.id}"].source
        difficulty = re.search(r"^[●○]{3} · (\d+) minutes · (\d+) points?", about, re.M)
        assert difficulty, cell.id
        minutes += int(difficulty[1])
        tests = [c for c in cells.values() if re.fullmatch(rf"test-{cell.id}(-\d+)?", c.id)] or [cell]
        assert int(difficulty[2]) == sum(role(c)["points"] for c in tests), f"{cell.id}: points in the text"
        if cell.cell_type == "code" and cell.id != "quiz":
            assert 2 <= about.count("<details><summary>Hint") <= 3, f"{cell.id}: hints"
            assert '"""' in cell.source and "Returns" in cell.source, f"{cell.id}: docstring"
    total = sum(role(cell).get("points", 0) for cell in cells.values() if role(cell).get("grade"))
    assert f"**Time** {minutes} minutes, **points** {total}" in cells["title"].source


@every_source
def test_test_cells_are_fit_for_grading(path):
    for cell in code_cells(path):
        if not role(cell).get("grade"):
            continue
        tree = ast.parse(cell.source)
        last = tree.body[-1]
        # nbgrader reads the value of a last expression as a partial score. Our checks return None.
        silent = not isinstance(last, ast.Expr) or ast.unparse(last).startswith("checks.")
        assert silent and not outputs(cell, "execute_result"), cell.id
        visible, hidden = cell.source.split("### BEGIN HIDDEN TESTS")
        assert visible.rstrip().endswith("checks.visible_tests_passed()"), cell.id
        assert hidden.rstrip().endswith("### END HIDDEN TESTS"), cell.id
        assert "manual_seed" not in cell.source or "Generator().manual_seed" in cell.source, cell.id


@every_source
def test_marking_scheme_covers_the_points_of_the_written_answer(path):
    cells = {cell.id: cell for cell in read(path).cells}
    written = [c for c in cells.values() if c.cell_type == "markdown" and role(c).get("solution")]
    assert len(written) == 1
    about = cells[f"about-{written[0].id}"]
    assert role(about)["locked"]
    scheme = about.source.split("### BEGIN MARK SCHEME")[1]
    assert sum(map(int, re.findall(r"^- (\d+) points?:", scheme, re.M))) == role(written[0])["points"]


def test_bank_has_no_stray_files():
    assert [
        str(p.relative_to(BANK))
        for p in BANK.rglob("*")
        if p.is_file() and p.suffix != ".py" and "__pycache__" not in str(p)
    ] == []


def test_every_lesson_but_the_first_has_an_assignment():
    assert [path.stem for path in LESSONS[1:]] == [path.stem for path in SOURCES]
    assert {path.stem for path in (ROOT / "release").glob("*/*.ipynb")} == {path.stem for path in SOURCES}


def _python(source):
    """The cell without IPython's own lines."""
    return "\n".join("" if line.lstrip().startswith(("%", "!")) else line for line in source.splitlines())
