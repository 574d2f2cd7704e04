"""How the two OpenAI protocols write the contract's answers on the wire."""

import json
from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

from openclaw_tui.models import ModelInfo
from tests.providers.contract.canned import Answer
from tests.providers.contract.dialects import Call, Dialect, Part, Text, Thought, event, halves

_KINDS = {401: "invalid_request_error", 404: "invalid_request_error", 429: "requests", 529: "server_error"}
_CODES = {401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded", 529: "server_error"}


class _OpenAI(Dialect):
    def base_url(self, server: str) -> str:
        return f"{server}/v1"

    def refusal(self, status: int, message: str, headers: dict[str, str] | None = None) -> Answer:
        kind, code = _KINDS.get(status, "invalid_request_error"), _CODES.get(status)
        body = json.dumps({"error": {"message": message, "type": kind, "param": None, "code": code}}).encode()
        return Answer((body,), status, "application/json", headers or {})


class OpenAIResponses(_OpenAI):
    model = ModelInfo(
        "openai",
        "gpt-6.2-sol",
        "openai-responses",
        context_window=1_050_000,
        max_output=128_000,
        thinking="effort",
        thinking_levels=("low", "medium", "high"),
        images=True,
        cache_breakpoints=True,
    )
    totals = MappingProxyType(
        {
            "input": 200,
            "output": 9,
            "cache_read": 500,
            "cache_write": 300,
            "cache_write_long": 200,
            "reasoning": 2,
        }
    )

    def call_id(self, call: Call) -> str:
        return f"{call.id}|fc_{call.id}"

    def signature(self, thought: Thought) -> str:
        return json.dumps(self._reasoning(0, thought), ensure_ascii=False, separators=(",", ":"))

    def frames(self, parts: Sequence[Part], stop: str = "end") -> list[bytes]:
        frames = [self._event("response.created", response={"id": "resp_1", "model": "m", "status": "in_progress"})]
        for index, part in enumerate(parts):
            frames += self._item(index, part, refused=stop == "refusal")
        details = {
            "cached_tokens": 500,
            "cache_write_tokens": 300,
            "cache_write_tokens_details": {"ttl_30m_tokens": 100, "ttl_12h_tokens": 200},
        }
        usage = {
            "input_tokens": 1_000,
            "input_tokens_details": details,
            "output_tokens": 9,
            "output_tokens_details": {"reasoning_tokens": 2},
        }
        response: dict[str, Any] = {"id": "resp_1", "error": None, "incomplete_details": None, "usage": usage}
        if stop == "length":
            response["incomplete_details"] = {"reason": "max_output_tokens"}
        kind = "response.incomplete" if stop == "length" else "response.completed"
        return [*frames, self._event(kind, response=response)]

    def _item(self, index: int, part: Part, *, refused: bool) -> list[bytes]:
        match part:
            case Text(text=text):
                kind = "refusal" if refused else "output_text"
                content = {"type": kind, "refusal" if refused else "text": text}
                item: dict[str, Any] = {"id": "", "type": "message", "role": "assistant", "content": [content]}
                empty, deltas = {**item, "content": []}, halves(text)
                delta = f"response.{kind}.delta"
            case Thought(text=text):
                item = self._reasoning(index, part)
                empty, deltas = {**item, "summary": [], "encrypted_content": "half"}, halves(text)
                delta = "response.reasoning_summary_text.delta"
            case Call():
                item = {"id": f"fc_{part.id}", "type": "function_call", "call_id": part.id, "name": part.name}
                item["arguments"] = part.arguments
                empty, deltas = {**item, "arguments": ""}, halves(part.arguments)
                delta = "response.function_call_arguments.delta"
        return [
            self._event("response.output_item.added", output_index=index, item=empty),
            *(self._event(delta, output_index=index, delta=piece) for piece in deltas),
            self._event("response.output_item.done", output_index=index, item=item),
        ]

    def _reasoning(self, index: int, thought: Thought) -> dict[str, Any]:
        return {
            "id": f"rs_{index}",
            "type": "reasoning",
            "summary": [{"type": "summary_text", "text": thought.text}],
            "encrypted_content": thought.signature,
        }

    def _event(self, kind: str, **fields: Any) -> bytes:
        return event(kind, {"type": kind, **fields})

    def mid_error(self) -> bytes:
        return self._event("error", code="server_error", message="The server had an error.", param=None)

    def overflow(self) -> str:
        return "Your input exceeds the context window of this model. Please adjust your input and try again."


class OpenAIChat(_OpenAI):
    model = ModelInfo("gate", "model-1", "openai-chat", context_window=128_000, max_output=16_000, images=True)
    totals = MappingProxyType(
        {
            "input": 500,
            "output": 9,
            "cache_read": 500,
            "cache_write": 0,
            "cache_write_long": 0,
            "reasoning": 2,
        }
    )

    def signature(self, thought: Thought) -> str:
        return "reasoning_content"

    def frames(self, parts: Sequence[Part], stop: str = "end") -> list[bytes]:
        frames = [self._chunk({"role": "assistant", "content": ""})]
        calls = 0
        for part in parts:
            match part:
                case Text(text=text):
                    frames += [self._chunk({"content": piece}) for piece in halves(text)]
                case Thought(text=text):
                    frames += [self._chunk({"reasoning_content": piece}) for piece in halves(text)]
                case Call():
                    frames += self._call(calls, part)
                    calls += 1
        reason = {"end": "tool_calls" if calls else "stop", "length": "length", "refusal": "content_filter"}[stop]
        usage = {
            "prompt_tokens": 1_000,
            "completion_tokens": 9,
            "prompt_tokens_details": {"cached_tokens": 500},
            "completion_tokens_details": {"reasoning_tokens": 2},
        }
        last = event(None, {"id": "chatcmpl-1", "choices": [], "usage": usage}) + b"data: [DONE]\n\n"
        return [*frames, self._chunk({}, reason) + last]

    def _call(self, index: int, call: Call) -> list[bytes]:
        first = {"index": index, "id": call.id, "type": "function", "function": {"name": call.name, "arguments": ""}}
        rest = [{"index": index, "function": {"arguments": piece}} for piece in halves(call.arguments)]
        return [self._chunk({"tool_calls": [fragment]}) for fragment in (first, *rest)]

    def _chunk(self, delta: dict[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return event(None, {"id": "chatcmpl-1", "model": "model-1", "choices": [choice]})

    def mid_error(self) -> bytes:
        return event(None, {"error": {"message": "overloaded", "type": "server_error", "code": 503}})

    def overflow(self) -> str:
        return "This model's maximum context length is 200000 tokens. However, your messages resulted in 208310 tokens."
