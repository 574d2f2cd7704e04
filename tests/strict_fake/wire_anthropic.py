"""How the Messages API answers: content blocks, stop reasons, usage, and the event stream with its names."""

from tests.strict_fake import models_today, seals
from tests.strict_fake.answers import Answer, Frame, pieces, sse, thinks
from tests.strict_fake.exchange import Exchange
from tests.strict_fake.refusal import Json

_STOPS = {
    "end": "end_turn",
    "tools": "tool_use",
    "length": "max_tokens",
    "refusal": "refusal",
    "pause": "pause_turn",
    "filter": "refusal",
}
_STARTS: dict[str, Json] = {
    "text": {"type": "text", "text": ""},
    "thinking": {"type": "thinking", "thinking": "", "signature": ""},
}


class AnthropicWire:
    """One answer; `whole` and `frames` say the same."""

    def __init__(self, exchange: Exchange, answer: Answer) -> None:
        self.exchange, self.answer = exchange, answer
        self.family = models_today.bound_family(exchange.model)
        self.compacting = isinstance(exchange.body.get("compaction"), dict)
        self.blocks = self._blocks()

    def whole(self) -> Json:
        return self._message(self.blocks, self._stop(), self._usage())

    def frames(self) -> list[Frame]:
        first = dict(self._usage(), output_tokens=1)
        out = [_frame("message_start", "other", message=self._message([], None, first)), _frame("ping", "other")]
        for i, block in enumerate(self.blocks):
            out += self._block_frames(i, block)
        delta: Json = {"stop_reason": self._stop(), "stop_sequence": None}
        if self._stop() == "refusal":
            delta["stop_details"] = {"type": "refusal", "category": None, "explanation": "The request was refused."}
        out.append(_frame("message_delta", "end", delta=delta, usage=self._usage()))
        out.append(_frame("message_stop", "end"))
        return out

    def _message(self, content: list[Json], stop: str | None, usage: Json) -> Json:
        message: Json = {
            "id": f"msg_{self.answer.uid}",
            "type": "message",
            "role": "assistant",
            "model": self.exchange.model,
            "content": content,
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": usage,
        }
        reports = models_today.BINDING_BETA in models_today.betas(self.exchange.headers)
        if self.family and reports and self.exchange.bound:
            message["input_transformations"] = self.exchange.bound.transformations()
        return message

    def _blocks(self) -> list[Json]:
        answer, bound = self.answer, self.exchange.bound
        if self.compacting and bound and not answer.calls:
            signature = bound.compaction_signature(answer.text)
            return [{"type": "compaction", "content": answer.text, "signature": signature}]
        out: list[Json] = []
        if answer.thinking:
            out.append(self._thinking_block())
        if answer.text:
            out.append({"type": "text", "text": answer.text})
        for i, call in enumerate(answer.calls):
            call_id = answer.call_id(call, i, "toolu_")
            if answer.thinking:
                self.exchange.memory.thought_calls.add(call_id)
            out.append({"type": "tool_use", "id": call_id, "name": call.name, "input": call.args})
        return out

    def _thinking_block(self) -> Json:
        """Models that always think keep their text to themselves unless `display` asks for it."""
        text, bound = self.answer.thinking, self.exchange.bound
        if not thinks(self.exchange) or bound is None:
            return {"type": "thinking", "thinking": text, "signature": seals.plain_signature(text)}
        display = (self.exchange.body.get("thinking") or {}).get("display")
        shown = text if display in ("summarized", "updates") else ""
        signature = bound.thinking_signature(shown, self.family or "")
        return {"type": "thinking", "thinking": shown, "signature": signature}

    def _block_frames(self, i: int, block: Json) -> list[Frame]:
        answer, kind = self.answer, block["type"]
        start: Json | None = _STARTS.get(kind)
        deltas: list[Json] = []
        if kind == "text":
            deltas = [{"type": "text_delta", "text": piece} for piece in pieces(block["text"], answer.chunk)]
        elif kind == "thinking":
            said = pieces(block["thinking"], answer.chunk)
            deltas = [{"type": "thinking_delta", "thinking": piece} for piece in said]
            deltas.append({"type": "signature_delta", "signature": block["signature"]})
        elif kind == "compaction":
            start = dict(block, content=None)
            deltas = [{"type": "compaction_delta", "content": block["content"], "encrypted_content": None}]
        else:
            start = dict(block, input={})
            arguments = answer.arguments(answer.calls[_call_index(self.blocks, i)])
            deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in ["", *pieces(arguments, 60)]]
        counted = answer.tokens_a_chunk if kind in ("text", "thinking") else 0
        return [
            _frame("content_block_start", "start", index=i, content_block=start),
            *(_frame("content_block_delta", "content", counted, index=i, delta=delta) for delta in deltas),
            _frame("content_block_stop", "stop", index=i),
        ]

    def _stop(self) -> str:
        if self.compacting and not self.answer.calls:
            return "compaction"
        if self.answer.stop == "window":
            known = models_today.is_known_claude(self.exchange.model)
            return "model_context_window_exceeded" if known else "max_tokens"
        return _STOPS.get(self.answer.stop, self.answer.stop)

    def _usage(self) -> Json:
        used = self.answer.usage
        if not self.answer.reports_usage:
            return {"input_tokens": 0, "output_tokens": 0}
        usage: Json = {
            "input_tokens": used["uncached"],
            "cache_creation_input_tokens": used["write"],
            "cache_read_input_tokens": used["read"],
            "cache_creation": {
                "ephemeral_5m_input_tokens": used.get("write_5m", used["write"]),
                "ephemeral_1h_input_tokens": used.get("write_1h", 0),
            },
            "output_tokens": used["output"],
            "service_tier": "standard",
        }
        if self.family:
            usage["output_tokens_details"] = {"thinking_tokens": used["thinking"]}
        return usage


def _call_index(blocks: list[Json], i: int) -> int:
    return sum(1 for block in blocks[:i] if block["type"] == "tool_use")


def _frame(event: str, kind: str, tokens: int = 0, **fields: object) -> Frame:
    return Frame(sse(event, {"type": event, **fields}), kind, tokens)
