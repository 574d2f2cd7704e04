"""The shape of a session: which entry follows which. Pure, without bodies.

Entries are numbered in file order ("ordinals") and kept as columns, so that 100,000 of them cost a few megabytes.
Invariant: a parent has a smaller ordinal than its child, so there are no cycles and every walk ends.
"""

from array import array
from collections.abc import Iterable, Iterator, Mapping

NO_PARENT = -1


class EntryTree:
    """Ids, types and parents of all entries. Grows at the end only; nothing is ever removed."""

    __slots__ = ("_kind_names", "_parents", "_positions", "ids", "kinds")

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.kinds: list[str] = []
        self._parents = array("q")
        self._positions: dict[str, int] = {}
        self._kind_names: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self.ids)

    def __contains__(self, entry_id: object) -> bool:
        return entry_id in self._positions

    def add(self, entry_id: str, kind: str, parent: int) -> int:
        """Number a new entry below the entry `parent` (or NO_PARENT). The caller has checked that the id is new."""
        ordinal = len(self.ids)
        self.ids.append(entry_id)
        self.kinds.append(self._kind_names.setdefault(kind, kind))
        self._parents.append(parent)
        self._positions[entry_id] = ordinal
        return ordinal

    def position(self, entry_id: str | None) -> int | None:
        return None if entry_id is None else self._positions.get(entry_id)

    def parent(self, ordinal: int) -> int:
        return self._parents[ordinal]

    def parent_id(self, ordinal: int) -> str | None:
        parent = self._parents[ordinal]
        return None if parent == NO_PARENT else self.ids[parent]

    def upward(self, ordinal: int) -> Iterator[int]:
        """The entry and its ancestors, up to the root."""
        parents = self._parents
        while ordinal != NO_PARENT:
            yield ordinal
            ordinal = parents[ordinal]

    def path(self, ordinal: int) -> list[int]:
        """From the root down to the entry."""
        found = list(self.upward(ordinal))
        found.reverse()
        return found

    def children(self) -> dict[int, list[int]]:
        """Children of every entry that has some; the roots stand under NO_PARENT."""
        found: dict[int, list[int]] = {}
        for ordinal, parent in enumerate(self._parents):
            found.setdefault(parent, []).append(ordinal)
        return found

    def common_ancestor(self, one: int, other: int) -> int:
        """The deepest entry on both paths, or NO_PARENT."""
        while one != other:
            one, other = (self._parents[one], other) if one > other else (one, self._parents[other])
        return one

    def leaves(self) -> list[int]:
        """Ends of all branches, in file order. A compaction that a second try replaced is no branch."""
        children = self.children()
        ends = [ordinal for ordinal in range(len(self.ids)) if ordinal not in children]
        return [ordinal for ordinal in ends if not self._is_dead_compaction(ordinal, children)]

    def _is_dead_compaction(self, ordinal: int, children: Mapping[int, list[int]]) -> bool:
        """A compaction nothing follows, beside another one at the same place: left by a retry, not by a person."""
        siblings = children[self._parents[ordinal]]
        return self.kinds[ordinal] == "compaction" and any(
            other > ordinal and self.kinds[other] == "compaction" for other in siblings
        )


def reparented(tree: EntryTree, removed: Iterable[int]) -> dict[int, int]:
    """New parent of every surviving entry whose parent is removed: the nearest ancestor that stays, or NO_PARENT."""
    gone = set(removed)
    found: dict[int, int] = {}
    for ordinal in range(len(tree)):
        parent = tree.parent(ordinal)
        if ordinal in gone or parent not in gone:
            continue
        found[ordinal] = next((above for above in tree.upward(parent) if above not in gone), NO_PARENT)
    return found
