"""Reading Chat Completions streams as compatible servers really send them."""

from collections.abc import Iterable
from typing import Any

import pytest

from openclaw_tui.errors import OpenClawError, ProviderContextOverflow, ProviderUnavailable
from openclaw_tui.messages import TextBlock, ThinkingBlock, ToolCallBlock, Usage
from openclaw_tui.providers.accumulator import Accumulator
from openclaw_tui.providers.base import StreamEnded, ToolCallChunk
from openclaw_tui.providers.catalog import find_model
from openclaw_tui.providers.openai_chat_stream import ChatStream, usage_of
from openclaw_tui.providers.openai_connection import DONE

Frame = dict[str, Any]
MODEL = find_model("vllm/m")


def chunk(delta: Frame | None = None, finish: str | None = None, **fields: Any) -> Frame:
    return {"id": "c1", "model": "m", "choices": [{"delta": delta or {}, "finish_reason": finish}], **fields}


def tool(index: Any = 0, *, call_id: str | None = None, name: str | None = None, arguments: Any = None) -> Frame:
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    fields = {"index": index, "id": call_id}
    return {
        "tool_calls": [{**{key: value for key, value in fields.items() if value is not None}, "function": function}]
    }


def play(frames: Iterable[Any]) -> tuple[tuple[Any, ...], StreamEnded]:
    state, together = ChatStream("vllm"), Accumulator(MODEL)
    events = [event for frame in frames for event in state.feed(frame)] + list(state.end())
    for event in events:
        together.add(event)
    last = events[-1]
    assert isinstance(last, StreamEnded)
    return together.finish(last).content, last


def calls_of(*deltas: Frame, finish: str = "tool_calls") -> list[tuple[str, str, dict[str, Any]]]:
    blocks, end = play([*(chunk(delta) for delta in deltas), chunk(finish=finish), DONE])
    assert end.stop_reason == "tool_use"
    assert all(isinstance(block, ToolCallBlock) for block in blocks)
    return [(block.id, block.name, dict(block.arguments)) for block in blocks]


def test_text_with_usage_after_the_finish_reason() -> None:
    usage = {"prompt_tokens": 10, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}}
    blocks, end = play(
        [chunk({"role": "assistant", "content": ""}), chunk({"content": "Hel"}), chunk({"content": "lo"}),
         chunk(finish="stop"), {"choices": [], "usage": usage}, DONE]
    )  # fmt: skip
    assert blocks == (TextBlock("Hello"),)
    assert end.usage == Usage(input=6, output=2, cache_read=4)
    assert (end.stop_reason, end.response_id) == ("stop", "c1")


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning", "reasoning_text"])
def test_reasoning_in_any_field_is_a_block_that_remembers_the_field(field: str) -> None:
    blocks, _ = play([chunk({field: "Hm"}), chunk({field: "."}), chunk({"content": "Hi"}), chunk(finish="stop")])
    assert blocks == (ThinkingBlock("Hm.", field), TextBlock("Hi"))


def test_content_as_a_list_of_parts() -> None:
    assert play([chunk({"content": [{"type": "text", "text": "Hi"}]}), chunk(finish="stop")])[0] == (TextBlock("Hi"),)


def test_two_parallel_calls_in_fragments() -> None:
    calls = calls_of(
        tool(0, call_id="a", name="read", arguments=""),
        tool(0, arguments='{"path":'),
        tool(1, call_id="b", name="grep", arguments='{"q":1}'),
        tool(0, arguments='"x"}'),
    )
    assert calls == [("a", "read", {"path": "x"}), ("b", "grep", {"q": 1})]


def test_parallel_calls_that_all_carry_index_zero() -> None:
    calls = calls_of(
        tool(0, call_id="a", name="read", arguments='{"path":"x"}'),
        tool(0, call_id="b", name="read", arguments='{"path":"y"}'),
    )
    assert calls == [("a", "read", {"path": "x"}), ("b", "read", {"path": "y"})]


def test_whole_calls_without_id_get_different_ids() -> None:
    calls = calls_of(tool(0, name="read", arguments='{"path":"x"}'), tool(0, name="read", arguments='{"path":"y"}'))
    assert [call[2] for call in calls] == [{"path": "x"}, {"path": "y"}]
    assert calls[0][0] != calls[1][0]
    assert all(call[0].startswith("call_") for call in calls)


def test_fragments_without_index_follow_the_last_call() -> None:
    calls = calls_of(
        tool(None, call_id="a", name="read", arguments='{"pa'),
        tool(None, arguments='th":"x"}'),
        tool(None, call_id="b", name="read", arguments="{}"),
    )
    assert calls == [("a", "read", {"path": "x"}), ("b", "read", {})]


def test_an_id_repeated_in_every_fragment_is_one_call() -> None:
    calls = calls_of(
        tool(0, call_id="a", name="read", arguments='{"a":'), tool(0, call_id="a", name="read", arguments="1}")
    )
    assert calls == [("a", "read", {"a": 1})]


def test_arguments_as_an_object() -> None:
    assert calls_of(tool(0, call_id="a", name="read", arguments={"path": "x"})) == [("a", "read", {"path": "x"})]


def test_a_call_counts_although_the_server_says_stop() -> None:
    assert calls_of(tool(0, call_id="a", name="read", arguments="{}"), finish="stop") == [("a", "read", {})]


@pytest.mark.parametrize("arguments", ['{"path": "x', "[]", '"text"'])
def test_arguments_that_are_no_object_are_kept_for_the_error(arguments: str) -> None:
    blocks, _ = play([chunk(tool(0, call_id="a", name="bash \u0648", arguments=arguments)), chunk(finish="tool_calls")])
    assert (blocks[0].name, dict(blocks[0].arguments), blocks[0].invalid_arguments) == ("bash \u0648", {}, arguments)


def test_a_call_written_as_text_stays_text() -> None:
    written = '<tool_call>{"name": "exec", "arguments": {"command": "rm -rf /"}}</tool_call>'
    blocks, end = play([chunk({"content": written}), chunk(finish="stop"), DONE])
    assert blocks == (TextBlock(written),)
    assert end.stop_reason == "stop"


def test_the_first_piece_of_a_call_names_it() -> None:
    state = ChatStream("vllm")
    events = [*state.feed(chunk(tool(0, call_id="a", name="read"))), *state.feed(chunk(tool(0, arguments="{}")))]
    pieces = [event for event in events if isinstance(event, ToolCallChunk)]
    assert [(piece.call_id, piece.name, piece.json) for piece in pieces] == [("a", "read", ""), ("a", "read", "{}")]


@pytest.mark.parametrize(
    ("finish", "expected"), [("length", "length"), ("content_filter", "refusal"), ("stop", "stop"), ("eos", "stop")]
)
def test_the_finish_reason_becomes_ours(finish: str, expected: str) -> None:
    assert play([chunk({"content": "x"}), chunk(finish=finish)])[1].stop_reason == expected


def test_calls_of_a_cut_answer_do_not_hide_the_cut() -> None:
    blocks, end = play([chunk(tool(0, call_id="a", name="write", arguments='{"pa')), chunk(finish="length")])
    assert end.stop_reason == "length"
    assert blocks[0].invalid_arguments == '{"pa'


@pytest.mark.parametrize("frames", [[], [chunk({"content": "Half"})], [chunk(tool(0, call_id="a", name="read"))]])
def test_a_stream_without_finish_reason_or_done_is_a_failure(frames: list[Frame]) -> None:
    with pytest.raises(ProviderUnavailable, match="before the answer was complete"):
        play(frames)


def test_done_alone_is_an_end_and_so_is_a_finish_reason_alone() -> None:
    assert play([chunk({"content": "x"}), DONE])[0] == (TextBlock("x"),)
    assert play([chunk({"content": "x"}, "stop")])[0] == (TextBlock("x"),)


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        ({"error": {"message": "overloaded", "type": "server_error", "code": 503}}, ProviderUnavailable),
        ({"error": "Trying to keep the first 9 tokens when context the overflows"}, ProviderContextOverflow),
        (
            {"error": {"message": "too big", "type": "exceed_context_size_error", "n_prompt_tokens": 9, "n_ctx": 5}},
            ProviderContextOverflow,
        ),
        (chunk(finish="error"), ProviderUnavailable),
    ],
)
def test_an_error_in_the_stream_is_raised(frame: Frame, expected: type[OpenClawError]) -> None:
    with pytest.raises(expected):
        play([chunk({"content": "Half"}), frame, DONE])


def test_timings_of_llamacpp_tell_the_cache_where_usage_does_not() -> None:
    assert usage_of({"prompt_tokens": 100, "completion_tokens": 5}, {"cache_n": 90, "prompt_n": 10}) == Usage(
        input=10, output=5, cache_read=90
    )
    assert usage_of({}, {"cache_n": 90, "prompt_n": 10, "predicted_n": 7}) == Usage(input=10, output=7, cache_read=90)


def test_a_server_that_says_nothing_of_its_cache_is_not_taken_for_a_miss() -> None:
    usage = usage_of({"prompt_tokens": 100, "completion_tokens": 5}, {})
    assert usage == Usage(input=100, output=5, cache_reported=False)
    assert usage_of({"prompt_tokens": 9, "prompt_cache_hit_tokens": 4}, {}).cache_read == 4
