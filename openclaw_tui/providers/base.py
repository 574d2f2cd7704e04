"""The seam between the loop and a model API.

A provider turns a `ProviderRequest` into a stream of plain events. Contract: it yields `StreamStarted`, deltas, one
`BlockDone` per content block and exactly one `StreamEnded`; it raises only errors of our tree; it never retries;
cancelling the consumer closes the connection at once; it imports its SDK on first use. A stream that ends without the
provider's own closing event is a failure, never a whole answer.
"""

from collections.abc import AsyncIterator, Mapping
from typing import Any, Protocol, TypeAlias

import msgspec

from openclaw_tui.messages import (
    AssistantContent,
    CacheRetention,
    Message,
    StopReason,
    ThinkingLevel,
    ToolDefinition,
    Usage,
)
from openclaw_tui.models import ModelInfo


class ProviderRequest(msgspec.Struct, frozen=True):
    """One request, provider-neutral and complete.

    `system_stable` stands above the cache boundary and is byte-equal through the session; `system_dynamic` below it.
    `drop_mismatched_thinking` asks a prefix-bound API to drop reasoning whose prefix changed instead of refusing.
    `previous_response_id` lets providers with cache diagnostics compare with the last answer. `seal_instructions` asks
    a model that `seals_summaries` for nothing but a summary of `messages` in the provider's own sealed form.
    """

    model: ModelInfo
    system_stable: str
    system_dynamic: str
    messages: tuple[Message, ...]
    tools: tuple[ToolDefinition, ...] = ()
    max_output_tokens: int = 4096
    thinking: ThinkingLevel = "off"
    cache_retention: CacheRetention = "short"
    session_id: str = ""
    drop_mismatched_thinking: bool = False
    previous_response_id: str | None = None
    seal_instructions: str | None = None


class StreamStarted(msgspec.Struct, frozen=True):
    """The provider accepted the request. `usage` holds the prompt's tokens where they are known already."""

    response_id: str | None = None
    model: str | None = None
    usage: Usage | None = None


class TextChunk(msgspec.Struct, frozen=True):
    index: int
    text: str


class ThinkingChunk(msgspec.Struct, frozen=True):
    index: int
    text: str


class ToolCallChunk(msgspec.Struct, frozen=True):
    """A piece of a call's arguments; the first one for an index may be empty and names the call."""

    index: int
    call_id: str
    name: str
    json: str


class BlockDone(msgspec.Struct, frozen=True):
    """The finished block at `index`, authoritative over its chunks."""

    index: int
    block: AssistantContent


class StreamEnded(msgspec.Struct, frozen=True):
    """The whole answer arrived. `diagnostics` is what the provider says about its cache, where it says anything.

    `dropped_thinking` counts reasoning blocks the provider left out because their prefix had changed. `sealed` is the
    summary that was asked for with `seal_instructions`, to be sent back as `UserMessage.sealed`.
    """

    stop_reason: StopReason
    usage: Usage
    response_id: str | None = None
    diagnostics: Mapping[str, Any] = msgspec.field(default_factory=dict)
    dropped_thinking: int = 0
    detail: str = ""
    sealed: str = ""


StreamEvent: TypeAlias = StreamStarted | TextChunk | ThinkingChunk | ToolCallChunk | BlockDone | StreamEnded


class Provider(Protocol):
    """One model API. `name` is the provider id of the catalogue (anthropic, openai, google, a configured id …)."""

    @property
    def name(self) -> str: ...

    def stream(self, request: ProviderRequest) -> AsyncIterator[StreamEvent]: ...

    async def aclose(self) -> None: ...
