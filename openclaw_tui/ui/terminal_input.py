"""What a terminal sends, taken apart before any key is read from it: typed text, pastes, and answers to our questions.

Why before: inside a paste nothing may act as a key, whatever bytes it holds, and an answer that comes late must not be
typed into the prompt. Pure text in, pieces out; both the raw first frame and the full screen read through it.
"""

import re
from dataclasses import dataclass
from typing import TypeAlias

from openclaw_tui.constants import TERMINAL_REPLY_MAX_CHARS

PASTE_START = "\x1b[200~"
PASTE_END = "\x1b[201~"

_MARK = re.compile(
    "|".join(
        [
            r"(?P<start>\x1b\[200~)",
            r"(?P<end>\x1b\[201~)",
            r"(?P<reply>\x1b\][0-9]+;[^\x07\x1b]*(?:\x07|\x1b\\)|\x1bP[^\x1b]*\x1b\\|\x1b_[^\x1b]*\x1b\\|\x1b\[\?[0-9;]*c)",
        ]
    )
)
_OPEN_REPLY = re.compile(r"\x1b(?:\][^\x07\x1b]*|P[^\x1b]*|_[^\x1b]*|\[\?[0-9;]*)\x1b?$")
_CONTROL = {code: chr(0x2400 + code) for code in range(32) if code not in (9, 10)} | {0x7F: "␡"}
_C1 = {code: f"⟨{code:04X}⟩" for code in range(0x80, 0xA0)}

_KEYPAD = re.compile(r"\x1bO([j-yX])")
_KEYPAD_TEXT = dict(zip("jklmnopqrstuvwxyX", "*+,-./0123456789=", strict=True))
_PLAIN_CODE = re.compile(r"\x1b\[(\d+)(?:;([12]))?u")
_OTHER_KEY = re.compile(r"\x1b\[27;(\d+);(\d+)~")
_KITTY_KEYPAD = (
    {57399 + digit: str(digit) for digit in range(10)}
    | dict(zip(range(57409, 57414), "./*-+", strict=True))
    | {57415: "=", 57416: ","}
)


@dataclass(frozen=True, slots=True)
class Keys:
    """Typed text and key sequences."""

    text: str


@dataclass(frozen=True, slots=True)
class Paste:
    """One pasted block, clean: line feeds only, no control character."""

    text: str


@dataclass(frozen=True, slots=True)
class Reply:
    """The terminal's answer to a question."""

    text: str


Piece: TypeAlias = Keys | Paste | Reply


def clean_paste(text: str) -> str:
    """The pasted text with every line end as one line feed and every other control character as a visible mark."""
    return text.replace("\r\n", "\n").replace("\r", "\n").translate(_CONTROL).translate(_C1)


def printable_keys(text: str) -> str:
    """Key sequences that stand for one printed character (numeric keypad, shifted keys) as that character.

    Other spellings of modified keys come out in the one form the toolkit knows: Alt+Enter, Shift+Enter.
    """
    text = _KEYPAD.sub(lambda match: _KEYPAD_TEXT[match.group(1)], text)
    text = _OTHER_KEY.sub(lambda match: f"\x1b[{match.group(2)};{match.group(1)}u", text)
    text = text.replace("\x1b\r", "\x1b[13;3u").replace("\x1b\n", "\x1b[13;3u")
    return _PLAIN_CODE.sub(_plain_code, text)


def _plain_code(match: re.Match[str]) -> str:
    code = int(match.group(1))
    if code in _KITTY_KEYPAD:
        return _KITTY_KEYPAD[code]
    printed = _printed(code, match.group())
    return printed.upper() if match.group(2) == "2" and printed.isalpha() and len(printed) == 1 else printed


def _printed(code: int, otherwise: str) -> str:
    is_text = code >= 32 and code != 127 and not 0xE000 <= code <= 0xF8FF and code <= 0x10FFFF
    return chr(code) if is_text and chr(code).isprintable() else otherwise


class InputSplitter:
    """Feed it what was read; `flush` when nothing more came for a moment, so that a lone Esc is not held back."""

    def __init__(self) -> None:
        self._held = ""
        self._in_paste = False

    @property
    def in_paste(self) -> bool:
        return self._in_paste

    @property
    def holds(self) -> bool:
        """Whether something waits for its rest: a few characters, or a paste whose end has not come."""
        return bool(self._held) or self._in_paste

    def feed(self, text: str) -> list[Piece]:
        buffer, self._held = self._held + text, ""
        pieces: list[Piece] = []
        while buffer:
            before = buffer
            buffer = self._take_paste(buffer, pieces) if self._in_paste else self._take_keys(buffer, pieces)
            if buffer == before:
                self._held = buffer
                break
        return pieces

    def flush(self) -> list[Piece]:
        """Let go of a beginning that was none. An unfinished paste stays: its end is still to come."""
        if self._in_paste or not self._held:
            return []
        held, self._held = self._held, ""
        return [Reply(held)] if re.match(r"\x1b\]\d+;", held) else [Keys(printable_keys(held))]

    def _take_paste(self, buffer: str, pieces: list[Piece]) -> str:
        """Up to the end mark. A paste may hold that mark itself: the last one before another start counts."""
        end = buffer.find(PASTE_END)
        if end < 0:
            return buffer
        while (further := buffer.find(PASTE_END, end + 1)) >= 0 and PASTE_START not in buffer[end:further]:
            end = further
        self._in_paste = False
        text = buffer[:end].replace(PASTE_END, "").replace(PASTE_START, "")
        pieces.append(Paste(clean_paste(text)))
        return buffer[end + len(PASTE_END) :]

    def _take_keys(self, buffer: str, pieces: list[Piece]) -> str:
        match = _MARK.search(buffer)
        if match is None:
            cut = len(buffer) - _unfinished(buffer)
            if cut:
                pieces.append(Keys(printable_keys(buffer[:cut])))
            return buffer[cut:]
        if match.start():
            pieces.append(Keys(printable_keys(buffer[: match.start()])))
        if match["start"]:
            self._in_paste = True
        elif match["reply"]:
            pieces.append(Reply(match["reply"]))
        return buffer[match.end() :]


def _unfinished(buffer: str) -> int:
    """How many characters at the end may be the beginning of a paste or of a reply."""
    for length in range(min(len(PASTE_START) - 1, len(buffer)), 0, -1):
        if buffer.endswith(PASTE_START[:length]):
            return length
    match = _OPEN_REPLY.search(buffer)
    return len(match.group()) if match and len(match.group()) <= TERMINAL_REPLY_MAX_CHARS else 0
