"""Reading a Responses stream: finished items are the truth, and only the terminal event makes an answer whole."""

import json
from collections.abc import Iterable
from typing import Any

import pytest

from openclaw_tui.errors import OpenClawError, ProviderContextOverflow, ProviderUnavailable, RateLimited
from openclaw_tui.messages import TextBlock, ThinkingBlock, ToolCallBlock, Usage
from openclaw_tui.providers.accumulator import Accumulator
from openclaw_tui.providers.base import StreamEnded, StreamEvent, TextChunk, ThinkingChunk, ToolCallChunk
from openclaw_tui.providers.catalog import find_model
from openclaw_tui.providers.openai_items import argument_text
from openclaw_tui.providers.openai_responses_stream import ResponsesStream, usage_of

Frame = dict[str, Any]
SOL = find_model("openai/gpt-6.2-sol")
CREATED = {"type": "response.created", "response": {"id": "resp_1", "model": "gpt-6.2-sol"}}
REASONING = {
    "id": "rs_1",
    "type": "reasoning",
    "summary": [{"type": "summary_text", "text": "Hm."}],
    "encrypted_content": "gA==",
}
CALL = {"id": "fc_1", "type": "function_call", "call_id": "call_1", "name": "read", "arguments": '{"path": "a"}'}
MESSAGE = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "phase": "final_answer",
    "content": [{"type": "output_text", "text": "Hello"}],
}  # fmt: skip


def item(kind: str, at: int, value: Frame) -> Frame:
    return {"type": f"response.output_item.{kind}", "output_index": at, "item": value}


def delta(kind: str, at: int, text: str) -> Frame:
    return {"type": f"response.{kind}.delta", "output_index": at, "delta": text}


def completed(**fields: Any) -> Frame:
    return {"type": "response.completed", "response": {"id": "resp_1", "status": "completed", "error": None, **fields}}


def play(frames: Iterable[Frame]) -> list[StreamEvent]:
    state = ResponsesStream("openai")
    return [event for frame in frames for event in state.feed(frame)]


def whole(events: list[StreamEvent]) -> tuple[tuple[Any, ...], StreamEnded]:
    together = Accumulator(SOL)
    for event in events:
        together.add(event)
    last = events[-1]
    assert isinstance(last, StreamEnded)
    return together.finish(last).content, last


FULL = [
    CREATED,
    {"type": "response.in_progress", "response": {}},
    item("added", 0, {**REASONING, "encrypted_content": "incomplete"}),
    delta("reasoning_summary_text", 0, "Hm."),
    item("done", 0, REASONING),
    item("added", 1, {**MESSAGE, "content": []}),
    delta("output_text", 1, "Hel"),
    delta("output_text", 1, "lo"),
    item("done", 1, MESSAGE),
    item("added", 2, {**CALL, "arguments": ""}),
    delta("function_call_arguments", 2, '{"path"'),
    delta("function_call_arguments", 2, ': "a"}'),
    item("done", 2, CALL),
    completed(),
]


def test_an_answer_of_all_kinds_becomes_its_blocks() -> None:
    events = play(FULL)
    blocks, end = whole(events)
    thinking, text, call = blocks
    assert isinstance(thinking, ThinkingBlock)
    assert thinking.thinking == "Hm."
    assert json.loads(thinking.signature or "") == REASONING
    assert text == TextBlock("Hello", '{"v":1,"id":"msg_1","phase":"final_answer"}')
    assert isinstance(call, ToolCallBlock)
    assert (call.id, call.name, dict(call.arguments)) == ("call_1|fc_1", "read", {"path": "a"})
    assert argument_text(call.arguments, call.thought_signature) == CALL["arguments"]
    assert end.stop_reason == "tool_use"
    assert end.response_id == "resp_1"


def test_chunks_show_the_answer_as_it_grows() -> None:
    events = play(FULL)
    assert [event.text for event in events if isinstance(event, TextChunk)] == ["Hel", "lo"]
    assert [event.text for event in events if isinstance(event, ThinkingChunk)] == ["Hm."]
    chunks = [event for event in events if isinstance(event, ToolCallChunk)]
    assert [(chunk.name, chunk.json) for chunk in chunks] == [("read", ""), ("read", '{"path"'), ("read", ': "a"}')]


def test_parallel_calls_may_interleave() -> None:
    second = {**CALL, "id": "fc_2", "call_id": "call_2", "arguments": "{}"}
    frames = [
        CREATED,
        item("added", 0, CALL),
        item("added", 1, second),
        delta("function_call_arguments", 1, "{}"),
        delta("function_call_arguments", 0, CALL["arguments"]),
        item("done", 1, second),
        item("done", 0, CALL),
        completed(),
    ]
    events = play(frames)
    assert [block.id for block in whole(events)[0]] == ["call_1|fc_1", "call_2|fc_2"]


def test_a_gateway_that_sends_only_the_end_is_understood() -> None:
    blocks, end = whole(play([CREATED, completed(output=[MESSAGE, CALL])]))
    assert [type(block) for block in blocks] == [TextBlock, ToolCallBlock]
    assert end.stop_reason == "tool_use"


def test_unknown_items_and_events_are_passed_over() -> None:
    frames = [
        CREATED,
        item("added", 0, {"type": "web_search_call"}),
        {"type": "response.queued"},
        item("done", 1, MESSAGE),
        completed(),
    ]
    assert whole(play(frames))[0] == (TextBlock("Hello", '{"v":1,"id":"msg_1","phase":"final_answer"}'),)


@pytest.mark.parametrize("arguments", ['{"path": "a', "[1]", "null", '{"n": NaN}'])
def test_arguments_that_are_no_object_are_kept_as_text(arguments: str) -> None:
    (call,), _ = whole(play([CREATED, item("done", 0, {**CALL, "arguments": arguments}), completed()]))
    assert (dict(call.arguments), call.invalid_arguments) == ({}, arguments)


def test_a_cut_answer_keeps_what_came_and_says_that_it_was_cut() -> None:
    incomplete = {
        "type": "response.incomplete",
        "response": {"id": "resp_1", "incomplete_details": {"reason": "max_output_tokens"}},
    }
    blocks, end = whole(play([CREATED, delta("output_text", 0, "Hal"), incomplete]))
    assert blocks == (TextBlock("Hal"),)
    assert (end.stop_reason, end.detail) == ("length", "max_output_tokens")


def test_a_refusal_is_no_ordinary_answer() -> None:
    refused = {**MESSAGE, "content": [{"type": "refusal", "refusal": "No."}]}
    blocks, end = whole(play([CREATED, item("done", 0, refused), completed()]))
    assert blocks[0].text == "No."
    assert end.stop_reason == "refusal"
    filtered = {"type": "response.incomplete", "response": {"incomplete_details": {"reason": "content_filter"}}}
    assert whole(play([CREATED, delta("output_text", 0, "x"), filtered]))[1].stop_reason == "refusal"


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        ({"type": "error", "code": "rate_limit_exceeded", "message": "slow down"}, RateLimited),
        ({"type": "error", "error": {"code": "server_error", "message": "oops"}}, ProviderUnavailable),
        (
            {"type": "error", "code": "context_length_exceeded", "message": "Your input exceeds the context window"},
            ProviderContextOverflow,
        ),
        (
            {"type": "response.failed", "response": {"error": {"code": "server_error", "message": "x"}}},
            ProviderUnavailable,
        ),
        ({"type": "response.failed", "response": {}}, ProviderUnavailable),
        (
            {"type": "response.incomplete", "response": {"incomplete_details": {"reason": "steered"}}},
            ProviderUnavailable,
        ),
    ],
)
def test_an_error_in_the_stream_is_raised(frame: Frame, expected: type[OpenClawError]) -> None:
    with pytest.raises(expected):
        play([CREATED, delta("output_text", 0, "Half an"), frame])


def test_a_stream_without_its_end_is_a_failure() -> None:
    assert isinstance(ResponsesStream("openai").ended_early(), ProviderUnavailable)
    assert not any(isinstance(event, StreamEnded) for event in play(FULL[:-1]))


def test_cached_and_written_tokens_are_taken_out_of_the_input() -> None:
    usage = usage_of(
        {
            "input_tokens": 1000,
            "input_tokens_details": {
                "cached_tokens": 500,
                "cache_write_tokens": 300,
                "cache_write_tokens_details": {"ttl_30m_tokens": 100, "ttl_12h_tokens": 200},
            },
            "output_tokens": 50,
            "output_tokens_details": {"reasoning_tokens": 20},
        }
    )
    expected = Usage(input=200, output=50, cache_read=500, cache_write=300, cache_write_long=200, reasoning=20)
    assert usage == expected
    assert usage.prompt_tokens == 1000
    assert usage_of({"input_tokens": 5}).cache_reported is False
    assert usage_of({}) == Usage(cache_reported=False)


def test_dropped_reasoning_and_the_cache_diagnosis_are_told() -> None:
    removed = {"id": "rs_0", "type": "reasoning", "action": "removed", "reason": "prefix_mismatch"}
    diagnosis = {"type": "cache_miss", "reason": "input_changed", "cache_missed_tokens": 900}
    end = play([CREATED, completed(input_transformations=[removed, removed], prompt_cache_diagnostics=diagnosis)])[-1]
    assert isinstance(end, StreamEnded)
    assert end.dropped_thinking == 2
    assert end.diagnostics == diagnosis
