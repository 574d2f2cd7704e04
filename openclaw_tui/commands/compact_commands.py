"""`/compact`: compact now, look first, apply, undo, do it again.

A verb counts only where it is the whole first word and nothing but its own argument follows; everything else is a
focus. `/compact -- undo the login` is always a focus.
"""

from openclaw_tui.agent.session import COMPACTION_STOPPED
from openclaw_tui.app.compose import App
from openclaw_tui.commands.registry import Command, CommandOutput
from openclaw_tui.errors import CompactionFailed

_LONELY_VERBS = ("apply", "undo", "redo")


async def _compact(app: App, argument: str) -> CommandOutput:
    verb, focus = parse_compact(argument)
    if verb in _LONELY_VERBS and focus:
        return CommandOutput(
            f"/compact {verb} takes no text; as a focus it is typed /compact -- {argument.strip()}",
            is_error=True,
        )
    session, desk = app.session, app.session.compactions
    match verb:
        case "preview":
            return CommandOutput(await session.apart(lambda: _preview(app, focus), stopped=COMPACTION_STOPPED))
        case "apply":
            return CommandOutput(await session.apart(desk.apply, stopped=COMPACTION_STOPPED))
        case "undo":
            return CommandOutput(await session.apart(lambda: _at_once(desk.undo()), stopped="Nothing was undone."))
        case "redo":
            return CommandOutput(await session.apart(lambda: _at_once(desk.redo()), stopped="Nothing was done again."))
        case _:
            return CommandOutput(await session.compact(focus))


def parse_compact(argument: str) -> tuple[str, str]:
    """The verb, or none, and the focus behind it."""
    text = argument.strip()
    if text == "--" or text.startswith("-- "):
        return "", text[2:].strip()
    word, _, rest = text.partition(" ")
    if word in ("preview", *_LONELY_VERBS):
        return word, rest.strip().removeprefix("-- ").strip()
    return "", text


async def _preview(app: App, focus: str) -> str:
    try:
        return (await app.session.compactions.preview(focus)).text
    except CompactionFailed as error:
        return f"Compaction skipped: {error}"


async def _at_once(line: str) -> str:
    return line


COMPACT_COMMAND = Command(
    "compact",
    "summarise now, or look first: preview, apply, undo, redo",
    _compact,
    hint="[preview|apply|undo|redo] [focus]",
    aliases=("compress", "summarize", "condense"),
)
