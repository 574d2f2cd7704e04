"""What is kept of a tool's output for the screen, and sizes and durations in words."""

from collections.abc import Sequence

from openclaw_tui.constants import TOOL_BODY_HEAD_LINES, TOOL_BODY_LINE_CHARS, TOOL_BODY_TAIL_LINES
from openclaw_tui.ui.textual.rendering.safe_text import plain_output
from openclaw_tui.ui.textual.rendering.sources import OutputSource


def bounded(output: str) -> OutputSource | None:
    """Head and tail of an output; looks at a slice of each end, never at every line of it."""
    room = TOOL_BODY_LINE_CHARS * (TOOL_BODY_HEAD_LINES + TOOL_BODY_TAIL_LINES)
    if len(output) <= room:
        lines = plain_output(output).rstrip("\n").split("\n")
        if lines == [""]:
            return None
        if len(lines) <= TOOL_BODY_HEAD_LINES + TOOL_BODY_TAIL_LINES:
            return OutputSource("\n".join(_cut(lines)))
        total = len(lines)
        head, tail = lines[:TOOL_BODY_HEAD_LINES], lines[-TOOL_BODY_TAIL_LINES:]
    else:
        total = output.count("\n") + 1
        head = plain_output(output[: room // 2]).split("\n")[:TOOL_BODY_HEAD_LINES]
        tail = plain_output(output[-room // 2 :]).rstrip("\n").split("\n")[-TOOL_BODY_TAIL_LINES:]
    hidden = max(0, total - len(head) - len(tail))
    note = f"… {hidden:,} lines not shown" if hidden else f"… {size_text(len(output))} in all, the middle is not shown"
    return OutputSource("\n".join(_cut(head)), "\n".join(_cut(tail)), note)


def _cut(lines: Sequence[str]) -> list[str]:
    limit = TOOL_BODY_LINE_CHARS
    return [line if len(line) <= limit else f"{line[:limit]}… ({len(line):,} characters)" for line in lines]


def size_text(size: int) -> str:
    """A number of bytes for people: `812 B`, `1.2 KB`, `5.0 MB`."""
    if size < 1000:
        return f"{size} B"
    return f"{size / 1000:.1f} KB" if size < 1_000_000 else f"{size / 1_000_000:.1f} MB"


def duration_text(seconds: float) -> str:
    """A duration for people: `0.4 s`, `12 s`, `3 m 20 s`."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{int(seconds) // 60} m {int(seconds) % 60:02d} s"
