"""Appending entries of one branch again at the end of another: same content, new ids, links carried over.

Session trees only grow; what looks like an edit of history (an engine's rewrite, a compaction undone) is a new branch
that repeats what stays. The old branch remains in the file.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec.structs import replace

from openclaw_tui.messages import Message
from openclaw_tui.session.custom_types import COMPACTION_UNDO, GUARD_DECISIONS
from openclaw_tui.session.entries import (
    BranchSummaryEntry,
    CompactionEntry,
    CustomEntry,
    CustomMessageEntry,
    Entry,
    LabelEntry,
    MessageEntry,
    ModelChangeEntry,
    ThinkingLevelChangeEntry,
)
from openclaw_tui.session.manager import SessionManager

_NO_MESSAGES: Mapping[str, Message] = {}


def append_again(
    manager: SessionManager,
    entries: Iterable[Entry],
    *,
    replaced: Mapping[str, Message] = _NO_MESSAGES,
    forget_decisions_before: bool = False,
) -> dict[str, str]:
    """Append copies below the current leaf; the new id of each entry by its old one.

    `replaced` gives new content for messages by entry id. Labels, and how results are sent, go along with the entries
    they are about; `forget_decisions_before` leaves out how results before the copied part were sent.
    """
    renamed: dict[str, str] = {}
    for entry in entries:
        if forget_decisions_before and isinstance(entry, CustomEntry) and entry.custom_type == GUARD_DECISIONS:
            entry = replace(entry, data={k: v for k, v in _mapping(entry.data).items() if k in renamed})
        made = _append(manager, entry, renamed, replaced.get(entry.id))
        if made is not None:
            renamed[entry.id] = made
    return renamed


def _append(manager: SessionManager, entry: Entry, renamed: Mapping[str, str], new: Message | None) -> str | None:
    match entry:
        case MessageEntry(message=message) if (message := new or message) is not None:
            return manager.append_message(message).id
        case CompactionEntry(summary=summary, tokens_before=before, details=details):
            kept = renamed.get(entry.first_kept_entry_id, entry.first_kept_entry_id)
            return manager.append_compaction(
                summary=summary,
                first_kept_entry_id=kept,
                tokens_before=before,
                details=_renamed(_mapping(details), renamed),
            ).id
        case BranchSummaryEntry(from_id=from_id, summary=summary, details=details):
            return manager.append_branch_summary(from_id=from_id, summary=summary, details=details).id
        case ModelChangeEntry(provider=provider, model_id=model_id):
            return manager.append_model_change(provider, model_id).id
        case ThinkingLevelChangeEntry(level=level):
            return manager.append_thinking_level_change(level).id
        case LabelEntry(target_id=target, label=label) if target in renamed:
            return manager.append_label(renamed[target], label).id
        case CustomEntry(custom_type=custom_type, data=data) if custom_type != COMPACTION_UNDO:
            return manager.append_custom(custom_type, _renamed(data, renamed) if isinstance(data, Mapping) else data).id
        case CustomMessageEntry(custom_type=custom_type, content=content, display=display, details=details):
            return manager.append_custom_message(custom_type, content, display, details).id
        case _:
            return None


def _renamed(data: Mapping[str, Any], renamed: Mapping[str, str]) -> dict[str, Any]:
    """Entry ids that stand as keys or values point to the copies."""
    return {
        renamed.get(key, key): renamed.get(value, value) if isinstance(value, str) else value
        for key, value in data.items()
    }


def _mapping(data: object) -> Mapping[str, Any]:
    return data if isinstance(data, Mapping) else {}
