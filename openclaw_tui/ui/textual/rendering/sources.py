"""The parts a transcript is made of, each as a value that can turn itself into rows.

A `Source` is the unit of laying out: it is rendered as a whole, cached as a whole and thrown away as a whole. Equal
sources give equal rows, so a part that did not change is never rendered again.
"""

from collections.abc import Sequence
from typing import ClassVar, Protocol

import msgspec
from rich.segment import Segment
from rich.style import Style

from openclaw_tui.ui.textual.rendering.diff_lines import diff_rows
from openclaw_tui.ui.textual.rendering.markdown_blocks import Chunk
from openclaw_tui.ui.textual.rendering.markdown_rows import chunk_rows, quiet_chunk_rows
from openclaw_tui.ui.textual.rendering.palette import Palette
from openclaw_tui.ui.textual.rendering.rows import Row, filled, prefixed, wrap, wrap_lines
from openclaw_tui.ui.textual.rendering.safe_text import fit

GUTTER = "  "
_NO_GUTTER_BELOW = len(GUTTER) * 5


class Source(Protocol):
    """One part of an item. `gap` asks for a blank row before it; `is_head` marks the row that folds its item."""

    @property
    def gap(self) -> bool: ...
    @property
    def is_head(self) -> bool: ...
    def rows(self, width: int, palette: Palette) -> list[Row]: ...
    def estimate(self, width: int) -> int: ...


def estimated_rows(text: str, width: int) -> int:
    """Roughly how many rows a text takes, without wrapping it."""
    return text.count("\n") + 1 + len(text) // max(8, width)


def guttered(rows: Sequence[Row], glyph: str, style: Style | None, width: int) -> list[Row]:
    """Rows behind the gutter: `glyph` before the first, blanks before the others."""
    if width < _NO_GUTTER_BELOW:
        return list(rows)
    return prefixed(rows, [Segment(f"{glyph:<{len(GUTTER)}}", style)], [Segment(GUTTER)])


def barred(rows: Sequence[Row], style: Style, width: int, bar: str = "│") -> list[Row]:
    """Rows behind a vertical bar."""
    if width < _NO_GUTTER_BELOW:
        return list(rows)
    prefix = [Segment(f"{bar:<{len(GUTTER)}}", style)]
    return prefixed(rows, prefix, prefix)


def inner_width(width: int) -> int:
    """Cells beside the gutter."""
    return max(1, width - len(GUTTER) if width >= _NO_GUTTER_BELOW else width)


class UserSource(msgspec.Struct, frozen=True):
    """What the user said, and the pictures that went with it as chips."""

    text: str
    chips: tuple[str, ...] = ()
    hidden_lines: int = 0
    gap: ClassVar[bool] = True
    is_head: ClassVar[bool] = True

    def rows(self, width: int, palette: Palette) -> list[Row]:
        room = inner_width(width)
        rows = wrap_lines([Segment(self.text, palette.user)], room) if self.text else []
        if self.hidden_lines:
            rows.append(Row([Segment(f"… {self.hidden_lines} more lines", palette.user_muted)], whole=""))
        for chip in self.chips:
            rows.append(Row([Segment(fit(f"▣ {chip}", room), palette.chip)], whole=f"[{chip}]"))
        barred_rows = barred(rows, palette.user_bar, width, "▌")
        return [filled(row, width, palette.user) for row in barred_rows]

    def estimate(self, width: int) -> int:
        return estimated_rows(self.text, width) + len(self.chips)


class MarkdownSource(msgspec.Struct, frozen=True):
    """A chunk of an answer, or (`quiet`) of the thinking before it."""

    chunk: Chunk
    quiet: bool = False
    is_head: ClassVar[bool] = False

    @property
    def gap(self) -> bool:
        return self.chunk.gap

    def rows(self, width: int, palette: Palette) -> list[Row]:
        if self.quiet:
            return barred(quiet_chunk_rows(self.chunk, inner_width(width), palette), palette.rule, width)
        return guttered(chunk_rows(self.chunk, inner_width(width), palette), "", None, width)

    def estimate(self, width: int) -> int:
        return estimated_rows(self.chunk.text, width)


class HeadSource(msgspec.Struct, frozen=True):
    """One line that stands for a folded part: glyph, title, what it is about, and facts at the right margin.

    Too narrow for all: the facts shrink to the first one, then the summary is cut, then the facts go.
    """

    glyph: str
    title: str
    summary: str
    facts: tuple[str, ...]
    tone: str
    gap: bool = True
    quiet: bool = False
    is_head: ClassVar[bool] = True

    def rows(self, width: int, palette: Palette) -> list[Row]:
        tone: Style = getattr(palette, self.tone)
        room = inner_width(width)
        title = fit(self.title, room)
        facts = self._facts(room - len(title))
        left = room - len(title) - (len(facts) + 2 if facts else 0)
        summary = fit(self.summary, left - 1) if left > 2 else ""
        segments = [Segment(title, palette.thinking if self.quiet else palette.tool_name)]
        if summary:
            segments.append(Segment(f" {summary}", palette.tool_text))
        row = filled(Row(segments), room - len(facts), palette.muted) if facts else Row(segments)
        if facts:
            first, separator, others = facts.partition(" · ")
            row.segments += [
                Segment(first, palette.muted if self.quiet else tone),
                Segment(separator + others, palette.muted),
            ]
        whole = " ".join(part for part in (self.glyph, self.title, self.summary, f"({' · '.join(self.facts)})") if part)
        head = Row(row.segments, whole=whole)
        return guttered([head], self.glyph, palette.muted if self.quiet else tone, width)

    def _facts(self, room: int) -> str:
        full = " · ".join(self.facts)
        wanted = min(len(self.summary), 16) + 3
        for text in (full, self.facts[0] if self.facts else ""):
            if len(text) + wanted <= room:
                return text
        return self.facts[0] if self.facts and len(self.facts[0]) + 2 <= room else ""

    def estimate(self, width: int) -> int:
        return 1


class OutputSource(msgspec.Struct, frozen=True):
    """Some lines of a tool's output, behind a bar; `note` says what is not shown between `head` and `tail`."""

    head: str
    tail: str = ""
    note: str = ""
    gap: ClassVar[bool] = False
    is_head: ClassVar[bool] = False

    def rows(self, width: int, palette: Palette) -> list[Row]:
        room = inner_width(width)
        rows: list[Row] = []
        if self.head:
            rows += wrap_lines([Segment(self.head, palette.tool_text)], room, hard=True)
        if self.note:
            rows += [Row(row.segments, whole=self.note) for row in wrap([Segment(self.note, palette.muted)], room)[:1]]
        if self.tail:
            rows += wrap_lines([Segment(self.tail, palette.tool_text)], room, hard=True)
        return barred(rows, palette.rule, width)

    def estimate(self, width: int) -> int:
        return estimated_rows(self.head, width) + (estimated_rows(self.tail, width) if self.tail else 0)


class DiffSource(msgspec.Struct, frozen=True):
    """The unified diff of a tool call, bounded."""

    diff: str
    gap: ClassVar[bool] = False
    is_head: ClassVar[bool] = False

    def rows(self, width: int, palette: Palette) -> list[Row]:
        return guttered(diff_rows(self.diff, inner_width(width), palette), "", None, width)

    def estimate(self, width: int) -> int:
        return self.diff.count("\n") + 1


class LineSource(msgspec.Struct, frozen=True):
    """A short remark: a notice, or the note under an answer that was cut off."""

    glyph: str
    text: str
    tone: str
    gap: bool = True
    is_head: ClassVar[bool] = False

    def rows(self, width: int, palette: Palette) -> list[Row]:
        tone: Style = getattr(palette, self.tone)
        return guttered(wrap_lines([Segment(self.text, tone)], inner_width(width)), self.glyph, tone, width)

    def estimate(self, width: int) -> int:
        return estimated_rows(self.text, width)


class SeparatorSource(msgspec.Struct, frozen=True):
    """A thin line with words in it: what a layer did to the context, between the turns."""

    text: str
    gap: ClassVar[bool] = True
    is_head: ClassVar[bool] = True

    def rows(self, width: int, palette: Palette) -> list[Row]:
        text = fit(self.text, width - 6) if width > 8 else fit(self.text, width)
        if width <= 8:
            return [Row([Segment(text, palette.separator)], whole=self.text)]
        row = Row([Segment("── ", palette.rule), Segment(text, palette.separator), Segment(" ", palette.rule)])
        rest = width - sum(segment.cell_length for segment in row.segments)
        return [Row([*row.segments, Segment("─" * rest, palette.rule)], whole=f"── {self.text} ──")]

    def estimate(self, width: int) -> int:
        return 1
