"""What a model sees of a branch: summary first, then the entries that are kept word for word, then all later ones.

Pure. The same entries give the same projection, also when it was built step by step: `extended` is what makes a step
of a long talk cheap.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

import msgspec
from msgspec.structs import replace

from openclaw_tui.messages import AssistantMessage, Message, TextBlock, UserMessage
from openclaw_tui.session.entries import (
    BranchSummaryEntry,
    CompactionEntry,
    CustomMessageEntry,
    Entry,
    MessageEntry,
    ModelChangeEntry,
    ThinkingLevelChangeEntry,
)
from openclaw_tui.session.wording import branch_summary_text, compaction_summary_text


class Projection(msgspec.Struct, frozen=True):
    """`messages` all carry the id of their entry. `entries` counts the branch, `since_compaction` what came after it.

    `kept_from` is the first entry kept word for word before the compaction, None where nothing is; `fresh_from` the
    index of the first message stored after it.
    """

    messages: tuple[Message, ...] = ()
    model: tuple[str, str] | None = None
    thinking_level: str | None = None
    compaction: CompactionEntry | None = None
    summary_text: str | None = None
    kept_from: str | None = None
    leaf_id: str | None = None
    entries: int = 0
    since_compaction: int = 0
    fresh_from: int = 0


def message_of(entry: Entry) -> Message | None:
    """What an entry says to a model; None for state, labels, summaries of compactions and unknown types."""
    match entry:
        case MessageEntry(message=message):
            return message
        case BranchSummaryEntry(summary=summary) if summary.strip():
            content = (TextBlock(branch_summary_text(summary)),)
            return UserMessage(content, milliseconds(entry.timestamp), "branch_summary", entry.id)
        case CustomMessageEntry(content=content) if content:
            return UserMessage(content, milliseconds(entry.timestamp), "custom", entry.id)
    return None


def summary_message(entry: CompactionEntry) -> UserMessage:
    content = (TextBlock(compaction_summary_text(entry.summary)),)
    return UserMessage(content, milliseconds(entry.timestamp), "compaction_summary", entry.id)


def project_branch(branch: Sequence[Entry]) -> Projection:
    """The projection of a whole branch, root first."""
    last = max((n for n, entry in enumerate(branch) if isinstance(entry, CompactionEntry)), default=None)
    if last is None:
        return extended(Projection(), branch)
    settings = replace(with_settings(Projection(), branch[:last]), entries=last)
    return extended(compacted(settings, branch[last], branch[:last]), branch[last + 1 :])


def compacted(before: Projection, compaction: Entry, earlier: Sequence[Entry]) -> Projection:
    """The state right after a compaction. `earlier` must hold at least the entries from the first kept one on."""
    if not isinstance(compaction, CompactionEntry):
        raise TypeError(f"{compaction.id} is no compaction")
    start = next((n for n, entry in enumerate(earlier) if entry.id == compaction.first_kept_entry_id), None)
    kept = [] if start is None else earlier[start:]
    messages = (summary_message(compaction), *_messages(kept))
    return replace(
        before,
        messages=messages,
        compaction=compaction,
        summary_text=compaction.summary,
        kept_from=None if start is None else compaction.first_kept_entry_id,
        leaf_id=compaction.id,
        entries=before.entries + 1,
        since_compaction=0,
        fresh_from=len(messages),
    )


def extended(before: Projection, later: Iterable[Entry]) -> Projection:
    """The projection with more entries at its end, none of them a compaction."""
    added = list(later)
    if not added:
        return before
    after = with_settings(before, added)
    return replace(
        after,
        messages=before.messages + tuple(_messages(added)),
        leaf_id=added[-1].id,
        entries=before.entries + len(added),
        since_compaction=before.since_compaction + len(added) if before.compaction else 0,
    )


def with_settings(before: Projection, entries: Iterable[Entry]) -> Projection:
    """The projection with the model and thinking level that the entries set, the last one of each counting."""
    model, level = before.model, before.thinking_level
    for entry in entries:
        match entry:
            case ModelChangeEntry(provider=provider, model_id=model_id):
                model = (provider, model_id)
            case MessageEntry(message=AssistantMessage(provider=provider, model=model_id)) if provider or model_id:
                model = (provider, model_id)
            case ThinkingLevelChangeEntry(level=found):
                level = found
    return replace(before, model=model, thinking_level=level)


def sets_model(entry: Entry) -> bool:
    """Whether a branch goes on with the model that this message of it names."""
    return with_settings(Projection(), [entry]).model is not None


def _messages(entries: Iterable[Entry]) -> Iterable[Message]:
    return (message for entry in entries if (message := message_of(entry)) is not None)


def milliseconds(timestamp: str) -> int:
    """An entry's ISO time as milliseconds since 1970; 0 where it cannot be read."""
    try:
        return round(datetime.fromisoformat(timestamp).timestamp() * 1000)
    except (ValueError, OverflowError):
        return 0
