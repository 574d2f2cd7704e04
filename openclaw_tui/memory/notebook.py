"""The notes of one project as the agent uses them: adding to them once more than before, and taking it back.

What is added is cleaned first: hidden characters become visible, secrets are masked, lines that are there already are
left out. So whoever writes, a model or the extractive fallback, the same holds.
"""

from dataclasses import dataclass
from datetime import date
from pathlib import Path

import msgspec

from openclaw_tui.constants import FLUSH_NOTE_MAX_CHARS
from openclaw_tui.errors import MemoryFailed
from openclaw_tui.memory.dedupe import only_new_lines
from openclaw_tui.memory.files import Written, append_note, find_note, read_note
from openclaw_tui.memory.flush import FlushSettings
from openclaw_tui.memory.places import DAILY_FOLDER, LONG_TERM, MemoryPlaces, daily_name
from openclaw_tui.safety.secrets import mask_secrets
from openclaw_tui.visible_text import show_controls, show_hidden


@dataclass(slots=True)
class Notebook:
    """`writable` are the two names an append may use: MEMORY.md and today's file, fixed when the notebook is opened.

    The date does not move at midnight, so one flush never begins in one file and ends in another.
    """

    places: MemoryPlaces
    today: date

    @property
    def writable(self) -> tuple[str, str]:
        return LONG_TERM, f"{DAILY_FOLDER}/{daily_name(self.today)}"

    def read(self, name: str) -> str:
        """One of the two files; empty where it does not exist yet. Raises MemoryFailed."""
        file = find_note(self.places, self._allowed(name))
        if file.problem == "does not exist":
            return ""
        if file.problem:
            raise MemoryFailed(f"{file.shown} {file.problem}")
        return read_note(file)

    def add(self, name: str, text: str) -> Written | None:
        """Append what is new of a text; None where nothing is. Raises MemoryFailed."""
        path = Path(find_note(self.places, self._allowed(name)).path)
        clean = mask_secrets(show_hidden(show_controls(text.replace("\r\n", "\n"))).text)
        if len(clean) > FLUSH_NOTE_MAX_CHARS:
            raise MemoryFailed(
                f"{len(clean):,} characters are too much for a note; {FLUSH_NOTE_MAX_CHARS:,} are the most"
            )
        new = only_new_lines(self.read(name), clean)
        return append_note(self.places, path, new) if new else None

    def _allowed(self, name: str) -> str:
        plain = name.strip().removeprefix("./")
        prefix = f"{self.places.root}/"
        plain = plain[len(prefix) :] if plain.startswith(prefix) else plain
        if plain not in self.writable:
            raise MemoryFailed(f"memory flush: only {' and '.join(self.writable)} can be used, not {name[:200]!r}")
        return plain


class MemoryDesk(msgspec.Struct, frozen=True):
    """Where the notes lie and how they are flushed; what the agent is given of this package."""

    places: MemoryPlaces
    flush: FlushSettings

    def open(self, today: date) -> Notebook:
        return Notebook(self.places, today)
