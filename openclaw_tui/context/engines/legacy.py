"""The default engine: it passes through, because the pipeline around it already does the work.

`ingest` is a no-op since the session manager stores every message, `assemble` returns what it was given, `compact`
delegates to the built-in compaction.
"""

from openclaw_tui.context.engine import (
    AssembleRequest,
    AssembleResult,
    Compactor,
    CompactRequest,
    CompactResult,
    ContextEngineBase,
    EngineInfo,
    SessionRef,
)
from openclaw_tui.messages import Message

LEGACY_ENGINE_ID = "legacy"


class LegacyContextEngine(ContextEngineBase):
    def __init__(self, compactor: Compactor) -> None:
        self._compactor = compactor

    @property
    def info(self) -> EngineInfo:
        return EngineInfo(id=LEGACY_ENGINE_ID, name="Legacy Context Engine", version="1.0.0")

    async def ingest(self, session: SessionRef, message: Message) -> bool:
        return False

    async def assemble(self, request: AssembleRequest) -> AssembleResult:
        return AssembleResult(messages=request.messages)

    async def compact(self, request: CompactRequest) -> CompactResult:
        return await self._compactor(request)
