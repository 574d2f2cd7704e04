"""What the main screen has of the panels: their widgets, their keys, and when they are drawn anew.

New figures are gathered at most a few times a second and only while something shows them. The one clock runs while a
cache is warm and its time is in sight; nothing runs when nothing changes.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from msgspec.structs import replace
from textual import on, work
from textual.screen import Screen
from textual.timer import Timer

from openclaw_tui.constants import (
    CACHE_CLOCK_FAST_BELOW_SECONDS,
    CACHE_CLOCK_SECONDS,
    CACHE_CLOCK_SLOW_SECONDS,
    PANEL_MAX_SHARE,
    PANEL_MIN_COLUMNS,
    PANEL_REFRESH_SECONDS,
    PANEL_WIDEST_COLUMNS,
    STRIP_MIN_COLUMNS,
)
from openclaw_tui.ui.context_line import ContextView, context_view
from openclaw_tui.ui.context_view import weigh_draft
from openclaw_tui.ui.events_view import EventRow
from openclaw_tui.ui.textual.acts import ScreenActs
from openclaw_tui.ui.textual.command_runner import CommandRunner
from openclaw_tui.ui.textual.panels.panel import PANEL_NAMES, Panel, PanelName
from openclaw_tui.ui.textual.panels.side import SidePanels
from openclaw_tui.ui.textual.panels.strip import ContextStrip
from openclaw_tui.ui.textual.widgets.prompt_area import PromptArea
from openclaw_tui.ui.textual.widgets.prompt_input import PromptInput
from openclaw_tui.ui.textual.widgets.transcript import Transcript

if TYPE_CHECKING:
    from openclaw_tui.app.compose import App as Composed
    from openclaw_tui.commands.registry import CommandOutput
    from openclaw_tui.ui.textual.panels.desk import PanelDesk
    from openclaw_tui.ui.textual.panels.zoom import PanelScreen


class WithPanels(Screen[None]):
    """A screen with `side` and `strip`. The subclass yields both, and calls `observe` and `panels_changed`."""

    prompt: PromptInput
    transcript: Transcript
    acts: ScreenActs
    runner: CommandRunner

    def __init__(self) -> None:
        super().__init__()
        self.HORIZONTAL_BREAKPOINTS = [
            (0, "-narrow"),
            (STRIP_MIN_COLUMNS, "-middling"),
            (PANEL_MIN_COLUMNS, "-wide"),
            (PANEL_WIDEST_COLUMNS, "-widest"),
        ]
        self.side = SidePanels(id="side")
        self.strip = ContextStrip(id="strip")
        self._observed: Composed | None = None
        self._zoomed: PanelScreen | None = None
        self._stale = False
        self._pause = PANEL_REFRESH_SECONDS
        self._gathering: Timer | None = None
        self._clock: Timer | None = None

    def mount_panels(self) -> None:
        """With the first conversation: their many styles would hold up the first picture."""
        if not self.strip.is_attached:
            self.mount(self.strip, before=self.prompt)
            self.side.fill()

    # ── figures ────────────────────────────────────────────────────────────────────────────────────────────────
    def observe(self, composed: Composed) -> None:
        """Show the context of this conversation from now on."""
        self._observed = composed
        self.runner.asks = self.acts.asks = self._asked
        self._gather()

    def panels_changed(self) -> None:
        """Something may have changed: look again soon, once for all that happens until then."""
        if self._observed is None or self._stale:
            return
        self._stale = True
        if self._gathering is None:
            self._gathering = self.set_timer(self._pause, self._gather)

    def draft_changed(self) -> None:
        """Something is typed: only its price is new."""
        if self._observed is not None and self._gathering is None:
            self._gathering = self.set_timer(PANEL_REFRESH_SECONDS, self._weigh_draft)

    @on(Panel.Folded)
    def _panel_folded(self) -> None:
        self._run_clock()

    def current_view(self) -> ContextView | None:
        """The figures as they are now."""
        return context_view(self._observed, self._draft()) if self._observed is not None else None

    def _draft(self) -> str:
        text = self.prompt.area.whole_text
        return "" if text.lstrip().startswith("/") else text

    def _weigh_draft(self) -> None:
        """The figures from before with what the draft weighs now; gathered anew where more has changed."""
        view = self.side.budget.view
        if self._stale or view is None or self._observed is None:
            self._gather()
            return
        self._gathering = None
        draft = weigh_draft(self._observed, self._draft())
        if draft.tokens != view.budget.draft:
            budget = replace(view.budget, draft=draft.tokens, draft_words=draft.words)
            self._show(replace(view, budget=budget))

    def _gather(self) -> None:
        if self._gathering is not None:
            self._gathering.stop()
        self._gathering, self._stale = None, False
        started = time.monotonic()
        view = self.current_view()
        self._pause = max(PANEL_REFRESH_SECONDS, (time.monotonic() - started) / PANEL_MAX_SHARE)
        if view is not None and self.is_mounted:
            self._show(view)

    def _show(self, view: ContextView) -> None:
        self.side.show(view)
        self.strip.show(view)
        if self._zoomed is not None:
            self._zoomed.show(view)
        self._run_clock()

    # ── the clock of the cache ─────────────────────────────────────────────────────────────────────────────────
    def _clock_faces(self) -> list[Panel]:
        """What shows the time now."""
        if self._zoomed is not None:
            return [self._zoomed.cache] if self._zoomed.shown == "cache" else []
        if self.has_class("-panels-off") or not self._is_wide:
            return [self.strip]
        return [] if self.side.cache.folded else [self.side.cache]

    def _run_clock(self) -> None:
        """Set the next tick, where a warm cache is in sight; the last tick shows that it went cold."""
        if self._clock is not None:
            self._clock.stop()
            self._clock = None
        view = self.side.cache.view
        left = view.cache.seconds_left(time.time()) if view is not None and view.cache.state == "timed" else 0.0
        if left > 0 and self._clock_faces():
            fast = left <= CACHE_CLOCK_FAST_BELOW_SECONDS
            self._clock = self.set_timer(CACHE_CLOCK_SECONDS if fast else CACHE_CLOCK_SLOW_SECONDS, self._tick)

    def _tick(self) -> None:
        self._clock = None
        for face in self._clock_faces():
            face.changed()
        self._run_clock()

    # ── keys ───────────────────────────────────────────────────────────────────────────────────────────────────
    @property
    def _is_wide(self) -> bool:
        return self.app.size.width >= PANEL_MIN_COLUMNS

    def action_zoom_panel(self, name: PanelName) -> None:
        """Show a panel on the whole screen."""
        view = self.current_view()
        if view is None or self._zoomed is not None:
            return
        from openclaw_tui.ui.textual.panels.zoom import PanelScreen

        undo = self._undo_compaction if self._knows_undo() else None
        self._zoomed = PanelScreen(
            name,
            view,
            undo,
            looked=self._run_clock,
            desk=self._desk(),
            jump=self._show_in_talk,
            changed=self.panels_changed,
        )
        self.app.push_screen(self._zoomed, self._zoom_closed)

    def _desk(self) -> PanelDesk | None:
        from openclaw_tui.ui.textual.panels.desk import PanelDesk

        return PanelDesk(self._observed, self.runner.table) if self._observed is not None else None

    # ── between an act's line in the talk and its event ────────────────────────────────────────────────────────
    def show_event_of(self, item_id: str | None) -> None:
        """The events panel, with the act chosen that a line in the talk tells of."""
        self.action_zoom_panel("events")
        words = dict(self.transcript.separators()).get(item_id or "", "")
        if self._zoomed is None or self._observed is None or not words:
            return
        from openclaw_tui.ui.textual.panels.act_lines import row_of_words

        number = row_of_words(self._observed.ledger.rows, words)
        if number is not None:
            self._zoomed.events.choose(number)

    def _show_in_talk(self, row: EventRow) -> bool:
        """Scroll to the line of an act; False where the talk on the screen has none."""
        if self._observed is None:
            return False
        from openclaw_tui.ui.textual.panels.act_lines import item_of_row

        item_id = item_of_row(self._observed.ledger.rows, row.number, self.transcript.separators())
        if item_id is None:
            return False
        self.transcript.scroll_to_item(item_id)
        return True

    # ── the price of an act ────────────────────────────────────────────────────────────────────────────────────
    @work(group="price")
    async def _asked(self, output: CommandOutput) -> None:
        """A typed command has a price, or there is more than one way: ask, then run what was answered."""
        from openclaw_tui.ui.textual.panels.choice import price_screen, undo_screen

        desk = self._desk()
        if desk is None:
            return
        if output.sheet is not None:
            answer = await self.app.push_screen_wait(price_screen(output.sheet))
            line = f"{output.payload} {answer}" if answer not in ("", "no") else ""
        else:
            ways = desk.ways()
            answer = await self.app.push_screen_wait(undo_screen(ways)) if ways is not None else ""
            line = f"/compact undo {answer}" if answer in ("keep", "branch") else ""
        parsed = self.runner.table.parse(line) if line else None
        if parsed is not None and parsed.command is not None and self._observed is not None:
            await self.runner.run(self._observed, parsed.command, parsed.argument)
        self.panels_changed()

    def _zoom_closed(self, _: None) -> None:
        self._zoomed = None
        self._run_clock()

    def action_fold_panel(self, name: PanelName) -> None:
        self.side.panels[PANEL_NAMES.index(name)].fold()

    def action_toggle_panels(self) -> None:
        """Column or strip on and off; one line stays."""
        self.toggle_class("-panels-off")
        self.strip.brief = self.has_class("-panels-off")
        self.strip.changed(layout=True)
        self._run_clock()

    def on_resize(self) -> None:
        self.strip.changed(layout=True)
        self._run_clock()

    # ── undo ───────────────────────────────────────────────────────────────────────────────────────────────────
    def _knows_undo(self) -> bool:
        parsed = self.runner.table.parse("/compact undo")
        return parsed is not None and parsed.command is not None and "undo" in parsed.command.hint

    def _undo_compaction(self) -> None:
        """As if `/compact undo` had been typed; where turns followed it, the screen asks how."""
        self.post_message(PromptArea.Sent("/compact undo", "/compact undo"))
