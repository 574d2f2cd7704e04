"""Keys typed before the prompt is there: kept, and still the keys they were.

Until a prompt reads, the terminal turns Enter into a line feed, which the prompt would take for Ctrl+J, a new line. So
that translation is switched off as soon as this program has the terminal, and what was typed before is put right.
"""

import contextlib
import os
import select
import sys
import termios
from collections.abc import Iterator

from prompt_toolkit.input import Input
from prompt_toolkit.input.typeahead import store_typeahead
from prompt_toolkit.input.vt100_parser import Vt100Parser
from prompt_toolkit.key_binding.key_processor import KeyPress

_MAX_BYTES = 1 << 16


class KeptKeys:
    """Made once; `restore` gives the terminal back as it was found."""

    def __init__(self, source: Input) -> None:
        self._descriptor = sys.stdin.fileno()
        self._found = termios.tcgetattr(self._descriptor)
        ours = termios.tcgetattr(self._descriptor)
        ours[0] &= ~termios.ICRNL
        ours[3] &= ~(termios.ICANON | termios.ECHO)
        termios.tcsetattr(self._descriptor, termios.TCSANOW, ours)
        store_typeahead(source, list(_keys(self._waiting())))

    def restore(self) -> None:
        with contextlib.suppress(termios.error):
            termios.tcsetattr(self._descriptor, termios.TCSADRAIN, self._found)

    def _waiting(self) -> str:
        if not select.select([self._descriptor], [], [], 0)[0]:
            return ""
        return os.read(self._descriptor, _MAX_BYTES).decode("utf-8", "replace")


def _keys(text: str) -> Iterator[KeyPress]:
    found: list[KeyPress] = []
    parser = Vt100Parser(found.append)
    parser.feed(text.replace("\n", "\r"))
    parser.flush()
    yield from found
