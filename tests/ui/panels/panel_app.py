"""An app with nothing but panels, strip or a panel's screen, on figures that do not change."""

from typing import Any

from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.screen import Screen

from openclaw_tui.ui.context_line import ContextView
from openclaw_tui.ui.textual.panels.choice import price_screen, undo_screen
from openclaw_tui.ui.textual.panels.compaction import TABS, CompactionScreen
from openclaw_tui.ui.textual.panels.looking import TextScreen, VersionsScreen
from openclaw_tui.ui.textual.panels.panel import Panel, PanelName
from openclaw_tui.ui.textual.panels.side import SidePanels
from openclaw_tui.ui.textual.panels.strip import ContextStrip
from openclaw_tui.ui.textual.panels.zoom import PanelScreen
from openclaw_tui.ui.textual.themes import DARK, LIGHT
from tests.ui.panels.more_views import NEW, NODES, OLD, RECORD, SHEET, TOO_MANY, WAYS
from tests.ui.panels.views import NOW


class PanelApp(App[None]):
    """`show` names what stands on the screen: `side`, `strip`, or a panel's name."""

    CSS = """
    #side { width: 100%; height: 100%; padding: 0 1; background: $surface; }
    #side > Panel { margin: 0 0 1 0; }
    #panel-budget, #panel-cache, #strip { height: auto; }
    #panel-events { height: 1fr; }
    #side > Panel.-folded { height: 1; }
    #strip { padding: 0 1; }
    """

    def __init__(self, show: str, view: ContextView, theme: str = DARK.name) -> None:
        super().__init__()
        self.show, self.view, self.wanted = show, view, theme
        self.side = SidePanels(id="side")
        self.strip = ContextStrip(id="strip", now=lambda: NOW)
        self.side.cache._now = lambda: NOW
        self.undone = 0

    def compose(self) -> ComposeResult:
        if self.show == "side":
            yield self.side
        elif self.show == "strip":
            yield self.strip

    def on_mount(self) -> None:
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        self.theme = self.wanted
        if self.show == "side":
            self.side.fill()
            self.side.show(self.view)
        elif self.show == "strip":
            self.strip.show(self.view)
        elif (screen := _more(self.show)) is not None:
            self.push_screen(screen)
        else:
            name, _, tab = self.show.partition("-")
            panel = PanelScreen(_name(name), self.view, self._undo)
            panel.cache._now = lambda: NOW
            panel.budget._tree_of = lambda: NODES
            self.push_screen(panel)
            if tab:
                panel.budget.opened.update(("tool results", "answers", "e11", "stable system prompt", "Skills"))
                self.call_after_refresh(panel.budget.look_at, tab)

    def _undo(self) -> None:
        self.undone += 1


def _more(show: str) -> Screen[Any] | None:
    """The screens that stand over a panel."""
    name, _, tab = show.partition("-")
    match name:
        case "price":
            return price_screen(SHEET)
        case "undo":
            return undo_screen(TOO_MANY if tab else WAYS)
        case "versions":
            return VersionsScreen("AGENTS.md, line 3 · system prompt changed", OLD, NEW)
        case "look":
            return TextScreen("t17 exec pytest -q", "\n".join(f"line {number} of many" for number in range(90)))
        case "compaction":
            screen = CompactionScreen(RECORD, _said, lambda: None)
            screen.panel.tab = next(known for known in TABS if known == (tab or "summary"))
            return screen
        case _:
            return None


async def _said(line: str) -> str:
    return f"ran {line.splitlines()[0]}"


def _name(show: str) -> PanelName:
    names: dict[str, PanelName] = {"budget": "budget", "cache": "cache", "events": "events"}
    return names[show]


def panel_text(panel: Panel) -> str:
    """What the rows of a panel show."""
    return "\n".join(panel.render_line(y).text.rstrip() for y in range(panel.content_size.height))


def zoomed(pilot: Pilot[Any]) -> PanelScreen:
    screen = pilot.app.screen
    assert isinstance(screen, PanelScreen)
    return screen
