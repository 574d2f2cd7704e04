"""Foreign text made safe for a terminal: what came from a model, a tool or a file can be shown, never obeyed.

Invariant: what leaves this module holds no control character but the line feed, no lone surrogate and no character
that reorders its neighbours. Nothing is dropped in silence: a control byte becomes a visible mark. Colour codes of
programs are the one exception (`plain_output`): they are presentation, and a mark for each would bury the text.
"""

import re

from rich.cells import cell_len, split_graphemes

from openclaw_tui.constants import TAB_WIDTH

_UNSAFE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
_COLOUR_CODE = re.compile(r"\x1b\[[0-9;:]*m")
_BLANKS = re.compile(r"\s+")
_ELLIPSIS = "…"


def _mark(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    return f"⟨{code:04X}⟩"


def visible(text: str) -> str:
    """The text with CRLF as line feed, tabs as blanks and every control character as a mark."""
    if _UNSAFE.search(text) is None:
        return text
    text = text.replace("\r\n", "\n")
    if "\t" in text:
        text = text.expandtabs(TAB_WIDTH)
    return _UNSAFE.sub(_mark, text)


def plain_output(text: str) -> str:
    """What a program printed: colour codes removed, overwritten progress lines as their last state, then `visible`."""
    if "\x1b" in text:
        text = _COLOUR_CODE.sub("", text)
    if "\r" in text:
        lines = text.replace("\r\n", "\n").split("\n")
        text = "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in lines)
    return visible(text)


def one_line(text: str) -> str:
    """The text on a single line: runs of white space and line breaks become one blank."""
    return visible(_BLANKS.sub(" ", text).strip())


def fit(text: str, width: int) -> str:
    """As much of a single line as fits in `width` cells; an ellipsis marks the cut. Never splits a grapheme."""
    if cell_len(text) <= width:
        return text
    if width <= 1:
        return _ELLIPSIS[:width]
    spans, _ = split_graphemes(text)
    used = 0
    for start, _end, cells in spans:
        if used + cells > width - 1:
            return text[:start].rstrip() + _ELLIPSIS
        used += cells
    return text
