"""The choice where another process has the session open: look, go on in a copy, take it over, or leave it."""

from dataclasses import replace
from typing import Literal, TypeAlias

from openclaw_tui.errors import SessionLocked
from openclaw_tui.options import Options
from openclaw_tui.ui.textual.screens.picker import PickerRow, PickerScreen

Way: TypeAlias = Literal["read", "fork", "take"]

_ROWS = (
    PickerRow("read", "read only", "look at it; nothing is written"),
    PickerRow("fork", "fork", "go on in a copy; the other one keeps the original"),
    PickerRow("take", "take over", "the other process stops writing it; for one that hangs or is stopped"),
)


def locked_screen(error: SessionLocked) -> PickerScreen:
    holder = f"process {error.pid}" if error.pid is not None else "another process"
    since = f" since {error.since}" if error.since else ""
    return PickerScreen(f"The session is open in {holder}{since}", _ROWS, empty="nothing of that name")


def opened_by(options: Options, way: str) -> Options:
    """The options that open the same session in the chosen way."""
    return replace(options, read_only=way == "read", fork=way == "fork", take_over=way == "take")
