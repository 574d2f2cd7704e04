"""`/help` and the table of all commands."""

from openclaw_tui.app.compose import App
from openclaw_tui.commands.agent_commands import AGENT_COMMANDS
from openclaw_tui.commands.context_commands import CONTEXT_COMMANDS
from openclaw_tui.commands.file_commands import file_commands
from openclaw_tui.commands.memory_commands import MEMORY_COMMANDS
from openclaw_tui.commands.model_commands import MODEL_COMMANDS
from openclaw_tui.commands.registry import Command, CommandOutput, CommandTable, table_text
from openclaw_tui.commands.session_commands import SESSION_COMMANDS
from openclaw_tui.commands.skill_commands import SKILL_COMMANDS
from openclaw_tui.config.paths import Paths


def all_commands(paths: Paths | None = None, *, trusted: bool = False) -> CommandTable:
    """Every command, in the order of the menu. A new one is a row in one of these tuples.

    With `paths` those from files follow; the files of a project only where it is `trusted`.
    """
    table = CommandTable()

    async def _help(app: App, argument: str) -> CommandOutput:
        rows = [(f"/{c.name} {c.hint}".strip(), c.summary) for c in table.commands]
        return CommandOutput(table_text(rows), action="help")

    table.add(
        Command("help", "keys and commands", _help, aliases=("?", "h", "commands")),
        *SESSION_COMMANDS,
        *CONTEXT_COMMANDS,
        *MODEL_COMMANDS,
        *AGENT_COMMANDS,
        *SKILL_COMMANDS,
        *MEMORY_COMMANDS,
    )
    if paths is not None:
        taken = {name for command in table.commands for name in (command.name, *command.aliases)}
        table.add(*file_commands(paths, taken, trusted=trusted)[0])
    return table
