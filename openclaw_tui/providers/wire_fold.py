"""The wire form of a conversation that grows at its end: only what is new is converted and encoded.

Messages are frozen and handed on as the same objects, so a conversation that begins with the very objects of the last
one is continued where that stopped; one that differs further in is taken up again at the last turn they share. Several
conversations (sub-agents, side requests) are remembered side by side. Invariant: a turn that was handed out is never
changed; a longer one takes its place.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from operator import is_
from typing import Generic, TypeAlias, TypeVar

from openclaw_tui.messages import Message
from openclaw_tui.providers.wire_cache import Block, encode_json

VariantT = TypeVar("VariantT", bound=Hashable)
"""What the wire form depends on besides the messages, for example whether the model takes pictures."""

Append: TypeAlias = Callable[[list[Block], Message, VariantT], None]
"""Adds a message to the turns: a new turn at the end, or a longer one in the place of the last."""

_KEPT_CONVERSATIONS = 8


@dataclass(slots=True)
class _Conversation:
    inputs: list[Message] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    """How many turns there were after each input."""
    turns: list[Block] = field(default_factory=list)
    text: bytearray = field(default_factory=bytearray)
    """JSON of the first turns, each followed by a comma."""
    marks: list[int] = field(default_factory=list)
    """Where in `text` each of those turns ends."""

    def cut(self, messages: Sequence[Message]) -> int | None:
        """Forget what does not stand at the beginning of `messages`, back to the start of a turn.

        Returns how many turns were kept where something was forgotten, None where the conversation just grew.
        """
        known = self.inputs
        if len(known) <= len(messages) and all(map(is_, known, messages)):
            return None
        shared = next((n for n, pair in enumerate(zip(known, messages, strict=False)) if pair[0] is not pair[1]), None)
        keep = min(len(known), len(messages)) if shared is None else shared
        while keep and self.ends[keep] == self.ends[keep - 1]:
            keep -= 1
        turns = self.ends[keep - 1] if keep else 0
        del self.inputs[keep:], self.ends[keep:], self.turns[turns:]
        self.forget_text(turns)
        return turns

    def forget_text(self, turns: int) -> None:
        """Keep the text of the first `turns` turns only."""
        if turns < len(self.marks):
            del self.text[self.marks[turns - 1] if turns else 0 :], self.marks[turns:]


class WireFold(Generic[VariantT]):
    """Turns of the last few conversations, by what they depend on and their first message."""

    def __init__(self, append: Append[VariantT]) -> None:
        self._append = append
        self._kept: OrderedDict[Hashable, _Conversation] = OrderedDict()
        self.rewritten_from: int | None = None
        """Of the latest conversation: the first turn that differs from its last request; None: none; 0: it is new."""

    def turns(self, messages: Sequence[Message], variant: VariantT) -> list[Block]:
        """The turns of a conversation, none of them to be changed."""
        key = (variant, id(messages[0])) if messages else None
        known = self._kept.pop(key, None)
        conversation = known or _Conversation()
        self.rewritten_from = conversation.cut(messages) if known else 0
        for message in messages[len(conversation.inputs) :]:
            before = conversation.turns[-1:]
            self._append(conversation.turns, message, variant)
            if before and before[0] is not conversation.turns[conversation.ends[-1] - 1]:
                conversation.forget_text(conversation.ends[-1] - 1)
            conversation.inputs.append(message)
            conversation.ends.append(len(conversation.turns))
        self._kept[key] = conversation
        while len(self._kept) > _KEPT_CONVERSATIONS:
            self._kept.popitem(last=False)
        return list(conversation.turns)

    def origins(self, messages: Sequence[Message], variant: VariantT, parts: str) -> list[list[tuple[int, int]]]:
        """For each turn and each of its parts (the list under the name `parts`): which message made it, and as which
        of that message's parts. For the rare case that a server names a place; nothing is remembered."""
        turns: list[Block] = []
        made: dict[int, tuple[int, int]] = {}
        for number, message in enumerate(messages):
            self._append(turns, message, variant)
            new = [part for turn in turns[-1:] for part in turn[parts] if id(part) not in made]
            made.update((id(part), (number, at)) for at, part in enumerate(new))
        return [[made[id(part)] for part in turn[parts]] for turn in turns]

    def encoded(self, turns: Sequence[Block]) -> bytes:
        """The turns as the inside of a JSON array, to be asked right after `turns`.

        From the first changed copy on all is encoded anew: the cache markers stand near the end.
        """
        conversation = next(reversed(self._kept.values()), None) or _Conversation()
        pairs = enumerate(zip(turns, conversation.turns, strict=False))
        own = next((n for n, (turn, known) in pairs if turn is not known), min(len(turns), len(conversation.turns)))
        conversation.forget_text(own)
        for turn in turns[len(conversation.marks) : own]:
            conversation.text += encode_json(turn) + b","
            conversation.marks.append(len(conversation.text))
        rest = b",".join(encode_json(turn) for turn in turns[own:])
        return b"".join((conversation.text, rest)) if rest else bytes(memoryview(conversation.text)[:-1])
