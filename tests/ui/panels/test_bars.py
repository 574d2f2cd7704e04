"""Bars are true to scale, never wider than asked for, and tell parts apart without colours."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from openclaw_tui.ui.cache_view import CallColumn
from openclaw_tui.ui.context_view import BarPart
from openclaw_tui.ui.figures import cells_of, clock_text, percent, share_text, tokens_short, usd_text
from openclaw_tui.ui.textual.panels.bars import FILLS, column_chart, ruler, share_bar, sparkline, stacked_bar
from openclaw_tui.ui.textual.panels.lines import fitted, plain, spread, width_of, wrapped
from tests.ui.panels.views import BUDGET, CACHE

SIZES = st.lists(st.integers(0, 1_000_000), max_size=9)


@given(SIZES, st.integers(0, 120), st.booleans())
def test_cells_never_pass_the_width_and_what_is_nothing_gets_none(sizes: list[int], width: int, show_all: bool) -> None:
    cells = cells_of(sizes, max(1, sum(sizes)), width, show_all=show_all)
    assert sum(cells) <= width
    assert all(count >= 0 for count in cells)
    assert not any(count for size, count in zip(sizes, cells, strict=True) if size == 0)


@given(SIZES, st.integers(20, 120))
def test_nothing_that_is_there_goes_unseen(sizes: list[int], width: int) -> None:
    cells = cells_of(sizes, max(1, sum(sizes)), width)
    assert all(count for size, count in zip(sizes, cells, strict=True) if size)


@given(SIZES.filter(any), st.integers(20, 120))
def test_without_that_promise_each_part_is_within_a_cell_of_its_share(sizes: list[int], width: int) -> None:
    whole = sum(sizes)
    cells = cells_of(sizes, whole, width, show_all=False)
    assert all(abs(count - size * width / whole) <= 1 for size, count in zip(sizes, cells, strict=True))


def test_every_part_has_a_fill_of_its_own() -> None:
    assert len(set(FILLS.values())) == len(FILLS)


@pytest.mark.parametrize("width", [14, 20, 36, 38, 44, 100])
def test_the_bar_fills_its_width_and_marks_the_boundary_behind_the_stable_prompt(width: int) -> None:
    bar = stacked_bar(BUDGET, width)
    assert width_of(bar) == width
    kinds = [role for _, role in bar]
    assert kinds.index("boundary") == kinds.index("system") + 1
    assert all(width_of(line) <= width for line in ruler(BUDGET, width))


def test_parts_stand_in_wire_order_with_draft_and_reserve_behind_them() -> None:
    bar = stacked_bar(replace(BUDGET, draft=9_000), 60)
    assert [role for _, role in bar] == [
        *("tools", "system", "boundary", "dynamic", "summary", "talk", "results", "draft", "reserve", "free")
    ]


def test_more_than_the_window_holds_still_fits_the_bar() -> None:
    over = replace(BUDGET, parts=(BarPart("tools", 6_000), BarPart("system", 4_000), BarPart("talk", 250_000)))
    over = replace(over, measured=260_000, estimated=0)
    bar = stacked_bar(over, 40)
    assert width_of(bar) == 40
    assert [role for text, role in bar if text.strip()] == ["tools", "system", "boundary", "talk"]


def test_the_ruler_names_the_lines_and_joins_those_at_one_place() -> None:
    ghost, labels = ruler(BUDGET, 40)
    assert plain(labels).split() == ["75", "90/C"]
    assert plain(ghost).startswith("▔" * 16)
    assert plain(ghost).count("╵") == 2
    apart = ruler(replace(BUDGET, trigger=100_000), 60)[1]
    assert plain(apart).split() == ["C", "75", "90"]


def test_the_chart_stacks_read_written_fresh_and_marks_what_was_lost() -> None:
    columns = [CallColumn(0, 0, 40, 0), CallColumn(1, 80, 0, 0), CallColumn(2, 0, 60, 20, verdict="break")]
    rows = [plain(line) for line in column_chart(columns, 3, 4)]
    assert rows == ["  ▼", " █░", " █▒", "▒█▒", "▒█▒"]


def test_calls_without_a_report_look_unlike_calls_without_a_hit() -> None:
    told = plain(sparkline([CallColumn(0, 0, 0, 50)], 5))
    untold = plain(sparkline([CallColumn(0, 0, 0, 50, reported=False)], 5))
    assert (told, untold) == ("▁", "?")
    chart = "".join(plain(line) for line in column_chart([CallColumn(0, 0, 0, 50, reported=False)], 2, 3))
    assert "?" in chart
    assert "░" not in chart


@pytest.mark.parametrize("width", [1, 2, 10, 27, 28, 29, 56, 80])
def test_the_chart_keeps_its_width_and_shows_the_latest_calls(width: int) -> None:
    lines = column_chart(CACHE.columns, width, 4)
    assert {width_of(line) for line in lines} == {width}
    assert len(lines) == 5


@given(st.text(max_size=40), st.text(max_size=20), st.integers(1, 60))
def test_a_line_never_passes_its_width(left: str, right: str, width: int) -> None:
    line = [(left.replace("\n", " "), "text"), (right.replace("\n", " "), "muted")]
    assert width_of(fitted(line, width)) <= width
    assert width_of(spread(line[:1], line[1:], width)) <= width


def test_words_are_wrapped_and_cut_with_a_mark() -> None:
    assert [plain(line) for line in wrapped("one two three", 7, "text")] == ["one two", "three"]
    assert [plain(line) for line in wrapped("one two three four", 7, "text", limit=2)] == ["one two", "three …"]
    assert [plain(line) for line in wrapped("one two", 5, "text", indent=2)] == ["  one", "  two"]


def test_figures_are_short_and_say_what_is_unknown() -> None:
    assert [tokens_short(n) for n in (0, 812, 8_400, 84_100, 99_960, 181_600, 999_700, 1_200_000)] == [
        *("0", "812", "8.4k", "84.1k", "100k", "182k", "1.0M", "1.2M")
    ]
    assert [usd_text(n) for n in (None, 0.0, 0.31, 0.0042, -0.5, 1234.5)] == [
        *("$?", "$0.00", "$0.31", "$0.0042", "-$0.50", "$1,234")
    ]
    assert (share_text(None), share_text(0.0), share_text(0.974)) == ("not reported", "0%", "97%")
    assert (clock_text(252), clock_text(3_750), clock_text(-1)) == ("4:12", "1:02:30", "0:00")
    assert (percent(1, 0), percent(84_100, 180_000)) == (0, 47)
    assert share_bar(0, 10, 4) == "    "
    assert share_bar(10, 10, 4) == "████"
