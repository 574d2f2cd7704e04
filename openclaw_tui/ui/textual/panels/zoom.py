"""One panel on the whole screen, and the way between the three. Everything shown there is live as well."""

from collections.abc import Callable
from typing import ClassVar, Literal, TypeAlias

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import ContentSwitcher, Static

from openclaw_tui.ui.context_line import ContextView
from openclaw_tui.ui.events_view import Badge
from openclaw_tui.ui.textual.bindings import bindings_of
from openclaw_tui.ui.textual.panels.budget import BudgetZoom
from openclaw_tui.ui.textual.panels.cache import CacheZoom
from openclaw_tui.ui.textual.panels.events import EventsZoom
from openclaw_tui.ui.textual.panels.panel import Panel

PanelName: TypeAlias = Literal["budget", "cache", "events"]
PANEL_NAMES: tuple[PanelName, ...] = ("budget", "cache", "events")
_KEYS: dict[PanelName, str] = {"budget": "F2", "cache": "F3", "events": "F4"}
BADGE_KEYS: dict[str, Badge] = {"1": "L1", "2": "L2", "3": "L3", "4": "L4", "5": "L5", "r": "R", "m": "M"}


class PanelScreen(Screen[None]):
    """`undo` takes back the latest compaction (None: no such command); `looked` hears when another panel is shown."""

    CSS_PATH = "../styles/panels.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("panel")

    def __init__(
        self,
        name: PanelName,
        view: ContextView,
        undo: Callable[[], None] | None,
        looked: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__()
        self.shown: PanelName = name
        self.view = view
        self.budget = BudgetZoom(id="zoom-budget-body")
        self.cache = CacheZoom(id="zoom-cache-body")
        self.events = EventsZoom(id="zoom-events")
        self._undo = undo
        self._looked = looked

    def compose(self) -> ComposeResult:
        yield Static(id="zoom-title", markup=False)
        with ContentSwitcher(initial=f"zoom-{self.shown}", id="zoom-body"):
            with VerticalScroll(id="zoom-budget"):
                yield self.budget
            with VerticalScroll(id="zoom-cache"):
                yield self.cache
            yield self.events
        yield Static(id="zoom-keys", markup=False)

    def on_mount(self) -> None:
        self.show(self.view)
        self.look_at(self.shown)

    def show(self, view: ContextView) -> None:
        """New figures."""
        self.view = view
        panels: tuple[Panel, ...] = (self.budget, self.cache, self.events)
        for panel in panels:
            panel.show(view)
        self._tell_keys()

    def look_at(self, name: PanelName) -> None:
        self.shown = name
        self.query_one(ContentSwitcher).current = f"zoom-{name}"
        self.query_one(f"#zoom-{name}").focus()
        title: list[tuple[str, str]] = []
        for panel in PANEL_NAMES:
            style = "$text-primary bold" if panel == name else "$foreground 62%"
            mark = "●" if panel == name else "○"
            title.append((f"{mark} {panel.capitalize()} {_KEYS[panel]}    ", style))
        self.query_one("#zoom-title", Static).update(Content.assemble(*title))
        self._tell_keys()
        self._looked()

    # ── keys ───────────────────────────────────────────────────────────────────────────────────────────────────
    @property
    def can_undo(self) -> bool:
        """Whether the selected row is the compaction that undo would take back."""
        row = self.events.selected
        return self._undo is not None and row is not None and row.number == self.view.events.undoable

    @on(EventsZoom.Chosen)
    def _tell_keys(self) -> None:
        close = f"Esc, {_KEYS[self.shown]} close"
        if self.shown != "events":
            keys = f"↑ ↓ scroll · {close}"
        else:
            undo = " · u undo this compaction" if self.can_undo else ""
            shut = "close" if self.events.details else "open"
            keys = f"↑ ↓ choose · Enter {shut} details{undo} · 1-5 r m only that layer · 0 all · {close}"
        self.query_one("#zoom-keys", Static).update(Content.styled(keys, "$foreground 75%"))

    def action_close(self) -> None:
        self.dismiss(None)

    def action_look(self, name: PanelName) -> None:
        """The key of the panel that is shown closes it."""
        if name == self.shown:
            self.dismiss(None)
        else:
            self.look_at(name)

    def action_move(self, step: int) -> None:
        if self.shown == "events":
            self.events.move(step)
        else:
            self.query_one(f"#zoom-{self.shown}").scroll_relative(y=step, animate=False)

    def action_details(self) -> None:
        if self.shown == "events":
            self.events.toggle_details()

    def action_only(self, key: str) -> None:
        if self.shown == "events":
            self.events.filter_by(BADGE_KEYS.get(key))

    def action_undo(self) -> None:
        if self.shown == "events" and self.can_undo and self._undo is not None:
            self._undo()
            self.dismiss(None)
