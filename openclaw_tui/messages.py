"""The vocabulary of a conversation: content blocks, messages, usage, stop reasons, tool definitions.

Plain frozen values. Nothing here knows a provider, a file format or a screen. Every other package speaks in
these types, so a message built by a provider adapter, read from disk or invented by repair looks the same.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import msgspec

StopReason: TypeAlias = Literal["stop", "length", "tool_use", "refusal", "aborted", "error"]
"""Why an assistant message ended. `aborted` and `error` mark partial messages: never taken for whole ones."""

ThinkingLevel: TypeAlias = Literal["off", "minimal", "low", "medium", "high", "xhigh", "max"]
THINKING_LEVELS: tuple[ThinkingLevel, ...] = ("off", "minimal", "low", "medium", "high", "xhigh", "max")

CacheRetention: TypeAlias = Literal["none", "short", "long"]
"""How long a provider should keep the prompt prefix: `short` = 5 minutes, `long` = 1 hour."""

UserOrigin: TypeAlias = Literal["user", "compaction_summary", "branch_summary", "custom", "bash", "subagent"]
"""Who wrote a user-role message. Only `user` counts as a turn of the person at the keyboard."""


class TextBlock(msgspec.Struct, frozen=True):
    """Visible text. `signature` is an opaque provider token that must travel back byte for byte."""

    text: str
    signature: str | None = None


class ThinkingBlock(msgspec.Struct, frozen=True):
    """Reasoning. `signature` is opaque and goes back byte for byte.

    It is Anthropic's signature (or the data of a redacted block), OpenAI's reasoning item as JSON, or a Gemini thought
    signature.
    """

    thinking: str
    signature: str | None = None
    redacted: bool = False


class ImageBlock(msgspec.Struct, frozen=True):
    """A picture as base64 text with its media type, for example `image/png`."""

    data: str
    mime_type: str


class ToolCallBlock(msgspec.Struct, frozen=True):
    """A request of the model to run a tool.

    `arguments` is always a JSON object. Where the model's text was no valid object it is empty and
    `invalid_arguments` keeps that text, so that what is replayed is legal and the tool runner can report the fault.
    """

    id: str
    name: str
    arguments: Mapping[str, Any]
    thought_signature: str | None = None
    invalid_arguments: str | None = None


UserContent: TypeAlias = TextBlock | ImageBlock
AssistantContent: TypeAlias = TextBlock | ThinkingBlock | ToolCallBlock
ContentBlock: TypeAlias = TextBlock | ThinkingBlock | ImageBlock | ToolCallBlock


class Usage(msgspec.Struct, frozen=True):
    """Tokens of one provider call. Invariant: `input` excludes cached tokens, reads and writes alike.

    `cache_reported` is False where the provider says nothing about its cache: unknown is not zero.
    `cache_write_long` is the part of `cache_write` written with the long retention (it costs more).
    """

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cache_write_long: int = 0
    reasoning: int = 0
    cache_reported: bool = True

    @property
    def prompt_tokens(self) -> int:
        """Tokens of the whole request: fresh, read from cache and written to it."""
        return self.input + self.cache_read + self.cache_write

    @property
    def context_tokens(self) -> int:
        """Tokens that the conversation occupies after this answer."""
        return self.prompt_tokens + self.output

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            input=self.input + other.input,
            output=self.output + other.output,
            cache_read=self.cache_read + other.cache_read,
            cache_write=self.cache_write + other.cache_write,
            cache_write_long=self.cache_write_long + other.cache_write_long,
            reasoning=self.reasoning + other.reasoning,
            cache_reported=self.cache_reported and other.cache_reported,
        )


NO_USAGE = Usage()


@dataclass(frozen=True, slots=True, weakref_slot=True)
class UserMessage:
    """What a person, a summary or the program itself says to the model in the user role.

    `entry_id` names the session entry a message came from; None for messages made on the way to a provider.
    It is not part of a message's identity. `sealed` is a summary in the form that the provider in use made of it
    (JSON, opaque): its adapter sends that instead of the content.
    """

    content: tuple[UserContent, ...]
    timestamp: int = 0
    origin: UserOrigin = "user"
    entry_id: str | None = field(default=None, compare=False)
    sealed: str | None = None


@dataclass(frozen=True, slots=True, weakref_slot=True)
class AssistantMessage:
    """One answer of a model. `api` names the wire protocol, which decides who can read the opaque parts."""

    content: tuple[AssistantContent, ...]
    api: str = ""
    provider: str = ""
    model: str = ""
    usage: Usage = NO_USAGE
    stop_reason: StopReason = "stop"
    error_message: str | None = None
    timestamp: int = 0
    response_id: str | None = None
    cost_usd: float | None = None
    entry_id: str | None = field(default=None, compare=False)

    @property
    def tool_calls(self) -> tuple[ToolCallBlock, ...]:
        return tuple(block for block in self.content if isinstance(block, ToolCallBlock))

    @property
    def is_partial(self) -> bool:
        """True when the answer was cut off: its calls were not run and must not be replayed as open."""
        return self.stop_reason in ("aborted", "error")


@dataclass(frozen=True, slots=True, weakref_slot=True)
class ToolResultMessage:
    """What a tool returned for one call.

    `details` is for the interface and the log only. It never reaches a model: `strip_tool_result_details` is the
    first step of the pipeline and of every compaction.
    """

    tool_call_id: str
    tool_name: str
    content: tuple[UserContent, ...]
    is_error: bool = False
    details: Mapping[str, Any] | None = None
    timestamp: int = 0
    entry_id: str | None = field(default=None, compare=False)


Message: TypeAlias = UserMessage | AssistantMessage | ToolResultMessage


class ToolDefinition(msgspec.Struct, frozen=True):
    """A tool as the model sees it. `parameters` is a literal JSON schema: its bytes are part of the cached prefix."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    summary: str = ""


def text_of(content: tuple[ContentBlock, ...] | tuple[UserContent, ...] | tuple[AssistantContent, ...]) -> str:
    """The visible text of a message: its text blocks joined by line ends."""
    return "\n".join(block.text for block in content if isinstance(block, TextBlock))


def user_text(text: str, *, timestamp: int = 0, origin: UserOrigin = "user") -> UserMessage:
    return UserMessage(content=(TextBlock(text),), timestamp=timestamp, origin=origin)
