"""Chunks of Markdown as rows of a given width: paragraphs, headings, lists, quotes, rules, code and tables.

Pure: the same chunk, width and palette give the same rows. Nested structure is built inside out, the gutter of a list
or quote is put before the rows of its content.
"""

from collections.abc import Sequence

from markdown_it.token import Token
from rich.segment import Segment
from rich.style import Style

from openclaw_tui.ui.textual.rendering.code_rows import code_rows
from openclaw_tui.ui.textual.rendering.markdown_blocks import Chunk
from openclaw_tui.ui.textual.rendering.markdown_inline import PARSER, inline_runs
from openclaw_tui.ui.textual.rendering.palette import Palette
from openclaw_tui.ui.textual.rendering.rows import Row, prefixed, wrap_lines
from openclaw_tui.ui.textual.rendering.table_rows import Cell, table_rows

_BULLETS = "•◦▪"


def chunk_rows(chunk: Chunk, width: int, palette: Palette) -> list[Row]:
    """The rows of one chunk; the text must be safe already (`safe_text.visible`)."""
    if chunk.kind == "code":
        return code_rows(chunk, width, palette)
    return _Blocks(palette).rows(PARSER.parse(chunk.text), width, palette.text)


def quiet_chunk_rows(chunk: Chunk, width: int, palette: Palette) -> list[Row]:
    """The same in the muted style of thinking."""
    if chunk.kind == "code":
        return wrap_lines([Segment(chunk.text, palette.thinking)], width, hard=True)
    return _Blocks(palette).rows(PARSER.parse(chunk.text), width, palette.thinking)


def code_blocks(text: str) -> list[tuple[str, str]]:
    """Language and bare code of each code block of a Markdown text, wherever it is nested."""
    tokens = PARSER.parse(text)
    return [
        ((token.info.split() or [""])[0], token.content.removesuffix("\n"))
        for token in tokens
        if token.type in ("fence", "code_block")
    ]


class _Blocks:
    def __init__(self, palette: Palette) -> None:
        self.palette = palette

    def rows(
        self, tokens: Sequence[Token], width: int, style: Style, *, tight: bool = False, depth: int = 0
    ) -> list[Row]:
        """Rows of sibling blocks, a blank row between them unless the list they are in is tight."""
        rows: list[Row] = []
        index = 0
        while index < len(tokens):
            end = _end_of(tokens, index)
            block = self._block(tokens[index : end + 1], max(1, width), style, depth)
            if rows and block and not (tight and tokens[index].type != "fence"):
                rows.append(Row([]))
            rows += block
            index = end + 1
        return rows

    def _block(self, tokens: Sequence[Token], width: int, style: Style, depth: int) -> list[Row]:
        token = tokens[0]
        match token.type:
            case "paragraph_open" | "inline":
                inline = tokens[1] if token.type == "paragraph_open" else token
                return wrap_lines(inline_runs(inline.children or (), self.palette, style), width)
            case "heading_open":
                return self._heading(int(token.tag[1:]), tokens[1], width)
            case "bullet_list_open" | "ordered_list_open":
                return self._list(tokens, width, style, depth)
            case "blockquote_open":
                bar = [Segment("│ ", self.palette.quote_bar)]
                inner = self.rows(tokens[1:-1], width - 2, self.palette.quote, depth=depth)
                return prefixed(inner, bar, bar, "> ", "> ")
            case "fence" | "code_block":
                language = (token.info.split() or [""])[0]
                return code_rows(
                    Chunk("code", token.content.removesuffix("\n"), language=language), width, self.palette
                )
            case "hr":
                return [Row([Segment("─" * width, self.palette.rule)], whole="---")]
            case "table_open":
                return table_rows(self._cells(tokens), width, self.palette)
            case _:
                return wrap_lines([Segment(token.content, style)], width) if token.content else []

    def _heading(self, level: int, inline: Token, width: int) -> list[Row]:
        style = (self.palette.heading_one, self.palette.heading_two)[level - 1] if level < 3 else self.palette.heading
        return wrap_lines(inline_runs(inline.children or (), self.palette, style), width)

    def _list(self, tokens: Sequence[Token], width: int, style: Style, depth: int) -> list[Row]:
        opening = tokens[0]
        ordered = opening.type == "ordered_list_open"
        number = int(opening.attrGet("start") or 1) if ordered else 0
        rows: list[Row] = []
        index = 1
        while index < len(tokens) - 1:
            end = _end_of(tokens, index)
            content = tokens[index + 1 : end]
            loose = any(token.type == "paragraph_open" and not token.hidden for token in content)
            if rows and loose:
                rows.append(Row([]))
            shown, copied = (f"{number}. ", f"{number}. ") if ordered else (f"{_BULLETS[depth % len(_BULLETS)]} ", "- ")
            inner = self.rows(content, width - len(shown), style, tight=not loose, depth=depth + 1) or [Row([])]
            blank = " " * len(shown)
            rows += prefixed(inner, [Segment(shown, self.palette.bullet)], [Segment(blank)], copied, blank)
            number += 1
            index = end + 1
        return rows

    def _cells(self, tokens: Sequence[Token]) -> list[list[Cell]]:
        table: list[list[Cell]] = []
        for index, token in enumerate(tokens):
            if token.type == "tr_open":
                table.append([])
            elif token.type in ("th_open", "td_open"):
                style = self.palette.text + self.palette.strong if token.type == "th_open" else self.palette.text
                align = str(token.attrGet("style") or "").removeprefix("text-align:")
                inline = tokens[index + 1]
                table[-1].append(Cell(inline_runs(inline.children or (), self.palette, style), align, inline.content))
        return table


def _end_of(tokens: Sequence[Token], start: int) -> int:
    """Index of the token that closes the block which begins at `start`."""
    depth = 0
    for index in range(start, len(tokens)):
        depth += tokens[index].nesting
        if depth == 0:
            return index
    return len(tokens) - 1
