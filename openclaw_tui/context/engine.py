"""The context engine: the pluggable part of context management.

An engine chooses what of a conversation goes to the model; it cannot bypass what keeps a request safe and legal (those
steps run before it, and again on what it returns). `ingest`, `assemble` and `compact` must be there; every other
method has a neutral default in `ContextEngineBase`. Engines run under time limits and are replaced by `legacy` when
they break the contract (see `engine_host`).
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

import msgspec

from openclaw_tui.messages import Message

CompactionTrigger: TypeAlias = Literal[
    "threshold", "overflow_preemptive", "overflow_provider", "memory_flush", "manual", "preflight", "timeout_recovery"
]
SubagentEndReason: TypeAlias = Literal["completed", "deleted", "swept", "released"]
MaintainReason: TypeAlias = Literal["bootstrap", "turn", "compaction"]

RewriteEntries: TypeAlias = Callable[[Mapping[str, Message]], Awaitable["RewriteResult"]]
"""Replace messages of the active branch by entry id; the old branch stays in the file. Handed to `maintain`."""


class EngineInfo(msgspec.Struct, frozen=True):
    """`owns_compaction` switches the built-in threshold compaction off; the overflow path still falls back to it."""

    id: str
    name: str
    version: str = ""
    owns_compaction: bool = False


class SessionRef(msgspec.Struct, frozen=True):
    """Which conversation a call is about. `session_file` is None for a session that is not stored."""

    session_id: str
    session_key: str
    session_file: Path | None = None


class BootstrapResult(msgspec.Struct, frozen=True):
    bootstrapped: bool = False
    imported_messages: int = 0
    reason: str = ""


class RewriteResult(msgspec.Struct, frozen=True):
    changed: bool = False
    bytes_freed: int = 0
    rewritten_entries: int = 0
    reason: str = ""


class AssembleRequest(msgspec.Struct, frozen=True):
    """`token_budget` is what the messages may fill, in tokens; `prompt` is the text of the user's latest message."""

    session: SessionRef
    messages: tuple[Message, ...]
    token_budget: int
    model: str = ""
    prompt: str = ""


class AssembleResult(msgspec.Struct, frozen=True):
    """`system_prompt_addition` becomes the first text below the cache boundary. 0 tokens = not estimated."""

    messages: Sequence[Message]
    estimated_tokens: int = 0
    system_prompt_addition: str = ""


class CompactRequest(msgspec.Struct, frozen=True):
    """`force` compacts although the threshold was not reached; `instructions` is the focus of `/compact`."""

    session: SessionRef
    token_budget: int
    current_tokens: int
    trigger: CompactionTrigger
    force: bool = False
    instructions: str = ""


class CompactResult(msgspec.Struct, frozen=True):
    """`ok` is False for a failure, with the reason; `compacted` is believed only when the measured size fell."""

    ok: bool
    compacted: bool
    reason: str = ""
    summary: str = ""
    first_kept_entry_id: str | None = None
    tokens_before: int = 0
    tokens_after: int | None = None
    details: Mapping[str, Any] = msgspec.field(default_factory=dict)


class AfterTurnRequest(msgspec.Struct, frozen=True):
    session: SessionRef
    messages: tuple[Message, ...]
    new_messages: tuple[Message, ...]
    token_budget: int


class SubagentPreparation(Protocol):
    """What an engine did for a child session; undone when the child cannot start."""

    async def rollback(self) -> None: ...


class ContextEngine(Protocol):
    @property
    def info(self) -> EngineInfo: ...

    async def bootstrap(self, session: SessionRef) -> BootstrapResult: ...

    async def maintain(self, session: SessionRef, reason: MaintainReason, rewrite: RewriteEntries) -> RewriteResult: ...

    async def ingest(self, session: SessionRef, message: Message) -> bool: ...

    async def ingest_batch(self, session: SessionRef, messages: Sequence[Message]) -> int: ...

    async def after_turn(self, request: AfterTurnRequest) -> None: ...

    async def assemble(self, request: AssembleRequest) -> AssembleResult: ...

    async def compact(self, request: CompactRequest) -> CompactResult: ...

    async def prepare_subagent_spawn(self, parent_key: str, child_key: str) -> SubagentPreparation | None: ...

    async def on_subagent_ended(self, child_key: str, reason: SubagentEndReason) -> None: ...

    async def dispose(self) -> None: ...


class ContextEngineBase:
    """Neutral defaults for the optional methods; subclass it or implement the protocol whole."""

    async def bootstrap(self, session: SessionRef) -> BootstrapResult:
        return BootstrapResult()

    async def maintain(self, session: SessionRef, reason: MaintainReason, rewrite: RewriteEntries) -> RewriteResult:
        return RewriteResult()

    async def ingest_batch(self, session: SessionRef, messages: Sequence[Message]) -> int:
        return 0

    async def after_turn(self, request: AfterTurnRequest) -> None:
        return None

    async def prepare_subagent_spawn(self, parent_key: str, child_key: str) -> SubagentPreparation | None:
        return None

    async def on_subagent_ended(self, child_key: str, reason: SubagentEndReason) -> None:
        return None

    async def dispose(self) -> None:
        return None


Compactor: TypeAlias = Callable[[CompactRequest], Awaitable[CompactResult]]
"""The built-in compaction, offered to every engine for delegation."""
