"""An output that arrives in chunks, bounded in memory while it comes.

A command may print gigabytes or one endless line. The first and the latest bytes stay in memory, everything goes to a
private file up to its cap, and at the end the two parts become one bounded text. Reads are by chunk: no line limit.
"""

from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from openclaw_tui.constants import EXEC_KEEP_CHARS
from openclaw_tui.tools.file_text import looks_binary
from openclaw_tui.tools.output import (
    DEFAULT_LIMITS,
    BoundedText,
    OutputLimits,
    SpillStore,
    Totals,
    bound_output,
    join_head_and_tail,
)
from openclaw_tui.tools.terminal_text import clean_terminal_text


class OutputCollector:
    """Feed bytes, then `finish`. The private file is made only when the output outgrows `keep_bytes`."""

    def __init__(self, spill: SpillStore | None = None, *, label: str = "output", keep_bytes: int = EXEC_KEEP_CHARS):
        self._spill = spill
        self._label = label
        self._head_room = keep_bytes // 2
        self._tail_room = keep_bytes - self._head_room
        self._head = bytearray()
        self._tail = bytearray()
        self._size = 0
        self._line_ends = 0
        self._last_byte = b""
        self._file: BinaryIO | None = None
        self._path: Path | None = None

    @property
    def size(self) -> int:
        """Bytes seen so far."""
        return self._size

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes. Raises OSError when the private file cannot be written."""
        if not chunk:
            return
        before = self._size
        self._size += len(chunk)
        self._line_ends += chunk.count(b"\n")
        self._last_byte = chunk[-1:]
        if self._overflowing and self._file is None and self._spill is not None:
            self._path = self._spill.create(self._label)
            self._file = self._path.open("wb")
            self._file.write(self._head + self._tail)
        if self._file is not None and self._spill is not None and before < self._spill.max_bytes:
            self._file.write(chunk[: self._spill.max_bytes - before])
        to_head = self._head_room - len(self._head)
        self._head += chunk[:to_head]
        self._tail += chunk[to_head:] if to_head > 0 else chunk
        if len(self._tail) > 2 * self._tail_room:
            del self._tail[: -self._tail_room]

    def tail_text(self, max_bytes: int) -> str:
        """The latest output, cleaned, for a progress display."""
        recent = bytes(self._tail[-max_bytes:]) or bytes(self._head[-max_bytes:])
        return clean_terminal_text(recent.decode("utf-8", "replace"))

    def finish(self, limits: OutputLimits = DEFAULT_LIMITS, *, hint: str = "") -> BoundedText:
        """Close the private file and give the bounded, cleaned text of what was fed."""
        self.close()
        lines = self._line_ends + (1 if self._last_byte not in (b"", b"\n") else 0)
        if looks_binary(bytes(self._head)):
            path = self._path or self._save_head()
            kept = f"; kept in {path}" if path is not None else ""
            return BoundedText(f"[binary output, {self._size:,} bytes{kept}]", True, self._size, lines, path)
        if not self._overflowing:
            text = clean_terminal_text((self._head + self._tail).decode("utf-8", "replace"))
            return bound_output(text, limits, spill=self._spill, label=self._label, hint=hint)
        head = clean_terminal_text(self._head.decode("utf-8", "replace")).split("\n")
        tail = clean_terminal_text(self._tail[-self._tail_room :].decode("utf-8", "replace")).rstrip("\n").split("\n")
        if len(head) > 1:
            head.pop()
        if len(tail) > 1:
            del tail[0]
        bounded_head = [line[: limits.max_line_chars] for line in head]
        bounded_tail = [line[-limits.max_line_chars :] for line in tail]
        totals = Totals(self._size, lines)
        return join_head_and_tail(bounded_head, bounded_tail, totals, limits, path=self._path, hint=hint)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def __enter__(self) -> "OutputCollector":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    @property
    def _overflowing(self) -> bool:
        return self._size > self._head_room + self._tail_room

    def _save_head(self) -> Path | None:
        return self._spill.save(bytes(self._head + self._tail), self._label) if self._spill is not None else None
