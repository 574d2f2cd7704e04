"""Wrapping loses nothing and never exceeds the width."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import get_character_cell_size
from rich.segment import Segment
from rich.style import Style

from openclaw_tui.ui.textual.rendering import rows as rows_module
from openclaw_tui.ui.textual.rendering.rows import Row, cells_of, finish, prefixed, split_lines, wrap
from tests.ui.plain_palette import text_of, texts_of

RUNS = st.lists(st.text("ab cdef 中文，👍é\u0301👨‍👩—…", max_size=12), max_size=6)


def _segments(parts: list[str]) -> list[Segment]:
    return [Segment(part, Style(bold=number % 2 == 0)) for number, part in enumerate(parts) if part]


def _joined(rows: list[Row]) -> str:
    return "".join(text_of(row) + row.join for row in rows).removesuffix("\n")


@example(["a", "\u200d\u200d中"], 2, False)
@example(["aa \u0301"], 2, False)
@given(RUNS, st.integers(2, 20), st.booleans())
def test_rows_fit_and_join_to_the_logical_line(parts: list[str], width: int, hard: bool) -> None:
    runs = _segments(parts)
    rows = wrap(runs, width, hard=hard)
    assert all(cells_of(row.segments) <= width for row in rows)
    assert _joined(rows).rstrip() == "".join(parts).rstrip()
    assert [row.join for row in rows[-1:]] == ["\n"]
    assert all(row.join != "\n" for row in rows[:-1])


def test_prose_breaks_at_blanks_and_code_anywhere() -> None:
    line = [Segment("the quick brown fox")]
    assert texts_of(wrap(line, 10)) == ["the quick", "brown fox"]
    assert texts_of(wrap(line, 10, hard=True)) == ["the quick", "brown fox"]
    assert texts_of(wrap([Segment("x" * 25)], 10)) == ["x" * 10, "x" * 10, "x" * 5]


def test_wide_characters_break_between_each_other_but_not_before_a_comma() -> None:
    assert texts_of(wrap([Segment("你好，世界")], 4)) == ["你", "好，", "世界"]


def test_styles_survive_a_cut() -> None:
    rows = wrap([Segment("aaa ", Style(bold=True)), Segment("bbb", Style(italic=True))], 5)
    assert [[(run.text, run.style) for run in row.segments] for row in rows] == [
        [("aaa", Style(bold=True))],
        [("bbb", Style(italic=True))],
    ]


def test_split_lines_keeps_empty_lines() -> None:
    assert [[run.text for run in line] for line in split_lines([Segment("a\n\nb"), Segment("c")])] == [
        ["a"],
        [],
        ["b", "c"],
    ]


@pytest.mark.parametrize("width", [1, 2, 5, 40])
def test_a_finished_row_has_exactly_the_width(width: int) -> None:
    final = finish(Row([Segment("中文字 and more")]), width, Style())
    assert cells_of(final.strip) == width == final.strip.cell_length


def test_a_prefix_counts_as_chrome() -> None:
    row = prefixed([Row([Segment("text")])], [Segment("• ")], [Segment("  ")], "- ")[0]
    assert (text_of(row), row.lead, row.lead_copy) == ("• text", 2, "- ")


def test_the_quick_way_only_takes_characters_of_one_cell() -> None:
    narrow = [chr(code) for code in range(0x20, 0x3000) if rows_module._NARROW.fullmatch(chr(code))]
    assert len(narrow) > 500
    assert [char for char in narrow if get_character_cell_size(char) != 1] == []
