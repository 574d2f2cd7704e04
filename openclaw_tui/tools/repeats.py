"""Is the agent going in circles? Counted over calls and their results, by pure functions.

A streak is the same call with the same result again and again, or the same short round of calls. It is read from the
conversation, so neither a compaction nor a resume makes it forgotten; a new word of the user begins it anew.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from openclaw_tui.constants import REPEAT_LONGEST_ROUND, REPEAT_STOP_COUNT, REPEAT_WARN_COUNT
from openclaw_tui.messages import AssistantMessage, Message, TextBlock, ToolResultMessage, UserContent, UserMessage

WARNING_LEAD = "[Going in circles:"


class CallOutcome(msgspec.Struct, frozen=True):
    """Digest of a call and of what came of it."""

    call: str
    result: str


def outcome_of(name: str, arguments: Mapping[str, Any], content: Iterable[UserContent]) -> CallOutcome:
    """Equal for equal calls with equal results. Warnings written by us do not count as a change."""
    call = json.dumps([name, arguments], sort_keys=True, default=str)
    blocks = [b for b in content if not (isinstance(b, TextBlock) and b.text.startswith(WARNING_LEAD))]
    return CallOutcome(_digest(call), _digest(repr(blocks)))


def outcomes_since_user(messages: Sequence[Message]) -> list[CallOutcome]:
    """What the calls since the user's last own message came to, in the order of their results.

    Give it the whole branch of the session, not the shortened conversation that goes to the model.
    """
    calls: dict[str, tuple[str, Mapping[str, Any]]] = {}
    outcomes: list[CallOutcome] = []
    for message in messages:
        match message:
            case UserMessage(origin="user"):
                outcomes.clear()
            case AssistantMessage():
                calls.update({call.id: (call.name, call.arguments) for call in message.tool_calls})
            case ToolResultMessage(tool_call_id=call_id) if call_id in calls:
                outcomes.append(outcome_of(*calls[call_id], message.content))
            case _:
                pass
    return outcomes


def streak(outcomes: Sequence[CallOutcome]) -> int:
    """How many times the last call, or the last round of up to four calls, came in a row with the same results."""
    return max((_repeats(outcomes, length) for length in range(1, REPEAT_LONGEST_ROUND + 1)), default=0)


def window(outcomes: Sequence[CallOutcome]) -> list[CallOutcome]:
    """The part of a history that can still matter."""
    return list(outcomes[-REPEAT_LONGEST_ROUND * (REPEAT_STOP_COUNT + 1) :])


def warning_for(count: int) -> str | None:
    """The text added to a result from the warning count on."""
    if count < REPEAT_WARN_COUNT:
        return None
    return (
        f"{WARNING_LEAD} this is the same call with the same result {count} times in a row. It will not change; try"
        f" something else, or say what stands in the way. After {REPEAT_STOP_COUNT} times the turn ends.]"
    )


def stop_for(count: int, name: str) -> str | None:
    """The reason to end the turn, in one line."""
    if count < REPEAT_STOP_COUNT:
        return None
    return (
        f"the model repeated the same call of {name} with the same result {count} times; the turn was stopped."
        " Tell it what to do differently."
    )


def _repeats(outcomes: Sequence[CallOutcome], length: int) -> int:
    if len(outcomes) < length:
        return 0
    same = 0
    while same + length < len(outcomes) and outcomes[-1 - same] == outcomes[-1 - same - length]:
        same += 1
    return same // length + 1


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
