"""Commands about the context: what fills it, what the layers did, and compaction by hand."""

import asyncio
import time

from openclaw_tui.agent.breakdown import context_breakdown
from openclaw_tui.agent.cache_prices import dollars
from openclaw_tui.agent.context_data import context_data
from openclaw_tui.agent.price_sheet import engine_sheet, reload_sheet
from openclaw_tui.app.compose import App
from openclaw_tui.app.reload import apply_settings
from openclaw_tui.artifacts.recall import stored_list
from openclaw_tui.commands.compact_commands import COMPACT_COMMAND
from openclaw_tui.commands.item_commands import VERBS, context_verb
from openclaw_tui.commands.registry import Command, CommandOutput, table_text
from openclaw_tui.constants import LEDGER_REASON_CHARS, LEDGER_TABLE_ROWS
from openclaw_tui.errors import ToolError
from openclaw_tui.events import CONTEXT_LAYERS
from openclaw_tui.ledger.ledger import LedgerRow, export_rows, row_data
from openclaw_tui.tools.terminal_text import clean_terminal_text


async def _context(app: App, argument: str) -> CommandOutput:
    verb, _, rest = argument.partition(" ")
    if verb in VERBS:
        return await context_verb(app, verb, rest)
    requests, files = app.session.deps.requests, app.prompt_source.files
    if argument == "json":
        return CommandOutput(_json(context_data(requests, files, app.ledger)))
    return CommandOutput(context_breakdown(requests, files).as_text())


async def _cache(app: App, argument: str) -> CommandOutput:
    report = app.session.deps.requests.cache_report()
    if argument == "json":
        return CommandOutput(_json(report.as_data()))
    return CommandOutput(report.as_text(int(argument)) if argument.isdigit() else report.as_text())


async def _events(app: App, argument: str) -> CommandOutput:
    """`[layer] [n] [json]` in any order."""
    words = argument.split()
    if words[:1] == ["export"]:
        return _export(app, argument.strip().partition(" ")[2].strip())
    layers = [word for word in words if word.isalpha() and word != "json"]
    unknown = [word for word in layers if word not in CONTEXT_LAYERS]
    if unknown:
        return CommandOutput(f"no layer {unknown[0]!r}; there are {', '.join(CONTEXT_LAYERS)}", is_error=True)
    count = next((int(word) for word in words if word.isdigit()), LEDGER_TABLE_ROWS)
    rows = (app.ledger.of_layer(*layers) if layers else app.ledger.rows)[-count:] if count else []
    if "json" in words:
        return CommandOutput(_json([row_data(row) for row in rows]))
    return CommandOutput(table_text([_row(row) for row in rows]) if rows else "no layer has changed the context yet")


def _export(app: App, name: str) -> CommandOutput:
    """All rows as JSON lines into a file that is new."""
    path = app.paths.project / (name or f"events-{app.session.session_id[:8]}.jsonl")
    try:
        count = export_rows(app.ledger, path)
    except OSError as error:
        return CommandOutput(f"{path} was not written: {error.strerror or error}", is_error=True)
    return CommandOutput(f"{count} events written to {path}")


async def _recall(app: App, argument: str) -> CommandOutput:
    """An id with lines or a text to find in it; or a text to find everywhere; alone the stored outputs."""
    words = argument.split(maxsplit=1)

    def look() -> str:
        if not words:
            return stored_list(app.session.deps.outputs.store)
        if not app.recall.knows(words[0]):
            return app.recall.search(argument)
        rest = words[1] if len(words) > 1 else None
        is_range = rest is not None and rest.replace("-", "").strip().isdigit()
        return app.recall.show(words[0], lines=rest if is_range else None, pattern=None if is_range else rest)

    await app.session.deps.outputs.settle()
    try:
        text = await asyncio.to_thread(look)
    except ToolError as error:
        return CommandOutput(str(error), is_error=True)
    return CommandOutput(clean_terminal_text(text))


async def _reload(app: App, argument: str) -> CommandOutput:
    sheet = reload_sheet(app.session.deps) if argument.strip() not in ("now", "later") else None
    if sheet is not None:
        return CommandOutput(sheet.as_text("/reload"), action="price", payload="/reload", sheet=sheet)
    if argument.strip() == "later":
        return CommandOutput("the changed prompt enters at the next compaction")
    settings = apply_settings(app)
    changed = [*app.session.deps.requests.reload_prompt(), *settings.applied]
    lines = [f"in force from the next message on: {', '.join(changed)}"] if changed else []
    lines += [f"needs a new session (/new): {', '.join(settings.later)}"] if settings.later else []
    lines += settings.problems
    return CommandOutput("\n".join(lines) or "nothing changed: the prompt is the one being sent", action="commands")


async def _engine(app: App, argument: str) -> CommandOutput:
    engine = app.session.deps.engine
    if argument in ("retry", "retry now"):
        sheet = engine_sheet(app.session.deps, engine.wanted) if argument == "retry" else None
        if sheet is not None:
            return CommandOutput(sheet.as_text("/engine retry"), action="price", payload="/engine retry", sheet=sheet)
        engine.retry()
        return CommandOutput(f"{engine.wanted} is tried again with the next request")
    fault = f"\n{engine.fault.reason}" if engine.fault else ""
    return CommandOutput(f"engine in use: {engine.in_use} (configured: {engine.wanted}){fault}")


def _row(row: LedgerRow) -> tuple[str, ...]:
    told = row.tokens_before is not None and row.tokens_after is not None
    size = f"{row.tokens_before:,} → {row.tokens_after:,}" if told else ""
    price = dollars(row.cost_usd) if row.cost_usd is not None else ""
    seconds = f"{row.seconds:.1f} s" if row.seconds is not None else ""
    clock = time.strftime("%H:%M:%S", time.localtime(row.time))
    reason = row.reason if len(row.reason) <= LEDGER_REASON_CHARS else row.reason[: LEDGER_REASON_CHARS - 1] + "…"
    return clock, f"{row.layer} {row.verb}", size, price, seconds, reason, row.way_back


def _json(data: object) -> str:
    import json

    return json.dumps(data, indent=2, ensure_ascii=False)


CONTEXT_COMMANDS = (
    Command(
        "context",
        "what fills the window; acts on one thing in it",
        _context,
        hint="[json|items|tree|look ID|clear ID|recall ID|open ID]",
        aliases=("tokens",),
    ),
    COMPACT_COMMAND,
    Command("cache", "how the prompt cache did, call by call", _cache, hint="[n|json]"),
    Command("events", "what the context layers did", _events, hint="[layer] [n] [json] | export [FILE]"),
    Command("recall", "look up what left the context", _recall, hint="[id|text] [lines|text]"),
    Command("reload", "let changed files and settings enter now", _reload, hint="[now|later]", while_busy="wait"),
    Command("engine", "the context engine in use", _engine, hint="[retry]"),
)
