"""Messages that arrive while the agent works.

Steering texts enter at the next safe point of the running turn (after the step's tool results); follow-ups wait for its
end. Both can be taken back until then. Nothing is sent twice.
"""

from collections import deque
from collections.abc import Callable
from typing import Literal, TypeAlias

import msgspec

from openclaw_tui.messages import UserContent, UserOrigin

InboxKind: TypeAlias = Literal["steering", "follow_up"]


class Waiting(msgspec.Struct, frozen=True):
    """A queued message: what the user typed and what will be sent.

    `origin` is other than `user` for what the program itself puts there (a sub-agent's report).
    """

    text: str
    content: tuple[UserContent, ...]
    kind: InboxKind
    origin: UserOrigin = "user"


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

    def take_first(self, kind: InboxKind) -> list[Waiting]:
        """The messages at the head of a queue that have one origin: together they can be one message."""
        queue = self._waiting[kind]
        taken: list[Waiting] = []
        while queue and (not taken or queue[0].origin == taken[0].origin):
            taken.append(queue.popleft())
        if taken:
            self._on_change(self)
        return taken

    def take_not_typed(self) -> list[Waiting]:
        """What the program itself put there, steering before follow-ups."""
        taken = [message for queue in self._waiting.values() for message in queue if message.origin != "user"]
        if taken:
            for kind, queue in self._waiting.items():
                self._waiting[kind] = deque(message for message in queue if message.origin == "user")
            self._on_change(self)
        return taken

    def take_origin(self, origin: UserOrigin) -> list[Waiting]:
        """What waits from one source, in order; it is gone from the queue."""
        taken = [message for queue in self._waiting.values() for message in queue if message.origin == origin]
        if taken:
            for kind, queue in self._waiting.items():
                self._waiting[kind] = deque(message for message in queue if message.origin != origin)
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
        """The message the user queued last, for the editor: steering first, then follow-ups."""
        for queue in self._waiting.values():
            message = next((message for message in reversed(queue) if message.origin == "user"), None)
            if message is not None:
                queue.remove(message)
                self._on_change(self)
                return message
        return None

    def texts(self, kind: InboxKind) -> tuple[str, ...]:
        return tuple(message.text for message in self._waiting[kind])

    def __bool__(self) -> bool:
        return any(self._waiting.values())
