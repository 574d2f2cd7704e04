"""What is typed before the full screen is there: a small line editor without any toolkit.

It knows the keys one uses in half a second: text, Backspace, the arrows, Enter, newline, clear. Positions are counted
in graphemes, so that one Backspace takes one visible character.
"""

import re
import unicodedata
from dataclasses import dataclass, field

_TOKEN = re.compile(r"\x1b\[[0-9;:?<>=]*[ -/]*[@-~]|\x1bO.|\x1b[\s\S]|[\s\S]")
_NEWLINES = {"\n", "\x1b[13;2u", "\x1b[13;3u"}
_JOINER = "\u200d"


@dataclass(slots=True)
class EarlyDraft:
    """`submitted` are texts sent with Enter, in order; `left` says that the user wants to go."""

    graphemes: list[str] = field(default_factory=list)
    cursor: int = 0
    submitted: list[str] = field(default_factory=list)
    left: bool = False

    @property
    def text(self) -> str:
        return "".join(self.graphemes)

    @property
    def cursor_chars(self) -> int:
        """Characters before the cursor."""
        return len("".join(self.graphemes[: self.cursor]))

    def insert(self, text: str) -> None:
        """Text at the cursor, line feeds included; never sends anything."""
        before, after = "".join(self.graphemes[: self.cursor]) + text, self.graphemes[self.cursor :]
        head = graphemes(before)
        self.graphemes = graphemes(before + "".join(after))
        self.cursor = min(len(head), len(self.graphemes))

    def press(self, keys: str) -> None:
        """Typed keys, in order; keys it does not know do nothing."""
        for token in _TOKEN.findall(keys):
            if token in _NEWLINES:
                self.insert("\n")
            elif token == "\r":
                self._enter()
            elif len(token) == 1 and (token >= " " and token != "\x7f" and not "\x80" <= token <= "\x9f"):
                self.insert(token)
            else:
                self._edit(token)

    def _enter(self) -> None:
        if self.cursor and self.graphemes[self.cursor - 1] == "\\":
            self._remove(self.cursor - 1, self.cursor)
            self.insert("\n")
        elif self.text.strip():
            self.submitted.append(self.text)
            self._clear()

    def _edit(self, token: str) -> None:
        match token:
            case "\x7f" | "\x08":
                self._remove(self.cursor - 1, self.cursor)
            case "\x1b[3~":
                self._remove(self.cursor, self.cursor + 1)
            case "\x1b[D" | "\x1bOD" | "\x02":
                self.cursor = max(0, self.cursor - 1)
            case "\x1b[C" | "\x1bOC" | "\x06":
                self.cursor = min(len(self.graphemes), self.cursor + 1)
            case "\x1b[H" | "\x1bOH" | "\x1b[1~" | "\x01":
                self.cursor = 0
            case "\x1b[F" | "\x1bOF" | "\x1b[4~" | "\x05":
                self.cursor = len(self.graphemes)
            case "\x15":
                self._remove(0, self.cursor)
            case "\x17":
                self._remove(self._word_start(), self.cursor)
            case "\x03":
                self.left = not self.graphemes
                self._clear()
            case "\x04":
                self.left = not self.graphemes
            case _:
                pass

    def _remove(self, start: int, end: int) -> None:
        if start < 0:
            return
        del self.graphemes[start:end]
        self.cursor = min(start, len(self.graphemes))

    def _word_start(self) -> int:
        at = self.cursor
        while at and self.graphemes[at - 1].isspace():
            at -= 1
        while at and not self.graphemes[at - 1].isspace():
            at -= 1
        return at

    def _clear(self) -> None:
        self.graphemes, self.cursor = [], 0


def graphemes(text: str) -> list[str]:
    """The text in visible characters: combining marks, joined emoji and flags stay whole."""
    found: list[str] = []
    for char in text:
        if found and (_extends(char) or found[-1].endswith(_JOINER) or _closes_flag(found[-1], char)):
            found[-1] += char
        else:
            found.append(char)
    return found


def cells(grapheme: str) -> int:
    """Terminal columns of one grapheme."""
    first = grapheme[:1]
    if not first or first == "\n":
        return 0
    if unicodedata.east_asian_width(first) in "WF" or "\ufe0f" in grapheme or (_is_flag(first) and len(grapheme) > 1):
        return 2
    return 1


def _extends(char: str) -> bool:
    return (
        unicodedata.combining(char) != 0
        or unicodedata.category(char) in ("Mn", "Me")
        or char
        in (
            _JOINER,
            "\ufe0e",
            "\ufe0f",
        )
        or "\U0001f3fb" <= char <= "\U0001f3ff"
    )


def _is_flag(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _closes_flag(before: str, char: str) -> bool:
    return len(before) == 1 and _is_flag(before) and _is_flag(char)
