"""Panel 2: what is warm and what that saves. A column per call, hit shares, the clock, and why a cache was lost."""

import time
from collections.abc import Callable

from textual.message import Message

from openclaw_tui.constants import CACHE_BREAKS_SHOWN, CACHE_CHART_ROWS, CACHE_CHART_ZOOM_ROWS
from openclaw_tui.ui.cache_view import BreakCard, CacheView
from openclaw_tui.ui.context_line import ContextView
from openclaw_tui.ui.figures import plural, share_text, tokens_short, usd_text
from openclaw_tui.ui.textual.panels.bars import column_chart
from openclaw_tui.ui.textual.panels.lines import Line, Run, fitted, spread, wrapped
from openclaw_tui.ui.textual.panels.panel import Panel
from openclaw_tui.ui.textual.rendering.safe_text import one_line


class CachePanel(Panel):
    """`now` is wall time; the panel is drawn anew by whoever runs the clock."""

    TITLE = "Cache"
    KEY = "F3"

    def __init__(self, *, now: Callable[[], float] = time.time, id: str | None = None) -> None:
        super().__init__(id=id)
        self._now = now

    def headline(self, view: ContextView, room: int) -> Line:
        cache = view.cache
        if cache.state in ("none", "off"):
            return [(cache.state_text(self._now()) if cache.state == "none" else "off", "muted")]
        clock = "" if self.folded else f" {cache.clock_text(self._now())}"
        role = "good" if cache.is_warm(self._now()) else "warning"
        return [(share_text(cache.last_share), "figure"), (clock.rstrip(), role)]

    def body(self, view: ContextView, width: int, height: int) -> list[Line]:
        return cache_lines(view.cache, width, self._now())


class CacheZoom(CachePanel):
    """A tall chart and every break; arrow keys choose one, Enter opens its two versions."""

    TITLE = ""
    KEY = ""
    can_focus = True

    class Chosen(Message):
        """Another break is chosen."""

    def __init__(self, *, now: Callable[[], float] = time.time, id: str | None = None) -> None:
        super().__init__(now=now, id=id)
        self.at = 0
        self._top = 0

    @property
    def chosen(self) -> BreakCard | None:
        breaks = self.view.cache.breaks if self.view else ()
        return breaks[min(self.at, len(breaks) - 1)] if breaks else None

    def move(self, step: int) -> None:
        breaks = self.view.cache.breaks if self.view else ()
        self.at = max(0, min(len(breaks) - 1, self.at + step))
        self.changed()
        self.post_message(self.Chosen())

    def body(self, view: ContextView, width: int, height: int) -> list[Line]:
        lines = cache_lines(view.cache, width, self._now(), zoomed=True, chosen=self.at)
        if not height or len(lines) <= height:
            return lines
        focus = next((n for n, line in enumerate(lines) if line and line[0][0] == "▸ "), 0)
        last = next((n for n in range(focus + 1, len(lines)) if not lines[n]), len(lines))
        self._top = max(0, min(max(self._top, last - height), focus, len(lines) - height))
        self._top = 0 if last <= height or self.at == 0 else self._top
        return lines[self._top : self._top + height]


def cache_lines(
    cache: CacheView, width: int, now: float, *, zoomed: bool = False, chosen: int | None = None
) -> list[Line]:
    """Rows of the panel, most needed first."""
    if not cache.columns:
        return _state(cache, width, now)
    lines = [_shares(cache, width)]
    lines += _state(cache, width, now) if cache.state != "not reported" else []
    rows = CACHE_CHART_ZOOM_ROWS if zoomed else CACHE_CHART_ROWS
    lines += [*column_chart(cache.columns, width, rows), _legend(cache, width)]
    lines += [_totals(cache, width)]
    shown = cache.breaks if zoomed else cache.breaks[:CACHE_BREAKS_SHOWN]
    for at, card in enumerate(shown):
        lines += [[], *_card(card, width, chosen=at == chosen)] if zoomed else _brief_card(card, width)
    return lines


def _shares(cache: CacheView, width: int) -> Line:
    """Hit share of the last call, the last ten, the session."""
    if cache.session_share is None:
        return [("hits ", "muted"), ("not reported by this provider", "text")]
    shares = ((cache.last_share, "last"), (cache.recent_share, "last 10"), (cache.session_share, "session"))
    line: Line = [("hits ", "muted")]
    for number, (share, word) in enumerate(shares):
        line += [("  " if number else "", "muted"), (share_text(share), "figure"), (f" {word}", "muted")]
    return fitted(line, width)


def _state(cache: CacheView, width: int, now: float) -> list[Line]:
    if cache.state == "timed" and cache.is_warm(now):
        left: list[Run] = [(cache.state_text(now), "good")]
        return [spread(left, [(cache.cold_text, "muted")], width)] if cache.next_tokens else [left]
    quiet = ("none", "off", "not reported", "rewritten")
    role = "good" if cache.is_warm(now) else "muted" if cache.state in quiet else "warning"
    return wrapped(cache.state_text(now), width, role, limit=2)


def _legend(cache: CacheView, width: int) -> Line:
    tallest = max(column.prompt for column in cache.columns)
    if not any(column.reported for column in cache.columns):
        left: list[Run] = [("?", "fresh"), (" not reported", "muted")]
    else:
        left = [("█", "read"), (" read  ", "muted"), ("▒", "written"), (" written  ", "muted")]
        left += [("░", "fresh"), (" fresh", "muted")]
    return spread(left, [(f"top {tokens_short(tallest)}", "muted")], width)


def _totals(cache: CacheView, width: int) -> Line:
    saved = f"saved {usd_text(cache.saved_usd)}" if cache.saved_usd is not None else plural(cache.calls, "call")
    if not cache.breaks and cache.session_share is None:
        return [(saved, "text")]
    if not cache.breaks:
        return spread([(saved, "text")], [("never lost", "good")], width)
    price = f", {usd_text(cache.lost_usd)}" if cache.lost_usd else ""
    lost = f"{plural(len(cache.breaks), 'loss')} cost {tokens_short(cache.lost_tokens)}{price}"
    return spread([(saved, "text")], [(lost, "warning")], width)


def _brief_card(card: BreakCard, width: int) -> list[Line]:
    return [_card_head(card, width), *wrapped(one_line(card.cause), width, "text", indent=2, limit=2)]


def _card_head(card: BreakCard, width: int, *, chosen: bool = False) -> Line:
    at = time.strftime("%H:%M", time.localtime(card.time))
    word = "expired" if card.kind == "expired" else "broke"
    mark: Run = ("▸ ", "key") if chosen else ("▼ ", "warning")
    left: list[Run] = [mark, (f"{at} ", "muted"), (word, "warning")]
    price = f" {usd_text(card.lost_usd)}" if card.lost_usd else ""
    return spread(left, [(f"{tokens_short(card.lost_tokens)} read again{price}", "muted")], width)


def _card(card: BreakCard, width: int, *, chosen: bool = False) -> list[Line]:
    lines = [_card_head(card, width, chosen=chosen), *wrapped(one_line(card.cause), width, "text", indent=2)]
    if card.where:
        lines.append([("  at ", "muted"), (one_line(card.where), "strong")])
        lines += wrapped(f"− {one_line(card.before) or '(nothing)'}", width, "error", indent=2, limit=4)
        lines += wrapped(f"+ {one_line(card.after) or '(nothing)'}", width, "good", indent=2, limit=4)
    return lines
