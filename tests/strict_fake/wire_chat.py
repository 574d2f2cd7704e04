"""How Chat Completions answers, with the dialects and quirks of local servers."""

import time
from typing import Any

from tests.strict_fake import models_today
from tests.strict_fake.answers import Answer, Frame, pieces, sse
from tests.strict_fake.exchange import Exchange
from tests.strict_fake.refusal import Json
from tests.strict_fake.script import Call

_STOPS = {
    "end": "stop",
    "tools": "tool_calls",
    "length": "length",
    "window": "length",
    "refusal": "stop",
    "filter": "content_filter",
}
_REASONING_FIELD = {
    "openai": "",
    "ollama": "reasoning",
    "llamacpp": "reasoning_content",
    "lmstudio": "reasoning_content",
    "vllm": "reasoning",
}
QUIRKS = ("no_id", "index_zero", "args_object", "one_chunk", "stop_with_calls")


class ChatWire:
    """One answer; `whole` and `frames` say the same."""

    def __init__(self, exchange: Exchange, answer: Answer, dialect: str, quirks: frozenset[str]) -> None:
        self.exchange, self.answer, self.dialect, self.quirks = exchange, answer, dialect, quirks
        self.reasoning = _REASONING_FIELD[dialect]
        self.created = int(time.time())

    def whole(self) -> Json:
        answer = self.answer
        message: Json = {"role": "assistant", "content": answer.text or None, "refusal": None}
        if answer.stop == "refusal":
            message.update(content=None, refusal=answer.text)
        if self.reasoning and answer.thinking:
            message[self.reasoning] = answer.thinking
        if answer.calls:
            message["tool_calls"] = [self._call(i, call) for i, call in enumerate(answer.calls)]
        choice = {"index": 0, "message": message, "finish_reason": self._stop(), "logprobs": None}
        return self._envelope("chat.completion", [choice], self._usage())

    def frames(self) -> list[Frame]:
        answer = self.answer
        out = [self._chunk({"role": "assistant", "content": ""}, "start")]
        if self.reasoning:
            for piece in pieces(answer.thinking, answer.chunk):
                out.append(self._chunk({self.reasoning: piece}, "content", answer.tokens_a_chunk))
        field = "refusal" if answer.stop == "refusal" else "content"
        for piece in pieces(answer.text, answer.chunk):
            out.append(self._chunk({field: piece}, "content", answer.tokens_a_chunk))
        for i, call in enumerate(answer.calls):
            out += self._call_frames(i, call)
        final = self._envelope("chat.completion.chunk", [{"index": 0, "delta": {}, "finish_reason": self._stop()}])
        if self.dialect == "llamacpp":
            final["timings"] = self._timings()
        out.append(Frame(sse(None, final), "end"))
        asked = (self.exchange.body.get("stream_options") or {}).get("include_usage")
        if asked and answer.reports_usage:
            out.append(Frame(sse(None, self._envelope("chat.completion.chunk", [], self._usage())), "end"))
        out.append(Frame(b"data: [DONE]\n\n", "end"))
        return out

    def _envelope(self, kind: str, choices: list[Json], usage: Json | None = None) -> Json:
        envelope: Json = {
            "id": f"chatcmpl-{self.answer.uid}",
            "object": kind,
            "created": self.created,
            "model": self.exchange.model,
            "choices": choices,
        }
        if usage is not None:
            envelope["usage"] = usage
        return envelope

    def _chunk(self, delta: Json, kind: str, tokens: int = 0) -> Frame:
        choice = {"index": 0, "delta": delta, "finish_reason": None}
        return Frame(sse(None, self._envelope("chat.completion.chunk", [choice])), kind, tokens)

    def _call(self, i: int, call: Call) -> Json:
        made: Json = {"id": self.answer.call_id(call, i, "call_"), "type": "function"}
        if "no_id" in self.quirks:
            del made["id"]
        arguments: Any = self.answer.arguments(call)
        if "args_object" in self.quirks and isinstance(call.args, dict):
            arguments = call.args
        made["function"] = {"name": call.name, "arguments": arguments}
        return made

    def _call_frames(self, i: int, call: Call) -> list[Frame]:
        index = 0 if "index_zero" in self.quirks else i
        made = self._call(i, call)
        arguments = made["function"]["arguments"]
        if "one_chunk" in self.quirks or not isinstance(arguments, str):
            return [self._chunk({"tool_calls": [{"index": index, **made}]}, "content")]
        first = {"index": index, **made, "function": {"name": call.name, "arguments": ""}}
        return [
            self._chunk({"tool_calls": [first]}, "start"),
            *(
                self._chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]}, "content")
                for piece in pieces(arguments, 60)
            ),
        ]

    def _stop(self) -> str:
        if "stop_with_calls" in self.quirks and self.answer.calls:
            return "stop"
        return _STOPS.get(self.answer.stop, self.answer.stop)

    def _usage(self) -> Json | None:
        used = self.answer.usage
        if not self.answer.reports_usage:
            return None
        usage: Json = {
            "prompt_tokens": used["total"],
            "completion_tokens": used["output"],
            "total_tokens": used["total"] + used["output"],
        }
        if self.dialect == "openai":
            details: Json = {"cached_tokens": used["read"], "audio_tokens": 0}
            if models_today.caches_at_breakpoints(self.exchange.model):
                details["cache_write_tokens"] = used["write"]
            usage["prompt_tokens_details"] = details
            usage["completion_tokens_details"] = {"reasoning_tokens": used["thinking"]}
        elif self.dialect in ("llamacpp", "ollama"):
            usage["prompt_tokens_details"] = {"cached_tokens": used["read"]}
        elif self.dialect == "vllm":
            usage["prompt_tokens_details"] = None
        return usage

    def _timings(self) -> Json:
        used = self.answer.usage
        return {
            "cache_n": used["read"],
            "prompt_n": used["total"] - used["read"],
            "prompt_ms": 1.0,
            "predicted_n": used["output"],
            "predicted_ms": 1.0,
        }
