"""The one place that gives the terminal back as it was found, whatever ended the program.

A guard is taken before the first byte is written. Leaving it resets every mode this program or its toolkit may have
set; resetting a mode that is not set does nothing. KILL cannot be caught, so the next start resets first.
"""

import contextlib
import os
import signal
import sys
import termios
from types import FrameType, TracebackType
from typing import Any

_MODES_OFF = "".join(
    f"\x1b[?{mode}l"
    for mode in (
        2004,  # bracketed paste
        1000,  # mouse: clicks
        1002,  # mouse: drags
        1003,  # mouse: every move
        1005,  # mouse: UTF-8 form
        1006,  # mouse: SGR form
        1015,  # mouse: urxvt form
        1016,  # mouse: in pixels
        1004,  # focus reports
        2048,  # size reports
        2026,  # synchronized output
    )
)
RESET = f"{_MODES_OFF}\x1b[<u\x1b[?7h\x1b[0m\x1b[?25h"
"""Modes off, kitty keys popped, line wrap on, plain text, cursor shown."""

LEAVE_SCREEN = "\x1b[?1049l"
_SIGNALS = (signal.SIGTERM, signal.SIGHUP)


class TerminalGuard:
    """`with TerminalGuard.take():` around everything that touches the terminal."""

    def __init__(self, input_fd: int, output_fd: int) -> None:
        self.input_fd = input_fd
        self.output_fd = output_fd
        self.attributes: list[Any] = termios.tcgetattr(input_fd)
        self.on_other_screen = False
        self._old_handlers: dict[signal.Signals, Any] = {}

    @classmethod
    def take(cls) -> "TerminalGuard":
        """Guards standard input and output, which must be terminals."""
        return cls(sys.stdin.fileno(), sys.stdout.fileno())

    def __enter__(self) -> "TerminalGuard":
        for which in _SIGNALS:
            self._old_handlers[which] = signal.signal(which, _leave_on_signal)
        self.write(RESET)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.restore()
        for which, handler in self._old_handlers.items():
            signal.signal(which, handler)

    def enter_screen(self) -> None:
        """Switch to the alternate screen."""
        self.on_other_screen = True
        self.write("\x1b[?1049h")

    def write(self, text: str) -> None:
        """Straight to the terminal. A terminal that is gone (HUP) is no reason to fail."""
        data = text.encode("utf-8", "replace")
        with contextlib.suppress(OSError):
            while data:
                data = data[os.write(self.output_fd, data) :]

    def restore(self) -> None:
        """Put everything back. May be called more than once."""
        self.write(RESET + (LEAVE_SCREEN if self.on_other_screen else ""))
        self.on_other_screen = False
        with contextlib.suppress(termios.error, OSError):
            termios.tcsetattr(self.input_fd, termios.TCSAFLUSH, self.attributes)


def _leave_on_signal(number: int, frame: FrameType | None) -> None:
    """Before the screen has its own handlers: unwind, so that the guard restores."""
    raise SystemExit(128 + number)
