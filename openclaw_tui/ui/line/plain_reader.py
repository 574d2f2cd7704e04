"""Typed lines without any redrawing: dumb terminals, screen readers, pipes. The terminal itself edits and echoes.

Lines that arrive faster than fingers type are a paste and make one message. A line that ends in a backslash goes on in
the next one.
"""

import sys

from openclaw_tui.constants import PASTE_BURST_SECONDS
from openclaw_tui.ui.line.reader import Hooks, TypedLine
from openclaw_tui.ui.stdin_source import StdinSource


class PlainReader:
    """The label is shown once where something is waited for, and never while the agent writes."""

    def __init__(self, hooks: Hooks) -> None:
        self._hooks = hooks
        self._is_terminal = sys.stdin is not None and sys.stdin.isatty()
        self._source = StdinSource()
        self._is_waiting = False
        self._label = ""

    @property
    def is_live(self) -> bool:
        return self._is_terminal

    async def read(self) -> TypedLine:
        self._is_waiting = True
        self.refresh()
        try:
            lines = [await self._next_line()]
            while lines[-1].endswith("\\"):
                lines[-1] = lines[-1][:-1]
                lines.append(await self._next_line())
            if self._is_terminal:
                lines += [_decoded(line) for line in await self._source.lines_within(PASTE_BURST_SECONDS)]
        finally:
            self._is_waiting = False
            self._label = ""
        return TypedLine("\n".join(lines))

    def write(self, text: str) -> None:
        sys.stdout.write(f"\n{text}" if self._label else text)
        sys.stdout.flush()
        self._label = ""

    def refresh(self) -> None:
        """Show the label where something is waited for: idle, or a question."""
        if not (self._is_waiting and self._is_terminal) or (self._hooks.is_busy() and not self._hooks.is_asking()):
            return
        label = self._hooks.label()
        if label != self._label:
            self.write(label)
            self._label = label

    def put_draft(self, text: str) -> None:
        """There is no editor to put it into; it is shown, to be copied."""
        if text:
            self.write(f"not sent: {text}\n")

    def remember(self, text: str) -> None:
        return

    def leave(self) -> None:
        self._source.end()

    def close(self) -> None:
        return

    async def _next_line(self) -> str:
        line = await self._source.line()
        if line is None:
            raise EOFError
        return _decoded(line)


def _decoded(line: bytes) -> str:
    return line.decode("utf-8", "replace")
