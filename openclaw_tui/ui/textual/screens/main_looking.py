"""Keys of the main screen that look and choose: modes, thinking, pickers, folding, scrolling, drawing anew.

They act on widgets alone; what begins, stops or sends something is in `main.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on

from openclaw_tui.messages import THINKING_LEVELS
from openclaw_tui.ui.textual.acts import LookAsked, ScreenActs
from openclaw_tui.ui.textual.panels.with_panels import WithPanels
from openclaw_tui.ui.textual.widgets.plan_view import PlanView
from openclaw_tui.ui.textual.widgets.search_bar import SearchBar
from openclaw_tui.ui.textual.widgets.transcript import Transcript

if TYPE_CHECKING:
    from openclaw_tui.safety.permissions import PermissionMode
    from openclaw_tui.ui.textual.conversation import Conversation

_MODES: tuple[PermissionMode, ...] = ("default", "acceptEdits", "plan")


class WithLooking(WithPanels):
    """A screen with a transcript. The subclass makes the widgets and knows the conversation."""

    transcript: Transcript
    acts: ScreenActs
    search: SearchBar
    plan: PlanView

    @property
    def talk(self) -> Conversation:
        raise RuntimeError("no conversation is attached")

    def action_cycle_mode(self) -> None:
        permissions = self.talk.composed.permissions
        at = _MODES.index(permissions.mode) if permissions.mode in _MODES else -1
        permissions.mode = _MODES[(at + 1) % len(_MODES)]
        self.acts.measure()

    def action_cycle_thinking(self) -> None:
        session = self.talk.session
        levels = [level for level in THINKING_LEVELS if level in (session.model.thinking_levels or ("off",))]
        if len(levels) < 2:
            self.acts.hint(f"{session.model.id} has no thinking levels")
            return
        at = levels.index(session.thinking) if session.thinking in levels else -1
        self.acts.hint(f"thinking is now {session.set_thinking(levels[(at + 1) % len(levels)])}")
        self.acts.measure()

    def action_pick_model(self) -> None:
        self.acts.pick_model()

    def action_palette(self) -> None:
        self.acts.palette()

    def action_search_history(self) -> None:
        self.acts.search_history()

    def action_toggle_output(self) -> None:
        self.transcript.toggle_fold("all")

    @on(Transcript.SearchAsked)
    def action_find(self) -> None:
        """Ctrl+F: words in the conversation, also in what is folded and before a compaction."""
        self.search.open()

    @on(LookAsked)
    def _look_asked(self, event: LookAsked) -> None:
        if event.how == "pager":
            self.action_pager(event.words)
        else:
            self.search.open(event.words)

    @on(SearchBar.Closed)
    def _search_closed(self) -> None:
        self.prompt.area.focus()

    @on(Transcript.CopyAsked)
    def _copy_asked(self, event: Transcript.CopyAsked) -> None:
        self.acts.copy_text(event.text, event.what)

    def action_pager(self, words: str = "") -> None:
        """F5: the conversation alone, everything unfolded."""
        from openclaw_tui.ui.textual.history_items import history_items
        from openclaw_tui.ui.textual.screens.pager import PagerScreen

        items = history_items(self.talk.session.deps.manager.branch())
        self.app.push_screen(PagerScreen(items, words))

    def action_page(self, step: int) -> None:
        if step < 0:
            self.transcript.scroll_page_up(animate=False)
        else:
            self.transcript.scroll_page_down(animate=False)

    def action_line(self, step: int) -> None:
        self.transcript.scroll_relative(y=step, animate=False)

    def action_top(self) -> None:
        self.transcript.scroll_home(animate=False)

    def action_bottom(self) -> None:
        self.transcript.follow()

    def action_redraw(self) -> None:
        self.app.refresh(repaint=True, layout=True)
        self.refresh(repaint=True, layout=True)

    def action_suspend(self) -> None:
        self.prompt.save_draft()
        self.app.action_suspend_process()

    def action_toggle_plan(self) -> None:
        """Ctrl+T: the plan above the prompt."""
        if not self.plan.toggle():
            self.acts.hint("there is no plan yet")

    @on(Transcript.SeparatorSelected)
    def _separator_selected(self, event: Transcript.SeparatorSelected) -> None:
        self.show_event_of(event.item_id)

    def action_jump_to_events(self) -> None:
        """From the lowest line about a layer's act in sight to its event."""
        self.show_event_of(self.transcript.lowest_separator())
