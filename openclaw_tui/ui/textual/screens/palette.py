"""The palette: everything one can do or go to, by name. It gives back a line, as if it had been typed."""

from collections.abc import Sequence

from openclaw_tui.commands.registry import Command
from openclaw_tui.session.listing import SessionSummary
from openclaw_tui.ui.textual.screens.picker import PickerRow, PickerScreen

PANEL_KEYS = {"budget": "F2", "cache": "F3", "events": "F4"}


class PaletteScreen(PickerScreen):
    """Commands and those of skills, the panels, the latest sessions."""

    KEYS_TOLD = "type to find · Enter do it · Esc close"

    def __init__(self, commands: Sequence[Command], skills: Sequence[str], sessions: Sequence[SessionSummary]) -> None:
        rows = [
            PickerRow(f"/{c.name}", f"/{c.name} {c.hint}".strip(), c.summary, words=" ".join(c.aliases))
            for c in commands
        ]
        rows += [PickerRow(f"panel {name}", f"panel {name}", key) for name, key in PANEL_KEYS.items()]
        rows += [PickerRow(f"/skill:{name}", f"/skill:{name}", "skill") for name in skills]
        rows += [PickerRow(f"/resume {s.id}", f"resume {s.title}", "session", words=s.id) for s in sessions]
        super().__init__("Do, go, find", rows, empty="")
