"""Runs the chosen engine under supervision.

Every call has a time limit and its result is checked. The first fault of an engine is told once, with its name, method
and reason; from then on `legacy` does the work for the rest of the session, until `/engine retry`. In strict mode the
fault stops the turn instead, before any request is sent.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from openclaw_tui.constants import ENGINE_CALL_TIMEOUT_SECONDS, ENGINE_COMPACT_TIMEOUT_SECONDS
from openclaw_tui.context.engine import (
    AfterTurnRequest,
    AssembleRequest,
    AssembleResult,
    BootstrapResult,
    CompactRequest,
    CompactResult,
    ContextEngine,
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

T = TypeVar("T")
FaultListener = Callable[[EngineError, bool], None]
"""Told of a fault: the error, and whether `legacy` takes over (False in strict mode)."""


@dataclass(frozen=True, slots=True)
class EngineFault:
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
    ) -> None:
        self._fallback = fallback
        self._make = make
        self._engine: ContextEngine | None = None
        self.wanted = wanted
        self.strict = strict
        self.fault: EngineFault | None = None
        self._on_fault = on_fault

    @property
    def info(self) -> EngineInfo:
        return self._current().info

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
        return await self._call("bootstrap", lambda engine: engine.bootstrap(session), BootstrapResult)

    async def maintain(self, session: SessionRef, reason: MaintainReason, rewrite: RewriteEntries) -> RewriteResult:
        return await self._call("maintain", lambda engine: engine.maintain(session, reason, rewrite), RewriteResult)

    async def ingest(self, session: SessionRef, message: Message) -> bool:
        return await self._call("ingest", lambda engine: engine.ingest(session, message), bool)

    async def after_turn(self, request: AfterTurnRequest) -> None:
        await self._call("after_turn", lambda engine: engine.after_turn(request), type(None))

    async def assemble(self, request: AssembleRequest) -> AssembleResult:
        result = await self._call("assemble", lambda engine: engine.assemble(request), AssembleResult)
        problem = _assemble_problem(result.messages)
        if problem is None:
            return AssembleResult(
                tuple(result.messages), max(0, result.estimated_tokens), result.system_prompt_addition
            )
        self._report(EngineError(problem, engine=self.wanted, operation="assemble"))
        return await self._fallback.assemble(request)

    async def compact(self, request: CompactRequest) -> CompactResult:
        """The engine's compaction; one that fails or declines under force is followed by the built-in one."""
        engine = self._current()
        result = await self._call(
            "compact", lambda engine: engine.compact(request), CompactResult, limit=ENGINE_COMPACT_TIMEOUT_SECONDS
        )
        declined = request.force and not result.compacted and not result.ok
        not_owner = request.force and not result.compacted and not engine.info.owns_compaction
        if engine is not self._fallback and self._current() is engine and (declined or not_owner):
            return await self._fallback.compact(request)
        return result

    async def compact_with_fallback(self, request: CompactRequest) -> CompactResult:
        """The built-in compaction, where the engine's own was not believed."""
        return await self._fallback.compact(request)

    async def prepare_subagent_spawn(self, parent_key: str, child_key: str) -> SubagentPreparation | None:
        return await self._call(
            "prepare_subagent_spawn", lambda engine: engine.prepare_subagent_spawn(parent_key, child_key), None
        )

    async def on_subagent_ended(self, child_key: str, reason: SubagentEndReason) -> None:
        await self._call("on_subagent_ended", lambda engine: engine.on_subagent_ended(child_key, reason), type(None))

    async def dispose(self) -> None:
        if self._engine is not None:
            await self._call("dispose", lambda engine: engine.dispose(), type(None))
        await self._fallback.dispose()

    def _current(self) -> ContextEngine:
        if self._make is None or self.fault is not None:
            return self._fallback
        if self._engine is None:
            try:
                self._engine = self._make()
            except EngineError as error:
                self._report(error)
                return self._fallback
        return self._engine

    async def _call(
        self,
        operation: str,
        call: Callable[[ContextEngine], Awaitable[T]],
        expected: type[T] | None,
        *,
        limit: float = ENGINE_CALL_TIMEOUT_SECONDS,
    ) -> T:
        engine = self._current()
        if engine is self._fallback:
            return await call(engine)
        try:
            async with asyncio.timeout(limit):
                result = await call(engine)
        except OpenClawError:
            raise
        except TimeoutError:
            self._report(self._error(operation, f"did not answer within {limit:g} s"))
            return await call(self._fallback)
        except Exception as error:
            self._report(self._error(operation, f"{type(error).__name__}: {error}"))
            return await call(self._fallback)
        if expected is not None and not isinstance(result, expected):
            self._report(self._error(operation, f"returned {type(result).__name__}, not {expected.__name__}"))
            return await call(self._fallback)
        return result

    def _error(self, operation: str, reason: str) -> EngineError:
        return EngineError(
            f"context engine {self.wanted!r} failed in {operation}: {reason}", engine=self.wanted, operation=operation
        )

    def _report(self, error: EngineError) -> None:
        self.fault = EngineFault(error.engine, error.operation, str(error))
        self._on_fault(error, not self.strict)
        if self.strict:
            raise error


def _assemble_problem(messages: Sequence[Message]) -> str | None:
    if not isinstance(messages, list | tuple):
        return f"assemble returned {type(messages).__name__} for messages, not a list"
    for index, message in enumerate(messages):
        if not isinstance(message, UserMessage | AssistantMessage | ToolResultMessage):
            return f"assemble returned {type(message).__name__} at position {index}, not a message"
    if not messages:
        return "assemble returned no messages"
    return None
