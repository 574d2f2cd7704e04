"""Owns the task of the running turn.

Stopping cancels the inner task; the supervisor itself is not cancelled and afterwards puts things in order: the partial
answer is stored and marked, calls that never finished get their error result, open event pairs are closed. Code inside
has `finally` blocks and no handler for cancellation, so this is the one place to look at.
"""

import asyncio
from collections.abc import Awaitable, Callable

from openclaw_tui.constants import ABORT_GRACE_SECONDS


class Supervisor:
    """Runs one coroutine at a time; `abort` stops it and waits for its orderly end."""

    def __init__(self) -> None:
        self._inner: asyncio.Task[None] | None = None
        self._outer: asyncio.Task[None] | None = None
        self._aborting = False

    @property
    def is_running(self) -> bool:
        return self._outer is not None and not self._outer.done()

    def start(
        self,
        work: Callable[[], Awaitable[None]],
        *,
        on_abort: Callable[[], Awaitable[None]],
        on_failure: Callable[[BaseException], Awaitable[None]],
    ) -> asyncio.Task[None]:
        """Begin `work`. `on_abort` runs after a cancellation, `on_failure` after an error nothing handled."""
        if self.is_running:
            raise RuntimeError("a turn is already running")
        self._aborting = False
        self._outer = asyncio.create_task(self._supervise(work, on_abort, on_failure), name="turn supervisor")
        return self._outer

    async def abort(self) -> None:
        """Stop the running work and wait until everything is in order. Does nothing when idle."""
        outer = self._outer
        if outer is None or outer.done():
            return
        self._aborting = True
        while not outer.done():
            if self._inner is not None:
                self._inner.cancel()
            await asyncio.wait({outer}, timeout=ABORT_GRACE_SECONDS * 0.75)

    async def wait(self) -> None:
        """Until the running work has ended."""
        if self._outer is not None:
            await asyncio.wait({self._outer})

    async def _supervise(
        self,
        work: Callable[[], Awaitable[None]],
        on_abort: Callable[[], Awaitable[None]],
        on_failure: Callable[[BaseException], Awaitable[None]],
    ) -> None:
        self._inner = asyncio.create_task(_as_coroutine(work), name="turn")
        if self._aborting:
            self._inner.cancel()
        try:
            await self._wait_for_inner(self._inner)
        finally:
            inner, self._inner = self._inner, None
        if inner.cancelled():
            await on_abort()
        elif (error := inner.exception()) is not None:
            await on_failure(error)

    async def _wait_for_inner(self, inner: asyncio.Task[None]) -> None:
        """Wait for the end. When the supervisor itself is cancelled (the program ends), it stops the work first."""
        while not inner.done():
            try:
                await asyncio.wait({inner})
            except asyncio.CancelledError:
                self._aborting = True
                inner.cancel()


async def _as_coroutine(work: Callable[[], Awaitable[None]]) -> None:
    await work()
