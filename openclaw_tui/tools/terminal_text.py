"""Text from outside made safe to show and to read: no terminal commands, no invisible orders.

Program output, file names and web pages may hold sequences that move the cursor, set the title or write the
clipboard, and characters nobody sees but a model reads. Here they are removed or become visible. Invariant: the result
holds no control character but tab and line end, and cleaning it again changes nothing.
"""

import re
from dataclasses import dataclass

from openclaw_tui.constants import HIDDEN_RUN_SPELLED_CHARS

_LINK = re.compile(
    r"(?:\x1b\]|\x9d)8;[^;\x07\x1b\x9c\n]*;(?P<target>[^\x07\x1b\x9c\n]+)(?:\x07|\x1b\\|\x9c)"
    r"(?P<label>[^\n]{0,2000}?)"
    r"(?:\x1b\]|\x9d)8;[^;\x07\x1b\x9c\n]*;(?:\x07|\x1b\\|\x9c)"
)
_SEQUENCE = re.compile(
    r"(?:\x1b\]|\x9d)[^\x07\x1b\x9c\n]*+(?:\x07|\x1b\\|\x9c)?"  # OSC: title, clipboard, colours
    r"|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])(?:[^\x1b\x9c]*+(?:\x1b\\|\x9c)|[^\n\x1b\x9c]*+)"  # DCS, SOS, PM, APC
    r"|(?:\x1b\[|\x9b)[0-?]*+[ -/]*+[@-~]?"  # CSI: colours, cursor, private modes
    r"|\x1b[ -/]*+[0-~]?"
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_RAW_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_FLAG = "\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{2,6}\U000e007f"
_HIDDEN = re.compile(
    f"(?P<flag>{_FLAG})"
    "|(?P<run>[\U000e0000-\U000e007f\u202a-\u202e\u2066-\u2069]+"  # tag block, bidi overrides and isolates
    "|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,})"  # one variation selector is an emoji style, many are a message
)


@dataclass(frozen=True, slots=True)
class VisibleText:
    """`hidden` is the number of characters that could not be seen before."""

    text: str
    hidden: int


def clean_terminal_text(text: str) -> str:
    """What a person would have seen on a terminal, as plain text.

    Escape sequences go, a link keeps its real target, a carriage return overwrites its line, other control characters
    become pictures (␀), invisible ones escapes.
    """
    if _CONTROL.search(text) is not None:
        text = _without_controls(text)
    return show_hidden(text).text


def show_controls(text: str) -> str:
    """Every control character but tab, line ends and form feed as a picture; for text that must stay as it is."""
    return _RAW_CONTROL.sub(_picture, text) if _RAW_CONTROL.search(text) is not None else text


def show_hidden(text: str) -> VisibleText:
    """Tag-block, bidi and piled-up selector characters as escapes. Flag emoji and joiners stay as they are."""
    if text.isascii():
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


def one_line(text: str) -> str:
    """A cleaned text on one line, for titles, file names and status rows."""
    return " ".join(clean_terminal_text(text).split())


def _without_controls(text: str) -> str:
    text = _LINK.sub(_link_with_target, text)
    text = _SEQUENCE.sub("", text)
    if "\r" in text:
        text = "\n".join(_last_state(line) for line in re.sub(r"\r+\n", "\n", text).split("\n"))
    if "\b" in text:
        text = "\n".join(_after_backspaces(line) for line in text.split("\n"))
    return _CONTROL.sub(_picture, text)


def _link_with_target(match: re.Match[str]) -> str:
    label, target = match["label"], match["target"]
    return label if label.strip() == target else f"{label} <{target}>"


def _last_state(line: str) -> str:
    """Progress lines are drawn over each other; what was drawn last is what counts."""
    states = [state for state in line.split("\r") if state]
    return states[-1] if states else ""


def _after_backspaces(line: str) -> str:
    kept: list[str] = []
    for char in line:
        if char != "\b":
            kept.append(char)
        elif kept:
            kept.pop()
    return "".join(kept)


def _picture(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    return f"\\x{code:02x}" if code < 0x100 else "\ufffd"
