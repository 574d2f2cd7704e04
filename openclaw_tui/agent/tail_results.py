"""Results of the tail that a compaction keeps, in the form in which they are sent.

Compaction knows nothing of the guard; it says how many characters a result may keep. Here that becomes a decision like
the guard's own, so that the result is sent the same way ever after.
"""

from collections.abc import Mapping, Sequence

from openclaw_tui.agent.result_ids import ResultIds
from openclaw_tui.context.decisions import GuardDecision, apply_decision, decision_key
from openclaw_tui.messages import Message, ToolResultMessage, text_of
from openclaw_tui.tokens import estimate_message_tokens


def sent_size(message: Message, decisions: Mapping[str, GuardDecision]) -> int:
    """Estimated tokens of a message in the form in which it is sent."""
    made = decisions.get(decision_key(message)) if isinstance(message, ToolResultMessage) else None
    if made is None or not isinstance(message, ToolResultMessage):
        return estimate_message_tokens(message)
    return estimate_message_tokens(apply_decision(message, made))


def tail_decisions(
    shortened: Mapping[str, int], messages: Sequence[Message], known: Mapping[str, GuardDecision]
) -> dict[str, GuardDecision]:
    """Decisions for results that may keep so many characters; those that are shorter already stay as they are."""
    names = ResultIds.names(messages)
    made: dict[str, GuardDecision] = {}
    for message in messages:
        if not isinstance(message, ToolResultMessage) or message.entry_id is None:
            continue
        limit = shortened.get(message.entry_id)
        before = known.get(decision_key(message))
        if limit is None or (before is not None and (before.kind != "capped" or before.max_chars <= limit)):
            continue
        chars, name = len(text_of(message.content)), names.get(message.entry_id, "")
        made[decision_key(message)] = GuardDecision("trimmed", name, max_chars=limit, chars=chars)
    return made
