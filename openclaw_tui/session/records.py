"""The entries of one session behind their index: bodies are read from the file when somebody asks for them.

Decoded bodies are kept for the live part of the current branch only (what the model sees), so a long session costs
memory for its talk, not for its history. The projection of the current branch grows with it.
"""

from collections.abc import Iterator, Sequence
from typing import overload

from msgspec.structs import replace

from openclaw_tui.session.codec import decode_entry, encode_entry
from openclaw_tui.session.dag import NO_PARENT
from openclaw_tui.session.entries import (
    CompactionEntry,
    Entry,
)
from openclaw_tui.session.journal import Journal
from openclaw_tui.session.loading import Loaded
from openclaw_tui.session.projection import Projection, compacted, extended, with_settings


class Records(Sequence[Entry]):
    """All entries in file order. `loaded` is the index, `journal` the open file (None for a session in memory)."""

    __slots__ = ("_projection", "_projection_leaf", "decoded", "journal", "loaded", "pinned")

    def __init__(self, loaded: Loaded, journal: Journal | None) -> None:
        self.loaded = loaded
        self.journal = journal
        self.decoded: dict[int, Entry] = {}
        self.pinned: set[int] = set()
        self._projection = Projection()
        self._projection_leaf = NO_PARENT

    def __len__(self) -> int:
        return len(self.loaded.tree)

    @overload
    def __getitem__(self, index: int) -> Entry: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Entry]: ...
    def __getitem__(self, index: int | slice) -> Entry | Sequence[Entry]:
        if isinstance(index, slice):
            return [self.at(ordinal) for ordinal in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError("entry number out of range")
        return self.at(index % len(self))

    def __iter__(self) -> Iterator[Entry]:
        return (self.at(ordinal) for ordinal in range(len(self)))

    def at(self, ordinal: int) -> Entry:
        kept = self.decoded.get(ordinal)
        if kept is not None:
            return kept
        tree = self.loaded.tree
        return decode_entry(self.line(ordinal), entry_id=tree.ids[ordinal], parent_id=tree.parent_id(ordinal))

    def line(self, ordinal: int) -> bytes:
        """The entry's line without its end: the very bytes of the file where it stands there unchanged."""
        if self.journal is None or ordinal in self.pinned:
            return self.loaded.overlay.get(ordinal) or encode_entry(self.decoded[ordinal])[0]
        return self.loaded.line(ordinal, self.journal.descriptor)

    def add(self, entry: Entry, line: bytes) -> int:
        """Take a new entry into the index; it stays in memory at least until `written` says where it stands."""
        tree = self.loaded.tree
        parent = tree.position(entry.parent_id)
        ordinal = tree.add(entry.id, entry.type, NO_PARENT if parent is None else parent)
        self.loaded.offsets.append(0)
        self.loaded.lengths.append(len(line))
        self.decoded[ordinal] = entry
        self.pinned.add(ordinal)
        return ordinal

    def written(self, ordinal: int, start: int) -> None:
        self.loaded.offsets[ordinal] = start
        self.pinned.discard(ordinal)

    def last_of(self, kind: str) -> Entry | None:
        """The last entry of a type in the file, on whatever branch."""
        kinds = self.loaded.tree.kinds
        found = next((n for n in range(len(kinds) - 1, -1, -1) if kinds[n] == kind), None)
        return None if found is None else self.at(found)

    # ── projection ────────────────────────────────────────────────────────────────────────────────────────────────
    def project(self, leaf: int) -> Projection:
        """The projection of the branch that ends at `leaf`, built upon the last one where that is a part of it."""
        if leaf == self._projection_leaf:
            return self._projection
        added = self._steps_since(leaf)
        self._projection = self._whole(leaf) if added is None else self._longer(added)
        self._projection_leaf = leaf
        return self._projection

    def _steps_since(self, leaf: int) -> list[int] | None:
        known = self._projection_leaf
        steps: list[int] = []
        for ordinal in self.loaded.tree.upward(leaf):
            if ordinal == known:
                return steps[::-1]
            if ordinal < known or self.loaded.tree.kinds[ordinal] == "compaction":
                return None
            steps.append(ordinal)
        return None

    def _longer(self, added: list[int]) -> Projection:
        return extended(self._projection, [self._keep(ordinal) for ordinal in added])

    def _whole(self, leaf: int) -> Projection:
        self._forget()
        if leaf == NO_PARENT:
            return Projection()
        tree = self.loaded.tree
        path = tree.path(leaf)
        last = next((n for n in range(len(path) - 1, -1, -1) if tree.kinds[path[n]] == "compaction"), None)
        if last is None:
            return extended(Projection(), [self._keep(ordinal) for ordinal in path])
        summary = self._keep(path[last])
        start = last
        if isinstance(summary, CompactionEntry):
            kept = tree.position(summary.first_kept_entry_id)
            start = next((n for n in range(last) if path[n] == kept), last)
        earlier = [self._keep(ordinal) for ordinal in path[start:last]]
        before = with_settings(self._settings_of(path[:start]), earlier)
        begun = compacted(replace(before, entries=last), summary, earlier)
        return extended(begun, [self._keep(ordinal) for ordinal in path[last + 1 :]])

    def _settings_of(self, path: list[int]) -> Projection:
        """Model and thinking level at the end of a path, decoding from its end and no further than needed."""
        kinds = self.loaded.tree.kinds
        found = Projection()
        for ordinal in reversed(path):
            wanted = (kinds[ordinal] in ("model_change", "message") and found.model is None) or (
                kinds[ordinal] == "thinking_level_change" and found.thinking_level is None
            )
            if wanted:
                found = with_settings(found, [self.at(ordinal)])
            if found.model is not None and found.thinking_level is not None:
                break
        return found

    def _keep(self, ordinal: int) -> Entry:
        return self.decoded.setdefault(ordinal, self.at(ordinal))

    def _forget(self) -> None:
        if self.journal is not None:
            self.decoded = {ordinal: self.decoded[ordinal] for ordinal in self.pinned}
