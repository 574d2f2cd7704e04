"""`/btw`, `/export`, `/copy`: things done with the talk that do not change it."""

import os
import re
from pathlib import Path

from openclaw_tui.agent.aside import ask_aside
from openclaw_tui.app.compose import App
from openclaw_tui.app.masks import masked_export
from openclaw_tui.atomic_write import atomic_write_bytes
from openclaw_tui.commands.registry import Command, CommandOutput
from openclaw_tui.messages import AssistantMessage, text_of
from openclaw_tui.session.export import FORMATS
from openclaw_tui.session.listing import short_id

_OVERWRITE = "--overwrite "
_FENCE = re.compile(r"^( {0,3})(`{3,}|~{3,})[^\n]*\n(.*?)(?:^ {0,3}\2[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)


async def _btw(app: App, argument: str) -> CommandOutput:
    if not argument:
        return CommandOutput("/btw QUESTION asks beside the talk; nothing of it stays", is_error=True)
    answer = await ask_aside(app.session.deps, argument, busy=app.session.is_busy)
    text = f"beside the talk: {argument}\n\n{answer.text}\n\n{answer.figures} · not kept"
    return CommandOutput(text, action="aside", payload=answer.text, data=answer)


async def _export(app: App, argument: str) -> CommandOutput:
    overwrite = argument.startswith(_OVERWRITE)
    name = argument.removeprefix(_OVERWRITE).strip() or f"session-{short_id(app.session.session_id)}.md"
    target = app.paths.project / Path(os.path.expanduser(name))
    if target.suffix.lower() not in FORMATS:
        return CommandOutput(f"{name}: choose one of the endings {', '.join(FORMATS)}", is_error=True)
    if target.is_dir():
        return CommandOutput(f"{target} is a folder; give the name of a file", is_error=True)
    if target.exists() and not overwrite:
        return CommandOutput(f"{target} exists already.", action="confirm", payload=f"/export {_OVERWRITE}{name}")
    data = masked_export(app.session.deps.manager, target.suffix.lower())
    try:
        atomic_write_bytes(target, data)
    except OSError as error:
        return CommandOutput(f"{target} cannot be written: {os.strerror(error.errno or 0)}", is_error=True)
    return CommandOutput(f"written {target} ({FORMATS[target.suffix.lower()]}, {len(data):,} bytes)")


async def _copy(app: App, argument: str) -> CommandOutput:
    """`/copy`, `/copy N` for the Nth last answer, `/copy code [N]` for its last block of code."""
    words = argument.split()
    wants_code = words[:1] == ["code"]
    number = "".join(words[1:] if wants_code else words) or "1"
    if not number.isdecimal() or int(number) < 1:
        return CommandOutput("/copy [N], or /copy code [N]; N counts answers from the last one", is_error=True)
    answers = _answers(app)
    if len(answers) < int(number):
        told = f"there are {len(answers)} answers only" if answers else "there is no answer yet"
        return CommandOutput(told, is_error=True)
    text = answers[-int(number)]
    which = "the last answer" if int(number) == 1 else f"answer {number} from the end"
    if wants_code:
        blocks = [match[3] for match in _FENCE.finditer(text)]
        if not blocks:
            return CommandOutput(f"there is no block of code in {which}", is_error=True)
        return CommandOutput(f"copied the last code of {which}", action="copy", payload=blocks[-1].removesuffix("\n"))
    return CommandOutput(f"copied {which}", action="copy", payload=text)


def _answers(app: App) -> list[str]:
    """Answers with text, oldest first, those a compaction covers as well."""
    messages = (getattr(entry, "message", None) for entry in app.session.deps.manager.branch())
    texts = (text_of(message.content) for message in messages if isinstance(message, AssistantMessage))
    return [text for text in texts if text.strip()]


TALK_COMMANDS = (
    Command("btw", "ask beside the talk; nothing of it stays", _btw, hint="QUESTION", aliases=("side",)),
    Command(
        "export",
        "the talk as a file: .md, .html or .jsonl",
        _export,
        hint="[PATH]",
        aliases=("export-session", "share"),
    ),
    Command("copy", "an answer, or its code, to the clipboard", _copy, hint="[N] [code]"),
)
