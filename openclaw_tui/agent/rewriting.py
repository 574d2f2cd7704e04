"""Rewriting messages of the active branch on behalf of an engine's `maintain`.

The old branch stays in the file: the leaf moves before the first replaced message, and everything from there on is
appended again, replaced messages with their new content. Later steps see the rewritten version.
"""

from collections.abc import Mapping
from dataclasses import replace

from openclaw_tui.agent.branch_copy import append_again
from openclaw_tui.context.engine import RewriteResult
from openclaw_tui.messages import Message, ToolResultMessage
from openclaw_tui.session.entries import MessageEntry
from openclaw_tui.session.manager import SessionManager
from openclaw_tui.tokens import estimate_message_tokens


def rewrite_branch(manager: SessionManager, replacements: Mapping[str, Message]) -> RewriteResult:
    """Apply the replacements; ids of the appended entries are new. `bytes_freed` is an estimate (4 bytes a token).

    A replacement that would break a pair of call and result is refused with its reason; nothing is changed then.
    """
    if not replacements:
        return RewriteResult(reason="no replacements requested")
    branch = manager.branch()
    found = {e.id: e.message for e in branch if isinstance(e, MessageEntry) and e.message and e.id in replacements}
    if not found:
        return RewriteResult(reason="no matching message entries" if branch else "empty session")
    broken = [key for key, old in found.items() if not _keeps_the_pair(old, replacements[key])]
    if broken:
        return RewriteResult(reason=f"invalid rewrite target {broken[0]}: calls and results must stay paired")
    first = next(at for at, entry in enumerate(branch) if entry.id in found)
    manager.branch_to(branch[first].parent_id)
    append_again(manager, branch[first:], replaced={key: _bare(replacements[key]) for key in found})
    freed = sum(estimate_message_tokens(old) - estimate_message_tokens(replacements[key]) for key, old in found.items())
    return RewriteResult(changed=True, bytes_freed=max(0, freed) * 4, rewritten_entries=len(found))


def _keeps_the_pair(old: Message, new: Message) -> bool:
    """Same kind of message, answering the same call or making the same calls."""
    if type(old) is not type(new):
        return False
    if isinstance(old, ToolResultMessage) and isinstance(new, ToolResultMessage):
        return old.tool_call_id == new.tool_call_id
    return [call.id for call in getattr(old, "tool_calls", ())] == [call.id for call in getattr(new, "tool_calls", ())]


def _bare(message: Message) -> Message:
    return replace(message, entry_id=None)
