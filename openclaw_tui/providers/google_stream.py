"""Chunks of Gemini's stream → plain stream events.

Pure: fed with chunks as plain dicts (snake case, signatures as bytes). A part's text may come in several chunks; a
thought signature ends the part it came with. Calls come whole. Invariant: only a finish reason makes an answer whole.
"""

import base64
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias
from uuid import uuid4

from openclaw_tui.constants import MAX_ERROR_MESSAGE_CHARS
from openclaw_tui.errors import InvalidRequest, ProviderUnavailable
from openclaw_tui.messages import StopReason, TextBlock, ThinkingBlock, ToolCallBlock, Usage
from openclaw_tui.providers.base import (
    BlockDone,
    StreamEnded,
    StreamEvent,
    StreamStarted,
    TextChunk,
    ThinkingChunk,
    ToolCallChunk,
)
from openclaw_tui.providers.wire_cache import encode_json

Chunk: TypeAlias = Mapping[str, Any]

_STOPS: Mapping[str, StopReason] = {"STOP": "stop", "MAX_TOKENS": "length", "CONTINUATION": "length"}
_REFUSALS = frozenset(
    {
        "SAFETY",
        "RECITATION",
        "LANGUAGE",
        "BLOCKLIST",
        "PROHIBITED_CONTENT",
        "SPII",
        "MODEL_ARMOR",
        "IMAGE_SAFETY",
        "IMAGE_PROHIBITED_CONTENT",
        "IMAGE_RECITATION",
        "ESCALATION",
    }
)
_FAULTS: Mapping[str, str] = {
    "MALFORMED_FUNCTION_CALL": "the model wrote a tool call that cannot be read",
    "UNEXPECTED_TOOL_CALL": "the model called a tool where none was offered",
    "TOO_MANY_TOOL_CALLS": "the model made too many tool calls in one answer",
    "MALFORMED_RESPONSE": "the model's answer cannot be read",
}


class GoogleStream:
    """One answer. `end()` is called when the chunks are over and says whether they made a whole."""

    def __init__(self, provider: str) -> None:
        self._provider = provider
        self._index = -1
        self._text: list[str] = []
        self._is_thought = False
        self._is_open = False
        self._response_id: str | None = None
        self._usage: Chunk = {}
        self._finish: str | None = None
        self._finish_text = ""
        self._blocked = ""
        self._started = self._has_calls = False

    def feed(self, chunk: Chunk) -> Iterator[StreamEvent]:
        """The plain events of one chunk; candidates, content and parts may be missing in it."""
        self._usage = chunk.get("usage_metadata") or self._usage
        self._response_id = chunk.get("response_id") or self._response_id
        if not self._started:
            self._started = True
            yield StreamStarted(self._response_id, chunk.get("model_version"))
        self._blocked = _plain((chunk.get("prompt_feedback") or {}).get("block_reason")) or self._blocked
        for candidate in (chunk.get("candidates") or ())[:1]:
            yield from self._parts((candidate.get("content") or {}).get("parts") or ())
            self._finish = _plain(candidate.get("finish_reason")) or self._finish
            self._finish_text = candidate.get("finish_message") or self._finish_text

    def end(self) -> Iterator[StreamEvent]:
        """Close the answer. Raises where it was cut, blocked by a fault of the model, or refused for its history."""
        yield from self._close()
        if self._finish is None and self._blocked:
            yield self._ended("refusal", f"The prompt was blocked ({self._blocked}).")
        elif self._finish is None:
            raise ProviderUnavailable(
                f"{self._provider}: the answer broke off before its end; it was not taken for a whole one"
            )
        elif self._finish in _REFUSALS:
            yield self._ended(
                "refusal", f"The provider stopped the answer ({self._finish}). {self._finish_text}".strip()
            )
        elif self._finish in _STOPS:
            reason = _STOPS[self._finish]
            yield self._ended("tool_use" if reason == "stop" and self._has_calls else reason)
        elif self._finish == "MISSING_THOUGHT_SIGNATURE":
            raise InvalidRequest(f"{self._provider}: a call in the history is missing a thought_signature.")
        else:
            what = _FAULTS.get(self._finish, f"the answer ended for an unknown reason ({self._finish})")
            text = self._finish_text[:MAX_ERROR_MESSAGE_CHARS]
            raise ProviderUnavailable(f"{self._provider}: {what}. {text}".rstrip(), code=self._finish)

    def _parts(self, parts: Iterable[Chunk]) -> Iterator[StreamEvent]:
        for part in parts:
            if call := part.get("function_call"):
                yield from self._call(call, _signature(part))
            elif part.get("text") is not None:
                yield from self._piece(part["text"], bool(part.get("thought")), _signature(part))
            elif signature := _signature(part):
                yield from self._piece("", self._is_thought, signature)

    def _piece(self, text: str, is_thought: bool, signature: str | None) -> Iterator[StreamEvent]:
        if not text and not signature:
            return
        if self._is_open and is_thought is not self._is_thought:
            yield from self._close()
        if not self._is_open:
            self._index += 1
            self._text, self._is_thought, self._is_open = [], is_thought, True
        if text:
            self._text.append(text)
            yield ThinkingChunk(self._index, text) if is_thought else TextChunk(self._index, text)
        if signature:
            yield from self._close(signature)

    def _close(self, signature: str | None = None) -> Iterator[StreamEvent]:
        if not self._is_open:
            return
        text, self._is_open = "".join(self._text), False
        yield BlockDone(
            self._index,
            ThinkingBlock(text, signature=signature) if self._is_thought else TextBlock(text, signature=signature),
        )

    def _call(self, call: Chunk, signature: str | None) -> Iterator[StreamEvent]:
        yield from self._close()
        self._index += 1
        self._has_calls = True
        block = ToolCallBlock(
            str(call.get("id") or f"call_{uuid4().hex[:24]}"),
            str(call.get("name") or ""),
            call.get("args") or {},
            thought_signature=signature,
        )
        yield ToolCallChunk(self._index, block.id, block.name, encode_json(block.arguments).decode("utf-8"))
        yield BlockDone(self._index, block)

    def _ended(self, reason: StopReason, detail: str = "") -> StreamEnded:
        return StreamEnded(reason, self._counted(), self._response_id, detail=detail)

    def _counted(self) -> Usage:
        """Gemini's prompt count includes what was cached, and leaves thoughts out of the candidates' count."""
        count = self._usage.get
        cached = count("cached_content_token_count") or 0
        thoughts = count("thoughts_token_count") or 0
        return Usage(
            input=max(0, (count("prompt_token_count") or 0) + (count("tool_use_prompt_token_count") or 0) - cached),
            output=(count("candidates_token_count") or 0) + thoughts,
            cache_read=cached,
            reasoning=thoughts,
        )


def _signature(part: Chunk) -> str | None:
    value = part.get("thought_signature")
    return base64.b64encode(value).decode("ascii") if isinstance(value, bytes) else value or None


def _plain(value: Any) -> str:
    """The wire name of an enumeration of the SDK, or of a plain string."""
    return str(getattr(value, "value", value) or "")
