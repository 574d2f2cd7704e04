"""`/rewind`, `/undo`, `/tree`, `/fork`: going back, and going elsewhere in the session tree.

Each works as a line of text alone; the full screen opens a picker where no argument is given, and runs the same lines.
"""

import asyncio
import dataclasses
import time
from collections.abc import Awaitable, Callable
from typing import get_args

from msgspec.structs import replace

from openclaw_tui.agent.rewind_desk import Prompt, RewindDesk, RewindOutcome, What
from openclaw_tui.app.compose import App
from openclaw_tui.commands.registry import Command, CommandOutput
from openclaw_tui.commands.rewind_text import preview_text, prompts_text
from openclaw_tui.errors import SessionError
from openclaw_tui.session.outline import FILTERS, Filter, outline

_STOPPED = "Stopped; what was done by then can be taken back with /rewind undo."
_REWIND_USE = "/rewind N [talk|files|both] [overwrite], or /rewind undo; N as /rewind lists them"
_TREE_USE = "/tree [prompts|labelled], /tree go ID, /tree label ID [NAME], /tree fork ID"


async def _rewind(app: App, argument: str) -> CommandOutput:
    words = argument.split()
    if not words:
        return CommandOutput(prompts_text(app.rewinds.prompts(), time.time()), action="rewind", payload="last_prompt")
    overwrite = words[-1] == "overwrite"
    words = words[:-1] if overwrite else words
    if words == ["undo"]:
        return await _apart(app, lambda: app.rewinds.undo(overwrite=overwrite))
    prompt = _numbered(app.rewinds, words[0]) if words else None
    if prompt is None or len(words) > 2:
        return CommandOutput(f"There is no such prompt. {_REWIND_USE}", is_error=True)
    if len(words) == 1:
        view = await asyncio.to_thread(app.rewinds.preview, prompt)
        return CommandOutput("\n".join([*preview_text(view, app.rewinds), f"/rewind {prompt.number} talk|files|both"]))
    what = next((known for known in get_args(What) if known == words[1]), None)
    if what is None:
        return CommandOutput(f"{words[1]!r} is neither talk, files nor both. {_REWIND_USE}", is_error=True)
    return await _apart(app, lambda: app.rewinds.rewind(prompt, what, overwrite=overwrite))


async def _undo(app: App, argument: str) -> CommandOutput:
    if argument:
        return await _rewind(app, argument)
    return CommandOutput(prompts_text(app.rewinds.prompts(), time.time()), action="rewind", payload="last_change")


async def _tree(app: App, argument: str) -> CommandOutput:
    verb, _, rest = argument.partition(" ")
    match verb:
        case "go" if rest:
            target = _entry(app, rest.strip())
            return await _apart(app, lambda: app.rewinds.go_to(target))
        case "label" if rest:
            return _label(app, *rest.strip().partition(" ")[::2])
        case "fork" if rest:
            return _fork_at(app, _entry(app, rest.strip()))
    show = next((known for known in FILTERS if known == (verb or "all")), None)
    if show is None or rest:
        return CommandOutput(f"{_TREE_USE}", is_error=True)
    return CommandOutput(_tree_text(app, show), action="tree", payload=show)


async def _fork(app: App, argument: str) -> CommandOutput:
    """A number alone is a point to begin at; everything else is the copy's first prompt."""
    if app.session.deps.manager.path is None:
        return CommandOutput("this session is not stored, so it cannot be forked", is_error=True)
    if argument.isascii() and argument.isdigit():
        prompt = _numbered(app.rewinds, argument)
        if prompt is None:
            return CommandOutput(f"There is no prompt {argument}; /rewind lists them.", is_error=True)
        return _fork_at(app, prompt.entry_id)
    return _forked(app, None, prompt=argument)


def _fork_at(app: App, entry_id: str) -> CommandOutput:
    """A copy up to an entry; one of the user's prompts stays out, its text is for the editor."""
    manager = app.session.deps.manager
    if manager.path is None:
        return CommandOutput("this session is not stored, so it cannot be forked", is_error=True)
    prompt = next((found for found in app.rewinds.prompts() if found.entry_id == entry_id), None)
    entry = manager.entry(entry_id)
    if prompt is None or entry is None:
        return _forked(app, entry_id)
    if entry.parent_id is None:
        options = dataclasses.replace(
            app.options, prompt=None, resume=None, continue_last=False, fork=False, session_id=None
        )
        return CommandOutput("a new session", action="switch", options=options, draft=prompt.text)
    return replace(_forked(app, entry.parent_id), draft=prompt.text)


def _forked(app: App, at: str | None, prompt: str = "") -> CommandOutput:
    options = dataclasses.replace(
        app.options,
        prompt=prompt or None,
        resume=app.session.session_id,
        continue_last=False,
        fork=True,
        fork_at=at,
        session_id=None,
    )
    return CommandOutput("going on in a copy", action="switch", options=options)


def _label(app: App, target: str, name: str) -> CommandOutput:
    entry_id = _entry(app, target)
    app.session.deps.manager.append_label(entry_id, name.strip() or None)
    return CommandOutput(f"labelled {name.strip()!r}" if name.strip() else "the label is taken away")


def _entry(app: App, word: str) -> str:
    """The entry with this id or label. Raises SessionError."""
    manager = app.session.deps.manager
    if manager.entry(word) is not None:
        return word
    found = [entry_id for entry_id, label in manager.labels().items() if label == word]
    if not found:
        raise SessionError(f"There is no entry and no label {word!r} in this session; /tree lists them.")
    return found[-1]


def _tree_text(app: App, show: Filter) -> str:
    rows = outline(app.session.deps.manager, show)
    if not rows:
        return "nothing is labelled" if show == "labelled" else "the session is empty yet"
    return "\n".join([*(f"{row.entry_id}  {row.line}" for row in rows), "", _TREE_USE])


def _numbered(desk: RewindDesk, word: str) -> Prompt | None:
    if not (word.isascii() and word.isdigit()):
        return None
    return next((prompt for prompt in desk.prompts() if prompt.number == int(word)), None)


async def _apart(app: App, work: Callable[[], Awaitable[RewindOutcome]]) -> CommandOutput:
    """Do it like a turn, so that Esc stops it and what is typed meanwhile waits."""
    found: list[RewindOutcome] = []

    async def line() -> str:
        found.append(await work())
        return found[0].line

    text = await app.session.apart(line, stopped=_STOPPED)
    if not found:
        return CommandOutput(text, is_error=True)
    outcome = found[0]
    return CommandOutput(
        text, action="rewound" if outcome.moved else "", draft=outcome.draft, is_error=outcome.is_error
    )


REWIND_COMMANDS = (
    Command(
        "rewind",
        "go back to before a prompt: talk, files or both",
        _rewind,
        hint="[N] [talk|files|both]",
        aliases=("restore",),
        while_busy="wait",
    ),
    Command("undo", "/rewind at the last change of files", _undo, while_busy="wait"),
    Command("tree", "branches of this session: look, switch, label", _tree, while_busy="wait"),
    Command(
        "fork",
        "go on in a copy, from here or from before prompt N",
        _fork,
        hint="[N]",
        aliases=("branch",),
        while_busy="wait",
    ),
)
