"""The user's own provider records: `models.providers.<id>` of the configuration → `ModelInfo` rows.

The records arrive as plain mappings from the configuration file (camelCase as the family writes it, snake_case too).
A record names an address, an environment variable for the key, a wire protocol and models; every other field of a
model has a default that no server refuses. What is wrong is named by its full key.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias, cast, get_args

import msgspec
from msgspec.structs import replace

from openclaw_tui.constants import DEFAULT_CONTEXT_TOKENS, DEFAULT_OUTPUT_TOKENS
from openclaw_tui.errors import ConfigError
from openclaw_tui.messages import THINKING_LEVELS, ThinkingLevel
from openclaw_tui.models import ApiName, ModelInfo, Price, ThinkingMode

Overrides: TypeAlias = Mapping[str, Mapping[str, Any]]

_CONFIGURABLE_APIS: tuple[ApiName, ...] = ("anthropic", "openai-responses", "openai-chat", "google")
FIRST_PARTY_API: Mapping[str, ApiName] = {"anthropic": "anthropic", "openai": "openai-responses", "google": "google"}
"""Wire protocol of the makers' own services; every other provider is taken for a compatible Chat server."""

_REASONING_MODE: Mapping[ApiName, ThinkingMode] = {
    "anthropic": "adaptive",
    "openai-responses": "effort",
    "openai-chat": "effort",
    "google": "level",
}
_REASONING_LEVELS: tuple[ThinkingLevel, ...] = ("off", "low", "medium", "high")


class ProviderRecord(msgspec.Struct, frozen=True):
    """One provider of the user's configuration. `api` is None where the record does not say."""

    base_url: str | None = None
    api_key_env: str | None = None
    api: ApiName | None = None


def provider_record(provider: str, overrides: Overrides) -> ProviderRecord:
    """Address, key variable and protocol that the user gave a provider; an empty record if none."""
    fields = _Fields(f"models.providers.{provider}", overrides.get(provider, {}))
    api = fields.text("api")
    if api is not None and api not in _CONFIGURABLE_APIS:
        raise ConfigError(f"{fields.place}.api is {api!r}; it must be one of {', '.join(_CONFIGURABLE_APIS)}")
    base_url = fields.text("baseUrl", "base_url", "baseURL")
    if base_url is not None and not base_url.startswith(("http://", "https://")):
        raise ConfigError(f"{fields.place}.baseUrl is {base_url!r}; it must start with http:// or https://")
    return ProviderRecord(base_url, fields.text("apiKeyEnv", "api_key_env"), api)


def models_of(provider: str, overrides: Overrides, bundled: Iterable[ModelInfo]) -> tuple[ModelInfo, ...]:
    """The models that the user's record lists. A model of the same name in the bundled table gives the rest."""
    record = provider_record(provider, overrides)
    rows = _Fields(f"models.providers.{provider}", overrides.get(provider, {})).items("models")
    known = {model.id: model for model in bundled if model.provider == provider}
    return tuple(
        _model(provider, record, row, f"models.providers.{provider}.models[{at}]", known) for at, row in enumerate(rows)
    )


def _model(provider: str, record: ProviderRecord, row: Any, place: str, known: Mapping[str, ModelInfo]) -> ModelInfo:
    fields = _Fields(place, {"id": row} if isinstance(row, str) else row)
    model_id = fields.text("id")
    if not model_id:
        raise ConfigError(f"{place} has no id: give the name that the server knows the model by")
    base = known.get(model_id) or blank_model(provider, model_id, record)
    base = replace(base, base_url=record.base_url or base.base_url, api=record.api or base.api)
    return _with_thinking(_with_limits(base, fields), fields)


def blank_model(provider: str, model_id: str, record: ProviderRecord) -> ModelInfo:
    """A model of which only the name is known. Nothing is guessed that could be refused.

    No thinking and no optional fields; the window is the assumed default, the price unknown, and the prefix is taken
    for bound where it may be.
    """
    api = record.api or FIRST_PARTY_API.get(provider, "openai-chat")
    return ModelInfo(
        provider=provider,
        id=model_id,
        api=api,
        context_window=DEFAULT_CONTEXT_TOKENS,
        max_output=DEFAULT_OUTPUT_TOKENS,
        name=model_id,
        window_source="assumed",
        prefix_bound=api in ("anthropic", "openai-responses"),
        cache_breakpoints=api == "anthropic",
        base_url=record.base_url,
    )


def _with_limits(base: ModelInfo, fields: "_Fields") -> ModelInfo:
    window = fields.number("contextWindow", "context_window", "contextTokens")
    inputs = fields.texts("input")
    images = fields.flag("images")
    return replace(
        base,
        name=fields.text("name") or base.name,
        context_window=window or base.context_window,
        window_source="configuration" if window else base.window_source,
        max_output=fields.number("maxTokens", "max_tokens", "maxOutput", "max_output") or base.max_output,
        max_input=fields.number("maxInput", "max_input") or (None if window else base.max_input),
        images=images if images is not None else ("image" in inputs if inputs else base.images),
        tools=_first(fields.flag("tools"), base.tools),
        prefix_bound=_first(fields.flag("prefixBound", "prefix_bound"), base.prefix_bound),
        cache_breakpoints=_first(fields.flag("cacheBreakpoints", "cache_breakpoints"), base.cache_breakpoints),
        price=_price(fields.table("cost", "price"), base.price),
        default=_first(fields.flag("default"), base.default),
    )


def _with_thinking(base: ModelInfo, fields: "_Fields") -> ModelInfo:
    mode = fields.text("thinking")
    levels = fields.texts("thinkingLevels", "thinking_levels")
    reasoning = fields.flag("reasoning")
    if mode is not None and mode not in get_args(ThinkingMode):
        raise ConfigError(f"{fields.place}.thinking is {mode!r}; it must be one of {', '.join(get_args(ThinkingMode))}")
    if unknown := [level for level in levels if level not in THINKING_LEVELS]:
        raise ConfigError(f"{fields.place}.thinkingLevels has {unknown[0]!r}; known: {', '.join(THINKING_LEVELS)}")
    if reasoning is False:
        return replace(base, thinking="none", thinking_levels=(), default_thinking="off")
    if mode is None and not levels and not reasoning:
        return base
    chosen = cast(ThinkingMode, mode) if mode else _mode_of(base)
    offered = tuple(cast(ThinkingLevel, level) for level in levels) or base.thinking_levels or _REASONING_LEVELS
    default = base.default_thinking if base.default_thinking in offered else offered[0]
    return replace(base, thinking=chosen, thinking_levels=offered, default_thinking=default)


def _mode_of(base: ModelInfo) -> ThinkingMode:
    return base.thinking if base.thinking != "none" else _REASONING_MODE.get(base.api, "none")


def _price(fields: "_Fields | None", base: Price | None) -> Price | None:
    if fields is None:
        return base
    dollars = {
        name: fields.amount(*keys)
        for name, keys in (
            ("input", ("input",)),
            ("output", ("output",)),
            ("cache_read", ("cacheRead", "cache_read")),
            ("cache_write", ("cacheWrite", "cache_write")),
        )
    }
    fresh, output = dollars["input"], dollars["output"]
    if fresh is None or output is None:
        raise ConfigError(f"{fields.place} needs input and output, in dollars per million tokens")
    read, write = dollars["cache_read"], dollars["cache_write"]
    return Price(fresh, output, fresh if read is None else read, fresh if write is None else write)


def _first(value: bool | None, fallback: bool) -> bool:
    return fallback if value is None else value


class _Fields:
    """Typed reading of one mapping, under any of a field's spellings; a wrong type is named with its key."""

    def __init__(self, place: str, values: Any) -> None:
        if not isinstance(values, Mapping):
            raise ConfigError(f"{place} must be a table")
        self.place = place
        self._values = values

    def text(self, *keys: str) -> str | None:
        key, value = self._find(keys)
        if value is None or isinstance(value, str):
            return value
        raise ConfigError(f"{self.place}.{key} must be text")

    def number(self, *keys: str) -> int | None:
        key, value = self._find(keys)
        if value is None:
            return None
        if isinstance(value, int) and not isinstance(value, bool) and value > 0:
            return value
        raise ConfigError(f"{self.place}.{key} must be a whole number of tokens above zero")

    def amount(self, *keys: str) -> float | None:
        key, value = self._find(keys)
        if value is None:
            return None
        if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0:
            return float(value)
        raise ConfigError(f"{self.place}.{key} must be a number of dollars, zero or more")

    def flag(self, *keys: str) -> bool | None:
        key, value = self._find(keys)
        if value is None or isinstance(value, bool):
            return value
        raise ConfigError(f"{self.place}.{key} must be true or false")

    def texts(self, *keys: str) -> tuple[str, ...]:
        values = self.items(*keys)
        if all(isinstance(value, str) for value in values):
            return tuple(values)
        raise ConfigError(f"{self.place}.{self._find(keys)[0]} must be a list of texts")

    def items(self, *keys: str) -> tuple[Any, ...]:
        key, value = self._find(keys)
        if value is None:
            return ()
        if isinstance(value, Sequence) and not isinstance(value, str):
            return tuple(value)
        raise ConfigError(f"{self.place}.{key} must be a list")

    def table(self, *keys: str) -> "_Fields | None":
        key, value = self._find(keys)
        return None if value is None else _Fields(f"{self.place}.{key}", value)

    def _find(self, keys: tuple[str, ...]) -> tuple[str, Any]:
        return next(((key, self._values[key]) for key in keys if key in self._values), (keys[0], None))
