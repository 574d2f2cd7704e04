"""Layer 4: after a compaction, messages that no branch shows any more leave the session file.

Invariant: the projection of every leaf is the same before and after. So a message goes only if the latest summary of
the active branch covers it, no other leaf shows it, and it is not the one that says which model a branch goes on with.
Everything else stays; links to what is gone are moved to the nearest entry that stays. What is removed goes to the
archive first (`archive.py`), from which `restore_truncated` puts it back, byte for byte.
"""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from openclaw_tui.errors import SessionError, SessionWriteFailed
from openclaw_tui.session.archive import Batch, Row, add_batch, archive_path, read_batches, write_batches
from openclaw_tui.session.codec import with_kept_start, with_parent, with_target
from openclaw_tui.session.dag import NO_PARENT, EntryTree, reparented
from openclaw_tui.session.entries import CompactionEntry, LabelEntry
from openclaw_tui.session.manager import SessionManager
from openclaw_tui.session.projection import sets_model
from openclaw_tui.session.records import Records


class TruncationPlan(msgspec.Struct, frozen=True):
    """Ordinals that go, and the new links of those that stay. `reason` says why nothing is to be done."""

    removed: frozenset[int] = frozenset()
    parents: dict[int, int] = msgspec.field(default_factory=dict)
    targets: dict[int, int] = msgspec.field(default_factory=dict)
    kept_starts: dict[int, int] = msgspec.field(default_factory=dict)
    reason: str | None = None


class TruncationResult(msgspec.Struct, frozen=True):
    truncated: bool
    reason: str | None = None
    entries_before: int = 0
    entries_removed: int = 0
    bytes_before: int = 0
    bytes_after: int = 0
    archive: Path | None = None

    @property
    def text(self) -> str:
        """One line for the user."""
        if not self.truncated:
            return f"The session file was left as it is: {self.reason}."
        saved = 100 * (self.bytes_before - self.bytes_after) / max(1, self.bytes_before)
        where = "are kept in its archive" if self.archive else "are gone for good"
        return (
            f"{self.entries_removed} of {self.entries_before} entries left the session file and {where}; "
            f"{self.bytes_before:,} bytes became {self.bytes_after:,} ({saved:.0f} % less)."
        )


def truncate_session_after_compaction(session: SessionManager, *, keep_archive: bool = True) -> TruncationResult:
    """Take out what the current branch's latest summary covers. Raises SessionWriteFailed; then nothing changed."""
    if session.read_only or session.path is None:
        raise SessionError(f"Session {session.session_id} has no file that could be shortened from here.")
    session.sync()
    records = session.records
    plan = plan_truncation(records, session.leaf_id)
    if plan.reason is not None:
        return TruncationResult(truncated=False, reason=plan.reason, entries_before=len(records))
    archive = archive_path(session.path) if keep_archive else None
    if archive is not None:
        add_batch(archive, _rows(records, plan))
    before, size = len(records), session.path.stat().st_size
    session.rewrite(_surviving_lines(records, plan))
    after = session.path.stat().st_size
    return TruncationResult(True, None, before, len(plan.removed), size, after, archive)


def plan_truncation(records: Records, leaf_id: str | None) -> TruncationPlan:
    """What would go, decided without writing anything."""
    tree = records.loaded.tree
    leaf = tree.position(leaf_id)
    if leaf is None:
        return TruncationPlan(reason="the session is empty")
    path = tree.path(leaf)
    start = _covered_until(records, path)
    if isinstance(start, str):
        return TruncationPlan(reason=start)
    covered = {ordinal for ordinal in path[:start] if tree.kinds[ordinal] == "message"}
    children = tree.children()
    ends = {ordinal for ordinal in range(len(tree)) if ordinal not in children} | {leaf}
    for end in ends:
        covered -= _needed(records, end)
    covered -= _forks_at_the_top(tree, covered)
    if not covered:
        return TruncationPlan(reason="nothing in it is covered by a summary and shown nowhere else")
    return _with_links(records, frozenset(covered))


def _forks_at_the_top(tree: EntryTree, removed: set[int]) -> set[int]:
    """Entries that must stay so that no tree falls into several: where the branches below a vanishing root part."""
    parting: dict[int, int] = {}
    for ordinal, parent in reparented(tree, removed).items():
        if parent == NO_PARENT:
            root = tree.path(ordinal)[0]
            parting[root] = tree.common_ancestor(parting.get(root, ordinal), ordinal)
    return set(parting.values()) & removed


def _covered_until(records: Records, path: list[int]) -> int | str:
    """How many entries of the path the latest summary covers, or why that cannot be said."""
    kinds = records.loaded.tree.kinds
    last = next((n for n in range(len(path) - 1, -1, -1) if kinds[path[n]] == "compaction"), None)
    if last is None:
        return "there is no compaction on this branch"
    if last == 0:
        return "the compaction is at the root already"
    start = _kept_start(records, path, last)
    return "the first entry its summary keeps is not on this branch" if start is None else start


def _kept_start(records: Records, path: list[int], compaction: int) -> int | None:
    entry = records.at(path[compaction])
    kept = records.loaded.tree.position(entry.first_kept_entry_id) if isinstance(entry, CompactionEntry) else None
    return next((n for n in range(compaction) if path[n] == kept), None)


def _needed(records: Records, end: int) -> set[int]:
    """What the branch that ends here shows, and the message that names its model."""
    tree = records.loaded.tree
    path = tree.path(end)
    last = next((n for n in range(len(path) - 1, -1, -1) if tree.kinds[path[n]] == "compaction"), None)
    start = 0 if last is None else _kept_start(records, path, last)
    needed = set(path[last if start is None else start :])
    for ordinal in reversed(path):
        if tree.kinds[ordinal] == "model_change":
            break
        entry = records.at(ordinal) if tree.kinds[ordinal] == "message" else None
        if entry is not None and sets_model(entry):
            return needed | {ordinal}
    return needed


def _with_links(records: Records, removed: frozenset[int]) -> TruncationPlan:
    tree = records.loaded.tree
    plan = TruncationPlan(removed, reparented(tree, removed))
    for ordinal in range(len(tree)):
        if tree.kinds[ordinal] not in ("label", "compaction"):
            continue
        entry = records.at(ordinal)
        if isinstance(entry, LabelEntry) and (target := tree.position(entry.target_id)) in removed:
            plan.targets[ordinal] = _nearest(records, removed, target, ordinal)
        if isinstance(entry, CompactionEntry) and tree.position(entry.first_kept_entry_id) in removed:
            path = tree.path(ordinal)
            start = _kept_start(records, path, len(path) - 1) or 0
            plan.kept_starts[ordinal] = next(found for found in path[start:] if found not in removed)
    return plan


def _nearest(records: Records, removed: frozenset[int], target: int, label: int) -> int:
    """The nearest entry above a removed one that stays; with none above, the first one on the way to the label."""
    tree = records.loaded.tree
    above = next((found for found in tree.upward(target) if found not in removed), NO_PARENT)
    return above if above != NO_PARENT else next(found for found in tree.path(label) if found not in removed)


def _surviving_lines(records: Records, plan: TruncationPlan) -> Iterator[bytes]:
    for ordinal in range(len(records)):
        if ordinal not in plan.removed:
            yield _new_line(records, plan, ordinal)


def _new_line(records: Records, plan: TruncationPlan, ordinal: int) -> bytes:
    ids, line = records.loaded.tree.ids, records.line(ordinal)
    if ordinal in plan.parents:
        parent = plan.parents[ordinal]
        line = with_parent(line, None if parent == NO_PARENT else ids[parent])
    if ordinal in plan.targets:
        line = with_target(line, ids[plan.targets[ordinal]])
    if ordinal in plan.kept_starts:
        line = with_kept_start(line, ids[plan.kept_starts[ordinal]])
    return line


def _rows(records: Records, plan: TruncationPlan) -> list[Row]:
    ids, rows = records.loaded.tree.ids, list[Row]()
    for ordinal in range(len(ids)):
        if ordinal in plan.removed:
            after = ids[ordinal - 1] if ordinal else None
            rows.append(Row("removed", ids[ordinal], records.line(ordinal).decode(), after))
        elif ordinal in plan.parents or ordinal in plan.targets or ordinal in plan.kept_starts:
            rows.append(Row("changed", ids[ordinal], records.line(ordinal).decode()))
    return rows


def restore_truncated(session: SessionManager) -> int:
    """Put the last batch of the archive back where it was; returns how many entries came back."""
    if session.read_only or session.path is None:
        raise SessionError(f"Session {session.session_id} has no file that could be completed from here.")
    session.sync()
    archive, records = archive_path(session.path), session.records
    batches = read_batches(archive)
    while batches and all(row.id in records.loaded.tree for row in batches[-1].removed):
        batches.pop()
    batch = batches.pop() if batches else Batch()
    back = [row for row in batch.removed if row.id not in records.loaded.tree]
    if back:
        session.rewrite(_completed_lines(records, batch, back))
    try:
        write_batches(archive, batches)
    except OSError as error:
        raise SessionWriteFailed(f"The archive {archive} could not be shortened: {error}.") from error
    return len(back)


def _completed_lines(records: Records, batch: Batch, back: list[Row]) -> Iterator[bytes]:
    behind: dict[str | None, list[Row]] = {}
    for row in back:
        behind.setdefault(row.after, []).append(row)
    changed = batch.changed
    yield from _chain(behind, None)
    for ordinal, entry_id in enumerate(records.loaded.tree.ids):
        yield changed.get(entry_id) or records.line(ordinal)
        yield from _chain(behind, entry_id)


def _chain(behind: dict[str | None, list[Row]], after: str | None) -> Iterator[bytes]:
    waiting = list(behind.pop(after, []))
    while waiting:
        row = waiting.pop(0)
        yield row.line.encode()
        waiting = behind.pop(row.id, []) + waiting
