"""Room in a window: who says how large it is, what it is for, and when it is too small."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from openclaw_tui.context.budget import check_window, context_budget, guard_window, require_window, resolve_window
from openclaw_tui.errors import ConfigError
from openclaw_tui.tokens import Calibration
from tests.transcript.strategies import model_for


def test_the_window_is_the_configured_one_else_the_servers_else_the_catalogues_else_assumed() -> None:
    model = model_for("anthropic", window=200_000)
    assert resolve_window(50_000, model, 8_000) == (50_000, "configuration")
    assert resolve_window(None, model, 8_000) == (8_000, "server")
    assert resolve_window(None, model) == (200_000, "catalogue")
    assert resolve_window(None, replace(model, context_window=0)) == (32_000, "assumed")


@pytest.mark.parametrize(
    ("window", "reserve", "keep", "flush"),
    [
        (16_000, 4_000, 4_000, 800),
        (32_000, 8_000, 8_000, 1_600),
        (128_000, 20_000, 20_000, 4_000),
        (1_000_000, 50_000, 20_000, 4_000),
    ],
)
def test_reserve_tail_and_flush_are_bounded_by_shares_of_the_window(
    window: int, reserve: int, keep: int, flush: int
) -> None:
    budget = context_budget(model_for("anthropic", window=window))
    assert (budget.reserve_tokens, budget.keep_recent_tokens, budget.flush_soft_tokens) == (reserve, keep, flush)
    assert budget.usable_tokens == budget.trigger_tokens == window - reserve
    assert budget.flush_trigger_tokens == window - reserve - flush


def test_a_smaller_input_limit_bounds_the_usable_window() -> None:
    model = replace(model_for("openai-responses", window=1_050_000), max_input=922_000)
    assert context_budget(model).usable_tokens == 922_000


@given(st.integers(1_000, 1_000_000), st.integers(0, 1_100_000), st.integers(1, 200_000))
def test_prompt_and_answer_never_pass_the_window(window: int, prompt: int, limit: int) -> None:
    budget = context_budget(replace(model_for("anthropic", window=window), max_output=limit))
    output = budget.output_tokens(prompt)
    assert 1 <= output <= limit
    assert prompt + output < window or output == 1


def test_an_answer_is_clamped_where_prompt_and_limit_pass_the_window_by_one() -> None:
    budget = context_budget(replace(model_for("anthropic", window=100_000), max_output=8_000))
    assert budget.output_tokens(92_001) < 8_000
    assert 92_001 + budget.output_tokens(92_001) < 100_000


@given(st.integers(16_000, 2_000_000))
def test_every_trigger_lies_above_what_a_compaction_leaves(window: int) -> None:
    budget = context_budget(model_for("anthropic", window=window))
    fixed = budget.flush_trigger_tokens - budget.summary_tokens - budget.keep_recent_tokens - 1
    assert fixed > 3_500
    assert check_window(budget, {"system prompt": fixed}, model="m").fits
    too_much = check_window(budget, {"system prompt": fixed + 1}, model="m")
    assert not too_much.fits
    assert too_much.shortfall == 1


def test_fixed_parts_larger_than_the_window_are_found_before_any_call_and_named_by_size() -> None:
    budget = context_budget(model_for("openai-chat"), configured_window=8_000)
    parts = {"tools": 2_500, "skills": 4_000, "bootstrap files": 2_000, "identity": 1_000}
    verdict = check_window(budget, parts, model="local/qwen", min_context_tokens=4_000)
    assert "largest: skills 4,000, tools 2,500, bootstrap files 2,000" in verdict.problem
    assert "9,500" in verdict.problem
    with pytest.raises(ConfigError, match="too small"):
        require_window(verdict)


def test_small_windows_warn_and_tiny_ones_stop_with_what_to_do() -> None:
    def verdict(window: int) -> tuple[bool, bool]:
        found = check_window(context_budget(model_for("openai-chat", window=window)), {"tools": 1_000}, model="m")
        return found.fits, bool(found.warning)

    assert verdict(15_999) == (False, False)
    assert verdict(16_000) == verdict(31_999) == (True, True)
    assert verdict(32_000) == (True, False)
    problem = check_window(context_budget(model_for("openai-chat", window=8_000)), {}, model="m").problem
    assert "minContextTokens" in problem


def test_reported_usage_tightens_the_guards_window_and_never_loosens_it() -> None:
    budget = context_budget(model_for("anthropic", window=100_000))
    assert guard_window(budget, Calibration(factor=1.25, samples=3)) == 80_000
    assert guard_window(budget, Calibration(factor=0.7, samples=3)) == 100_000
