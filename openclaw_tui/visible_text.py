"""Characters nobody sees but a model reads, made visible: control characters, tag blocks, bidi overrides.

Used for whatever comes from a file or a page, wherever it enters: bootstrap files, skills, notes, tool results.
Invariant: what was made visible once is not changed by a second pass; true flag emoji and joiners stay.
"""

import re

import msgspec

from openclaw_tui.constants import HIDDEN_RUN_SPELLED_CHARS

_RAW_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_FLAG = "\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{2,6}\U000e007f"
_HIDDEN = re.compile(
    f"(?P<flag>{_FLAG})"
    "|(?P<run>[\U000e0000-\U000e007f\u202a-\u202e\u2066-\u2069]+"  # tag block, bidi overrides and isolates
    "|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,})"  # one variation selector is an emoji style, many are a message
)
_CANDIDATE = re.compile("[\u202a-\u202e\u2066-\u2069\ufe00-\ufe0f\U000e0000-\U000e01ef]")
"""One class is searched many times faster than the alternatives above; most texts hold nothing of it."""


_UNSEEN = re.compile(
    "[\u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f"
    "\u3000\u3164\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
"""Characters without width or that look like a blank: in a file they may be meant, in a command to be allowed never."""


class VisibleText(msgspec.Struct, frozen=True):
    """`hidden` is the number of characters that could not be seen before."""

    text: str
    hidden: int


def show_controls(text: str) -> str:
    """Every control character but tab, line ends and form feed as a picture; for text that must stay as it is."""
    return _RAW_CONTROL.sub(picture, text) if _RAW_CONTROL.search(text) is not None else text


def show_unseen(text: str) -> str:
    """Every character without width, and every blank but the plain one, as its number: for what is to be allowed."""
    return text if text.isascii() else _UNSEEN.sub(lambda found: f"⟨{ord(found[0]):04X}⟩", text)


def show_hidden(text: str) -> VisibleText:
    """Tag-block, bidi and piled-up selector characters as escapes. Flag emoji and joiners stay as they are."""
    if text.isascii() or _CANDIDATE.search(text) is None:
        return VisibleText(text, 0)
    hidden = 0

    def spell(match: re.Match[str]) -> str:
        nonlocal hidden
        if match["flag"] is not None:
            return match["flag"]
        run = match["run"]
        hidden += len(run)
        if len(run) <= HIDDEN_RUN_SPELLED_CHARS:
            return "".join(f"\\u{{{ord(char):04X}}}" for char in run)
        return f"\\u{{{ord(run[0]):04X}}}…\\u{{{ord(run[-1]):04X}}} ({len(run)} invisible characters)"

    return VisibleText(_HIDDEN.sub(spell, text), hidden)


def picture(match: re.Match[str]) -> str:
    """A control character as a picture (␀) or an escape."""
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    return f"\\x{code:02x}" if code < 0x100 else "\ufffd"
