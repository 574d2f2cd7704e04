"""Raw Messages events become plain events; what is no whole answer fails."""

from typing import Any

import pytest

from openclaw_tui.errors import ProviderContextOverflow, ProviderUnavailable
from openclaw_tui.messages import TextBlock, ThinkingBlock, ToolCallBlock
from openclaw_tui.providers.anthropic_stream import AnthropicStream
from openclaw_tui.providers.base import BlockDone, StreamEnded, StreamEvent

START = {"type": "message_start", "message": {"id": "msg_1", "model": "m", "usage": {"input_tokens": 3}}}
STOP = {"type": "message_stop"}


def block(index: int, start: dict[str, Any], *deltas: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"type": "content_block_start", "index": index, "content_block": start},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def ending(reason: str | None, **rest: Any) -> dict[str, Any]:
    return {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 5}, **rest}


def fed(*events: Any) -> tuple[list[StreamEvent], AnthropicStream]:
    stream = AnthropicStream("anthropic")
    return [ours for event in events for ours in stream.feed(event)], stream


def blocks(events: list[StreamEvent]) -> list[Any]:
    return [event.block for event in events if isinstance(event, BlockDone)]


def call(*pieces: str) -> list[dict[str, Any]]:
    start = {"type": "tool_use", "id": "t1", "name": "read", "input": {}}
    return block(0, start, *({"type": "input_json_delta", "partial_json": piece} for piece in pieces))


@pytest.mark.parametrize(
    ("pieces", "arguments", "invalid"),
    [
        (["", '{"pa', 'th": "a"}'], {"path": "a"}, None),
        ([""], {}, None),
        (['{"path": '], {}, '{"path": '),
        (["[1]"], {}, "[1]"),
        (['{"n": NaN}'], {}, '{"n": NaN}'),
    ],
)
def test_arguments_are_joined_and_nonsense_is_kept_for_the_tool_runner(
    pieces: list[str], arguments: dict[str, Any], invalid: str | None
) -> None:
    events, _ = fed(START, *call(*pieces), ending("tool_use"), STOP)
    assert blocks(events) == [ToolCallBlock("t1", "read", arguments, invalid_arguments=invalid)]


def test_redacted_and_unseen_thinking_keep_what_must_go_back() -> None:
    events, _ = fed(
        START,
        *block(0, {"type": "redacted_thinking", "data": "opaque"}),
        *block(1, {"type": "thinking", "thinking": ""}, {"type": "signature_delta", "signature": "sig"}),
        *block(2, {"type": "text", "text": ""}, {"type": "text_delta", "text": "a"}),
        ending("end_turn"),
        STOP,
    )
    assert blocks(events) == [
        ThinkingBlock("", signature="opaque", redacted=True),
        ThinkingBlock("", signature="sig"),
        TextBlock("a"),
    ]


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("pause_turn", "length"),
        ("model_context_window_exceeded", "length"),
        ("refusal", "refusal"),
        ("something_new", "stop"),
    ],
)
def test_stop_reasons_are_ours(reason: str, expected: str) -> None:
    events, stream = fed(
        START, *block(0, {"type": "text", "text": ""}, {"type": "text_delta", "text": "a"}), ending(reason), STOP
    )
    ended = events[-1]
    assert isinstance(ended, StreamEnded)
    assert ended.stop_reason == expected
    assert stream.ended


def test_calls_make_it_a_tool_step_and_a_tool_stop_without_calls_is_none() -> None:
    with_calls, _ = fed(START, *call("{}"), ending("end_turn"), STOP)
    without, _ = fed(START, ending("tool_use"), STOP)
    assert [event.stop_reason for event in (with_calls[-1], without[-1]) if isinstance(event, StreamEnded)] == [
        "tool_use",
        "stop",
    ]


def test_refusal_tells_its_reason() -> None:
    end = ending("refusal")
    end["delta"]["stop_details"] = {"type": "refusal", "category": "cyber", "explanation": "Not this."}
    events, _ = fed(START, end, STOP)
    assert isinstance(events[-1], StreamEnded)
    assert (events[-1].stop_reason, events[-1].detail) == ("refusal", "Not this.")


def test_full_window_before_the_first_word_is_an_overflow() -> None:
    with pytest.raises(ProviderContextOverflow):
        fed(START, ending("model_context_window_exceeded"), STOP)


def test_end_without_stop_reason_or_stop_event_is_not_an_end() -> None:
    assert not fed(START, ending(None), STOP)[1].ended
    assert not fed(START, ending("end_turn"))[1].ended


def test_piece_of_a_block_that_never_began_is_nonsense() -> None:
    with pytest.raises(ProviderUnavailable, match="no sense"):
        fed(START, {"type": "content_block_delta", "index": 4, "delta": {"type": "text_delta", "text": "x"}})


def test_unknown_events_and_blocks_are_passed_over() -> None:
    events, stream = fed(
        START, {"type": "news"}, *block(0, {"type": "server_tool_use", "id": "s"}), ending("end_turn"), STOP
    )
    assert blocks(events) == []
    assert stream.ended


def test_later_usage_replaces_earlier_and_absent_figures_stay() -> None:
    start = {
        "type": "message_start",
        "message": {"id": "m", "usage": {"input_tokens": 3, "cache_read_input_tokens": 9}},
    }
    end = ending("end_turn", usage={"input_tokens": 4, "output_tokens": 7, "cache_read_input_tokens": None})
    events, _ = fed(start, end, STOP)
    assert isinstance(events[-1], StreamEnded)
    usage = events[-1].usage
    assert (usage.input, usage.cache_read, usage.output, usage.cache_reported) == (4, 9, 7, True)


def test_cache_diagnostics_and_dropped_thinking_are_told() -> None:
    reason = {"cache_miss_reason": {"type": "tools_changed"}}
    dropped = [{"type": "thinking_dropped", "path": "messages.1.content.0", "reason": "prefix_binding_mismatch"}]
    start = {"type": "message_start", "message": {"id": "msg_1", "diagnostics": reason}}
    events, _ = fed(start, ending("end_turn", input_transformations=dropped), STOP)
    assert isinstance(events[-1], StreamEnded)
    assert (events[-1].diagnostics, events[-1].dropped_thinking) == (reason, 1)
