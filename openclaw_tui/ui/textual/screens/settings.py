"""Settings: every row of the table with value, place and meaning; changed in place, kept in the user's file."""

from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Input, Static

from openclaw_tui.app.compose import App as Composed
from openclaw_tui.app.setting_change import SettingRow, change_setting, reset_setting, setting_rows
from openclaw_tui.config.values import shown_value
from openclaw_tui.errors import ConfigError
from openclaw_tui.ui.textual.rendering.safe_text import one_line
from openclaw_tui.ui.textual.screens.picker import PickerRow, PickerScreen


class SettingsScreen(PickerScreen):
    """Enter flips a yes/no, goes to the next choice, or lets a text be typed; `Ctrl+D` takes the own value back."""

    KEYS_TOLD = "Enter change · Shift+Tab choice before · Ctrl+D default · Esc close"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("shift+tab", "step_back", "Choice before", show=False, priority=True),
        Binding("ctrl+d", "reset", "Default", show=False, priority=True),
    ]

    def __init__(self, composed: Composed, search: str = "") -> None:
        self._composed = composed
        self._editing: SettingRow | None = None
        self._before = ""
        self._last = ""
        super().__init__("Settings", self._listed(), empty="", search=search)

    # ── rows ───────────────────────────────────────────────────────────────────────────────────────────────────
    def _settings(self) -> dict[str, SettingRow]:
        return {row.setting.key: row for row in setting_rows(self._composed)}

    def _listed(self) -> list[PickerRow]:
        return [
            PickerRow(
                key=row.setting.key,
                label=row.setting.key,
                detail=f"{one_line(shown_value(row.value))} · {row.place}",
                words=row.setting.doc,
            )
            for row in self._settings().values()
        ]

    def about(self, row: PickerRow) -> None:
        if self._editing is not None:
            return
        found = self._settings()[row.key]
        setting = found.setting
        bounds = [f"≥ {setting.minimum:g}"] if setting.minimum is not None else []
        bounds += [f"≤ {setting.maximum:g}"] if setting.maximum is not None else []
        kind = " | ".join(setting.choices) or " ".join([setting.kind, *bounds])
        lines = [
            setting.doc,
            f"{kind} · default {one_line(shown_value(setting.default))} · from {found.place}",
            f"a change is in force {found.effect}" if setting.kind not in ("table", "tables") else _IN_FILE,
        ]
        self._told(lines)

    def _told(self, lines: list[str]) -> None:
        parts = [Content(line) for line in lines]
        if self._last:
            parts.append(Content.styled(self._last, "bold"))
            self._last = ""
        self.tell(Content("\n").join(parts))

    # ── changing ───────────────────────────────────────────────────────────────────────────────────────────────
    def take(self, row: PickerRow) -> None:
        if self._editing is not None:
            self._change(self._editing.setting.key, self.search)
            return
        found = self._settings()[row.key]
        if found.setting.kind == "bool":
            self._change(row.key, "false" if found.value else "true")
        elif found.setting.choices:
            self._change(row.key, self._next(found, 1))
        elif found.setting.kind in ("table", "tables"):
            self.about(row)
        else:
            self._edit(found)

    def action_step_back(self) -> None:
        row = self.selected
        if row is not None and self._editing is None and (found := self._settings()[row.key]).setting.choices:
            self._change(row.key, self._next(found, -1))

    def action_reset(self) -> None:
        row = self.selected
        if row is None or self._editing is not None:
            return
        try:
            self._last = reset_setting(self._composed, self._settings()[row.key].setting)
        except ConfigError as error:
            self._last = f"not changed: {error}"
        self.show_rows(self._listed())

    def action_cancel(self) -> None:
        if self._editing is None:
            self.dismiss(None)
        else:
            self._end_edit()

    def _next(self, row: SettingRow, step: int) -> str:
        choices = row.setting.choices
        at = choices.index(row.value) if row.value in choices else -1 if step > 0 else 0
        return choices[(at + step) % len(choices)]

    def _change(self, key: str, text: str) -> None:
        """Write it; what is refused stays in the line with the reason."""
        try:
            self._last = change_setting(self._composed, key, text)
        except ConfigError as error:
            self.tell(Content.styled(f"✗ not changed: {error}", "$text-error"))
            return
        if self._editing is not None:
            self._end_edit()
        else:
            self.show_rows(self._listed())

    def _edit(self, row: SettingRow) -> None:
        value = ", ".join(row.value) if isinstance(row.value, tuple) else "" if row.value is None else str(row.value)
        self._before, self._editing = self.search, row
        self._show_line(value, f"{row.setting.key} · Enter keeps it · Esc leaves it")
        self.tell(f"{row.setting.doc}{' Several are parted by commas.' if row.setting.kind == 'list' else ''}")

    def _end_edit(self) -> None:
        self._editing = None
        self._show_line(self._before, self._title)
        self.show_rows(self._listed())

    def _show_line(self, text: str, title: str) -> None:
        line = self.query_one("#picker-search", Input)
        with self.prevent(Input.Changed):
            line.value = text
        line.cursor_position = len(text)
        self.query_one("#picker-title", Static).update(title)

    @on(Input.Changed)
    def _search_changed(self, event: Input.Changed) -> None:
        event.stop()
        if self._editing is None:
            self._fill()


_IN_FILE = "a table: changed in the settings file"
