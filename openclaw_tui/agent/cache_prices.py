"""What a prompt cache is worth in dollars: what it saved, and what losing it costs. None where no price is known."""

from openclaw_tui.messages import CacheRetention, Usage
from openclaw_tui.models import ModelInfo
from openclaw_tui.providers.pricing import likely_usd


def reread_usd(model: ModelInfo, tokens: int, retention: CacheRetention) -> float | None:
    """What it costs more to send tokens anew (written, where the provider sells writes) than to read them cached."""
    anew = likely_usd(model, _anew(model, tokens, retention))
    cached = likely_usd(model, Usage(cache_read=tokens))
    return None if anew is None or cached is None else max(0.0, anew - cached)


def saved_usd(model: ModelInfo, usage: Usage, cost: float | None) -> float | None:
    """What the call would have cost more without any cache; negative where its writes were not yet worth it."""
    plain = likely_usd(model, Usage(input=usage.prompt_tokens, output=usage.output))
    return None if plain is None or cost is None else plain - cost


def _anew(model: ModelInfo, tokens: int, retention: CacheRetention) -> Usage:
    if not model.cache_breakpoints or retention == "none":
        return Usage(input=tokens)
    return Usage(cache_write=tokens, cache_write_long=tokens if retention == "long" else 0)


def dollars(amount: float | None) -> str:
    """`$0.31`, `$0.004`, or words where the price is not known."""
    if amount is None:
        return "price unknown"
    return f"${amount:.2f}" if abs(amount) >= 0.1 or amount == 0 else f"${amount:.4f}".rstrip("0")
