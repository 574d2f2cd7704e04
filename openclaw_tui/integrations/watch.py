"""Notices changed files: a few named ones, and those one level below some folders. Never a whole tree.

Events of the system only wake it up; what counts is whether size, time or existence of a file differ from the last
look, so a missed or doubled event is no fault. Where the system cannot watch, it looks by itself from time to time. One
thread, gone when `close` returns.
"""

import asyncio
import contextlib
import logging
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from openclaw_tui.constants import WATCH_DEBOUNCE_MS, WATCH_LOOK_MS, WATCH_MAX_FOLDERS, WATCH_STEP_MS

_log = logging.getLogger("openclaw_tui.watch")

State = tuple[int, int, int]
"""Size, time of the last change in nanoseconds, number of the file: what tells one state of a file from another."""


class Look(msgspec.Struct, frozen=True):
    """One look: states of the files that exist, and which of the known ones are in another state than the known one.

    `named` are the files that were asked for this time: one asked for only since is no news by being there.
    """

    files: Mapping[Path, State]
    others: Mapping[Path, State | None]
    named: Mapping[Path, State | None]

    def changes_to(self, later: "Look") -> frozenset[Path]:
        """What changed, came or went; each new state of a known file once."""
        changed = {path for path in {*self.files, *later.files} if self.files.get(path) != later.files.get(path)}
        changed |= {path for path, state in later.named.items() if self.named.get(path, state) != state}
        told = object()
        return frozenset(
            changed | {path for path, state in later.others.items() if self.others.get(path, told) != state}
        )


class Watched(msgspec.Struct, frozen=True):
    """What is looked at. `files` need not exist yet; of `roots` each `<root>/<name>/<member>` counts.

    `known` gives files with the size and time that somebody knows of: what the agent has read. Of `lists` each
    Markdown file in the folder counts, and `more` names further files, which may be others at each look.
    """

    files: frozenset[Path]
    roots: tuple[Path, ...] = ()
    member: str = "SKILL.md"
    known: Callable[[], Mapping[Path, tuple[int, int]]] = dict
    lists: tuple[Path, ...] = ()
    more: Callable[[], Iterable[Path]] = tuple

    def look(self) -> Look:
        named = (*self.files, *(child / self.member for child in self._children()), *self._listed())
        files = {path: state for path in named if (state := _state(path)) is not None}
        states = ((path, known, _state(path)) for path, known in self.known().items())
        others = {path: now for path, known, now in states if now is None or now[:2] != known}
        return Look(files, others, {path: _state(path) for path in self.more()})

    def folders(self) -> set[str]:
        """Folders to be told of, themselves only: where the files are, or the nearest one above that exists."""
        files = (*self.files, *self.known(), *self.more())
        near = (*(path.parent for path in files), *self.roots, *self.lists, *self._children())
        folders = {str(existing) for path in near if (existing := _nearest(path)) is not None}
        return set(sorted(folders, key=len)[:WATCH_MAX_FOLDERS])

    def _children(self) -> Iterator[Path]:
        for root in self.roots:
            with contextlib.suppress(OSError), os.scandir(root) as found:
                yield from [Path(item.path) for item in found if item.is_dir()]

    def _listed(self) -> Iterator[Path]:
        for folder in self.lists:
            with contextlib.suppress(OSError):
                yield from folder.glob("*.md")


class FileWatch:
    """Calls `on_change` on the event loop with the files that changed, came or went."""

    def __init__(self, watched: Watched, on_change: Callable[[frozenset[Path]], None]) -> None:
        self._watched = watched
        self._on_change = on_change
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def start(self) -> None:
        """Begin; what is on disk now is the state changes are told against."""
        self._loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._run, args=(self._watched.look(),), name="file watch", daemon=True)
        self._thread.start()

    async def close(self) -> None:
        """End the thread. Closing twice, or what was never started, is fine."""
        self._stop.set()
        thread, self._thread = self._thread, None
        if thread is not None:
            await asyncio.to_thread(thread.join)

    def _run(self, seen: Look) -> None:
        while not self._stop.is_set():
            folders = self._watched.folders()
            for _ in self._wakings(folders):
                seen = self._compare(seen)
                if self._watched.folders() != folders:
                    break

    def _wakings(self, folders: set[str]) -> Iterator[None]:
        """Something happened, or it is time to look anyway: at once when the watch stands, and now and then later."""
        from watchfiles._rust_notify import RustNotify

        try:
            with RustNotify(sorted(folders), False, False, WATCH_LOOK_MS, False, True) as notify:
                wait = WATCH_STEP_MS
                while notify.watch(WATCH_DEBOUNCE_MS, WATCH_STEP_MS, wait, self._stop) != "stop":
                    yield
                    wait = WATCH_LOOK_MS
        except (OSError, RuntimeError) as error:
            _log.warning("files are looked at from time to time, since they cannot be watched: %s", error)
            self._stop.wait(WATCH_LOOK_MS / 1000)
            yield

    def _compare(self, seen: Look) -> Look:
        now = self._watched.look()
        changed = seen.changes_to(now)
        if changed and self._loop is not None and not self._stop.is_set():
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody is there to be told
                self._loop.call_soon_threadsafe(self._on_change, changed)
        return now


def _state(path: Path) -> State | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns, status.st_ino


def _nearest(path: Path) -> Path | None:
    return next((folder for folder in (path, *path.parents) if folder.is_dir()), None)
