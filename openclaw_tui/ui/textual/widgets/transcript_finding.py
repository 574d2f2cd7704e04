"""What the transcript does for a search: marks in sight, and jumps from hit to hit; whatever hides one is unfolded."""

from typing import NamedTuple

from textual.strip import Strip

from openclaw_tui.ui.textual.widgets.transcript_layout import Anchor, Entry
from openclaw_tui.ui.textual.widgets.transcript_search import Hits, find_hits, hit_rows, marked
from openclaw_tui.ui.textual.widgets.transcript_view import TranscriptView


class Place(NamedTuple):
    """Where a search stands: an entry of the hits, and which of its rows with a hit."""

    entry: int
    nth: int


class FindingTranscript(TranscriptView):
    """A view that can be searched. `found` are the hits of the last search."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.found = Hits()
        self._place_found: Place | None = None
        self._inside = 0

    @property
    def found_words(self) -> str:
        """`3 of 17`, or that there is nothing."""
        if not self.found.words:
            return ""
        if not self.found.total:
            return "not found"
        if self._place_found is None:
            return f"{self.found.total} found"
        return f"{self.found.number_of(*self._place_found)} of {self.found.total}"

    def find(self, words: str) -> None:
        """Search, and go to the first hit at or below the top of the view, else to the last one above."""
        self._plan.sync()
        self.found = find_hits(self._plan.entries, words)
        self._place_found = None
        self.refresh()
        if not self.found.entries or self._plan.palette is None:  # nothing to go to, or nothing drawn yet
            return
        top = self._anchor.entry.position if self._anchor is not None else 0
        below = (n for n, entry in enumerate(self.found.entries) if entry.position >= top)
        self._go(Place(next(below, len(self.found.entries) - 1), 0))

    def find_again(self, step: int) -> None:
        """The next hit (1) or the one before (-1), round the ends. What arrived since the search counts."""
        if self.found.words:
            here = self.found.entries[self._place_found.entry] if self._place_found is not None else None
            self.found = find_hits(self._plan.entries, self.found.words)
            if here is not None and here in self.found.entries and self._place_found is not None:
                self._place_found = Place(self.found.entries.index(here), self._place_found.nth)
            else:
                self._place_found = None
        if not self.found.entries:
            return
        at = self._place_found or Place(0 if step > 0 else len(self.found.entries), -1 if step > 0 else 0)
        nth = at.nth + step
        if at.entry < len(self.found.entries) and 0 <= nth < len(self._rows_of(self.found.entries[at.entry])):
            self._go(Place(at.entry, nth))
            return
        entry = (at.entry + step) % len(self.found.entries)
        last = len(self._rows_of(self.found.entries[entry])) - 1
        self._go(Place(entry, 0 if step > 0 else max(0, last)))

    def find_nothing(self) -> None:
        """Forget the search; the view stays where it is."""
        self.found, self._place_found = Hits(), None
        self.refresh()

    def marked_line(self, strip: Strip, row: int) -> Strip:
        """A drawn line with the hits of the search in it."""
        if not self.found.words:
            return strip
        here = self._place_found is not None and self._row_found == row
        name = "transcript--found-here" if here else "transcript--found"
        return marked(strip, self.found.words, self.get_component_rich_style(name))

    @property
    def _row_found(self) -> int:
        """The row of the whole transcript at which the search stands."""
        if self._place_found is None:
            return -1
        return self._plan.offset_of(Anchor(self.found.entries[self._place_found.entry], 0, 0)) + self._inside

    def _rows_of(self, entry: Entry) -> list[int]:
        """Rows of an entry that hold the words; a folded one is unfolded when it shows none of them."""
        rows = self._hit_rows(entry)
        if not rows and entry.item.folded and entry.item.foldable:
            entry.item.folded = False
            self._plan.touch(entry, folds=True)
            self._plan.sync()
            rows = self._hit_rows(entry)
        return rows

    def _hit_rows(self, entry: Entry) -> list[int]:
        first = self._plan.offset_of(Anchor(entry, 0, 0))
        self._plan.settle(Anchor(entry, 0, 0), 0, max(1, (entry.piece_ends() or [1])[-1]))
        height = (entry.piece_ends() or [0])[-1]
        return hit_rows([self._plan.row_at(first + number) for number in range(height)], self.found.words)

    def _go(self, place: Place) -> None:
        """Show the hit, a third down the view where there is room above it."""
        self._place_found = place
        rows = self._rows_of(self.found.entries[place.entry])
        self._inside = rows[min(place.nth, len(rows) - 1)] if rows else 0
        row = self._row_found
        self._plan.sync()
        anchor = self._plan.find(max(0, row - self.size.height // 3))
        if anchor is not None:
            self.show_anchor(anchor)
