"""Layer 5 by both articles: the lifecycle, the pass-through default, ownership, the slot, and what no plugin may do."""

from pathlib import Path

from openclaw_tui.context.engine import (
    AssembleResult,
    BootstrapResult,
    CompactRequest,
    CompactResult,
    ContextEngine,
    ContextEngineBase,
)
from openclaw_tui.context.engine_registry import CORE_OWNER, built_in_registry
from openclaw_tui.context.engines.legacy import LegacyContextEngine
from openclaw_tui.messages import user_text
from tests.agent.harness import agent
from tests.context.engines_for_tests import SESSION, TALK, asks, compacts, no_compaction

LIFECYCLE = {
    "bootstrap",
    "maintain",
    "ingest",
    "ingest_batch",
    "after_turn",
    "assemble",
    "compact",
    "prepare_subagent_spawn",
    "on_subagent_ended",
    "dispose",
}


def test_protocol_has_every_method_of_both_articles() -> None:
    declared = {name for name in vars(ContextEngine) if not name.startswith("_")}
    assert declared >= LIFECYCLE | {"info"}


def test_three_methods_are_required_and_the_others_neutral() -> None:
    neutral = {name for name in vars(ContextEngineBase) if not name.startswith("_")}
    assert LIFECYCLE - neutral == {"ingest", "assemble", "compact"}


async def test_legacy_ingests_nothing_passes_through_and_delegates() -> None:
    seen: list[CompactRequest] = []

    async def built_in(request: CompactRequest) -> CompactResult:
        seen.append(request)
        return CompactResult(ok=True, compacted=True, summary="s")

    engine = LegacyContextEngine(built_in)
    assert (engine.info.id, engine.info.name, engine.info.version) == ("legacy", "Legacy Context Engine", "1.0.0")
    assert await engine.ingest(SESSION, TALK[0]) is False
    result = await engine.assemble(asks())
    assert result.messages is asks().messages or result.messages == TALK
    assert (result.estimated_tokens, result.system_prompt_addition) == (0, "")
    asked = compacts()
    assert (await engine.compact(asked)).summary == "s"
    assert seen == [asked]
    assert await engine.bootstrap(SESSION) == BootstrapResult()
    await engine.dispose()


def test_result_types_hold_what_the_articles_name() -> None:
    assembled = AssembleResult([user_text("x")], 12, "more")
    assert (assembled.estimated_tokens, assembled.system_prompt_addition) == (12, "more")
    compacted = CompactResult(True, True, summary="s", first_kept_entry_id="e", tokens_before=9, tokens_after=3)
    assert (compacted.summary, compacted.first_kept_entry_id) == ("s", "e")
    assert (compacted.tokens_before, compacted.tokens_after) == (9, 3)


def test_registered_for_an_owner_with_refresh_by_the_same_owner_only() -> None:
    registry = built_in_registry()
    again = registry.register(
        "legacy", lambda deps: LegacyContextEngine(deps.compactor), CORE_OWNER, allow_same_owner_refresh=True
    )
    assert again.ok
    taken = registry.register("legacy", lambda deps: LegacyContextEngine(no_compaction), "plugin:x")
    assert taken.existing_owner == CORE_OWNER


async def test_slot_names_the_engine_and_legacy_is_its_default(tmp_path: Path) -> None:
    async with agent(tmp_path / "a", forever="ok") as it:
        await it.turn("hello")
        assert it.session.deps.engine.in_use == "legacy"
    async with agent(tmp_path / "b", forever="ok", config=("plugins.slots.contextEngine=retrieval",)) as it:
        await it.turn("hello")
        assert it.session.deps.engine.in_use == "retrieval"


async def test_default_engine_changes_no_byte_of_a_request(tmp_path: Path) -> None:
    """Zero behaviour change: the pipeline's result with the default engine is what it is without any."""
    async with agent(tmp_path, forever="ok") as it:
        await it.turn("one")
        await it.turn("two")
        for request in it.provider.requests:
            texts = [block.text for message in request.messages for block in message.content if hasattr(block, "text")]
            assert texts in (["one"], ["one", "ok", "two"])
