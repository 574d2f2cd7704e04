"""Undoing a compaction and doing it again: moves in the session tree, nothing is ever deleted.

Undo goes to the state before the latest compaction of the branch. What was said since is repeated behind the whole
history where that fits; else it stays on its own branch, and the line says so with the numbers. Redo goes back to the
branch that was left, and takes along what was said meanwhile. A marker entry remembers where both branches end; it is
also what makes a resumed session begin on the right one. Entries that left the file come back from the archive first.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

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


@dataclass(frozen=True, slots=True)
class Outcome:
    """`line` is for the user; `moved` tells whether the session stands on another branch now."""

    moved: bool
    line: str


def undo_compaction(deps: AgentDeps) -> Outcome:
    """Return to the state before the latest compaction of the current branch."""
    manager, before = deps.manager, deps.requests.estimated_size()
    compaction = _latest_compaction(manager.branch())
    if compaction is None:
        return Outcome(False, "There is no compaction on this branch to undo.")
    try:
        restored = _restore(manager, compaction)
    except SessionError as error:
        return Outcome(False, f"The compaction was not undone: {error}")
    branch, leaf = manager.branch(), manager.leaf_id
    at = next(index for index, entry in enumerate(branch) if entry.id == compaction.id)
    later = [message for entry in branch[at + 1 :] if (message := _message(entry)) is not None]
    whole = project_branch(branch[:at]).messages
    needed = deps.requests.fixed_tokens() + estimate_messages_tokens(whole) + estimate_messages_tokens(later)
    usable = deps.requests.budget.usable_tokens
    fits = not later or needed <= usable
    manager.branch_to(branch[at].parent_id)
    if fits:
        append_again(manager, branch[at + 1 :], forget_decisions_before=True)
    manager.append_custom(COMPACTION_UNDO, {"act": "undone", "compaction": compaction.id, "leaf": leaf})
    manager.sync()
    deps.requests.reread()
    if later and fits and deps.requests.model.prefix_bound:
        deps.requests.drop_thinking()
    after = deps.requests.estimated_size()
    line = _undone_line(before, after, usable, len(later), estimate_messages_tokens(later), fits, restored)
    deps.acts.record("compaction", "undone", line, tokens_before=before, tokens_after=after, way_back="/compact redo")
    return Outcome(True, line)


def redo_compaction(deps: AgentDeps) -> Outcome:
    """Go back to the branch that the latest undo of the current branch left."""
    manager, before = deps.manager, deps.requests.estimated_size()
    branch = manager.branch()
    at = _open_undo(branch)
    if at is None:
        return Outcome(False, "There is no undone compaction on this branch to do again.")
    marker = branch[at]
    left = _data(marker).get("leaf")
    if not isinstance(left, str) or manager.entry(left) is None:
        return Outcome(False, "The branch with the undone compaction is no longer in the session.")
    since = branch[at + 1 :]
    if _latest_compaction(since) is not None:
        return Outcome(False, "The talk was compacted again since; undo that first.")
    meanwhile = [message for entry in since if (message := _message(entry)) is not None]
    here = manager.leaf_id
    manager.branch_to(left)
    append_again(manager, since)
    manager.append_custom(
        COMPACTION_UNDO, {"act": "redone", "compaction": _data(marker).get("compaction"), "leaf": here}
    )
    manager.sync()
    deps.requests.reread()
    if meanwhile and deps.requests.model.prefix_bound:
        deps.requests.drop_thinking()
    after = deps.requests.estimated_size()
    taken = f", {len(meanwhile)} later messages taken along" if meanwhile else ""
    line = f"Compaction done again ({short(before)} → {short(after)}){taken}."
    deps.acts.record(
        "compaction", "done", line, tokens_before=before, tokens_after=after, way_back="/compact undo", trigger="redo"
    )
    return Outcome(True, line)


def _undone_line(before: int, after: int, usable: int, later: int, later_tokens: int, fits: bool, restored: int) -> str:
    parts = [f"Compaction undone ({short(before)} → {short(after)} of {short(usable)} usable)."]
    if restored:
        parts.append(f"{restored} entries came back from the archive.")
    if later and fits:
        parts.append(f"{later} later messages follow the whole history.")
    elif later:
        parts.append(
            f"{later} later messages (~{short(later_tokens)}) do not fit beside it and stay on their branch; "
            "/compact redo returns there."
        )
    if after > usable:
        parts.append("That is above the limit: the next message compacts again.")
    return " ".join(parts)


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
    found = [at for at, entry in enumerate(branch) if _data(entry).get("act") == "undone"]
    return found[-1] if found else None


def _data(entry: Entry) -> Mapping[str, Any]:
    if isinstance(entry, CustomEntry) and entry.custom_type == COMPACTION_UNDO and isinstance(entry.data, Mapping):
        return entry.data
    return {}


def _message(entry: Entry) -> Message | None:
    return entry.message if isinstance(entry, MessageEntry) else None
