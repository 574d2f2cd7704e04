"""The latest output of a process in memory, with the place of each byte in the whole stream.

Readers keep a position and get what came since; what was dropped meanwhile is told in numbers.
"""

from dataclasses import dataclass, field

from openclaw_tui.constants import EXEC_KEEP_CHARS
from openclaw_tui.tools.terminal_text import clean_terminal_text


@dataclass(slots=True)
class RollingOutput:
    """Holds at most `keep_bytes` (and up to twice that for a moment)."""

    keep_bytes: int = EXEC_KEEP_CHARS
    dropped_bytes: int = 0
    dropped_lines: int = 0
    _data: bytearray = field(default_factory=bytearray)

    @property
    def size(self) -> int:
        """Bytes of the whole stream so far: the position at its end."""
        return self.dropped_bytes + len(self._data)

    def feed(self, chunk: bytes) -> None:
        self._data += chunk
        if len(self._data) > 2 * self.keep_bytes:
            surplus = len(self._data) - self.keep_bytes
            self.dropped_lines += self._data.count(b"\n", 0, surplus)
            self.dropped_bytes += surplus
            del self._data[:surplus]

    def since(self, position: int) -> tuple[str, int]:
        """Cleaned text from `position` to the end, and how many bytes of it are no longer held."""
        missed = max(0, self.dropped_bytes - position)
        start = max(0, position - self.dropped_bytes)
        return clean_terminal_text(self._data[start:].decode("utf-8", "replace")), missed

    def lines(self) -> list[str]:
        """The held lines, cleaned; the first has the number `dropped_lines` + 1."""
        text = clean_terminal_text(self._data.decode("utf-8", "replace"))
        lines = text.split("\n")
        return lines[:-1] if lines and not lines[-1] else lines
