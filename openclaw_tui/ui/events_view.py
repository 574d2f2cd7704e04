"""What the layers did to the context, as plain data for every front end: the rows behind `/events` and its panel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec

from openclaw_tui.ui.figures import bytes_short, seconds_short, tokens_short, usd_text

if TYPE_CHECKING:
    from openclaw_tui.app.compose import App
    from openclaw_tui.ledger.ledger import LedgerRow

Badge: TypeAlias = Literal["L1", "L2", "L3", "L4", "L5", "R", "M"]

BADGES: Mapping[str, Badge] = {
    "cache": "L1",
    "guard": "L2",
    "compaction": "L3",
    "truncation": "L4",
    "engine": "L5",
    "repair": "R",
    "memory": "M",
}
"""Layer of the ledger → its badge, in the order in which a message meets them."""

LAYER_WORDS: Mapping[Badge, str] = {
    "L1": "prompt cache",
    "L2": "guard",
    "L3": "compaction",
    "L4": "file",
    "L5": "engine",
    "R": "repair",
    "M": "memory",
}
_VERBS: Mapping[tuple[str, str], str] = {
    ("cache", "break"): "broke",
    ("compaction", "started"): "compacting",
    ("compaction", "done"): "compacted",
    ("compaction", "edited"): "summary edited",
    ("compaction", "restored"): "edit undone",
    ("guard", "recalled"): "put back",
    ("compaction", "skipped"): "not needed",
    ("truncation", "done"): "file cut",
    ("memory", "flush_started"): "flush begins",
    ("memory", "flush_done"): "flushed",
    ("memory", "flush_skipped"): "no flush",
}
_CHANGES_NOTHING = frozenset(
    {"started", "skipped", "flush_started", "flush_skipped", "cold", "failed", "undone", "restored"}
)
"""Verbs that are told but not counted: announcements, and what left the context as it was."""


_ENDS = frozenset({"done", "failed", "skipped", "flush_done", "flush_skipped"})


class EventRow(msgspec.Struct, frozen=True):
    """One act. Sizes are tokens, or bytes where `in_bytes`; `number` is its place in the ledger."""

    number: int
    time: float
    badge: Badge
    verb: str
    reason: str = ""
    before: int | None = None
    after: int | None = None
    in_bytes: bool = False
    cost_usd: float | None = None
    seconds: float | None = None
    way_back: str = ""
    data: Mapping[str, Any] = msgspec.field(default_factory=dict)
    failed: bool = False

    @property
    def size_text(self) -> str:
        """`118k→9.2k`; empty where the act has no sizes or changed none."""
        if self.before is None or self.after is None or self.before == self.after:
            return ""
        shown = bytes_short if self.in_bytes else tokens_short
        return f"{shown(self.before)}→{shown(self.after)}"

    @property
    def is_compaction(self) -> bool:
        """Whether there is a summary behind this row."""
        return self.badge == "L3" and self.verb in ("compacted", "summary edited", "edit undone", "undone")

    @property
    def price_text(self) -> str:
        return usd_text(self.cost_usd) if self.cost_usd else ""

    @property
    def seconds_text(self) -> str:
        return seconds_short(self.seconds) if self.seconds is not None else ""


class EventsView(msgspec.Struct, frozen=True):
    """`rows` oldest first; `counts` by badge are acts that changed something; `undoable` is the row undo would undo."""

    rows: tuple[EventRow, ...] = ()
    counts: Mapping[Badge, int] = msgspec.field(default_factory=dict)
    undoable: int | None = None

    def of_layers(self, badges: Sequence[Badge] | frozenset[Badge]) -> tuple[EventRow, ...]:
        """The rows of some layers; all rows where none is named."""
        return tuple(row for row in self.rows if row.badge in badges) if badges else self.rows

    @property
    def counted(self) -> tuple[str, ...]:
        """`L2 ×3`, `L3 ×1`: the layers that changed something."""
        return tuple(f"{badge} ×{self.counts[badge]}" for badge in LAYER_WORDS if self.counts.get(badge))

    @property
    def counts_text(self) -> str:
        """`L2 ×3 L3 ×1`; empty while nothing was changed."""
        return " ".join(self.counted)

    def as_data(self) -> dict[str, Any]:
        return {"counts": dict(self.counts), "rows": len(self.rows), "undoable": self.undoable}


def events_view(app: App) -> EventsView:
    """All acts of a session so far."""
    return view_of_rows(app.ledger.rows)


def view_of_rows(ledger: Sequence[LedgerRow]) -> EventsView:
    counts: dict[Badge, int] = {}
    done: list[int] = []
    for number, row in enumerate(ledger):
        badge = BADGES.get(row.layer)
        if badge is not None and row.verb not in _CHANGES_NOTHING:
            counts[badge] = counts.get(badge, 0) + 1
        if row.layer == "compaction" and row.verb == "done":
            done.append(number)
        elif row.layer == "compaction" and row.verb == "undone" and done:
            done.pop()
    ended = _ended(ledger)
    shown = [number for number, row in enumerate(ledger) if row.layer in BADGES and number not in ended]
    return EventsView(tuple(_row(number, ledger[number]) for number in shown), counts, done[-1] if done else None)


def _ended(ledger: Sequence[LedgerRow]) -> frozenset[int]:
    """Announcements whose end was told as well: the one row that says what came of it is enough."""
    ended: set[int] = set()
    begun: dict[str, int] = {}
    for number, row in enumerate(ledger):
        if row.verb in ("started", "flush_started"):
            begun[row.layer] = number
        elif row.verb in _ENDS and row.layer in begun:
            ended.add(begun.pop(row.layer))
    return frozenset(ended)


def _row(number: int, row: LedgerRow) -> EventRow:
    sizes = (row.tokens_before, row.tokens_after)
    in_bytes = isinstance(row.data.get("bytes_before"), int) and isinstance(row.data.get("bytes_after"), int)
    if in_bytes:
        sizes = (row.data["bytes_before"], row.data["bytes_after"])
    return EventRow(
        number=number,
        time=row.time,
        badge=BADGES[row.layer],
        verb=_VERBS.get((row.layer, row.verb), row.verb.replace("_", " ")),
        reason=row.reason,
        before=sizes[0],
        after=sizes[1],
        in_bytes=in_bytes,
        cost_usd=row.cost_usd,
        seconds=row.seconds,
        way_back=row.way_back,
        data=row.data,
        failed=row.verb in ("failed", "fallback", "overflow", "break"),
    )
