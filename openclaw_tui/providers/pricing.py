"""What a model call cost in US dollars, as far as that is known.

genai-prices knows tiers, start dates and retention prices and is asked first for the makers' own services; a price
from the user's configuration goes before it, the catalogue's row after it. Invariants: unknown stays None and is never
taken for zero, and one call is priced once, however often its message stands in a history.
"""

from collections.abc import Iterable
from functools import cache
from importlib import import_module
from threading import Thread
from typing import TYPE_CHECKING

import msgspec

from openclaw_tui.messages import AssistantMessage, Message, Usage
from openclaw_tui.models import ModelInfo, Price
from openclaw_tui.providers.catalog import catalogue

if TYPE_CHECKING:
    from genai_prices.types import PriceCalculation

_MAKERS = frozenset({"anthropic", "openai", "google"})


class CostTotal(msgspec.Struct, frozen=True):
    """Dollars of the calls whose price is known, and how many calls have none: a total is exact only if that is 0."""

    usd: float = 0.0
    calls: int = 0
    unpriced: int = 0


def cost_usd(model: ModelInfo, usage: Usage) -> float | None:
    """Dollars that one call cost; None where nobody knows the price. `usage.input` excludes cached tokens."""
    if model.provider in _MAKERS and model.price == _bundled_price(model):
        published = _published_cost(model, usage)
        if published is not None:
            return published
    return None if model.price is None else own_cost(model.price, usage)


def likely_usd(model: ModelInfo, usage: Usage) -> float | None:
    """The same from the model's own row alone: cheap enough for every step, good enough for what was not paid yet."""
    return cost_usd(model, usage) if model.price is None else own_cost(model.price, usage)


def load_prices_soon(model: ModelInfo) -> None:
    """Import the price tables while an answer is on its way; not for models whose price they do not tell."""
    if model.provider in _MAKERS:
        _load_tables()


@cache
def _load_tables() -> None:
    """It takes a tenth of a second, so in a thread, once."""
    Thread(target=import_module, args=("genai_prices",), daemon=True).start()


def own_cost(price: Price, usage: Usage) -> float:
    """Dollars of one call by a catalogue row: above the tier's border the whole request costs the tier's factors."""
    over = price.tier_above is not None and usage.prompt_tokens > price.tier_above
    input_factor = price.tier_input_factor if over else 1.0
    output_factor = price.tier_output_factor if over else 1.0
    long_write = price.cache_write if price.cache_write_long is None else price.cache_write_long
    prompt = (
        usage.input * price.input
        + usage.cache_read * price.cache_read
        + (usage.cache_write - usage.cache_write_long) * price.cache_write
        + usage.cache_write_long * long_write
    )
    return (prompt * input_factor + usage.output * price.output * output_factor) / 1_000_000


def total_cost(messages: Iterable[Message]) -> CostTotal:
    """Sum of a history's recorded costs. Entries that carry the same response of a provider count once."""
    seen: set[tuple[str, str]] = set()
    dollars, calls, unpriced = 0.0, 0, 0
    for message in messages:
        if not isinstance(message, AssistantMessage) or _seen_before(message, seen):
            continue
        calls += 1
        if message.cost_usd is None:
            unpriced += 1
        else:
            dollars += message.cost_usd
    return CostTotal(dollars, calls, unpriced)


def _seen_before(message: AssistantMessage, seen: set[tuple[str, str]]) -> bool:
    if not message.response_id:
        return False
    key = (message.provider, message.response_id)
    if key in seen:
        return True
    seen.add(key)
    return False


def _bundled_price(model: ModelInfo) -> Price | None:
    """The catalogue's price of this id; the model's own where the catalogue has no row (dated snapshots)."""
    return next((row.price for row in catalogue() if row.ref == model.ref), model.price)


def _published_cost(model: ModelInfo, usage: Usage) -> float | None:
    """The price by genai-prices, from the data inside the package; None where it does not know the model."""
    calculation = _calculate(model, usage)
    return None if calculation is None else float(calculation.total_price)


def _calculate(model: ModelInfo, usage: Usage) -> "PriceCalculation | None":
    from genai_prices import Usage as PricedUsage
    from genai_prices import calc_price

    counts = {
        "input_tokens": usage.prompt_tokens,
        "cache_read_tokens": usage.cache_read,
        "cache_write_tokens": usage.cache_write,
        "output_tokens": usage.output,
    }
    if usage.cache_write_long:
        counts["cache_write_1h_tokens"] = usage.cache_write_long
    try:
        return calc_price(PricedUsage(**counts), model.id, provider_id=model.provider)
    except (LookupError, ValueError):
        return None
