"""Who writes a session: one process holds a lease for as long as it has the session open.

The lease is a small file beside the session, `<name>.lock`, with process id and that process's start time, so that a
dead owner, or a number that was given to another process since, is told from a live one and replaced at once. The form
is the one OpenClaw uses for its own. Single appends are locked apart from this, in `journal.py`.
"""

import contextlib
import fcntl
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from openclaw_tui.atomic_write import PRIVATE_FILE_MODE, atomic_write_bytes
from openclaw_tui.constants import LEASE_STALE_SECONDS
from openclaw_tui.errors import SessionLocked, SessionWriteFailed

_held: set[str] = set()


class _Owner(msgspec.Struct, rename={"created_at": "createdAt"}):
    pid: int
    created_at: str
    starttime: str | int | None = None
    host: str | None = None


@dataclass(slots=True)
class Lease:
    """The right to write one session. `notice` tells the user when a dead owner's lease was taken over."""

    path: Path
    notice: str | None = None

    def heartbeat(self) -> None:
        """Say that the owner lives; it counts where its process cannot be looked up (another machine)."""
        with contextlib.suppress(OSError):
            os.utime(self.path)

    def release(self) -> None:
        _held.discard(str(self.path))
        with contextlib.suppress(OSError):
            if (owner := _read(self.path)) is not None and _is_me(owner):
                self.path.unlink()


def lease_path(session: Path) -> Path:
    return session.with_name(session.name + ".lock")


def acquire(session: Path) -> Lease:
    """Take the lease of a session file, or raise SessionLocked with the holder's pid and since when it has it."""
    path = Path(os.path.realpath(lease_path(session)))
    with _exclusive(path.parent):
        notice = None
        if path.exists():
            notice = _judge(path, session)
        me = _Owner(os.getpid(), datetime.now(UTC).isoformat(timespec="seconds"), start_time(os.getpid()), _host())
        try:
            atomic_write_bytes(path, msgspec.json.encode(me), mode=PRIVATE_FILE_MODE, durable=False)
        except OSError as error:
            raise SessionWriteFailed(
                f"Cannot write {path.name}: {error.strerror}. The session was not opened."
            ) from error
        _held.add(str(path))
    return Lease(path, notice)


def _judge(path: Path, session: Path) -> str:
    """Raise if somebody alive holds the lease, else say why it may be taken."""
    owner = _read(path)
    if owner is None:
        if _age(path) < LEASE_STALE_SECONDS:
            raise _locked(session, None, None)
        return f"The lock file {path.name} could not be read and is old; it was replaced."
    if owner.host is not None and owner.host != _host():
        if _age(path) < LEASE_STALE_SECONDS:
            raise _locked(session, owner.pid, f"{owner.created_at} on {owner.host}")
        return f"The session was held on {owner.host}, which has not been heard of for long; it was taken over."
    if _is_me(owner):
        if str(path) in _held:
            raise _locked(session, owner.pid, owner.created_at)
        return "The session was still marked as held by this process; the mark was replaced."
    started = start_time(owner.pid)
    if started is not None and _began(owner) in (None, started):
        raise _locked(session, owner.pid, owner.created_at)
    how = "is not running any more" if started is None else "is another program now"
    return f"The session was held by process {owner.pid}, which {how}; it was taken over."


def _locked(session: Path, pid: int | None, since: str | None) -> SessionLocked:
    holder = f"process {pid} since {since}" if pid is not None else "another process"
    return SessionLocked(
        f"Session {session.stem} is in use by {holder}. Open it read-only, fork it, or close the other one.",
        pid=pid,
        since=since,
    )


def _read(path: Path) -> _Owner | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=_Owner)
    except (OSError, ValueError):
        return None


def _is_me(owner: _Owner) -> bool:
    return owner.pid == os.getpid() and _began(owner) in (None, start_time(owner.pid))


def _began(owner: _Owner) -> str | None:
    return None if owner.starttime is None else str(owner.starttime)


def _age(path: Path) -> float:
    try:
        return time.time() - path.stat().st_mtime
    except OSError:
        return LEASE_STALE_SECONDS


def _host() -> str:
    return socket.gethostname()


def start_time(pid: int) -> str | None:
    """When the process began, in whatever form the system tells it; None where there is no such process."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
        fields = stat[stat.rindex(b")") + 2 :].split()
        return None if fields[0] == b"Z" else fields[19].decode()
    except (OSError, ValueError):
        return None if Path("/proc/self/stat").exists() else _start_time_by_ps(pid)


def _start_time_by_ps(pid: int) -> str | None:
    try:
        said = subprocess.run(
            ["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, check=False, timeout=5, text=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return said.stdout.strip() or None


@contextlib.contextmanager
def _exclusive(directory: Path) -> Iterator[None]:
    """One process at a time looks at the leases of a folder, so that two never take over the same dead one."""
    descriptor = os.open(directory, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
