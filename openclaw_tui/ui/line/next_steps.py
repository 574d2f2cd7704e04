"""Commands in line mode: what one of them says, and what a person types where the full screen would open something."""

from openclaw_tui.agent.user_shell import ShellAct
from openclaw_tui.app.compose import App
from openclaw_tui.commands.registry import CommandOutput, Parsed
from openclaw_tui.errors import OpenClawError
from openclaw_tui.tools.terminal_text import clean_terminal_text

_STEPS = {
    "pick_session": "/resume ID goes on with one of them",
    "pick_model": "/model PROVIDER/MODEL chooses one",
}


async def output_of(parsed: Parsed, app: App) -> CommandOutput:
    """Run a command; what it could not do is its output, never the end of the program."""
    if parsed.command is None:
        return CommandOutput(parsed.problem, is_error=True)
    try:
        return await parsed.command.run(app, parsed.argument)
    except OpenClawError as error:
        return CommandOutput(str(error), is_error=True)


def next_step(output: CommandOutput) -> str:
    """One line, or nothing."""
    if output.action == "confirm":
        return f"{output.payload} does it all the same"
    return _STEPS.get(output.action, "")


async def typed_command(act: ShellAct, app: App) -> tuple[str, bool]:
    """Run what was typed behind `!` or `!!`; a line on what it costs the context, and whether it could not be run."""
    try:
        line = await app.session.shell.run(act)
        if act.shared:
            return f"! {line}", False  # the message with the output is shown as every other one
        return f"{clean_terminal_text(app.session.shell.output)}\n!! {line}", False
    except OpenClawError as error:
        return str(error), True
