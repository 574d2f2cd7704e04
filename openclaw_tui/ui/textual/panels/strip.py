"""The strip above the prompt on middling screens: three lines for the three panels; one line where room is scarce."""

import time
from collections.abc import Callable

from openclaw_tui.constants import STRIP_BAR_CELLS, STRIP_LABEL_CELLS, STRIP_MIN_COLUMNS, STRIP_MIN_ROWS
from openclaw_tui.ui.cache_view import CacheView
from openclaw_tui.ui.context_line import ContextView, toolbar_text
from openclaw_tui.ui.figures import share_text, tokens_short, usd_text
from openclaw_tui.ui.textual.panels.bars import sparkline, stacked_bar
from openclaw_tui.ui.textual.panels.events import row_line
from openclaw_tui.ui.textual.panels.lines import Line, Run, fitted, spread
from openclaw_tui.ui.textual.panels.panel import Panel


class ContextStrip(Panel):
    """`brief` asks for the one line also where three would fit."""

    def __init__(self, *, now: Callable[[], float] = time.time, id: str | None = None) -> None:
        super().__init__(id=id)
        self.brief = False
        self._now = now

    def body(self, view: ContextView, width: int, height: int) -> list[Line]:
        screen = self.app.size
        if self.brief or screen.width < STRIP_MIN_COLUMNS or screen.height < STRIP_MIN_ROWS:
            return [[(toolbar_text(view, width=width, now=self._now()), "muted")]]
        return strip_lines(view, width, self._now())


def strip_lines(view: ContextView, width: int, now: float) -> list[Line]:
    return [_budget_line(view, width), _cache_line(view.cache, width, now), _events_line(view, width)]


def _label(word: str) -> Run:
    return word.ljust(STRIP_LABEL_CELLS), "title"


def _budget_line(view: ContextView, width: int) -> Line:
    budget = view.budget
    tight = budget.next_tokens > budget.trigger or budget.turns_left == 0
    figures: list[Run] = [(f" {budget.total_text} of {tokens_short(budget.usable)}", "figure")]
    figures += [(f" {budget.percent}%", "warning" if tight else "good")]
    left = [_label("budget"), *stacked_bar(budget, min(STRIP_BAR_CELLS, width // 3)), *figures]
    return spread(left, [(budget.turns_text, "warning" if tight else "text")], width)


def _cache_line(cache: CacheView, width: int, now: float) -> Line:
    if not cache.columns:
        return fitted([_label("cache"), (cache.state_text(now), "muted")], width)
    left: list[Run] = [_label("cache"), *sparkline(cache.columns, min(STRIP_BAR_CELLS, width // 3)), (" ", "text")]
    if cache.session_share is None:
        left += [("hits not reported", "text")]
    else:
        left += [(share_text(cache.last_share), "figure"), (" last  ", "muted")]
        left += [(share_text(cache.session_share), "figure"), (" session", "muted")]
        left += [(f"  saved {usd_text(cache.saved_usd)}", "muted")] if cache.saved_usd else []
    state = cache.state_text(now)
    return spread(left, [(state, "good" if cache.is_warm(now) else "warning")] if cache.session_share else [], width)


def _events_line(view: ContextView, width: int) -> Line:
    counts = view.events.counts_text
    left: list[Run] = [_label("events")]
    if not view.events.rows:
        return fitted([*left, ("no layer has changed the context yet", "muted")], width)
    left += [(f"{counts}  ", "figure")] if counts else []
    used = sum(len(text) for text, _ in left)
    return [*left, *row_line(view.events.rows[-1], max(0, width - used))]
