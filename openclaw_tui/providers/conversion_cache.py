"""Remembers the wire form of messages, so that a growing history is not converted again at every step.

Messages are frozen values and the pipeline hands the same objects on as long as nothing changed them, so identity is
the key; the entry holds the message, which keeps its identity from being given to another one.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from openclaw_tui.constants import CONVERTED_MESSAGES_KEPT
from openclaw_tui.messages import Message

Wire = TypeVar("Wire")


class ConversionCache(Generic[Wire]):
    """The newest `size` conversions. What is kept must not be changed by whoever gets it."""

    def __init__(self, size: int = CONVERTED_MESSAGES_KEPT) -> None:
        self._size = size
        self._entries: OrderedDict[tuple[int, Hashable], tuple[Message, Wire]] = OrderedDict()

    def get(self, message: Message, variant: Hashable, convert: Callable[[], Wire]) -> Wire:
        """The wire form of `message`; `variant` is all else that it depends on, for example the model."""
        key = (id(message), variant)
        entry = self._entries.get(key)
        if entry is not None:
            self._entries.move_to_end(key)
            return entry[1]
        wire = convert()
        self._entries[key] = (message, wire)
        if len(self._entries) > self._size:
            self._entries.popitem(last=False)
        return wire
