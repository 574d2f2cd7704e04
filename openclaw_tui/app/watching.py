"""What a front end watches while it runs, and what it says when something changed.

Watched: the named files of the prompt, the skills, the settings, and the files the agent has read. A change is told,
with its price where it has one; it never enters a running talk by itself.
"""

from collections.abc import Iterator
from pathlib import Path

from openclaw_tui.app.compose import App
from openclaw_tui.app.reload import look_at_settings
from openclaw_tui.config.paths import git_root
from openclaw_tui.constants import STALE_FILES_NAMED
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
        _tell_settings(app)
    prompt = (changed - settings - read_before) | (changed & frozenset(_prompt_files(app)))
    if prompt and app.session.deps.requests.foretell_changes():
        _say(app, "info", f"{_names(sorted(prompt))} changed: read with the next message")
    if read_before and not app.session.is_busy:  # while the agent works, the changes are mostly its own
        _tell_stale(app, read_before)


def _watched(app: App) -> Watched:
    roots = [Path(root.path) for root in app.skills.roots] if app.config.get("skills.watch") else []
    return Watched(
        files=frozenset((*_prompt_files(app), *_settings_files(app))), roots=tuple(roots), known=app.files.seen_states
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


def _tell_settings(app: App) -> None:
    change = look_at_settings(app)
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
