"""Lesson 12's tables lead from a message to the entry that really shows it."""

import re

from conftest import ROOT, read

LESSON = read(ROOT / "notebooks" / "12_when_it_breaks.ipynb")
ROW = re.compile(r"^\| (.+) \| ((?:\d+(?:, )?)+) \|$", re.M)


def shown():
    """What each entry printed and what is written about it, by its number."""
    found = {}
    for cell in LESSON.cells:
        for output in cell.get("outputs", []):
            for number, text in re.findall(r"^ ?(\d+) (.+)$", output.get("text", ""), re.M):
                found[int(number)] = found.get(int(number), "") + text
        if cell.cell_type == "markdown" and cell.id.endswith("-after"):
            for line in cell.source.splitlines():
                if numbers := re.match(r"- \*\*([\d, ]+)\*\*", line):
                    for number in numbers[1].split(", "):
                        found[int(number)] = found.get(int(number), "") + line
    return found


def rows(cell_id):
    (cell,) = [cell for cell in LESSON.cells if cell.id == cell_id]
    return [(text, [int(number) for number in numbers.split(", ")]) for text, numbers in ROW.findall(cell.source)]


def test_every_fragment_stands_in_the_message_of_its_entries():
    entries = shown()
    for fragment, numbers in rows("table"):
        parts = [part.strip() for part in fragment.replace("`", "").split("…")]
        for number in numbers:
            text = entries[number].replace("`", "")
            assert all(part in text for part in parts), f"{fragment} is not in entry {number}: {text}"


def test_every_entry_is_in_a_table_and_explained():
    entries = shown()
    assert len(entries) >= 40
    assert sorted(entries) == list(range(1, len(entries) + 1))
    in_tables = {number for table in ("table", "silent-table") for _, numbers in rows(table) for number in numbers}
    assert in_tables == set(entries)
    for number, text in entries.items():
        assert re.search(rf"- \*\*[\d, ]*\b{number}\b[\d, ]*\*\*", text), f"entry {number} is not explained"


def test_silent_entries_raise_nothing_and_loud_ones_do():
    entries = shown()
    silent = {number for _, numbers in rows("silent-table") for number in numbers}
    assert {number for number, text in entries.items() if text.startswith("silent")} == silent


def test_table_is_in_alphabetical_order():
    fragments = [re.sub(r"[^a-z0-9]", "", fragment.lower()) for fragment, _ in rows("table")]
    assert fragments == sorted(fragments)
