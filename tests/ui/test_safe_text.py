"""Foreign text is shown and never obeyed."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from openclaw_tui.ui.textual.rendering.safe_text import fit, one_line, plain_output, visible

ANY_TEXT = st.text(st.characters(exclude_categories=[]), max_size=60)


@given(ANY_TEXT)
def test_nothing_a_terminal_obeys_gets_through(text: str) -> None:
    for safe in (visible(text), plain_output(text), one_line(text)):
        assert not [char for char in safe if unicodedata.category(char) in ("Cc", "Cs") and char != "\n"]
        safe.encode()


def test_escape_sequences_of_a_title_or_clipboard_hijack_become_marks() -> None:
    assert visible("a\x1b]52;c;aGk=\x07b\x1b]0;t\x1b\\\x9b1m") == "a␛]52;c;aGk=␇b␛]0;t␛\\⟨009B⟩1m"


def test_characters_that_reorder_text_are_named() -> None:
    assert visible("user\u202eexe.txt") == "user⟨202E⟩exe.txt"


def test_brackets_stay_as_typed() -> None:
    assert visible("[/] [bold]x[/bold] z [b + 3") == "[/] [bold]x[/bold] z [b + 3"


def test_line_ends_of_other_systems_count_once() -> None:
    assert visible("a\r\nb\rc") == "a\nb␍c"


def test_output_of_programs_loses_colours_and_overwritten_progress() -> None:
    assert plain_output("\x1b[1;31merror\x1b[0m: x\n 10%\r 50%\r100%\r\ndone") == "error: x\n100%\ndone"


def test_one_line_folds_white_space() -> None:
    assert one_line(" a\n\tb  c ") == "a b c"


@given(ANY_TEXT, st.integers(0, 30))
def test_fit_never_exceeds_the_width(text: str, width: int) -> None:
    line = one_line(text)
    assert cell_len(fit(line, width)) <= width


def test_fit_keeps_joined_emoji_whole() -> None:
    assert fit("👨‍👩‍👧 family", 5) == "👨‍👩‍👧 f…"
