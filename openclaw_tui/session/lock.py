"""Who writes a session: one process holds a lease for as long as it has the session open.

The lease is a small file beside the session, `<name>.lock`, with process id and that process's start time, so that a
dead owner, or a number that was given to another process since, is told from a live one and replaced at once. A live
one that is stopped can be replaced on the user's word; it notices before it writes again. The form is OpenClaw's own.
Single appends are locked apart from this, in `journal.py`.
"""

import contextlib
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
from openclaw_tui.session.file_lock import exclusive

_held: set[str] = set()


class _Owner(msgspec.Struct, rename={"created_at": "createdAt"}):
    pid: int
    created_at: str
    starttime: str | int | None = None
    host: str | None = None


@dataclass(slots=True)
class Lease:
    """The right to write one session. `notice` tells the user when another owner's lease was taken over.

    `stamp` tells our file from one that somebody else has put in its place.
    """

    path: Path
    notice: str | None = None
    stamp: tuple[int, int] | None = None

    def heartbeat(self) -> None:
        """Say that the owner lives; it counts where its process cannot be looked up (another machine)."""
        if not self.is_lost():
            with contextlib.suppress(OSError):
                os.utime(self.path)

    def is_lost(self) -> bool:
        """Whether another process has taken the session over. A file that was only deleted is no owner."""
        if self.stamp is None:
            return False
        found = _stamp(self.path)
        return found is not None and found != self.stamp

    def release(self) -> None:
        _held.discard(str(self.path))
        with contextlib.suppress(OSError):
            if (owner := _read(self.path)) is not None and _is_me(owner):
                self.path.unlink()


def lease_path(session: Path) -> Path:
    return session.with_name(session.name + ".lock")


def acquire(session: Path, *, take_over: bool = False) -> Lease:
    """Take the lease of a session file, or raise SessionLocked with the holder's pid and since when it has it.

    `take_over` takes it from another process that lives: the user says that it hangs or is stopped.
    """
    path = Path(os.path.realpath(lease_path(session)))
    with _exclusive(path.parent):
        notice = None
        if path.exists():
            notice = _judge(path, session, take_over=take_over)
        me = _Owner(os.getpid(), datetime.now(UTC).isoformat(timespec="seconds"), start_time(os.getpid()), _host())
        try:
            atomic_write_bytes(path, msgspec.json.encode(me), mode=PRIVATE_FILE_MODE, durable=False)
        except OSError as error:
            raise SessionWriteFailed(
                f"Cannot write {path.name}: {error.strerror}. The session was not opened."
            ) from error
        _held.add(str(path))
        return Lease(path, notice, _stamp(path))


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _judge(path: Path, session: Path, *, take_over: bool) -> str:
    """Raise if somebody alive holds the lease, else say why it may be taken."""
    owner = _read(path)
    if take_over and str(path) not in _held:
        holder = f"process {owner.pid}" if owner is not None else "another process"
        return f"The session was taken over from {holder}, which does not write it any more."
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
        raise _locked(session, owner.pid, owner.created_at, stopped=_is_stopped(owner.pid))
    how = "is not running any more" if started is None else "is another program now"
    return f"The session was held by process {owner.pid}, which {how}; it was taken over."


def _locked(session: Path, pid: int | None, since: str | None, *, stopped: bool = False) -> SessionLocked:
    holder = f"process {pid} since {since}" if pid is not None else "another process"
    halted = " (stopped in the background of a shell: `fg` brings it back)" if stopped else ""
    return SessionLocked(
        f"Session {session.stem} is in use by {holder}{halted}. Open it read-only (--read-only), fork it (--fork), "
        "take it over (--take-over), or close the other one.",
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
        return abs(time.time() - path.stat().st_mtime)  # a clock that was set back is no sign of life
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


def _is_stopped(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return False
    return stat[stat.rindex(b")") + 2 : stat.rindex(b")") + 3] in (b"T", b"t")


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
        with exclusive(descriptor):
            yield
    except OSError as error:
        raise SessionWriteFailed(f"The folder {directory} cannot be locked: {error.strerror or error}.") from error
    finally:
        os.close(descriptor)
