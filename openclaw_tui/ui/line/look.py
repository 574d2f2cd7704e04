"""How line mode looks on this terminal: styled, or plain for dumb terminals, screen readers, pipes and NO_COLOR."""

import os
import shutil
import sys

import msgspec

from openclaw_tui.ui.line.markdown_stream import RESET


class Look(msgspec.Struct, frozen=True):
    """`redraws` allows a prompt that is drawn again (toolbar, menus); `styled` allows colours."""

    redraws: bool
    styled: bool

    def paint(self, text: str, *codes: str) -> str:
        """The text in a style, line by line, so that a cut line never leaves a colour behind."""
        if not self.styled or not text:
            return text
        start = "".join(codes)
        return "\n".join(f"{start}{line}{RESET}" if line else line for line in text.split("\n"))

    @property
    def width(self) -> int:
        return max(20, shutil.get_terminal_size().columns - 1)


def detect_look(*, screen_reader: bool = False) -> Look:
    """What the terminal and the environment allow."""
    terminal = sys.stdin.isatty() and sys.stdout.isatty()
    redraws = terminal and not screen_reader and os.environ.get("TERM", "") not in ("", "dumb", "unknown")
    return Look(redraws=redraws, styled=redraws and not os.environ.get("NO_COLOR"))
