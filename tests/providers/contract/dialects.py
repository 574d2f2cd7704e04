"""How each API writes the same answer on the wire. One class an API; `apis.py` lists them."""

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Protocol

from openclaw_tui.models import ModelInfo
from tests.providers.contract.canned import Answer


@dataclass(frozen=True)
class Text:
    text: str


@dataclass(frozen=True)
class Thought:
    """Reasoning with its opaque signature (base64, so that every API can carry it)."""

    text: str
    signature: str = base64.b64encode(b"signed").decode()


@dataclass(frozen=True)
class Call:
    id: str
    name: str
    arguments: str
    """JSON text, split over several deltas where the API does that."""


Part = Text | Thought | Call


class Dialect(Protocol):
    """What the contract needs to know of an API. `whole` frames end with the terminal event(s)."""

    model: ModelInfo
    totals: Mapping[str, int]
    """What `Usage` must say for the figures that every rendered answer carries."""

    def base_url(self, server: str) -> str: ...
    def frames(self, parts: Sequence[Part], stop: str = "end") -> list[bytes]: ...
    def mid_error(self) -> bytes: ...
    def refusal(self, status: int, message: str, headers: dict[str, str] | None = None) -> Answer: ...
    def overflow(self) -> str: ...

    def call_id(self, call: Call) -> str:
        """The id that the call has in our form."""
        return call.id

    def signature(self, thought: Thought) -> str:
        """What must travel back with the thought."""
        return thought.signature


def event(kind: str | None, data: Any) -> bytes:
    name = f"event: {kind}\n" if kind else ""
    return f"{name}data: {json.dumps(data)}\n\n".encode()


class Anthropic(Dialect):
    model = ModelInfo(
        "anthropic",
        "claude-test",
        "anthropic",
        context_window=200_000,
        max_output=64_000,
        thinking="adaptive",
        images=True,
        cache_breakpoints=True,
    )
    totals: Mapping[str, int] = MappingProxyType(
        {"input": 3, "output": 9, "cache_read": 7, "cache_write": 109_075, "cache_write_long": 75, "reasoning": 2}
    )

    def base_url(self, server: str) -> str:
        return server

    def frames(self, parts: Sequence[Part], stop: str = "end") -> list[bytes]:
        usage = {
            "input_tokens": 3,
            "cache_read_input_tokens": 7,
            "cache_creation_input_tokens": 109_075,
            "cache_creation": {"ephemeral_5m_input_tokens": 109_000, "ephemeral_1h_input_tokens": 75},
            "output_tokens": 1,
        }
        message = {"id": "msg_1", "type": "message", "role": "assistant", "content": [], "model": "m", "usage": usage}
        frames = [event("message_start", {"type": "message_start", "message": message})]
        for index, part in enumerate(parts):
            frames += self._block(index, part)
        calls = any(isinstance(part, Call) for part in parts)
        reason = {"end": "tool_use" if calls else "end_turn", "length": "max_tokens", "refusal": "refusal"}[stop]
        end = {"output_tokens": 9, "output_tokens_details": {"thinking_tokens": 2}}
        frames.append(
            event("message_delta", {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": end})
            + event("message_stop", {"type": "message_stop"})
        )
        return frames

    def _block(self, index: int, part: Part) -> list[bytes]:
        match part:
            case Text(text=text):
                start: dict[str, Any] = {"type": "text", "text": ""}
                deltas = [{"type": "text_delta", "text": piece} for piece in halves(text)]
            case Thought(text=text, signature=signature):
                start = {"type": "thinking", "thinking": "", "signature": ""}
                deltas = [{"type": "thinking_delta", "thinking": piece} for piece in halves(text)]
                deltas.append({"type": "signature_delta", "signature": signature})
            case Call():
                start = {"type": "tool_use", "id": part.id, "name": part.name, "input": {}}
                deltas = [
                    {"type": "input_json_delta", "partial_json": piece} for piece in ["", *halves(part.arguments)]
                ]
        where = {"index": index}
        return [
            event("content_block_start", {"type": "content_block_start", **where, "content_block": start}),
            *(event("content_block_delta", {"type": "content_block_delta", **where, "delta": d}) for d in deltas),
            event("content_block_stop", {"type": "content_block_stop", **where}),
        ]

    def mid_error(self) -> bytes:
        error = {"type": "overloaded_error", "message": "Overloaded"}
        return event("error", {"type": "error", "error": error})

    def refusal(self, status: int, message: str, headers: dict[str, str] | None = None) -> Answer:
        kinds = {429: "rate_limit_error", 529: "overloaded_error", 401: "authentication_error", 404: "not_found_error"}
        error = {"type": kinds.get(status, "invalid_request_error"), "message": message}
        body = json.dumps({"type": "error", "error": error}).encode()
        return Answer((body,), status, "application/json", headers or {})

    def overflow(self) -> str:
        return "prompt is too long: 208310 tokens > 200000 maximum"


class Google(Dialect):
    model = ModelInfo(
        "google",
        "gemini-4-argon",
        "google",
        context_window=1_048_576,
        max_output=65_536,
        thinking="level",
        thinking_levels=("minimal", "low", "medium", "high"),
        images=True,
    )
    totals: Mapping[str, int] = MappingProxyType(
        {
            "input": 1_438,
            "output": 9,
            "cache_read": 24_540,
            "cache_write": 0,
            "cache_write_long": 0,
            "reasoning": 2,
        }
    )

    def base_url(self, server: str) -> str:
        return server

    def frames(self, parts: Sequence[Part], stop: str = "end") -> list[bytes]:
        frames = []
        for part in parts:
            frames += [self._chunk({"content": {"role": "model", "parts": [piece]}}) for piece in self._pieces(part)]
        reason = {"end": "STOP", "length": "MAX_TOKENS", "refusal": "SAFETY"}[stop]
        frames.append(self._chunk({"content": {"role": "model", "parts": [{"text": ""}]}, "finishReason": reason}))
        return frames

    def _pieces(self, part: Part) -> list[dict[str, Any]]:
        match part:
            case Text(text=text):
                return [{"text": piece} for piece in halves(text)]
            case Thought(text=text, signature=signature):
                first, second = halves(text)
                return [
                    {"text": first, "thought": True},
                    {"text": second, "thought": True, "thoughtSignature": signature},
                ]
            case Call():
                return [
                    {"functionCall": {"id": part.id, "name": part.name, "args": json.loads(part.arguments or "{}")}}
                ]

    def _chunk(self, candidate: dict[str, Any]) -> bytes:
        usage = {
            "promptTokenCount": 25_978,
            "cachedContentTokenCount": 24_540,
            "candidatesTokenCount": 7,
            "thoughtsTokenCount": 2,
        }
        chunk = {"candidates": [{**candidate, "index": 0}], "usageMetadata": usage, "responseId": "r_1"}
        return b"data: " + json.dumps(chunk).encode() + b"\r\n\r\n"

    def mid_error(self) -> bytes:
        return b'data: {"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}}\r\n\r\n'

    def refusal(self, status: int, message: str, headers: dict[str, str] | None = None) -> Answer:
        kinds = {429: "RESOURCE_EXHAUSTED", 529: "UNAVAILABLE", 401: "UNAUTHENTICATED", 404: "NOT_FOUND"}
        error = {"code": status, "message": message, "status": kinds.get(status, "INVALID_ARGUMENT")}
        return Answer((json.dumps({"error": error}).encode(),), status, "application/json", headers or {})

    def overflow(self) -> str:
        return "The input token count (208310) exceeds the maximum number of tokens allowed (200000)."


def halves(text: str) -> tuple[str, str]:
    return text[: len(text) // 2], text[len(text) // 2 :]
