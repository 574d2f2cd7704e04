"""Messages that arrive while the agent works.

Steering texts enter at the next safe point of the running turn (after the step's tool results); follow-ups wait for its
end. Both can be taken back until then. Nothing is sent twice.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from openclaw_tui.messages import UserContent

InboxKind: TypeAlias = Literal["steering", "follow_up"]


@dataclass(frozen=True, slots=True)
class Waiting:
    """A queued message: what the user typed and what will be sent."""

    text: str
    content: tuple[UserContent, ...]
    kind: InboxKind


class Inbox:
    """Two queues with one listener that hears of every change."""

    def __init__(self, on_change: Callable[["Inbox"], None]) -> None:
        self._waiting: dict[InboxKind, deque[Waiting]] = {"steering": deque(), "follow_up": deque()}
        self._on_change = on_change

    def put(self, message: Waiting) -> None:
        self._waiting[message.kind].append(message)
        self._on_change(self)

    def take(self, kind: InboxKind) -> list[Waiting]:
        """All waiting messages of a kind, in order; they are gone from the queue."""
        taken = list(self._waiting[kind])
        if taken:
            self._waiting[kind].clear()
            self._on_change(self)
        return taken

    def take_next_follow_up(self) -> Waiting | None:
        queue = self._waiting["follow_up"]
        if not queue:
            return None
        message = queue.popleft()
        self._on_change(self)
        return message

    def take_back(self) -> Waiting | None:
        """The message queued last, for the editor: steering first, then follow-ups."""
        for kind in ("steering", "follow_up"):
            queue = self._waiting[kind]
            if queue:
                message = queue.pop()
                self._on_change(self)
                return message
        return None

    def texts(self, kind: InboxKind) -> tuple[str, ...]:
        return tuple(message.text for message in self._waiting[kind])

    def __bool__(self) -> bool:
        return any(self._waiting.values())
