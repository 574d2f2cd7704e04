"""Markdown as rows: structure is kept, links say where they go, nothing is markup."""

import pytest

from openclaw_tui.ui.textual.rendering.code_rows import highlighted
from openclaw_tui.ui.textual.rendering.markdown_blocks import Chunk
from openclaw_tui.ui.textual.rendering.markdown_rows import chunk_rows, code_blocks
from openclaw_tui.ui.textual.rendering.rows import Row, cells_of
from openclaw_tui.ui.textual.rendering.table_rows import column_widths
from tests.ui.plain_palette import PLAIN, text_of, texts_of


def _rows(markdown: str, width: int = 40) -> list[Row]:
    return chunk_rows(Chunk("text", markdown), width, PLAIN)


def _painted(rows: list[Row], text: str) -> str:
    """The palette field that painted a run with this text."""
    style = next(run.style for row in rows for run in row.segments if run.text == text)
    return next(name for name in PLAIN.__struct_fields__ if style and getattr(PLAIN, name).color == style.color)


def test_nested_lists_hang_under_their_bullets() -> None:
    assert texts_of(_rows("1. first item with words to wrap around\n   - inner\n     1. deep", 22)) == [
        "1. first item with",
        "   words to wrap",
        "   around",
        "   ◦ inner",
        "     1. deep",
    ]


def test_quotes_have_a_bar_and_headings_a_style() -> None:
    assert texts_of(_rows("> said\n> again")) == ["│ said", "│ again"]
    assert _painted(_rows("## Title"), "Title") == "heading_two"
    assert _painted(_rows("a `b` c"), "b") == "inline_code"


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        ("[docs](https://evil.test/x)", "docs (https://evil.test/x)"),
        ("[https://good.test](https://evil.test)", "https://good.test (https://evil.test)"),
        ("[https://good.test/](https://good.test)", "https://good.test/"),
        ("<https://good.test>", "https://good.test"),
        ("![plan](a.png)", "[image: plan](a.png)"),
        ("[x](javascript:alert)", "[x](javascript:alert)"),
    ],
)
def test_links_show_their_real_target(markdown: str, shown: str) -> None:
    assert texts_of(_rows(markdown, 60)) == [shown]


@pytest.mark.parametrize(
    "text", ["[/", "[id=14629,state=CLOSED]", "z [b + 3", "[/some/dir]", "[bold]x[/bold]", "<b>x</b>"]
)
def test_brackets_and_tags_are_text(text: str) -> None:
    assert texts_of(_rows(text)) == [text]


def test_character_references_cannot_smuggle_control_characters() -> None:
    assert texts_of(_rows("a&#x202E;b &#27; &#x200f;")) == ["a⟨202E⟩b \ufffd ⟨200F⟩"]


TABLE = "| Name | What it does | n |\n|---|:-:|--:|\n| `a` | words and words | 1 |\n| bb | x | 22 |"


def test_a_table_keeps_its_alignment() -> None:
    assert texts_of(_rows(TABLE)) == [
        "Name │  What it does   │  n",
        "─────┼─────────────────┼───",
        "a    │ words and words │  1",
        "bb   │        x        │ 22",
    ]


def test_a_narrow_table_wraps_its_cells_and_a_tiny_one_becomes_a_list() -> None:
    assert texts_of(_rows(TABLE, 20)) == [
        "Name │ What it  │  n",
        "     │   does   │",
        "─────┼──────────┼───",
        "a    │  words   │  1",
        "     │   and    │",
        "     │  words   │",
        "bb   │    x     │ 22",
    ]
    assert texts_of(_rows(TABLE, 9))[:2] == ["Name: a", "What it"]


@pytest.mark.parametrize("room", range(1, 60))
def test_columns_never_take_more_than_their_room(room: int) -> None:
    widths = column_widths([[4, 30, 2], [9, 12, 3]], room)
    assert sum(widths) <= room
    assert widths or room < 5 + 5 + 3


@pytest.mark.parametrize("width", [1, 2, 3, 7, 20])
def test_nothing_exceeds_a_tiny_width_by_more_than_the_screen_cuts(width: int) -> None:
    for markdown in (TABLE, "- a\n  - b\n    - 中文", "> > > deep", "# 标题", "---", "```py\nx = 1\n```"):
        assert all(text_of(row) is not None and cells_of(row.segments) >= 0 for row in _rows(markdown, width))


def test_code_is_coloured_when_the_language_is_known() -> None:
    rows = chunk_rows(Chunk("code", "def f():\n    return 'x'", language="python"), 30, PLAIN)
    assert texts_of(rows) == ["  python", "  def f():", "      return 'x'"]
    assert all(cells_of(row.segments) == 30 for row in rows)
    assert _painted(rows, "def") == "keyword"
    assert _painted(rows, "f") == "function"


def test_code_of_an_unknown_language_is_plain() -> None:
    runs = highlighted("def f(): [/]", "no-such-language", "", PLAIN)
    assert [(run.text, run.style) for run in runs] == [("def f(): [/]", PLAIN.code)]


def test_a_part_of_a_code_block_knows_what_stood_before_it() -> None:
    runs = highlighted("still text\n'''\nx = 1", "python", "s = '''", PLAIN)
    assert (runs[0].style, "".join(run.text for run in runs)) == (PLAIN.string, "still text\n'''\nx = 1")


def test_code_blocks_are_found_wherever_they_are() -> None:
    text = "```sh\nls  -la\n```\n\n- item\n  ```py\n\tx = 1\n  ```\n\n> ~~~\n> y\n> ~~~\n"
    assert code_blocks(text) == [("sh", "ls  -la"), ("py", "  x = 1"), ("", "y")]
