"""Changing a setting from inside the program: written to the user's file, then in force as far as it can be.

Shared by `/config` and the settings screen. What a stronger place says still wins, and is told.
"""

from typing import Any, Literal, TypeAlias

import msgspec

from openclaw_tui.app.compose import App
from openclaw_tui.app.reload import apply_settings, enters_now
from openclaw_tui.config.schema import Setting
from openclaw_tui.config.values import shown_value
from openclaw_tui.config.write import remove_user_value, write_user_setting

Effect: TypeAlias = Literal["at once", "with /new", "at the next start"]

_AT_START = ("ui.vim", "ui.keys", "ui.firstFrame", "ui.screenReader", "ui.showThinking")


class SettingRow(msgspec.Struct, frozen=True):
    """One setting as it stands: its value, the place that won, and when a change enters."""

    setting: Setting
    value: Any
    place: str
    effect: Effect


def setting_rows(app: App) -> list[SettingRow]:
    """Every setting, in the order of the table."""
    return [SettingRow(row, value, place, effect_of(row.key)) for row, value, place in app.config.rows()]


def effect_of(key: str) -> Effect:
    """When a changed value enters."""
    if enters_now(key):
        return "at once"
    return "at the next start" if key in _AT_START else "with /new"


def change_setting(app: App, key: str, text: str) -> str:
    """Write a value into the user's file and let it enter. Returns a line; raises ConfigError with the reason."""
    setting, value = write_user_setting(app.paths, key, text)
    return _entered(app, setting, value, f"{setting.key} = {shown_value(value)}")


def reset_setting(app: App, setting: Setting) -> str:
    """Take a setting out of the user's file. Returns a line; raises ConfigError."""
    if not remove_user_value(app.paths, setting.key):
        return f"{setting.key} is not in your settings; its value comes from: {app.config.place(setting.key)}"
    return _entered(app, setting, setting.default, f"{setting.key} is back to {shown_value(setting.default)}")


def _entered(app: App, setting: Setting, value: Any, said: str) -> str:
    change = apply_settings(app)
    place = app.config.place(setting.key)
    if app.config.get(setting.key) != value and place not in ("user", "default"):
        return f"{said} in {app.paths.user_config.name}, but {place} says {shown_value(app.config.get(setting.key))}"
    problems = "".join(f"\n{problem}" for problem in change.problems)
    return f"{said} · in force {effect_of(setting.key)}{problems}"
