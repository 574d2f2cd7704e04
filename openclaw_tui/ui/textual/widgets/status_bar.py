"""The last line of the screen: what is going on at the left, model, mode, context and money at the right.

Estimated figures carry a `~`. What does not fit goes, least needed first; the state stays longest.
"""

from time import monotonic
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec.structs import replace
from rich.cells import cell_len
from textual.app import RenderResult
from textual.content import Content
from textual.timer import Timer
from textual.widget import Widget

from openclaw_tui.constants import RUNNING_TICK_SECONDS
from openclaw_tui.ui.textual.rendering.safe_text import fit, one_line
from openclaw_tui.ui.textual.widgets.tool_output import duration_text

Activity: TypeAlias = Literal["opening", "idle", "working", "retry", "waiting", "stopping", "compacting"]

_SIGNS: dict[Activity, tuple[str, str]] = {
    "opening": ("○", "$foreground 75%"),
    "idle": ("○", "$foreground 75%"),
    "working": ("●", "$text-primary"),
    "retry": ("↻", "$text-warning"),
    "waiting": ("?", "$text-warning"),
    "stopping": ("■", "$text-warning"),
    "compacting": ("◆", "$text-primary"),
}
_QUIET = ("opening", "idle")
_MODES = {"default": "ask", "acceptEdits": "accept edits", "plan": "plan", "bypassPermissions": "no questions"}
_GAP = " · "


class Status(msgspec.Struct, frozen=True):
    """What the line tells. `detail` is about the activity: a tool, a reason. `hint` replaces it for a moment."""

    activity: Activity = "idle"
    detail: str = ""
    hint: str = ""
    step: int = 0
    until: float = 0.0
    model: str = ""
    offline: bool = False
    thinking: str = "off"
    mode: str = "default"
    context_tokens: int = 0
    window_tokens: int = 0
    estimated: bool = True
    cost_usd: float | None = 0.0
    session: str = ""
    engine: str = "legacy"
    sandbox: str = ""
    storage: str = ""


class StatusBar(Widget):
    """`tell(**changes)` changes what it says. The clock runs only while something runs."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.status = Status()
        self._since = 0.0
        self._ticker: Timer | None = None

    def tell(self, **changes: Any) -> None:
        """Change fields of the status. A change of activity starts its clock anew, except between parts of a turn."""
        before = self.status
        self.status = replace(before, **changes)
        if before.activity in _QUIET and self.status.activity not in _QUIET:
            self._since = monotonic()
        self._watch_clock()
        if self.status != before:
            self.refresh()

    def _watch_clock(self) -> None:
        runs = self.status.activity not in _QUIET
        if runs and self._ticker is None:
            self._ticker = self.set_interval(RUNNING_TICK_SECONDS, self.refresh)
        elif not runs and self._ticker is not None:
            self._ticker.stop()
            self._ticker = None

    def render(self) -> RenderResult:
        width = max(1, self.content_size.width)
        sign, style = _SIGNS[self.status.activity]
        left = fit(f"{sign} {self._activity()}", width) if width > 3 else sign
        facts = self._facts(width - cell_len(left) - 2)
        gap = " " * max(0, width - cell_len(left) - cell_len(facts))
        return Content.assemble((left, style), gap, (facts, "$foreground 75%"))

    def _activity(self) -> str:
        status = self.status
        if status.hint:
            return status.hint
        clock = duration_text(max(0, int(monotonic() - self._since)))
        clock = clock.replace(".0 s", " s")
        detail = f"{_GAP}{one_line(status.detail)}" if status.detail else ""
        match status.activity:
            case "opening":
                return "opening…"
            case "idle":
                return "ready"
            case "retry":
                left = max(0, round(status.until - monotonic()))
                return f"again in {left} s{detail}{_GAP}Esc stops"
            case "waiting":
                return f"waiting for your answer{detail}"
            case "stopping":
                return "stopping…"
            case "compacting":
                return f"summarising {clock}{_GAP}Esc stops"
            case "working":
                step = f"{_GAP}step {status.step}" if status.step > 1 else ""
                return f"working {clock}{step}{detail}{_GAP}Esc stops"

    def _facts(self, room: int) -> str:
        """As many facts as fit, the most needed ones; shown in a fixed order. None while nothing is open."""
        status = self.status
        if status.activity == "opening":
            return ""
        context = context_text(status.context_tokens, status.window_tokens, estimated=status.estimated)
        cost = "" if status.cost_usd is None else f"${status.cost_usd:.2f}"
        model = f"{one_line(status.model)}{' (not an AI model)' if status.offline else ''}"
        short_model = one_line(status.model).rpartition("/")[2]
        facts = [  # (order on the line, need, text)
            (0, 4, model),
            (1, 7, f"think {status.thinking}" if status.thinking != "off" else ""),
            (2, 2, _MODES.get(status.mode, status.mode)),
            (3, 5, status.sandbox),
            (4, 0, status.storage),
            (4, 1, context),
            (5, 6, cost),
            (6, 8, fit(one_line(status.session), 24)),
            (7, 3 if status.engine != "legacy" else 9, f"engine {status.engine}" if status.engine != "legacy" else ""),
        ]
        chosen: list[tuple[int, str]] = []
        for order, _need, text in sorted(facts, key=lambda fact: fact[1]):
            for wanted in (text, short_model) if order == 0 else (text,):
                if wanted and cell_len(_GAP.join([*(t for _, t in chosen), wanted])) <= room:
                    chosen.append((order, wanted))
                    break
        return _GAP.join(text for _, text in sorted(chosen))


def context_text(tokens: int, window: int, *, estimated: bool) -> str:
    """`~12k/200k 6%`: what is used of the usable window."""
    if window <= 0:
        return ""
    mark = "~" if estimated else ""
    return f"{mark}{count_text(tokens)}/{count_text(window)} {round(100 * tokens / window)}%"


def count_text(tokens: int) -> str:
    """A number of tokens for people: `812`, `1.2k`, `84k`, `1.0M`."""
    if tokens < 1_000:
        return str(tokens)
    if tokens < 10_000:
        return f"{tokens / 1_000:.1f}k"
    if tokens < 1_000_000:
        return f"{round(tokens / 1_000)}k"
    return f"{tokens / 1_000_000:.1f}M"
