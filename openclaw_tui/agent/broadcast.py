"""One sink in, many subscribers out.

The loop puts events into the broadcast and never waits. Each subscriber has a queue of its own; while it is slow,
neighbouring text and thinking deltas of one message are merged, every other event arrives as it was.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator

from msgspec.structs import replace

from openclaw_tui.events import AgentEvent, Sink, TextDelta, ThinkingDelta, ToolCallDelta, ToolProgress


class Subscription:
    """An async iterator over events; `close` ends it after what is queued."""

    def __init__(self) -> None:
        self._queue: deque[AgentEvent] = deque()
        self._wake = asyncio.Event()
        self._closed = False

    def put(self, event: AgentEvent) -> None:
        merged = _merged(self._queue[-1], event) if self._queue else None
        if merged is not None:
            self._queue[-1] = merged
        else:
            self._queue.append(event)
        self._wake.set()

    def close(self) -> None:
        self._closed = True
        self._wake.set()

    def drain(self) -> list[AgentEvent]:
        """All events that wait now, without waiting for more."""
        events = list(self._queue)
        self._queue.clear()
        return events

    def __aiter__(self) -> AsyncIterator[AgentEvent]:
        return self._events()

    async def _events(self) -> AsyncIterator[AgentEvent]:
        while True:
            while self._queue:
                yield self._queue.popleft()
            if self._closed:
                return
            self._wake.clear()
            await self._wake.wait()


class Broadcast:
    """The sink of a session. Calling it never fails and never blocks."""

    def __init__(self) -> None:
        self._subscriptions: list[Subscription] = []
        self._listeners: list[Sink] = []

    def __call__(self, event: AgentEvent) -> None:
        for listener in self._listeners:
            listener(event)
        for subscription in self._subscriptions:
            subscription.put(event)

    def listen(self, listener: Sink) -> None:
        """Tell `listener` of every event at once, before anything else happens. It must not fail."""
        self._listeners.append(listener)

    def subscribe(self) -> Subscription:
        subscription = Subscription()
        self._subscriptions.append(subscription)
        return subscription

    def unsubscribe(self, subscription: Subscription) -> None:
        if subscription in self._subscriptions:
            self._subscriptions.remove(subscription)
        subscription.close()

    def close(self) -> None:
        for subscription in list(self._subscriptions):
            self.unsubscribe(subscription)


def _merged(last: AgentEvent, event: AgentEvent) -> AgentEvent | None:
    """Both deltas as one, or None where they are not neighbours of the same message."""
    if isinstance(last, TextDelta) and isinstance(event, TextDelta) and last.message_id == event.message_id:
        return replace(last, text=last.text + event.text)
    if isinstance(last, ThinkingDelta) and isinstance(event, ThinkingDelta) and last.message_id == event.message_id:
        return replace(last, text=last.text + event.text)
    if isinstance(last, ToolCallDelta) and isinstance(event, ToolCallDelta) and last.call_id == event.call_id:
        return event
    if isinstance(last, ToolProgress) and isinstance(event, ToolProgress) and last.call_id == event.call_id:
        return replace(event, text=f"{last.text}\n{event.text}")
    return None
