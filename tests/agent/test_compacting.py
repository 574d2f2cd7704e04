"""Compaction in the life of a session: when it starts, that the work goes on, and that its failures end nothing."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import msgspec
import pytest

from openclaw_tui.constants import MAX_CONSECUTIVE_COMPACTIONS
from openclaw_tui.errors import ProviderContextOverflow
from openclaw_tui.events import CompactionEnded, CompactionStarted, StepStarted, TextDelta, TurnEnded
from openclaw_tui.messages import Usage, text_of
from openclaw_tui.providers.base import ProviderRequest
from openclaw_tui.providers.scripted import Answer, Step
from openclaw_tui.session.entries import CompactionEntry
from openclaw_tui.tokens import estimate_message_tokens
from tests.agent.checking import check_pairs
from tests.agent.harness import PRICE, SCRIPTED, WINDOW, Agent, agent

SUMMARY = "## Goal\nCheck the modules.\n## Next\nGo on with the next file."


def is_summary(request: ProviderRequest) -> bool:
    """The built-in compaction asks without tools, or in place with its instructions last."""
    last = text_of(request.messages[-1].content)
    return not request.tools or "summar" in last.lower()[-6000:]


Worker: TypeAlias = Callable[[ProviderRequest], Step | str]


def worker(steps: int, summary: Answer = SUMMARY, tokens: int = 2_000) -> Worker:
    """A model that reads `steps` files one after the other and thinks aloud, about `tokens` a step."""
    done = iter(range(1, steps + 1))

    def answer(request: ProviderRequest) -> Step | str:
        if is_summary(request):
            return summary(request) if callable(summary) else summary
        number = next(done, None)
        aloud = " ".join(f"w{number}x{word}" for word in range(tokens // 4))
        return "All done." if number is None else Step(aloud, calls=[("read", {"path": f"f{number}.txt"})])

    return answer


def project(tmp_path: Path, files: int) -> Path:
    for number in range(1, files + 1):
        (tmp_path / f"f{number}.txt").write_text(f"file {number} line\n" * 20, encoding="utf-8")
    return tmp_path


def paths_read(it: Agent) -> list[str]:
    entries = it.session.deps.manager.entries()
    messages = [entry.message for entry in entries if hasattr(entry, "message")]
    return [call.arguments["path"] for message in messages for call in getattr(message, "tool_calls", ())]


async def test_long_tool_loop_is_compacted_on_the_way_and_goes_on(tmp_path: Path) -> None:
    async with agent(project(tmp_path, 30), forever=worker(30)) as it:
        ended = await it.turn("Read all thirty files.")
        assert ended.outcome == "done"
        compactions = it.seen(CompactionEnded)
        assert len(compactions) >= 2
        assert all(done.ok and done.tokens_after < done.tokens_before for done in compactions)
        assert paths_read(it) == [f"f{number}.txt" for number in range(1, 31)]
        assert len(it.seen(TurnEnded)) == 1
        for step in it.seen(StepStarted):
            assert step.report.count("seal", "tokens") <= WINDOW
        check_pairs(it.messages)


async def test_overflow_reported_by_the_provider_is_answered_by_compaction(tmp_path: Path) -> None:
    overflow = Step(error=ProviderContextOverflow("prompt is too long", tokens=50_000), events_before=0)
    script = iter([*[None] * 6, overflow])
    work = worker(10)

    def answer(request: ProviderRequest) -> Step | str:
        wanted = None if is_summary(request) else next(script, None)
        return wanted or work(request)

    async with agent(project(tmp_path, 10), forever=answer) as it:
        ended = await it.turn("Read all ten.")
        assert ended.outcome == "done"
        assert [start.trigger for start in it.seen(CompactionStarted)] == ["overflow_provider"]
        assert len(paths_read(it)) == 10
        assert len(set(paths_read(it))) == 10


async def test_provider_that_calls_everything_too_long_ends_in_a_plain_line(tmp_path: Path) -> None:
    overflow = Step(error=ProviderContextOverflow("prompt is too long"), events_before=0)
    async with agent(project(tmp_path, 4), forever=worker(4)) as it:
        await it.turn("Read.")
        it.provider.forever = overflow
        ended = await it.turn("And now?")
        assert ended.outcome == "failed"
        assert "/new" in it.notices[-1]
        assert len(it.provider.requests) < 60
        assert 1 <= len(it.seen(CompactionStarted)) <= MAX_CONSECUTIVE_COMPACTIONS
        it.provider.forever = "Back again."
        assert (await it.turn("Hello?")).outcome == "done"


@pytest.mark.parametrize(
    "summary",
    [
        Step(error=ProviderContextOverflow("too long"), events_before=0),
        Step("", stop="stop"),
        Step(calls=[("ls", {})]),
        Step("cut", stop="length"),
        "x" * 200_000,
    ],
    ids=["overflow", "empty", "tool call", "cut off", "longer than its source"],
)
async def test_summariser_that_fails_does_not_stop_the_work(tmp_path: Path, summary: Answer) -> None:
    async with agent(project(tmp_path, 20), forever=worker(20, summary)) as it:
        ended = await it.turn("Read all twenty.")
        assert ended.outcome == "done"
        assert len(paths_read(it)) == 20
        check_pairs(it.messages)


async def test_summariser_that_hangs_is_given_up_and_the_next_compaction_waits(tmp_path: Path) -> None:
    flags = ("agents.defaults.compaction.timeoutSeconds=1",)
    async with agent(project(tmp_path, 18), forever=worker(18, Step(hangs=True)), config=flags) as it:
        it.session.deps.requests.settings = msgspec.structs.replace(
            it.session.deps.requests.settings,
            compaction=msgspec.structs.replace(it.session.deps.requests.settings.compaction, timeout_seconds=0.05),
        )
        ended = await it.turn("Read.")
        failed = [done for done in it.seen(CompactionEnded) if not done.ok]
        assert failed
        assert len(failed) < ended.steps / 2, "a failed compaction backs off"
        check_pairs(it.messages)
        it.provider.forever = worker(0)
        assert (await it.turn("Still there?")).outcome == "done"


async def test_abort_during_an_automatic_compaction_changes_nothing(tmp_path: Path) -> None:
    async with agent(project(tmp_path, 20), forever=worker(20, Step(hangs=True))) as it:
        it.session.prompt("Read.")
        await it.until_seen(CompactionStarted)
        await asyncio.sleep(0.01)
        await it.session.abort()
        assert not it.session.is_busy
        entries = it.session.deps.manager.entries()
        assert not any(isinstance(entry, CompactionEntry) for entry in entries)
        it.provider.forever = worker(0)
        assert (await it.turn("Go on.")).outcome == "done"


async def test_manual_compaction_while_an_answer_streams(tmp_path: Path) -> None:
    async with agent(project(tmp_path, 10), forever=worker(10)) as it:
        await it.turn("Read.")
        it.provider.forever = lambda r: SUMMARY if is_summary(r) else Step("An answer that", hangs=True)
        it.session.prompt("Explain.")
        await it.until(lambda event: isinstance(event, TextDelta) and event.text.startswith("An"))
        line = await it.session.compact("the files")
        assert line.startswith("Compacted")
        assert len(it.seen(CompactionEnded)) == 1
        assert it.session.deps.manager.project().compaction is not None
        assert [message["stopReason"] for message in it.stored if message["role"] == "assistant"][-1] == "aborted"


async def test_prompt_typed_during_a_manual_compaction_waits_for_it(tmp_path: Path) -> None:
    async with agent(project(tmp_path, 4), forever=worker(4)) as it:
        await it.turn("Read.")
        compacting = asyncio.create_task(it.session.compact())
        await it.until_seen(CompactionStarted)
        assert it.session.prompt("And this?") is False
        assert (await compacting).startswith("Compact")
        await it.rest()
        assert text_of(it.prompts[-1].content) == "And this?"
        assert it.answers[-1].stop_reason == "stop"


async def test_manual_compaction_can_be_stopped(tmp_path: Path) -> None:
    async with agent(project(tmp_path, 4), forever=worker(4, Step(hangs=True))) as it:
        await it.turn("Read.")
        compacting = asyncio.create_task(it.session.compact())
        await it.until_seen(CompactionStarted)
        await asyncio.sleep(0.01)
        before = it.path.read_bytes()
        await it.session.abort()
        assert "stopped" in await compacting
        assert it.path.read_bytes() == before
        assert (await it.turn("Go on.")).outcome == "done"


async def test_nothing_to_compact_is_said(tmp_path: Path) -> None:
    async with agent(tmp_path, ["Hi."]) as it:
        await it.turn("Hello.")
        line = await it.session.compact()
        assert line.startswith(("Compaction skipped", "Compacted"))


async def test_large_prompt_is_counted_before_it_is_sent(tmp_path: Path) -> None:
    """70 % of the window is used; the prompt brings 40 % more."""
    async with agent(project(tmp_path, 10), forever=worker(10)) as it:
        await it.turn("Read.")
        used = it.session.deps.requests.context_size().tokens
        room = WINDOW - used
        await it.turn("word " * int(room * 0.9))
        assert [start.trigger for start in it.seen(CompactionStarted)][-1] in ("threshold", "overflow_preemptive")
        assert it.seen(TurnEnded)[-1].outcome == "done"


async def test_resumed_session_knows_its_size(tmp_path: Path) -> None:
    async with agent(project(tmp_path, 9), forever=worker(9)) as it:
        await it.turn("Read.")
        size = it.session.deps.requests.context_size().tokens
        compactions = len(it.seen(CompactionEnded))
    async with agent(tmp_path, forever=worker(0), continue_last=True) as it:
        assert it.session.deps.requests.context_size().tokens == size
        await it.turn("word " * (WINDOW - size))
        assert len(it.seen(CompactionEnded)) >= 1, compactions


async def test_after_a_compaction_the_meter_says_what_the_next_request_weighs(tmp_path: Path) -> None:
    """Results that are kept but sent short count as they are sent."""
    for number in range(1, 9):
        (tmp_path / f"f{number}.txt").write_text(f"file {number} line\n" * 500, encoding="utf-8")
    async with agent(tmp_path, forever=worker(8, tokens=200)) as it:
        await it.turn("Read.")
        assert "Compacted" in await it.session.compact()
        told = it.session.deps.requests.context_size().tokens
        full = sum(estimate_message_tokens(message) for message in it.session.deps.manager.project().messages)
        assert told < full, "nothing was shortened: this shows nothing"
        await it.turn("Go on.")
        sent = it.seen(StepStarted)[-1].report.count("seal", "tokens")
        assert told == pytest.approx(sent, rel=0.1)


async def test_switch_to_a_smaller_window_compacts_before_the_first_call(tmp_path: Path) -> None:
    big = msgspec.structs.replace(SCRIPTED, context_window=200_000)
    small = msgspec.structs.replace(SCRIPTED, id="small", context_window=32_000, price=PRICE)
    async with agent(project(tmp_path, 30), forever=worker(30), model=big) as it:
        await it.turn("Read.")
        assert not it.seen(CompactionStarted)
        assert it.session.deps.requests.context_size().tokens > 32_000
        it.session.set_model(small)
        it.provider.forever = worker(0)
        assert (await it.turn("Go on.")).outcome == "done"
        assert it.seen(CompactionStarted)
        mains = [r for r in it.provider.requests if r.model.id == "small" and not is_summary(r)]
        assert mains
        for request in mains:
            assert sum(len(text_of(m.content)) for m in request.messages) / 4 < 32_000


async def test_usage_from_before_a_compaction_is_not_counted_again(tmp_path: Path) -> None:
    heavy = Usage(input=WINDOW - 5_000)
    async with agent(project(tmp_path, 6), forever=worker(6)) as it:
        await it.turn("Read.")
        it.provider.forever = lambda r: SUMMARY if is_summary(r) else Step("Yes.", usage=heavy)
        await it.turn("Big?")
        it.provider.forever = lambda r: SUMMARY if is_summary(r) else Step("Yes.")
        await it.turn("Now?")
        await it.turn("And now?")
        assert len(it.seen(CompactionEnded)) == 1


async def test_quoted_overflow_text_is_no_overflow(tmp_path: Path) -> None:
    said = 'What does "Context overflow: prompt too large for the model" mean?'
    (tmp_path / "log.txt").write_text(said, encoding="utf-8")
    script = [Step(calls=[("read", {"path": "log.txt"})]), Step("It means: prompt is too long: 300000 tokens > 200000")]
    async with agent(tmp_path, script) as it:
        assert (await it.turn(said)).outcome == "done"
        assert not it.seen(CompactionStarted)
