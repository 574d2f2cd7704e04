"""A stream that brings nothing has failed, and one that stops without its closing event was never whole.

Bytes are no sign of life: a proxy's keep-alive comments go on while the model is gone. So the timer counts content
events only. Wrapped around every provider by the registry, so that no caller can forget it. Cancelling the consumer
passes straight through to the adapter, which closes its connection.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from typing import TypeAlias

from openclaw_tui.errors import ProviderUnavailable
from openclaw_tui.providers.base import (
    Provider,
    ProviderRequest,
    StreamEnded,
    StreamEvent,
    StreamStarted,
    TextChunk,
    ThinkingChunk,
    ToolCallChunk,
)

IdleSeconds: TypeAlias = float | None
"""Longest silence that is taken for life; None: wait for ever."""


async def watch_stream(
    events: AsyncIterator[StreamEvent], *, provider: str, idle_seconds: IdleSeconds
) -> AsyncGenerator[StreamEvent, None]:
    """The same events; ProviderUnavailable after too long a silence or an end without `StreamEnded`."""
    loop = asyncio.get_running_loop()
    silent_for = 0.0
    try:
        while True:
            asked = loop.time()
            try:
                async with asyncio.timeout(None if idle_seconds is None else idle_seconds - silent_for) as timer:
                    event = await anext(events)
            except StopAsyncIteration:
                raise ProviderUnavailable(
                    f"{provider}: the answer broke off before its end; it was not taken for a whole one."
                ) from None
            except TimeoutError:
                if not timer.expired():
                    raise
                raise ProviderUnavailable(
                    f"{provider}: no content for {idle_seconds:g} seconds; the stream was given up."
                ) from None
            # Only time spent waiting counts: what the consumer does with an event is not the provider's silence.
            silent_for = 0.0 if _is_content(event) else silent_for + loop.time() - asked
            yield event
            if isinstance(event, StreamEnded):
                return
    finally:
        if isinstance(events, AsyncGenerator):
            await events.aclose()


class WatchedProvider:
    """A provider whose streams are watched."""

    def __init__(self, inner: Provider, idle_seconds: IdleSeconds) -> None:
        self.inner = inner
        self.idle_seconds = idle_seconds

    @property
    def name(self) -> str:
        return self.inner.name

    def stream(self, request: ProviderRequest) -> AsyncIterator[StreamEvent]:
        return watch_stream(self.inner.stream(request), provider=self.name, idle_seconds=self.idle_seconds)

    async def aclose(self) -> None:
        await self.inner.aclose()


def _is_content(event: StreamEvent) -> bool:
    match event:
        case StreamStarted():
            return False
        case TextChunk(text=text) | ThinkingChunk(text=text):
            return bool(text)
        case ToolCallChunk(json=text, name=name):
            return bool(text or name)
        case _:
            return True
