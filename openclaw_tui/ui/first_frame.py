"""The raw first frame: a prompt that takes typing while the full screen is still being imported.

Nothing but the standard library is loaded here. The frame has the geometry of the main screen (rule, prompt, rule,
status line at the bottom), so that the full screen takes over without a jump. What was typed, sent and pasted goes
over with it; bytes that arrive later stay in the terminal's own buffer for the toolkit to read.
"""

import codecs
import os
import re
import select
import shutil
import termios
import tty
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from openclaw_tui.ui.early_draft import EarlyDraft, cells, graphemes
from openclaw_tui.ui.terminal_input import InputSplitter, Keys, Paste, Reply
from openclaw_tui.ui.terminal_restore import TerminalGuard

Background: TypeAlias = Literal["dark", "light"]

_ASK_BACKGROUND = "\x1b]11;?\x1b\\\x1b[c"
"""Which colour is behind the text, and a question every terminal answers: after its answer the other will not come."""

_RGB = re.compile(r"\x1b\]11;rgba?:([0-9a-fA-F]+)/([0-9a-fA-F]+)/([0-9a-fA-F]+)")
_ANSWER_SECONDS = 0.1
_PASTE_SECONDS = 2.0
_PROMPT_SIGN = "› "


@dataclass(frozen=True, slots=True)
class Handover:
    """What the full screen takes over. `cursor` counts characters of the draft."""

    submitted: tuple[str, ...] = ()
    draft: str = ""
    cursor: int = 0
    background: Background | None = None
    left: bool = False


class FirstFrame:
    """Paints and listens until it is told to hand over."""

    def __init__(self, guard: TerminalGuard, status: str) -> None:
        self._guard = guard
        self._status = status
        self._draft = EarlyDraft()
        self._splitter = InputSplitter()
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._background: Background | None = None
        self._answered = False

    def open(self) -> None:
        """Raw mode, alternate screen, first paint."""
        mode = termios.tcgetattr(self._guard.input_fd)
        mode[tty.LFLAG] &= ~(termios.ECHO | termios.ICANON | termios.IEXTEN | termios.ISIG)
        mode[tty.IFLAG] &= ~(termios.IXON | termios.IXOFF | termios.ICRNL | termios.INLCR | termios.IGNCR)
        mode[tty.CC][termios.VMIN] = 1
        mode[tty.CC][termios.VTIME] = 0
        termios.tcsetattr(self._guard.input_fd, termios.TCSANOW, mode)
        self._guard.enter_screen()
        self._guard.write("\x1b[2J\x1b[?2004h" + _ASK_BACKGROUND)
        self._paint()

    def run(self, wake_fd: int, ready: Callable[[], bool]) -> Handover:
        """Take typing until `ready`, which is looked at whenever `wake_fd` can be read."""
        while not ready() and not self._draft.left:
            self._listen(wake_fd, None if not self._splitter.holds else _ANSWER_SECONDS)
        while not self._answered and not self._draft.left and self._listen(None, _ANSWER_SECONDS):
            pass
        while self._splitter.in_paste and self._listen(None, _PASTE_SECONDS):
            pass
        return Handover(
            submitted=tuple(self._draft.submitted),
            draft=self._draft.text,
            cursor=self._draft.cursor_chars,
            background=self._background,
            left=self._draft.left,
        )

    def _listen(self, wake_fd: int | None, seconds: float | None) -> bool:
        """Wait for input; True when some came."""
        watched = [self._guard.input_fd] + ([wake_fd] if wake_fd is not None else [])
        readable, _, _ = select.select(watched, [], [], seconds)
        if wake_fd in readable and wake_fd is not None:
            os.read(wake_fd, 64)
        if self._guard.input_fd not in readable:
            if not readable:
                self._take(self._splitter.flush())
            return False
        data = os.read(self._guard.input_fd, 65_536)
        if not data:
            self._draft.left = True
            return False
        self._take(self._splitter.feed(self._decode(data)))
        return True

    def _take(self, pieces: list[Keys | Paste | Reply]) -> None:
        for piece in pieces:
            match piece:
                case Keys(text=text):
                    self._draft.press(text)
                case Paste(text=text):
                    self._draft.insert(text)
                case Reply(text=text):
                    self._answer(text)
        if any(not isinstance(piece, Reply) for piece in pieces):
            self._paint()

    def _answer(self, text: str) -> None:
        self._answered = self._answered or text.startswith("\x1b[?")
        found = _RGB.match(text)
        if found:
            self._background = background_of(*(int(part, 16) / (16 ** len(part) - 1) for part in found.groups()))

    def _paint(self) -> None:
        width, height = shutil.get_terminal_size()
        self._guard.write(frame(self._draft, self._status, width, height))


def background_of(red: float, green: float, blue: float) -> Background:
    """Whether a colour (parts from 0 to 1) is a light or a dark ground."""
    return "light" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 else "dark"


def background_from_environment(value: str | None) -> Background | None:
    """`COLORFGBG` as some terminals set it: `15;0` is white on black."""
    last = (value or "").rpartition(";")[2]
    if not last.isdigit():
        return None
    return "light" if int(last) in (7, 15) else "dark"


def frame(draft: EarlyDraft, status: str, width: int, height: int) -> str:
    """The escape sequences that paint the whole frame and leave the cursor at the draft's."""
    rows, cursor_row, cursor_column = wrapped(draft, max(1, width - 3))
    shown = max(1, min(len(rows), height - 3, 10))
    first = max(0, min(cursor_row - shown + 1, len(rows) - shown)) if len(rows) > shown else 0
    first = min(first, cursor_row)
    rows = rows[first : first + shown]
    rule = f"\x1b[2m{'─' * width}\x1b[0m"
    lines = [rule, *(f"{_PROMPT_SIGN if n + first == 0 else '  '}{row}" for n, row in enumerate(rows)), rule, ""]
    top = max(1, height - len(lines) + 1)
    sent = [f"\x1b[2m› {text.splitlines()[0][: max(0, width - 3)]}\x1b[0m" for text in draft.submitted[-3:]]
    parts = ["\x1b[?25l\x1b[H\x1b[J"]
    parts += [f"\x1b[{max(1, top - len(sent) + n)};1H{line}" for n, line in enumerate(sent)]
    parts += [f"\x1b[{top + n};1H{line}" for n, line in enumerate(lines) if top + n <= height]
    parts.append(f"\x1b[{height};1H\x1b[2m{status[: max(0, width - 1)]}\x1b[0m")
    row = min(height, top + 1 + cursor_row - first)
    parts.append(f"\x1b[{row};{min(width, cursor_column + 3)}H\x1b[?25h")
    return "".join(parts)


def wrapped(draft: EarlyDraft, width: int) -> tuple[list[str], int, int]:
    """The draft in rows of at most `width` cells, with the row and column of the cursor."""
    rows, column, place = [""], 0, (0, 0)
    for number, grapheme in enumerate([*graphemes(draft.text), ""]):
        if grapheme != "\n" and column + cells(grapheme) > width:
            rows.append("")
            column = 0
        if number == draft.cursor:
            place = (len(rows) - 1, column)
        if grapheme == "\n":
            rows.append("")
            column = 0
        else:
            rows[-1] += " " if grapheme == "\t" else grapheme
            column += cells(grapheme)
    return rows, *place
