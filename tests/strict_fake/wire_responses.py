"""How the Responses API answers: output items, and the numbered event stream that ends with the whole response."""

import time
from typing import Any

from tests.strict_fake import models_today, seals
from tests.strict_fake.answers import Answer, Frame, pieces, sse
from tests.strict_fake.exchange import Exchange
from tests.strict_fake.refusal import Json

_INCOMPLETE = {"length": "max_output_tokens", "window": "max_output_tokens", "filter": "content_filter"}


class ResponsesWire:
    """One answer; `whole` and `frames` say the same."""

    def __init__(self, exchange: Exchange, answer: Answer) -> None:
        self.exchange, self.answer = exchange, answer
        self.created = int(time.time())
        self.reason = _INCOMPLETE.get(answer.stop)
        self.items = self._items()
        self._number = 0

    def whole(self) -> Json:
        status = "incomplete" if self.reason else "completed"
        return self._response(status, self.items, self._usage() if self.answer.reports_usage else None)

    def frames(self) -> list[Frame]:
        self._number = 0
        out = [self._event("response.created", response=self._response("in_progress", [], None))]
        out.append(self._event("response.in_progress", response=self._response("in_progress", [], None)))
        for i, item in enumerate(self.items):
            out += self._item_frames(i, item)
        whole = self.whole()
        out.append(self._event(f"response.{whole['status']}", "end", response=whole))
        return out

    def _response(self, status: str, output: list[Json], usage: Json | None) -> Json:
        response: Json = {
            "id": f"resp_{self.answer.uid}",
            "object": "response",
            "created_at": self.created,
            "status": status,
            "error": None,
            "incomplete_details": {"reason": self.reason} if status == "incomplete" else None,
            "instructions": None,
            "model": self.exchange.model,
            "output": output,
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
            "usage": usage,
        }
        if self.exchange.reasoning is not None:
            response["input_transformations"] = self.exchange.reasoning.removed
        return response

    # -------------------------------------------------------------- items

    def _items(self) -> list[Json]:
        answer, out = self.answer, []
        if answer.thinking:
            out.append(self._reasoning())
        if answer.text:
            out.append(self._message())
        for i, call in enumerate(answer.calls):
            call_id = answer.call_id(call, i, "call_")
            if call.kind == "local_shell":
                action = {"id": f"lsh_{answer.uid}{i}", "type": "local_shell_call", "call_id": call_id}
                out.append({**action, "status": "completed", "action": call.args})
                continue
            item_id = f"fc_{answer.uid}{i}"
            if answer.thinking and i == 0 and not answer.text:
                self.exchange.memory.reasoning_of[item_id] = f"rs_{answer.uid}"
            out.append(
                {
                    "id": item_id,
                    "type": "function_call",
                    "call_id": call_id,
                    "name": call.name,
                    "arguments": answer.arguments(call),
                    "status": "completed",
                }
            )
        return out

    def _message(self) -> Json:
        text = self.answer.text
        part: Json = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
        if self.answer.stop == "refusal":
            part = {"type": "refusal", "refusal": text}
        status = "incomplete" if self.reason else "completed"
        base = {"id": f"msg_{self.answer.uid}", "type": "message", "role": "assistant", "status": status}
        return {**base, "content": [part]}

    def _reasoning(self) -> Json:
        exchange, answer = self.exchange, self.answer
        item: Json = {"id": f"rs_{answer.uid}", "type": "reasoning"}
        silent = exchange.reasoning is not None and not (exchange.body.get("reasoning") or {}).get("summary")
        item["summary"] = [] if silent else [{"type": "summary_text", "text": answer.thinking}]
        asked = "reasoning.encrypted_content" in (exchange.body.get("include") or [])
        if exchange.reasoning is not None:
            item["encrypted_content"] = exchange.reasoning.encrypted()
        elif asked or models_today.gpt_version(exchange.model) >= (5, 6):
            item["encrypted_content"] = "gAAAAA" + seals.plain_signature(answer.thinking)
        if exchange.body.get("store") is False:
            exchange.memory.unstored_reasoning.add(item["id"])
        return item

    # -------------------------------------------------------------- events

    def _event(self, kind: str, role: str = "other", tokens: int = 0, **fields: Any) -> Frame:
        data = sse(kind, {"type": kind, "sequence_number": self._number, **fields})
        self._number += 1
        return Frame(data, role, tokens)

    def _item_frames(self, i: int, item: Json) -> list[Frame]:
        kind = item["type"]
        if kind == "message":
            out = self._message_frames(i, item)
        elif kind == "reasoning":
            out = self._reasoning_frames(i, item)
        elif kind == "function_call":
            out = self._call_frames(i, item)
        else:
            out = [self._event("response.output_item.added", "start", output_index=i, item=item)]
        return [*out, self._event("response.output_item.done", "stop", output_index=i, item=item)]

    def _message_frames(self, i: int, item: Json) -> list[Frame]:
        answer, part = self.answer, item["content"][0]
        at: Json = {"item_id": item["id"], "output_index": i, "content_index": 0}
        word, field = ("output_text", "text") if part["type"] == "output_text" else ("refusal", "refusal")
        extra: Json = {"logprobs": []} if word == "output_text" else {}
        added = {**item, "status": "in_progress", "content": []}
        out = [self._event("response.output_item.added", "start", output_index=i, item=added)]
        out.append(self._event("response.content_part.added", **at, part={**part, field: ""}))
        done: Json = {field: answer.text}
        for piece in pieces(answer.text, answer.chunk):
            out.append(
                self._event(f"response.{word}.delta", "content", answer.tokens_a_chunk, **at, delta=piece, **extra)
            )
        out.append(self._event(f"response.{word}.done", **at, **done, **extra))
        out.append(self._event("response.content_part.done", **at, part=part))
        return out

    def _reasoning_frames(self, i: int, item: Json) -> list[Frame]:
        answer = self.answer
        at: Json = {"item_id": item["id"], "output_index": i, "summary_index": 0}
        hidden = ("encrypted_content",) if self.exchange.reasoning is not None else ()
        added = {key: value for key, value in {**item, "summary": []}.items() if key not in hidden}
        out = [self._event("response.output_item.added", "start", output_index=i, item=added)]
        if not item["summary"]:
            return out
        word = "response.reasoning_summary_text"
        out.append(
            self._event("response.reasoning_summary_part.added", **at, part={"type": "summary_text", "text": ""})
        )
        for piece in pieces(answer.thinking, answer.chunk):
            out.append(self._event(f"{word}.delta", "content", answer.tokens_a_chunk, **at, delta=piece))
        out.append(self._event(f"{word}.done", **at, text=answer.thinking))
        out.append(self._event("response.reasoning_summary_part.done", **at, part=item["summary"][0]))
        return out

    def _call_frames(self, i: int, item: Json) -> list[Frame]:
        word = "response.function_call_arguments"
        added = {**item, "status": "in_progress", "arguments": ""}
        out = [self._event("response.output_item.added", "start", output_index=i, item=added)]
        for piece in pieces(item["arguments"], 60):
            out.append(self._event(f"{word}.delta", "content", item_id=item["id"], output_index=i, delta=piece))
        out.append(
            self._event(
                f"{word}.done", item_id=item["id"], output_index=i, name=item["name"], arguments=item["arguments"]
            )
        )
        return out

    def _usage(self) -> Json:
        used = self.answer.usage
        details: Json = {"cached_tokens": used["read"]}
        if models_today.caches_at_breakpoints(self.exchange.model):
            long = (self.exchange.body.get("prompt_cache_options") or {}).get("ttl") == "12h"
            details["cache_write_tokens"] = used["write"]
            details["cache_write_tokens_details"] = {
                "ttl_30m_tokens": 0 if long else used["write"],
                "ttl_12h_tokens": used["write"] if long else 0,
            }
        return {
            "input_tokens": used["total"],
            "input_tokens_details": details,
            "output_tokens": used["output"],
            "output_tokens_details": {"reasoning_tokens": used["thinking"]},
            "total_tokens": used["total"] + used["output"],
        }
