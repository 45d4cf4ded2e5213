"""A figure is the same text in every run, valid SVG whatever its labels say, and at peace with the next figure."""

import os
import re
import subprocess
import sys
from xml.etree import ElementTree

import matplotlib
import matplotlib.pyplot as plt
import pytest
from conftest import ROOT
from hypothesis import given, settings
from hypothesis import strategies as st

from autograder import figures

settings.register_profile("course", derandomize=True, deadline=None, database=None, max_examples=40)
settings.load_profile("course")
matplotlib.use("agg")

ALT = "A line rises from the lower left corner to the upper right one."
SVG = "{http://www.w3.org/2000/svg}"
XLINK = "{http://www.w3.org/1999/xlink}"


@pytest.fixture(autouse=True)
def style():
    # From matplotlib's own defaults, whatever a test before this one in the same process has set.
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        figures.use_course_style()
        yield
    plt.close("all")


def shown(figure, alt=ALT):
    """What :func:`figures.show` displays: the data and the metadata of each display."""
    displays = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(figures, "display", lambda data, metadata=None, raw=False: displays.append((data, metadata, raw)))
        figures.show(figure, alt=alt)
    return displays


def svg_of(figure, alt=ALT):
    return shown(figure, alt)[0][0]["image/svg+xml"]


def busy(noise=0.0):
    """A figure with all that has ids, numbers or text in its SVG."""
    figure, axes = plt.subplots()
    axes.plot([0, 1 + noise, 2], [0.001, 0.002, 0.0035 + noise], "o--", label="a", gid="9_odd")
    axes.plot([0, 1], [0.003, 0.001], linestyle=(0, (1.2345, 2.3456)))
    axes.scatter([0, 1], [0.001, 0.002 + noise], alpha=0.125)
    axes.fill_between([0, 1], [0, 0.001], hatch="//")
    axes.annotate("", (1, 0.001), (2, 0.003), arrowprops={"arrowstyle": "-|>"})
    axes.text(1, 0.002, 'slope 1.3818 & id="m1" <b> url(#m2)')
    axes.set_title(r"$\sqrt{\frac{1}{2}}$ α, 0.005")
    axes.inset_axes([0.7, 0.1, 0.2, 0.3]).pcolormesh([[0, 1], [2, 3]])
    axes.legend()
    return figure


def line(*values):
    figure, axes = plt.subplots()
    axes.plot(values)
    return figure


def texts(svg):
    return ["".join(text.itertext()) for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def ids(svg):
    return re.findall(r'\bid="(figure-[^"]*)"', svg)


def test_two_runs_give_the_same_bytes():
    assert svg_of(busy()) == svg_of(busy())


def test_two_processes_give_the_same_bytes():
    program = (
        "import sys; sys.path.insert(0, 'tests'); from test_figures import busy, figures, svg_of;"
        "figures.use_course_style(); sys.stdout.buffer.write(svg_of(busy()).encode())"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "1"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, cwd=ROOT, env=environment)
    assert done.stdout.decode() == svg_of(busy())


def test_the_style_of_a_notebook_is_not_needed_for_text_that_is_text():
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        first = svg_of(line(1, 2))
    assert "<text" in first
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        assert svg_of(line(1, 2)) == first


@pytest.mark.parametrize("noise", [1e-9, -1e-9])
def test_the_last_bits_do_not_show(noise):
    assert svg_of(busy(noise)) == svg_of(busy())


@pytest.mark.parametrize("position", [0, 57, 57.125, 0.375, 3.0625, -2.5, -0.0004, -0.00003])
def test_coordinates_on_simple_fractions_are_stable(position):
    marks = {
        figures._NUMBER.sub(figures._rounded, f"{position + bit:f}".rstrip("0").rstrip(".")) for bit in (0, 2e-6, -2e-6)
    }
    assert len(marks) == 1
    assert "-0" not in marks
    assert abs(float(marks.pop()) - position) < 0.01


def test_numbers_in_text_colours_and_dashes_stay_as_they_are():
    svg = svg_of(busy())
    assert 'slope 1.3818 & id="m1" <b> url(#m2)' in texts(svg)
    assert "0.0010" in texts(svg), "a tick"
    assert "stroke-opacity: 0.125" in svg
    assert "stroke-dasharray: 2.469,4.6912" in svg, "dash and gap times the width of the line"


def test_small_scales_survive():
    svg = f'<svg xmlns="{SVG[1:-1]}"><g transform="translate(1.23456 2) scale(0.015625 -0.015625)" /></svg>'
    assert 'transform="translate(1.24 2) scale(0.0156 -0.0156)"' in figures._canonical(svg, ALT)


def test_coordinates_are_short():
    svg = svg_of(busy())
    for element in ElementTree.fromstring(svg).iter():
        for name in figures._GEOMETRY & element.attrib.keys():
            assert not re.search(r"\.\d{5}|[1-9]\.\d{3}|-0\b(?!\.)", element.get(name)), element.get(name)


def test_every_reference_finds_its_one_target():
    svg = svg_of(busy())
    root = ElementTree.fromstring(svg)
    targets = [element.get("id") for element in root.iter() if "id" in element.attrib]
    used = [element.get(f"{XLINK}href") for element in root.iter() if f"{XLINK}href" in element.attrib]
    urls = [
        url for element in root.iter() for value in element.attrib.values() for url in re.findall(r"url\((.*)\)", value)
    ]
    assert len(targets) == len(set(targets))
    assert used
    assert urls
    assert {reference.removeprefix("#") for reference in used + urls} <= set(targets)


def test_two_figures_in_one_page_share_no_id():
    first, second = ids(svg_of(line(1, 2))), ids(svg_of(line(2, 1)))
    assert first
    assert not set(first) & set(second)


def test_ids_say_nothing_of_the_machine():
    assert all(re.fullmatch(r"figure-[0-9a-f]{8}-\d+", name) for name in ids(svg_of(busy())))


@given(st.text(st.characters(exclude_categories=["Cs", "Cc", "Cn", "Co"]), min_size=1))
def test_any_alternative_text_is_well_formed_and_complete(words):
    alt = f"{ALT} {words}"
    svg = figures._canonical(f'<svg xmlns="{SVG[1:-1]}" />', alt)
    root = ElementTree.fromstring(svg)
    assert root.get("aria-label") == alt
    assert root.get("role") == "img"


@pytest.mark.parametrize("alt", ["\"a\" 'b' & <i>c</i> ’d’ f ″ ≤ 0"])
def test_alternative_text_reaches_everyone(alt):
    (picture, metadata, raw), (words, _, _) = shown(line(1, 2), alt)
    assert raw
    assert ElementTree.fromstring(picture["image/svg+xml"]).get("aria-label") == alt
    assert metadata == {"image/svg+xml": {"alt": alt}}
    assert "".join(ElementTree.fromstring(words["text/html"]).itertext()).endswith(alt)
    assert words["text/plain"].endswith(alt)


@pytest.mark.parametrize("alt", ["", "A figure", "The loss falls."])
def test_a_figure_without_words_is_refused(alt):
    with pytest.raises(ValueError, match="does not say what the figure shows"):
        shown(line(1, 2), alt)


def test_a_shown_figure_is_closed():
    shown(line(1, 2))
    assert plt.get_fignums() == []


def test_no_date_and_no_version():
    assert not re.search(r"matplotlib|metadata|20\d\d-\d\d-\d\d|\d+\.\d+\.\d+", svg_of(busy()))


def test_colours_are_the_palette():
    figure, axes = plt.subplots()
    for level in range(6):
        axes.plot([level, level])
    svg = svg_of(figure).lower()
    for colour in (figures.BLUE, figures.ORANGE, figures.GREEN, figures.PINK, figures.SKY, figures.AMBER):
        assert colour.lower() in svg
