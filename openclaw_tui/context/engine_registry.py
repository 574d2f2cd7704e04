"""Which engines exist, who owns each id, and which one the slot names.

Built-in ids belong to `core` and cannot be taken over. Third parties register through the entry-point group
`openclaw_tui.context_engines`; their code runs with all rights of the program.
"""

from collections.abc import Callable, Mapping
from importlib.metadata import entry_points
from pathlib import Path
from typing import TypeAlias

import msgspec

from openclaw_tui.context.engine import Compactor, ContextEngine
from openclaw_tui.context.engines.legacy import LEGACY_ENGINE_ID, LegacyContextEngine
from openclaw_tui.context.engines.recall_memory import RECALL_MEMORY_ENGINE_ID, RecallMemoryContextEngine
from openclaw_tui.context.engines.retrieval import RETRIEVAL_ENGINE_ID, RetrievalContextEngine
from openclaw_tui.errors import EngineError
from openclaw_tui.memory.vectors import Vectors

CORE_OWNER = "core"
ENTRY_POINT_GROUP = "openclaw_tui.context_engines"


class EngineDeps(msgspec.Struct, frozen=True):
    """What a factory gets: the built-in compaction to delegate to, and the engine's own settings."""

    compactor: Compactor
    settings: Mapping[str, object]


EngineFactory: TypeAlias = Callable[[EngineDeps], ContextEngine]


class Registration(msgspec.Struct, frozen=True):
    """Outcome of a registration; `existing_owner` names who holds the id when it was refused."""

    ok: bool
    existing_owner: str | None = None


class EngineRegistry:
    """Engines by id. One registry per process is enough; tests make their own."""

    def __init__(self) -> None:
        self._engines: dict[str, tuple[EngineFactory, str]] = {}
        self.broken: dict[str, str] = {}

    def register(
        self, engine_id: str, factory: EngineFactory, owner: str, *, allow_same_owner_refresh: bool = False
    ) -> Registration:
        """Take an id. An id of another owner is refused; the same owner needs the refresh flag."""
        if not owner.strip():
            raise EngineError("an engine needs an owner to be registered", engine=engine_id, operation="register")
        if engine_id == LEGACY_ENGINE_ID and owner != CORE_OWNER:
            return Registration(ok=False, existing_owner=CORE_OWNER)
        held = self._engines.get(engine_id)
        if held and (held[1] != owner or not allow_same_owner_refresh):
            return Registration(ok=False, existing_owner=held[1])
        self._engines[engine_id] = (factory, owner)
        return Registration(ok=True)

    def ids(self) -> list[str]:
        return sorted(self._engines)

    def owner(self, engine_id: str) -> str | None:
        held = self._engines.get(engine_id)
        return held[1] if held else None

    def create(self, engine_id: str, deps: EngineDeps) -> ContextEngine:
        """Make the engine. Raises EngineError when it is unknown, its factory fails or its shape is wrong."""
        held = self._engines.get(engine_id)
        if held is None:
            why = self.broken.get(engine_id, f"is not registered; available: {', '.join(self.ids())}")
            raise EngineError(f"context engine {engine_id!r} {why}", engine=engine_id, operation="resolve")
        try:
            engine = held[0](deps)
        except Exception as error:
            raise EngineError(
                f"context engine {engine_id!r} could not be made: {error}", engine=engine_id, operation="factory"
            ) from error
        return _checked(engine_id, engine)

    def discover(self) -> None:
        """Load third-party engines. One that cannot be imported is remembered with its reason, not raised."""
        for point in entry_points(group=ENTRY_POINT_GROUP):
            try:
                factory = point.load()
            except Exception as error:
                self.broken[point.name] = f"could not be imported: {error}"
                continue
            owner = f"plugin:{point.dist.name if point.dist else point.value}"
            taken = self.register(point.name, factory, owner, allow_same_owner_refresh=True)
            if not taken.ok:
                self.broken[f"{point.name} of {owner}"] = f"was refused: the id belongs to {taken.existing_owner}"


def _checked(engine_id: str, engine: ContextEngine) -> ContextEngine:
    missing = [name for name in ("ingest", "assemble", "compact") if not callable(getattr(engine, name, None))]
    info = getattr(engine, "info", None)
    if missing or not getattr(info, "id", "") or not getattr(info, "name", ""):
        fault = f"lacks {', '.join(missing)}" if missing else "has no id and name in its info"
        raise EngineError(f"context engine {engine_id!r} {fault}", engine=engine_id, operation="factory")
    return engine


def _retrieval(deps: EngineDeps) -> ContextEngine:
    vectors, notice = deps.settings.get("vectors"), deps.settings.get("notice")
    return RetrievalContextEngine(
        deps.compactor,
        vectors if isinstance(vectors, Vectors) else None,
        notice if callable(notice) else lambda _: None,
    )


def _recall_memory(deps: EngineDeps) -> ContextEngine:
    folder = deps.settings.get("memoryDir")
    if not isinstance(folder, Path):
        raise EngineError("has no folder for its knowledge file", engine=RECALL_MEMORY_ENGINE_ID, operation="factory")
    return RecallMemoryContextEngine(deps.compactor, folder, project=str(deps.settings.get("project", "")))


def built_in_registry() -> EngineRegistry:
    """A registry with the engines this package ships."""
    registry = EngineRegistry()
    registry.register(LEGACY_ENGINE_ID, lambda deps: LegacyContextEngine(deps.compactor), CORE_OWNER)
    registry.register(RETRIEVAL_ENGINE_ID, _retrieval, CORE_OWNER)
    registry.register(RECALL_MEMORY_ENGINE_ID, _recall_memory, CORE_OWNER)
    return registry
