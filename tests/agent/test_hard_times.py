"""A full disk, a dead connection, senseless replies, engines that lie: the session lives on and nothing is lost."""

import resource
from collections.abc import Awaitable
from pathlib import Path

import pytest

from openclaw_tui.context.engine import CompactRequest, CompactResult
from openclaw_tui.errors import SessionWriteFailed
from openclaw_tui.events import CompactionEnded, Notice, RetryScheduled, ToolStarted, TurnEnded
from openclaw_tui.messages import Usage, text_of
from openclaw_tui.models import ApiName
from openclaw_tui.providers.base import ProviderRequest
from openclaw_tui.providers.scripted import Step
from tests.agent.checking import check_pairs
from tests.agent.harness import APIS, WINDOW, Agent, agent, agent_on
from tests.agent.test_compacting import SUMMARY, is_summary, project, worker
from tests.strict_fake import Call, Fault, Reply, StrictFake


def _fill_disk(it: Agent) -> None:
    """From now on no file grows beyond the present size of the session."""
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (it.path.stat().st_size + 40, hard))


def _free_disk() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))


async def test_disk_that_is_full_for_the_answer_loses_nothing(tmp_path: Path) -> None:
    async with agent(tmp_path) as it:

        def fill(_: ProviderRequest) -> Step:
            _fill_disk(it)
            return Step("Looking.", calls=[("ls", {}), ("ls", {"path": "."})])

        it.provider.steps = [fill]
        await _goes_on_after_a_full_disk(it, it.turn("Go."))


async def test_disk_that_is_full_for_a_result_loses_nothing(tmp_path: Path) -> None:
    async def go(it: Agent) -> TurnEnded:
        it.session.prompt("Go.")
        await it.until_seen(ToolStarted)
        _fill_disk(it)
        await it.rest()
        return it.seen(TurnEnded)[-1]

    async with agent(tmp_path) as it:
        it.provider.steps = [Step("Looking.", calls=[("exec", {"command": "sleep 0.3"}), ("ls", {})])]
        await _goes_on_after_a_full_disk(it, go(it))
        live = it.messages
    async with agent(tmp_path, continue_last=True) as again:
        assert again.messages == live


async def _goes_on_after_a_full_disk(it: Agent, going: Awaitable[TurnEnded]) -> None:
    it.provider.forever = "Fine."
    try:
        assert (await going).outcome == "failed"
        assert any(notice.level == "error" and "\n" not in notice.text for notice in it.seen(Notice))
        check_pairs(it.messages)
    finally:
        _free_disk()
    assert (await it.turn("Again.")).outcome == "done"
    roles = [message["role"] for message in it.stored]
    assert roles == ["user", "assistant", "toolResult", "toolResult", "user", "assistant"]


async def test_prompt_on_a_full_disk_is_refused_and_not_there_twice_later(tmp_path: Path) -> None:
    async with agent(tmp_path, ["One.", "Two."]) as it:
        await it.turn("First.")
        _fill_disk(it)
        try:
            with pytest.raises(SessionWriteFailed):
                it.session.prompt("Second. " * 50)
            assert not it.session.is_busy
        finally:
            _free_disk()
        await it.turn("Second. " * 50)
        assert [text_of(prompt.content)[:7] for prompt in it.prompts] == ["First.", "Second."]


async def test_connection_that_died_in_the_meantime_is_made_anew(tmp_path: Path) -> None:
    """The server is restarted between two turns, as after a night's sleep of the machine."""
    model = APIS["anthropic"]
    first = StrictFake(["One."])
    await first.start()
    try:
        async with agent_on(first, model, tmp_path) as it:
            await it.turn("Hi.")
            await first.stop()
            async with StrictFake(["Two."], port=first.port) as second:
                assert (await it.turn("Again.")).outcome == "done"
                assert len(it.seen(RetryScheduled)) <= 1
                assert second.refused == []
    finally:
        await first.stop()


_SENSELESS = {
    "out of order": Fault.out_of_order(),
    "arguments cut": Fault.bad_args(),
    "redirect": Fault.redirect("http://127.0.0.1:9/elsewhere"),
    "error with status 200": Fault.error_200(),
    "prompt cut silently": Fault.truncate(10),
    "a web page with status 200": Fault.html(200),
    "unauthorised": Fault.http(401),
    "out of credit": Fault.http(402),
    "not found": Fault.http(404),
    "too large": Fault.http(413),
    "bad gateway": Fault.http(502),
}


@pytest.mark.parametrize("api", list(APIS))
async def test_senseless_reply_ends_in_an_outcome_and_the_next_turn_works(tmp_path: Path, api: ApiName) -> None:
    for name, fault in _SENSELESS.items():
        folder = tmp_path / name.replace(" ", "-")
        replies = [Reply("Looking.", calls=[Call("ls", {})]), *[Reply("Fine.")] * 4]
        async with StrictFake(replies, faults={1: fault}) as fake, agent_on(fake, APIS[api], folder) as it:
            ended = await it.turn("Go.")
            assert ended.outcome in ("done", "failed"), name
            assert ended.outcome == "done" or it.notices, name
            assert (await it.turn("Go on.")).outcome == "done", (name, it.notices)
            assert [text_of(prompt.content) for prompt in it.prompts] == ["Go.", "Go on."]
            check_pairs(it.messages)


async def test_engine_that_claims_to_have_compacted_is_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def lies(request: CompactRequest) -> CompactResult:
        size = request.current_tokens
        return CompactResult(ok=True, compacted=True, tokens_before=size, tokens_after=size)

    async with agent(project(tmp_path, 18), forever=worker(18)) as it:
        monkeypatch.setattr(it.session.deps.engine, "compact", lies)
        await it.turn("Read.")
        assert it.seen(CompactionEnded)
        assert not any(done.ok for done in it.seen(CompactionEnded))
        monkeypatch.undo()
        it.provider.forever = worker(0)
        assert (await it.turn("Go on.")).outcome == "done"


async def test_circles_are_noticed_over_compactions(tmp_path: Path) -> None:
    """The same failing call for ever, in a talk that is compacted again and again."""
    aloud = " ".join(f"word{n}" for n in range(1_500))

    def stubborn(request: ProviderRequest) -> Step | str:
        return SUMMARY if is_summary(request) else Step(aloud, calls=[("read", {"path": "missing.txt"})])

    async with agent(tmp_path, forever=stubborn) as it:
        ended = await it.turn("Go.")
        assert ended.outcome == "failed"
        assert ended.steps < 60


async def test_totals_of_earlier_calls_are_not_added_up(tmp_path: Path) -> None:
    """Ten short turns whose reports grow: the whole talk fits the part that is kept, so nothing is cut."""
    steps = [Step(f"Answer {n}.", usage=Usage(input=n * 2_000)) for n in range(1, 11)]
    async with agent(tmp_path, steps) as it:
        for n in range(10):
            await it.turn(f"Question {n}?")
        before = it.messages
        assert (await it.session.compact()).startswith("Compaction skipped")
        assert it.messages == before
        assert it.session.deps.requests.context_size().tokens < WINDOW


@pytest.mark.parametrize("api", list(APIS))
async def test_half_a_character_harms_no_request(tmp_path: Path, api: ApiName) -> None:
    (tmp_path / "half.bin").write_bytes(b"half \xed\xa0\xbd a character\n")
    replies = [Reply("Looking.", calls=[Call("exec", {"command": "cat half.bin"})]), *[Reply("Fine.")] * 3]
    async with StrictFake(replies) as fake:
        async with agent_on(fake, APIS[api], tmp_path) as it:
            assert (await it.turn("Go \ud83d on.")).outcome == "done", it.notices
        async with agent_on(fake, APIS[api], tmp_path, continue_last=True) as it:
            assert (await it.turn("And on.")).outcome == "done", it.notices
        assert [record.error for record in fake.refused] == []


async def test_defect_in_the_summariser_is_told_and_the_turn_does_not_end_as_if_well(tmp_path: Path) -> None:
    def broken(_: ProviderRequest) -> Step:
        raise ZeroDivisionError("a defect")

    async with agent(project(tmp_path, 18), forever=worker(18, broken)) as it:
        ended = await it.turn("Read.")
        assert ended.outcome == "failed"
        assert not it.seen(CompactionEnded)[0].ok
        assert any("ZeroDivisionError" in text for text in it.notices)
        it.provider.forever = worker(0)
        assert (await it.turn("Go on.")).outcome == "done"
