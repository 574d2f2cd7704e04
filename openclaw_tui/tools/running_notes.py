"""Notes on disk of the commands that run, so that those of a killed run are found at the next start.

A note names the process with the moment it began, its mark, and the program it belongs to. Found is only what still
carries the mark, or is still the very process of the note: a number given to a stranger meanwhile counts for nothing.
"""

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec.structs import replace

from openclaw_tui.atomic_write import atomic_write_bytes, make_private_dir
from openclaw_tui.constants import PROCESS_TERM_GRACE_SECONDS
from openclaw_tui.session.lock import start_time
from openclaw_tui.tools.process_group import Member, members, signal_members


class RunningNote(msgspec.Struct, frozen=True):
    """`command` is masked; `began` and `owner_began` are moments as the system tells them. `told`: the user knows."""

    pid: int
    began: str
    mark: str
    command: str
    owner: int
    owner_began: str
    told: bool = False


class Leftover(msgspec.Struct, frozen=True):
    """A command of a run that is gone, with what of it still lives."""

    path: Path
    note: RunningNote
    living: tuple[Member, ...]

    @property
    def words(self) -> str:
        return f"{self.note.command} (process {self.living[0].pid})"


class RunningNotes:
    """Writes the notes of one program. `folder` None keeps none; a disk that refuses them stops no command."""

    def __init__(self, folder: Path | None, masked: Callable[[str], str] = str) -> None:
        self._folder = folder
        self._masked = masked

    def began(self, pid: int, mark: str, command: str) -> None:
        if self._folder is None:
            return
        own = os.getpid()
        shown = " ".join(self._masked(command).split())[:200]
        note = RunningNote(pid, start_time(pid) or "", mark, shown, own, start_time(own) or "")
        with suppress(OSError):
            make_private_dir(self._folder)
            atomic_write_bytes(self._folder / f"{mark}.json", msgspec.json.encode(note), durable=False)

    def ended(self, mark: str) -> None:
        if self._folder is not None:
            with suppress(OSError):
                (self._folder / f"{mark}.json").unlink(missing_ok=True)


def leftovers(folder: Path, *, all_of_them: bool = False) -> list[Leftover]:
    """Commands whose program is gone and that still live; notes of what has ended go. Blocks for some milliseconds."""
    found: list[Leftover] = []
    for path in sorted(folder.glob("*.json")) if folder.is_dir() else []:
        try:
            note = msgspec.json.decode(path.read_bytes(), type=RunningNote)
        except (OSError, msgspec.DecodeError):
            with suppress(OSError):
                path.unlink()
            continue
        if note.owner_began and start_time(note.owner) == note.owner_began:
            continue
        if living := _living(note):
            if all_of_them or not note.told:
                found.append(Leftover(path, note, living))
        else:
            with suppress(OSError):
                path.unlink()
    return found


def leave(found: Leftover) -> None:
    """The user wants it to go on: it is not asked about again."""
    with suppress(OSError):
        atomic_write_bytes(found.path, msgspec.json.encode(replace(found.note, told=True)), durable=False)


def end_leftover(found: Leftover) -> bool:
    """TERM, a grace, KILL. True when nothing of it lives any more. Blocks meanwhile."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        if not _living(found.note):
            break
        signal_members(_session_of(found.note), found.note.mark, number)
        deadline = time.monotonic() + PROCESS_TERM_GRACE_SECONDS
        while _living(found.note) and time.monotonic() < deadline:
            time.sleep(0.05)
    gone = not _living(found.note)
    if gone:
        with suppress(OSError):
            found.path.unlink(missing_ok=True)
    return gone


def _living(note: RunningNote) -> tuple[Member, ...]:
    return tuple(members(_session_of(note), note.mark))


def _session_of(note: RunningNote) -> int:
    """The number its session has, as long as the first process is the one of the note; else none can have it."""
    return note.pid if note.began and start_time(note.pid) == note.began else -1
