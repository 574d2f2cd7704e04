"""The terminal driver of the full screen: Textual's, with pastes taken apart before keys are read.

Textual reads escape sequences inside a paste as keys (an Enter there would send), lets late answers of the terminal be
typed, and remembers whatever terminal modes it finds; the raw first frame has changed them by then.
"""

import codecs
import os
import selectors
from collections.abc import Callable
from typing import Any, ClassVar

from textual import events
from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver

from openclaw_tui.constants import TERMINAL_SPLIT_SECONDS
from openclaw_tui.ui.terminal_input import InputSplitter, Keys, Paste, Piece, Reply


class ScreenDriver(LinuxDriver):
    """`original_modes` are the terminal's modes before this program; suspending and leaving restore them."""

    original_modes: ClassVar[list[Any] | None] = None

    def start_application_mode(self) -> None:
        start: Callable[[], None] = super().start_application_mode
        start()
        if self.original_modes is not None:
            self.attrs_before = self.original_modes

    def run_input_thread(self) -> None:
        """Read until told to stop; the loop sleeps while nothing is typed."""
        parser, splitter = XTermParser(self._debug), InputSplitter()
        decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                readable = selector.select(TERMINAL_SPLIT_SECONDS if splitter.holds else 0.1)
                if readable:
                    data = os.read(self.fileno, 65_536)
                    if not data:
                        break
                    self._deliver(splitter.feed(decode(data)), parser)
                else:
                    self._deliver(splitter.flush(), parser)
                for event in parser.tick():
                    self.process_message(event)

    def _deliver(self, pieces: list[Piece], parser: XTermParser) -> None:
        for piece in pieces:
            match piece:
                case Keys(text=text):
                    for event in parser.feed(text):
                        self.process_message(event)
                case Paste(text=text):
                    self.process_message(events.Paste(text))
                case Reply():
                    pass
