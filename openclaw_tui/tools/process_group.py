"""Every process a command has started, also those that left its process group, and the way to end them all.

A command runs in a session of its own, and its environment carries a mark that its children inherit. Where the system
shows both (`/proc`), a child that made a session of its own is still found. Invariant: a signal goes only to processes
found a moment before, so a number that was given to a stranger meanwhile is not hit.
"""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import msgspec

from openclaw_tui.safety.child_environment import EXEC_MARK_VARIABLE

_PROC = Path("/proc")


class Member(msgspec.Struct, frozen=True):
    """A living process of a command; `name` is the short name of its program."""

    pid: int
    name: str


def members(session_id: int, mark: str) -> list[Member]:
    """Living processes of the command whose shell has the number `session_id`. Blocks for some milliseconds."""
    return list(_from_proc(session_id, mark) if (_PROC / "self" / "stat").exists() else _from_ps(session_id))


def signal_members(session_id: int, mark: str, number: signal.Signals) -> list[Member]:
    """Send a signal to every living process of a command; returns those that were there.

    The sandbox around a command is only killed: it ends by itself after the command, and whatever was in it with it.
    """
    found = members(session_id, mark)
    for member in found:
        if member.name == "bwrap" and number != signal.SIGKILL:
            continue
        with suppress(ProcessLookupError, PermissionError):
            os.kill(member.pid, number)
    return found


def _from_proc(session_id: int, mark: str) -> Iterator[Member]:
    needle = f"{EXEC_MARK_VARIABLE}={mark}".encode()
    own = os.getpid()
    for name in os.listdir(_PROC):
        if not name.isdigit() or int(name) == own:
            continue
        try:
            text = (_PROC / name / "stat").read_text(encoding="utf-8", errors="replace")
            program = text[text.index("(") + 1 : text.rindex(")")]
            fields = text[text.rindex(")") + 2 :].split()
            if fields[0] in "ZX":
                continue
            if int(fields[3]) == session_id or needle in (_PROC / name / "environ").read_bytes().split(b"\0"):
                yield Member(int(name), program)
        except (OSError, ValueError, IndexError):
            continue  # it ended while it was looked at, or belongs to somebody else


def _from_ps(group_id: int) -> Iterator[Member]:
    listing = subprocess.run(
        ["ps", "-axo", "pid=,pgid=,stat=,comm="], capture_output=True, encoding="utf-8", errors="replace", check=False
    )
    for line in listing.stdout.splitlines():
        fields = line.split(None, 3)
        if len(fields) == 4 and int(fields[1]) == group_id and not fields[2].startswith("Z"):
            yield Member(int(fields[0]), fields[3].rpartition("/")[2])
