"""Keys and commands, made from the tables that define them."""

from typing import ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from openclaw_tui.commands.registry import Command, CommandTable
from openclaw_tui.ui.textual.bindings import help_groups


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
                yield Static(self._content(), markup=False)
            yield Static("↑ ↓ scroll · Esc close", id="help-keys", markup=False)

    def on_mount(self) -> None:
        self.query_one("#help-body").focus()

    def action_close(self) -> None:
        self.dismiss(None)

    def action_scroll(self, step: int) -> None:
        self.query_one("#help-body").scroll_relative(y=step, animate=False)

    def _content(self) -> Content:
        commands = [(f"/{c.name} {c.hint}".strip(), _words(c)) for c in self._commands.commands]
        groups = [*help_groups(), ("Commands", commands)]
        column = max(cell_len(left) for _, rows in groups for left, _ in rows) + 2
        parts: list[Content] = []
        for title, rows in groups:
            parts += [Content.styled(title, "$text-primary bold")]
            parts += [Content.assemble((left + " " * (column - cell_len(left)), "bold"), right) for left, right in rows]
            parts.append(Content(""))
        return Content("\n").join(parts[:-1])


def _words(command: Command) -> str:
    also = ", ".join(f"/{alias}" for alias in command.aliases)
    return f"{command.summary} ({also})" if also else command.summary
