"""Opening the conversation the flags ask for, and keeping its metadata."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from openclaw_tui.artifacts.checkpoints import CHECKPOINT_FOLDER, inherit_checkpoints
from openclaw_tui.artifacts.store import STORE_FOLDER, inherit
from openclaw_tui.config.paths import Paths
from openclaw_tui.errors import ConfigError, SessionError, SessionNotFound, SessionWriteFailed
from openclaw_tui.options import Options
from openclaw_tui.routing.session_key import build_session_key
from openclaw_tui.safety.secrets import mask_secrets
from openclaw_tui.session.listing import SessionSummary, find_sessions, newest_session, resolve_session, short_id
from openclaw_tui.session.manager import SessionManager
from openclaw_tui.session.store import SessionStore


def open_manager(options: Options, paths: Paths) -> tuple[SessionManager, list[str]]:
    """The session manager and lines about what was found. Raises SessionNotFound, SessionLocked, ConfigError."""
    if options.no_session:
        return SessionManager.in_memory(cwd=paths.project), []
    found = _wanted(options, paths)
    if found is None:
        return _new_session(options, paths), []
    how = {"read_only": options.read_only, "take_over": options.take_over}
    return open_existing(found, paths, fork=options.fork, fork_at=options.fork_at, **how)


def _new_session(options: Options, paths: Paths) -> SessionManager:
    """A new session; an id that cannot be used is a usage error, nothing was begun."""
    try:
        return SessionManager.create(paths.sessions, cwd=paths.project, session_id=options.session_id)
    except SessionError as error:
        raise ConfigError(f"--session-id {options.session_id}: {error}") from error


def open_preview(options: Options, paths: Paths) -> SessionManager:
    """The session the flags name, else the newest of this directory, else an empty one; nothing is ever written."""
    found = _wanted(options, paths) if options.resume is not None else None
    if found is None and not options.no_session and (newest := newest_session(paths.sessions, paths.project)):
        found = newest.path
    return SessionManager.in_memory(cwd=paths.project) if found is None else SessionManager.preview(found)


def open_existing(
    path: Path,
    paths: Paths,
    *,
    fork: bool = False,
    fork_at: str | None = None,
    read_only: bool = False,
    take_over: bool = False,
) -> tuple[SessionManager, list[str]]:
    """Open a session file; one of another program is copied first, the original stays as it is."""
    own = path.parent.resolve() == paths.sessions.resolve()
    if not own:
        manager = SessionManager.adopt(path, paths.sessions)
        return manager, [f"{path.name} belongs to another program: going on in a copy, the original stays as it is"]
    if fork:
        source = SessionManager.open(path, read_only=True)
        try:
            forked = source.fork(paths.sessions, leaf=fork_at)
            return forked, [
                *_inherit_outputs(path, forked),
                f"going on in a copy of session {short_id(source.session_id)}",
            ]
        finally:
            source.close()
    manager = SessionManager.open(path, read_only=read_only, take_over=take_over)
    notices = list(manager.notices)
    if read_only:
        notices.append("open for reading only: nothing is written; /fork goes on in a copy")
    if not manager.cwd.is_dir():
        notices.append(f"the folder of this session is gone ({manager.cwd}); going on in {paths.project}")
    return manager, notices


def _inherit_outputs(origin: Path, copy: SessionManager) -> list[str]:
    """Let `recall` find in the copy what it found in the origin; a line for the user where that is not possible."""
    if copy.path is None:
        return []
    try:
        inherit(origin.with_suffix(".artifacts") / STORE_FOLDER, copy.path.with_suffix(".artifacts") / STORE_FOLDER)
        old, new = origin.with_suffix(".artifacts"), copy.path.with_suffix(".artifacts")
        inherit_checkpoints(old / CHECKPOINT_FOLDER, new / CHECKPOINT_FOLDER)
    except OSError as error:
        return [f"the stored outputs of {origin.stem} could not be copied ({error.strerror or error})"]
    return []


def list_sessions(paths: Paths) -> list[SessionSummary]:
    """The user's sessions with the agent, newest first; those of sub-agents are left out."""
    return [row for row in find_sessions(paths.sessions) if not row.spawned_by]


def has_sessions(paths: Paths) -> set[str]:
    """Agents that have a folder of sessions in the state directory."""
    return {folder.parent.name for folder in (paths.state / "agents").glob("*/sessions") if folder.is_dir()}


def session_key_for(agent_id: str, channel: str, session_id: str) -> str:
    """`agent:<agentId>:<channel>:dm:<sessionId>` (architecture decision 8)."""
    return build_session_key(agent_id, channel, "dm", session_id)


def metadata_saver(
    manager: SessionManager, paths: Paths, session_key: str, facts: Callable[[], Mapping[str, Any]]
) -> Callable[[], None]:
    """Writes the derived record of `sessions.json`; it can be rebuilt, so a full disk does not stop a turn."""
    store = SessionStore(paths.sessions)

    def save() -> None:
        if manager.path is None or manager.read_only or not manager.path.exists():
            return
        projection = manager.project()
        try:
            store.update(
                session_key,
                session_id=manager.session_id,
                session_file=str(manager.path),
                cwd=str(paths.project),
                model_provider=projection.model[0] if projection.model else None,
                model=projection.model[1] if projection.model else None,
                thinking_level=projection.thinking_level,
                **{name: mask_secrets(fact) if isinstance(fact, str) else fact for name, fact in facts().items()},
            )
        except SessionWriteFailed:
            return

    return save


def _wanted(options: Options, paths: Paths) -> Path | None:
    if options.continue_last:
        newest = newest_session(paths.sessions, paths.project)
        if newest is None:
            raise SessionNotFound(f"there is no earlier session of {paths.project}; start one without -c")
        return newest.path
    if options.resume is None:
        return None
    if options.resume == "":
        raise ConfigError("-r needs a session id, prefix or path here; without one the full screen lets you choose")
    try:
        return resolve_session(paths.sessions, options.resume)
    except SessionNotFound as error:
        raise SessionNotFound(
            f"{error} If {options.resume!r} was meant as a prompt, put it before -r or use -p."
        ) from error
