"""What the provider's prompt cache holds and saves, as plain data for every front end: the numbers behind `/cache`.

Made of the rows that are written per model call. Where a provider reports nothing about its cache, a share is None and
is shown as "not reported": unknown is not zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec

from openclaw_tui.constants import CACHE_COLUMNS_KEPT, CACHE_RECENT_CALLS
from openclaw_tui.ui.figures import clock_text, tokens_short, usd_text

if TYPE_CHECKING:
    from openclaw_tui.app.compose import App
    from openclaw_tui.ledger.calls import CallRow
    from openclaw_tui.ledger.ledger import LedgerRow

CacheState: TypeAlias = Literal["none", "off", "not reported", "untimed", "timed", "other model", "rewritten"]


class CallColumn(msgspec.Struct, frozen=True):
    """One model call: its prompt's tokens by what the cache did with them. `verdict` is `break`, `expired` or empty."""

    time: float
    read: int
    written: int
    fresh: int
    reported: bool = True
    verdict: str = ""
    cost_usd: float | None = None

    @property
    def prompt(self) -> int:
        return self.read + self.written + self.fresh


class BreakCard(msgspec.Struct, frozen=True):
    """A cache that was lost: why, what had to be sent again, and the differing line of the prompt where that was it."""

    time: float
    kind: str
    cause: str
    lost_tokens: int
    lost_usd: float | None = None
    where: str = ""
    before: str = ""
    after: str = ""


class CacheView(msgspec.Struct, frozen=True):
    """`columns` are the latest calls, oldest first; shares are of prompt tokens, None where nothing was reported.

    `warm_until` is a time in seconds since the epoch. `next_tokens` is what the next call writes anew when the cache is
    cold, `next_usd` what that costs more than reading it.
    """

    columns: tuple[CallColumn, ...] = ()
    calls: int = 0
    last_share: float | None = None
    recent_share: float | None = None
    session_share: float | None = None
    state: CacheState = "none"
    warm_until: float | None = None
    next_tokens: int = 0
    next_usd: float | None = None
    breaks: tuple[BreakCard, ...] = ()
    saved_usd: float | None = None
    lost_tokens: int = 0
    lost_usd: float | None = None

    def seconds_left(self, now: float) -> float:
        return 0.0 if self.warm_until is None else max(0.0, self.warm_until - now)

    def is_warm(self, now: float) -> bool:
        return self.state == "untimed" or (self.state == "timed" and self.seconds_left(now) > 0)

    def clock_text(self, now: float) -> str:
        """One or two words for the toolbar: `4:12`, `cold`."""
        match self.state:
            case "timed":
                return clock_text(self.seconds_left(now)) if self.seconds_left(now) > 0 else "cold"
            case "other model" | "rewritten":
                return "cold"
            case "untimed":
                return "warm"
            case _:
                return ""

    def state_text(self, now: float) -> str:
        """The state of the cache in words, with the price of going cold."""
        again = f"next call writes {tokens_short(self.next_tokens)}"
        price = f", {usd_text(self.next_usd)} more" if self.next_usd else ""
        match self.state:
            case "none":
                return "no call yet"
            case "off":
                return "this model has no cache that we use"
            case "not reported":
                return "the provider reports nothing"
            case "untimed":
                return "warm, kept by the server"
            case "other model":
                return f"cold for this model: {again}{price}"
            case "rewritten":
                return "rewritten by a compaction: the next call writes the new talk"
            case "timed":
                left = self.seconds_left(now)
                return f"warm {clock_text(left)}" if left > 0 else f"cold: {again}{price}"

    @property
    def cold_text(self) -> str:
        """What is at stake while it is warm."""
        price = f", {usd_text(self.next_usd)}" if self.next_usd else ""
        return f"cold costs {tokens_short(self.next_tokens)}{price}"

    def as_data(self) -> dict[str, Any]:
        return {
            "calls": self.calls,
            "hit_share": {"last": self.last_share, "last_ten": self.recent_share, "session": self.session_share},
            "state": self.state,
            "warm_until": self.warm_until,
            "cold_tokens": self.next_tokens,
            "cold_usd": self.next_usd,
            "saved_usd": self.saved_usd,
            "lost_tokens": self.lost_tokens,
            "lost_usd": self.lost_usd,
            "breaks": [
                {"time": b.time, "kind": b.kind, "cause": b.cause, "tokens": b.lost_tokens, "where": b.where}
                for b in self.breaks
            ],
        }


def cache_view(app: App) -> CacheView:
    """The cache of a session as it stands now."""
    from openclaw_tui.agent.cache_prices import reread_usd
    from openclaw_tui.providers.cache_ttl import cache_ttl_seconds

    requests = app.session.deps.requests
    rows, model, retention = requests.cache.calls.rows, requests.model, requests.settings.cache_retention
    last = rows[-1] if rows else None
    tokens = requests.cache.cached_tokens()
    ttl = cache_ttl_seconds(model, retention)
    return CacheView(
        columns=tuple(_column(row) for row in rows[-CACHE_COLUMNS_KEPT:]),
        calls=len(rows),
        last_share=hit_share(rows[-1:]),
        recent_share=hit_share(rows[-CACHE_RECENT_CALLS:]),
        session_share=hit_share(rows),
        state=_state(
            last,
            usable=retention != "none" and model.caches_prefix,
            ttl=ttl,
            ours=(model.provider, model.id),
            compaction=_compaction(app),
        ),
        warm_until=None if last is None or ttl is None else last.time + ttl,
        next_tokens=tokens,
        next_usd=reread_usd(model, tokens, retention),
        breaks=_breaks(rows, app.ledger.of_layer("cache")),
        saved_usd=_sum([row.saved_usd for row in rows]),
        lost_tokens=sum(row.lost_tokens for row in rows),
        lost_usd=_sum([row.lost_usd for row in rows]),
    )


def hit_share(rows: Sequence[CallRow]) -> float | None:
    """Share of the prompt tokens that came from the cache; None where no call reported any."""
    told = [row for row in rows if row.reported and row.prompt_tokens]
    whole = sum(row.prompt_tokens for row in told)
    return sum(row.cache_read for row in told) / whole if whole else None


def _compaction(app: App) -> str:
    """The compaction below which the next request stands, as the rows of the calls name it."""
    compaction = app.session.deps.manager.project().compaction
    return compaction.id if compaction is not None else ""


def _state(
    last: CallRow | None, *, usable: bool, ttl: int | None, ours: tuple[str, str], compaction: str
) -> CacheState:
    if last is None:
        return "none"
    if not usable:
        return "off"
    if (last.provider, last.model) != ours:
        return "other model"
    if not last.reported:
        return "not reported"
    if last.compaction != compaction:
        return "rewritten"
    return "untimed" if ttl is None else "timed"


def _column(row: CallRow) -> CallColumn:
    return CallColumn(row.time, row.cache_read, row.cache_write, row.input, row.reported, row.verdict, row.cost_usd)


def _breaks(rows: Sequence[CallRow], acts: Sequence[LedgerRow]) -> tuple[BreakCard, ...]:
    """Latest first. The differing line stands in the ledger's row of the same break."""
    spots = {act.reason: act.data["spot"] for act in acts if isinstance(act.data.get("spot"), dict)}
    return tuple(_card(row, spots.get(row.cause, {})) for row in reversed(rows) if row.verdict)


def _card(row: CallRow, spot: dict[str, Any]) -> BreakCard:
    return BreakCard(
        time=row.time,
        kind=row.verdict,
        cause=row.cause,
        lost_tokens=row.lost_tokens,
        lost_usd=row.lost_usd,
        where=str(spot.get("where") or ""),
        before=str(spot.get("before") or ""),
        after=str(spot.get("after") or ""),
    )


def _sum(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None
