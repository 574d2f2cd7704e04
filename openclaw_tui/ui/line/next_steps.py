"""What a person types next where the full screen would open something: the words of line mode for it."""

from openclaw_tui.commands.registry import CommandOutput

_STEPS = {
    "pick_session": "/resume ID goes on with one of them",
    "pick_model": "/model PROVIDER/MODEL chooses one",
}


def next_step(output: CommandOutput) -> str:
    """One line, or nothing."""
    if output.action == "confirm":
        return f"{output.payload} does it all the same"
    return _STEPS.get(output.action, "")
