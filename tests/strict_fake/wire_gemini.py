"""How Gemini answers: parts with thought signatures, cumulative usage in every frame, frames that end in CRLF CRLF."""

from tests.strict_fake import models_today
from tests.strict_fake.answers import Answer, Frame, pieces, sse
from tests.strict_fake.exchange import Exchange
from tests.strict_fake.refusal import Json
from tests.strict_fake.rules_gemini import call_signature

FRAME_END = "\r\n\r\n"
_STOPS = {
    "end": "STOP",
    "tools": "STOP",
    "length": "MAX_TOKENS",
    "window": "MAX_TOKENS",
    "refusal": "PROHIBITED_CONTENT",
    "filter": "SAFETY",
}


class GeminiWire:
    """One answer; `whole` and `frames` say the same."""

    def __init__(self, exchange: Exchange, answer: Answer) -> None:
        self.exchange, self.answer = exchange, answer
        self.parts = self._parts()

    def whole(self) -> Json:
        return self._chunk(self.parts, self._stop())

    def frames(self) -> list[Frame]:
        answer, out = self.answer, []
        for part in self.parts:
            if "text" not in part:
                out.append(self._frame([part], "content"))
                continue
            for piece in pieces(part["text"], answer.chunk):
                out.append(self._frame([dict(part, text=piece)], "content", tokens=answer.tokens_a_chunk))
        out.append(self._frame([{"text": ""}], "end", self._stop()))
        return out

    def _frame(self, parts: list[Json], kind: str, stop: str | None = None, tokens: int = 0) -> Frame:
        return Frame(sse(None, self._chunk(parts, stop), FRAME_END), kind, tokens)

    def _chunk(self, parts: list[Json], stop: str | None) -> Json:
        candidate: Json = {"content": {"parts": parts, "role": "model"}, "index": 0}
        if stop:
            candidate["finishReason"] = stop
        chunk: Json = {"candidates": [candidate], "modelVersion": self.exchange.model, "responseId": self.answer.uid}
        if self.answer.reports_usage:
            chunk["usageMetadata"] = self._usage()
        return chunk

    def _parts(self) -> list[Json]:
        answer, config = self.answer, self.exchange.body.get("generationConfig") or {}
        out: list[Json] = []
        if answer.thinking and (config.get("thinkingConfig") or {}).get("includeThoughts"):
            out.append({"text": answer.thinking, "thought": True})
        if answer.text:
            out.append({"text": answer.text})
        signs = models_today.gemini_signs(self.exchange.model)
        for i, call in enumerate([] if answer.bad_args else answer.calls):
            made: Json = {"name": call.name, "args": call.args}
            if call.id:
                made["id"] = call.id
            part: Json = {"functionCall": made}
            if i == 0:  # of parallel calls only the first is signed
                part["thoughtSignature"] = call_signature(made, answer.uid) if signs else "Q2hl" + answer.uid
            out.append(part)
        return out

    def _stop(self) -> str:
        if self.answer.bad_args:
            return "MALFORMED_FUNCTION_CALL"  # its calls come whole or not at all
        return _STOPS.get(self.answer.stop, self.answer.stop)

    def _usage(self) -> Json:
        used = self.answer.usage
        visible = max(0, used["output"] - used["thinking"])
        usage: Json = {
            "promptTokenCount": used["total"],
            "candidatesTokenCount": visible,
            "totalTokenCount": used["total"] + visible + used["thinking"],
        }
        if used["thinking"]:
            usage["thoughtsTokenCount"] = used["thinking"]
        if used["read"]:
            usage["cachedContentTokenCount"] = used["read"]
        return usage
