"""Code as rows on a tinted ground: highlighted where the language is known, wrapped anywhere, copied unwrapped."""

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

from rich.segment import Segment
from rich.style import Style

from openclaw_tui.constants import CODE_HIGHLIGHT_MAX_LINE_CHARS
from openclaw_tui.ui.textual.rendering.markdown_blocks import Chunk
from openclaw_tui.ui.textual.rendering.palette import Palette
from openclaw_tui.ui.textual.rendering.rows import Row, filled, prefixed, split_lines, wrap
from openclaw_tui.ui.textual.rendering.safe_text import fit

_PAD = "  "

_ROLES = (
    ("Comment", "comment"),
    ("Keyword.Constant", "number"),
    ("Keyword", "keyword"),
    ("Operator.Word", "keyword"),
    ("Literal.String", "string"),
    ("Literal.Number", "number"),
    ("Name.Function", "function"),
    ("Name.Class", "type"),
    ("Name.Exception", "type"),
    ("Name.Tag", "keyword"),
    ("Name.Attribute", "function"),
    ("Name.Decorator", "decorator"),
    ("Name.Builtin", "function"),
    ("Generic.Inserted", "string"),
    ("Generic.Deleted", "error_token"),
    ("Generic.Heading", "type"),
    ("Generic.Subheading", "type"),
)
"""Token families of the lexers and the palette field that paints them; the first that fits wins."""


def code_rows(chunk: Chunk, width: int, palette: Palette) -> list[Row]:
    """Rows of one (part of a) code block, each filled to the width."""
    rows: list[Row] = []
    if chunk.opens and chunk.language:
        label = fit(chunk.language, max(1, width - 2 * len(_PAD)))
        rows.append(Row([Segment(_PAD + label, palette.code_label)], whole="", join=""))
    pad = [Segment(_PAD, palette.code)]
    runs = highlighted(chunk.text, chunk.language, chunk.context, palette)
    for line in split_lines(runs):
        rows += prefixed(wrap(line, max(1, width - 2 * len(_PAD)), hard=True), pad, pad)
    return [filled(row, width, palette.code) for row in rows]


def highlighted(code: str, language: str, context: str, palette: Palette) -> list[Segment]:
    """Runs of the code; `context` is read before it for the lexer's state and left out."""
    lexer = _lexer(language.lower())
    if lexer is None or any(len(line) > CODE_HIGHLIGHT_MAX_LINE_CHARS for line in code.split("\n")):
        return [Segment(code, palette.code)]
    skip = len(context) + 1 if context else 0
    text = f"{context}\n{code}" if context else code
    runs: list[Segment] = []
    for start, token_type, value in lexer(text):
        if start + len(value) > skip:
            runs.append(Segment(value[max(0, skip - start) :], _style(token_type, palette)))
    return runs


@lru_cache(maxsize=64)
def _lexer(language: str) -> Callable[[str], Iterable[tuple[int, Any, str]]] | None:
    """The tokenizer of a language, None where there is no such. Loaded at first use: lexers are slow to import."""
    if not language or language in ("text", "plain", "plaintext", "txt"):
        return None
    from rich.syntax import Syntax

    lexer: Any = Syntax("", language).lexer
    return None if lexer is None else _tokens_of(lexer)


def _tokens_of(lexer: Any) -> Callable[[str], Iterable[tuple[int, Any, str]]]:
    return lambda text: lexer.get_tokens_unprocessed(text)


@lru_cache(maxsize=512)
def _role(token_type: Any) -> str:
    name = str(token_type).removeprefix("Token.")
    return next((role for family, role in _ROLES if name == family or name.startswith(family + ".")), "code")


def _style(token_type: Any, palette: Palette) -> Style:
    style: Style = getattr(palette, _role(token_type))
    return style
