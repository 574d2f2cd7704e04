"""Where a conversation stands for the models that tie thinking to what came before it (plain values, no rules)."""

from dataclasses import dataclass, field
from typing import Any

from tests.strict_fake import seals
from tests.strict_fake.refusal import Json


@dataclass
class Bound:
    """What a thinking block that is written now will be bound to, and which blocks of the request were dropped."""

    base: str = ""
    state: str = ""
    turn: str = ""
    last: str = ""
    last_turn: str = ""
    dropped: list[tuple[int, int, str]] = field(default_factory=list)

    def transformations(self) -> list[Json]:
        return [
            {"type": "thinking_dropped", "path": f"messages.{i}.content.{j}", "reason": reason}
            for i, j, reason in self.dropped
        ]

    def as_seen(self, body: Json) -> Json:
        """The request as the model sees it, without the dropped blocks."""
        if not self.dropped:
            return body
        gone = {(i, j) for i, j, _ in self.dropped}
        messages = []
        for i, message in enumerate(body["messages"]):
            content = message.get("content")
            if isinstance(content, list):
                content = [block for j, block in enumerate(content) if (i, j) not in gone]
            messages.append(dict(message, content=content))
        return dict(body, messages=messages)

    def thinking_signature(self, text: str, family: str) -> str:
        record = {"f": family, "p": self.state, "t": self.turn, "q": self.last, "qt": self.last_turn}
        return seals.pack(record, text)

    def compaction_signature(self, text: str) -> str:
        record = {"b": self.base, "p": self.state, "t": self.turn, "h": seals.text_digest(text)}
        return seals.pack(record, "compaction")


@dataclass
class BoundReasoning:
    """The state of a Responses conversation on models that bind reasoning; `items` is what the model is shown."""

    state: str = ""
    removed: list[Json] = field(default_factory=list)
    items: list[Any] = field(default_factory=list)

    def encrypted(self) -> str:
        return "gAAAAA" + seals.pack({"p": self.state, "r": 1}, "reasoning")
