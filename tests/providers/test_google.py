"""Gemini's body and chunks: signatures in their part, results in one content, clear ends."""

import base64
from typing import Any

import msgspec
import pytest

from openclaw_tui.errors import InvalidRequest, OpenClawError, ProviderUnavailable
from openclaw_tui.messages import (
    AssistantMessage,
    ImageBlock,
    Message,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolDefinition,
    ToolResultMessage,
    user_text,
)
from openclaw_tui.models import ModelInfo
from openclaw_tui.providers.base import BlockDone, ProviderRequest, StreamEnded, StreamEvent
from openclaw_tui.providers.google_request import FOREIGN_CALL_SIGNATURE, build_body, new_fold
from openclaw_tui.providers.google_stream import GoogleStream

MODEL = ModelInfo(
    "google",
    "gemini-4-argon",
    "google",
    context_window=1_048_576,
    max_output=65_536,
    thinking="level",
    thinking_levels=("low", "medium", "high"),
    images=True,
)
SIGNATURE = base64.b64encode(b"\x00\xffsealed").decode()


def body(*messages: Message, **changes: Any) -> dict[str, Any]:
    tool = ToolDefinition("read", "Read.", {"type": "object"})
    request = ProviderRequest(MODEL, "Stable.", "Dynamic.", messages or (user_text("Hi"),), (tool,))
    return build_body(msgspec.structs.replace(request, **changes), new_fold())


def call(name: str, signature: str | None = None) -> ToolCallBlock:
    return ToolCallBlock(name, "read", {"path": name}, thought_signature=signature)


def result(name: str, *content: Any, is_error: bool = False) -> ToolResultMessage:
    return ToolResultMessage(name, "read", content or (TextBlock(name),), is_error=is_error)


def test_results_of_a_batch_stand_in_one_content_in_order() -> None:
    answer = AssistantMessage((call("a", SIGNATURE), call("b")), api="google")
    built = body(user_text("Go"), answer, result("a"), result("b", is_error=True), user_text("More"))
    roles = [content["role"] for content in built["contents"]]
    assert roles == ["user", "model", "user", "user"]
    responses = [part["functionResponse"] for part in built["contents"][2]["parts"]]
    assert [(response["id"], list(response["response"])) for response in responses] == [
        ("a", ["output"]),
        ("b", ["error"]),
    ]


def test_signatures_go_back_in_the_very_part_they_came_in() -> None:
    answer = AssistantMessage(
        (
            ThinkingBlock("hm", signature=SIGNATURE),
            ThinkingBlock("unsigned"),
            TextBlock("", signature=SIGNATURE),
            call("a", SIGNATURE),
            call("b"),
        ),
        api="google",
    )
    parts = body(user_text("Go"), answer, result("a"), result("b"))["contents"][1]["parts"]
    assert [part.get("thoughtSignature") for part in parts] == [SIGNATURE, SIGNATURE, SIGNATURE, None]


def test_foreign_call_carries_the_documented_placeholder_and_no_foreign_signature() -> None:
    answer = AssistantMessage((ThinkingBlock("x", signature="s"), call("a", "s"), call("b")), api="anthropic")
    messages = (user_text("Go"), answer, result("a"), result("b"))
    parts = body(*messages)["contents"][1]["parts"]
    assert [part.get("thoughtSignature") for part in parts] == [FOREIGN_CALL_SIGNATURE, None]
    old = msgspec.structs.replace(MODEL, id="gemini-2.5-pro")
    assert FOREIGN_CALL_SIGNATURE not in str(body(*messages, model=old))


def test_pictures_of_results_are_inside_for_new_models_and_beside_for_old_ones() -> None:
    messages = (
        user_text("Go"),
        AssistantMessage((call("a"),)),
        result("a", TextBlock("see"), ImageBlock("aGk=", "image/png")),
    )
    (new,) = body(*messages)["contents"][2]["parts"]
    assert new["functionResponse"]["parts"] == [{"inlineData": {"mimeType": "image/png", "data": "aGk="}}]
    old = body(*messages, model=msgspec.structs.replace(MODEL, id="gemini-2.5-pro"))["contents"][2]["parts"]
    assert [sorted(part) for part in old] == [["functionResponse"], ["inlineData"]]


@pytest.mark.parametrize(
    ("mode", "level", "config"),
    [
        ("level", "off", {"thinkingLevel": "LOW", "includeThoughts": False}),
        ("level", "medium", {"thinkingLevel": "MEDIUM", "includeThoughts": True}),
        ("level", "max", {"thinkingLevel": "HIGH", "includeThoughts": True}),
        ("budget", "off", {"thinkingBudget": 0, "includeThoughts": False}),
        ("budget", "low", {"thinkingBudget": 2048, "includeThoughts": True}),
        ("none", "high", None),
    ],
)
def test_thinking_is_asked_for_the_models_way(mode: Any, level: Any, config: Any) -> None:
    built = body(model=msgspec.structs.replace(MODEL, thinking=mode), thinking=level)
    assert built["generationConfig"].get("thinkingConfig") == config


# ── Stream ────────────────────────────────────────────────────────────────────────────────────────────────────────


def fed(*chunks: dict[str, Any]) -> list[StreamEvent]:
    stream = GoogleStream("google")
    return [event for chunk in chunks for event in stream.feed(chunk)] + list(stream.end())


def chunk(*parts: dict[str, Any], finish: str | None = None, **rest: Any) -> dict[str, Any]:
    return {"candidates": [{"content": {"parts": list(parts)}, "finish_reason": finish}], **rest}


def blocks(events: list[StreamEvent]) -> list[Any]:
    return [event.block for event in events if isinstance(event, BlockDone)]


def test_text_over_chunks_is_one_block_and_a_signature_ends_it() -> None:
    raw = base64.b64decode(SIGNATURE)
    events = fed(
        chunk({"text": "th", "thought": True}),
        chunk({"text": "ink", "thought": True}),
        chunk({"text": "Hel"}),
        chunk({"text": "lo"}),
        chunk({"text": "", "thought_signature": raw}),
        chunk({"text": "more"}),
        chunk(finish="STOP"),
    )
    assert blocks(events) == [ThinkingBlock("think"), TextBlock("Hello", signature=SIGNATURE), TextBlock("more")]


def test_calls_come_whole_with_signature_and_an_id_of_their_own() -> None:
    raw = base64.b64decode(SIGNATURE)
    events = fed(
        chunk(
            {"function_call": {"name": "read", "args": {"path": "a"}}, "thought_signature": raw},
            {"function_call": {"name": "read"}},
            finish="STOP",
        )
    )
    first, second = blocks(events)
    assert (first.name, first.arguments, first.thought_signature) == ("read", {"path": "a"}, SIGNATURE)
    assert (second.arguments, second.thought_signature) == ({}, None)
    assert len({first.id, second.id, ""}) == 3
    assert isinstance(events[-1], StreamEnded)
    assert events[-1].stop_reason == "tool_use"


@pytest.mark.parametrize(
    ("finish", "error", "words"),
    [
        ("MALFORMED_FUNCTION_CALL", ProviderUnavailable, "cannot be read"),
        ("UNEXPECTED_TOOL_CALL", ProviderUnavailable, "no"),
        ("TOO_MANY_TOOL_CALLS", ProviderUnavailable, "too many"),
        ("OTHER", ProviderUnavailable, "OTHER"),
        ("MISSING_THOUGHT_SIGNATURE", InvalidRequest, "thought_signature"),
        (None, ProviderUnavailable, "broke off"),
    ],
)
def test_faulty_ends_are_clear_errors(finish: str | None, error: type[OpenClawError], words: str) -> None:
    with pytest.raises(error, match=words):
        fed(chunk({"text": "a"}, finish=finish))


def test_blocked_prompt_is_a_refusal_that_says_so() -> None:
    (_, ended) = fed({"prompt_feedback": {"block_reason": "PROHIBITED_CONTENT"}})
    assert isinstance(ended, StreamEnded)
    assert ended.stop_reason == "refusal"
    assert "PROHIBITED_CONTENT" in ended.detail


def test_chunks_without_candidates_or_content_are_no_harm() -> None:
    count = {"prompt_token_count": 10, "cached_content_token_count": 4, "candidates_token_count": 2}
    events = fed(
        {}, {"candidates": None}, {"candidates": [{"content": None}]}, chunk(finish="STOP", usage_metadata=count)
    )
    assert isinstance(events[-1], StreamEnded)
    assert (events[-1].usage.input, events[-1].usage.cache_read, events[-1].usage.output) == (6, 4, 2)
