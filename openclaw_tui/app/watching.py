"""What a front end watches while it runs, and what it says when something changed.

Watched: the named files of the prompt and what they bring in, the skills, agent and command files, the settings, and
the files the agent has read. A change is told,
with its price where it has one; it never enters a running talk by itself.
"""

import asyncio
from collections.abc import Iterator
from pathlib import Path

from openclaw_tui.agent.agent_files import agent_folders
from openclaw_tui.app.compose import App
from openclaw_tui.app.reload import look_at_settings
from openclaw_tui.app.trust import COMMAND_FOLDER, left_out_line, look_at_folder
from openclaw_tui.config.paths import git_root, project_bases
from openclaw_tui.constants import STALE_FILES_NAMED, STALE_SETTLE_SECONDS
from openclaw_tui.events import Notice, NoticeLevel
from openclaw_tui.integrations.watch import FileWatch, Watched
from openclaw_tui.prompt.bootstrap_files import GUIDE, GUIDE_FALLBACK, MEMORY, PERSONAL_FILES


def watch_workspace(app: App) -> FileWatch:
    """A watch for a session that somebody looks at; `start` and `close` are the front end's."""
    return FileWatch(_watched(app), lambda changed: tell_changes(app, changed))


def tell_changes(app: App, changed: frozenset[Path]) -> None:
    """Say what the changed files mean for the running session."""
    settings = changed & frozenset(_settings_files(app))
    read_before = changed & frozenset(app.files.seen_states())
    if settings:
        _tell_settings(app, theirs=bool(settings - {app.paths.user_config}))
    commands = {path for path in changed if path.parent.parts[-2:] == COMMAND_FOLDER.parts}
    prompt = (changed - settings - read_before - commands) | (changed & frozenset(_prompt_files(app)))
    if prompt and app.session.deps.requests.foretell_changes():
        _say(app, "info", f"{_names(sorted(prompt))} changed: read with the next message")
    if commands:
        _say(app, "info", "command files changed: in force with /reload")
    if read_before and app.session.is_busy:  # the agent's own writes are known as soon as its tool is done
        asyncio.get_running_loop().call_later(STALE_SETTLE_SECONDS, _tell_stale, app, read_before)
    elif read_before:
        _tell_stale(app, read_before)


def _watched(app: App) -> Watched:
    roots = [Path(root.path) for root in app.skills.roots] if app.config.get("skills.watch") else []
    bases = [*project_bases(app.paths.project), Path.home()]
    return Watched(
        files=frozenset((*_prompt_files(app), *_settings_files(app))),
        roots=tuple(roots),
        known=app.files.seen_states,
        lists=(*agent_folders(bases), *(base / COMMAND_FOLDER for base in bases)),
        more=lambda: [path for file in app.prompt_source.files for path in file.imported_paths],
    )


def _prompt_files(app: App) -> Iterator[Path]:
    project = app.paths.project
    root = git_root(project)
    for folder in (project, *project.parents):
        if folder == project or (root is not None and folder.is_relative_to(root)):
            yield from (folder / GUIDE, folder / GUIDE_FALLBACK)
    for name in PERSONAL_FILES:
        yield from (project / name, app.paths.personal_workspace / name)
    if app.prompt_source.notes is not None:
        yield app.prompt_source.notes / MEMORY


def _settings_files(app: App) -> Iterator[Path]:
    yield from (app.paths.user_config, app.paths.project_config, app.paths.local_config)


def _tell_settings(app: App, *, theirs: bool) -> None:
    change = look_at_settings(app)
    trust = look_at_folder(app.paths) if theirs else app.config.trust
    if theirs and trust.state in ("unasked", "never", "changed"):
        _say(app, "info", f"settings of this folder changed: {left_out_line(trust)}")
        if trust.state == "changed":
            return
    if change.applied:
        _say(app, "info", f"settings changed: {', '.join(change.applied)}; in force with /reload")
    if change.later:
        _say(app, "info", f"settings changed: {', '.join(change.later)}; in force in a new session (/new)")
    for problem in change.problems:
        _say(app, "warning", problem)


def _tell_stale(app: App, paths: frozenset[Path]) -> None:
    stale = sorted(path for path in paths if app.files.is_stale(path))
    if stale:
        _say(app, "info", f"{_names(stale)} changed since the agent read it: it must read it again before an edit")


def _names(paths: list[Path]) -> str:
    shown = ", ".join(path.name for path in paths[:STALE_FILES_NAMED])
    return shown + (f" and {len(paths) - STALE_FILES_NAMED} more" if len(paths) > STALE_FILES_NAMED else "")


def _say(app: App, level: NoticeLevel, text: str) -> None:
    app.session.deps.emit(Notice(app.session.session_key, level, text))
