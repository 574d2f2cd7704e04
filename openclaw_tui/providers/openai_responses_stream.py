"""Events of an OpenAI Responses stream → events of ours. Pure: feed frames, then ask for the end.

`response.output_item.done` is the truth about an item; chunks are only for showing. The terminal event alone carries
usage and says how the answer ended; a stream without it is a failure. Reasoning is kept as the whole finished item,
because `encrypted_content` is complete only there and must go back byte for byte.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from openclaw_tui.errors import OpenClawError
from openclaw_tui.messages import AssistantContent, StopReason, TextBlock, ThinkingBlock, ToolCallBlock, Usage
from openclaw_tui.providers.base import (
    BlockDone,
    StreamEnded,
    StreamEvent,
    StreamStarted,
    TextChunk,
    ThinkingChunk,
    ToolCallChunk,
)
from openclaw_tui.providers.failures import classify, transport_failure
from openclaw_tui.providers.openai_connection import error_in
from openclaw_tui.providers.openai_items import compact, keep_arguments, make_text_signature
from openclaw_tui.providers.wire_cache import parse_arguments

_KINDS = frozenset({"message", "reasoning", "function_call"})
_TEXT_DELTAS = frozenset({"response.output_text.delta", "response.refusal.delta"})
_THINKING_DELTAS = frozenset({"response.reasoning_summary_text.delta", "response.reasoning_text.delta"})
_TERMINAL = frozenset({"response.completed", "response.incomplete", "response.failed"})
_INCOMPLETE: Mapping[str, StopReason] = {"max_output_tokens": "length", "content_filter": "refusal"}


@dataclass(slots=True)
class _Slot:
    """One output item: our block index, what kind it is, and its text so far, for items that never get finished."""

    index: int
    kind: str
    item: Mapping[str, Any] = field(default_factory=dict)
    text: list[str] = field(default_factory=list)
    done: bool = False


class ResponsesStream:
    """The state of one answer."""

    def __init__(self, provider: str) -> None:
        self._provider = provider
        self._slots: dict[int, _Slot] = {}
        self._called = False
        self._refused = False

    def feed(self, frame: Mapping[str, Any]) -> Iterator[StreamEvent]:
        """Our events for one frame; `StreamEnded` for the terminal one. Raises for an error event."""
        kind = frame.get("type")
        if kind == "error" or ("error" in frame and not isinstance(kind, str)):
            raise self._error(frame)
        if kind == "response.created":
            response = _mapping(frame.get("response"))
            yield StreamStarted(_text(response.get("id")), _text(response.get("model")))
        elif kind in _TERMINAL:
            yield from self._end(str(kind), _mapping(frame.get("response")))
        elif isinstance(at := frame.get("output_index"), int):
            yield from self._item_event(str(kind), at, frame)

    def ended_early(self) -> OpenClawError:
        """The failure that a stream without terminal event is."""
        return transport_failure(self._provider, "the stream ended before the answer was complete")

    def _item_event(self, kind: str, at: int, frame: Mapping[str, Any]) -> Iterator[StreamEvent]:
        if kind == "response.output_item.added":
            yield from self._added(at, _mapping(frame.get("item")))
        elif kind == "response.output_item.done":
            yield from self._finished(at, _mapping(frame.get("item")))
        elif kind in _TEXT_DELTAS:
            yield from self._delta(at, "message", frame)
        elif kind in _THINKING_DELTAS:
            yield from self._delta(at, "reasoning", frame)
        elif kind == "response.function_call_arguments.delta":
            yield from self._delta(at, "function_call", frame)
        elif kind == "response.reasoning_summary_part.added" and self._slot(at, "reasoning").text:
            yield from self._delta(at, "reasoning", {"delta": "\n\n"})

    def _added(self, at: int, item: Mapping[str, Any]) -> Iterator[StreamEvent]:
        kind = _text(item.get("type"))
        if kind not in _KINDS:
            return
        slot = self._slot(at, kind)
        slot.item = item
        if kind == "function_call":
            yield ToolCallChunk(slot.index, _call_id(item), str(item.get("name", "")), "")

    def _delta(self, at: int, kind: str, frame: Mapping[str, Any]) -> Iterator[StreamEvent]:
        slot, text = self._slot(at, kind), str(frame.get("delta") or "")
        if slot.done or not text:
            return
        slot.text.append(text)
        if slot.kind == "function_call":
            yield ToolCallChunk(slot.index, _call_id(slot.item), str(slot.item.get("name", "")), text)
        elif slot.kind == "message":
            yield TextChunk(slot.index, text)
        else:
            yield ThinkingChunk(slot.index, text)

    def _finished(self, at: int, item: Mapping[str, Any]) -> Iterator[StreamEvent]:
        kind = _text(item.get("type"))
        if kind not in _KINDS or (slot := self._slot(at, kind)).done:
            return
        slot.done, slot.item = True, item
        yield BlockDone(slot.index, self._block(slot))

    def _slot(self, at: int, kind: str) -> _Slot:
        if at not in self._slots:
            self._slots[at] = _Slot(len(self._slots), kind)
        return self._slots[at]

    def _block(self, slot: _Slot) -> AssistantContent:
        item, streamed = slot.item, "".join(slot.text)
        if slot.kind == "reasoning":
            return ThinkingBlock(_reasoning_text(item) or streamed, compact(item) if slot.done else None)
        if slot.kind == "message":
            self._refused = self._refused or _has_refusal(item)
            signature = make_text_signature(str(item.get("id") or ""), _text(item.get("phase")))
            return TextBlock(_message_text(item) or streamed, signature)
        self._called = True
        raw = str(item.get("arguments") or streamed)
        arguments, invalid = parse_arguments(raw)
        return ToolCallBlock(
            id=_call_id(item),
            name=str(item.get("name", "")),
            arguments=arguments,
            thought_signature=None if invalid else keep_arguments(raw, arguments),
            invalid_arguments=invalid,
        )

    def _end(self, kind: str, response: Mapping[str, Any]) -> Iterator[StreamEvent]:
        if kind == "response.failed" or response.get("error"):
            raise self._error(response)
        output = response.get("output")
        for at, item in enumerate(output if isinstance(output, list) else ()):
            yield from self._finished(at, _mapping(item))
        for slot in self._slots.values():
            if not slot.done:
                yield BlockDone(slot.index, self._block(slot))
        reason = _text(_mapping(response.get("incomplete_details")).get("reason")) or ""
        yield StreamEnded(
            stop_reason=self._stop_reason(kind, reason),
            usage=usage_of(_mapping(response.get("usage"))),
            response_id=_text(response.get("id")),
            diagnostics=_mapping(response.get("prompt_cache_diagnostics")),
            dropped_thinking=_dropped(response.get("input_transformations")),
            detail=reason,
        )

    def _stop_reason(self, kind: str, reason: str) -> StopReason:
        if kind == "response.incomplete":
            if reason not in _INCOMPLETE:
                raise transport_failure(
                    self._provider, f"the answer was left incomplete ({reason or 'no reason given'})"
                )
            return _INCOMPLETE[reason]
        if self._called:
            return "tool_use"
        return "refusal" if self._refused else "stop"

    def _error(self, frame: Mapping[str, Any]) -> OpenClawError:
        """Both shapes of an error: fields beside `type: error`, or an `error` object."""
        if found := error_in(self._provider, frame):
            return found
        code = _text(frame.get("code"))
        message = _text(frame.get("message")) or "the answer failed"
        return classify(provider=self._provider, status=200, code=code, kind=None, message=message, details=dict(frame))


def usage_of(usage: Mapping[str, Any]) -> Usage:
    """Tokens by kind. The API's `input_tokens` includes those read from the cache and those written to it."""
    details = _mapping(usage.get("input_tokens_details"))
    total, read, written = (
        _count(usage.get("input_tokens")),
        _count(details.get("cached_tokens")),
        _count(details.get("cache_write_tokens")),
    )
    return Usage(
        input=max(0, total - read - written),
        output=_count(usage.get("output_tokens")),
        cache_read=read,
        cache_write=written,
        cache_write_long=_count(_mapping(details.get("cache_write_tokens_details")).get("ttl_12h_tokens")),
        reasoning=_count(_mapping(usage.get("output_tokens_details")).get("reasoning_tokens")),
        cache_reported="cached_tokens" in details,
    )


def _call_id(item: Mapping[str, Any]) -> str:
    """Both ids of a call in the family's form."""
    call, own = str(item.get("call_id") or ""), str(item.get("id") or "")
    return f"{call}|{own}" if own else call


def _reasoning_text(item: Mapping[str, Any]) -> str:
    return "\n\n".join(_texts(item.get("summary"), "text")) or "".join(_texts(item.get("content"), "text"))


def _message_text(item: Mapping[str, Any]) -> str:
    return "".join((*_texts(item.get("content"), "text"), *_texts(item.get("content"), "refusal")))


def _has_refusal(item: Mapping[str, Any]) -> bool:
    return bool(_texts(item.get("content"), "refusal"))


def _texts(parts: Any, key: str) -> list[str]:
    found = [_mapping(part).get(key) for part in parts] if isinstance(parts, list) else []
    return [text for text in found if isinstance(text, str) and text]


def _dropped(transformations: Any) -> int:
    rows = transformations if isinstance(transformations, list) else []
    return sum(_mapping(row).get("action") == "removed" for row in rows)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
