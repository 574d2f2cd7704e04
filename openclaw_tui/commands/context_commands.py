"""Commands about the context: what fills it, what the layers did, and compaction by hand."""

import time

from openclaw_tui.agent.breakdown import context_breakdown
from openclaw_tui.app.compose import App
from openclaw_tui.commands.registry import Command, CommandOutput, table_text
from openclaw_tui.ledger.ledger import LedgerRow


async def _context(app: App, argument: str) -> CommandOutput:
    breakdown = context_breakdown(app.session.deps.requests, app.prompt_source.files)
    if argument == "json":
        import json

        return CommandOutput(json.dumps(breakdown.as_data(), indent=2, ensure_ascii=False))
    return CommandOutput(breakdown.as_text())


async def _compact(app: App, argument: str) -> CommandOutput:
    focus = argument.removeprefix("--").strip() if argument.startswith("--") else argument
    return CommandOutput(await app.session.compact(focus))


async def _events(app: App, argument: str) -> CommandOutput:
    count = int(argument) if argument.isdigit() else 20
    rows = [_row(row) for row in app.ledger.rows[-count:]]
    return CommandOutput(table_text(rows) if rows else "no layer has changed the context yet")


async def _engine(app: App, argument: str) -> CommandOutput:
    engine = app.session.deps.engine
    if argument == "retry":
        engine.retry()
        return CommandOutput(f"{engine.wanted} is tried again with the next request")
    fault = f"\n{engine.fault.reason}" if engine.fault else ""
    return CommandOutput(f"engine in use: {engine.in_use} (configured: {engine.wanted}){fault}")


def _row(row: LedgerRow) -> tuple[str, str, str, str]:
    size = f"{row.tokens_before:,} → {row.tokens_after:,}" if row.tokens_before and row.tokens_after else ""
    return time.strftime("%H:%M:%S", time.localtime(row.time)), f"{row.layer} {row.verb}", size, row.reason[:80]


CONTEXT_COMMANDS = (
    Command("context", "what fills the window", _context, hint="[json]", aliases=("tokens",)),
    Command("compact", "summarise now", _compact, hint="[focus]", aliases=("compress", "summarize", "condense")),
    Command("events", "what the context layers did", _events, hint="[n]"),
    Command("engine", "the context engine in use", _engine, hint="[retry]"),
)
