"""Which models exist and what is known of them: the bundled table, the user's own records, and honest guesses.

`find_model` is the only way from a name to a `ModelInfo`. What no table knows is said to be unknown: 32,000 tokens,
marked `assumed`, and no price; never the figures of a sibling. A dated snapshot of a known model is that model.
The table is package data and is parsed on first use.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from msgspec.structs import replace

from openclaw_tui.errors import ConfigError
from openclaw_tui.messages import THINKING_LEVELS, ThinkingLevel
from openclaw_tui.models import ModelInfo, Price
from openclaw_tui.providers.model_overrides import FIRST_PARTY_API, Overrides, blank_model, models_of, provider_record
from openclaw_tui.providers.thinking_levels import nearest_level

LOCAL_PORTS: Mapping[str, int] = {"ollama": 11434, "llamacpp": 8080, "lmstudio": 1234, "vllm": 8000}
"""Ids of servers that run on the user's own machine, with the port each has out of the box."""

FREE = Price(input=0.0, output=0.0, cache_read=0.0, cache_write=0.0)
"""Nobody is paid for a model on the user's own machine: that price is known, and zero."""

NO_OVERRIDES: Overrides = {}

_FAMILY_OWNER = (("claude-", "anthropic"), ("gpt-", "openai"), ("gemini-", "google"))
_SNAPSHOT = re.compile(r"-(?:\d{8}|\d{4}-\d{2}-\d{2}|\d{3}|latest)$")


@cache
def catalogue() -> tuple[ModelInfo, ...]:
    """Every bundled row, grouped by provider, in the order of the table."""
    import tomllib
    from importlib.resources import files

    text = (files("openclaw_tui.providers") / "catalog.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)
    defaults: Mapping[str, Mapping[str, Any]] = table.pop("defaults")
    return tuple(_row(provider, {**defaults[provider], **row}) for provider, rows in table.items() for row in rows)


def find_model(reference: str, overrides: Overrides = NO_OVERRIDES) -> ModelInfo:
    """The model that `provider/model[:level]` or a bare model id means; a level replaces the default thinking level.

    `overrides` is `models.providers` of the user's configuration: provider id → record. Raises `ConfigError` for a
    provider or bare id that nobody knows, and for a thinking level that the model does not have.
    """
    name, level = _split_level(reference.strip())
    provider, slash, model_id = name.partition("/")
    if slash and _is_provider(provider, overrides):
        if not model_id:
            raise ConfigError(f"model {reference!r} names no model: write {provider}/MODEL")
        found = _in_provider(provider, model_id, overrides)
    else:
        found = _by_bare_id(name, overrides)
    return found if level is None else _with_level(found, level)


def default_model(provider: str, overrides: Overrides = NO_OVERRIDES) -> ModelInfo | None:
    """The model used for a provider when nothing is said: the row marked `default`, else its first configured one."""
    marked = next((model for model in list_models(overrides) if model.provider == provider and model.default), None)
    return marked or next(iter(models_of(provider, overrides, catalogue())), None)


def list_models(overrides: Overrides = NO_OVERRIDES) -> tuple[ModelInfo, ...]:
    """Every model that can be named without guessing; the user's records replace bundled rows of the same name."""
    own = {model.ref: model for provider in overrides for model in models_of(provider, overrides, catalogue())}
    bundled = {model.ref: _at_address(model, overrides) for model in catalogue()}
    return tuple({**bundled, **own}.values())


def without_snapshot(model_id: str) -> str:
    """The id without the date of a snapshot: `claude-opus-5-20260801` is `claude-opus-5` on a certain day."""
    return _SNAPSHOT.sub("", model_id)


def supported_level(model: ModelInfo, level: ThinkingLevel) -> ThinkingLevel:
    """The level nearest to `level` that the model offers, the lower one when two are as near; `off` if it has none."""
    return nearest_level(level, model.thinking_levels) if model.thinking_levels else "off"


def known_providers(overrides: Overrides = NO_OVERRIDES) -> tuple[str, ...]:
    """Provider ids that a reference may start with."""
    return tuple(dict.fromkeys((*(model.provider for model in catalogue()), *LOCAL_PORTS, *overrides)))


def local_url(port: int) -> str:
    """Where a server on this machine speaks the Chat Completions API."""
    return f"http://127.0.0.1:{port}/v1"


def _row(provider: str, row: Mapping[str, Any]) -> ModelInfo:
    return ModelInfo(
        provider=provider,
        id=row["id"],
        api=row["api"],
        context_window=row["window"],
        max_output=row["max_output"],
        name=row.get("name", row["id"]),
        max_input=row.get("max_input"),
        price=_price(row["price"]) if "price" in row else None,
        thinking=row.get("thinking", "none"),
        thinking_levels=tuple(row.get("levels", ())),
        default_thinking=row.get("level", "off"),
        images=row.get("images", False),
        prefix_bound=row.get("prefix_bound", False),
        seals_summaries=row.get("seals_summaries", False),
        min_cache_tokens=row.get("min_cache_tokens", 1024),
        caches_prefix=row.get("caches_prefix", True),
        cache_breakpoints=row.get("cache_breakpoints", False),
        default=row.get("default", False),
    )


def _price(row: Mapping[str, Any]) -> Price:
    return Price(
        input=row["in"],
        output=row["out"],
        cache_read=row["read"],
        cache_write=row["write"],
        cache_write_long=row.get("write_long"),
        tier_above=row.get("tier_above"),
        tier_input_factor=row.get("tier_in", 1.0),
        tier_output_factor=row.get("tier_out", 1.0),
    )


def _split_level(reference: str) -> tuple[str, ThinkingLevel | None]:
    """Only a known level is cut off: ids such as `qwen3:8b` have colons of their own."""
    head, colon, tail = reference.rpartition(":")
    if colon and head and tail in THINKING_LEVELS:
        return head, tail
    return reference, None


def _with_level(model: ModelInfo, level: ThinkingLevel) -> ModelInfo:
    if level not in (model.thinking_levels or ("off",)):
        offered = ", ".join(model.thinking_levels) or "none"
        raise ConfigError(f"model {model.ref} has no thinking level {level!r}; it offers: {offered}")
    return replace(model, default_thinking=supported_level(model, level))


def _is_provider(name: str, overrides: Overrides) -> bool:
    return name in overrides or name in LOCAL_PORTS or any(model.provider == name for model in catalogue())


def _in_provider(provider: str, model_id: str, overrides: Overrides) -> ModelInfo:
    if own := _named(models_of(provider, overrides, catalogue()), model_id):
        return own
    rows = [model for model in catalogue() if model.provider == provider]
    if row := _named(rows, model_id):
        return _at_address(row, overrides)
    if provider in LOCAL_PORTS:
        return _local(provider, model_id, overrides)
    if provider == "offline":
        raise ConfigError(f"unknown model 'offline/{model_id}': the built-in model is offline/guide")
    return _at_address(_assumed(provider, model_id, overrides), overrides)


def _named(models: Iterable[ModelInfo], model_id: str) -> ModelInfo | None:
    """An exact id, else the model of which the id is a dated snapshot (the id itself stays as it was written)."""
    by_id = {model.id: model for model in models}
    if model_id in by_id:
        return by_id[model_id]
    row = by_id.get(without_snapshot(model_id))
    return replace(row, id=model_id, name=f"{row.name} ({model_id})", default=False) if row else None


def _by_bare_id(model_id: str, overrides: Overrides) -> ModelInfo:
    if found := _named(list_models(overrides), model_id):
        return found
    for prefix, owner in _FAMILY_OWNER:
        if model_id.startswith(prefix) and "/" not in model_id:
            return _in_provider(owner, model_id, overrides)
    raise ConfigError(_unknown(model_id, overrides))


def _unknown(name: str, overrides: Overrides) -> str:
    from difflib import get_close_matches

    names = [text for model in list_models(overrides) for text in (model.ref, model.id)]
    close = get_close_matches(name, names, n=1)
    hint = (
        f"did you mean {close[0]}?"
        if close
        else "write provider/model; providers: " + ", ".join(known_providers(overrides))
    )
    return f"unknown model {name!r}: {hint}"


def _assumed(provider: str, model_id: str, overrides: Overrides) -> ModelInfo:
    guess = blank_model(provider, model_id, provider_record(provider, overrides))
    notes = (f"window unknown: {guess.context_window:,} tokens assumed", "price unknown")
    return replace(guess, images=provider in FIRST_PARTY_API, notes=notes)


def _local(provider: str, model_id: str, overrides: Overrides) -> ModelInfo:
    """A model of a server on this machine, before the server was asked for its window."""
    guess = replace(_assumed(provider, model_id, overrides), base_url=local_url(LOCAL_PORTS[provider]), price=FREE)
    return _at_address(replace(guess, notes=guess.notes[:1]), overrides)


def _at_address(model: ModelInfo, overrides: Overrides) -> ModelInfo:
    """The row as the user's record of its provider changes it: another address, another wire protocol."""
    if model.provider not in overrides:
        return model
    record = provider_record(model.provider, overrides)
    return replace(model, base_url=record.base_url or model.base_url, api=record.api or model.api)
