"""A list to choose from, with a search line and words about the selected row. Every picker is one of these.

A subclass may add keys, change what is told about a row (`about`) and what taking one means (`take`).
"""

from collections.abc import Sequence
from typing import ClassVar

import msgspec
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from openclaw_tui.ui.textual.rendering.safe_text import fit, one_line


class PickerRow(msgspec.Struct, frozen=True):
    """`key` is what choosing gives back; `label`, `detail` and `words` are searched; `preview` stands below."""

    key: str
    label: str
    detail: str = ""
    preview: str = ""
    words: str = ""


class PickerScreen(ModalScreen[str | None]):
    """Dismisses with the key of the chosen row, or None."""

    KEYS_TOLD: ClassVar[str] = "↑ ↓ choose · Enter take · Esc close"
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
        self.begin_at: str | None = None
        """The row that is reached when the picker opens; the first one where there is none."""

    def compose(self) -> ComposeResult:
        with Vertical(id="picker"):
            yield Static(self._title, id="picker-title", markup=False)
            yield Input(value=self._search, placeholder="type to search", id="picker-search", compact=True)
            yield OptionList(id="picker-list", markup=False, compact=True)
            yield Static("", id="picker-preview", markup=False)
            yield Static(self.KEYS_TOLD, id="picker-keys", markup=False)

    def on_mount(self) -> None:
        self.query_one("#picker-search", Input).cursor_blink = False
        self._fill(self.begin_at)

    def on_resize(self) -> None:
        reached = self.selected
        self._fill(reached.key if reached is not None else self.begin_at)

    @on(Input.Changed)
    def _search_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._fill()

    @on(Input.Submitted)
    def _enter(self, event: Input.Submitted) -> None:
        event.stop()
        if (row := self.selected) is not None:
            self.take(row)

    @on(OptionList.OptionSelected)
    def _clicked(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.take(self._shown[event.option_index])

    @on(OptionList.OptionHighlighted)
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        if event.option_index < len(self._shown):
            self.about(self._shown[event.option_index])

    # ── what a subclass may change ─────────────────────────────────────────────────────────────────────────────
    def take(self, row: PickerRow) -> None:
        """A row was chosen."""
        self.dismiss(row.key)

    def about(self, row: PickerRow) -> None:
        """A row was reached: say something about it."""
        self.tell(one_line(row.preview))

    def tell(self, text: str | Content) -> None:
        """Words below the list."""
        self.query_one("#picker-preview", Static).update(text if isinstance(text, Content) else Content(text))

    @property
    def selected(self) -> PickerRow | None:
        at = self.query_one(OptionList).highlighted
        return self._shown[at] if at is not None and at < len(self._shown) else None

    @property
    def search(self) -> str:
        return self.query_one("#picker-search", Input).value

    def show_rows(self, rows: Sequence[PickerRow]) -> None:
        """Other rows; the one reached stays reached, where it is still there."""
        reached = self.selected
        self._rows = list(rows)
        self._fill(reached.key if reached is not None else None)

    def action_cancel(self) -> None:
        self.dismiss(None)

    def action_move(self, step: int) -> None:
        options = self.query_one(OptionList)
        if self._shown:
            at = options.highlighted or 0
            options.highlighted = max(0, min(len(self._shown) - 1, at + step))

    def _fill(self, reached: str | None = None) -> None:
        """The rows that match, in their order."""
        self._shown = matching(self._rows, self.search)
        options = self.query_one(OptionList)
        width = max(10, options.scrollable_content_region.width or self.size.width - 8)
        options.clear_options()
        options.add_options([Option(self._line(row, width)) for row in self._shown])
        if self._shown:
            at = next((at for at, row in enumerate(self._shown) if row.key == reached), 0)
            options.highlighted = at
            self.about(self._shown[at])
        else:
            self.tell(self._empty if not self._rows else "nothing matches")

    def _line(self, row: PickerRow, width: int) -> Content:
        detail = fit(one_line(row.detail), max(0, min(len(row.detail), width // 2)))
        label = fit(one_line(row.label), max(1, width - Content(detail).cell_length - 2))
        gap = " " * max(1, width - Content(label).cell_length - Content(detail).cell_length)
        return Content.assemble(label, gap, (detail, "$foreground 75%"))


def matching(rows: Sequence[PickerRow], search: str) -> list[PickerRow]:
    """Rows that hold every searched word; where there are none, those whose label has its letters in this order."""
    words = search.lower().split()
    found = [row for row in rows if all(word in f"{row.label} {row.detail} {row.words}".lower() for word in words)]
    return found or [row for row in rows if words and all(_in_order(word, row.label.lower()) for word in words)]


def _in_order(letters: str, text: str) -> bool:
    rest = iter(text)
    return all(letter in rest for letter in letters)
