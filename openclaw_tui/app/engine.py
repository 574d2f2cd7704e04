"""Which context engine works, and who hears of its faults."""

from collections.abc import Mapping

from openclaw_tui.agent.acts import Acts
from openclaw_tui.agent.builtin_compactor import BuiltInCompactor
from openclaw_tui.config.load import Config
from openclaw_tui.context.engine import ContextEngine
from openclaw_tui.context.engine_host import EngineHost
from openclaw_tui.context.engine_registry import EngineDeps, built_in_registry
from openclaw_tui.context.engines.legacy import LEGACY_ENGINE_ID, LegacyContextEngine
from openclaw_tui.errors import ConfigError, EngineError
from openclaw_tui.events import Notice, Sink
from openclaw_tui.options import Options


def build_engine(
    options: Options,
    config: Config,
    compactor: BuiltInCompactor,
    acts: Acts,
    emit: Sink,
    session_key: str,
    settings: Mapping[str, object],
) -> EngineHost:
    """The engine of the slot under supervision; third-party packages are looked for only when one is wanted.

    `settings` are what every engine may know, see `app.memory.engine_facts`. A flag that names no engine raises
    ConfigError; a setting that does falls back and says so.
    """
    wanted = (options.engine or config.get("plugins.slots.contextEngine") or LEGACY_ENGINE_ID).strip()
    registry = built_in_registry()
    if wanted not in registry.ids():
        registry.discover()
    if options.engine and wanted not in registry.ids():
        why = registry.broken.get(wanted, f"is not registered; available: {', '.join(registry.ids())}")
        raise ConfigError(f"--engine {wanted}: {why}")

    def on_fault(error: EngineError, falls_back: bool) -> None:
        after = "legacy works for the rest of the session (/engine retry tries again)"
        text = f"{error}; {after if falls_back else 'strict mode stops the turn'}"
        acts.record("engine", "fallback", str(error), engine=error.engine, operation=error.operation)
        emit(Notice(session_key, "warning" if falls_back else "error", text))

    def make() -> ContextEngine:
        return registry.create(wanted, EngineDeps(compactor=compactor, settings=settings))

    return EngineHost(
        LegacyContextEngine(compactor),
        None if wanted == LEGACY_ENGINE_ID else make,
        wanted=wanted,
        strict=config.get("plugins.strict"),
        on_fault=on_fault,
    )
