"""A composed session on the screen: its events flow to one router until it is closed.

The queue between them belongs to this session alone, so what an earlier session still says can never appear in another
one's transcript.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from openclaw_tui.app.watching import watch_workspace
from openclaw_tui.events import Notice
from openclaw_tui.log import log_event
from openclaw_tui.tools.process import ProcessTool
from openclaw_tui.ui.textual.event_router import EventRouter

if TYPE_CHECKING:
    from openclaw_tui.app.compose import App as Composed
    from openclaw_tui.tools.processes import ProcessRegistry

_log = logging.getLogger(__name__)


class Conversation:
    """`start` begins the flow of events, `close` stops the work and gives the session file back."""

    def __init__(self, composed: Composed) -> None:
        self.composed = composed
        self.session = composed.session
        self._subscription = composed.session.subscribe()
        self._watch = watch_workspace(composed)
        self._pump: asyncio.Task[None] | None = None
        self._closed = False

    def start(self, router: EventRouter) -> None:
        self._watch.start()
        self._pump = asyncio.create_task(self._deliver(router), name="event pump")

    async def close(self) -> None:
        """Stop, flush, release. What is still queued for the screen is shown first. Closing twice is fine."""
        if self._closed:
            return
        self._closed = True
        await self._watch.close()
        await self.session.close()
        if self._pump is not None:
            await asyncio.wait({self._pump})

    def processes(self) -> ProcessRegistry | None:
        """The commands of this session, where it may run any."""
        tool = self.session.deps.runner.toolset.find("process")
        return tool.registry if isinstance(tool, ProcessTool) else None

    def background_commands(self) -> list[str]:
        """Command lines that still run in the background of this session."""
        registry = self.processes()
        return [running.launch.command for running in registry.listed() if running.is_alive] if registry else []

    async def _deliver(self, router: EventRouter) -> None:
        """One event at a time; the loop gets its turn between them. A defect of the screen must not stop the talk."""
        async for event in self._subscription:
            log_event(event)
            try:
                router.deliver(event)
            except Exception as error:
                _log.exception("showing %s failed", type(event).__name__)
                router.deliver(
                    Notice(
                        self.session.session_key,
                        "error",
                        f"something could not be shown ({type(event).__name__}: {error}); the session is not affected",
                    )
                )
            await asyncio.sleep(0)
