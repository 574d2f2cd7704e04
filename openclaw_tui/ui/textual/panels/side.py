"""The column beside the talk: budget, cache and events above each other, each foldable to its title line."""

from textual.containers import Vertical

from openclaw_tui.ui.context_line import ContextView
from openclaw_tui.ui.textual.panels.budget import BudgetPanel
from openclaw_tui.ui.textual.panels.cache import CachePanel
from openclaw_tui.ui.textual.panels.events import EventsPanel
from openclaw_tui.ui.textual.panels.panel import Panel


class SidePanels(Vertical):
    """Shown on wide screens only; which width that is stands in the style sheet's breakpoints."""

    can_focus = False

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.budget = BudgetPanel(id="panel-budget")
        self.cache = CachePanel(id="panel-cache")
        self.events = EventsPanel(id="panel-events")

    @property
    def panels(self) -> tuple[Panel, ...]:
        return self.budget, self.cache, self.events

    def fill(self) -> None:
        """Mount the panels, once there is something to show: until then only their room is kept."""
        self.mount_all(self.panels)

    def show(self, view: ContextView) -> None:
        for panel in self.panels:
            panel.show(view)
