"""Typed lines without any redrawing: dumb terminals, screen readers, pipes. The terminal itself edits and echoes.

Lines that arrive faster than fingers type are a paste and make one message. A line that ends in a backslash goes on in
the next one.
"""

import asyncio
import os
import sys
import threading

from openclaw_tui.constants import PASTE_BURST_SECONDS
from openclaw_tui.ui.line.reader import Hooks, TypedLine

_READ_BYTES = 1 << 16


class PlainReader:
    """Reads standard input in a thread of its own, so that any kind of input works and leaving never waits for it."""

    def __init__(self, hooks: Hooks) -> None:
        self._hooks = hooks
        self._is_terminal = sys.stdin.isatty()
        self._loop = asyncio.get_running_loop()
        self._chunks: asyncio.Queue[bytes] = asyncio.Queue()
        self._pending = b""
        self._ended = False
        self._is_waiting = False
        self._label = ""
        threading.Thread(target=self._pump, args=(sys.stdin.fileno(),), daemon=True).start()

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
            lines += await self._rest_of_paste() if self._is_terminal else []
        finally:
            self._is_waiting = False
            self._label = ""
        return TypedLine("\n".join(lines))

    def write(self, text: str) -> None:
        sys.stdout.write(f"\n{text}" if self._label else text)
        sys.stdout.flush()
        self._label = ""

    def refresh(self) -> None:
        """Show the label once where something is waited for: idle, or a question."""
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
        self._chunks.put_nowait(b"")

    def close(self) -> None:
        return

    async def _next_line(self) -> str:
        while b"\n" not in self._pending:
            if self._ended:
                if self._pending:
                    break
                raise EOFError
            chunk = await self._chunks.get()
            self._ended = not chunk
            self._pending += chunk
        line, _, self._pending = self._pending.partition(b"\n")
        return line.removesuffix(b"\r").decode("utf-8", "replace")

    async def _rest_of_paste(self) -> list[str]:
        lines: list[str] = []
        while True:
            try:
                chunk = await asyncio.wait_for(self._chunks.get(), PASTE_BURST_SECONDS)
            except TimeoutError:
                return lines
            if not chunk:
                self._ended = True
                return lines
            self._pending += chunk
            while b"\n" in self._pending:
                lines.append(await self._next_line())

    def _pump(self, descriptor: int) -> None:
        """In a thread: everything that comes, an empty piece at the end."""
        chunk = b"-"
        while chunk:
            try:
                chunk = os.read(descriptor, _READ_BYTES)
                self._loop.call_soon_threadsafe(self._chunks.put_nowait, chunk)
            except (OSError, RuntimeError):
                return
