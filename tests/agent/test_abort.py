"""Stopping at any instant: what was said is kept and marked, open calls are answered, every API goes on."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from openclaw_tui.errors import RateLimited
from openclaw_tui.events import (
    AgentEvent,
    ApprovalRequested,
    MessageStarted,
    RetryScheduled,
    TextDelta,
    ThinkingDelta,
    ToolProgress,
    ToolStarted,
    TurnEnded,
)
from openclaw_tui.messages import ThinkingBlock, text_of
from openclaw_tui.models import ApiName
from openclaw_tui.providers.scripted import Answer, Step
from tests.agent.checking import check_pairs
from tests.agent.harness import APIS, Agent, agent, agent_on
from tests.strict_fake import Call, Reply, StrictFake

_SLEEP = ("exec", {"command": "echo started; sleep 60"})


async def _on_every_api(project: Path) -> None:
    """Reopen the session and go on with each of the four."""
    for api, model in APIS.items():
        async with StrictFake(["Going on."]) as fake, agent_on(fake, model, project, continue_last=True) as it:
            ended = await it.turn("Go on.")
            assert (api, ended.outcome, fake.refused) == (api, "done", [])


async def _stopped(it: Agent, kind: type[AgentEvent]) -> None:
    await it.until_seen(kind)
    await it.session.abort()
    assert not it.session.is_busy
    assert _outcome(it) == "aborted"


def _outcome(it: Agent) -> str:
    last = it.events[-1]
    assert isinstance(last, TurnEnded)
    return last.outcome


async def test_partial_answer_is_kept_and_marked(tmp_path: Path) -> None:
    script: Sequence[Answer] = [Step("The first words of", hangs=True, thinking="Hm."), "Whole."]
    async with agent(tmp_path, script) as it:
        it.session.prompt("Go.")
        await _stopped(it, TextDelta)
        cut = it.answers[0]
        assert cut.stop_reason == "aborted"
        assert text_of(cut.content).startswith("The first words")
        assert (await it.turn("Again.")).outcome == "done"
    await _on_every_api(tmp_path)


async def test_thinking_that_was_cut_is_not_sent_again(tmp_path: Path) -> None:
    script: Sequence[Answer] = [Step("x", thinking="Half a thought about it", hangs=True, events_before=2), "Whole."]
    async with agent(tmp_path, script) as it:
        it.session.prompt("Go.")
        await _stopped(it, ThinkingDelta)
        await it.turn("Again.")
        sent = it.provider.requests[1].messages
        assert not any(isinstance(block, ThinkingBlock) for message in sent for block in message.content)
    await _on_every_api(tmp_path)


async def test_abort_before_the_first_word_leaves_only_the_prompt(tmp_path: Path) -> None:
    async with agent(tmp_path, [Step("x", hangs=True, events_before=0), "Whole."]) as it:
        it.session.prompt("Go.")
        await _stopped(it, MessageStarted)
        assert it.answers == []
        await it.turn("Again.")
    await _on_every_api(tmp_path)


async def test_abort_at_once_after_the_prompt_still_has_its_pair_of_events(tmp_path: Path) -> None:
    async with agent(tmp_path, ["Whole."]) as it:
        it.session.prompt("Go.")
        await it.session.abort()
        assert _outcome(it) == "aborted"
        assert it.provider.requests == []


async def test_abort_in_a_tool_answers_every_call_of_the_step(tmp_path: Path) -> None:
    calls = [("ls", {}), _SLEEP, ("ls", {"path": "."})]
    async with agent(tmp_path, [Step(calls=calls), "Whole."]) as it:
        it.session.prompt("Go.")
        await _stopped(it, ToolProgress)
        assert [result.is_error for result in it.results] == [False, True, True]
        assert "interrupted" in text_of(it.results[1].content)
        check_pairs(it.messages)
        assert [message["role"] for message in it.stored].count("toolResult") == 3
        await it.turn("Again.")
    await _on_every_api(tmp_path)


async def test_no_process_survives_an_abort(tmp_path: Path) -> None:
    calls = [("exec", {"command": "echo $$; exec sleep 61"})]
    async with agent(tmp_path, [Step(calls=calls), "Whole."]) as it:
        it.session.prompt("Go.")
        progress = await it.until_seen(ToolProgress)
        await it.session.abort()
        pid = int(progress.text.strip().splitlines()[0])
        assert not Path(f"/proc/{pid}").exists() or "Z" in Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")


async def test_abort_in_a_retry_wait_sends_nothing_later(tmp_path: Path) -> None:
    async with agent(tmp_path, [Step(error=RateLimited("slow down"), events_before=0), "Whole."]) as it:
        sleeping = asyncio.Event()

        async def sleep(_: float) -> None:
            sleeping.set()
            await asyncio.Event().wait()

        it.session.deps.sleep = sleep
        it.session.prompt("Go.")
        await it.until_seen(RetryScheduled)
        await sleeping.wait()
        await it.session.abort()
        assert len(it.provider.requests) == 1
        assert _outcome(it) == "aborted"
        assert (await it.turn("Again.")).outcome == "done"
    await _on_every_api(tmp_path)


async def test_abort_after_a_retry_that_succeeded_works_too(tmp_path: Path) -> None:
    script: Sequence[Answer] = [
        Step(error=RateLimited("slow down"), events_before=0),
        Step("Now it comes", hangs=True),
        "Whole.",
    ]
    async with agent(tmp_path, script) as it:
        it.session.prompt("Go.")
        await _stopped(it, TextDelta)
        assert it.answers[0].stop_reason == "aborted"


async def test_abort_while_a_question_is_open_refuses_it(tmp_path: Path) -> None:
    calls = [("exec", {"command": "touch made"}), ("exec", {"command": "touch made2"})]
    async with agent(tmp_path, [Step(calls=calls), "Whole."], interactive=True, mode="default") as it:
        it.session.prompt("Go.")
        await _stopped(it, ApprovalRequested)
        assert not (tmp_path / "made").exists()
        assert [result.is_error for result in it.results] == [True, True]
        await it.turn("Again.")
    await _on_every_api(tmp_path)


@pytest.mark.parametrize("api", list(APIS))
async def test_abort_of_a_real_stream_leaves_a_history_the_api_takes(tmp_path: Path, api: ApiName) -> None:
    slow = Reply("word " * 300, thinking="Considering.", tps=60, calls=[Call("read", {"path": "a.txt"})])
    replies: list[Reply] = [
        Reply("", thinking="Looking.", calls=[Call("ls", {}), Call("exec", {"command": "sleep 60"})]),
        slow,
        Reply("Yes."),
    ]
    async with StrictFake([*replies, "And yes."]) as fake:
        async with agent_on(fake, APIS[api], tmp_path) as it:
            it.session.prompt("Go.")
            await it.until(lambda event: isinstance(event, ToolStarted) and event.call.name == "exec")
            await it.session.abort()
            it.session.prompt("Go on.")
            await it.until_seen(TextDelta)
            await it.session.abort()
            assert (await it.turn("Once more.")).outcome == "done"
            check_pairs(it.messages)
        async with agent_on(fake, APIS[api], tmp_path, continue_last=True) as it:
            assert (await it.turn("After the resume.")).outcome == "done"
        assert [record.error for record in fake.refused] == []
