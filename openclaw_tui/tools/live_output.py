"""Live output of a command on its way to a screen: whole lines, cleaned, not too often."""

import asyncio
from collections.abc import Callable

from openclaw_tui.constants import EXEC_PROGRESS_SECONDS, EXEC_TAIL_CHARS
from openclaw_tui.tools.terminal_text import clean_terminal_text


class LiveOutput:
    """Takes chunks of bytes; gives pieces of text. Of a flood only the latest part is shown."""

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show
        self._waiting = bytearray()
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False

    def feed(self, chunk: bytes) -> None:
        if self._closed:
            return
        self._waiting += chunk
        del self._waiting[: -4 * EXEC_TAIL_CHARS]
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(EXEC_PROGRESS_SECONDS, self._flush)

    def close(self) -> None:
        """Show the rest and stop."""
        if self._timer is not None:
            self._timer.cancel()
        self._flush(whole=True)
        self._closed = True

    def _flush(self, whole: bool = False) -> None:
        self._timer = None
        end = len(self._waiting) if whole or len(self._waiting) > EXEC_TAIL_CHARS else self._waiting.rfind(b"\n") + 1
        piece = bytes(self._waiting[:end])
        del self._waiting[:end]
        text = clean_terminal_text(piece.decode("utf-8", "replace"))[-EXEC_TAIL_CHARS:]
        if text:
            self._show(text)
