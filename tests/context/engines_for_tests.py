"""Engines that behave in the ways engines do."""

import asyncio
from typing import Any

from openclaw_tui.context.engine import (
    AssembleRequest,
    AssembleResult,
    CompactRequest,
    CompactResult,
    ContextEngineBase,
    EngineInfo,
    SessionRef,
)
from openclaw_tui.context.engine_host import EngineHost
from openclaw_tui.context.engines.legacy import LegacyContextEngine
from openclaw_tui.errors import EngineError
from openclaw_tui.messages import Message, user_text

SESSION = SessionRef("s1", "agent:main:cli:dm:s1")
TALK: tuple[Message, ...] = (user_text("hello"),)


class TestEngine(ContextEngineBase):
    """Passes through, and does instead what it is given for a method: a value, an exception, or `HANG`."""

    __test__ = False

    def __init__(self, **instead: Any) -> None:
        self.owns = bool(instead.pop("owns", False))
        self.instead = instead
        self.calls: list[str] = []

    @property
    def info(self) -> EngineInfo:
        return EngineInfo("test", "Test Engine", owns_compaction=self.owns)

    async def ingest(self, session: SessionRef, message: Message) -> bool:
        return await self._do("ingest", True)

    async def assemble(self, request: AssembleRequest) -> AssembleResult:
        return await self._do("assemble", AssembleResult(request.messages))

    async def compact(self, request: CompactRequest) -> CompactResult:
        return await self._do("compact", CompactResult(ok=True, compacted=True))

    async def after_turn(self, request: Any) -> None:
        await self._do("after_turn", None)

    async def bootstrap(self, session: SessionRef) -> Any:
        return await self._do("bootstrap", None)

    async def dispose(self) -> None:
        await self._do("dispose", None)

    async def _do(self, name: str, default: Any) -> Any:
        self.calls.append(name)
        made = self.instead.get(name, default)
        if made is HANG:
            await asyncio.Event().wait()
        if isinstance(made, BaseException):
            raise made
        return made


HANG = object()


async def no_compaction(request: CompactRequest) -> CompactResult:
    return CompactResult(ok=True, compacted=True, reason="built in")


def host(
    engine: Any, *, strict: bool = False, seconds: float = 5.0
) -> tuple[EngineHost, list[tuple[EngineError, bool]]]:
    """A host of the engine, or of what makes it, and the faults it told of."""
    faults: list[tuple[EngineError, bool]] = []
    made = EngineHost(
        LegacyContextEngine(no_compaction),
        engine if callable(engine) else lambda: engine,
        wanted="test",
        strict=strict,
        on_fault=lambda error, falls_back: faults.append((error, falls_back)),
        call_seconds=seconds,
        compact_seconds=seconds,
    )
    return made, faults


def asks(messages: tuple[Message, ...] = TALK) -> AssembleRequest:
    return AssembleRequest(SESSION, messages, token_budget=10_000)


def compacts(*, force: bool = True) -> CompactRequest:
    return CompactRequest(SESSION, token_budget=10_000, current_tokens=9_000, trigger="manual", force=force)
