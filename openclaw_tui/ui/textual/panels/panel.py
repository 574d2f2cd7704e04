"""The base of every panel: rows of runs painted with the theme's colours, one title row, foldable, no timer.

A subclass says its rows; everything about strips, colours and folding is here. Text keeps its contrast in every theme.
"""

from typing import ClassVar, Literal, TypeAlias

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip
from textual.theme import Theme
from textual.widget import Widget

from openclaw_tui.ui.context_line import ContextView
from openclaw_tui.ui.textual.panels.lines import Line, Run, fitted, spread, width_of
from openclaw_tui.ui.textual.rendering.contrast import readable

PanelName: TypeAlias = Literal["budget", "cache", "events"]
PANEL_NAMES: tuple[PanelName, ...] = ("budget", "cache", "events")

_TEXT_ROLES = (
    "text",
    "muted",
    "title",
    "figure",
    "strong",
    "warning",
    "error",
    "good",
    "key",
    "selected",
    "read_text",
    "tick",
)
_BADGE_ROLES = ("L1", "L2", "L3", "L4", "L5", "R", "M")
_FILL_ROLES = (
    *("tools", "system", "dynamic", "summary", "talk", "results", "draft", "reserve", "free"),
    *("boundary", "ghost", "rule", "read", "written", "fresh"),
)

PANEL_CSS = """
Panel {
    background: $surface;
    color: $foreground;

    & > .panel--text { color: $foreground 90%; }
    & > .panel--muted { color: $foreground 62%; }
    & > .panel--title { color: $text-primary; text-style: bold; }
    & > .panel--figure { color: $foreground; text-style: bold; }
    & > .panel--strong { color: $foreground; text-style: bold; }
    & > .panel--warning { color: $text-warning; }
    & > .panel--error { color: $text-error; }
    & > .panel--good { color: $text-success; }
    & > .panel--key { color: $text-secondary; text-style: bold; }
    & > .panel--selected { color: $foreground; background: $primary 30%; }
    & > .panel--read-text { color: $text-success; }

    & > .panel--tools { color: $secondary; background: $secondary 25%; }
    & > .panel--system { color: $primary; background: $primary 25%; }
    & > .panel--boundary { color: $foreground; text-style: bold; }
    & > .panel--dynamic { color: $primary; background: $primary 18%; }
    & > .panel--summary { color: $accent; background: $accent 25%; }
    & > .panel--talk { color: $success; background: $success 22%; }
    & > .panel--results { color: $warning; background: $warning 25%; }
    & > .panel--draft { color: $foreground; background: $foreground 15%; }
    & > .panel--reserve { color: $foreground 40%; }
    & > .panel--free { color: $foreground 40%; background: $foreground 5%; }
    & > .panel--ghost { color: $foreground 45%; }
    & > .panel--tick { color: $foreground 70%; }
    & > .panel--rule { color: $foreground 24%; }
    & > .panel--read { color: $success; background: $success 20%; }
    & > .panel--written { color: $primary; background: $primary 20%; }
    & > .panel--fresh { color: $warning; background: $warning 20%; }

    & > .panel--L1 { color: $text-success; background: $success 18%; }
    & > .panel--L2 { color: $text-warning; background: $warning 18%; }
    & > .panel--L3 { color: $text-accent; background: $accent 18%; }
    & > .panel--L4 { color: $text-secondary; background: $secondary 18%; }
    & > .panel--L5 { color: $text-primary; background: $primary 18%; }
    & > .panel--R { color: $text-error; background: $error 18%; }
    & > .panel--M { color: $foreground; background: $foreground 12%; }
}
"""


def _apart(line: Line) -> Line:
    """Blanks before words as runs of their own: some viewers of exported pictures drop them else."""
    parted: Line = []
    for text, role in line:
        words = text.lstrip(" ")
        if role in _TEXT_ROLES and role != "selected" and words and len(words) < len(text):
            parted += [(text[: len(text) - len(words)], "rule"), (words, role)]
        else:
            parted.append((text, role))
    return parted


def _class_of(role: str) -> str:
    return "panel--" + role.replace("_", "-")


class Panel(Widget):
    """`show(view)` gives it new figures. A click on the title folds and unfolds it."""

    DEFAULT_CSS = PANEL_CSS
    ALLOW_SELECT = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {_class_of(role) for role in (*_TEXT_ROLES, *_BADGE_ROLES, *_FILL_ROLES)}

    TITLE = ""
    KEY = ""

    class Folded(Message):
        """The user folded or unfolded a panel."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.view: ContextView | None = None
        self.folded = False
        self._styles: dict[str, Style] = {}
        self._rows: tuple[tuple[int, int], list[Line]] | None = None

    # ── what a subclass says ───────────────────────────────────────────────────────────────────────────────────
    def body(self, view: ContextView, width: int, height: int) -> list[Line]:
        """The rows below the title, most needed first; `height` is the room there is, 0 when it is not limited."""
        raise TypeError(f"{type(self).__name__} has no rows of its own")

    def headline(self, view: ContextView, room: int) -> Line:
        """What stands at the right of the title, in at most `room` cells, also when the panel is folded."""
        return []

    # ── state ──────────────────────────────────────────────────────────────────────────────────────────────────
    def show(self, view: ContextView) -> None:
        """New figures: laid out anew only when the number of rows changed."""
        before = self._natural_height()
        self.view = view
        self.changed(layout=self._natural_height() != before)

    def changed(self, *, layout: bool = False) -> None:
        self._rows = None
        self.refresh(layout=layout)

    def fold(self) -> None:
        self.folded = not self.folded
        self.set_class(self.folded, "-folded")
        self.changed(layout=True)
        self.post_message(self.Folded())

    def on_click(self, event: events.Click) -> None:
        if self.TITLE and event.get_content_offset(self) is not None and event.y == 0:
            event.stop()
            self.fold()

    # ── drawing ────────────────────────────────────────────────────────────────────────────────────────────────
    def on_mount(self) -> None:
        self.app.theme_changed_signal.subscribe(self, self._theme_changed)

    def _theme_changed(self, _theme: Theme) -> None:
        self._styles.clear()
        self.refresh()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._styles.clear()

    def lines(self, width: int, height: int) -> list[Line]:
        """Title and body. `height` 0: as many rows as there are to say."""
        if self._rows is None or self._rows[0] != (width, height):
            self._rows = ((width, height), self._lines(width, height))
        return self._rows[1]

    def _lines(self, width: int, height: int) -> list[Line]:
        head = [self._title(width)] if self.TITLE else []
        if self.folded:
            return head
        if self.view is None:
            return [*head, [("…", "muted")]]
        return head + self.body(self.view, width, max(0, height - len(head)) if height else 0)

    def _title(self, width: int) -> Line:
        sign = "▸" if self.folded else "▾"
        left: list[Run] = [(f"{sign} {self.TITLE}", "title"), (f" {self.KEY}" if self.KEY else "", "muted")]
        right = self.headline(self.view, width - width_of(left) - 2) if self.view else []
        return spread(left, right, width)

    def _natural_height(self) -> int:
        width = self.content_size.width
        return len(self._lines(width, 0)) if width else 0

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._lines(width, 0))

    def render_line(self, y: int) -> Strip:
        size = self.content_size
        lines = self.lines(size.width, size.height)
        line = fitted(lines[y], size.width) if y < len(lines) else []
        segments = [Segment(text, self.style_of(role)) for text, role in _apart(line) if text]
        return Strip(segments).adjust_cell_length(size.width, self.style_of("text"))

    def style_of(self, role: str) -> Style:
        style = self._styles.get(role)
        if style is None:
            full = self.get_component_rich_style(_class_of(role))
            style = self._styles[role] = full if role in _FILL_ROLES else readable(full)
        return style
