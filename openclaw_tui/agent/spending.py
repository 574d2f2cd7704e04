"""What a conversation has cost so far, read from what is stored, so that a resume goes on with the same sum."""

from collections.abc import Iterable, Mapping
from typing import Any

from openclaw_tui.messages import AssistantMessage
from openclaw_tui.session.custom_types import ASIDE, REWIND, SUBAGENT_RUN
from openclaw_tui.session.entries import CompactionEntry, CustomEntry, Entry, MessageEntry


def spent_usd(entries: Iterable[Entry]) -> float:
    """Every stored model call, summary, sub-agent, aside and left branch once; one without a known price is nothing."""
    return sum(_cost(entry) for entry in entries)


def _cost(entry: Entry) -> float:
    match entry:
        case MessageEntry(message=AssistantMessage(cost_usd=cost)):
            return cost or 0.0
        case CompactionEntry(details=details):
            return _told(details)
        case CustomEntry(custom_type=kind, data=data) if kind in (ASIDE, REWIND, SUBAGENT_RUN):
            return _told(data)
        case _:
            return 0.0


def _told(data: Any) -> float:
    cost = data.get("costUsd") if isinstance(data, Mapping) else None
    return float(cost) if isinstance(cost, int | float) else 0.0
