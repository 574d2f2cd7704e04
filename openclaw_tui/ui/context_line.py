"""The three views of the context together, and the one toolbar line that stands for them where there is no room.

`ctx ▓▓▓▒░ 42%~ →6 turns │ cache 91% 4:12 │ $0.31 │ L2 ×3 L3 ×1`
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import msgspec

from openclaw_tui.constants import TOOLBAR_BAR_CELLS
from openclaw_tui.ui.cache_view import CacheView, cache_view
from openclaw_tui.ui.context_view import BudgetView, PartKind, budget_view
from openclaw_tui.ui.events_view import EventsView, events_view
from openclaw_tui.ui.figures import cells_of, share_text, usd_text

if TYPE_CHECKING:
    from openclaw_tui.app.compose import App

_FILLS: tuple[tuple[str, tuple[PartKind, ...]], ...] = (
    ("▓", ("tools", "system", "dynamic", "summary")),
    ("▒", ("talk", "draft")),
    ("░", ("results",)),
)


class ContextView(msgspec.Struct, frozen=True):
    """Budget, cache and events of one session at one time; `spent_usd` None where no price is known."""

    budget: BudgetView
    cache: CacheView
    events: EventsView
    spent_usd: float | None = None

    def as_data(self) -> dict[str, Any]:
        return {
            "budget": self.budget.as_data(),
            "cache": self.cache.as_data(),
            "events": self.events.as_data(),
            "spent_usd": self.spent_usd,
        }


def context_view(app: App, draft: str = "") -> ContextView:
    session = app.session
    known = session.model.price is not None or session.deps.spent_usd > 0
    return ContextView(
        budget_view(app, draft), cache_view(app), events_view(app), session.deps.spent_usd if known else None
    )


def toolbar_text(view: ContextView, *, width: int | None = None, now: float | None = None) -> str:
    """Everything on one line; where it does not fit, what is least needed goes, from the right."""
    now = time.time() if now is None else now
    parts = [part for part in (_budget(view.budget), _cache(view.cache, now), _spent(view), _events(view)) if part]
    shorter = [_budget(view.budget, bar=False), *parts[1:]]
    choices = [parts, shorter] + [shorter[:count] for count in range(len(shorter) - 1, 0, -1)]
    lines = [" │ ".join(choice) for choice in choices]
    return lines[0] if width is None else next((line for line in lines if len(line) <= width), lines[-1][:width])


def mini_bar(budget: BudgetView, width: int = TOOLBAR_BAR_CELLS) -> str:
    """Fixed parts, talk and results out of the usable window, each with its own fill."""
    sizes = [sum(part.tokens for part in budget.bar if part.kind in kinds) for _, kinds in _FILLS]
    cells = cells_of(sizes, max(budget.usable, budget.next_tokens), width)
    drawn = "".join(fill * count for (fill, _), count in zip(_FILLS, cells, strict=True))
    return drawn.ljust(width, "·")


def turns_short(budget: BudgetView) -> str:
    turns = budget.turns_left
    if turns is None:
        return "→? turns"
    return "→now" if budget.next_tokens > budget.trigger else "→next turn" if turns == 0 else f"→{turns} turns"


def _budget(budget: BudgetView, *, bar: bool = True) -> str:
    mark = "~" if budget.is_estimate else ""
    drawn = f"{mini_bar(budget)} " if bar else ""
    return f"ctx {drawn}{budget.percent}%{mark} {turns_short(budget)}"


def _cache(cache: CacheView, now: float) -> str:
    if cache.state in ("none", "off"):
        return ""
    return f"cache {share_text(cache.last_share)} {cache.clock_text(now)}".rstrip()


def _spent(view: ContextView) -> str:
    return "" if view.spent_usd is None else usd_text(view.spent_usd)


def _events(view: ContextView) -> str:
    return view.events.counts_text
