"""`/memory`: what is noted for later sessions, where, and when it was last written; searching and taking back."""

import asyncio
import time
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

from openclaw_tui.agent.memory_flush import last_flush
from openclaw_tui.app.compose import App
from openclaw_tui.app.memory import build_search
from openclaw_tui.commands.registry import Command, CommandOutput
from openclaw_tui.ledger.ledger import LedgerRow
from openclaw_tui.memory.files import Written, note_files, take_back
from openclaw_tui.tools.memory_tools import result_text


async def _memory(app: App, argument: str) -> CommandOutput:
    verb, _, rest = argument.strip().partition(" ")
    match verb:
        case "" | "show":
            return CommandOutput(await asyncio.to_thread(_show, app))
        case "search":
            return await _search(app, rest.strip())
        case "edit":
            return _edit(app, rest.strip())
        case "reload":
            changed = app.session.deps.requests.reload_prompt()
            return CommandOutput(f"taken in: {', '.join(changed)}" if changed else "nothing has changed")
        case "undo":
            return _undo(app)
        case _:
            return CommandOutput("use /memory [show], search WORDS, edit [today], reload or undo", is_error=True)


def _edit(app: App, which: str) -> CommandOutput:
    """MEMORY.md, or the notes of a day: `today` or its date. What was changed is taken in afterwards."""
    places = app.memory.places
    try:
        day = date.today() if which == "today" else date.fromisoformat(which) if which else None
    except ValueError:
        return CommandOutput("use /memory edit, /memory edit today or /memory edit YYYY-MM-DD", is_error=True)
    file = places.daily(day) if day is not None else places.long_term
    text = f"{file} · /memory reload takes in what was changed"
    return CommandOutput(text, action="edit_file", payload=str(file), draft="/memory reload")


def _show(app: App) -> str:
    places = app.memory.places
    where = "in this project" if places.in_project else "kept outside the project"
    lines = [f"notes {where}: {places.root}"]
    for file in note_files(places):
        if file.problem == "does not exist":
            continue
        lines.append(f"  {file.shown}: {file.problem or f'{file.size:,} bytes'}")
    if len(lines) == 1:
        lines.append("  there are none yet")
    return "\n".join([*lines, _flush_line(app)])


def _flush_line(app: App) -> str:
    if not app.memory.flush.enabled:
        return "notes before a compaction: off (agents.defaults.compaction.memoryFlush.enabled)"
    rows = app.ledger.rows
    done = sum(row.layer == "memory" and row.verb == "flush_done" for row in rows)
    skipped = next((row for row in reversed(rows) if row.layer == "memory" and row.verb == "flush_skipped"), None)
    record = last_flush(app.session.deps.manager)
    last = f", last {_clock(record.at / 1000)}" if record else ""
    files = f" into {', '.join(record.files)}" if record and record.files else ""
    why = f"; last skipped {_clock(skipped.time)}: {skipped.reason}" if skipped else ""
    return f"notes before a compaction: on, done {done} times{last}{files}{why}"


async def _search(app: App, words: str) -> CommandOutput:
    if not words:
        return CommandOutput("say what to search for: /memory search WORDS", is_error=True)
    search = build_search(app.config, app.paths, app.memory.places)

    def work() -> str:
        try:
            return result_text(search.search(words))
        finally:
            search.close()

    return CommandOutput(await asyncio.to_thread(work))


def _undo(app: App) -> CommandOutput:
    """Take the latest addition of this session back that was not taken back yet."""
    rows = [row for row in app.ledger.rows if row.layer == "memory" and row.verb == "written"]
    undone = {row.data.get("undid") for row in rows}
    last = next((row for row in reversed(rows) if "offset" in row.data and _key(row.data) not in undone), None)
    if last is None:
        return CommandOutput("there is nothing to take back in this session")
    line = take_back(_written(last))
    app.session.deps.acts.record("memory", "written", f"taken back: {line}", undid=_key(last.data))
    return CommandOutput(line)


def _written(row: LedgerRow) -> Written:
    data = row.data
    return Written(
        path=Path(str(data["path"])),
        text=str(data.get("text", "")),
        offset=int(data["offset"]),
        size=int(data["bytes"]),
        digest=str(data["sha256"]),
        created=bool(data.get("created")),
    )


def _key(data: Mapping[str, Any]) -> str:
    return f"{data.get('path')}@{data.get('offset')}"


def _clock(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


MEMORY_COMMANDS = (Command("memory", "notes for later sessions", _memory, hint="[search WORDS, edit, reload, undo]"),)
