"""Everything the agent tells the outside, as plain frozen values.

Pairs (turn, message, tool, compaction and memory flush started/ended; approval requested/resolved) always match, also
on failure and abort. Deltas may be merged by a slow consumer; every other event arrives. A front end is a function of
this stream.
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias, get_args

import msgspec

from openclaw_tui.messages import AssistantMessage, ToolCallBlock, ToolResultMessage, Usage, UserMessage
from openclaw_tui.report import PipelineReport

TurnOutcome: TypeAlias = Literal["done", "aborted", "failed", "limit"]
NoticeLevel: TypeAlias = Literal["info", "warning", "error"]
Risk: TypeAlias = Literal["read", "write", "execute", "network"]
ContextLayer: TypeAlias = Literal["cache", "guard", "compaction", "truncation", "engine", "repair", "memory"]
CONTEXT_LAYERS: tuple[ContextLayer, ...] = get_args(ContextLayer)


class TurnStarted(msgspec.Struct, frozen=True):
    session_key: str
    message: UserMessage


class TurnEnded(msgspec.Struct, frozen=True):
    """`steps` counts model calls. `error` is the one-line reason of a failed or limited turn."""

    session_key: str
    outcome: TurnOutcome
    steps: int = 0
    usage: Usage = msgspec.field(default_factory=Usage)
    cost_usd: float | None = None
    error: BaseException | None = None


class AttemptStarted(msgspec.Struct, frozen=True):
    session_key: str
    number: int
    reason: str = ""


class StepStarted(msgspec.Struct, frozen=True):
    session_key: str
    number: int
    report: PipelineReport


class UserMessageAdded(msgspec.Struct, frozen=True):
    """A steering or follow-up message, or one the program itself wrote, entered the conversation."""

    session_key: str
    message: UserMessage


class MessageStarted(msgspec.Struct, frozen=True):
    session_key: str
    message_id: str
    model: str


class TextDelta(msgspec.Struct, frozen=True):
    session_key: str
    message_id: str
    text: str


class ThinkingDelta(msgspec.Struct, frozen=True):
    session_key: str
    message_id: str
    text: str


class ToolCallDelta(msgspec.Struct, frozen=True):
    """Arguments of a call as they arrive; `chars` is how many characters of them there are so far."""

    session_key: str
    message_id: str
    call_id: str
    name: str
    chars: int


class MessageEnded(msgspec.Struct, frozen=True):
    """The message as stored. `discarded` marks a partial answer that a retry throws away."""

    session_key: str
    message_id: str
    message: AssistantMessage
    discarded: bool = False


class ToolStarted(msgspec.Struct, frozen=True):
    session_key: str
    call: ToolCallBlock
    label: str
    summary: str


class ToolProgress(msgspec.Struct, frozen=True):
    session_key: str
    call_id: str
    text: str


class ToolEnded(msgspec.Struct, frozen=True):
    session_key: str
    call_id: str
    result: ToolResultMessage
    seconds: float


class ApprovalRequested(msgspec.Struct, frozen=True):
    """A question to the user. `preview` is the whole command or diff; `parts` the commands of a chain.

    `part_words` say of each part what lets it run, or why it asks. `prefix_rule` is the rule that "always for this
    prefix" would add, None where that is not offered.
    """

    session_key: str
    approval_id: str
    call: ToolCallBlock
    risk: Risk
    title: str
    preview: str
    preview_kind: Literal["command", "diff", "text"] = "text"
    reasons: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    prefix_rule: str | None = None
    part_words: tuple[str, ...] = ()


class ApprovalResolved(msgspec.Struct, frozen=True):
    session_key: str
    approval_id: str
    allowed: bool
    reason: str = ""


class RetryScheduled(msgspec.Struct, frozen=True):
    """A model call failed and will be tried again in `seconds`, unless the user stops it."""

    session_key: str
    attempt: int
    max_attempts: int
    seconds: float
    reason: str


class ContextAct(msgspec.Struct, frozen=True):
    """One act of a context layer, the same row as in the ledger and in `stream-json`.

    Verbs: cache break|expired|cold|kept_warm; guard capped|trimmed|cleared|overflow; compaction started|done|failed|
    skipped|undone; truncation done; engine fallback|switched; repair moved|made|deduped|dropped|quarantined; memory
    flush_started|flush_done|flush_skipped|written.
    """

    session_key: str
    layer: ContextLayer
    verb: str
    reason: str = ""
    tokens_before: int | None = None
    tokens_after: int | None = None
    cost_usd: float | None = None
    seconds: float | None = None
    data: Mapping[str, Any] = msgspec.field(default_factory=dict)


class CompactionStarted(msgspec.Struct, frozen=True):
    session_key: str
    trigger: str
    tokens_before: int


class CompactionEnded(msgspec.Struct, frozen=True):
    session_key: str
    ok: bool
    tokens_before: int
    tokens_after: int
    reason: str = ""
    summary: str = ""


class MemoryFlushStarted(msgspec.Struct, frozen=True):
    session_key: str


class MemoryFlushEnded(msgspec.Struct, frozen=True):
    session_key: str
    written: tuple[str, ...] = ()
    reason: str = ""


class ContextStatus(msgspec.Struct, frozen=True):
    """Size of the context now. `estimated` is True until the provider has reported it."""

    session_key: str
    used_tokens: int
    window_tokens: int
    usable_tokens: int
    estimated: bool
    compactions: int = 0


class QueueChanged(msgspec.Struct, frozen=True):
    """What waits in the inbox: texts that steer the running turn, and texts for after it."""

    session_key: str
    steering: tuple[str, ...]
    follow_up: tuple[str, ...]


class PlanChanged(msgspec.Struct, frozen=True):
    session_key: str
    steps: tuple[tuple[str, str], ...]


class SubagentEvent(msgspec.Struct, frozen=True):
    session_key: str
    parent_call_id: str
    event: "AgentEvent"


class Notice(msgspec.Struct, frozen=True):
    session_key: str
    level: NoticeLevel
    text: str


AgentEvent: TypeAlias = (
    TurnStarted
    | TurnEnded
    | AttemptStarted
    | StepStarted
    | UserMessageAdded
    | MessageStarted
    | TextDelta
    | ThinkingDelta
    | ToolCallDelta
    | MessageEnded
    | ToolStarted
    | ToolProgress
    | ToolEnded
    | ApprovalRequested
    | ApprovalResolved
    | RetryScheduled
    | ContextAct
    | CompactionStarted
    | CompactionEnded
    | MemoryFlushStarted
    | MemoryFlushEnded
    | ContextStatus
    | QueueChanged
    | PlanChanged
    | SubagentEvent
    | Notice
)

Sink: TypeAlias = Callable[[AgentEvent], None]
"""Where the loop puts its events: synchronous, never fails. In tests it is `events.append`."""
