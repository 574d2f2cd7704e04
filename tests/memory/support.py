"""Notes on disk for tests."""

from pathlib import Path

from openclaw_tui.memory.places import MemoryPlaces
from openclaw_tui.memory.search import MemorySearch


def places_at(root: Path, *, index: Path | None = None, in_project: bool = True) -> MemoryPlaces:
    root.mkdir(parents=True, exist_ok=True)
    return MemoryPlaces(root, in_project, index)


def note(root: Path, name: str, text: str) -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def found(search: MemorySearch, query: str) -> list[str]:
    return [hit.path for hit in search.search(query).hits]
