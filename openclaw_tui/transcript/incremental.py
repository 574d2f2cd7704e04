"""Left folds over a transcript that go on where they stopped.

A session grows by a few messages per step while every step of the pipeline reads all of it. A step that is a left fold
(its output for a prefix never depends on what follows) keeps its inputs, outputs and state here and works only on the
new messages when the next call begins with the very same objects. What is returned equals a fresh run: the cache is
invisible but for the time it saves.
"""

import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from itertools import takewhile
from operator import is_
from typing import Generic, TypeVar

from openclaw_tui.constants import TRANSCRIPT_FOLDS_KEPT
from openclaw_tui.messages import Message

StateT = TypeVar("StateT")
ValueT = TypeVar("ValueT")


@dataclass(slots=True)
class Fold(Generic[StateT]):
    """What a fold has read, written and remembered so far; `counts` is its running report."""

    state: StateT
    inputs: list[Message] = field(default_factory=list)
    outputs: list[Message] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    changed: bool = False

    def count(self, name: str, amount: int = 1) -> None:
        if amount:
            self.counts[name] = self.counts.get(name, 0) + amount
            self.changed = True

    def result(self, messages: tuple[Message, ...]) -> tuple[Message, ...]:
        """The outputs, or the caller's own tuple where nothing was changed."""
        return tuple(self.outputs) if self.changed else messages


class FoldCache(Generic[StateT]):
    """The last few folds, by caller's key and first message. A fold is out of the cache while it is worked on."""

    def __init__(self) -> None:
        self._folds: OrderedDict[Hashable, Fold[StateT]] = OrderedDict()

    def take(self, key: Hashable, messages: tuple[Message, ...]) -> Fold[StateT] | None:
        """A fold whose inputs are a prefix of `messages` (the same objects), or None."""
        fold = self._folds.pop((key, id(messages[0])), None) if messages else None
        if fold is None or len(fold.inputs) > len(messages) or not all(map(is_, fold.inputs, messages)):
            return None
        return fold

    def keep(self, key: Hashable, fold: Fold[StateT]) -> None:
        if not fold.inputs:
            return
        self._folds[(key, id(fold.inputs[0]))] = fold
        while len(self._folds) > TRANSCRIPT_FOLDS_KEPT:
            self._folds.popitem(last=False)


class IdentityMemo(Generic[ValueT]):
    """Values derived from frozen objects, remembered by identity for as long as the object lives.

    A message is let go with its conversation, and what was known of it with it. What cannot be watched that way (texts,
    tuples) is held, the last `held` of them. A value must not hold its own subject.
    """

    def __init__(self, held: int = 64) -> None:
        self._held = held
        self._known: dict[int, tuple[weakref.ref[object], ValueT]] = {}
        self._strong: dict[int, tuple[object, ValueT]] = {}

    def get(self, subject: object) -> ValueT | None:
        known = self._known.get(id(subject))
        if known is not None:
            return known[1] if known[0]() is subject else None
        found = self._strong.get(id(subject))
        return found[1] if found is not None and found[0] is subject else None

    def put(self, subject: object, value: ValueT) -> ValueT:
        key = id(subject)
        try:
            self._known[key] = (weakref.ref(subject, lambda _gone: self._known.pop(key, None)), value)
        except TypeError:
            if len(self._strong) >= self._held:
                self._strong.clear()
            self._strong[key] = (subject, value)
        return value


class Growing(Generic[ValueT]):
    """One value per message of a list that mostly grows at its end; only messages that are new are looked at."""

    def __init__(self, value_of: Callable[[Message], ValueT]) -> None:
        self._value_of = value_of
        self._messages: tuple[Message, ...] = ()
        self._values: list[ValueT] = []

    def of(self, messages: tuple[Message, ...]) -> list[ValueT]:
        """A list of the caller's own."""
        grew = len(self._messages) <= len(messages) and all(map(is_, self._messages, messages))
        same = len(self._messages) if grew else sum(1 for _ in takewhile(bool, map(is_, self._messages, messages)))
        if same < len(self._values) or same < len(messages):
            self._values = self._values[:same] + [self._value_of(message) for message in messages[same:]]
            self._messages = messages
        return list(self._values)
