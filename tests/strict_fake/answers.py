"""From a reply to an answer: what of its thinking is shown, where the output is cut, and what it counts."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.strict_fake import models_today
from tests.strict_fake.exchange import Exchange
from tests.strict_fake.script import Call, Reply
from tests.strict_fake.segments import Estimator, dumps

_ALWAYS_SAID = "Considering what to do next."
_SMALL_CHUNK, _BIG_CHUNK = 20, 400
_TOKENS_A_SMALL_CHUNK = 5


@dataclass
class Answer:
    """What a wire sends. `stop` is a neutral or native word; `usage` has total / read / write / output / thinking."""

    text: str
    thinking: str
    calls: list[Call]
    stop: str
    usage: dict[str, int]
    reports_usage: bool = True
    tps: float = 0.0
    chunk: int = _BIG_CHUNK
    bad_args: bool = False
    uid: str = field(default_factory=lambda: uuid.uuid4().hex[:22])

    @property
    def tokens_a_chunk(self) -> int:
        return _TOKENS_A_SMALL_CHUNK if self.tps else 0

    def arguments(self, call: Call) -> str:
        text = call.args if isinstance(call.args, str) else dumps_text(call.args)
        return text[:-2] if self.bad_args else text

    def call_id(self, call: Call, i: int, prefix: str) -> str:
        return call.id or f"{prefix}{self.uid}{i}"


@dataclass(frozen=True)
class Frame:
    """A piece of a stream. kind: start, content, stop, end (the terminal events), other."""

    data: bytes
    kind: str = "other"
    tokens: int = 0


def dumps_text(value: object) -> str:
    return dumps(value).decode("utf-8", "surrogatepass")


def sse(event: str | None, data: object, end: str = "\n\n") -> bytes:
    head = f"event: {event}\n" if event else ""
    return f"{head}data: {dumps_text(data)}{end}".encode("utf-8", "surrogatepass")


def pieces(text: str, size: int) -> list[str]:
    return [text[i : i + size] for i in range(0, len(text), size)]


def make_answer(
    exchange: Exchange, reply: Reply, used: Mapping[str, int], estimate: Estimator, room: int, own: int
) -> Answer:
    """`room`: output tokens that the window leaves; `own`: those that the request asks for at most."""
    thinking = _thinking(exchange, reply)
    text, stop = reply.text, reply.stop or ("tools" if reply.calls else "end")
    limit = max(1, min(room, own))
    if estimate.text(text) > limit:
        text = text.encode("utf-8", "surrogatepass")[: int(limit * estimate.bytes_per_token)].decode("utf-8", "ignore")
        stop = "window" if room < own else "length"
    calls = [call for call in reply.calls if isinstance(call, Call)]
    usage = dict(used)
    usage["thinking"] = estimate.text(thinking)
    usage["output"] = estimate.text(text) + usage["thinking"]
    usage["output"] += sum(estimate.text(dumps(call.args)) + 12 for call in calls)
    if isinstance(reply.usage, Mapping):
        usage.update(reply.usage)
        usage["uncached"] = max(0, usage["total"] - usage["read"] - usage["write"])
    chunk = reply.chunk or (_SMALL_CHUNK if reply.tps else _BIG_CHUNK)
    return Answer(text, thinking, calls, stop, usage, reply.usage is not False, reply.tps, chunk)


def thinks(exchange: Exchange) -> bool:
    """Whether this Anthropic request gets a thinking block whatever the script says."""
    family = models_today.bound_family(exchange.model)
    if not family or isinstance(exchange.body.get("compaction"), dict):
        return False
    kind = (exchange.body.get("thinking") or {}).get("type")
    return models_today.always_thinks(exchange.model) or kind in ("adaptive", "between_tools")


def _thinking(exchange: Exchange, reply: Reply) -> str:
    nothing = not (reply.text or reply.calls or reply.thinking)
    protocol = exchange.record.protocol
    if protocol == "anthropic":
        return "" if nothing else _anthropic_thinking(exchange, reply.thinking)
    if protocol == "responses" and models_today.binds_reasoning(exchange.model) and not nothing:
        return reply.thinking or _ALWAYS_SAID
    return reply.thinking


def _anthropic_thinking(exchange: Exchange, said: str) -> str:
    if thinks(exchange):
        return said or _ALWAYS_SAID
    kind = (exchange.body.get("thinking") or {}).get("type")
    older = not models_today.bound_family(exchange.model) and exchange.body.get("compaction") is None
    return said if older and kind in ("enabled", "adaptive") else ""
