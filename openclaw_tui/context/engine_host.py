"""Runs the chosen engine under supervision.

Every call has a time limit and its result is checked. The first fault of an engine is told once, with its name, method
and reason; from then on `legacy` does the work for the rest of the session, until `/engine retry`. In strict mode the
turn stops instead, before any request is sent, and no other engine ever works in its place.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from openclaw_tui.constants import (
    ENGINE_ADDITION_MAX_SHARE,
    ENGINE_CALL_TIMEOUT_SECONDS,
    ENGINE_COMPACT_TIMEOUT_SECONDS,
)
from openclaw_tui.context.engine import (
    AfterTurnRequest,
    AssembleRequest,
    AssembleResult,
    BootstrapResult,
    CompactRequest,
    CompactResult,
    ContextEngine,
    ContextEngineBase,
    EngineInfo,
    MaintainReason,
    RewriteEntries,
    RewriteResult,
    SessionRef,
    SubagentEndReason,
    SubagentPreparation,
)
from openclaw_tui.errors import EngineError, OpenClawError
from openclaw_tui.messages import AssistantMessage, Message, ToolResultMessage, UserMessage
from openclaw_tui.tokens import estimate_text_tokens

T = TypeVar("T")
FaultListener = Callable[[EngineError, bool], None]
"""Told of a fault: the error, and whether `legacy` takes over (False in strict mode)."""

_NEUTRAL = ContextEngineBase()
_STOPS_THE_TURN = frozenset({"ingest", "ingest_batch", "assemble", "compact", "prepare_subagent_spawn"})
"""Operations that raise in strict mode; the others do nothing once the engine has failed."""


class EngineFault(msgspec.Struct, frozen=True):
    engine: str
    operation: str
    reason: str


class EngineHost:
    """The engine of one session. `in_use` names the engine that really works for the current turn."""

    def __init__(
        self,
        fallback: ContextEngine,
        make: Callable[[], ContextEngine] | None,
        *,
        wanted: str,
        strict: bool,
        on_fault: FaultListener,
        call_seconds: float = ENGINE_CALL_TIMEOUT_SECONDS,
        compact_seconds: float = ENGINE_COMPACT_TIMEOUT_SECONDS,
    ) -> None:
        self._fallback = fallback
        self._make = make
        self._engine: ContextEngine | None = None
        self.wanted = wanted
        self.strict = strict
        self.fault: EngineFault | None = None
        self._on_fault = on_fault
        self._call_seconds = call_seconds
        self._compact_seconds = compact_seconds

    @property
    def info(self) -> EngineInfo:
        engine = self._current()
        if self.strict and self.fault is not None:
            return EngineInfo(id=f"{self.wanted} (failed)", name=f"{self.wanted}, stopped by strict mode")
        return engine.info

    @property
    def in_use(self) -> str:
        return self.info.id

    @property
    def fallback_id(self) -> str:
        return self._fallback.info.id

    def retry(self) -> None:
        """Forget the fault and try the wanted engine again at the next call."""
        self.fault = None
        self._engine = None

    async def bootstrap(self, session: SessionRef) -> BootstrapResult:
        return await self._call(
            "bootstrap", lambda engine: _of(engine, "bootstrap")(session), BootstrapResult, BootstrapResult()
        )

    async def maintain(self, session: SessionRef, reason: MaintainReason, rewrite: RewriteEntries) -> RewriteResult:
        return await self._call(
            "maintain", lambda engine: _of(engine, "maintain")(session, reason, rewrite), RewriteResult, RewriteResult()
        )

    async def ingest(self, session: SessionRef, message: Message) -> bool:
        return await self._call("ingest", lambda engine: engine.ingest(session, message), bool, False)

    async def ingest_batch(self, session: SessionRef, messages: Sequence[Message]) -> int:
        """Several messages at once; an engine without a batch of its own is given them one by one."""

        async def one_by_one(engine: ContextEngine) -> int:
            return sum([int(bool(await engine.ingest(session, message))) for message in messages])

        async def batch(engine: ContextEngine) -> int:
            own: object = getattr(type(engine), "ingest_batch", None)
            if own in (None, ContextEngineBase.ingest_batch):
                return await one_by_one(engine)
            return await engine.ingest_batch(session, messages)

        return await self._call("ingest_batch", batch, int, 0)

    async def after_turn(self, request: AfterTurnRequest) -> None:
        await self._call("after_turn", lambda engine: _of(engine, "after_turn")(request), None, None)

    async def assemble(self, request: AssembleRequest) -> AssembleResult:
        result = await self._call("assemble", lambda engine: engine.assemble(request), AssembleResult)
        problem = _assemble_problem(result, request.token_budget)
        if problem is not None:
            self._report(self._error("assemble", problem))
            return await self._fallback.assemble(request)
        tokens: object = result.estimated_tokens
        known = tokens if isinstance(tokens, int) and tokens > 0 else 0
        return replace(result, messages=tuple(result.messages), estimated_tokens=known)

    async def compact(self, request: CompactRequest) -> CompactResult:
        """The engine's compaction; one that fails or declines under force is followed by the built-in one."""
        engine = self._current()
        result = await self._call("compact", lambda engine: engine.compact(request), CompactResult)
        declined = request.force and not result.compacted and not result.ok
        not_owner = request.force and not result.compacted and not engine.info.owns_compaction
        if engine is not self._fallback and self._current() is engine and (declined or not_owner):
            return await self._fallback.compact(request)
        return result

    async def compact_with_fallback(self, request: CompactRequest) -> CompactResult:
        """The built-in compaction, where the engine's own was not believed."""
        return await self._fallback.compact(request)

    async def prepare_subagent_spawn(self, parent_key: str, child_key: str) -> SubagentPreparation | None:
        async def prepare(engine: ContextEngine) -> SubagentPreparation | None:
            made: SubagentPreparation | None = await _of(engine, "prepare_subagent_spawn")(parent_key, child_key)
            if made is not None and not callable(getattr(made, "rollback", None)):
                raise TypeError(f"{type(made).__name__} has no rollback")
            return made

        return await self._call("prepare_subagent_spawn", prepare, None, None)

    async def on_subagent_ended(self, child_key: str, reason: SubagentEndReason) -> None:
        await self._call(
            "on_subagent_ended", lambda engine: _of(engine, "on_subagent_ended")(child_key, reason), None, None
        )

    async def dispose(self) -> None:
        if self._engine is not None:
            await self._call("dispose", lambda engine: _of(engine, "dispose")(), None, None)
        await self._fallback.dispose()

    def _current(self) -> ContextEngine:
        """The engine that works now; `legacy` where there is no other, or it has failed."""
        if self._make is None or self.fault is not None:
            return self._fallback
        if self._engine is None:
            try:
                self._engine = self._make()
            except EngineError as error:
                self._note(error)
                return self._fallback
        return self._engine

    async def _call(
        self,
        operation: str,
        call: Callable[[ContextEngine], Awaitable[T]],
        expected: type[T] | None,
        default: T | None = None,
    ) -> T:
        """One call under its time limit. An engine that returns nothing means `default`, where there is one."""
        engine = self._current()
        limit = self._compact_seconds if operation == "compact" else self._call_seconds
        if self.strict and self.fault is not None and operation in _STOPS_THE_TURN:
            raise self._stopped()
        if engine is self._fallback:
            return await call(engine)
        try:
            async with asyncio.timeout(limit):
                result = await call(engine)
        except EngineError as error:
            self._report(self._error(operation, str(error)))
            return await call(self._fallback)
        except OpenClawError:
            raise
        except TimeoutError:
            self._report(self._error(operation, f"did not answer within {limit:g} s"))
            return await call(self._fallback)
        except Exception as error:
            self._report(self._error(operation, f"{type(error).__name__}: {error}"))
            return await call(self._fallback)
        if result is None and default is not None:
            return default
        if expected is not None and not isinstance(result, expected):
            self._report(self._error(operation, f"returned {type(result).__name__}, not {expected.__name__}"))
            return await call(self._fallback)
        return result

    def _error(self, operation: str, reason: str) -> EngineError:
        return EngineError(
            f"context engine {self.wanted!r} failed in {operation}: {reason}", engine=self.wanted, operation=operation
        )

    def _report(self, error: EngineError) -> None:
        """Take the engine out of use; in strict mode stop the turn where it is one of the operations that may."""
        self._note(error)
        if self.strict and error.operation in _STOPS_THE_TURN:
            raise error

    def _note(self, error: EngineError) -> None:
        self.fault = EngineFault(error.engine, error.operation, str(error))
        self._on_fault(error, not self.strict)

    def _stopped(self) -> EngineError:
        fault = self.fault
        reason = fault.reason if fault is not None else "it failed"
        return EngineError(
            f"{reason}; strict mode sends nothing without it (/engine retry tries again)",
            engine=self.wanted,
            operation="strict",
        )


def _of(engine: ContextEngine, name: str) -> Callable[..., Awaitable[Any]]:
    """A method of the engine, or the neutral one where the engine has none."""
    method: Callable[..., Awaitable[Any]] = getattr(engine, name, None) or getattr(_NEUTRAL, name)
    return method


_MESSAGE_TYPES = {UserMessage, AssistantMessage, ToolResultMessage}


def _assemble_problem(result: AssembleResult, token_budget: int) -> str | None:
    """What is wrong with a result, whose fields a third party may have filled with anything."""
    messages: object = result.messages
    addition: object = result.system_prompt_addition
    if not isinstance(messages, list | tuple):
        return f"returned {type(messages).__name__} for messages, not a list"
    if set(map(type, messages)) - _MESSAGE_TYPES:
        index = next(index for index, message in enumerate(messages) if type(message) not in _MESSAGE_TYPES)
        return f"returned {type(messages[index]).__name__} at position {index}, not a message"
    if not messages:
        return "returned no messages"
    if not isinstance(addition, str):
        return f"returned {type(addition).__name__} as system prompt addition, not text"
    tokens = estimate_text_tokens(addition)
    if token_budget and tokens > token_budget * ENGINE_ADDITION_MAX_SHARE:
        return f"returned a system prompt addition of ~{tokens:,} tokens for a budget of {token_budget:,}"
    return None
