"""Commands about how one works together: planning first, what waits, more folders, a guide for the project, a check."""

import asyncio
import os
from pathlib import Path

from openclaw_tui.app.compose import App
from openclaw_tui.commands.registry import Command, CommandOutput
from openclaw_tui.config.schema import BY_KEY

_INIT = """\
Write a guide for coding agents into AGENTS.md at the root of this project. Look at the code first: build files, tests,
continuous integration, how the source is laid out. Then write what someone new needs and cannot see at once: the exact
commands to build, test (one test as well) and lint; how the code is divided and where to begin reading; conventions the
code really follows; traps. No general advice, nothing that any file listing tells, at most about 100 lines. If there is
an AGENTS.md or CLAUDE.md already, keep what is true in it and change only what is wrong or missing;
show me the change and wait for my yes before you write over it."""


async def _plan(app: App, argument: str) -> CommandOutput:
    """On, off, or on with the first words of the task."""
    word = argument.strip()
    permissions = app.permissions
    if word.lower() == "off" or (not word and permissions.mode == "plan"):
        permissions.mode = "default"
        return CommandOutput("planning is over: changes are asked about again")
    permissions.mode = "plan"
    if word and word.lower() != "on":
        app.session.prompt(word)
        return CommandOutput("plan mode: it looks and plans, nothing is changed")
    return CommandOutput("plan mode: it looks and plans, nothing is changed; /plan off or Shift+Tab ends it")


async def _queue(app: App, argument: str) -> CommandOutput:
    """What waits and how Enter queues; with a word how it is to queue in this session."""
    setting, wanted = BY_KEY["ui.enterWhileWorking"], argument.strip().lower()
    if wanted == "clear":
        back: list[str] = []
        while (waiting := app.session.take_back()) is not None:
            back.insert(0, waiting.text)
        return CommandOutput("taken back:\n" + "\n".join(back) if back else "nothing waits")
    if wanted:
        if wanted not in setting.choices:
            return CommandOutput(f"use /queue {', '.join(setting.choices)} or clear", is_error=True)
        app.config.set(setting, wanted, "this session")
        return CommandOutput(f"Enter while it works now means: {_ENTER_MEANS[wanted]}")
    inbox = app.session.deps.inbox
    lines = [f"next step: {text}" for text in inbox.texts("steering")]
    lines += [f"after the turn: {text}" for text in inbox.texts("follow_up")]
    means = _ENTER_MEANS[str(app.config.get(setting.key))]
    return CommandOutput("\n".join([f"Enter while it works: {means}", *(lines or ["nothing waits"])]))


_ENTER_MEANS = {
    "steer": "it goes in at the next safe point",
    "follow-up": "it waits for the end of the turn",
    "interrupt": "the turn stops and it is sent at once",
}


async def _add_dir(app: App, argument: str) -> CommandOutput:
    wanted = argument.strip()
    workspace = app.session.deps.runner.workspace
    if not wanted:
        roots = [str(app.paths.project), *map(str, workspace.added)]
        return CommandOutput("folders it works in:\n" + "\n".join(f"  {root}" for root in roots))
    path = Path(os.path.abspath(app.paths.project / os.path.expanduser(wanted)))
    if not path.is_dir():
        return CommandOutput(f"{path} is no folder", is_error=True)
    if workspace.contains(Path(os.path.realpath(path))):
        return CommandOutput(f"{path} is within its folders already")
    workspace.added = (*workspace.added, path)
    return CommandOutput(f"{path} is one of its folders until the session is left; --add-dir keeps it from the start")


async def _init(app: App, argument: str) -> CommandOutput:
    """The agent writes the guide; the ordinary question about the file shows the change before it is made."""
    app.session.prompt(f"{_INIT}\n\n{argument.strip()}" if argument.strip() else _INIT)
    return CommandOutput()


async def _doctor(app: App, argument: str) -> CommandOutput:
    from openclaw_tui.app.health import examine, findings_text

    findings = await asyncio.to_thread(lambda: list(examine(app.paths, app.config)))
    return CommandOutput(findings_text(findings))


WORKING_COMMANDS = (
    Command("plan", "look and plan, change nothing", _plan, hint="[task|off]", while_busy="wait"),
    Command(
        "queue", "what waits, and what Enter does while it works", _queue, hint="[steer|follow-up|interrupt|clear]"
    ),
    Command("add-dir", "one more folder to work in", _add_dir, hint="[folder]", aliases=("directory",)),
    Command("init", "write AGENTS.md from the code", _init, hint="[wishes]", while_busy="wait"),
    Command("doctor", "check terminal, keys, settings and sessions", _doctor),
)
