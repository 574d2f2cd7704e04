"""What is remembered of a message goes with the message; what cannot be watched is held, a few at a time."""

import gc
from typing import Any

from openclaw_tui.context import decisions
from openclaw_tui.context.decisions import GuardDecision, apply_decision
from openclaw_tui.messages import TextBlock, ToolResultMessage, user_text
from openclaw_tui.transcript.incremental import IdentityMemo


def remembered(memo: IdentityMemo[Any]) -> int:
    gc.collect()
    return len(memo._known) + len(memo._strong)


def test_a_message_takes_what_was_known_of_it_along() -> None:
    memo: IdentityMemo[int] = IdentityMemo()
    messages = [user_text(f"message {number}") for number in range(500)]
    for number, message in enumerate(messages):
        assert memo.put(message, number) == number
    assert memo.get(messages[7]) == 7
    assert memo.get(user_text("message 7")) is None
    kept = messages[7]
    messages.clear()
    del message
    assert remembered(memo) == 1
    assert memo.get(kept) == 7


def test_texts_are_held_a_few_at_a_time() -> None:
    memo: IdentityMemo[int] = IdentityMemo(held=4)
    texts = [f"text {number}" for number in range(9)]
    for number, text in enumerate(texts):
        memo.put(text, number)
    assert memo.get(texts[8]) == 8
    assert remembered(memo) <= 4


def test_a_decision_that_changes_nothing_keeps_no_result_alive() -> None:
    before = remembered(decisions._applied)
    result = ToolResultMessage("c", "read", (TextBlock("short"),))
    assert apply_decision(result, GuardDecision("capped", max_chars=100)) is result
    del result
    assert remembered(decisions._applied) <= before
