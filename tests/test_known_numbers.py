"""Numbers that the lessons must show, held against their stored outputs.

They are facts about four rows and one function, and can be checked with a pencil.
"""

import re

import pytest
from conftest import ROOT, read

TABLE = [[7.0, 0.0, 14.0], [0.0, 2.0, 2.0], [-8.0, -4.0, 0.0], [1.0, 1.0, 1.0]]
MEAN = [0.0, -0.25, 4.25]
NUMBER = r"-?\d+\.?\d*(?:e[-+]\d+)?"


def printed(lesson):
    """Everything that the code of a lesson printed, one text for each cell."""
    cells = read(ROOT / "notebooks" / f"{lesson}.ipynb").cells
    texts = []
    for cell in cells:
        outs = cell.get("outputs", [])
        texts.append("".join(out.get("text", "") or out.get("data", {}).get("text/plain", "") for out in outs))
    return list(filter(None, texts))


def rows(text):
    """Each bracketed list of numbers in a text."""
    return [[float(n) for n in re.findall(NUMBER, inside)] for inside in re.findall(r"\[([^\[\]]*)\]", text)]


def shows_table(text):
    found = rows(text)
    return any(found[i : i + 4] == TABLE for i in range(len(found)))


@pytest.mark.parametrize("lesson", ["01_backward_loop", "04_per_sample_gradients"])
def test_the_four_row_table(lesson):
    assert any(map(shows_table, printed(lesson)))


@pytest.mark.parametrize("lesson", ["01_backward_loop", "04_per_sample_gradients"])
def test_mean_of_the_rows_equals_the_batch_gradient(lesson):
    (text,) = [text for text in printed(lesson) if rows(text).count(MEAN) == 2]
    assert "True" in text, "the lesson says that the two are equal"


def test_vmap_gives_exactly_the_loop():
    lesson = read(ROOT / "notebooks" / "04_per_sample_gradients.ipynb")
    cells = [cell for cell in lesson.cells if cell.cell_type == "code" and "torch.equal(" in cell.source]
    assert any("True" in out.get("text", "") for cell in cells for out in cell.outputs)


@pytest.mark.parametrize("lesson", ["02_grad", "04_per_sample_gradients"])
def test_gradient_of_the_first_row_alone(lesson):
    assert any(TABLE[0] in rows(text) and not shows_table(text) for text in printed(lesson))


def test_derivatives_of_sin_x_times_x():
    text = "\n".join(printed("02_grad"))
    assert re.search(r"\b1\.3818\b", text), "cos(1) + sin(1)"
    assert re.search(r"\b0\.2391\b", text), "2 cos(1) - sin(1)"


@pytest.mark.parametrize("shape", [(8, 4), (16, 2, 4), (16, 2)])
def test_shapes_of_per_sample_gradients(shape):
    text = "\n".join(printed("04_per_sample_gradients"))
    assert re.search(re.escape(str(shape)) + "|" + re.escape(str(list(shape))), text), shape
