"""Removing a session with everything that belongs to it: stored outputs, damaged copies, its record, its sub-agents."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from openclaw_tui.config.paths import Paths
from openclaw_tui.session.listing import find_sessions
from openclaw_tui.session.lock import acquire
from openclaw_tui.session.store import SessionStore


def with_sub_agents(files: Sequence[Path], paths: Paths) -> list[Path]:
    """The files and those of all sub-agents that were started from them."""
    rows = [row for row in find_sessions(paths.sessions) if row.spawned_by and row.parent_session]
    found = list(files)
    for path in found:  # grows while it is gone through: sub-agents of sub-agents
        found += [row.path for row in rows if row.parent_session == str(path) and row.path not in found]
    return found


def remove_session(path: Path, paths: Paths) -> None:
    """The session with everything beside it. Raises SessionLocked where another process has it open."""
    lease = acquire(path)
    try:
        shutil.rmtree(path.with_suffix(".artifacts"), ignore_errors=True)
        for beside in path.parent.glob(f"{path.name}.damaged-*"):
            beside.unlink(missing_ok=True)
        path.unlink(missing_ok=True)
        store = SessionStore(paths.sessions)
        for key, record in store.read().items():
            if record.session_id == path.stem or record.session_file == str(path):
                store.remove(key)
    finally:
        lease.release()
