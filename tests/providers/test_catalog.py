"""What the program knows about models: the bundled table, the user's records, and honest ignorance."""

from typing import Any

import pytest

from openclaw_tui.errors import ConfigError
from openclaw_tui.messages import THINKING_LEVELS
from openclaw_tui.providers.catalog import (
    FREE,
    catalogue,
    default_model,
    find_model,
    known_providers,
    list_models,
    supported_level,
)
from openclaw_tui.providers.model_overrides import provider_record


@pytest.mark.parametrize(
    ("provider", "expected"),
    [
        ("anthropic", "claude-sonnet-5-5"),
        ("openai", "gpt-6.2-sol"),
        ("google", "gemini-4-argon"),
        ("offline", "guide"),
    ],
)
def test_each_provider_has_exactly_one_default(provider: str, expected: str) -> None:
    marked = [model.id for model in catalogue() if model.provider == provider and model.default]
    assert marked == [expected]
    found = default_model(provider)
    assert found is not None
    assert found.id == expected


def test_every_row_is_sound() -> None:
    refs = [model.ref for model in catalogue()]
    assert len(refs) == len(set(refs))
    for model in catalogue():
        assert 0 < model.max_output <= model.context_window, model.ref
        assert model.price is not None, model.ref
        assert set(model.thinking_levels) <= set(THINKING_LEVELS), model.ref
        assert model.default_thinking in (model.thinking_levels or ("off",)), model.ref
        assert (model.thinking == "none") == (not model.thinking_levels), model.ref
        assert model.window_source == "catalogue", model.ref


def test_models_that_bind_reasoning_to_the_prefix_are_marked() -> None:
    bound = {model.id for model in catalogue() if model.prefix_bound}
    assert bound == {
        "claude-fable-5-1",
        "claude-fable-5-2",
        "claude-mythos-5-1",
        "claude-mythos-5-2",
        "claude-opus-5-5",
        "claude-sonnet-5-5",
        "claude-haiku-5-5",
        "gpt-6.2-astra",
        "gpt-6.2-sol",
    }


def test_the_input_limit_of_the_large_gpt_window_is_known() -> None:
    model = find_model("openai/gpt-6.2-sol")
    assert (model.context_window, model.max_input, model.max_output) == (1_050_000, 922_000, 128_000)


def test_a_level_after_the_model_becomes_its_default_level() -> None:
    assert find_model("anthropic/claude-opus-5-5:high").default_thinking == "high"
    assert find_model("gpt-6.1-terra:off").default_thinking == "off"


def test_a_level_that_the_model_lacks_is_refused_with_those_it_has() -> None:
    with pytest.raises(ConfigError, match=r"no thinking level 'minimal'; it offers: low, medium, high"):
        find_model("openai/gpt-6.2-sol:minimal")
    with pytest.raises(ConfigError, match="no thinking level 'off'"):
        find_model("anthropic/claude-opus-5-5:off")


def test_a_colon_in_a_local_model_name_is_no_level() -> None:
    model = find_model("ollama/qwen3:8b")
    assert (model.id, model.provider, model.api) == ("qwen3:8b", "ollama", "openai-chat")
    assert model.base_url == "http://127.0.0.1:11434/v1"
    assert model.price == FREE


def test_a_bare_id_is_found_at_its_maker() -> None:
    assert find_model("claude-sonnet-5-5").ref == "anthropic/claude-sonnet-5-5"
    assert find_model("gemini-3.8-flash").ref == "google/gemini-3.8-flash"


def test_a_dated_snapshot_is_the_model_it_is_a_snapshot_of() -> None:
    snapshot, row = find_model("openai/gpt-5.4-2026-03-01"), find_model("openai/gpt-5.4")
    assert snapshot.id == "gpt-5.4-2026-03-01"
    assert (snapshot.context_window, snapshot.price) == (row.context_window, row.price)
    assert not find_model("anthropic/claude-sonnet-5-5-20261001").default


@pytest.mark.parametrize("reference", ["anthropic/claude-opus-7", "gpt-9-zeta", "google/gemini-9", "vllm/some-model"])
def test_an_unknown_model_gets_a_small_window_and_says_that_it_is_assumed(reference: str) -> None:
    model = find_model(reference)
    assert (model.context_window, model.window_source) == (32_000, "assumed")
    assert model.thinking == "none"
    assert any("assumed" in note for note in model.notes)


def test_an_unknown_paid_model_has_no_price() -> None:
    model = find_model("anthropic/claude-opus-7")
    assert model.price is None
    assert "price unknown" in model.notes


def test_a_misspelt_model_is_answered_with_the_nearest_name() -> None:
    with pytest.raises(ConfigError, match="did you mean claude-opus-5-5"):
        find_model("claud-opus-5-5")


def test_an_unknown_provider_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="anthropic, openai, google"):
        find_model("nowhere/thing")
    with pytest.raises(ConfigError, match="names no model"):
        find_model("anthropic/")
    with pytest.raises(ConfigError, match="offline/guide"):
        find_model("offline/other")


def test_the_nearest_offered_level_is_taken_the_lower_one_on_a_draw() -> None:
    assert supported_level(find_model("openai/gpt-6.2-sol"), "off") == "low"
    assert supported_level(find_model("openai/gpt-6.1-sol"), "max") == "xhigh"
    assert supported_level(find_model("anthropic/claude-opus-4-6"), "xhigh") == "high"
    assert supported_level(find_model("vllm/x"), "high") == "off"


GATE: dict[str, Any] = {
    "gate": {
        "baseUrl": "https://gate.example/v1",
        "apiKeyEnv": "GATE_KEY",
        "api": "openai-chat",
        "models": [
            "plain",
            {
                "id": "big",
                "contextWindow": 65_536,
                "maxTokens": 4_096,
                "reasoning": True,
                "input": ["text", "image"],
                "cost": {"input": 1, "output": 2, "cacheRead": 0.1, "cacheWrite": 0},
            },
        ],
    }
}


def test_a_configured_model_has_the_figures_of_its_record() -> None:
    model = find_model("gate/big", GATE)
    assert (model.context_window, model.window_source, model.max_output) == (65_536, "configuration", 4_096)
    assert (model.images, model.thinking, model.thinking_levels) == (True, "effort", ("off", "low", "medium", "high"))
    assert model.price is not None
    assert (model.price.input, model.price.cache_read, model.price.cache_write) == (1.0, 0.1, 0.0)
    assert model.base_url == "https://gate.example/v1"
    assert find_model("big", GATE) == model


def test_the_record_names_where_its_key_is() -> None:
    assert provider_record("gate", GATE).api_key_env == "GATE_KEY"
    assert provider_record("openai", GATE).api_key_env is None


def test_a_configured_model_without_figures_is_assumed() -> None:
    model = find_model("gate/plain", GATE)
    assert (model.context_window, model.window_source, model.price) == (32_000, "assumed", None)
    assert find_model("gate/unlisted", GATE).base_url == "https://gate.example/v1"
    assert "gate" in known_providers(GATE)
    assert default_model("gate", GATE) == model


def test_a_record_changes_only_what_it_names_of_a_bundled_model() -> None:
    own = {
        "anthropic": {
            "baseUrl": "https://proxy.example",
            "models": [{"id": "claude-opus-5-5", "contextWindow": 200_000}],
        }
    }
    changed = find_model("claude-opus-5-5", own)
    assert (changed.context_window, changed.base_url) == (200_000, "https://proxy.example")
    assert changed.prefix_bound
    assert changed.price == find_model("claude-opus-5-5").price
    assert find_model("claude-sonnet-5-5", own).base_url == "https://proxy.example"
    assert len(list_models(own)) == len(catalogue())


@pytest.mark.parametrize(
    ("record", "words"),
    [
        ({"api": "soap"}, r"models\.providers\.x\.api is 'soap'"),
        ({"baseUrl": "gate.example"}, r"models\.providers\.x\.baseUrl is 'gate\.example'"),
        ({"models": "one"}, r"models\.providers\.x\.models must be a list"),
        ({"models": [{}]}, r"models\.providers\.x\.models\[0\] has no id"),
        ({"models": [7]}, r"models\.providers\.x\.models\[0\] must be a table"),
        ({"models": [{"id": "m", "contextWindow": "big"}]}, r"models\[0\]\.contextWindow must be a whole number"),
        ({"models": [{"id": "m", "thinkingLevels": ["much"]}]}, r"thinkingLevels has 'much'"),
        ({"models": [{"id": "m", "thinking": "deep"}]}, r"thinking is 'deep'"),
        ({"models": [{"id": "m", "cost": {"input": 1}}]}, r"cost needs input and output"),
        ({"models": [{"id": "m", "images": "yes"}]}, r"images must be true or false"),
    ],
)
def test_a_wrong_record_is_named_by_its_key(record: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        find_model("x/m", {"x": record})
