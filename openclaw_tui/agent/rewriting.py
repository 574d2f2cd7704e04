"""Rewriting messages of the active branch on behalf of an engine's `maintain`.

The old branch stays in the file: the leaf moves before the first replaced message, and everything from there on is
appended again, replaced messages with their new content. Later steps see the rewritten version.
"""

from collections.abc import Mapping

from openclaw_tui.context.engine import RewriteResult
from openclaw_tui.messages import Message
from openclaw_tui.session.entries import (
    BranchSummaryEntry,
    CompactionEntry,
    CustomEntry,
    CustomMessageEntry,
    Entry,
    MessageEntry,
    ModelChangeEntry,
    ThinkingLevelChangeEntry,
)
from openclaw_tui.session.manager import SessionManager
from openclaw_tui.tokens import estimate_message_tokens


def rewrite_branch(manager: SessionManager, replacements: Mapping[str, Message]) -> RewriteResult:
    """Apply the replacements; ids of the appended entries are new. `bytes_freed` is an estimate (4 bytes a token)."""
    if not replacements:
        return RewriteResult(reason="no replacements requested")
    branch = manager.branch()
    first = next(
        (at for at, entry in enumerate(branch) if isinstance(entry, MessageEntry) and entry.id in replacements), None
    )
    if first is None:
        return RewriteResult(reason="no matching message entries" if branch else "empty session")
    manager.branch_to(branch[first].parent_id)
    renamed: dict[str, str] = {}
    freed = rewritten = 0
    for entry in branch[first:]:
        if isinstance(entry, MessageEntry) and (new := replacements.get(entry.id)) is not None:
            freed += estimate_message_tokens(entry.message) - estimate_message_tokens(new) if entry.message else 0
            rewritten += 1
            renamed[entry.id] = manager.append_message(new).id
        else:
            appended = _append_again(manager, entry, renamed)
            if appended is not None:
                renamed[entry.id] = appended
    return RewriteResult(changed=True, bytes_freed=max(0, freed) * 4, rewritten_entries=rewritten)


def _append_again(manager: SessionManager, entry: Entry, renamed: Mapping[str, str]) -> str | None:
    match entry:
        case MessageEntry(message=message) if message is not None:
            return manager.append_message(message).id
        case CompactionEntry():
            kept = renamed.get(entry.first_kept_entry_id, entry.first_kept_entry_id)
            return manager.append_compaction(
                summary=entry.summary,
                first_kept_entry_id=kept,
                tokens_before=entry.tokens_before,
                details=entry.details,
            ).id
        case BranchSummaryEntry(from_id=from_id, summary=summary, details=details):
            return manager.append_branch_summary(from_id=from_id, summary=summary, details=details).id
        case ModelChangeEntry(provider=provider, model_id=model_id):
            return manager.append_model_change(provider, model_id).id
        case ThinkingLevelChangeEntry(level=level):
            return manager.append_thinking_level_change(level).id
        case CustomEntry(custom_type=custom_type, data=data):
            return manager.append_custom(custom_type, data).id
        case CustomMessageEntry(custom_type=custom_type, content=content, display=display, details=details):
            return manager.append_custom_message(custom_type, content, display, details).id
        case _:
            return None
