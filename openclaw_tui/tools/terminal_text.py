"""Text from outside made safe to show and to read: no terminal commands, no invisible orders.

Program output, file names and web pages may hold sequences that move the cursor, set the title or write the
clipboard, and characters nobody sees but a model reads. Here they are removed or become visible. Invariant: the result
holds no control character but tab and line end, and cleaning it again changes nothing.
"""

import re

from openclaw_tui.visible_text import VisibleText as VisibleText
from openclaw_tui.visible_text import picture
from openclaw_tui.visible_text import show_controls as show_controls
from openclaw_tui.visible_text import show_hidden as show_hidden

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


def clean_terminal_text(text: str) -> str:
    """What a person would have seen on a terminal, as plain text.

    Escape sequences go, a link keeps its real target, a carriage return overwrites its line, other control characters
    become pictures (␀), invisible ones escapes.
    """
    if _CONTROL.search(text) is not None:
        text = _without_controls(text)
    return show_hidden(text).text


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
    return _CONTROL.sub(picture, text)


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
