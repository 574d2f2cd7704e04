"""Who owns an engine's id, what the slot resolves to, and engines of installed packages."""

from pathlib import Path
from typing import Any

import pytest

from openclaw_tui.context.engine_registry import (
    CORE_OWNER,
    ENTRY_POINT_GROUP,
    EngineDeps,
    EngineRegistry,
    built_in_registry,
)
from openclaw_tui.errors import EngineError
from tests.context.engines_for_tests import TestEngine, no_compaction

DEPS = EngineDeps(compactor=no_compaction, settings={})
PLUGIN = """
from openclaw_tui.context.engine import AssembleResult, ContextEngineBase, EngineInfo


class Newest(ContextEngineBase):
    info = EngineInfo("newest", "Newest Result Whole")

    def __init__(self, deps):
        self.deps = deps

    async def ingest(self, session, message):
        return False

    async def assemble(self, request):
        return AssembleResult(request.messages, system_prompt_addition="from the plugin")

    async def compact(self, request):
        return await self.deps.compactor(request)
"""


def test_built_in_engines_belong_to_core(tmp_path: Path) -> None:
    registry = built_in_registry()
    assert registry.ids() == ["legacy", "recall-memory", "retrieval"]
    assert {registry.owner(engine_id) for engine_id in registry.ids()} == {CORE_OWNER}
    deps = EngineDeps(no_compaction, {"memoryDir": tmp_path})
    assert [registry.create(engine_id, deps).info.id for engine_id in registry.ids()] == registry.ids()


def test_legacy_can_not_be_taken() -> None:
    for registry in (EngineRegistry(), built_in_registry()):
        taken = registry.register("legacy", lambda deps: TestEngine(), "plugin:x", allow_same_owner_refresh=True)
        assert (taken.ok, taken.existing_owner) == (False, CORE_OWNER)


def test_id_of_another_owner_is_refused_and_the_own_one_needs_the_refresh_flag() -> None:
    registry = EngineRegistry()
    assert registry.register("mine", lambda deps: TestEngine(), "plugin:a").ok
    assert registry.register("mine", lambda deps: TestEngine(), "plugin:b").existing_owner == "plugin:a"
    assert registry.register("mine", lambda deps: TestEngine(), "plugin:a").ok is False
    assert registry.register("mine", lambda deps: TestEngine(), "plugin:a", allow_same_owner_refresh=True).ok
    with pytest.raises(EngineError, match="owner"):
        registry.register("other", lambda deps: TestEngine(), "  ")


def test_unknown_engine_is_named_with_those_there_are() -> None:
    with pytest.raises(EngineError, match=r"'my-engine' is not registered; available: legacy, recall-memory, retr"):
        built_in_registry().create("my-engine", DEPS)


class _NoName:
    info = None

    async def ingest(self) -> None: ...

    async def assemble(self) -> None: ...

    async def compact(self) -> None: ...


class _Half:
    info = TestEngine().info

    async def ingest(self) -> None: ...

    async def assemble(self) -> None: ...


@pytest.mark.parametrize(
    ("made", "reason"),
    [(_NoName, "no id and name"), (_Half, "lacks compact"), (dict, "lacks ingest, assemble, compact")],
)
def test_shape_is_checked_when_it_is_made(made: Any, reason: str) -> None:
    registry = EngineRegistry()
    registry.register("odd", lambda deps: made(), "plugin:x")
    with pytest.raises(EngineError, match=reason):
        registry.create("odd", DEPS)


def test_factory_that_raises_is_named() -> None:
    registry = EngineRegistry()

    def broken(deps: EngineDeps) -> Any:
        return 1 / 0

    registry.register("bad", broken, "plugin:x")
    with pytest.raises(EngineError, match="'bad' could not be made: division by zero"):
        registry.create("bad", DEPS)


def install(folder: Path, name: str, **points: str) -> None:
    """A package as an installer leaves it: a module and the metadata with its entry points."""
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
    lines = "\n".join(f"{point.replace('_', '-')} = {target}" for point, target in points.items())
    (info / "entry_points.txt").write_text(f"[{ENTRY_POINT_GROUP}]\n{lines}\n", encoding="utf-8")
    (folder / f"{name}_module.py").write_text(PLUGIN, encoding="utf-8")


async def test_engines_of_installed_packages_are_found_and_broken_ones_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "fineplugin", newest="fineplugin_module:Newest")
    install(tmp_path, "badplugin", gone="badplugin_module:Missing", legacy="badplugin_module:Newest")
    monkeypatch.syspath_prepend(str(tmp_path))
    registry = built_in_registry()
    registry.discover()
    registry.discover()
    engine = registry.create("newest", DEPS)
    assert engine.info.id == "newest"
    assert registry.owner("newest") == "plugin:fineplugin"
    assert registry.owner("legacy") == CORE_OWNER
    with pytest.raises(EngineError, match="could not be imported"):
        registry.create("gone", DEPS)
    assert any("belongs to core" in reason for reason in registry.broken.values())
