"""A growing Markdown text, cut into finished chunks and the one that is still open.

Why: a finished chunk is rendered once, only the open one again with each frame, so the price of a token does not
depend on the length of the answer. A cut is made only where Markdown itself begins a new block, so that each chunk
means the same alone as in the whole. Invariants: the chunks hold every non-blank line of the text in order; the work
of `feed` depends on the delta alone.

Code fences are recognised here; their content never passes through the Markdown parser. A long one is finished in
parts, each with the lines before it as context for the colours.
"""

import re
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import msgspec
from msgspec.structs import replace

from openclaw_tui.constants import CODE_CONTEXT_LINES, CODE_PART_LINES

ChunkKind: TypeAlias = Literal["text", "heading", "list", "code"]

_FENCE = re.compile(r"( {0,3})(`{3,}(?=[^`]*$)|~{3,})[ ]*(.*)$")
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ ]|$)")
_RULE = re.compile(r" {0,3}(?:\*[ ]*){3,}$| {0,3}(?:-[ ]*){3,}$| {0,3}(?:_[ ]*){3,}$")
_SETEXT = re.compile(r" {0,3}(?:-+|=+)[ ]*$")
_ITEM = re.compile(r"( {0,3})([-*+]|\d{1,9}[.)])( +|$)")
_QUOTE = re.compile(r" {0,3}>")


class Chunk(msgspec.Struct, frozen=True):
    """Some whole blocks of Markdown, or (part of) a code block.

    `gap` asks for a blank row before it. For code, `text` is the bare code, `opens` and `closes` say whether it is
    the first and the last part of its block, and `context` is the code just before this part.
    """

    kind: ChunkKind
    text: str
    gap: bool = True
    language: str = ""
    opens: bool = True
    closes: bool = True
    context: str = ""


@dataclass(slots=True)
class _Fence:
    indent: int
    mark: str
    language: str
    opens: bool = True
    context: list[str] = field(default_factory=list)

    def is_closed_by(self, line: str) -> bool:
        bare = line.strip()
        mark = self.mark[0]
        return len(bare) >= len(self.mark) and set(bare) == {mark} and len(line) - len(line.lstrip(" ")) < 4


class BlockSplitter:
    """Takes deltas; `finished` grows, `open_chunk()` is the rest."""

    def __init__(self) -> None:
        self.finished: list[Chunk] = []
        self._tail = ""
        self._lines: list[str] = []
        self._kind: Literal["none", "text", "list", "indented", "code"] = "none"
        self._fence: _Fence | None = None
        self._content_indent = 0
        self._blanks = 0
        self._gap = True

    def feed(self, delta: str) -> None:
        *lines, self._tail = (self._tail + delta).split("\n")
        for line in lines:
            self._take(line)

    def finish(self) -> None:
        """Close what is open; nothing may be fed afterwards."""
        if self._tail:
            self._take(self._tail)
            self._tail = ""
        self._close()

    def open_chunk(self) -> Chunk | None:
        """What is not finished yet, the incomplete last line included. Code has no context: it is drawn often."""
        if self._fence is not None:
            lines = [*self._lines, self._tail] if self._tail else self._lines
            return replace(self._code_chunk(self._fence, lines, closes=True), context="")
        lines = [*self._lines, *[""] * self._blanks, self._tail]
        text = "\n".join(lines)
        if not text.strip():
            return None
        return Chunk("list" if self._kind == "list" else "text", text, self._gap)

    # ── one complete line ──────────────────────────────────────────────────────────────────────────────────────
    def _take(self, line: str) -> None:
        if self._fence is not None:
            self._take_code(self._fence, line)
        elif not line.strip():
            self._take_blank()
        elif self._continues(line):
            self._lines += [""] * self._blanks + [line]
            self._blanks = 0
            if self._kind == "text" and _SETEXT.match(line) and len(self._lines) > 1:
                self._close()
        else:
            self._begin(line)

    def _take_blank(self) -> None:
        if self._kind in ("list", "indented"):
            self._blanks += 1
            return
        self._close()
        self._gap = True

    def _continues(self, line: str) -> bool:
        indent = len(line) - len(line.lstrip(" "))
        if self._kind == "list":
            return indent >= self._content_indent or (not self._blanks and not _starts_block(line))
        if self._kind == "indented":
            return indent >= 4
        if self._kind == "text":
            return not _interrupts(line, self._lines)
        return False

    def _begin(self, line: str) -> None:
        had_blanks = self._blanks > 0
        self._close()
        self._gap = self._gap or had_blanks
        if fence := _FENCE.match(line):
            info = fence.group(3).strip()
            self._fence = _Fence(len(fence.group(1)), fence.group(2), info.split()[0] if info else "")
            self._kind = "code"
        elif _HEADING.match(line) or _RULE.match(line):
            self.finished.append(Chunk("heading", line))
            self._gap = False
        elif item := _ITEM.match(line):
            blanks = len(item.group(3))
            self._content_indent = item.end(2) + (blanks if 1 <= blanks <= 4 else 1)
            self._kind = "list"
            self._lines = [line]
        else:
            self._kind = "indented" if line.startswith("    ") else "text"
            self._lines = [line]

    def _close(self) -> None:
        if self._fence is not None:
            self._close_code(self._fence)
        elif self._lines:
            kind: ChunkKind = "list" if self._kind == "list" else "text"
            self.finished.append(Chunk(kind, "\n".join(self._lines), self._gap))
            self._gap = self._blanks > 0
        self._lines, self._blanks, self._kind = [], 0, "none"

    # ── code ───────────────────────────────────────────────────────────────────────────────────────────────────
    def _take_code(self, fence: _Fence, line: str) -> None:
        if fence.is_closed_by(line):
            self._close()
            self._gap = True
            return
        own = len(line) - len(line.lstrip(" "))
        self._lines.append(line[min(own, fence.indent) :])
        if len(self._lines) >= CODE_PART_LINES:
            self.finished.append(self._code_chunk(fence, self._lines, closes=False))
            fence.context = (fence.context + self._lines)[-CODE_CONTEXT_LINES:]
            fence.opens = False
            self._lines = []

    def _close_code(self, fence: _Fence) -> None:
        if self._lines or fence.opens:
            self.finished.append(self._code_chunk(fence, self._lines, closes=True))
        self._fence = None

    def _code_chunk(self, fence: _Fence, lines: list[str], *, closes: bool) -> Chunk:
        context = "\n".join(fence.context)
        return Chunk("code", "\n".join(lines), fence.opens, fence.language, fence.opens, closes, context)


def _starts_block(line: str) -> bool:
    return any(pattern.match(line) for pattern in (_FENCE, _HEADING, _RULE, _ITEM, _QUOTE))


def _interrupts(line: str, paragraph: list[str]) -> bool:
    """Whether a line ends the paragraph (or table, or quote) above it without a blank line between."""
    if _SETEXT.match(line) and not _QUOTE.match(paragraph[0]):
        return False
    if _FENCE.match(line) or _HEADING.match(line) or _RULE.match(line):
        return True
    if _QUOTE.match(line):
        return _QUOTE.match(paragraph[0]) is None
    item = _ITEM.match(line)
    return item is not None and bool(line[item.end() :].strip()) and item.group(2) in ("-", "*", "+", "1.", "1)")
