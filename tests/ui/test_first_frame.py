"""The raw first frame: its small editor and what it paints. The hand-over in a real terminal is in test_start.py."""

import pytest

from openclaw_tui.ui.early_draft import EarlyDraft, cells, graphemes
from openclaw_tui.ui.first_frame import background_from_environment, background_of, frame, wrapped
from tests.terminal_screen import Screen

FAMILY = "👨‍👩‍👧"
FLAG = "🇫🇷"
ACCENT = "e\u0301"


def typed(*keys: str) -> EarlyDraft:
    draft = EarlyDraft()
    for key in keys:
        draft.press(key)
    return draft


def screen_of(draft: EarlyDraft, width: int, height: int) -> Screen:
    screen = Screen(width, height)
    screen.feed(frame(draft, "status words", width, height))
    return screen


def test_enter_sends_and_typing_goes_on() -> None:
    draft = typed("first\r", "second")
    assert draft.submitted == ["first"]
    assert draft.text == "second"


def test_enter_on_nothing_sends_nothing() -> None:
    assert typed("\r", "  \r").submitted == []


@pytest.mark.parametrize("newline", ["\n", "\x1b[13;2u", "\x1b[13;3u", "\\\r"])
def test_every_newline_key_makes_a_new_line(newline: str) -> None:
    draft = typed("a", newline, "b")
    assert draft.text == "a\nb"
    assert draft.submitted == []


def test_a_paste_never_sends() -> None:
    draft = EarlyDraft()
    draft.insert("one\ntwo\n")
    assert draft.submitted == []
    assert draft.text == "one\ntwo\n"


@pytest.mark.parametrize("visible", ["x", "好", FAMILY, FLAG, ACCENT, "👍🏽"])
def test_backspace_takes_one_visible_character(visible: str) -> None:
    draft = typed("a", visible, "\x7f")
    assert draft.text == "a"
    assert graphemes(f"a{visible}b") == ["a", visible, "b"]


def test_arrows_home_end_and_delete_edit_in_the_middle() -> None:
    assert typed("abd", "\x1b[D", "c", "\x1b[H", "\x1b[3~", "\x1b[F", "!").text == "bcd!"


def test_clear_word_and_line() -> None:
    assert typed("one two", "\x17").text == "one "
    assert typed("one two", "\x15").text == ""


def test_ctrl_c_clears_then_leaves_and_ctrl_d_leaves_only_when_empty() -> None:
    cleared = typed("text", "\x03")
    assert (cleared.text, cleared.left) == ("", False)
    assert typed("text", "\x03", "\x03").left
    assert not typed("text", "\x04").left
    assert typed("\x04").left


def test_unknown_keys_type_nothing() -> None:
    assert typed("\x1b[15~", "\x1b[1;5A", "\x1bq", "\t", "\x01").text == ""


def test_the_frame_shows_draft_rules_and_status_with_the_cursor_behind_the_text() -> None:
    screen = screen_of(typed("你好，hello"), 40, 12)
    rows = [row.rstrip() for row in screen.display]
    assert rows[8] == "─" * 40
    assert rows[9].replace(" ", "") == "›你好，hello"
    assert rows[10] == "─" * 40
    assert rows[11] == "status words"
    assert (screen.cursor.y, screen.cursor.x) == (9, 2 + 6 + 5)


def test_long_drafts_wrap_and_scroll_within_the_frame() -> None:
    rows, row, column = wrapped(typed("x" * 25), 10)
    assert rows == ["x" * 10, "x" * 10, "x" * 5]
    assert (row, column) == (2, 5)
    draft = typed("\n".join(str(number) for number in range(30)))
    screen = screen_of(draft, 20, 10)
    assert "29" in "\n".join(screen.display)


@pytest.mark.parametrize(("width", "height"), [(1, 1), (2, 1), (7, 3), (3, 2), (200, 1), (1, 50)])
def test_the_frame_can_be_painted_at_any_size(width: int, height: int) -> None:
    screen_of(typed("好 text", FAMILY), width, height)


def test_widths_of_graphemes() -> None:
    assert [cells(part) for part in ("a", "好", FAMILY, FLAG, ACCENT, "\n")] == [1, 2, 2, 2, 1, 0]


def test_the_ground_is_told_from_its_colour_or_the_environment() -> None:
    assert background_of(1.0, 1.0, 0.95) == "light"
    assert background_of(0.1, 0.1, 0.12) == "dark"
    assert background_from_environment("0;15") == "light"
    assert background_from_environment("15;0") == "dark"
    assert background_from_environment("15;default;0") == "dark"
    assert background_from_environment(None) is None
