"""Pastes that cannot act as keys.

A paste is bracketed by two marks. A text that holds the end mark itself would turn its rest into typed keys, a Ctrl+C
among them. So of several end marks in what arrives together only the last one counts, and what is pasted is cleaned.
"""

from collections.abc import Callable

from prompt_toolkit.input.vt100_parser import Vt100Parser
from prompt_toolkit.key_binding.key_processor import KeyPress

from openclaw_tui.tools.terminal_text import clean_terminal_text

_START, _END = "\x1b[200~", "\x1b[201~"


class PasteSafeParser(Vt100Parser):
    """The toolkit's parser of terminal input, with inner end marks taken out of pastes first."""

    def __init__(self, feed_key_callback: Callable[[KeyPress], None]) -> None:
        super().__init__(feed_key_callback)
        self._is_pasting = False

    def feed(self, data: str) -> None:
        super().feed(self._without_inner_marks(data))

    def _without_inner_marks(self, data: str) -> str:
        before, mark, rest = ("", "", data) if self._is_pasting else data.partition(_START)
        if not mark and not self._is_pasting:
            return data
        pasted, end, behind = rest.rpartition(_END)
        self._is_pasting = not end
        if not end:
            return before + mark + rest
        return before + mark + pasted.replace(_END, "").replace(_START, "") + end + behind


def pasted_text(data: str) -> str:
    """A paste as text: line ends of every kind counted once, no terminal commands."""
    return clean_terminal_text(data.replace("\r\n", "\n").replace("\r", "\n"))
