"""Choosing the theme: each is shown at once, and kept only when it is taken."""

from collections.abc import Callable, Sequence

from openclaw_tui.ui.textual.screens.picker import PickerRow, PickerScreen


class ThemePicker(PickerScreen):
    """Gives back the name of a theme; `show` paints one for a look, also the one from before on Esc."""

    KEYS_TOLD = "↑ ↓ look · Enter keep it · Esc back to the one before"

    def __init__(self, names: Sequence[str], *, wanted: str, current: str, show: Callable[[str], None]) -> None:
        self._current, self._show = current, show
        rows = [PickerRow("auto", "auto", "by the terminal's ground")]
        rows += [PickerRow(name, name, "in use" if name == current else "") for name in names]
        self._first = wanted if wanted == "auto" or wanted in names else current
        super().__init__("Theme", rows, empty="there are no themes")

    def on_mount(self) -> None:
        super().on_mount()
        self._fill(self._first)

    def about(self, row: PickerRow) -> None:
        self._show(row.key)
        self.tell("own themes: TOML files in the folder themes of the state directory")

    def action_cancel(self) -> None:
        self._show(self._current)
        super().action_cancel()
