"""Commands about the model: which one, how hard it thinks, what it may do, what it cost."""

from openclaw_tui.agent.price_sheet import model_sheet
from openclaw_tui.app.compose import App
from openclaw_tui.app.models import HOW_TO_CONNECT
from openclaw_tui.app.sandbox import sandbox_words
from openclaw_tui.commands.registry import Command, CommandOutput, table_text
from openclaw_tui.constants import PERMISSION_RECENT_VERDICTS
from openclaw_tui.errors import OpenClawError
from openclaw_tui.messages import NO_USAGE, THINKING_LEVELS, AssistantMessage
from openclaw_tui.models import ModelInfo
from openclaw_tui.providers.catalog import find_model, list_models
from openclaw_tui.providers.credentials import has_key
from openclaw_tui.providers.pricing import total_cost
from openclaw_tui.safety.permissions import PermissionMode
from openclaw_tui.tools.terminal_text import one_line

_DECISIONS_SHOWN, _COMMAND_SHOWN = PERMISSION_RECENT_VERDICTS // 4, 2 * PERMISSION_RECENT_VERDICTS
_MODES: tuple[PermissionMode, ...] = ("default", "acceptEdits", "plan", "bypassPermissions")


async def _model(app: App, argument: str) -> CommandOutput:
    if not argument:
        return CommandOutput(model_table(app), action="pick_model")
    name = argument.removesuffix(" now").strip()
    try:
        model = find_model(name, app.config.get("models.providers"))
    except OpenClawError as error:
        return CommandOutput(str(error), is_error=True)
    sheet = model_sheet(app.session.deps, model) if name == argument else None
    if sheet is not None:
        command = f"/model {model.ref}"
        return CommandOutput(sheet.as_text(command), action="price", payload=command, sheet=sheet)
    return CommandOutput(switch_model(app, model))


def switch_model(app: App, model: ModelInfo) -> str:
    """Use another model; says what the first request with it will read anew."""
    size = app.session.deps.requests.context_size()
    app.session.set_model(model)
    price = model.price
    cost = f", about ${size.tokens * price.input / 1e6:.2f}" if price and size.tokens > 1000 else ""
    return f"model is now {model.ref} · the next request reads ~{size.tokens:,} tokens anew{cost}"


def usable_models(app: App) -> list[ModelInfo]:
    """Models whose provider has a key, configured servers, and the offline guide."""
    overrides = app.config.get("models.providers")
    return [
        model
        for model in list_models(overrides)
        if model.api == "offline" or model.base_url or has_key(model.provider, state_dir=app.paths.state)
    ]


def model_table(app: App) -> str:
    rows = [("model", "window", "in/out $ per Mtok")]
    for model in usable_models(app):
        price = f"{model.price.input:g}/{model.price.output:g}" if model.price else "unknown"
        rows.append((model.ref, f"{model.context_window:,}", price))
    return f"{table_text(rows)}\n\nTo connect more: {HOW_TO_CONNECT}"


async def _think(app: App, argument: str) -> CommandOutput:
    if not argument:
        levels = ", ".join(app.session.model.thinking_levels or ("off",))
        return CommandOutput(f"thinking is {app.session.thinking}; this model knows {levels}")
    level = next((known for known in THINKING_LEVELS if known == argument.lower()), None)
    if level is None:
        return CommandOutput(f"{argument!r} is no level; choose of {', '.join(THINKING_LEVELS)}", is_error=True)
    applied = app.session.set_thinking(level)
    note = "" if applied == level else f" ({app.session.model.id} has no {level})"
    return CommandOutput(f"thinking is now {applied}{note}")


async def _permissions(app: App, argument: str) -> CommandOutput:
    if argument in _MODES:
        app.permissions.mode = next(mode for mode in _MODES if mode == argument)
        return CommandOutput(f"permission mode is now {argument}")
    if argument:
        return CommandOutput(f"{argument!r} is no mode; choose of {', '.join(_MODES)}", is_error=True)
    view = app.permissions.describe()
    heads: list[tuple[str, str, str]] = [("kind", "rule", "from"), *view.rules]
    rows = heads if view.rules else [("no rules", "", "")]
    last = [
        (decision, one_line(what)[:_COMMAND_SHOWN], why)
        for decision, what, why in reversed(view.recent[-_DECISIONS_SHOWN:])
    ]
    recent = [("decision", "about", "because"), *last]
    parts = [f"mode {view.mode}", sandbox_words(app.sandbox), table_text(rows, indent="  ")]
    parts += ["last decisions, latest first", table_text(recent, indent="  ")] if view.recent else []
    parts += list(view.problems)
    return CommandOutput("\n".join(parts))


async def _usage(app: App, argument: str) -> CommandOutput:
    messages = app.session.deps.manager.project().messages
    usage = sum((m.usage for m in messages if isinstance(m, AssistantMessage)), start=NO_USAGE)
    total = total_cost(messages)
    unpriced = f" and {total.unpriced} calls of unknown price" if total.unpriced else ""
    rows = [
        ("input, fresh", f"{usage.input:,}"),
        ("read from cache", f"{usage.cache_read:,}" if usage.cache_reported else "not reported"),
        ("written to cache", f"{usage.cache_write:,}" if usage.cache_reported else "not reported"),
        ("output", f"{usage.output:,}"),
        ("cost", f"${total.usd:.4f}{unpriced}"),
    ]
    return CommandOutput(table_text(rows))


MODEL_COMMANDS = (
    Command("model", "choose the model", _model, hint="[provider/model]", aliases=("models",)),
    Command(
        "think", "how hard the model thinks", _think, hint="[level]", aliases=("effort", "thinking", "reasoning-effort")
    ),
    Command("permissions", "modes and rules", _permissions, hint="[mode]", aliases=("approvals", "mode")),
    Command("usage", "tokens, cache and money", _usage, aliases=("cost", "stats")),
)
