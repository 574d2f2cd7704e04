"""Looks after an open session while nothing else does: its lease, what waits for the disk, and its folder.

What could not be written waits in memory and is tried again here, so a disk that has room again is enough. On leaving,
what still waits is saved as a copy of the session in another place, and the user is told where.
"""

import asyncio
import tempfile
from pathlib import Path

from openclaw_tui.agent.deps import AgentDeps
from openclaw_tui.constants import SESSION_KEEPER_SECONDS
from openclaw_tui.errors import SessionWriteFailed
from openclaw_tui.events import Notice, NoticeLevel


class Keeper:
    """`start` begins the rounds, `last_words` ends them and says what became of unsaved entries."""

    def __init__(self, deps: AgentDeps) -> None:
        self._deps = deps
        self._task: asyncio.Task[None] | None = None
        self._folder_was_there = True
        self._unsaved = 0

    def start(self) -> None:
        if self._task is None:
            self._task = asyncio.create_task(self._rounds(), name="session keeper")

    async def stop(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.wait({task})

    def look(self) -> None:
        """One round."""
        self._deps.manager.heartbeat()
        self._write_what_waits()
        self._look_at_folder()

    def last_words(self) -> str:
        """Try once more to write; where that fails, save a copy elsewhere. Empty where nothing waits."""
        manager = self._deps.manager
        try:
            manager.flush()
            return ""
        except SessionWriteFailed as error:
            count = len(manager.pending)
            problem = str(error).split(". What")[0].rstrip(".")
        unsaved = f"{count} {'entry' if count == 1 else 'entries'} of this session could not be saved ({problem})"
        try:
            copy = manager.rescue(Path(tempfile.gettempdir()) / "openclaw-tui-rescued")
        except (SessionWriteFailed, OSError) as error:
            return f"{unsaved}, nor anywhere else ({error}): they are lost."
        return f"{unsaved}. All of it is kept as {copy}; go on with: openclaw-tui -r {copy}"

    async def _rounds(self) -> None:
        while True:
            await asyncio.sleep(SESSION_KEEPER_SECONDS)
            self.look()

    def _write_what_waits(self) -> None:
        manager = self._deps.manager
        waiting = len(manager.pending)
        if waiting:
            try:
                manager.flush()
            except SessionWriteFailed as error:
                if waiting != self._unsaved:
                    self._say("warning", f"{waiting} unsaved: {error}")
                self._unsaved = waiting
                return
        waiting = max(waiting, self._unsaved)
        if waiting:
            self._say("info", "What waited for the disk is written now; nothing was lost.")
        self._unsaved = 0

    def _look_at_folder(self) -> None:
        folder = self._deps.manager.cwd
        there = folder.is_dir()
        if there != self._folder_was_there:
            self._folder_was_there = there
            text = f"The folder {folder} is there again." if there else _GONE.format(folder=folder)
            self._say("info" if there else "warning", text)

    def _say(self, level: NoticeLevel, text: str) -> None:
        self._deps.emit(Notice(self._deps.session_key, level, text))


_GONE = (
    "The folder {folder} was deleted or renamed: the talk goes on, but tools cannot work there. "
    "Put it back, or start in its new place."
)
