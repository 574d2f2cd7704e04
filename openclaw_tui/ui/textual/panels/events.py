"""Panel 3: what each layer did, newest last. One row per act; the full screen adds a selection, details and undo."""

import json
import time
from collections.abc import Iterable
from typing import Any

from textual import events
from textual.message import Message

from openclaw_tui.constants import PANEL_WIDE_CELLS
from openclaw_tui.ui.context_line import ContextView
from openclaw_tui.ui.events_view import LAYER_WORDS, Badge, EventRow, EventsView
from openclaw_tui.ui.figures import usd_text
from openclaw_tui.ui.textual.panels.lines import Line, Run, chosen_line, spread, width_of, wrapped
from openclaw_tui.ui.textual.panels.panel import Panel
from openclaw_tui.ui.textual.rendering.safe_text import one_line

_REASON_MIN = len(" words …")
_NOTHING = "no layer has changed the context yet"


class EventsPanel(Panel):
    """The latest acts, as many as fit."""

    TITLE = "Events"
    KEY = "F4"

    def headline(self, view: ContextView, room: int) -> Line:
        return counts_line(view.events, room)

    def body(self, view: ContextView, width: int, height: int) -> list[Line]:
        rows = view.events.rows[-height:] if height else view.events.rows[-1:]
        return [row_line(row, width) for row in rows] or [[(_NOTHING, "muted")]]


class EventsZoom(Panel):
    """The whole time line. Arrow keys select, digits filter; details stand below when they are open."""

    can_focus = True

    class Chosen(Message):
        """Another row is selected, or the filter changed: the keys that apply may differ now."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.filter: frozenset[Badge] = frozenset()
        self.details = False
        self._selected: int | None = None
        self._top = 0

    # ── selection ──────────────────────────────────────────────────────────────────────────────────────────────
    @property
    def rows(self) -> tuple[EventRow, ...]:
        return self.view.events.of_layers(self.filter) if self.view else ()

    @property
    def selected(self) -> EventRow | None:
        """The chosen row; the newest one until another was chosen."""
        rows = self.rows
        if not rows:
            return None
        return next((row for row in rows if row.number == self._selected), rows[-1])

    def move(self, step: int) -> None:
        rows, chosen = self.rows, self.selected
        if chosen is None:
            return
        at = min(len(rows) - 1, max(0, rows.index(chosen) + step))
        self._selected = None if at == len(rows) - 1 else rows[at].number
        self._tell()

    def choose(self, number: int) -> None:
        """Select a row by its place in the ledger."""
        self._selected = number
        self._tell()

    def toggle_details(self) -> None:
        self.details = not self.details
        self._tell()

    def filter_by(self, badge: Badge | None) -> None:
        """Only this layer, or all again when it is the one that is shown; None shows all."""
        wanted = frozenset({badge}) if badge else frozenset[Badge]()
        self.filter = frozenset() if wanted == self.filter else wanted
        self._tell()

    def _tell(self) -> None:
        self.changed()
        self.post_message(self.Chosen())

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.move(3)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.move(-3)

    def on_click(self, event: events.Click) -> None:
        at = self._top + event.y - 2
        if event.y >= 2 and at < len(self.rows):
            self.choose(self.rows[at].number)

    # ── rows ───────────────────────────────────────────────────────────────────────────────────────────────────
    def body(self, view: ContextView, width: int, height: int) -> list[Line]:
        rows, chosen = self.rows, self.selected
        head = [filter_line(view.events, self.filter, width), []]
        if chosen is None:
            return [*head, [(_NOTHING if not view.events.rows else "nothing of this layer yet", "muted")]]
        details = [[("─" * width, "rule")], *detail_lines(chosen, width)] if self.details else []
        room = max(3, height - len(head) - min(len(details), height // 2))
        at = rows.index(chosen)
        self._top = max(0, min(max(self._top, at - room + 1), at, max(0, len(rows) - room)))
        shown = [
            _marked(row_line(row, width - 2), row.number == chosen.number) for row in rows[self._top : self._top + room]
        ]
        return [*head, *shown, *details]


def _marked(line: Line, chosen: bool) -> Line:
    if not chosen:
        return [("  ", "text"), *line]
    return chosen_line(line)


def counts_line(view: EventsView, room: int) -> Line:
    """How often each layer changed something; where they do not all fit, the rest as a number."""
    words = view.counted
    for shown in range(len(words), 0, -1):
        more = f" +{len(words) - shown}" if shown < len(words) else ""
        text = " ".join(words[:shown]) + more
        if len(text) <= room:
            return [(text, "figure")]
    return [("nothing yet", "muted")] if not words else []


def filter_line(view: EventsView, chosen: frozenset[Badge], width: int) -> Line:
    """Every layer with its key, how often it acted, and which are shown."""
    line: Line = [("all", "selected" if not chosen else "muted")]
    for badge, word in LAYER_WORDS.items():
        count = sum(row.badge == badge for row in view.rows)
        named = f" {word} {count}" if width >= PANEL_WIDE_CELLS else f" {count}"
        line += [("  ", "text"), (badge, badge), (named, "selected" if badge in chosen else "muted")]
    return line


def row_line(row: EventRow, width: int) -> Line:
    """Time, badge, verb, what it was about; sizes, price and seconds at the right, as far as they fit."""
    at = time.strftime("%H:%M", time.localtime(row.time))
    verb = "error" if row.failed else "strong"
    left: list[Run] = [(f"{at} ", "muted"), (row.badge.ljust(2), row.badge), (f" {row.verb}", verb)]
    figures = [text for text in (row.size_text, row.price_text, row.seconds_text) if text]
    while figures and width_of(left) + 1 + len(" ".join(figures)) > width:
        figures.pop()
    right: list[Run] = [(" ".join(figures), "text")] if figures else []
    if row.reason and width - width_of(left) - width_of(right) > _REASON_MIN:
        left.append((f" {one_line(row.reason)}", "muted"))
    return spread(left, right, width)


def detail_lines(row: EventRow, width: int) -> list[Line]:
    """Everything the ledger knows of one act."""
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(row.time))
    head: list[Run] = [(row.badge.ljust(2), row.badge), (f" {LAYER_WORDS[row.badge]}: {row.verb}", "strong")]
    lines = [spread(head, [(when, "muted")], width)]
    lines += wrapped(one_line(row.reason), width, "text", indent=2)
    unit = "bytes" if row.in_bytes else "tokens"
    sizes = f"{row.before:,} → {row.after:,} {unit}" if row.before is not None and row.after is not None else ""
    facts = [("sizes", sizes), ("price", usd_text(row.cost_usd) if row.cost_usd is not None else "")]
    facts += [("time", row.seconds_text), ("way back", row.way_back), *_data(row.data.items())]
    for name, value in facts:
        if value:
            first, *rest = wrapped(one_line(value), max(1, width - 14), "text", limit=6)
            lines.append([(f"  {name:<12}", "muted"), *first])
            lines += [[(" " * 14, "text"), *more] for more in rest]
    return lines


def _data(items: Iterable[tuple[str, Any]]) -> list[tuple[str, str]]:
    """Further facts by name, as text; what is empty is left out."""
    shown = []
    for name, value in items:
        if value not in (None, "", [], {}):
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
            shown.append((name.replace("_", " "), text))
    return shown
