"""Another text for the summary in force, and back: moves in the session tree, nothing is ever deleted.

The edited summary is a compaction entry of its own beside the first one; what was said since is repeated behind it. A
marker remembers where the branch that was left ends, which is the way back.
"""

from collections.abc import Mapping

from openclaw_tui.agent.branch_copy import append_again
from openclaw_tui.agent.deps import AgentDeps
from openclaw_tui.agent.undoing import Outcome, message_of_entry, undo_data
from openclaw_tui.session.custom_types import COMPACTION_UNDO
from openclaw_tui.session.entries import CompactionEntry

_NONE = "There is no compaction on this branch whose summary could be changed."


def edit_summary(deps: AgentDeps, text: str) -> Outcome:
    """Put another text in place of the summary in force."""
    manager, before = deps.manager, deps.requests.estimated_size()
    compaction, text = manager.project().compaction, text.strip()
    if compaction is None:
        return Outcome(False, _NONE)
    if not text:
        return Outcome(False, "An empty summary is never stored; the text is as it was.")
    if text == compaction.summary.strip():
        return Outcome(False, "The summary is as it was.")
    branch, leaf = manager.branch(), manager.leaf_id
    at = next(index for index, entry in enumerate(branch) if entry.id == compaction.id)
    details = {key: value for key, value in (compaction.details or {}).items() if key != "sealed"}
    manager.branch_to(compaction.parent_id)
    made = manager.append_compaction(
        summary=text,
        first_kept_entry_id=compaction.first_kept_entry_id,
        tokens_before=compaction.tokens_before,
        details={**details, "edited": compaction.id},
    )
    later = branch[at + 1 :]
    append_again(manager, later)
    repeated = sum(message_of_entry(entry) is not None for entry in later)
    marker = {"act": "edited", "compaction": made.id, "leaf": leaf, "repeated": repeated}
    return _moved(deps, before, marker, "edited", "Summary changed", way_back="/compact unedit", entry=made.id)


def restore_summary(deps: AgentDeps) -> Outcome:
    """Back to the text before the latest edit; what was said since comes along."""
    manager, before = deps.manager, deps.requests.estimated_size()
    branch = manager.branch()
    at = next((n for n in reversed(range(len(branch))) if undo_data(branch[n]).get("act") == "edited"), None)
    if at is None:
        return Outcome(False, "There is no edited summary on this branch.")
    left, since = undo_data(branch[at]).get("leaf"), branch[at + 1 :]
    if not isinstance(left, str) or manager.entry(left) is None:
        return Outcome(False, "The branch with the summary before the edit is no longer in the session.")
    if any(isinstance(entry, CompactionEntry) for entry in since):
        return Outcome(False, "The talk was compacted again since; undo that first.")
    here = manager.leaf_id
    manager.branch_to(left)
    append_again(manager, since)
    repeated = sum(message_of_entry(entry) is not None for entry in since)
    current = manager.project().compaction
    marker = {"act": "restored", "compaction": current.id if current else "", "leaf": here, "repeated": repeated}
    name = current.id if current else ""
    return _moved(deps, before, marker, "restored", "The summary before the edit is back", way_back="", entry=name)


def _moved(
    deps: AgentDeps, before: int, marker: Mapping[str, object], verb: str, done: str, *, way_back: str, entry: str
) -> Outcome:
    deps.manager.append_custom(COMPACTION_UNDO, marker)
    deps.manager.sync()
    deps.requests.reread()
    if marker["repeated"] and deps.requests.model.prefix_bound:
        deps.requests.drop_thinking()
    after = deps.requests.estimated_size()
    line = f"{done} (~{before:,} → ~{after:,} tokens)."
    deps.acts.record("compaction", verb, line, tokens_before=before, tokens_after=after, way_back=way_back, entry=entry)
    return Outcome(True, line + (f" {way_back} takes it back." if way_back else ""))
