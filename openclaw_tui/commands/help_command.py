"""`/help` and the table of all commands."""

from openclaw_tui.app.compose import App
from openclaw_tui.commands.agent_commands import AGENT_COMMANDS
from openclaw_tui.commands.context_commands import CONTEXT_COMMANDS
from openclaw_tui.commands.diff_command import DIFF_COMMAND
from openclaw_tui.commands.file_commands import file_commands
from openclaw_tui.commands.find_command import FIND_COMMANDS
from openclaw_tui.commands.login_commands import LOGIN_COMMANDS
from openclaw_tui.commands.memory_commands import MEMORY_COMMANDS
from openclaw_tui.commands.model_commands import MODEL_COMMANDS
from openclaw_tui.commands.registry import Command, CommandOutput, CommandTable, table_text
from openclaw_tui.commands.rewind_commands import REWIND_COMMANDS
from openclaw_tui.commands.session_commands import SESSION_COMMANDS
from openclaw_tui.commands.setting_commands import SETTING_COMMANDS
from openclaw_tui.commands.skill_commands import SKILL_COMMANDS
from openclaw_tui.commands.talk_commands import TALK_COMMANDS
from openclaw_tui.commands.trust_commands import TRUST_COMMANDS
from openclaw_tui.commands.working_commands import WORKING_COMMANDS
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
        *REWIND_COMMANDS,
        DIFF_COMMAND,
        *TALK_COMMANDS,
        *FIND_COMMANDS,
        *CONTEXT_COMMANDS,
        *MODEL_COMMANDS,
        *WORKING_COMMANDS,
        *SETTING_COMMANDS,
        *LOGIN_COMMANDS,
        *AGENT_COMMANDS,
        *SKILL_COMMANDS,
        *MEMORY_COMMANDS,
        *TRUST_COMMANDS,
    )
    if paths is not None:
        taken = {name for command in table.commands for name in (command.name, *command.aliases)}
        table.add(*file_commands(paths, taken, trusted=trusted)[0])
    return table


def refresh_commands(table: CommandTable, app: App) -> None:
    """Read the commands of files anew, by the trust in force; whoever holds the table sees the change."""
    table.commands[:] = all_commands(app.paths, trusted=app.config.project_trusted).commands
