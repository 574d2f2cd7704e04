"""One turn: order of the stream, what is on disk before what, the tools of a step."""

from collections.abc import Callable
from pathlib import Path

import pytest

from openclaw_tui.context.engine import SessionRef
from openclaw_tui.events import (
    MessageEnded,
    PlanChanged,
    StepStarted,
    TextDelta,
    ThinkingDelta,
    ToolEnded,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)
from openclaw_tui.messages import Message, ToolCallBlock, text_of
from openclaw_tui.providers.base import ProviderRequest
from openclaw_tui.providers.scripted import Step
from tests.agent.checking import check_pairs
from tests.agent.harness import agent

_SHOWN = (TurnStarted, StepStarted, ThinkingDelta, TextDelta, MessageEnded, TurnEnded)


async def test_stream_comes_in_order_and_the_answer_is_whole(tmp_path: Path) -> None:
    async with agent(tmp_path, [Step("Hello, this is a rather long answer.", thinking="Let me see.")]) as it:
        ended = await it.turn("Hi.")
        kinds = list(dict.fromkeys(type(event) for event in it.events if isinstance(event, _SHOWN)))
        assert kinds == list(_SHOWN)
        assert "".join(delta.text for delta in it.seen(TextDelta)) == "Hello, this is a rather long answer."
        assert (ended.outcome, ended.steps) == ("done", 1)
        assert text_of(it.answers[0].content) == "Hello, this is a rather long answer."


async def test_everything_is_on_disk_before_it_counts(tmp_path: Path) -> None:
    seen: list[list[str]] = []
    (tmp_path / "a.txt").write_text("alpha", encoding="utf-8")

    async with agent(tmp_path) as it:

        def look(answer: Step) -> Callable[[ProviderRequest], Step]:
            def step(_: ProviderRequest) -> Step:
                seen.append([message["role"] for message in it.stored])
                return answer

            return step

        probe = f"cat {it.path} > seen.jsonl"
        it.provider.steps = [
            look(Step(calls=[("exec", {"command": probe}), ("read", {"path": "a.txt"})])),
            look(Step("Done.")),
        ]
        await it.turn("Go.")
        assert seen == [["user"], ["user", "assistant", "toolResult", "toolResult"]]
        while_running = (tmp_path / "seen.jsonl").read_text(encoding="utf-8")
        assert while_running.count('"role":"assistant"') == 1
        assert '"role":"toolResult"' not in while_running


async def test_reading_tools_of_a_step_run_together_and_answer_in_order(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"{name}.txt").write_text(f"content of {name}", encoding="utf-8")
    calls = [("read", {"path": f"{name}.txt"}) for name in "abc"]
    async with agent(tmp_path, [Step(calls=calls), "Done."]) as it:
        await it.turn("Read all three.")
        kinds = [type(event) for event in it.events if isinstance(event, ToolStarted | ToolEnded)]
        assert kinds[:3] == [ToolStarted] * 3
        assert [f"content of {name}" in text_of(r.content) for name, r in zip("abc", it.results, strict=True)] == [
            True
        ] * 3
        check_pairs(it.messages)


async def test_results_are_numbered_through_the_whole_session(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("alpha", encoding="utf-8")
    call = ("read", {"path": "a.txt"})
    async with agent(tmp_path, [Step(calls=[call, ("ls", {})]), "One.", Step(calls=[call]), "Two."]) as it:
        await it.turn("First.")
        await it.turn("Second.")
        assert [(result.details or {}).get("resultId") for result in it.results] == ["t1", "t2", "t3"]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (ToolCallBlock("c1", "frobnicate", {}), "frobnicate"),
        (ToolCallBlock("c1", "read وسرعت", {"path": "a"}), "read"),
        (ToolCallBlock("c1", "read", {}), "path"),
        (ToolCallBlock("c1", "read", {}, invalid_arguments='{"path": "a'), "read"),
    ],
)
async def test_call_that_makes_no_sense_is_answered_and_the_loop_goes_on(
    tmp_path: Path, call: ToolCallBlock, said: str
) -> None:
    async with agent(tmp_path, [Step(calls=[call]), "I see."]) as it:
        ended = await it.turn("Go.")
        assert ended.outcome == "done"
        assert it.results[0].is_error
        assert said in text_of(it.results[0].content)


async def test_nonsense_without_end_stops_with_a_plain_line(tmp_path: Path) -> None:
    async with agent(tmp_path, forever=lambda _: Step(calls=[("frobnicate", {})])) as it:
        ended = await it.turn("Go.")
        assert ended.outcome == "failed"
        assert ended.steps < 20
        assert any("in a row" in notice for notice in it.notices)
        check_pairs(it.messages)


async def test_identical_calls_are_warned_about_and_then_stopped(tmp_path: Path) -> None:
    async with agent(tmp_path, forever=lambda _: Step(calls=[("read", {"path": "missing.txt"})])) as it:
        ended = await it.turn("Go.")
        assert ended.outcome == "failed"
        assert ended.steps < 30
        assert len({text_of(result.content) for result in it.results}) > 1, "no warning before the stop"
        check_pairs(it.messages)


async def test_plan_of_the_model_is_shown(tmp_path: Path) -> None:
    plan = [{"step": "look", "status": "completed"}, {"step": "act", "status": "in_progress"}]
    async with agent(tmp_path, [Step(calls=[("update_plan", {"plan": plan})]), "Planned."]) as it:
        await it.turn("Plan.")
        assert not it.results[0].is_error, text_of(it.results[0].content)
        assert it.seen(PlanChanged)[0].steps == (("look", "completed"), ("act", "in_progress"))


async def test_call_id_used_twice_has_one_result(tmp_path: Path) -> None:
    call = ToolCallBlock("same", "ls", {})
    async with agent(tmp_path, [Step(calls=[call, call]), "Done."]) as it:
        await it.turn("Go.")
        assert [result.tool_call_id for result in it.results] == ["same"]


async def test_engine_is_told_of_every_message_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Message] = []
    async with agent(tmp_path, [Step(calls=[("ls", {})]), "Done."]) as it:
        engine = it.session.deps.engine._fallback
        real = engine.ingest

        async def ingest(session: SessionRef, message: Message) -> bool:
            told.append(message)
            return await real(session, message)

        monkeypatch.setattr(engine, "ingest", ingest)
        await it.turn("Go.")
        assert [type(m).__name__ for m in told] == [type(m).__name__ for m in it.messages]
