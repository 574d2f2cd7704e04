"""Which cache a request meets, and what of its prompt is read, written and paid in full."""

from tests.strict_fake import models_today
from tests.strict_fake.cache_sim import AnthropicCache, BreakpointCache, PrefixStore, Usage, automatic_read
from tests.strict_fake.checks import Prompt
from tests.strict_fake.exchange import Exchange
from tests.strict_fake.history import PromptHistory
from tests.strict_fake.options import Options
from tests.strict_fake.segments import Estimator

_FOREVER = 1e9


class Billing:
    """All caches of one fake, and the ideal cache that never forgets."""

    def __init__(self, options: Options, estimate: Estimator) -> None:
        self.options = options
        self.history = PromptHistory()
        self._marks = AnthropicCache(options.ttl)
        self._breakpoints = BreakpointCache(max(options.ttl, 1800.0))
        self._automatic = PrefixStore(estimate, max(options.ttl, 300.0))
        self._ideal = PrefixStore(estimate, _FOREVER)

    def describe(self, exchange: Exchange, prompt: Prompt) -> None:
        """Note tokens, their parts and the cache marks in the record."""
        record = exchange.record
        for segment in prompt.segments:
            part = segment.part.partition("[")[0]
            record.parts[part] = record.parts.get(part, 0) + segment.tokens
        record.tokens = sum(record.parts.values())
        record.breakpoints = [segment.part for segment in prompt.segments if segment.mark]

    def charge(self, exchange: Exchange, prompt: Prompt) -> Usage:
        """What the caches give; the prompt is in them from now on."""
        record = exchange.record
        usage = self._usage(exchange, prompt)
        record.figures["ideal"] = self._ideal.longest(prompt.cacheable, exchange.model)
        record.figures["distinct"] = self.history.new_tokens(prompt.segments)
        return usage

    def _usage(self, exchange: Exchange, prompt: Prompt) -> Usage:
        protocol, model = exchange.record.protocol, exchange.model
        smallest = self.options.min_cache
        if smallest is None:
            smallest = models_today.smallest_cached(protocol, model)
        total = sum(segment.tokens for segment in prompt.segments)
        prefix = self._automatic.longest(prompt.cacheable, model)
        if self.options.local:
            read = min(prefix, max(0, total - 1))  # a slot always evaluates the last token again
            return {"total": total, "read": read, "write": 0, "uncached": total - read}
        if protocol == "anthropic":
            return self._marks.use(prompt.cacheable, model, smallest)
        if models_today.caches_at_breakpoints(model):
            mode = (exchange.body.get("prompt_cache_options") or {}).get("mode")
            tail = sum(segment.tokens for segment in prompt.tail)
            return self._breakpoints.use(
                prompt.cacheable, model, smallest=smallest, uncacheable=tail, implicit=mode != "explicit"
            )
        read = automatic_read(prefix, total, smallest)
        return {"total": total, "read": read, "write": 0, "uncached": total - read}
