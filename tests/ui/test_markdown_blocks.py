"""A growing text is cut only where Markdown begins a new block."""

from hypothesis import given, settings
from hypothesis import strategies as st

from openclaw_tui.constants import CODE_PART_LINES
from openclaw_tui.ui.textual.rendering.markdown_blocks import BlockSplitter, Chunk
from openclaw_tui.ui.textual.rendering.markdown_inline import PARSER
from openclaw_tui.ui.textual.rendering.markdown_rows import chunk_rows
from tests.ui.plain_palette import PLAIN, texts_of

BLOCKS = [
    "A paragraph of words\nover two lines.",
    "# Heading",
    "Setext\n---",
    "- one\n- two\n\n  still two\n- three",
    "1. first\n2. second\n   - inner\n     deep\n3. third",
    "10) ten\n11) eleven",
    "> quoted\n> more\nlazy",
    "```python\nx = 1\n\n# not a heading\n```",
    "~~~\n```\n~~~",
    "- item\n  ```sh\n  ls\n\n  pwd\n  ```\n- next",
    "| a | b |\n|---|--:|\n| 1 | 2 |",
    "***",
    "    indented\n\n    code",
    "text with `code`, **bold** and [a link](http://x.test/y)",
    "<div>not html</div>",
    "* star\n+ plus",
]
DOCUMENT = st.lists(st.tuples(st.sampled_from(BLOCKS), st.sampled_from(["\n\n", "\n", "\n\n\n"])), max_size=8).map(
    lambda parts: "".join(block + gap for block, gap in parts).replace("\n    indented", "\n\n    indented")
)
"""Any order of blocks. Indented code always has a blank line before it: without, it is part of what stands above."""


def _chunks(pieces: list[str]) -> list[Chunk]:
    splitter = BlockSplitter()
    for piece in pieces:
        splitter.feed(piece)
    splitter.finish()
    return splitter.finished


@given(DOCUMENT, st.lists(st.integers(1, 9), min_size=1, max_size=5))
def test_the_cuts_do_not_depend_on_how_the_text_arrives(text: str, sizes: list[int]) -> None:
    pieces, position, turn = [], 0, 0
    while position < len(text):
        size = sizes[turn % len(sizes)]
        pieces.append(text[position : position + size])
        position, turn = position + size, turn + 1
    assert _chunks(pieces) == _chunks([text])


@settings(max_examples=200)
@given(DOCUMENT)
def test_chunks_alone_read_like_the_whole(text: str) -> None:
    whole = [token.content for token in PARSER.parse(text) if token.content.strip()]
    apart: list[str] = []
    for chunk in _chunks([text]):
        if chunk.kind == "code":
            apart += [chunk.text + "\n"] if chunk.text.strip() else []
        else:
            apart += [token.content for token in PARSER.parse(chunk.text) if token.content.strip()]
    assert apart == whole


@given(DOCUMENT, st.integers(0, 200))
def test_what_is_open_and_what_is_finished_is_everything(text: str, cut: int) -> None:
    splitter = BlockSplitter()
    splitter.feed(text[:cut])
    chunk = splitter.open_chunk()
    shown = "\n".join([part.text for part in splitter.finished] + ([chunk.text] if chunk else []))
    fences = {"```", "```python", "```sh", "~~~"}
    kept = [line.strip() for line in text[:cut].split("\n") if line.strip()]
    words = {line.strip() for line in shown.split("\n")}
    assert [line for line in kept if line not in words and line not in fences and set(line) - {"`", "~"}] in (
        [],
        kept[-1:],
    )


def test_an_open_code_block_is_finished_in_parts() -> None:
    splitter = BlockSplitter()
    splitter.feed("```python\n" + "".join(f"x = {number}\n" for number in range(3 * CODE_PART_LINES)))
    parts = splitter.finished
    assert [(part.opens, part.text.count("\n") + 1) for part in parts] == [
        (True, CODE_PART_LINES),
        (False, CODE_PART_LINES),
        (False, CODE_PART_LINES),
    ]
    assert parts[1].context.endswith(f"x = {CODE_PART_LINES - 1}")
    assert all(part.language == "python" for part in parts)


def test_numbered_items_keep_their_numbers_apart() -> None:
    rows = [texts_of(chunk_rows(chunk, 40, PLAIN)) for chunk in _chunks(["1. a\n2. b\n7. c\n"])]
    assert rows == [["1. a"], ["2. b"], ["7. c"]]


def test_gaps_follow_the_source() -> None:
    chunks = _chunks(["Text:\n- a\n- b\n\n- c\n\nEnd\n## H\nafter"])
    assert [(chunk.text, chunk.gap) for chunk in chunks] == [
        ("Text:", True),
        ("- a", False),
        ("- b", False),
        ("- c", True),
        ("End", True),
        ("## H", True),
        ("after", False),
    ]
