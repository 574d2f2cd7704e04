"""What the panels' screens ask of the session behind them: the request taken apart, texts, compactions, commands.

The screens own no state of the agent; everything they do is a command of the one table, as if it had been typed.
"""

import json
from pathlib import Path

from openclaw_tui.agent.breakdown import context_breakdown
from openclaw_tui.agent.budget_tree import Node, budget_tree
from openclaw_tui.agent.compaction_desk import latest_id
from openclaw_tui.agent.compaction_record import CompactionRecord
from openclaw_tui.agent.undoing import UndoWays
from openclaw_tui.app.compose import App as Composed
from openclaw_tui.commands.registry import CommandOutput, CommandTable
from openclaw_tui.errors import OpenClawError
from openclaw_tui.ledger.snapshots import prompt_sections
from openclaw_tui.ui.cache_view import BreakCard


class PanelDesk:
    """One for the session on the screen."""

    def __init__(self, composed: Composed, commands: CommandTable) -> None:
        self._composed = composed
        self._commands = commands

    def tree(self) -> tuple[Node, ...]:
        """The next request taken apart, as it stands now."""
        requests = self._composed.session.deps.requests
        return budget_tree(requests, context_breakdown(requests, self._composed.prompt_source.files))

    def text_of(self, key: str) -> str:
        """The whole text of one thing of the request; empty where it has none of its own."""
        session = self._composed.session
        prompt, tools = session.deps.requests.preview_prompt()
        for tool in tools:
            if key in (f"tool {tool.name}", tool.name):
                return f"{tool.description}\n\n{json.dumps(dict(tool.parameters), indent=2, ensure_ascii=False)}"
        whole = {"stable system prompt": prompt.stable, "dynamic system prompt": prompt.dynamic}
        sections = {**prompt_sections(prompt.dynamic), **prompt_sections(prompt.stable), **whole}
        if key in sections:
            return sections[key]
        return session.items.text_of("summary" if key == "summary" else key.partition("/")[0])

    def file_of(self, key: str) -> Path | None:
        """The file that a thing is about or is made of."""
        for file in self._composed.prompt_source.files:
            if key in (file.shown_path, file.name) and file.path.is_file():
                return file.path
        return self._composed.session.items.file_of(key)

    def versions(self, card: BreakCard) -> tuple[str, str]:
        """Old and new of what broke the cache: whole sections while both prompts are kept, else the two lines."""
        prompts = self._composed.session.deps.requests.cache.prompts
        old, new = prompts.previous, prompts.last
        name = card.where.rpartition(", line")[0] or card.where
        if old is not None and new is not None:
            for was, now in ((old.stable, new.stable), (old.dynamic, new.dynamic)):
                before, after = prompt_sections(was).get(name, ""), prompt_sections(now).get(name, "")
                if before != after and card.before in before and card.after in after:
                    return before, after
        return pretty(card.before), pretty(card.after)

    def record(self, number: int) -> CompactionRecord | None:
        """The compaction that a row of the ledger tells of."""
        rows = self._composed.ledger.rows
        return self._composed.session.compactions.of_row(rows[number]) if number < len(rows) else None

    def again(self, entry_id: str) -> CompactionRecord | None:
        """The same compaction as it is now; the edited one where its text was changed since."""
        desk = self._composed.session.compactions
        current = latest_id(self._composed.session.deps)
        newer = desk.record() if current else None
        return newer if newer is not None and (newer.is_edited or newer.entry_id == entry_id) else desk.record(entry_id)

    def ways(self) -> UndoWays | None:
        return self._composed.session.compactions.ways()

    async def run(self, line: str) -> CommandOutput:
        """Run a command as if it had been typed."""
        parsed = self._commands.parse(line)
        if parsed is None or parsed.command is None:
            return CommandOutput(f"{line} is no command", is_error=True)
        try:
            return await parsed.command.run(self._composed, parsed.argument)
        except OpenClawError as error:
            return CommandOutput(str(error), is_error=True)


def pretty(text: str) -> str:
    """A schema in lines of its own; every other text as it is."""
    if not text.startswith("{"):
        return text
    try:
        return json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    except ValueError:
        return text
