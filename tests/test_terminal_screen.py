"""The terminal that tests read screens with shows what a terminal would."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.terminal_screen import Screen


def shown(data: str, columns: int = 10, rows: int = 3) -> list[str]:
    screen = Screen(columns, rows)
    screen.feed(data)
    return [row.rstrip() for row in screen.display]


@pytest.mark.parametrize(
    ("data", "rows"),
    [
        ("one\r\ntwo", ["one", "two", ""]),
        ("0123456789ab", ["0123456789", "ab", ""]),
        ("0123456789\r\nab", ["0123456789", "ab", ""]),
        ("a\r\nb\r\nc\r\nd", ["b", "c", "d"]),
        ("\x1b[2;3Hx\x1b[Ay\x1b[2Dz", ["  zy", "  x", ""]),
        ("abc\x1b[2D\x1b[K", ["a", "", ""]),
        ("abc\x1b[1;2H\x1b[P", ["ac", "", ""]),
        ("abc\x1b[1;2H\x1b[@", ["a bc", "", ""]),
        ("a\r\nb\r\nc\x1b[H\x1b[M", ["b", "c", ""]),
        ("a\r\nb\x1b[H\x1b[L", ["", "a", "b"]),
        ("abc\x1b[2Jx", ["   x", "", ""]),
        ("\x1b]0;title\x07a\x1b[31mb\x1b[?2026h\x1bPq\x1b\\c\x1b(B", ["abc", "", ""]),
        ("你好x\x1b[1;3Hy", ["你yx", "", ""]),
        ("e\u0301f", ["e\u0301f", "", ""]),
        ("a\tb", ["a       b", "", ""]),
        ("ab\b\bc", ["cb", "", ""]),
    ],
)
def test_what_is_shown(data: str, rows: list[str]) -> None:
    assert shown(data) == rows


def test_rows_that_scroll_off_are_kept_in_order() -> None:
    screen = Screen(5, 2)
    screen.feed(b"a\r\nb\r\nc\r\nd")
    assert [row.rstrip() for row in screen.gone] == ["a", "b"]
    assert (screen.cursor.y, screen.cursor.x) == (1, 1)


@given(
    st.lists(st.sampled_from(["a", "好", "\x1b[2;2H", "\x1b[31m", "\r\n", "\x1b]0;t\x07", "\x1b[K", "é"]), max_size=20),
    st.data(),
)
def test_a_stream_may_be_cut_anywhere(pieces: list[str], data: st.DataObject) -> None:
    whole = "".join(pieces).encode()
    at = data.draw(st.integers(0, len(whole)))
    one, two = Screen(8, 3), Screen(8, 3)
    one.feed(whole)
    two.feed(whole[:at])
    two.feed(whole[at:])
    assert one.display == two.display
