"""Tool output limited at its source: the beginning and the end in the context, the whole in a private file.

A log that fills the window pushes out what the model needs, so every tool passes its text through here. What is cut
is told with real numbers and with the way to the rest. Invariants: the result never exceeds its byte and line limits,
the marker included; cuts fall on line ends where a line fits at all; no character is split.
"""

import os
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from openclaw_tui.atomic_write import make_private_dir
from openclaw_tui.constants import (
    EXEC_SPILL_MAX_BYTES,
    HEAD_SHARE,
    IO_CHUNK_BYTES,
    MAX_LINE_CHARS,
    TOOL_OUTPUT_MAX_BYTES,
    TOOL_OUTPUT_MAX_LINES,
    TOOL_OUTPUT_MIN_BYTES,
)


class OutputLimits(msgspec.Struct, frozen=True):
    """`max_bytes` of UTF-8 and `max_lines` for the whole result, `max_line_chars` for each line in it."""

    max_bytes: int = TOOL_OUTPUT_MAX_BYTES
    max_lines: int = TOOL_OUTPUT_MAX_LINES
    max_line_chars: int = MAX_LINE_CHARS


DEFAULT_LIMITS = OutputLimits()
_BY_FILE = " (read it by offset and limit, or grep it)"


class Totals(msgspec.Struct, frozen=True):
    """What the whole output measures: bytes and lines."""

    size: int
    lines: int


class BoundedText(msgspec.Struct, frozen=True):
    """`text` is what the model gets. Totals are of the whole output; `full_output` is the file that holds it."""

    text: str
    truncated: bool
    total_bytes: int
    total_lines: int
    full_output: Path | None = None


@dataclass(slots=True)
class SpillStore:
    """Private files (0600 in a 0700 folder) for whole outputs, each capped at `max_bytes`."""

    directory: Path
    max_bytes: int = EXEC_SPILL_MAX_BYTES
    _made: list[Path] = field(default_factory=list)

    def create(self, label: str = "output") -> Path:
        """A new empty private file, for an output that is written as it comes."""
        make_private_dir(self.directory)
        descriptor, name = tempfile.mkstemp(prefix=f"{label}-", suffix=".txt", dir=self.directory)
        os.close(descriptor)
        path = Path(name)
        self._made.append(path)
        return path

    def save(self, content: str | bytes | Path, label: str = "output") -> Path:
        """Keep a whole output; a path is copied. Raises OSError."""
        target = self.create(label)
        with target.open("wb") as handle:
            if isinstance(content, Path):
                _copy_bounded(content, handle.fileno(), self.max_bytes)
            else:
                data = content if isinstance(content, bytes) else content.encode("utf-8", "replace")
                handle.write(data[: self.max_bytes])
        return target

    def clear(self) -> None:
        """Remove every file this store made."""
        for path in self._made:
            path.unlink(missing_ok=True)
        self._made.clear()


def bound_output(
    text: str,
    limits: OutputLimits = DEFAULT_LIMITS,
    *,
    spill: SpillStore | None = None,
    label: str = "output",
    hint: str = "",
) -> BoundedText:
    """Cut `text` to its head (70 %) and tail (30 %). `hint` says how to ask for less, in a few words."""
    lines = _lines_of(text)
    total_bytes = _size(text)
    shortened = [_short_line(line, limits.max_line_chars) for line in lines]
    long_lines = sum(1 for line in lines if len(line) > limits.max_line_chars)
    if not long_lines and total_bytes <= limits.max_bytes and len(lines) <= limits.max_lines:
        return BoundedText(text, False, total_bytes, len(lines))
    path = spill.save(text, label) if spill is not None else None
    totals = Totals(total_bytes, len(lines))
    if long_lines and len(lines) < limits.max_lines:
        body = "\n".join([*shortened, _long_line_note(long_lines, path, hint)])
        if _size(body) <= limits.max_bytes:
            return BoundedText(body, True, total_bytes, len(lines), path)
    return join_head_and_tail(shortened, shortened, totals, limits, path=path, hint=hint)


def join_head_and_tail(
    head: list[str], tail: list[str], totals: Totals, limits: OutputLimits, *, path: Path | None, hint: str
) -> BoundedText:
    """Head lines and tail lines of one output around the marker; both lists may be the whole."""
    max_bytes = max(limits.max_bytes, TOOL_OUTPUT_MIN_BYTES)
    reserve = _size(_marker(totals.lines, totals, totals.size, path, hint)) + 2
    if reserve > max_bytes // 2:
        path_in_marker, hint = None, ""
        reserve = _size(_marker(totals.lines, totals, totals.size, None, "")) + 2
    else:
        path_in_marker = path
    room = max_bytes - reserve
    line_room = max(limits.max_lines, 3) - 1
    head_room, head_lines = int(room * HEAD_SHARE), max(1, int(line_room * HEAD_SHARE))
    first = _take(head, head_room, head_lines)
    last = _take(reversed(tail), room - head_room, line_room - head_lines, from_end=True)[::-1]
    shown = sum(_size(line) + 1 for line in (*first, *last))
    left_out = max(0, totals.lines - len(first) - len(last))
    marker = _marker(left_out, totals, max(0, totals.size - shown), path_in_marker, hint)
    text = "\n".join([*first, marker, *last])
    return BoundedText(text, True, totals.size, totals.lines, path)


def name_by_recall(text: str, path: Path, result_id: str) -> str:
    """A marker's path replaced by the id under which the output can be looked up from now on."""
    way = f'recall("{result_id}")'
    return text.replace(f"{path}{_BY_FILE}", f"{way} with lines or a pattern").replace(str(path), way)


def cut_to_bytes(text: str, max_bytes: int) -> str:
    """The longest beginning of `text` that fits in `max_bytes` of UTF-8."""
    if _size(text) <= max_bytes:
        return text
    return text.encode("utf-8", "replace")[: max(0, max_bytes)].decode("utf-8", "ignore")


def _marker(left_out_lines: int, totals: Totals, left_out_bytes: int, path: Path | None, hint: str) -> str:
    parts = [
        f"[... {left_out_lines:,} of {totals.lines:,} lines and {left_out_bytes:,} of {totals.size:,} bytes"
        " are left out here."
    ]
    if path is not None:
        parts.append(f"Whole output: {path}{_BY_FILE}.")
    parts.append("The same call gives the same cut" + (f"; {hint}." if hint else "."))
    return " ".join(parts) + "]"


def _long_line_note(count: int, path: Path | None, hint: str) -> str:
    where = f" Whole output: {path}." if path is not None else ""
    return f"[{count:,} long line{'s' if count > 1 else ''} cut.{where}{f' {hint}.' if hint else ''}]"


def _short_line(line: str, max_chars: int) -> str:
    if len(line) <= max_chars:
        return line
    return f"{line[:max_chars]} [... line cut here, it has {len(line):,} characters]"


def _take(lines: Iterable[str], room: int, max_lines: int, *, from_end: bool = False) -> list[str]:
    """Whole lines while they fit; a first line that does not fit at all is cut."""
    taken: list[str] = []
    for line in lines:
        if len(taken) >= max_lines:
            break
        size = _size(line) + 1
        if size > room:
            if not taken and room > 1:
                taken.append(_end_of(line, room - 1) if from_end else cut_to_bytes(line, room - 1))
            break
        taken.append(line)
        room -= size
    return taken


def _end_of(text: str, max_bytes: int) -> str:
    return text.encode("utf-8", "replace")[-max_bytes:].decode("utf-8", "ignore") if max_bytes > 0 else ""


def _lines_of(text: str) -> list[str]:
    lines = text.split("\n")
    if len(lines) > 1 and not lines[-1]:
        lines.pop()
    return lines


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


def _copy_bounded(source: Path, descriptor: int, max_bytes: int) -> None:
    with source.open("rb") as handle:
        for chunk in _chunks(iter(lambda: handle.read(IO_CHUNK_BYTES), b""), max_bytes):
            os.write(descriptor, chunk)


def _chunks(source: Iterator[bytes], max_bytes: int) -> Iterator[bytes]:
    left = max_bytes
    for chunk in source:
        if left <= 0:
            return
        yield chunk[:left]
        left -= len(chunk)
