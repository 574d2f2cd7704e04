"""The rules of a protocol in their order, and the prompt that is left for the caches when they all hold."""

from dataclasses import dataclass, field

from tests.strict_fake import models_today
from tests.strict_fake.binding import bind
from tests.strict_fake.binding_reasoning import bind_reasoning
from tests.strict_fake.exchange import Exchange
from tests.strict_fake.options import Options
from tests.strict_fake.refusal import refuse_malformed
from tests.strict_fake.rules_anthropic import check_anthropic
from tests.strict_fake.rules_chat import check_alternation, check_chat
from tests.strict_fake.rules_gemini import check_gemini
from tests.strict_fake.rules_responses import check_responses, collect_items
from tests.strict_fake.segments import (
    Estimator,
    Segment,
    anthropic_segments,
    chat_segments,
    gemini_segments,
    responses_segments,
)


@dataclass(frozen=True)
class Prompt:
    """`tail`: what stands at the end and is never cached (the instructions of gpt-6.2)."""

    cacheable: list[Segment]
    tail: list[Segment] = field(default_factory=list)

    @property
    def segments(self) -> list[Segment]:
        return self.cacheable + self.tail


def check_request(exchange: Exchange, options: Options, estimate: Estimator) -> Prompt:
    """Raise `Refused`, or say what the model is shown."""
    checks = {"anthropic": _anthropic, "chat": _chat, "responses": _responses, "gemini": _gemini}
    with refuse_malformed():
        return checks[exchange.record.protocol](exchange, options, estimate)


def _anthropic(exchange: Exchange, options: Options, estimate: Estimator) -> Prompt:
    check_anthropic(exchange, options.max_output)
    exchange.bound = bind(exchange)
    exchange.record.dropped = len(exchange.bound.dropped)
    return Prompt(anthropic_segments(exchange.bound.as_seen(exchange.body), estimate))


def _chat(exchange: Exchange, options: Options, estimate: Estimator) -> Prompt:
    check_chat(exchange)
    if options.alternate:
        check_alternation(exchange)
    return Prompt(chat_segments(exchange.body, estimate))


def _responses(exchange: Exchange, _options: Options, estimate: Estimator) -> Prompt:
    exchange.items = collect_items(exchange)
    check_responses(exchange)
    if not models_today.binds_reasoning(exchange.model):
        return Prompt(responses_segments(exchange.body, exchange.items, estimate))
    exchange.reasoning = bind_reasoning(exchange)
    exchange.record.dropped = len(exchange.reasoning.removed)
    segments = responses_segments(exchange.body, exchange.reasoning.items, estimate, instructions_last=True)
    if exchange.body.get("instructions"):
        return Prompt(segments[:-1], segments[-1:])
    return Prompt(segments)


def _gemini(exchange: Exchange, _options: Options, estimate: Estimator) -> Prompt:
    check_gemini(exchange)
    return Prompt(gemini_segments(exchange.body, estimate))
