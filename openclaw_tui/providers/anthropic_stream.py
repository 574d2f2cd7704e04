"""Raw events of Anthropic's Messages stream → plain stream events.

Pure: fed with parsed JSON, one event at a time. Arguments of tool calls are joined as text and parsed once at the end.
Invariant: `StreamEnded` comes only after `message_stop` with a stop reason; anything less is a failed answer, since a
body that is cut cleanly looks like an end.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from openclaw_tui.errors import ProviderContextOverflow, ProviderUnavailable
from openclaw_tui.messages import AssistantContent, StopReason, TextBlock, ThinkingBlock, ToolCallBlock, Usage
from openclaw_tui.providers.anthropic_compaction import CompactionBlock
from openclaw_tui.providers.base import (
    BlockDone,
    StreamEnded,
    StreamEvent,
    StreamStarted,
    TextChunk,
    ThinkingChunk,
    ToolCallChunk,
)
from openclaw_tui.providers.wire_cache import parse_arguments

Event: TypeAlias = Mapping[str, Any]

_STOP_REASONS: Mapping[str, StopReason] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "compaction": "stop",
    "tool_use": "tool_use",
    "max_tokens": "length",
    "pause_turn": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
}
_DETAILS: Mapping[str, str] = {
    "pause_turn": "The provider paused the answer; send a message to let it go on.",
    "model_context_window_exceeded": "The answer reached the end of the model's context window.",
}


@dataclass(slots=True)
class _Block:
    """A content block while it grows. `text` is its text, thinking or arguments."""

    kind: str
    pieces: list[str] = field(default_factory=list)
    signature: str | None = None
    call_id: str = ""
    name: str = ""
    given: Mapping[str, Any] = field(default_factory=dict)

    def finished(self) -> AssistantContent | None:
        text = "".join(self.pieces)
        match self.kind:
            case "text":
                return TextBlock(text)
            case "thinking":
                return ThinkingBlock(text, signature=self.signature)
            case "redacted_thinking":
                return ThinkingBlock("", signature=self.signature, redacted=True)
            case "tool_use":
                arguments, invalid = parse_arguments(text)
                return ToolCallBlock(self.call_id, self.name, arguments or self.given, invalid_arguments=invalid)
            case _:
                return None


class AnthropicStream:
    """One answer. Feed it every event; `ended` tells whether it was whole."""

    def __init__(self, provider: str) -> None:
        self._provider = provider
        self._blocks: dict[int, _Block] = {}
        self._usage: dict[str, Any] = {}
        self._response_id: str | None = None
        self._stop: str | None = None
        self._detail = ""
        self._diagnostics: Mapping[str, Any] = {}
        self._dropped = 0
        self._has_content = self._has_calls = False
        self._compaction: CompactionBlock | None = None
        self.ended = False

    def feed(self, event: Event) -> Iterator[StreamEvent]:
        """The plain events that one raw event stands for. Unknown events and block types stand for nothing."""
        match event.get("type"):
            case "message_start":
                yield self._start(event["message"])
            case "content_block_start":
                yield from self._open(event["index"], event["content_block"])
            case "content_block_delta":
                yield from self._grow(event["index"], event["delta"])
            case "content_block_stop":
                yield from self._close(event["index"])
            case "message_delta":
                self._note_end(event)
            case "message_stop":
                yield from self._end()

    def _start(self, message: Event) -> StreamStarted:
        self._response_id = message.get("id")
        self._merge_usage(message.get("usage") or {})
        self._note_extras(message)
        return StreamStarted(self._response_id, message.get("model"), self._current_usage())

    def _open(self, index: int, start: Event) -> Iterator[StreamEvent]:
        block = _Block(str(start.get("type")))
        self._blocks[index] = block
        match block.kind:
            case "text":
                yield from self._add(index, block, start.get("text") or "")
            case "thinking":
                block.signature = start.get("signature") or None
                yield from self._add(index, block, start.get("thinking") or "")
            case "redacted_thinking":
                block.signature = start.get("data")
            case "tool_use":
                block.call_id, block.name = str(start.get("id") or ""), str(start.get("name") or "")
                block.given = start.get("input") or {}
                yield ToolCallChunk(index, block.call_id, block.name, "")
            case "compaction":
                self._compaction = CompactionBlock(start)

    def _grow(self, index: int, delta: Event) -> Iterator[StreamEvent]:
        block = self._blocks.get(index)
        if block is None:
            raise ProviderUnavailable(f"{self._provider}: the stream makes no sense (a piece of a block never begun).")
        match delta.get("type"):
            case "text_delta":
                yield from self._add(index, block, delta["text"])
            case "thinking_delta":
                yield from self._add(index, block, delta["thinking"])
            case "signature_delta" | "compaction_delta" if block.kind == "compaction" and self._compaction:
                self._compaction.add(delta)
            case "signature_delta":
                block.signature = delta["signature"]
            case "input_json_delta":
                yield from self._add(index, block, delta["partial_json"])

    def _add(self, index: int, block: _Block, text: str) -> Iterator[StreamEvent]:
        if not text:
            return
        block.pieces.append(text)
        match block.kind:
            case "text":
                yield TextChunk(index, text)
            case "thinking":
                yield ThinkingChunk(index, text)
            case "tool_use":
                yield ToolCallChunk(index, block.call_id, block.name, text)

    def _close(self, index: int) -> Iterator[StreamEvent]:
        block = self._blocks.pop(index, None)
        if block is not None and block.kind == "compaction" and self._compaction is not None:
            block = _Block("text", [self._compaction.text])
        finished = block.finished() if block else None
        if finished is not None:
            self._has_calls |= isinstance(finished, ToolCallBlock)
            self._has_content |= not isinstance(finished, ThinkingBlock)
            yield BlockDone(index, finished)

    def _note_end(self, event: Event) -> None:
        delta = event.get("delta") or {}
        self._merge_usage(event.get("usage") or {})
        self._note_extras(event)
        self._stop = delta.get("stop_reason") or self._stop
        if details := delta.get("stop_details"):
            self._detail = str(details.get("explanation") or details.get("category") or "")

    def _end(self) -> Iterator[StreamEvent]:
        for index in list(self._blocks):
            yield from self._close(index)
        if self._stop is None:
            return
        if self._stop == "model_context_window_exceeded" and not self._has_content:
            raise ProviderContextOverflow(
                f"{self._provider}: the model's context window was full before it could answer.",
                tokens=self._current_usage().prompt_tokens or None,
            )
        self.ended = True
        yield StreamEnded(
            self._stop_reason(),
            self._current_usage(),
            self._response_id,
            diagnostics=self._diagnostics,
            dropped_thinking=self._dropped,
            detail=self._detail or _DETAILS.get(self._stop, ""),
            sealed=self._compaction.sealed if self._compaction else "",
        )

    def _stop_reason(self) -> StopReason:
        reason = _STOP_REASONS.get(self._stop or "", "stop")
        if reason in ("stop", "tool_use"):
            return "tool_use" if self._has_calls else "stop"
        return reason

    def _note_extras(self, source: Event) -> None:
        self._diagnostics = source.get("diagnostics") or self._diagnostics
        changes = source.get("input_transformations") or ()
        self._dropped += sum(change.get("type") == "thinking_dropped" for change in changes)

    def _merge_usage(self, usage: Event) -> None:
        """Later figures are cumulative and replace; a field that is absent keeps its value."""
        self._usage.update((name, value) for name, value in usage.items() if value is not None)

    def _current_usage(self) -> Usage:
        usage = self._usage
        return Usage(
            input=usage.get("input_tokens", 0),
            output=usage.get("output_tokens", 0),
            cache_read=usage.get("cache_read_input_tokens", 0),
            cache_write=usage.get("cache_creation_input_tokens", 0),
            cache_write_long=(usage.get("cache_creation") or {}).get("ephemeral_1h_input_tokens", 0),
            reasoning=(usage.get("output_tokens_details") or {}).get("thinking_tokens", 0) or 0,
            cache_reported="cache_read_input_tokens" in usage,
        )
