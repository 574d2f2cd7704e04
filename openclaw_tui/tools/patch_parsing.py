"""The patch format of `apply_patch`, read into values.

    *** Begin Patch
    *** Add File: path          followed by lines with +
    *** Delete File: path
    *** Update File: path       optionally *** Move to: path, then chunks
    @@ a line that stands before the change
     kept / -removed / +added lines, optionally *** End of File
    *** End Patch

A heredoc or code fence around it and an empty line standing for an empty kept line are understood.
"""

import re
from dataclasses import dataclass, field
from typing import Literal

from openclaw_tui.errors import ToolError

_BEGIN, _END = "*** Begin Patch", "*** End Patch"
_HEADER = re.compile(r"\*\*\* (Add|Delete|Update) File: (.+)")
_MOVE = "*** Move to: "
_END_OF_FILE = "*** End of File"

LineKind = Literal[" ", "-", "+"]


@dataclass(slots=True)
class Chunk:
    """`contexts` are lines to find before the change; `at_end` asks for the end of the file."""

    contexts: list[str] = field(default_factory=list)
    lines: list[tuple[LineKind, str]] = field(default_factory=list)
    at_end: bool = False

    @property
    def old_lines(self) -> list[str]:
        return [text for kind, text in self.lines if kind != "+"]


@dataclass(slots=True)
class FilePatch:
    """What happens to one file. `content` belongs to an added one, `chunks` and `move_to` to an updated one."""

    action: Literal["Add", "Delete", "Update"]
    path: str
    content: str = ""
    move_to: str | None = None
    chunks: list[Chunk] = field(default_factory=list)


def parse_patch(text: str) -> list[FilePatch]:
    """Raises ToolError naming the line that is wrong."""
    lines = _unwrapped(text)
    patches: list[FilePatch] = []
    at = 0
    while at < len(lines):
        if not lines[at].strip():
            at += 1
            continue
        header = _HEADER.fullmatch(lines[at].strip())
        if header is None:
            raise ToolError(
                f"patch line {at + 2}: {lines[at][:80]!r} is no header; expected *** Add File:, *** Update File: or"
                " *** Delete File: with a path"
            )
        end = at + 1
        while end < len(lines) and not _is_header(lines[end]):
            end += 1
        patches.append(_file_patch(header, lines[at + 1 : end], at + 3))
        at = end
    if not patches:
        raise ToolError("the patch names no file")
    return patches


def _is_header(line: str) -> bool:
    return line.startswith("*** ") and not line.startswith(_MOVE) and line.strip() != _END_OF_FILE


def _unwrapped(text: str) -> list[str]:
    """The lines between the begin and end marks."""
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    marks = [number for number, line in enumerate(lines) if line.strip() == _BEGIN]
    ends = [number for number, line in enumerate(lines) if line.strip() == _END]
    if not marks:
        raise ToolError(f"the patch must begin with the line {_BEGIN}")
    if not ends or ends[-1] < marks[0]:
        raise ToolError(f"the patch must end with the line {_END}")
    return lines[marks[0] + 1 : ends[-1]]


def _file_patch(header: re.Match[str], body: list[str], number: int) -> FilePatch:
    action, path = header[1], header[2].strip()
    if action == "Add":
        return FilePatch("Add", path, content=_added(body, path, number))
    if action == "Delete":
        if any(line.strip() for line in body):
            raise ToolError(f"patch line {number}: nothing may follow *** Delete File: {path}")
        return FilePatch("Delete", path)
    move_to = None
    if body and body[0].startswith(_MOVE):
        move_to = body[0].removeprefix(_MOVE).strip()
        body, number = body[1:], number + 1
    chunks = _chunks(body, path, number)
    if not chunks and move_to is None:
        raise ToolError(f"the update of {path} holds no change")
    return FilePatch("Update", path, move_to=move_to, chunks=chunks)


def _added(body: list[str], path: str, number: int) -> str:
    while body and not body[-1].strip():
        body = body[:-1]
    for offset, line in enumerate(body):
        if not line.startswith("+"):
            raise ToolError(f"patch line {number + offset}: each line of the new file {path} must begin with +")
    return "".join(line[1:] + "\n" for line in body)


def _chunks(body: list[str], path: str, number: int) -> list[Chunk]:
    chunks: list[Chunk] = []
    while body and not body[-1]:
        body = body[:-1]
    for offset, line in enumerate(body):
        if line.startswith("@@"):
            _begin_chunk(chunks, line)
        elif line.strip() == _END_OF_FILE:
            if chunks:
                chunks[-1].at_end = True
        elif not line or line[0] in " -+":
            if not chunks or chunks[-1].at_end:
                chunks.append(Chunk())
            kind: LineKind = "-" if line[:1] == "-" else "+" if line[:1] == "+" else " "
            chunks[-1].lines.append((kind, line[1:]))
        else:
            raise ToolError(
                f"patch line {number + offset}: {line[:80]!r} in the update of {path} must begin with"
                " a blank, -, + or @@"
            )
    return [chunk for chunk in chunks if _changes_something(chunk, path)]


def _begin_chunk(chunks: list[Chunk], line: str) -> None:
    context = re.sub(r"^-\d+(,\d+)? \+\d+(,\d+)? @@ ?", "", line[2:].strip())
    if not chunks or chunks[-1].lines:
        chunks.append(Chunk())
    if context:
        chunks[-1].contexts.append(context)


def _changes_something(chunk: Chunk, path: str) -> bool:
    if chunk.contexts and not chunk.lines:
        raise ToolError(f"the chunk at @@ {chunk.contexts[-1][:80]} in the update of {path} holds no lines")
    return any(kind != " " for kind, _ in chunk.lines)
