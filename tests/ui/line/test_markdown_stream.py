"""Light Markdown as it streams: the same whatever the pieces, nothing lost, nothing foreign let through."""

import re

from hypothesis import given
from hypothesis import strategies as st

from openclaw_tui.ui.line.markdown_stream import MarkdownStream

_STYLES = re.compile(r"\x1b\[[0-9;]*m")
PIECES = (
    *("word ", "long-word-that-is-wider ", "**bold** ", "`code` ", "*it* ", "\n", "\n\n", "- item ", "# head\n"),
    *("```\n", "你好 ", "| a | b |\n", "1. one ", "x * y ", "\x1b]52;c;AA\x07", "\r\n"),
)
TEXT = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


def rendered(text: str, size: int, *, styled: bool = True, width: int = 30) -> str:
    stream = MarkdownStream(styled, width)
    return "".join(stream.feed(text[at : at + size]) for at in range(0, len(text), size)) + stream.finish()


def visible(text: str) -> str:
    return _STYLES.sub("", text)


def words(text: str) -> str:
    return re.sub(r"[\s*`#]+", "", visible(text))


def test_headings_emphasis_and_code_are_styled_and_their_marks_are_gone() -> None:
    shown = rendered("# Title\n\nsome **bold**, *slanted* and `code`.\n```py\na ** b\n```\n", 7, width=60)
    assert visible(shown) == "Title\n\nsome bold, slanted and code.\n```py\na ** b\n```\n"
    assert "\x1b[1mbold\x1b[0m" in shown


def test_a_long_paragraph_is_given_out_row_by_row_before_it_ends() -> None:
    stream = MarkdownStream(True, 20)
    assert stream.feed("one two three four five six seven") == "one two three four\n"
    assert stream.finish() == "five six seven\n"


def test_items_of_a_list_hang_under_their_text() -> None:
    assert rendered("- one two three four five six\n", 100, width=16) == "- one two three\n  four five six\n"


def test_emphasis_may_run_over_the_end_of_a_row() -> None:
    shown = rendered("so **these words are bold together** here", 3, width=20)
    assert "**" not in shown
    assert visible(shown) == "so these words are\nbold together here\n"


@given(TEXT, st.integers(1, 9))
def test_no_word_is_lost_and_no_control_sequence_comes_through(text: str, size: int) -> None:
    shown = rendered(text.replace("\r", ""), size)
    assert words(shown) == words(text.replace("\r", "").replace("\x1b]52;c;AA\x07", ""))
    assert "\x1b" not in visible(shown)
    assert "\x07" not in shown


@given(TEXT, st.integers(1, 9))
def test_plain_text_passes_as_it_comes_but_clean(text: str, size: int) -> None:
    shown = rendered(text, size, styled=False)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", shown)
