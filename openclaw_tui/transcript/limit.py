"""Step 5 of the pipeline: keep only the last turns of the person at the keyboard, when a limit is set.

Off by default: each turn it moves the prefix, and with it the provider's cache.
"""

from openclaw_tui.messages import Message, UserMessage
from openclaw_tui.report import StepReport


def limit_history_turns(messages: tuple[Message, ...], limit: int | None) -> tuple[tuple[Message, ...], StepReport]:
    """The last `limit` turns, whole: counted backwards over user messages, cut before the oldest that still counts.

    No limit, or one below 1, changes nothing. The summary a compaction put in front is kept: it stands for everything
    that was cut already. Messages the program wrote in the user role are not turns.
    """
    start = _start_of_last_turns(messages, limit) if limit is not None and limit > 0 else 0
    kept_head = _leading_summaries(messages[:start])
    if start == len(kept_head):
        return messages, StepReport("limit", {})
    dropped = messages[len(kept_head) : start]
    counts = {"messages_dropped": len(dropped), "turns_dropped": sum(_is_turn(message) for message in dropped)}
    return kept_head + messages[start:], StepReport("limit", counts)


def _start_of_last_turns(messages: tuple[Message, ...], limit: int) -> int:
    turns = 0
    start = len(messages)
    for index in range(len(messages) - 1, -1, -1):
        if _is_turn(messages[index]):
            turns += 1
            if turns > limit:
                return start
            start = index
    return 0


def _is_turn(message: Message) -> bool:
    return isinstance(message, UserMessage) and message.origin == "user"


def _leading_summaries(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    count = 0
    for message in messages:
        if not (isinstance(message, UserMessage) and message.origin == "compaction_summary"):
            break
        count += 1
    return messages[:count]
