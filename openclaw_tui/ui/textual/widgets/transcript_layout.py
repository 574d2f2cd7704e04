"""Where everything in the transcript stands, and which rows are rendered. Knows no widget and no event.

Items hold pieces, pieces hold rows. A height is an estimate until the piece has been rendered for the present width;
only what lies near the viewport is rendered (`settle`), so a session of any length opens at once. Correcting an
estimate moves what lies below it, therefore the view is held by an `Anchor` and not by a row number.

Invariants: the height of an entry is the sum of its pieces; `find` and `offset_of` agree with it; no more than
`TRANSCRIPT_CACHED_ROWS` rendered rows are kept beyond what one `settle` needs.
"""

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple

from rich.segment import Segment

from openclaw_tui.constants import TRANSCRIPT_CACHED_ROWS
from openclaw_tui.ui.textual.rendering.palette import Palette
from openclaw_tui.ui.textual.rendering.rows import FinalRow, Row, finish, prefixed
from openclaw_tui.ui.textual.rendering.sources import Source
from openclaw_tui.ui.textual.widgets.height_index import HeightIndex
from openclaw_tui.ui.textual.widgets.transcript_items import Item

_INDENT = "│ "
_RIGHT_MARGIN = " "


@dataclass(slots=True, eq=False)
class Piece:
    """One source as laid out. `height` counts the blank row before it; `rows` is None while not rendered."""

    source: Source
    gap: int
    height: int
    measured: bool = False
    rows: list[FinalRow] | None = None


@dataclass(slots=True, eq=False)
class Entry:
    """One item as laid out. `pieces` is None until the item comes near the viewport."""

    item: Item
    position: int
    pieces: list[Piece] | None = None
    stale: bool = True
    ends: list[int] | None = None

    def piece_ends(self) -> list[int]:
        """Row after each piece, counted from the start of the entry."""
        if self.ends is None:
            self.ends = list(accumulate(piece.height for piece in self.pieces or ()))
        return self.ends


class Anchor(NamedTuple):
    """A place that keeps its meaning when heights change: a row of a piece of an entry."""

    entry: Entry
    piece: int
    row: int


@dataclass(slots=True)
class TranscriptLayout:
    """The entries in order. Every method is synchronous; nothing here draws."""

    entries: list[Entry] = field(default_factory=list)
    by_id: dict[str, Entry] = field(default_factory=dict)
    width: int = 0
    palette: Palette | None = None
    _heights: HeightIndex = field(default_factory=HeightIndex)
    _stale: list[Entry] = field(default_factory=list)
    _cache: OrderedDict[Piece, int] = field(default_factory=OrderedDict)
    _cached_rows: int = 0

    @property
    def total(self) -> int:
        return self._heights.total

    @property
    def cached_rows(self) -> int:
        return self._cached_rows

    # ── content ────────────────────────────────────────────────────────────────────────────────────────────────
    def append(self, item: Item) -> Entry:
        entry = Entry(item, len(self.entries))
        self.entries.append(entry)
        self.by_id[item.id] = entry
        self._heights.append(0)
        self._stale.append(entry)
        return entry

    def extend(self, items: Iterable[Item]) -> None:
        """Many items at once: their heights are estimated, nothing is rendered."""
        start = len(self.entries)
        self.entries += [Entry(item, start + number, stale=False) for number, item in enumerate(items)]
        self.by_id.update((entry.item.id, entry) for entry in self.entries[start:])
        self._estimate_all()

    def insert_after(self, entry: Entry, item: Item) -> Entry:
        """Put an item behind another one (sub-agents report in the middle). Costs a walk over all items."""
        new = Entry(item, entry.position + 1)
        self.entries.insert(new.position, new)
        for position in range(new.position, len(self.entries)):
            self.entries[position].position = position
        self.by_id[item.id] = new
        self._heights.insert(new.position, 0)
        self._stale.append(new)
        self._touch_next(new)
        return new

    def touch(self, entry: Entry, *, folds: bool = False) -> None:
        """Say that an item has changed; `folds` when the blank row after it may have changed too."""
        if not entry.stale:
            entry.stale = True
            self._stale.append(entry)
        if folds:
            self._touch_next(entry)

    def touch_all(self) -> None:
        """Say that every item has changed. What was never laid out keeps its estimate."""
        for entry in self.entries:
            if entry.pieces is not None:
                self.touch(entry)

    def _touch_next(self, entry: Entry) -> None:
        if entry.position + 1 < len(self.entries):
            self.touch(self.entries[entry.position + 1])

    def clear(self) -> None:
        self.entries.clear()
        self.by_id.clear()
        self._stale.clear()
        self._drop_cache()
        self._heights.rebuild(())

    def set_look(self, width: int, palette: Palette) -> None:
        """Another width or theme: everything rendered is void, heights are estimates again."""
        self.width, self.palette = width, palette
        for entry in self.entries:
            entry.pieces = entry.ends = None
            entry.stale = False
        self._stale.clear()
        self._drop_cache()
        self._estimate_all()

    # ── geometry ───────────────────────────────────────────────────────────────────────────────────────────────
    def offset_of(self, anchor: Anchor) -> int:
        """The row at which an anchor stands now."""
        start = self._heights.offset(anchor.entry.position)
        pieces = self._pieces(anchor.entry)
        if anchor.piece >= len(pieces):
            return start
        before = anchor.entry.piece_ends()[anchor.piece - 1] if anchor.piece else 0
        return start + before + min(anchor.row, max(0, pieces[anchor.piece].height - 1))

    def find(self, row: int) -> Anchor | None:
        """What stands at a row; None beyond the end."""
        if not 0 <= row < self.total:
            return None
        position, rest = self._heights.find(row)
        entry = self.entries[position]
        self._pieces(entry)
        ends = entry.piece_ends()
        piece = bisect_right(ends, rest)
        return Anchor(entry, piece, rest - (ends[piece - 1] if piece else 0))

    def row_at(self, row: int) -> FinalRow | None:
        """The rendered row; None for blank rows, beyond the end, and while there is no palette."""
        anchor = self.find(row)
        if anchor is None or self.palette is None:
            return None
        pieces = self._pieces(anchor.entry)
        if anchor.piece >= len(pieces):
            return None
        piece = pieces[anchor.piece]
        index = anchor.row - piece.gap
        rows = self._render(anchor.entry, piece)
        return rows[index] if 0 <= index < len(rows) else None

    def piece_at(self, row: int) -> tuple[Entry, Piece] | None:
        anchor = self.find(row)
        if anchor is None or anchor.piece >= len(self._pieces(anchor.entry)):
            return None
        return anchor.entry, self._pieces(anchor.entry)[anchor.piece]

    # ── measuring ──────────────────────────────────────────────────────────────────────────────────────────────
    def sync(self) -> bool:
        """Take over what items have changed; True when anything was stale."""
        if not self._stale:
            return False
        stale, self._stale = self._stale, []
        for entry in stale:
            if entry.stale:
                self._refresh(entry)
        return True

    def settle(self, anchor: Anchor, above: int, below: int) -> None:
        """Measure the pieces around an anchor: `above` rows before it and `below` rows from it on."""
        self._measure(self._forward(anchor), below + anchor.row)
        self._measure(self._backward(anchor), above)
        self._trim_cache()

    def settle_end(self, above: int) -> None:
        """Measure the last `above` rows."""
        if self.entries:
            last = self.entries[-1]
            self._measure(self._backward(Anchor(last, len(self._pieces(last)), 0)), above)
            self._trim_cache()

    def _measure(self, pieces: Iterator[tuple[Entry, Piece]], rows: int) -> None:
        for entry, piece in pieces:
            if rows <= 0:
                return
            if not piece.measured:
                self._render(entry, piece)
            rows -= piece.height

    def _forward(self, anchor: Anchor) -> Iterator[tuple[Entry, Piece]]:
        start = anchor.piece
        for position in range(anchor.entry.position, len(self.entries)):
            entry = self.entries[position]
            for piece in self._pieces(entry)[start:]:
                yield entry, piece
            start = 0

    def _backward(self, anchor: Anchor) -> Iterator[tuple[Entry, Piece]]:
        stop: int | None = anchor.piece
        for position in range(anchor.entry.position, -1, -1):
            entry = self.entries[position]
            for piece in reversed(self._pieces(entry)[:stop]):
                yield entry, piece
            stop = None

    def _pieces(self, entry: Entry) -> list[Piece]:
        if entry.pieces is None:
            self._refresh(entry)
        return entry.pieces or []

    def _refresh(self, entry: Entry) -> None:
        """Bring an entry's pieces in line with its item; parts that did not change keep their rows."""
        entry.stale = False
        old = entry.pieces or []
        sources = entry.item.sources()
        same = 0
        for piece, source in zip(old, sources, strict=False):
            if piece.source is not source and piece.source != source:
                break
            same += 1
        for piece in old[same:]:
            self._forget(piece)
        pieces = old[:same]
        room = self._room(entry)
        pieces += [Piece(source, int(source.gap), int(source.gap) + source.estimate(room)) for source in sources[same:]]
        if pieces:
            gap = self._gap_before(entry)
            pieces[0].height += gap - pieces[0].gap
            pieces[0].gap = gap
        if entry.pieces is not None and bool(pieces) != bool(old):
            self._touch_next(entry)
        entry.pieces, entry.ends = pieces, None
        self._heights.set(entry.position, entry.piece_ends()[-1] if pieces else 0)

    def _gap_before(self, entry: Entry) -> int:
        """Cards of tools stand close together; everything else has a blank row before it."""
        if not entry.item.is_card:
            return 1
        for position in range(entry.position - 1, -1, -1):
            before = self.entries[position].item
            if not before.empty:
                return 0 if before.is_card and before.folded else 1
        return 1

    def _room(self, entry: Entry) -> int:
        indent = len(_INDENT) * entry.item.depth
        return max(1, self.width - len(_RIGHT_MARGIN) - (indent if self.width > 5 * indent else 0))

    def _render(self, entry: Entry, piece: Piece) -> list[FinalRow]:
        if piece.rows is not None:
            self._cache.move_to_end(piece)
            return piece.rows
        assert self.palette is not None
        rows = piece.source.rows(self._room(entry), self.palette)
        if entry.item.depth and self.width > 5 * len(_INDENT) * entry.item.depth:
            rows = self._indented(rows, entry.item.depth)
        piece.rows = [finish(row, self.width, self.palette.text) for row in rows]
        piece.measured = True
        self._cache[piece] = len(rows)
        self._cached_rows += len(rows)
        height = piece.gap + len(rows)
        if height != piece.height:
            self._heights.set(entry.position, self._heights[entry.position] + height - piece.height)
            piece.height = height
            entry.ends = None
        return piece.rows

    def _indented(self, rows: list[Row], depth: int) -> list[Row]:
        assert self.palette is not None
        bars = [Segment(_INDENT * depth, self.palette.rule)]
        return prefixed(rows, bars, bars)

    # ── memory ─────────────────────────────────────────────────────────────────────────────────────────────────
    def _trim_cache(self) -> None:
        while self._cached_rows > TRANSCRIPT_CACHED_ROWS and len(self._cache) > 1:
            piece, rows = self._cache.popitem(last=False)
            piece.rows = None
            self._cached_rows -= rows

    def _forget(self, piece: Piece) -> None:
        self._cached_rows -= self._cache.pop(piece, 0)
        piece.rows = None

    def _drop_cache(self) -> None:
        for piece in self._cache:
            piece.rows = None
        self._cache.clear()
        self._cached_rows = 0

    def _estimate_all(self) -> None:
        self._heights.rebuild(
            entry.piece_ends()[-1] if entry.pieces else 1 + entry.item.estimate(max(1, self.width))
            for entry in self.entries
        )
