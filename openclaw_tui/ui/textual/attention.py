"""Calls the user back to the terminal: a bell and a desktop notice, as far as the terminal knows how.

Terminals report their focus; while the user looks at this one nothing rings (`ui.notifications`). The text names the
project and what happened, never what was said: notices are shown on locked screens.
"""

from collections.abc import Callable, Mapping
from time import monotonic

from openclaw_tui.constants import NOTICE_MIN_TURN_SECONDS
from openclaw_tui.tools.terminal_text import one_line

_BELL = "\x07"
_URXVT_FORM = ("VTE_VERSION", "RXVT_SOCKET")


class Attention:
    """`write` takes a control sequence; `when` is the setting: off, unfocused or always."""

    def __init__(self, write: Callable[[str], None], environ: Mapping[str, str]) -> None:
        self._write = write
        self._environ = environ
        self.when = "unfocused"
        self.focused = True
        self._began: float | None = None

    def turn_began(self) -> None:
        self._began = monotonic()

    def turn_ended(self, project: str, outcome: str) -> None:
        """Tell of a turn that took its time."""
        began, self._began = self._began, None
        if began is not None and monotonic() - began >= NOTICE_MIN_TURN_SECONDS:
            self._ring(f"{project}: {'ready' if outcome == 'done' else outcome}")

    def asked(self, project: str) -> None:
        """Tell of a question that waits."""
        self._ring(f"{project}: a question waits for you")

    def _ring(self, text: str) -> None:
        if self.when == "off" or (self.when == "unfocused" and self.focused):
            return
        self._write(_BELL + notice_sequence(text, self._environ))


def notice_sequence(text: str, environ: Mapping[str, str]) -> str:
    """OSC 777 for the terminals of that family, OSC 9 for the others; what knows neither shows nothing."""
    said = one_line(text).replace(";", ",")
    if any(environ.get(name) for name in _URXVT_FORM) or environ.get("TERM", "").startswith(("rxvt", "foot")):
        return f"\x1b]777;notify;openclaw-tui;{said}\x1b\\"
    return f"\x1b]9;{said}\x1b\\"
