"""`models`: every model that can be named, with window, price, and whether there is a key for it."""

from typing import Any

from openclaw_tui.app.compose import load_settings
from openclaw_tui.config.load import Config
from openclaw_tui.config.paths import Paths
from openclaw_tui.errors import EXIT_DONE, ConfigError
from openclaw_tui.models import ModelInfo
from openclaw_tui.options import Options
from openclaw_tui.providers.catalog import find_model, list_models
from openclaw_tui.providers.credentials import has_key
from openclaw_tui.subcommands.arguments import add_json_flag, command_parser
from openclaw_tui.subcommands.output import print_json, print_table


def run(options: Options) -> int:
    parser = command_parser("models", "List the models that are known, or those whose name holds PATTERN.")
    parser.add_argument("pattern", nargs="?", help="part of a name")
    add_json_flag(parser)
    given = parser.parse_args(options.arguments)
    paths, config = load_settings(options, remember=False)
    models = _chosen(options, config, given.pattern)
    keys = {provider: is_usable(provider, models, paths) for provider in {model.provider for model in models}}
    if given.json:
        print_json([_data(model, ready=keys[model.provider]) for model in models])
        return EXIT_DONE
    rows: list[tuple[str, ...]] = [("model", "window", "output", "$ in/out per Mtok", "thinking", "key")]
    rows += [_row(model, ready=keys[model.provider]) for model in models]
    print_table(rows, empty="there are no models")
    return EXIT_DONE


def is_usable(provider: str, models: list[ModelInfo], paths: Paths) -> bool:
    """Whether a call could be made: a key is there, or none is needed."""
    free = any(m.provider == provider and (m.api == "offline" or m.base_url) for m in models)
    return free or has_key(provider, state_dir=paths.state)


def _chosen(options: Options, config: Config, pattern: str | None) -> list[ModelInfo]:
    overrides = config.get("models.providers")
    if options.model:
        return [find_model(options.model, overrides)]
    models = [model for model in list_models(overrides) if not pattern or pattern.lower() in model.ref.lower()]
    if not models:
        raise ConfigError(f"models: no known model's name holds {pattern!r}; without a pattern all are listed")
    return models


def _row(model: ModelInfo, *, ready: bool) -> tuple[str, ...]:
    price = f"{model.price.input:g}/{model.price.output:g}" if model.price else "unknown"
    levels = f"{model.thinking_levels[0]}…{model.thinking_levels[-1]}" if model.thinking_levels else "-"
    star = " *" if model.default else ""
    return (
        model.ref + star,
        f"{model.context_window:,}",
        f"{model.max_output:,}",
        price,
        levels,
        "yes" if ready else "no",
    )


def _data(model: ModelInfo, *, ready: bool) -> dict[str, Any]:
    price = model.price
    return {
        "model": model.ref,
        "name": model.name,
        "api": model.api,
        "context_window": model.context_window,
        "window_source": model.window_source,
        "max_output": model.max_output,
        "price_per_mtok": price
        and {
            "input": price.input,
            "output": price.output,
            "cache_read": price.cache_read,
            "cache_write": price.cache_write,
        },
        "thinking_levels": list(model.thinking_levels),
        "images": model.images,
        "default": model.default,
        "key_present": ready,
    }
