"""An answer is readable while it comes, and whole when it ended."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from openclaw_tui.messages import TextBlock, ThinkingBlock, ToolCallBlock, Usage
from openclaw_tui.models import ModelInfo
from openclaw_tui.providers.accumulator import Accumulator
from openclaw_tui.providers.base import (
    BlockDone,
    StreamEnded,
    StreamStarted,
    TextChunk,
    ThinkingChunk,
    ToolCallChunk,
)

MODEL = ModelInfo("anthropic", "claude-x", "anthropic", context_window=1000, max_output=100)


def filled(*events: Any) -> Accumulator:
    accumulator = Accumulator(MODEL, timestamp=7)
    for event in events:
        accumulator.add(event)
    return accumulator


def test_cut_answer_keeps_what_arrived_and_is_marked() -> None:
    accumulator = filled(
        StreamStarted("msg_1", usage=Usage(input=10, cache_read=5)),
        ThinkingChunk(0, "let me "),
        ThinkingChunk(0, "see"),
        TextChunk(1, "Hel"),
        TextChunk(1, "lo"),
        ToolCallChunk(2, "call_1", "read", ""),
        ToolCallChunk(2, "call_1", "read", '{"pa'),
    )
    message = accumulator.partial("error", "cut")
    assert message.content == (
        ThinkingBlock("let me see"),
        TextBlock("Hello"),
        ToolCallBlock("call_1", "read", {}, invalid_arguments='{"pa'),
    )
    assert (message.stop_reason, message.error_message, message.response_id) == ("error", "cut", "msg_1")
    assert message.usage.prompt_tokens == 15
    assert message.is_partial


def test_finished_block_replaces_its_chunks_and_order_is_by_index() -> None:
    ended = StreamEnded("tool_use", Usage(input=10, output=4), "msg_1")
    accumulator = filled(
        ToolCallChunk(2, "c", "read", "{}"),
        BlockDone(2, ToolCallBlock("c", "read", {})),
        TextChunk(0, "raw"),
        BlockDone(0, TextBlock("whole")),
    )
    message = accumulator.finish(ended)
    assert message.content == (TextBlock("whole"), ToolCallBlock("c", "read", {}))
    assert (message.api, message.provider, message.model, message.timestamp) == (
        "anthropic",
        "anthropic",
        "claude-x",
        7,
    )
    assert message.usage.output == 4


def test_blank_blocks_vanish_but_a_signed_one_stays() -> None:
    accumulator = filled(BlockDone(0, TextBlock("")), BlockDone(1, ThinkingBlock("", signature="s")))
    assert accumulator.partial().content == (ThinkingBlock("", signature="s"),)
    assert filled(TextChunk(0, "")).is_empty


@given(st.lists(st.tuples(st.integers(0, 3), st.text(max_size=4)), max_size=30))
def test_chunks_join_in_order_for_every_interleaving(pieces: list[tuple[int, str]]) -> None:
    message = filled(*(TextChunk(index, text) for index, text in pieces)).partial()
    expected = ["".join(text for i, text in pieces if i == index) for index in range(4)]
    assert [block.text for block in message.content if isinstance(block, TextBlock)] == [t for t in expected if t]
