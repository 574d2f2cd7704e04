"""An app with nothing but panels, strip or a panel's screen, on figures that do not change."""

from textual.app import App, ComposeResult
from textual.pilot import Pilot

from openclaw_tui.ui.context_line import ContextView
from openclaw_tui.ui.textual.panels.panel import Panel
from openclaw_tui.ui.textual.panels.side import SidePanels
from openclaw_tui.ui.textual.panels.strip import ContextStrip
from openclaw_tui.ui.textual.panels.zoom import PanelName, PanelScreen
from openclaw_tui.ui.textual.themes import DARK, LIGHT
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
            self.side.show(self.view)
        elif self.show == "strip":
            self.strip.show(self.view)
        else:
            screen = PanelScreen(_name(self.show), self.view, self._undo)
            screen.cache._now = lambda: NOW
            self.push_screen(screen)

    def _undo(self) -> None:
        self.undone += 1


def _name(show: str) -> PanelName:
    names: dict[str, PanelName] = {"budget": "budget", "cache": "cache", "events": "events"}
    return names[show]


def panel_text(panel: Panel) -> str:
    """What the rows of a panel show."""
    return "\n".join(panel.render_line(y).text.rstrip() for y in range(panel.content_size.height))


def zoomed(pilot: Pilot[None]) -> PanelScreen:
    screen = pilot.app.screen
    assert isinstance(screen, PanelScreen)
    return screen
