"""Undoing a compaction and doing it again: moves in the session tree, nothing is ever deleted.

Undo goes to the state before the latest compaction of the branch. What was said since is repeated behind the whole
history where that fits; else it stays on its own branch, and the line says so with the numbers. Redo goes back to the
branch that was left, and takes along what was said meanwhile. A marker entry remembers where both branches end; it is
also what makes a resumed session begin on the right one. Entries that left the file come back from the archive first.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

import msgspec

from openclaw_tui.agent.branch_copy import append_again
from openclaw_tui.agent.compacting import short
from openclaw_tui.agent.deps import AgentDeps
from openclaw_tui.errors import SessionError
from openclaw_tui.messages import Message
from openclaw_tui.session.custom_types import COMPACTION_UNDO
from openclaw_tui.session.entries import CompactionEntry, CustomEntry, Entry, MessageEntry
from openclaw_tui.session.manager import SessionManager
from openclaw_tui.session.projection import project_branch
from openclaw_tui.session.truncation import restore_truncated
from openclaw_tui.tokens import estimate_messages_tokens

UndoWay: TypeAlias = Literal["", "keep", "branch"]


class Outcome(msgspec.Struct, frozen=True):
    """`line` is for the user; `moved` tells whether the session stands on another branch now."""

    moved: bool
    line: str


class UndoWays(msgspec.Struct, frozen=True):
    """What undoing the latest compaction would mean: `later` messages (`later_tokens`) came since.

    `whole_tokens` is the request with the whole history and them, `usable` what may be sent.
    """

    later: int
    later_tokens: int
    whole_tokens: int
    usable: int

    @property
    def fits(self) -> bool:
        return not self.later or self.whole_tokens <= self.usable


def undo_ways(deps: AgentDeps) -> UndoWays | None:
    """The numbers for the choice; None where there is no compaction to undo. Changes nothing."""
    branch = deps.manager.branch()
    compaction = _latest_compaction(branch)
    if compaction is None:
        return None
    at = next(index for index, entry in enumerate(branch) if entry.id == compaction.id)
    return _ways(deps, branch, at)


def _ways(deps: AgentDeps, branch: Sequence[Entry], at: int) -> UndoWays:
    later = [message for entry in branch[at + 1 :] if (message := message_of_entry(entry)) is not None]
    whole = estimate_messages_tokens(project_branch(branch[:at]).messages)
    later_tokens = estimate_messages_tokens(later)
    needed = deps.requests.fixed_tokens() + whole + later_tokens
    return UndoWays(len(later), later_tokens, needed, deps.requests.budget.usable_tokens)


def undo_compaction(deps: AgentDeps, way: UndoWay = "") -> Outcome:
    """Return to the state before the latest compaction of the current branch.

    `keep` repeats what was said since and refuses where that does not fit, `branch` leaves it on its branch; without a
    word it is kept where it fits.
    """
    manager, before = deps.manager, deps.requests.estimated_size()
    compaction = _latest_compaction(manager.branch())
    if compaction is None:
        return Outcome(False, "There is no compaction on this branch to undo.")
    if way == "keep" and (ways := undo_ways(deps)) is not None and not ways.fits:
        return Outcome(False, _too_large(ways))
    try:
        restored = _restore(manager, compaction)
    except SessionError as error:
        return Outcome(False, f"The compaction was not undone: {error}")
    branch, leaf = manager.branch(), manager.leaf_id
    at = next(index for index, entry in enumerate(branch) if entry.id == compaction.id)
    ways = _ways(deps, branch, at)
    kept = ways.fits and way != "branch"
    manager.branch_to(branch[at].parent_id)
    if kept:
        append_again(manager, branch[at + 1 :], forget_decisions_before=True)
    repeated = ways.later if kept else 0
    manager.append_custom(
        COMPACTION_UNDO, {"act": "undone", "compaction": compaction.id, "leaf": leaf, "repeated": repeated}
    )
    manager.sync()
    deps.requests.reread()
    if repeated and deps.requests.model.prefix_bound:
        deps.requests.drop_thinking()
    after = deps.requests.estimated_size()
    line = _undone_line(before, after, ways, kept, restored)
    deps.acts.record(
        "compaction",
        "undone",
        line,
        tokens_before=before,
        tokens_after=after,
        way_back="/compact redo",
        entry=compaction.id,
    )
    return Outcome(True, line)


def later_entries(deps: AgentDeps) -> list[Entry]:
    """What stands behind the latest compaction of the branch."""
    branch = deps.manager.branch()
    at = max((n for n, entry in enumerate(branch) if isinstance(entry, CompactionEntry)), default=len(branch))
    return branch[at + 1 :]


def say_again(deps: AgentDeps, later: Sequence[Entry], left: str | None) -> int:
    """Repeat entries of a branch that was left behind the compaction made now; how many messages that were."""
    manager = deps.manager
    append_again(manager, later)
    repeated = sum(message_of_entry(entry) is not None for entry in later)
    manager.append_custom(COMPACTION_UNDO, {"act": "again", "leaf": left, "repeated": repeated})
    manager.sync()
    deps.requests.reread()
    if repeated and deps.requests.model.prefix_bound:
        deps.requests.drop_thinking()
    return repeated


def redo_compaction(deps: AgentDeps) -> Outcome:
    """Go back to the branch that the latest undo of the current branch left."""
    manager, before = deps.manager, deps.requests.estimated_size()
    branch = manager.branch()
    at = _open_undo(branch)
    if at is None:
        return Outcome(False, "There is no undone compaction on this branch to do again.")
    marker = branch[at]
    left = undo_data(marker).get("leaf")
    if not isinstance(left, str) or manager.entry(left) is None:
        return Outcome(False, "The branch with the undone compaction is no longer in the session.")
    since = branch[at + 1 :]
    if _latest_compaction(since) is not None:
        return Outcome(False, "The talk was compacted again since; undo that first.")
    meanwhile = [message for entry in since if (message := message_of_entry(entry)) is not None]
    here = manager.leaf_id
    manager.branch_to(left)
    append_again(manager, since)
    manager.append_custom(
        COMPACTION_UNDO,
        {
            "act": "redone",
            "compaction": undo_data(marker).get("compaction"),
            "leaf": here,
            "repeated": len(meanwhile),
        },
    )
    manager.sync()
    deps.requests.reread()
    if meanwhile and deps.requests.model.prefix_bound:
        deps.requests.drop_thinking()
    after = deps.requests.estimated_size()
    taken = f", {len(meanwhile)} later messages taken along" if meanwhile else ""
    line = f"Compaction done again ({short(before)} → {short(after)}){taken}."
    deps.acts.record(
        "compaction",
        "done",
        line,
        tokens_before=before,
        tokens_after=after,
        way_back="/compact undo",
        trigger="redo",
        entry=_entry(deps),
    )
    return Outcome(True, line)


def _too_large(ways: UndoWays) -> str:
    return (
        f"The compaction was not undone: the whole history with {ways.later} later messages takes "
        f"~{short(ways.whole_tokens)} of {short(ways.usable)} usable. /compact undo branch leaves them there; "
        "/compact again FOCUS summarises the same span anew."
    )


def _undone_line(before: int, after: int, ways: UndoWays, kept: bool, restored: int) -> str:
    parts = [f"Compaction undone ({short(before)} → {short(after)} of {short(ways.usable)} usable)."]
    if restored:
        parts.append(f"{restored} entries came back from the archive.")
    if ways.later and kept:
        parts.append(f"{ways.later} later messages follow the whole history.")
    elif ways.later:
        why = "stay on their branch" if ways.fits else "do not fit beside it and stay on their branch"
        parts.append(f"{ways.later} later messages (~{short(ways.later_tokens)}) {why}; /compact redo returns there.")
    if after > ways.usable:
        parts.append("That is above the limit: the next message compacts again.")
    return " ".join(parts)


def _entry(deps: AgentDeps) -> str:
    compaction = deps.manager.project().compaction
    return compaction.id if compaction is not None else ""


def _latest_compaction(entries: Sequence[Entry]) -> CompactionEntry | None:
    return next((entry for entry in reversed(entries) if isinstance(entry, CompactionEntry)), None)


def _restore(manager: SessionManager, compaction: CompactionEntry) -> int:
    """Bring back what left the file since this compaction; how many entries that were."""
    first = (compaction.details or {}).get("firstCovered")
    restored = 0
    while isinstance(first, str) and first and manager.entry(first) is None:
        came_back = restore_truncated(manager)
        if not came_back:
            break
        restored += came_back
    return restored


def _open_undo(branch: Sequence[Entry]) -> int | None:
    """Position of the latest undo that was not done again, unless a compaction stands after it on the way."""
    found = [at for at, entry in enumerate(branch) if undo_data(entry).get("act") == "undone"]
    return found[-1] if found else None


def undo_data(entry: Entry) -> Mapping[str, Any]:
    """What a marker of undo, redo or an edit says; empty for every other entry."""
    if isinstance(entry, CustomEntry) and entry.custom_type == COMPACTION_UNDO and isinstance(entry.data, Mapping):
        return entry.data
    return {}


def message_of_entry(entry: Entry) -> Message | None:
    """The message that would have to be said again."""
    return entry.message if isinstance(entry, MessageEntry) else None
