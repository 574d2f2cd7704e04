"""What `/cache`, its JSON twin and the cache panel show: one row per call, shares, what was saved, what was lost.

One function, so that they cannot disagree. A provider that reports nothing about its cache shows `not reported`, never
0 %.
"""

import time
from collections.abc import Sequence
from typing import Any

import msgspec

from openclaw_tui.agent.cache_observer import CacheObserver
from openclaw_tui.agent.cache_prices import dollars
from openclaw_tui.constants import CACHE_SHARE_CALLS, CACHE_TABLE_CALLS
from openclaw_tui.ledger.calls import CallRow


class CacheReport(msgspec.Struct, frozen=True):
    """`seconds_left` is how long the cache stays warm, negative once it is cold, None where nobody knows."""

    rows: tuple[CallRow, ...]
    seconds_left: float | None = None

    @property
    def session_share(self) -> float | None:
        return hit_share(self.rows)

    @property
    def recent_share(self) -> float | None:
        return hit_share(self.rows[-CACHE_SHARE_CALLS:])

    @property
    def saved_usd(self) -> float | None:
        """Against no cache at all; None where no call has a known price."""
        known = [row.saved_usd for row in self.rows if row.saved_usd is not None]
        return sum(known) if known else None

    @property
    def breaks(self) -> list[CallRow]:
        return [row for row in self.rows if row.verdict]

    def as_data(self) -> dict[str, Any]:
        return {
            "calls": [_call_data(number, row) for number, row in enumerate(self.rows, 1)],
            "session": {"hit_share": self.session_share, "saved_usd": self.saved_usd},
            "last_calls": {"count": min(CACHE_SHARE_CALLS, len(self.rows)), "hit_share": self.recent_share},
            "breaks": [_break_data(number, row) for number, row in enumerate(self.rows, 1) if row.verdict],
            "lost_tokens": sum(row.lost_tokens for row in self.breaks),
            "seconds_left": self.seconds_left,
        }

    def as_text(self, last: int = CACHE_TABLE_CALLS) -> str:
        if not self.rows:
            return "no model call yet"
        lines = [_HEAD]
        shown = list(enumerate(self.rows, 1))[-last:]
        lines += [_call_line(number, row) for number, row in shown]
        lines += ["", self._shares(), self._clock()]
        for number, row in [(number, row) for number, row in enumerate(self.rows, 1) if row.verdict][-last:]:
            price = f", {dollars(row.lost_usd)}" if row.lost_usd is not None else ""
            lines.append(f"call {number} {row.verdict}: {row.cause} ({row.lost_tokens:,} tokens read again{price})")
        return "\n".join(lines)

    def _shares(self) -> str:
        recent = min(CACHE_SHARE_CALLS, len(self.rows))
        saved = "unknown" if self.saved_usd is None else dollars(self.saved_usd)
        return (
            f"session {_percent(self.session_share)} · last {recent} calls {_percent(self.recent_share)} · "
            f"saved against no cache: {saved}"
        )

    def _clock(self) -> str:
        left = self.seconds_left
        if left is None:
            return "how long this cache lives is not known"
        return f"warm for {int(left) // 60}:{int(left) % 60:02d}" if left > 0 else "cold: the next call writes it again"


def cache_report(cache: CacheObserver, seconds_left: float | None) -> CacheReport:
    return CacheReport(tuple(cache.calls.rows), seconds_left)


def hit_share(rows: Sequence[CallRow]) -> float | None:
    """Cached tokens among all prompt tokens of the calls that report about their cache; None where none does."""
    told = [row for row in rows if row.reported]
    prompt = sum(row.prompt_tokens for row in told)
    return sum(row.cache_read for row in told) / prompt if prompt else None


_HEAD = f"{'call':>5}  {'time':8}  {'read':>10}  {'written':>10}  {'fresh':>10}  {'hits':>12}  model"


def _call_line(number: int, row: CallRow) -> str:
    clock = time.strftime("%H:%M:%S", time.localtime(row.time))
    read, written = (f"{row.cache_read:,}", f"{row.cache_write:,}") if row.reported else ("?", "?")
    mark = f"  {row.verdict}" if row.verdict else ""
    share = _percent(hit_share([row]))
    return (
        f"{number:>5}  {clock:8}  {read:>10}  {written:>10}  {row.input:>10,}  {share:>12}  "
        f"{row.provider}/{row.model}{mark}"
    )


def _percent(share: float | None) -> str:
    return "not reported" if share is None else f"{share * 100:.0f} %"


def _call_data(number: int, row: CallRow) -> dict[str, Any]:
    return {
        "call": number,
        "time": row.time,
        "model": f"{row.provider}/{row.model}",
        "read": row.cache_read if row.reported else None,
        "written": row.cache_write if row.reported else None,
        "fresh": row.input,
        "output": row.output,
        "hit_share": hit_share([row]),
        "cost_usd": row.cost_usd,
        "saved_usd": row.saved_usd,
        "digests": {"stable": row.stable, "dynamic": row.dynamic, "tools": row.tools},
    }


def _break_data(number: int, row: CallRow) -> dict[str, Any]:
    return {
        "call": number,
        "kind": row.verdict,
        "cause": row.cause,
        "lost_tokens": row.lost_tokens,
        "lost_usd": row.lost_usd,
    }
