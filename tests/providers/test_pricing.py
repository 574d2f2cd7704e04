"""What a call cost: cached tokens once and at their own price, tiers, and unknown told apart from nothing."""

import pytest
from msgspec.structs import replace

from openclaw_tui.messages import AssistantMessage, Usage, user_text
from openclaw_tui.models import Price
from openclaw_tui.providers.catalog import find_model
from openclaw_tui.providers.pricing import cost_usd, own_cost, total_cost


def test_fresh_read_and_written_tokens_have_each_their_price() -> None:
    """5K fresh, 80K read and 15K written on Opus 5.5 are 11.1 cents, by hand and by both sources."""
    model = find_model("claude-opus-5-5")
    usage = Usage(input=5_000, cache_read=80_000, cache_write=15_000)
    assert cost_usd(model, usage) == pytest.approx(0.111)
    assert model.price is not None
    assert own_cost(model.price, usage) == pytest.approx(0.111)


@pytest.mark.parametrize(
    ("reference", "usage", "dollars"),
    [
        ("claude-opus-5-5", Usage(input=3, cache_write=109_075), 0.545387),
        ("gpt-6.1-sol", Usage(input=500, cache_read=500), 0.00105),
        ("gemini-4-argon", Usage(input=1_438, cache_read=24_540), 0.01066),
        ("claude-opus-5-5", Usage(cache_write=100_000, cache_write_long=40_000), 0.62),
        ("claude-haiku-5-5", Usage(input=100_000), 0.01),
        ("claude-haiku-5-5", Usage(input=100_001), 0.0500005),
        ("gpt-6.1-sol", Usage(input=272_001, output=1_000), 1.103004),
    ],
)
def test_both_sources_agree_on_the_usage_of_each_provider(reference: str, usage: Usage, dollars: float) -> None:
    model = find_model(reference)
    assert model.price is not None
    assert cost_usd(model, usage) == pytest.approx(dollars)
    assert own_cost(model.price, usage) == pytest.approx(dollars)


def test_a_model_newer_than_the_price_data_is_priced_by_the_catalogue() -> None:
    assert cost_usd(find_model("gpt-6.2-sol"), Usage(input=1_000_000 - 800_000, output=1_000)) == pytest.approx(0.41)


def test_an_unknown_price_is_unknown_and_not_zero() -> None:
    assert cost_usd(find_model("anthropic/claude-opus-7"), Usage(input=10)) is None


def test_a_model_on_the_own_machine_costs_nothing() -> None:
    assert cost_usd(find_model("ollama/qwen3:8b"), Usage(input=10_000, output=10)) == 0.0


def test_the_users_own_price_goes_before_the_published_one() -> None:
    model = replace(find_model("claude-opus-5-5"), price=Price(1.0, 1.0, 1.0, 1.0))
    assert cost_usd(model, Usage(input=1_000_000)) == pytest.approx(1.0)


def _answer(cost: float | None, response: str | None, provider: str = "anthropic") -> AssistantMessage:
    return AssistantMessage(content=(), provider=provider, cost_usd=cost, response_id=response)


def test_one_reply_in_several_entries_is_counted_once() -> None:
    history = (user_text("x"), _answer(0.5, "msg_1"), _answer(0.5, "msg_1"), _answer(0.25, "msg_1", "openai"))
    assert total_cost(history).usd == pytest.approx(0.75)
    assert total_cost(history).calls == 2


def test_a_total_says_how_many_calls_have_no_price() -> None:
    total = total_cost((_answer(0.5, None), _answer(None, None), _answer(0.5, None)))
    assert (total.usd, total.calls, total.unpriced) == (1.0, 3, 1)
