"""Standard input without blocking the loop: read in a daemon thread, so that leaving never waits for it.

A thread of the loop's own pool would be waited for at the end, and a pipe that is never closed would hang the program.
"""

import asyncio
import os
import select
import sys
import threading

_READ_BYTES = 1 << 16


class StdinSource:
    """Pieces as they come, an empty one at the end. Made on the loop that reads from it."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._chunks: asyncio.Queue[bytes] = asyncio.Queue()
        self._pending = b""
        self._ended = sys.stdin is None
        if sys.stdin is not None:
            threading.Thread(target=self._pump, args=(sys.stdin.fileno(),), daemon=True).start()

    def end(self) -> None:
        """Let whoever waits go on as if the input had ended."""
        self._chunks.put_nowait(b"")

    async def line(self) -> bytes | None:
        """The next line without its end, None at the end of the input. A last line without an end counts."""
        while b"\n" not in self._pending and not self._ended:
            self._take(await self._chunks.get())
        if not self._pending:
            return None
        line, _, self._pending = self._pending.partition(b"\n")
        return line.removesuffix(b"\r")

    async def lines_within(self, seconds: float) -> list[bytes]:
        """Whole lines that follow faster than this, each counted from the one before."""
        lines: list[bytes] = []
        while True:
            while b"\n" in self._pending:
                line, _, self._pending = self._pending.partition(b"\n")
                lines.append(line.removesuffix(b"\r"))
            try:
                self._take(await asyncio.wait_for(self._chunks.get(), seconds))
            except TimeoutError:
                return lines
            if self._ended:
                return lines

    def _take(self, chunk: bytes) -> None:
        self._ended = self._ended or not chunk
        self._pending += chunk

    def _pump(self, descriptor: int) -> None:
        """In the thread: everything that comes, an empty piece at the end."""
        chunk = b"-"
        while chunk:
            try:
                chunk = os.read(descriptor, _READ_BYTES)
            except OSError:
                chunk = b""
            try:
                self._loop.call_soon_threadsafe(self._chunks.put_nowait, chunk)
            except RuntimeError:
                return


def piped_text(*, wait_seconds: float | None) -> str | None:
    """All of a standard input that is no terminal, as UTF-8; "" where there is none.

    None when nothing came within `wait_seconds`: a pipe that somebody left open must not hold up a run that has its
    prompt already. With None as the limit it is waited for.
    """
    if sys.stdin is None or sys.stdin.isatty():
        return ""
    descriptor = sys.stdin.fileno()
    if wait_seconds is not None and not select.select([descriptor], [], [], wait_seconds)[0]:
        return None
    return sys.stdin.buffer.read().decode("utf-8", "replace")
