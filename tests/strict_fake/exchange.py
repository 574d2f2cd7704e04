"""One request in work, and what the fake remembers between requests.

`Record` is what a test sees; `Exchange` is the same request with what the rules and wires need beside it; `Memory` is
the provider's side of the conversation (stored responses, issued ids, prefix states).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.strict_fake.binding_state import Bound, BoundReasoning
from tests.strict_fake.gemini_fields import camel_fields
from tests.strict_fake.refusal import Json


@dataclass
class Record:
    """What arrived and what was answered. `what` says how it ended; see the README for the words."""

    n: int
    protocol: str
    method: str
    path: str
    headers: Mapping[str, str]
    raw: bytes = b""
    body: Json = field(default_factory=dict)
    model: str = ""
    stream: bool = False
    kind: str = ""
    main_n: int = 0
    status: int = 0
    what: str = "ok"
    error: str | None = None
    fault: str | None = None
    tokens: int = 0
    parts: dict[str, int] = field(default_factory=dict)
    breakpoints: list[str] = field(default_factory=list)
    usage: dict[str, int] = field(default_factory=dict)
    first_diff: Json | None = None
    dropped: int = 0
    warnings: list[str] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)
    needles: list[str] = field(default_factory=list)
    tool_names: list[str] = field(default_factory=list)
    last_user: str = ""
    client_gone: bool = False
    figures: dict[str, float] = field(default_factory=dict)

    @property
    def cache_read(self) -> int:
        return self.usage.get("read", 0)

    @property
    def cache_write(self) -> int:
        return self.usage.get("write", 0)

    @property
    def refused(self) -> bool:
        return self.what == "invalid"


@dataclass
class Memory:
    """What the provider remembers. `parents` maps a prefix state to the state before it and what was added."""

    stored: dict[str, list[Json]] = field(default_factory=dict)
    unstored_reasoning: set[str] = field(default_factory=set)
    reasoning_of: dict[str, str] = field(default_factory=dict)
    thought_calls: set[str] = field(default_factory=set)
    parents: dict[str, tuple[str, str]] = field(default_factory=dict)


@dataclass
class Exchange:
    """A request whose rules are being checked and whose answer is being built. `body` has the names that rules know."""

    record: Record
    memory: Memory
    query: Mapping[str, str] = field(default_factory=dict)
    counting: bool = False
    items: list[Json] = field(default_factory=list)
    bound: Bound | None = None
    reasoning: BoundReasoning | None = None
    keyless: bool = False
    body: Json = field(default_factory=dict)

    def __post_init__(self) -> None:
        sent = self.record.body
        self.body = camel_fields(sent) if self.record.protocol == "gemini" else sent
        if self.counting and isinstance(self.body.get("generateContentRequest"), dict):
            self.body = self.body["generateContentRequest"]

    @property
    def headers(self) -> Mapping[str, str]:
        return self.record.headers

    @property
    def model(self) -> str:
        return self.record.model

    def warn(self, text: str) -> None:
        if text not in self.record.warnings:
            self.record.warnings.append(text)


@dataclass(frozen=True)
class Wish:
    """What the request offers and asks: its tools, its newest user text, the JSON schema of the answer, its system
    text."""

    tools: list[Json]
    last_user: str
    schema: Json | None
    system: str


def text_of(content: Any) -> str:
    """The text of a message content in any protocol."""
    if isinstance(content, str):
        return content
    return "\n".join(
        part["text"] for part in content or [] if isinstance(part, dict) and isinstance(part.get("text"), str)
    )
