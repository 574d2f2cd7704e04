"""Rows: what one line of the screen shows, and what a copy of it takes.

A `Row` is made of styled runs (Rich segments used as plain values). It also knows which of its characters are chrome
(gutters, bullets, bars) and how it joins the next row, so that copied text is the logical text: no gutter, no padding
and no break where only the width of the screen broke a line.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from rich.cells import cell_len, split_graphemes
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

LINE_END = "\n"
_NARROW = re.compile(
    "[\x20-\x7e\xa0-\xac\xae-\u02ff\u0370-\u0482\u2010-\u2027\u2030-\u205e\u20a0-\u20bf\u2190-\u21ff\u2500-\u25fc]*"
)
"""Text of characters that are one cell each and join nothing: the quick way through wrapping."""

_NO_BREAK_BEFORE = frozenset("，。、；：？！）》」』】〕”’…,.;:?!)]}")


@dataclass(slots=True)
class Row:
    """One row before it is padded to the width.

    `lead` counts leading characters that are chrome; a copy takes `lead_copy` in their place where a logical line
    begins. `join` stands between this row and the next in copied text. `whole`, where set, is what a copy takes of the
    row whatever part of it is selected (table rows, rules, labels).
    """

    segments: list[Segment]
    lead: int = 0
    lead_copy: str = ""
    join: str = LINE_END
    whole: str | None = None


@dataclass(slots=True)
class FinalRow:
    """A row as it is kept: padded to the width of the screen, with what copying needs."""

    strip: Strip
    lead: int
    lead_copy: str
    join: str
    whole: str | None


def cells_of(segments: Iterable[Segment]) -> int:
    return sum(cell_len(segment.text) for segment in segments)


def finish(row: Row, width: int, base: Style) -> FinalRow:
    """The row as a strip of exactly `width` cells; what has no style of its own gets `base`."""
    segments = [segment if segment.style else Segment(segment.text, base) for segment in row.segments]
    used = cells_of(segments)
    if used <= width:
        strip = Strip([*segments, Segment(" " * (width - used), base)] if used < width else segments, width)
    else:
        strip = Strip(segments, used).crop(0, width)
    return FinalRow(strip, row.lead, row.lead_copy, row.join, row.whole)


def prefixed(
    rows: Sequence[Row], first: Sequence[Segment], rest: Sequence[Segment], first_copy: str = "", rest_copy: str = ""
) -> list[Row]:
    """The rows behind a gutter: `first` before the first row, `rest` before the others."""
    result: list[Row] = []
    for number, row in enumerate(rows):
        prefix, copy = (first, first_copy) if number == 0 else (rest, rest_copy)
        result.append(
            Row(
                [*prefix, *row.segments],
                row.lead + sum(len(segment.text) for segment in prefix),
                copy + row.lead_copy,
                row.join,
                row.whole,
            )
        )
    return result


def filled(row: Row, width: int, style: Style) -> Row:
    """The row with its background drawn to the full width."""
    missing = width - cells_of(row.segments)
    return replace(row, segments=[*row.segments, Segment(" " * missing, style)]) if missing > 0 else row


def wrap(runs: Sequence[Segment], width: int, *, hard: bool = False) -> list[Row]:
    """One logical line as rows of at most `width` cells.

    Breaks at blanks and between wide characters; `hard` breaks anywhere (code). The last row ends the logical line.
    """
    text = "".join([run.text for run in runs])
    if not text:
        return [Row([])]
    width = max(1, width)
    narrow = text.isascii() or _NARROW.fullmatch(text)
    cuts = _narrow_cuts(text, width, hard) if narrow else _wide_cuts(text, _graphemes(runs), width, hard)
    if len(cuts) == 1:
        start, end, join = cuts[0]
        return [Row(list(runs) if end == len(text) else _slice(runs, start, end), join=join)]
    return [Row(_slice(runs, start, end), join=join) for start, end, join in cuts]


def wrap_lines(runs: Sequence[Segment], width: int, *, hard: bool = False) -> list[Row]:
    """The same for runs that hold line feeds."""
    rows: list[Row] = []
    for line in split_lines(runs):
        rows += wrap(line, width, hard=hard)
    return rows


def split_lines(runs: Sequence[Segment]) -> list[list[Segment]]:
    """Runs cut at line feeds: one list of runs per logical line."""
    lines: list[list[Segment]] = [[]]
    for run in runs:
        if LINE_END not in run.text:
            lines[-1].append(run)
            continue
        first, *others = run.text.split(LINE_END)
        if first:
            lines[-1].append(Segment(first, run.style))
        lines += [[Segment(part, run.style)] if part else [] for part in others]
    return lines


def _slice(runs: Sequence[Segment], start: int, end: int) -> list[Segment]:
    result: list[Segment] = []
    offset = 0
    for run in runs:
        length = len(run.text)
        low, high = max(start - offset, 0), min(end - offset, length)
        if low < high:
            result.append(run if high - low == length else Segment(run.text[low:high], run.style))
        offset += length
        if offset >= end:
            break
    return result


def _graphemes(runs: Sequence[Segment]) -> list[tuple[int, int, int]]:
    """Start, end and cells of each grapheme. None crosses a run: runs are measured and drawn one by one."""
    spans: list[tuple[int, int, int]] = []
    offset = 0
    for run in runs:
        for start, end, cells in split_graphemes(run.text)[0]:
            # a joiner with nothing before it counts the character behind it as none, but that is drawn
            spans.append((start + offset, end + offset, max(cells, cell_len(run.text[start:end]))))
        offset += len(run.text)
    return spans


def _narrow_cuts(text: str, width: int, hard: bool) -> list[tuple[int, int, str]]:
    """For text in which every character is one cell."""
    cuts: list[tuple[int, int, str]] = []
    start, length = 0, len(text)
    while length - start > width:
        end = start + width
        blank = -1 if hard else text.rfind(" ", start, end + 1)
        if blank <= start or not text[start:blank].strip():
            cuts.append((start, end, ""))
            start = end
            continue
        follow = blank + 1
        while follow < length and text[follow] == " ":
            follow += 1
        shown = len(text[start:blank].rstrip()) + start
        if follow >= length:
            cuts.append((start, shown, LINE_END))
            return cuts
        cuts.append((start, shown, text[shown:follow]))
        start = follow
    cuts.append((start, length, LINE_END))
    return cuts


def _wide_cuts(text: str, spans: list[tuple[int, int, int]], width: int, hard: bool) -> list[tuple[int, int, str]]:
    """For text with wide, joined or combining characters: works on graphemes."""
    if sum(cells for _start, _end, cells in spans) <= width:
        return [(0, len(text), LINE_END)]
    cuts: list[tuple[int, int, str]] = []
    start = used = 0
    chance = -1
    index = 0
    blanks = {begin for begin, end, _cells in spans if text[begin:end] == " "}  # one with a mark on it is no blank
    while index < len(spans):
        begin, end, cells = spans[index]
        if used + cells > width and begin > start:
            if begin in blanks and not hard:
                chance = begin
            cut = chance if chance > start and not hard else begin
            shown = len(text[start:cut].rstrip(" ")) + start if not hard else cut
            follow = cut
            while not hard and follow in blanks:
                follow += 1
            if follow >= len(text):
                return [*cuts, (start, shown, LINE_END)]
            cuts.append((start, shown, text[shown:follow]))
            start, used, chance = follow, 0, -1
            index = next(number for number, span in enumerate(spans) if span[0] >= follow)
            continue
        used += cells
        index += 1
        if begin in blanks or (cells == 2 and text[end : end + 1] not in _NO_BREAK_BEFORE):
            chance = end
    return [*cuts, (start, len(text), LINE_END)]
