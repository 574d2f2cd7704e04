"""The session tree: where it parted, where one stands, names for places. Switching leaves nothing behind."""

from typing import ClassVar, get_args

from textual.binding import Binding, BindingType
from textual.widgets import Input, Static

from openclaw_tui.session.manager import SessionManager
from openclaw_tui.session.outline import Filter, OutlineRow, outline
from openclaw_tui.ui.textual.screens.picker import PickerRow, PickerScreen

_SHOWN: tuple[Filter, ...] = get_args(Filter)


class TreePicker(PickerScreen):
    """Gives back the line of a command: `/tree go ID`, `/tree fork ID`. Labels are given at once."""

    KEYS_TOLD = "Enter go there · F2 label · Ctrl+F fork · Tab filter · Esc close"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f2", "label", "Label", show=False, priority=True),
        Binding("ctrl+f", "fork", "Fork", show=False, priority=True),
        Binding("tab", "filter", "Filter", show=False, priority=True),
    ]

    def __init__(self, manager: SessionManager, show: Filter = "all") -> None:
        self._manager = manager
        self._filter: Filter = show
        self._naming: str | None = None
        super().__init__("Session tree", self._listed(), empty="the session is empty yet")
        self.begin_at = next((row.entry_id for row in outline(manager, show) if row.is_here), None)

    def take(self, row: PickerRow) -> None:
        if self._naming is None:
            self.dismiss(f"/tree go {row.key}")
            return
        self._manager.append_label(self._naming, self.search.strip() or None)
        self._end_naming()

    def action_fork(self) -> None:
        if (row := self.selected) is not None and self._naming is None:
            self.dismiss(f"/tree fork {row.key}")

    def action_filter(self) -> None:
        self._filter = _SHOWN[(_SHOWN.index(self._filter) + 1) % len(_SHOWN)]
        self.show_rows(self._listed())
        self.query_one("#picker-title", Static).update(f"Session tree · {self._filter}")

    def action_label(self) -> None:
        if (row := self.selected) is None or self._naming is not None:
            return
        self._naming = row.key
        self._ask(self._manager.labels().get(row.key, ""), "Label · Enter keeps it, an empty one takes it away · Esc")

    def action_cancel(self) -> None:
        if self._naming is None:
            super().action_cancel()
        else:
            self._end_naming()

    def _end_naming(self) -> None:
        self._naming = None
        self._ask("", "Session tree")
        self.show_rows(self._listed())

    def _ask(self, text: str, title: str) -> None:
        search = self.query_one("#picker-search", Input)
        with self.prevent(Input.Changed):
            search.value = text
        search.cursor_position = len(text)
        self.query_one("#picker-title", Static).update(title)

    def _listed(self) -> list[PickerRow]:
        return [_row(row) for row in outline(self._manager, self._filter)]


def _row(row: OutlineRow) -> PickerRow:
    kinds = {"prompt": "you", "answer": "answer", "summary": "summary"}
    place = "← you are here" if row.is_here else "the end of a branch" if row.is_end and not row.on_path else ""
    return PickerRow(
        key=row.entry_id,
        label=row.line.removesuffix("  ← here"),
        detail=place,
        preview=f"{kinds[row.kind]}: {row.text}",
    )
