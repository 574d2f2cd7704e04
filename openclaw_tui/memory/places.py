"""Where the notes of a project lie: in the project where it has some, else in the state directory, one folder each."""

import hashlib
import os
import re
from datetime import date
from pathlib import Path

import msgspec

from openclaw_tui.constants import MEMORY_SLUG_CHARS

LONG_TERM = "MEMORY.md"
DAILY_FOLDER = "memory"
_DAILY_NAME = re.compile(r"\d{4}-\d{2}-\d{2}\.md")


class MemoryPlaces(msgspec.Struct, frozen=True):
    """`root` holds MEMORY.md and memory/. `extra` are further files or folders the user wants searched.

    `index` is the file of the search index, None where nothing may be written.
    """

    root: Path
    in_project: bool
    index: Path | None = None
    extra: tuple[Path, ...] = ()

    @property
    def long_term(self) -> Path:
        return self.root / LONG_TERM

    @property
    def daily_folder(self) -> Path:
        return self.root / DAILY_FOLDER

    def daily(self, day: date) -> Path:
        return self.daily_folder / daily_name(day)

    def shown(self, path: Path) -> str:
        """A path as the model names it: relative to the notes, else as it is."""
        return str(path.relative_to(self.root)) if path.is_relative_to(self.root) else str(path)


def memory_places(project: Path, agent_folder: Path, *, extra: tuple[Path, ...] = ()) -> MemoryPlaces:
    """The places for a project. `agent_folder` is the agent's own folder in the state directory."""
    index = agent_folder / "memory" / f"{project_slug(project)}.sqlite"
    if (project / LONG_TERM).is_file() or _is_notes_folder(project / DAILY_FOLDER):
        return MemoryPlaces(project, True, index, extra)
    return MemoryPlaces(agent_folder / "memory" / project_slug(project), False, index, extra)


def daily_name(day: date) -> str:
    return f"{day.isoformat()}.md"


def is_daily(name: str) -> bool:
    return _DAILY_NAME.fullmatch(name) is not None


def project_slug(project: Path) -> str:
    """A readable name for a directory, and a digest that keeps two of the same name apart."""
    real = os.path.realpath(project)
    name = re.sub(r"[^\w.-]+", "-", os.path.basename(real)).strip("-")[:MEMORY_SLUG_CHARS] or "root"
    return f"{name}-{hashlib.sha256(real.encode('utf-8', 'surrogateescape')).hexdigest()[:10]}"


def _is_notes_folder(folder: Path) -> bool:
    """Whether a folder called `memory` is for notes: it holds Markdown, or nothing yet. A package of code is not."""
    try:
        names = [entry.name for entry in os.scandir(folder)]
    except OSError:
        return False
    return not names or any(name.endswith(".md") for name in names)
