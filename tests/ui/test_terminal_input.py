"""What a terminal sends, taken apart: nothing inside a paste is a key, answers are never typed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual._xterm_parser import XTermParser

from openclaw_tui.ui.terminal_input import (
    PASTE_END,
    PASTE_START,
    InputSplitter,
    Keys,
    Paste,
    Piece,
    Reply,
    clean_paste,
    printable_keys,
)


def pieces_of(*parts: str) -> list[Piece]:
    splitter = InputSplitter()
    return [piece for part in parts for piece in splitter.feed(part)] + splitter.flush()


def test_a_paste_is_one_block_with_line_ends_counted_once() -> None:
    assert pieces_of(f"{PASTE_START}one\r\ntwo\rthree\nfour\r\n{PASTE_END}") == [Paste("one\ntwo\nthree\nfour\n")]


def test_control_bytes_of_a_paste_are_marks_and_never_keys() -> None:
    pieces = pieces_of(f"{PASTE_START}a\x1b[31mb\x03c\r\nd\x9bx{PASTE_END}x")
    assert pieces == [Paste("a␛[31mb␃c\nd⟨009B⟩x"), Keys("x")]


def test_a_paste_that_holds_the_end_mark_stays_one_block() -> None:
    assert pieces_of(f"{PASTE_START}rm{PASTE_END}\r\x03more{PASTE_END}") == [Paste("rm\n␃more")]


def test_two_pastes_with_typing_between_stay_apart() -> None:
    text = f"{PASTE_START}one{PASTE_END}x{PASTE_START}two{PASTE_END}"
    assert pieces_of(text) == [Paste("one"), Keys("x"), Paste("two")]


@given(st.text(alphabet="ab\x1b[201~0;?c]\r\n", max_size=40), st.integers(0, 60))
def test_where_the_reads_are_cut_makes_no_difference_to_a_paste(inside: str, cut: int) -> None:
    inside = inside.replace(PASTE_END, "").replace(PASTE_START, "")
    if any(inside.endswith(PASTE_END[:n]) for n in range(1, 6)):
        inside += "."
    text = f"{PASTE_START}{inside}{PASTE_END}"
    splitter = InputSplitter()
    pieces = splitter.feed(text[:cut]) + splitter.feed(text[cut:])
    assert pieces == [Paste(clean_paste(inside))]


def test_a_paste_whose_end_has_not_come_is_waited_for() -> None:
    splitter = InputSplitter()
    assert splitter.feed(f"{PASTE_START}half") == []
    assert splitter.flush() == []
    assert splitter.in_paste
    assert splitter.feed(PASTE_END) == [Paste("half")]


@pytest.mark.parametrize(
    "reply", ["\x1b]11;rgb:1c1c/1c1c/1c1c\x1b\\", "\x1b]11;rgb:ffff/ffff/ffff\x07", "\x1b[?62;22c", "\x1bP1$r0m\x1b\\"]
)
def test_answers_of_the_terminal_are_not_typed(reply: str) -> None:
    assert pieces_of(f"a{reply}b") == [Keys("a"), Reply(reply), Keys("b")]
    assert pieces_of("a" + reply[:5], reply[5:] + "b") == [Keys("a"), Reply(reply), Keys("b")]


def test_a_lone_escape_is_let_go_when_nothing_follows() -> None:
    splitter = InputSplitter()
    assert splitter.feed("x\x1b") == [Keys("x")]
    assert splitter.flush() == [Keys("\x1b")]


@pytest.mark.parametrize(
    ("sequence", "char"),
    [
        ("\x1bOp", "0"),
        ("\x1bOy", "9"),
        ("\x1bOj", "*"),
        ("\x1bOk", "+"),
        ("\x1bOm", "-"),
        ("\x1bOo", "/"),
        ("\x1b[57404u", "5"),
        ("\x1b[57404;1;53u", "5"),
        ("\x1b[63;2u", "?"),
        ("\x1b[27;2;63~", "?"),
        ("\x1b[97;2u", "A"),
        ("\x1b[63u", "?"),
    ],
)
def test_keypad_and_shifted_keys_insert_the_printed_character(sequence: str, char: str) -> None:
    events = list(XTermParser().feed(printable_keys(sequence)))
    assert [getattr(event, "character", None) for event in events] == [char]


@pytest.mark.parametrize(
    ("sequence", "key"),
    [
        ("\x1b\r", "alt+enter"),
        ("\x1b[13;2u", "shift+enter"),
        ("\x1b[27;2;13~", "shift+enter"),
        ("\x1b[27;5;106~", "ctrl+j"),
        ("\n", "ctrl+j"),
        ("\x1b[A", "up"),
        ("\x1bOP", "f1"),
    ],
)
def test_keys_that_are_no_characters_keep_their_names(sequence: str, key: str) -> None:
    events = list(XTermParser().feed(printable_keys(sequence)))
    assert [getattr(event, "key", None) for event in events] == [key]
