"""Short ids for tool results: t1, t2 … in the order of the file.

The id is stored with the result, so it is the same after a resume or a fork, and a placeholder that names it stays
true. Results of a foreign session have none stored; they get theirs by position.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from operator import is_

from openclaw_tui.messages import Message, ToolResultMessage

RESULT_ID_KEY = "resultId"


class ResultIds:
    """Numbers new results of one session and knows the ids of the old ones."""

    def __init__(self, last: int = 0) -> None:
        self._last = last

    def learn(self, messages: Iterable[Message], last: int = 0) -> None:
        """Take over the numbering of a conversation; `last` is the highest number of its covered part."""
        self._last = max([last, *self.mapping(messages, numbers_only=True).values()], default=0)

    def assign(self, result: ToolResultMessage) -> ToolResultMessage:
        """The result with its id stored in its details."""
        self._last += 1
        return replace(result, details={**(result.details or {}), RESULT_ID_KEY: f"t{self._last}"})

    @property
    def last(self) -> int:
        return self._last

    @staticmethod
    def mapping(messages: Iterable[Message], *, numbers_only: bool = False) -> dict[str, int]:
        """Entry id → number for every tool result; one without a stored number follows its predecessor."""
        numbers: dict[str, int] = {}
        last = 0
        for message in messages:
            if isinstance(message, ToolResultMessage) and message.entry_id is not None:
                last = _stored_number(message.details) or last + 1
                numbers[message.entry_id] = last
        return numbers

    @classmethod
    def names(cls, messages: Iterable[Message]) -> dict[str, str]:
        """Entry id → `t17`."""
        return {entry: f"t{number}" for entry, number in cls.mapping(messages).items()}


class ResultNames:
    """The names of a growing conversation's results; only messages that are new are looked at."""

    def __init__(self) -> None:
        self._messages: tuple[Message, ...] = ()
        self._names: dict[str, str] = {}
        self._last = 0

    def of(self, messages: tuple[Message, ...]) -> Mapping[str, str]:
        """Entry id → `t17`."""
        known = len(self._messages)
        if known > len(messages) or not all(map(is_, self._messages, messages)):
            known, self._names, self._last = 0, {}, 0
        for message in messages[known:]:
            if isinstance(message, ToolResultMessage) and message.entry_id is not None:
                self._last = _stored_number(message.details) or self._last + 1
                self._names[message.entry_id] = f"t{self._last}"
        self._messages = messages
        return self._names


def _stored_number(details: Mapping[str, object] | None) -> int | None:
    value = (details or {}).get(RESULT_ID_KEY)
    if isinstance(value, str) and value[:1] == "t" and value[1:].isdigit():
        return int(value[1:])
    return None
