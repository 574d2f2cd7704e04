"""Finding words in the transcript: which items hold them, and which rows of an item, in the order of the talk.

The texts of the items are searched, not what is rendered: an item far away costs a look at its text and no more. Rows
are found by rendering the one item that is jumped to; words that only the width of the screen breaks apart count for
their item, whose first row then stands for them.
"""

from collections.abc import Callable, Iterable, Sequence

import msgspec
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from openclaw_tui.ui.textual.rendering.rows import FinalRow
from openclaw_tui.ui.textual.widgets.transcript_layout import Entry


class Hits(msgspec.Struct, frozen=True):
    """The entries that hold the words, in order, and how often they stand in each."""

    words: str = ""
    entries: tuple[Entry, ...] = ()
    counts: tuple[int, ...] = ()

    @property
    def total(self) -> int:
        return sum(self.counts)

    def number_of(self, place: int, nth: int) -> int:
        """The running number (from 1) of the nth hit (from 0) of an entry."""
        return sum(self.counts[:place]) + min(nth, self.counts[place] - 1) + 1


def find_hits(entries: Iterable[Entry], words: str) -> Hits:
    """Case counts only where the words have capitals."""
    if not words.strip():
        return Hits()
    fold = _folding(words)
    wanted = fold(words)
    counted = ((entry, fold(entry.item.searched()).count(wanted)) for entry in entries if not entry.item.empty)
    found = [(entry, count) for entry, count in counted if count]
    return Hits(words, tuple(entry for entry, _ in found), tuple(count for _, count in found))


def hit_rows(rows: Sequence[FinalRow | None], words: str) -> list[int]:
    """Which rows hold the words, by number."""
    fold = _folding(words)
    wanted = fold(words)
    return [number for number, row in enumerate(rows) if row is not None and wanted in fold(row.strip.text)]


def marked(strip: Strip, words: str, style: Style) -> Strip:
    """The strip with every place of the words in another style."""
    fold = _folding(words)
    text, wanted = fold(strip.text), fold(words)
    at = text.find(wanted)
    if at < 0 or len(text) != len(strip.text):
        return strip
    spans: list[tuple[int, int]] = []
    while at >= 0:
        spans.append((at, at + len(wanted)))
        at = text.find(wanted, at + len(wanted))
    segments: list[Segment] = []
    offset = 0
    for segment in strip:
        segments += _cut(segment, offset, spans, style)
        offset += len(segment.text)
    return Strip(segments, strip.cell_length)


def _cut(segment: Segment, offset: int, spans: Sequence[tuple[int, int]], style: Style) -> Iterable[Segment]:
    end, at = offset + len(segment.text), offset
    for start, stop in spans:
        low, high = max(start, at), min(stop, end)
        if low >= high:
            continue
        if low > at:
            yield Segment(segment.text[at - offset : low - offset], segment.style)
        yield Segment(segment.text[low - offset : high - offset], (segment.style or Style()) + style)
        at = high
    if at < end:
        yield Segment(segment.text[at - offset :], segment.style)


def _folding(words: str) -> Callable[[str], str]:
    return str if words != words.lower() else str.lower
