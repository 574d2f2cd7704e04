"""Keys and commands, made from the tables that define them."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from openclaw_tui.constants import HELP_KEY_CELLS
from openclaw_tui.ui.textual.keymap import help_groups

if TYPE_CHECKING:
    from openclaw_tui.commands.registry import Command, CommandTable


class HelpScreen(ModalScreen[None]):
    """Scrolls; any of the usual keys closes it."""

    CSS_PATH = "../styles/help.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter,f1,question_mark", "close", "Close", show=False, priority=True),
        Binding("j", "scroll(1)", "Down", show=False),
        Binding("k", "scroll(-1)", "Up", show=False),
    ]

    def __init__(self, commands: CommandTable) -> None:
        super().__init__()
        self._commands = commands

    def compose(self) -> ComposeResult:
        with Vertical(id="help"):
            yield Static("Keys and commands", id="help-title", markup=False)
            with VerticalScroll(id="help-body"):
                yield Static("", id="help-text", markup=False)
            yield Static("↑ ↓ scroll · Esc close", id="help-keys", markup=False)

    def on_mount(self) -> None:
        self.query_one("#help-body").focus()

    def on_resize(self) -> None:
        self.call_after_refresh(self._fill)

    def _fill(self) -> None:
        width = self.query_one("#help-body").scrollable_content_region.width
        self.query_one("#help-text", Static).update(self._content(max(20, width - 1)))

    def action_close(self) -> None:
        self.dismiss(None)

    def action_scroll(self, step: int) -> None:
        self.query_one("#help-body").scroll_relative(y=step, animate=False)

    def _content(self, width: int) -> Content:
        commands = [(f"/{c.name} {c.hint}".strip(), _words(c)) for c in self._commands.commands]
        parts: list[Content] = []
        for title, rows in [*help_groups(), ("Commands", commands)]:
            parts.append(Content.styled(title, "$text-primary bold"))
            for left, right in rows:
                parts += _row(left, right, width)
            parts.append(Content(""))
        return Content("\n").join(parts[:-1])


def _row(left: str, right: str, width: int) -> list[Content]:
    """Two columns, the right one wrapped; a left part that is too long stands on a line of its own."""
    column = min(HELP_KEY_CELLS, width // 2)
    lines = wrap(right, max(10, width - column)) or [""]
    head = Content.styled(left, "bold")
    rest = [Content(" " * column + line) for line in lines]
    if cell_len(left) > column - 2:
        return [head, *rest]
    return [Content.assemble((left + " " * (column - cell_len(left)), "bold"), lines[0]), *rest[1:]]


def _words(command: Command) -> str:
    also = ", ".join(f"/{alias}" for alias in command.aliases)
    return f"{command.summary} ({also})" if also else command.summary
