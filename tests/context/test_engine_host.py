"""An engine under supervision: whatever it does, the conversation goes on, or in strict mode stops before a request."""

import asyncio
from typing import Any

import pytest

from openclaw_tui.context.engine import AfterTurnRequest, AssembleResult, CompactResult
from openclaw_tui.errors import EngineError, ProviderUnavailable
from openclaw_tui.messages import user_text
from tests.context.engines_for_tests import HANG, SESSION, TALK, TestEngine, asks, compacts, host

NO_TEXT: Any = b"x"
NO_LIST: Any = None
LAZY: Any = (m for m in TALK)
WORDS: Any = ["hello"]
MALFORMED: dict[str, Any] = {
    "no result": None,
    "a dict": {"messages": list(TALK)},
    "no messages": AssembleResult(messages=()),
    "messages None": AssembleResult(messages=NO_LIST),
    "a generator": AssembleResult(messages=LAZY),
    "not messages": AssembleResult(messages=WORDS),
    "an addition that is no text": AssembleResult(TALK, system_prompt_addition=NO_TEXT),
    "an addition without end": AssembleResult(TALK, system_prompt_addition="word " * 100_000),
    "an error": RuntimeError("index is gone"),
    "an error of its own kind": EngineError("no index", engine="test", operation="assemble"),
}


@pytest.mark.parametrize("kind", list(MALFORMED))
async def test_malformed_result_is_told_once_and_legacy_works_from_then_on(kind: str) -> None:
    engine = TestEngine(assemble=MALFORMED[kind])
    made, faults = host(engine)
    for _ in range(3):
        result = await made.assemble(asks())
        assert tuple(result.messages) == TALK
    assert len(faults) == 1
    error, falls_back = faults[0]
    assert falls_back
    assert "'test'" in str(error)
    assert "assemble" in str(error)
    assert made.in_use == "legacy"
    assert engine.calls == ["assemble"]


async def test_negative_or_missing_estimates_are_no_fault() -> None:
    estimates: list[Any] = [-1, None, "many"]
    for tokens in estimates:
        made, faults = host(TestEngine(assemble=AssembleResult(TALK, estimated_tokens=tokens)))
        assert (await made.assemble(asks())).estimated_tokens == 0
        assert faults == []


@pytest.mark.parametrize("method", ["ingest", "assemble", "after_turn", "bootstrap", "dispose", "compact"])
async def test_hanging_method_is_given_up(method: str) -> None:
    made, faults = host(TestEngine(**{method: HANG}), seconds=0.01)
    calls: dict[str, Any] = {
        "ingest": lambda: made.ingest(SESSION, TALK[0]),
        "assemble": lambda: made.assemble(asks()),
        "after_turn": lambda: made.after_turn(AfterTurnRequest(SESSION, TALK, TALK, 1_000)),
        "bootstrap": lambda: made.bootstrap(SESSION),
        "compact": lambda: made.compact(compacts()),
    }
    if method == "dispose":
        await made.assemble(asks())
        await made.dispose()
    else:
        async with asyncio.timeout(5):
            await calls[method]()
    assert "did not answer" in str(faults[0][0])
    assert made.in_use == "legacy"


async def test_factory_that_raises_is_told_when_it_is_first_needed() -> None:
    def factory() -> TestEngine:
        raise EngineError("could not be made: no module", engine="test", operation="factory")

    made, faults = host(factory)
    assert (await made.assemble(asks())).messages == TALK
    assert made.in_use == "legacy"
    assert len(faults) == 1


async def test_retry_tries_the_wanted_engine_again() -> None:
    engine = TestEngine(assemble=RuntimeError("once"))
    made, faults = host(engine)
    await made.assemble(asks())
    engine.instead.clear()
    assert made.in_use == "legacy"
    made.retry()
    await made.assemble(asks())
    assert made.in_use == "test"
    assert made.fault is None
    assert len(faults) == 1


@pytest.mark.parametrize("method", ["ingest", "assemble", "compact"])
async def test_strict_mode_stops_before_a_request_and_no_other_engine_takes_over(method: str) -> None:
    made, faults = host(TestEngine(**{method: RuntimeError("broken")}), strict=True)
    calls: dict[str, Any] = {
        "ingest": lambda: made.ingest(SESSION, TALK[0]),
        "assemble": lambda: made.assemble(asks()),
        "compact": lambda: made.compact(compacts()),
    }
    with pytest.raises(EngineError, match="broken"):
        await calls[method]()
    assert [falls_back for _, falls_back in faults] == [False]
    for call in calls.values():
        with pytest.raises(EngineError, match="strict mode"):
            await call()
    assert made.in_use == "test (failed)"
    await made.dispose()


async def test_strict_mode_with_a_factory_that_fails_sends_nothing() -> None:
    def factory() -> TestEngine:
        raise EngineError("context engine 'test' is not registered", engine="test", operation="resolve")

    made, _ = host(factory, strict=True)
    assert made.in_use == "test (failed)"
    with pytest.raises(EngineError, match="not registered"):
        await made.assemble(asks())


async def test_methods_that_are_not_there_are_neutral() -> None:
    class Bare:
        info = TestEngine().info

        async def ingest(self, session: Any, message: Any) -> None:
            return None

        async def assemble(self, request: Any) -> AssembleResult:
            return AssembleResult(request.messages)

        async def compact(self, request: Any) -> CompactResult:
            return CompactResult(ok=True, compacted=False)

    made, faults = host(Bare())
    assert (await made.bootstrap(SESSION)).bootstrapped is False
    assert (await made.maintain(SESSION, "turn", _no_rewrite)).changed is False
    assert await made.ingest(SESSION, TALK[0]) is False
    assert await made.ingest_batch(SESSION, TALK * 3) == 0
    await made.after_turn(AfterTurnRequest(SESSION, TALK, TALK, 1_000))
    assert await made.prepare_subagent_spawn("a", "b") is None
    await made.on_subagent_ended("b", "completed")
    await made.dispose()
    assert faults == []
    assert made.in_use == "test"


async def _no_rewrite(replacements: Any) -> Any:
    raise AssertionError


async def test_batch_goes_to_the_engine_one_by_one_or_as_its_own_batch() -> None:
    engine = TestEngine()
    made, _ = host(engine)
    assert await made.ingest_batch(SESSION, [user_text("a"), user_text("b")]) == 2
    assert engine.calls == ["ingest", "ingest"]

    class Batching(TestEngine):
        async def ingest_batch(self, session: Any, messages: Any) -> int:
            return 100 + len(messages)

    made, _ = host(Batching())
    assert await made.ingest_batch(SESSION, TALK * 2) == 102


async def test_compaction_that_fails_or_is_declined_under_force_is_done_by_the_built_in_one() -> None:
    for engine in (
        TestEngine(compact=RuntimeError("no")),
        TestEngine(compact=CompactResult(ok=False, compacted=False, reason="cannot")),
        TestEngine(compact=CompactResult(ok=True, compacted=False, reason="not mine")),
        TestEngine(compact="yes"),
    ):
        made, _ = host(engine)
        assert (await made.compact(compacts())).reason == "built in"
    owner, _ = host(TestEngine(owns=True, compact=CompactResult(ok=True, compacted=False, reason="nothing to do")))
    assert (await owner.compact(compacts())).reason == "nothing to do"
    gentle, _ = host(TestEngine(compact=CompactResult(ok=True, compacted=False, reason="not yet")))
    assert (await gentle.compact(compacts(force=False))).reason == "not yet"


async def test_failures_of_a_model_call_are_not_faults_of_the_engine() -> None:
    made, faults = host(TestEngine(compact=ProviderUnavailable("down")))
    with pytest.raises(ProviderUnavailable):
        await made.compact(compacts())
    assert faults == []


async def test_cancelling_passes_through() -> None:
    made, faults = host(TestEngine(assemble=HANG))
    task = asyncio.create_task(made.assemble(asks()))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert faults == []


async def test_preparation_of_a_subagent_without_a_way_back_is_a_fault() -> None:
    class Preparing(TestEngine):
        async def prepare_subagent_spawn(self, parent_key: str, child_key: str) -> Any:
            return object()

    made, faults = host(Preparing())
    assert await made.prepare_subagent_spawn("a", "b") is None
    assert "rollback" in str(faults[0][0])
