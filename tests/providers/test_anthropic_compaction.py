"""The provider's own compaction on Anthropic's wire: what is asked, what comes back, how it travels afterwards."""

import json
from collections.abc import Sequence
from typing import Any

from openclaw_tui.messages import AssistantMessage, Message, TextBlock, ThinkingBlock, UserMessage, user_text
from openclaw_tui.providers.anthropic_compaction import COMPACT_BETA, CompactionBlock
from openclaw_tui.providers.anthropic_request import AnthropicRequest, build_request, new_fold
from openclaw_tui.providers.anthropic_stream import AnthropicStream
from openclaw_tui.providers.base import BlockDone, ProviderRequest, StreamEnded
from openclaw_tui.providers.catalog import catalogue, find_model

BLOCK = {"type": "compaction", "content": "What was said: ä.", "signature": "c2ln", "tool_changes": []}
SEALED = json.dumps(BLOCK, ensure_ascii=False, separators=(",", ":"))
SUMMARY = UserMessage((TextBlock("readable"),), origin="compaction_summary", sealed=SEALED)


def built(messages: Sequence[Message], instructions: str | None = None) -> AnthropicRequest:
    model = find_model("anthropic/claude-sonnet-5-5")
    request = ProviderRequest(model, "stable", "", tuple(messages), seal_instructions=instructions)
    return build_request(request, new_fold())


def fed(*events: dict[str, Any]) -> list[object]:
    stream = AnthropicStream("anthropic")
    start = {"type": "message_start", "message": {"id": "msg_1", "usage": {"input_tokens": 5}}}
    end = {"type": "message_delta", "delta": {"stop_reason": "compaction"}, "usage": {"output_tokens": 3}}
    return [ours for event in (start, *events, end, {"type": "message_stop"}) for ours in stream.feed(event)]


def test_a_request_for_a_summary_names_the_beta_and_carries_the_instructions() -> None:
    wire = built([user_text("hello")], "Keep the ports.")
    assert wire.body["compaction"] == {"type": "summarize", "instructions": "Keep the ports."}
    assert COMPACT_BETA in wire.betas
    plain = built([user_text("hello")])
    assert "compaction" not in plain.body
    assert COMPACT_BETA not in plain.betas


def test_the_block_is_a_turn_of_its_own_in_front_also_before_an_answer_or_a_request() -> None:
    answer = AssistantMessage((ThinkingBlock("why", "sig"), TextBlock("so")), api="anthropic")
    for follower, role in ((answer, "assistant"), (user_text("go on"), "user")):
        wire = built([SUMMARY, follower, user_text("and then?")])
        first, second = wire.body["messages"][:2]
        assert first == {"role": "assistant", "content": [BLOCK]}
        assert second["role"] == role
        assert COMPACT_BETA in wire.betas
    assert SEALED.encode() in built([SUMMARY, answer]).encoded(new_fold()), "byte for byte as it came"


def test_the_block_is_put_together_from_its_start_and_its_deltas() -> None:
    events = fed(
        {"type": "content_block_start", "index": 0, "content_block": {**BLOCK, "content": None}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "compaction_delta", "content": BLOCK["content"]}},
        {"type": "content_block_stop", "index": 0},
    )
    ended = events[-1]
    assert isinstance(ended, StreamEnded)
    assert ended.sealed == SEALED
    assert ended.stop_reason == "stop"
    assert BlockDone(0, TextBlock("What was said: ä.")) in events


def test_a_block_without_text_is_still_one_and_an_empty_one_is_none() -> None:
    opaque = CompactionBlock({"type": "compaction", "content": None, "signature": "s"})
    assert opaque.sealed == ""
    opaque.add({"type": "compaction_delta", "content": None, "encrypted_content": "xyz"})
    assert json.loads(opaque.sealed)["encrypted_content"] == "xyz"
    assert opaque.text == ""


def test_models_that_can_are_marked() -> None:
    able = {model.id for model in catalogue() if model.seals_summaries}
    assert {"claude-opus-4-6", "claude-sonnet-4-6", "claude-haiku-5-5", "claude-fable-5-2"} <= able
    assert "claude-haiku-4-5" not in able
    assert not any(name.startswith(("gpt", "gemini", "guide")) for name in able)
