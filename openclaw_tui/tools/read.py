"""`read`: a file or a part of it, as text or as a picture.

Bounded while reading, not after: a file of gigabytes costs what is shown of it. What was read is remembered with a
hash, so that a later change can tell whether the file is still the one the model has seen.
"""

import asyncio
import codecs
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from openclaw_tui.constants import MAX_LINE_CHARS, READ_MAX_BYTES, READ_MAX_LINES, READ_SCAN_MAX_BYTES
from openclaw_tui.errors import ToolError
from openclaw_tui.events import Risk
from openclaw_tui.messages import TextBlock, ToolDefinition
from openclaw_tui.tools.base import ToolContext, ToolIntent, ToolOutcome
from openclaw_tui.tools.file_state import FileState, digest_of
from openclaw_tui.tools.file_text import TextFormat, describe_binary, detect_format, is_binary, read_sample
from openclaw_tui.tools.file_window import LineWindow, WindowLimits, read_window
from openclaw_tui.tools.path_hints import missing
from openclaw_tui.tools.pinned_path import pinned
from openclaw_tui.tools.read_image import image_block, image_kind
from openclaw_tui.tools.terminal_text import one_line, show_controls, show_hidden
from openclaw_tui.tools.workspace import Workspace

_DEFINITION = ToolDefinition(
    name="read",
    summary="Read a text or image file",
    description=(
        "Read a file: text (at most 2,000 lines or 10 KB a call; page with offset) or png, jpeg, gif, webp image."
        " byteOffset pages inside a huge line."
    ),
    parameters={
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "offset": {"type": "integer", "minimum": 1, "description": "First line"},
            "limit": {"type": "integer", "minimum": 1, "description": "Number of lines"},
            "byteOffset": {"type": "integer", "minimum": 0},
        },
        "required": ["path"],
        "additionalProperties": False,
    },
)


class ReadTool:
    """Shares a `FileState` with the tools that change files."""

    label = "Read"
    risk: Risk = "read"
    parallel_safe = True
    definition = _DEFINITION

    def __init__(self, files: FileState) -> None:
        self._files = files

    def intent(self, arguments: Mapping[str, Any], workspace: Workspace) -> ToolIntent:
        path = workspace.resolve(arguments["path"])
        return ToolIntent("read", f"Read {one_line(workspace.display(path))}", paths=(path,))

    async def execute(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        path = context.workspace.resolve(arguments["path"])
        outcome, digest = await asyncio.to_thread(_read, path, arguments, context.workspace)
        self._files.record(path, digest)
        return outcome


def _read(path: Path, arguments: Mapping[str, Any], workspace: Workspace) -> tuple[ToolOutcome, str | None]:
    name = one_line(workspace.display(path))
    try:
        with pinned(path) as at:
            return _read_pinned(at, path, arguments, name)
    except FileNotFoundError:
        raise missing(path, workspace) from None
    except OSError as error:
        raise ToolError(f"cannot read {name}: {error.strerror or error}") from error


def _read_pinned(at: Path, path: Path, arguments: Mapping[str, Any], name: str) -> tuple[ToolOutcome, str | None]:
    """`at` is where it is read, `path` what it is called."""
    status = at.stat()
    if stat.S_ISDIR(status.st_mode):
        raise ToolError(f"{name} is a directory; use ls to list it")
    if not stat.S_ISREG(status.st_mode):
        raise ToolError(f"{name} is no regular file (a device, pipe or socket); it is not read")
    sample = read_sample(at)
    kind = image_kind(sample)
    if kind is not None:
        return _read_image(at, path, kind, name)
    if is_binary(sample):
        raise ToolError(f"{name} is binary: {describe_binary(sample)}, {status.st_size:,} bytes; not shown as text")
    text_format = detect_format(sample, whole=status.st_size <= len(sample))
    if arguments.get("byteOffset") is not None:
        return _read_bytes(at, path, text_format, int(arguments["byteOffset"]), name), None
    return _read_lines(at, path, text_format, arguments, name)


def _read_image(at: Path, path: Path, kind: str, name: str) -> tuple[ToolOutcome, str | None]:
    if at.stat().st_size > READ_SCAN_MAX_BYTES:
        raise ToolError(f"{name} has {at.stat().st_size:,} bytes, too many for a picture")
    data = at.read_bytes()
    block, line = image_block(data, kind, name)
    return ToolOutcome((TextBlock(line), block), details={"path": str(path), "mimeType": kind}), digest_of(data)


def _read_lines(
    at: Path, path: Path, text_format: TextFormat, arguments: Mapping[str, Any], name: str
) -> tuple[ToolOutcome, str | None]:
    offset = int(arguments.get("offset") or 1)
    wanted = arguments.get("limit")
    limits = WindowLimits(min(int(wanted or READ_MAX_LINES), READ_MAX_LINES), READ_MAX_BYTES, MAX_LINE_CHARS)
    window = read_window(at, text_format, offset, limits)
    if not window.lines:
        if window.size == 0:
            return _outcome("[The file is empty.]", path, 0), window.digest
        raise ToolError(f"offset {offset} is past the end: {name} has {window.total} lines")
    text, notes = _visible("\n".join(window.lines))
    if text_format.label:
        notes.append(f"[Encoding: {text_format.label}.]")
    notes += _line_notes(window, offset)
    return _outcome("\n".join([text, *notes]), path, len(window.lines)), window.digest


def _line_notes(window: LineWindow, offset: int) -> list[str]:
    notes = []
    for line in window.long_lines[:3]:
        go_on = f" Use byteOffset={line.rest_at} to read on in it." if line.rest_at is not None else ""
        notes.append(
            f"[Line {line.number} has {line.size:,} bytes and was cut at {MAX_LINE_CHARS:,} characters.{go_on}]"
        )
    if len(window.long_lines) > 3:
        notes.append(f"[{len(window.long_lines) - 3} more long lines were cut.]")
    last = offset + len(window.lines) - 1
    if window.total is None:
        notes.append(
            f"[Showing lines {offset}-{last} of a {window.size:,}-byte file. Use offset={last + 1} to continue.]"
        )
    elif last < window.total:
        notes.append(f"[Showing lines {offset}-{last} of {window.total}. Use offset={last + 1} to continue.]")
    return notes


def _read_bytes(at: Path, path: Path, text_format: TextFormat, start: int, name: str) -> ToolOutcome:
    size = at.stat().st_size
    if start >= size:
        raise ToolError(f"byteOffset {start} is past the end: {name} has {size:,} bytes")
    with at.open("rb") as handle:
        start -= start % 2 if text_format.is_wide else 0
        handle.seek(start)
        data = handle.read(READ_MAX_BYTES)
    decoder = codecs.getincrementaldecoder(text_format.encoding)("replace")
    at_the_end = start + len(data) >= size
    decoded = decoder.decode(data.removeprefix(text_format.mark), at_the_end)
    text, notes = _visible(decoded)
    end = start + len(data) - len(decoder.getstate()[0])
    last = f"[Showing bytes {start}-{end} of {size}.{'' if at_the_end else f' Use byteOffset={end} to continue.'}]"
    return _outcome("\n".join([text, *notes, last]), path, text.count("\n") + 1)


def _visible(text: str) -> tuple[str, list[str]]:
    shown = show_hidden(show_controls(text))
    note = f"[{shown.hidden} invisible characters are shown as escapes.]"
    return shown.text, [note] if shown.hidden else []


def _outcome(text: str, path: Path, lines: int) -> ToolOutcome:
    return ToolOutcome((TextBlock(text),), details={"path": str(path), "lines": lines})
