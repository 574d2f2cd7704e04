"""Context engines in the life of a session: what they may change, what happens when they fail, what they remember."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from openclaw_tui.context.engine import AssembleRequest, AssembleResult, CompactRequest, CompactResult
from openclaw_tui.context.engine_host import EngineHost
from openclaw_tui.context.engine_registry import ENTRY_POINT_GROUP
from openclaw_tui.context.engines.legacy import LegacyContextEngine
from openclaw_tui.errors import ConfigError, ProviderContextOverflow
from openclaw_tui.events import CompactionEnded, ContextAct, StepStarted
from openclaw_tui.messages import Message, TextBlock, ToolResultMessage, text_of
from openclaw_tui.providers.base import ProviderRequest
from openclaw_tui.providers.scripted import Step
from tests.agent.harness import Agent, agent, compose, running
from tests.agent.test_compacting import is_summary, project, worker
from tests.context.engines_for_tests import TestEngine


def plug(it: Agent, engine: Any, *, strict: bool = False) -> None:
    """Put an engine into the slot of a composed session."""
    deps = it.session.deps
    old = deps.engine
    deps.engine = deps.requests.engine = EngineHost(
        LegacyContextEngine(it.app.compactor), lambda: engine, wanted="test", strict=strict, on_fault=old._on_fault
    )


async def test_fault_in_the_third_turn_is_told_once_and_the_whole_history_is_sent(tmp_path: Path) -> None:
    engine = TestEngine()
    async with agent(tmp_path, forever="ok") as it:
        plug(it, engine)
        await it.turn("one")
        await it.turn("two")
        engine.instead["assemble"] = RuntimeError("index is gone")
        assert (await it.turn("three")).outcome == "done"
        assert (await it.turn("four")).outcome == "done"
        assert sum("index is gone" in notice for notice in it.notices) == 1
        faults = [act for act in it.seen(ContextAct) if act.layer == "engine" and act.verb == "fallback"]
        assert len(faults) == 1
        assert it.session.deps.engine.in_use == "legacy"
        texts = [text_of(message.content) for message in it.provider.requests[-1].messages]
        assert texts == ["one", "ok", "two", "ok", "three", "ok", "four"]


async def test_strict_mode_sends_no_request_and_the_prompt_stays_usable(tmp_path: Path) -> None:
    engine = TestEngine(assemble=RuntimeError("index is gone"))
    async with agent(tmp_path, forever="ok") as it:
        plug(it, engine, strict=True)
        for text in ("one", "two"):
            assert (await it.turn(text)).outcome == "failed"
        assert it.provider.requests == []
        assert it.session.deps.engine.in_use == "test (failed)"
        engine.instead.clear()
        it.session.deps.engine.retry()
        assert (await it.turn("three")).outcome == "done"
        assert it.session.deps.engine.in_use == "test"


async def test_engine_that_returns_orphans_sends_a_legal_request_and_changes_no_history(tmp_path: Path) -> None:
    class Careless(TestEngine):
        async def assemble(self, request: AssembleRequest) -> AssembleResult:
            return AssembleResult([m for m in request.messages if not isinstance(m, ToolResultMessage)])

    async with agent(project(tmp_path, 3), forever=worker(3)) as it:
        plug(it, Careless())
        assert (await it.turn("Read.")).outcome == "done"
        for request in it.provider.requests:
            calls = [call.id for m in request.messages for call in getattr(m, "tool_calls", ())]
            results = [m.tool_call_id for m in request.messages if isinstance(m, ToolResultMessage)]
            assert calls == results
        assert len(it.results) == 3
        assert all("file" in text_of(m.content) for m in it.results)


async def test_details_put_in_by_an_engine_are_stripped_again(tmp_path: Path) -> None:
    class Leaking(TestEngine):
        async def assemble(self, request: AssembleRequest) -> AssembleResult:
            leaked: list[Message] = []
            for message in request.messages:
                if isinstance(message, ToolResultMessage):
                    message = dataclasses.replace(message, details={"raw": "SECRET"})
                leaked.append(message)
            return AssembleResult(leaked)

    async with agent(project(tmp_path, 1), forever=worker(1)) as it:
        plug(it, Leaking())
        await it.turn("Read.")
        for request in it.provider.requests:
            assert not any(getattr(message, "details", None) for message in request.messages)


async def test_addition_stands_right_below_the_boundary_and_leaves_the_stable_prefix_alone(tmp_path: Path) -> None:
    class Adding(TestEngine):
        count = 0

        async def assemble(self, request: AssembleRequest) -> AssembleResult:
            self.count += 1
            return AssembleResult(request.messages, system_prompt_addition=f"ADDITION {self.count}")

    async with agent(tmp_path, forever="ok") as it:
        plug(it, Adding())
        await it.turn("one")
        await it.turn("two")
        first, second = it.provider.requests
        assert first.system_stable == second.system_stable
        assert first.system_dynamic.startswith("ADDITION 1")
        assert second.system_dynamic.startswith("ADDITION 2")
        assert "ADDITION" not in first.system_stable


async def test_compaction_that_freed_nothing_is_not_believed_and_the_built_in_one_makes_room(tmp_path: Path) -> None:
    """An engine that says `compacted` and does nothing, and an overflow in the middle of a long turn."""
    overflow = Step(error=ProviderContextOverflow("too long"), events_before=0)
    work, script = worker(12), iter([*[None] * 8, overflow])

    def answer(request: ProviderRequest) -> Step | str:
        return (None if is_summary(request) else next(script, None)) or work(request)

    engine = TestEngine(compact=CompactResult(ok=True, compacted=True, tokens_before=9, tokens_after=9))
    async with agent(project(tmp_path, 12), forever=answer) as it:
        plug(it, engine)
        assert (await it.turn("Read all.")).outcome == "done"
        assert [ended.ok for ended in it.seen(CompactionEnded)] == [True]
        assert len(it.results) <= 12
        assert engine.calls.count("compact") == 1


@pytest.mark.parametrize("made", [CompactResult(ok=True, compacted=False, reason="not mine"), RuntimeError("no")])
async def test_engine_that_does_not_compact_does_not_swallow_the_recovery(tmp_path: Path, made: Any) -> None:
    overflow = Step(error=ProviderContextOverflow("too long"), events_before=0)
    work, script = worker(8), iter([*[None] * 5, overflow])

    def answer(request: ProviderRequest) -> Step | str:
        return (None if is_summary(request) else next(script, None)) or work(request)

    async with agent(project(tmp_path, 8), forever=answer) as it:
        plug(it, TestEngine(compact=made))
        assert (await it.turn("Read all.")).outcome == "done"
        assert any(ended.ok for ended in it.seen(CompactionEnded))


async def test_engine_may_rewrite_history_at_its_source_and_later_steps_see_it(tmp_path: Path) -> None:
    class Tidy(TestEngine):
        async def maintain(self, session: Any, reason: Any, rewrite: Any) -> Any:
            if reason != "turn":
                return await super().maintain(session, reason, rewrite)
            messages = it.messages
            made = {
                m.entry_id: dataclasses.replace(m, content=(TextBlock("tidied"),))
                for m in messages
                if isinstance(m, ToolResultMessage) and m.entry_id
            }
            return await rewrite(made)

    async with agent(project(tmp_path, 2), forever=worker(2)) as it:
        plug(it, Tidy())
        await it.turn("Read.")
        old_leaves = len(it.session.deps.manager.leaves())
        assert [text_of(m.content) for m in it.results] == ["tidied", "tidied"]
        await it.turn("And now?")
        assert "tidied" in [text_of(m.content) for m in it.provider.requests[-1].messages]
        assert old_leaves == 2, "the old branch stays"


async def test_engine_named_by_a_flag_must_be_there_and_by_the_settings_falls_back(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="my-engine"):
        compose(tmp_path, engine="my-engine")
    async with agent(tmp_path, forever="ok", config=("plugins.slots.contextEngine=my-engine",)) as it:
        assert (await it.turn("one")).outcome == "done"
        assert (await it.turn("two")).outcome == "done"
        assert sum("my-engine" in notice for notice in it.notices) == 1
        assert all("engine legacy" in step.report.notes() for step in it.seen(StepStarted))


async def test_engine_of_an_installed_package_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.context.test_engine_registry import install

    install(tmp_path / "site", "pluginhere", newest="pluginhere_module:Newest")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    assert ENTRY_POINT_GROUP == "openclaw_tui.context_engines"
    async with agent(tmp_path / "project", forever="ok", engine="newest") as it:
        await it.turn("one")
        assert it.session.deps.engine.in_use == "newest"
        assert "from the plugin" in it.provider.requests[-1].system_dynamic


async def test_retrieval_brings_a_covered_fact_back_in_the_running_session_and_after_a_restart(tmp_path: Path) -> None:
    async with agent(tmp_path, forever="ok", engine="retrieval") as it:
        await it.turn("The staging host is db7.example.net, port 5433. " + "filler " * 2_500)
        for number in range(3):
            await it.turn(f"other matter {number} " + "words " * 600)
        it.provider.forever = "summary without the fact"
        await it.session.compact()
        it.provider.forever = "ok"
        await it.turn("Which port has the staging host?")
        assert "port 5433" in it.provider.requests[-1].system_dynamic
        session_id = it.session.session_id
    async with agent(tmp_path, forever="ok", engine="retrieval", resume=session_id) as it:
        await it.turn("Which port has the staging host?")
        assert "port 5433" in it.provider.requests[-1].system_dynamic


async def test_recall_memory_carries_rules_into_the_next_session_of_the_agent(tmp_path: Path) -> None:
    async with agent(tmp_path, forever="ok", engine="recall-memory") as it:
        await it.turn("Always use tabs in this project.")
        assert "Known from earlier sessions" not in it.provider.requests[-1].system_dynamic
    async with agent(tmp_path, forever="ok", engine="recall-memory") as it:
        await it.turn("Hello.")
        await it.turn("Never use spaces.")
        dynamic = {request.system_dynamic for request in it.provider.requests}
        assert len(dynamic) == 1, "the same text for the whole session"
        assert "rule: Always use tabs in this project." in dynamic.pop()
        knowledge = it.app.paths.agent / "memory" / "recall-memory.md"
        assert "Never use spaces." in knowledge.read_text(encoding="utf-8")


async def test_compaction_request_is_told_of_the_trigger_and_the_focus(tmp_path: Path) -> None:
    seen: list[CompactRequest] = []

    class Watching(TestEngine):
        async def compact(self, request: CompactRequest) -> CompactResult:
            seen.append(request)
            return await it.app.compactor(request)

    async with agent(tmp_path, forever="ok") as it:
        plug(it, Watching())
        for number in range(4):
            await it.turn(f"{number} " + "word " * 400)
        it.provider.forever = "the summary"
        assert (await it.session.compact("the parser")).startswith("Compacted")
        assert (seen[0].trigger, seen[0].force, seen[0].instructions) == ("manual", True, "the parser")
        assert seen[0].token_budget == it.session.deps.requests.budget.usable_tokens


async def test_running_engine_is_closed_with_the_session(tmp_path: Path) -> None:
    engine = TestEngine()
    async with running(compose(tmp_path)) as it:
        plug(it, engine)
        await it.turn("List the files.")
    assert engine.calls[-1] == "dispose"
