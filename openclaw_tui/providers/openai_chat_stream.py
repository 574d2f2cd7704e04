"""Frames of a Chat Completions stream → events of ours. Pure: feed frames, then ask for the end.

The answer is whole once a finish reason or `[DONE]` came; usage may follow the one and precede the other. Errors come
as an `error` object in any frame. Text and reasoning are blocks in the order they arrive; calls are closed at the end,
because only the end tells that no fragment follows.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Literal, TypeAlias

from openclaw_tui.errors import OpenClawError
from openclaw_tui.messages import AssistantContent, StopReason, TextBlock, ThinkingBlock, Usage
from openclaw_tui.providers.base import (
    BlockDone,
    StreamEnded,
    StreamEvent,
    StreamStarted,
    TextChunk,
    ThinkingChunk,
    ToolCallChunk,
)
from openclaw_tui.providers.failures import transport_failure
from openclaw_tui.providers.openai_chat_calls import CallCollector
from openclaw_tui.providers.openai_chat_request import REASONING_FIELDS
from openclaw_tui.providers.openai_connection import DONE, error_in

_Kind: TypeAlias = Literal["text", "thinking"]

_STOP: Mapping[str, StopReason] = {"length": "length", "max_tokens": "length", "content_filter": "refusal"}
_FAILED = frozenset({"error", "network_error"})


class ChatStream:
    """The state of one answer."""

    def __init__(self, provider: str) -> None:
        self._provider = provider
        self._started = False
        self._next = 0
        self._open: tuple[int, _Kind] | None = None
        self._pieces: list[str] = []
        self._reasoning_field: str | None = None
        self._calls = CallCollector()
        self._finish: str | None = None
        self._done = False
        self._refused = False
        self._response_id: str | None = None
        self._usage: Mapping[str, Any] = {}
        self._timings: Mapping[str, Any] = {}

    @property
    def is_whole(self) -> bool:
        """Whether the server said that the answer has ended."""
        return self._done or self._finish is not None

    @property
    def is_empty(self) -> bool:
        """Whether nothing of an answer came: no text, no reasoning, no call."""
        return self._next == 0

    @property
    def finish_reason(self) -> str | None:
        return self._finish

    @property
    def usage(self) -> Usage:
        return usage_of(self._usage, self._timings)

    def feed(self, frame: Mapping[str, Any]) -> Iterator[StreamEvent]:
        """Our events for one frame. Raises for an error in it."""
        if frame is DONE:
            self._done = True
            return
        if failure := self._failure(frame):
            raise failure
        if not self._started:
            self._started = True
            self._response_id = _text(frame.get("id"))
            yield StreamStarted(self._response_id, _text(frame.get("model")))
        self._note_usage(frame)
        choices = frame.get("choices")
        if isinstance(choices, list) and choices:
            yield from self._choice(_mapping(choices[0]))

    def end(self, *, detail: str = "", diagnostics: Mapping[str, Any] | None = None) -> Iterator[StreamEvent]:
        """The blocks still open and the closing event. Raises if the answer never ended."""
        if not self.is_whole:
            raise transport_failure(self._provider, "the stream ended before the answer was complete")
        if self._finish in _FAILED:
            raise transport_failure(self._provider, f"the server gave the answer up ({self._finish})")
        yield from self._close()
        for call in self._calls.calls:
            yield BlockDone(call.index, call.block())
        yield StreamEnded(
            stop_reason=self._stop_reason(),
            usage=self.usage,
            response_id=self._response_id,
            diagnostics=diagnostics or {},
            detail=detail,
        )

    def _choice(self, choice: Mapping[str, Any]) -> Iterator[StreamEvent]:
        delta = _mapping(choice.get("delta"))
        for name in REASONING_FIELDS:
            if text := _text(delta.get(name)):
                self._reasoning_field = self._reasoning_field or name
                yield from self._text("thinking", text)
                break
        if text := _content_text(delta.get("content")):
            yield from self._text("text", text)
        if refusal := _text(delta.get("refusal")):
            self._refused = True
            yield from self._text("text", refusal)
        fragments = delta.get("tool_calls")
        for fragment in fragments if isinstance(fragments, list) else ():
            yield from self._call(_mapping(fragment))
        if finish := _text(choice.get("finish_reason")):
            self._finish = finish
        self._usage = _mapping(choice.get("usage")) or self._usage

    def _text(self, kind: _Kind, text: str) -> Iterator[StreamEvent]:
        if self._open is None or self._open[1] != kind:
            yield from self._close()
            self._open = (self._take_index(), kind)
        self._pieces.append(text)
        index = self._open[0]
        yield TextChunk(index, text) if kind == "text" else ThinkingChunk(index, text)

    def _call(self, fragment: Mapping[str, Any]) -> Iterator[StreamEvent]:
        yield from self._close()
        call, piece = self._calls.add(fragment, self._take_index)
        yield ToolCallChunk(call.index, call.id, call.name, piece)

    def _close(self) -> Iterator[StreamEvent]:
        """Finish the open block of text or reasoning."""
        if self._open is None:
            return
        (index, kind), text = self._open, "".join(self._pieces)
        self._open, self._pieces = None, []
        block: AssistantContent = TextBlock(text) if kind == "text" else ThinkingBlock(text, self._reasoning_field)
        yield BlockDone(index, block)

    def _take_index(self) -> int:
        self._next += 1
        return self._next - 1

    def _stop_reason(self) -> StopReason:
        """A call counts whatever the server calls the end; a cut answer stays a cut answer."""
        if cut := _STOP.get(self._finish or ""):
            return cut
        if self._calls.calls:
            return "tool_use"
        return "refusal" if self._refused else "stop"

    def _note_usage(self, frame: Mapping[str, Any]) -> None:
        self._usage = _mapping(frame.get("usage")) or self._usage
        self._timings = _mapping(frame.get("timings")) or self._timings

    def _failure(self, frame: Mapping[str, Any]) -> OpenClawError | None:
        if found := error_in(self._provider, frame):
            return found
        bare = "choices" not in frame and isinstance(frame.get("message"), str)
        return error_in(self._provider, {"error": dict(frame)}) if bare else None


def usage_of(usage: Mapping[str, Any], timings: Mapping[str, Any]) -> Usage:
    """Tokens by kind. `prompt_tokens` includes cached ones; llama.cpp's timings tell them where usage does not."""
    details = _mapping(usage.get("prompt_tokens_details"))
    told = (details.get("cached_tokens"), usage.get("prompt_cache_hit_tokens"), timings.get("cache_n"))
    read = next((_count(value) for value in told if value is not None), None)
    written = _count(details.get("cache_write_tokens"))
    total = _count(usage.get("prompt_tokens")) or _count(timings.get("prompt_n")) + (read or 0)
    return Usage(
        input=max(0, total - (read or 0) - written),
        output=_count(usage.get("completion_tokens")) or _count(timings.get("predicted_n")),
        cache_read=read or 0,
        cache_write=written,
        reasoning=_count(_mapping(usage.get("completion_tokens_details")).get("reasoning_tokens")),
        cache_reported=read is not None,
    )


def _content_text(content: Any) -> str:
    """Text of a delta; a few servers send a list of parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "".join(_text(_mapping(part).get("text")) or "" for part in parts)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _count(value: Any) -> int:
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) and value > 0 else 0
