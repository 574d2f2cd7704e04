"""A list to choose from, with a search line and a line about the selected row. Every picker is one of these."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from openclaw_tui.ui.textual.rendering.safe_text import fit, one_line


@dataclass(frozen=True, slots=True)
class PickerRow:
    """`key` is what choosing gives back; `label` and `detail` are searched; `preview` is shown below the list."""

    key: str
    label: str
    detail: str = ""
    preview: str = ""


class PickerScreen(ModalScreen[str | None]):
    """Dismisses with the key of the chosen row, or None."""

    CSS_PATH = "../styles/picker.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", "Close", show=False),
        Binding("up,ctrl+p", "move(-1)", "Up", show=False, priority=True),
        Binding("down,ctrl+n", "move(1)", "Down", show=False, priority=True),
        Binding("pageup", "move(-8)", "Page up", show=False, priority=True),
        Binding("pagedown", "move(8)", "Page down", show=False, priority=True),
    ]

    def __init__(self, title: str, rows: Sequence[PickerRow], *, empty: str, search: str = "") -> None:
        super().__init__()
        self._title = title
        self._rows = list(rows)
        self._empty = empty
        self._search = search
        self._shown: list[PickerRow] = []

    def compose(self) -> ComposeResult:
        with Vertical(id="picker"):
            yield Static(self._title, id="picker-title", markup=False)
            yield Input(value=self._search, placeholder="type to search", id="picker-search", compact=True)
            yield OptionList(id="picker-list", markup=False, compact=True)
            yield Static("", id="picker-preview", markup=False)
            yield Static("↑ ↓ choose · Enter take · Esc close", id="picker-keys", markup=False)

    def on_mount(self) -> None:
        self.query_one(Input).cursor_blink = False
        self._fill()

    def on_resize(self) -> None:
        self._fill()

    @on(Input.Changed)
    def _search_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._fill()

    @on(Input.Submitted)
    def _enter(self, event: Input.Submitted) -> None:
        event.stop()
        at = self.query_one(OptionList).highlighted
        if at is not None and self._shown:
            self.dismiss(self._shown[at].key)

    @on(OptionList.OptionSelected)
    def _clicked(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(self._shown[event.option_index].key)

    @on(OptionList.OptionHighlighted)
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        if event.option_index < len(self._shown):
            self._preview(self._shown[event.option_index].preview)

    def action_cancel(self) -> None:
        self.dismiss(None)

    def action_move(self, step: int) -> None:
        options = self.query_one(OptionList)
        if self._shown:
            at = options.highlighted or 0
            options.highlighted = max(0, min(len(self._shown) - 1, at + step))

    def _fill(self) -> None:
        """The rows that hold every searched word, in their order."""
        words = self.query_one(Input).value.lower().split()
        self._shown = [row for row in self._rows if all(word in f"{row.label} {row.detail}".lower() for word in words)]
        options = self.query_one(OptionList)
        width = max(10, options.scrollable_content_region.width or self.size.width - 8)
        options.clear_options()
        options.add_options([Option(self._line(row, width)) for row in self._shown])
        if self._shown:
            options.highlighted = 0
            self._preview(self._shown[0].preview)
        else:
            self._preview(self._empty if not self._rows else "nothing matches")

    def _line(self, row: PickerRow, width: int) -> Content:
        detail = fit(one_line(row.detail), max(0, min(len(row.detail), width // 2)))
        label = fit(one_line(row.label), max(1, width - Content(detail).cell_length - 2))
        gap = " " * max(1, width - Content(label).cell_length - Content(detail).cell_length)
        return Content.assemble(label, gap, (detail, "$foreground 75%"))

    def _preview(self, text: str) -> None:
        self.query_one("#picker-preview", Static).update(Content(one_line(text)))
