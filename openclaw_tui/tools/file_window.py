"""A few lines out of a file of any size.

Nothing but the asked lines is ever kept, one endless line included. Files up to a limit are counted and hashed to
their end; of larger ones reading stops behind the window.
"""

import hashlib
import io
from pathlib import Path
from typing import BinaryIO

import msgspec

from openclaw_tui.constants import IO_CHUNK_BYTES, READ_SCAN_MAX_BYTES
from openclaw_tui.errors import ToolError
from openclaw_tui.tools.file_text import TextFormat


class LongLine(msgspec.Struct, frozen=True):
    """A line that was cut. `rest_at` is the byte of the file where the rest begins, None where it is not known."""

    number: int
    size: int
    rest_at: int | None


class LineWindow(msgspec.Struct, frozen=True):
    """`total` (lines) and `digest` are None where the file was not read to its end; `size` is in bytes."""

    lines: tuple[str, ...]
    total: int | None
    digest: str | None
    size: int
    long_lines: tuple[LongLine, ...]


class WindowLimits(msgspec.Struct, frozen=True):
    """At most `lines` lines and `max_bytes` bytes, each line at most `line_chars` characters."""

    lines: int
    max_bytes: int
    line_chars: int


def read_window(path: Path, text_format: TextFormat, offset: int, limits: WindowLimits) -> LineWindow:
    """Line `offset` (from 1) and the following ones. Raises OSError, and ToolError for a huge UTF-16 file."""
    size = path.stat().st_size
    to_the_end = size <= READ_SCAN_MAX_BYTES
    with path.open("rb") as file:
        digest = hashlib.blake2b(digest_size=16)
        if to_the_end:
            for chunk in iter(lambda: file.read(IO_CHUNK_BYTES), b""):
                digest.update(chunk)
            file.seek(0)
        source = _as_utf8(file, text_format, to_the_end) if text_format.is_wide else file
        source.seek(0 if text_format.is_wide else len(text_format.mark))
        before = _skip_lines(source, offset - 1)
        lines, long_lines = _take_lines(source, text_format, offset, limits)
        counted = before + len(lines)
        total = counted + _count_lines(source) if to_the_end or not source.read(1) else None
    return LineWindow(tuple(lines), total, digest.hexdigest() if to_the_end else None, size, tuple(long_lines))


def _as_utf8(file: BinaryIO, text_format: TextFormat, small: bool) -> BinaryIO:
    """UTF-16 and UTF-32 have line ends of several bytes; their text is brought into a form that has not."""
    if not small:
        raise ToolError(f"the file is {text_format.label} and too large to convert; use exec with iconv and read that")
    text = file.read().removeprefix(text_format.mark).decode(text_format.encoding, "replace")
    return io.BytesIO(text.encode("utf-8", "replace"))


def _skip_lines(source: BinaryIO, count: int) -> int:
    """Move behind `count` lines; returns how many there were."""
    skipped = 0
    last = b"\n"
    while skipped < count:
        at = source.tell()
        chunk = source.read(IO_CHUNK_BYTES)
        if not chunk:
            return skipped + (last != b"\n")
        last = chunk[-1:]
        ends = chunk.count(b"\n")
        if skipped + ends < count:
            skipped += ends
            continue
        position = -1
        for _ in range(count - skipped):
            position = chunk.index(b"\n", position + 1)
        source.seek(at + position + 1)
        return count
    return skipped


def _take_lines(
    source: BinaryIO, text_format: TextFormat, number: int, limits: WindowLimits
) -> tuple[list[str], list[LongLine]]:
    encoding = "utf-8" if text_format.is_wide else text_format.encoding
    keep = 4 * limits.line_chars + 4
    lines: list[str] = []
    long_lines: list[LongLine] = []
    used = 0
    while len(lines) < limits.lines:
        start = source.tell()
        kept = source.readline(keep)
        if not kept:
            break
        size = len(kept) - 1 if kept.endswith(b"\n") else len(kept) + _rest_of_line(source)
        text = kept.removesuffix(b"\n").decode(encoding, "replace").removesuffix("\r")
        shown = text[: limits.line_chars]
        cost = len(shown.encode("utf-8", "replace")) + 1
        if lines and used + cost > limits.max_bytes:
            source.seek(start)
            break
        used += cost
        if len(text) > limits.line_chars or size > len(kept):
            rest_at = None if text_format.is_wide else start + _bytes_of(kept, limits.line_chars, encoding)
            long_lines.append(LongLine(number + len(lines), size, rest_at))
            shown += f" [... cut, this line has {size:,} bytes]"
        lines.append(shown)
    return lines, long_lines


def _rest_of_line(source: BinaryIO) -> int:
    """Read to the end of the line; its bytes without the line end."""
    size = 0
    while piece := source.readline(IO_CHUNK_BYTES):
        size += len(piece)
        if piece.endswith(b"\n"):
            return size - 1
    return size


def _bytes_of(kept: bytes, chars: int, encoding: str) -> int:
    """How many bytes of `kept` the first `chars` characters are."""
    for errors in ("strict", "surrogateescape"):
        try:
            return len(kept.decode(encoding, errors)[:chars].encode(encoding, errors))
        except UnicodeError:
            continue
    return min(len(kept), chars)


def _count_lines(source: BinaryIO) -> int:
    """Lines from here to the end."""
    count = 0
    last = b"\n"
    while chunk := source.read(IO_CHUNK_BYTES):
        count += chunk.count(b"\n")
        last = chunk[-1:]
    return count + (last != b"\n")
