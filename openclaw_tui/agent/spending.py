"""What a conversation has cost so far, read from what is stored, so that a resume goes on with the same sum."""

from collections.abc import Iterable, Mapping

from openclaw_tui.messages import AssistantMessage
from openclaw_tui.session.entries import CompactionEntry, Entry, MessageEntry


def spent_usd(entries: Iterable[Entry]) -> float:
    """Every stored model call and summary once; a call without a known price counts nothing."""
    return sum(_cost(entry) for entry in entries)


def _cost(entry: Entry) -> float:
    match entry:
        case MessageEntry(message=AssistantMessage(cost_usd=cost)):
            return cost or 0.0
        case CompactionEntry(details=details) if isinstance(details, Mapping):
            cost = details.get("costUsd")
            return float(cost) if isinstance(cost, int | float) else 0.0
        case _:
            return 0.0
