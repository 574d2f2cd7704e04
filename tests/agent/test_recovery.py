"""Failures of a model call: what is tried again, what is said, and that no tool ever runs twice."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from openclaw_tui.constants import MAX_PROVIDER_ATTEMPTS
from openclaw_tui.errors import (
    AuthenticationFailed,
    InvalidRequest,
    ProviderError,
    ProviderUnavailable,
    QuotaExhausted,
    RateLimited,
)
from openclaw_tui.events import MessageEnded, Notice, RetryScheduled
from openclaw_tui.messages import ThinkingBlock, text_of
from openclaw_tui.models import ApiName
from openclaw_tui.providers.catalog import find_model
from openclaw_tui.providers.registry import warm
from openclaw_tui.providers.scripted import Answer, Step
from tests.agent.checking import check_pairs
from tests.agent.harness import APIS, agent, agent_on
from tests.strict_fake import Call, Fault, Reply, StrictFake

_APPEND = {"command": "echo ran >> runs.txt"}
_FAULTS = {
    "429": Fault.http(429),
    "529": Fault.http(529),
    "503": Fault.http(503),
    "drop before the headers": Fault.drop(0),
    "drop half way": Fault.drop(),
    "overloaded in mid-stream": Fault.mid_error(),
    "rate limit in mid-stream": Fault.mid_error("rate_limit"),
    "server error in mid-stream": Fault.mid_error("server"),
    "clean cut": Fault.cut(),
    "silence after the headers": Fault.stall(after=1),
    "only keep-alives": Fault.stall(after=1, keepalive="comment"),
    "empty": Fault.empty(),
    "no deltas": Fault.zero_deltas(),
    "malformed": Fault.malformed(),
    "a web page": Fault.html(503),
    "slow": Fault.slow(0.1),
}


@pytest.fixture(scope="module", autouse=True)
def imported_sdks() -> None:
    """A short limit for silence must not be used up by the import of an SDK."""
    for thread in filter(None, map(warm, APIS)):
        thread.join()


@pytest.mark.parametrize("api", list(APIS))
async def test_call_that_broke_is_tried_again_and_no_tool_runs_twice(tmp_path: Path, api: ApiName) -> None:
    """Each fault hits the answer that carries the call, and the one after it."""
    for name, fault in _FAULTS.items():
        project = tmp_path / name.replace(" ", "-")
        replies = [Reply("Running it.", calls=[Call("exec", _APPEND)]), Reply("Done.")]
        async with StrictFake(replies, faults={1: fault, 3: fault}) as fake:
            idle = 0.4 if fault.kind == "stall" else 10
            async with agent_on(fake, APIS[api], project, idle_seconds=idle) as it:
                ended = await it.turn("Go.")
                assert ended.outcome == "done", (name, it.notices)
                assert (project / "runs.txt").read_text(encoding="utf-8") == "ran\n", name
                assert text_of(it.answers[-1].content) == "Done."
                assert [answer.stop_reason for answer in it.answers] == ["tool_use", "stop"]
                if name != "slow":
                    tries = len(it.seen(RetryScheduled))
                    assert tries == 2 or (fault.kind == "stall" and tries > 2), name  # a busy machine is silent too
                    assert sum(event.discarded for event in it.seen(MessageEnded)) == tries
                check_pairs(it.messages)
            assert [record.error for record in fake.refused] == []


async def test_server_says_how_long_to_wait(tmp_path: Path) -> None:
    later = datetime.now(UTC) + timedelta(seconds=40)
    faults = {1: Fault.http(429, retry_after=7), 2: Fault.http(429, retry_after=later)}
    async with StrictFake(["Done."], faults=faults) as fake, agent_on(fake, APIS["anthropic"], tmp_path) as it:
        await it.turn("Go.")
        waits = [event.seconds for event in it.seen(RetryScheduled)]
        assert waits == it.waits
        assert waits[0] == 7
        assert 30 < waits[1] <= 41
        assert [event.attempt for event in it.seen(RetryScheduled)] == [2, 3]


async def test_wait_longer_than_ours_ends_the_turn_with_the_time(tmp_path: Path) -> None:
    async with agent(tmp_path, [Step(error=RateLimited("quota", retry_after=7200.0))]) as it:
        ended = await it.turn("Go.")
        assert ended.outcome == "failed"
        assert it.waits == []
        assert "wait until" in it.notices[-1]


async def test_failure_that_lasts_keeps_the_partial_answer_and_says_one_line(tmp_path: Path) -> None:
    broken = Step("The beginning of an answer", error=ProviderUnavailable("the connection was lost"))
    async with agent(tmp_path, forever=broken) as it:
        ended = await it.turn("Go.")
        assert ended.outcome == "failed"
        assert [answer.stop_reason for answer in it.answers] == ["error"]
        assert text_of(it.answers[0].content) == "The beginning of an answer"
        errors = [notice for notice in it.seen(Notice) if notice.level == "error"]
        assert len(errors) == 1
        assert "\n" not in errors[0].text
        assert len(it.seen(RetryScheduled)) == len(it.provider.requests) - 1
        it.provider.forever = "All is well again."
        assert (await it.turn("Again.")).outcome == "done"


@pytest.mark.parametrize(
    "error", [AuthenticationFailed("bad key"), QuotaExhausted("no credit"), InvalidRequest("bad request", status=400)]
)
async def test_what_waiting_cannot_help_is_not_tried_again(tmp_path: Path, error: InvalidRequest) -> None:
    async with agent(tmp_path, forever=Step(error=error, events_before=0)) as it:
        assert (await it.turn("Go.")).outcome == "failed"
        assert len(it.provider.requests) == 1
        assert error.advice in it.notices[-1]


async def test_refused_signature_is_left_out_once_and_for_all(tmp_path: Path) -> None:
    model = APIS["anthropic"]
    refusal = Fault.http(400, message="messages.1.content.0: Invalid `signature` in `thinking` block")
    replies = [Reply("", thinking="Hm.", calls=[Call("ls", {})]), *[Reply(f"Turn {n}.") for n in range(4)]]
    async with StrictFake(replies, faults={2: refusal}) as fake:
        async with agent_on(fake, model, tmp_path) as it:
            assert (await it.turn("Go.")).outcome == "done"
            first = next(block for block in it.answers[0].content if isinstance(block, ThinkingBlock))
            assert first.signature
            assert first.signature in fake.requests[1].raw.decode()
            assert it.app.ledger.of_layer("repair")
            await it.turn("And on.")
        async with agent_on(fake, model, tmp_path, continue_last=True) as it:
            await it.turn("After the resume.")
        assert len(fake.requests) == 5
        assert fake.refused == []
        for record in fake.requests[2:]:
            assert first.signature not in record.raw.decode()


async def test_next_model_of_the_chain_takes_over(tmp_path: Path) -> None:
    other = find_model("offline/guide")
    script: Sequence[Answer] = [Step(error=AuthenticationFailed("bad key"), events_before=0), "From the other one."]
    async with agent(tmp_path, script, config=("agents.defaults.fallbacks=offline/guide",)) as it:
        assert (await it.turn("Go.")).outcome == "done"
        assert it.provider.requests[1].model.ref == other.ref
        assert any(other.ref in notice for notice in it.notices)


@pytest.mark.parametrize(
    "error",
    [
        RateLimited("gate (HTTP 429): full.", retry_after=86_400),
        RateLimited("gate (HTTP 429): full.", retry_after=1e18),
        QuotaExhausted("gate (HTTP 402): no credit."),
        ProviderUnavailable("gate (HTTP 529): Overloaded."),
    ],
)
async def test_chain_is_gone_down_after_an_absurd_wait_or_the_last_retry_and_no_call_runs_twice(
    tmp_path: Path, error: ProviderError
) -> None:
    """Half an answer was there already; what had run before is not run again by the next model."""
    fails = [Step("Half an", error=error, events_before=2)] * (
        MAX_PROVIDER_ATTEMPTS if error.retry_after is None else 1
    )
    fails = fails[:1] if not error.retryable else fails
    call = Step(calls=[("exec", {"command": "echo x >> ran.txt"})])
    config = ("agents.defaults.fallbacks=offline/guide",)
    async with agent(tmp_path, [call, *fails, "From the other one."], config=config) as it:
        assert (await it.turn("Go.")).outcome == "done"
        assert (tmp_path / "ran.txt").read_text(encoding="utf-8") == "x\n"
        assert all(seconds < 120 for seconds in it.waits)
        assert [text for text in it.notices if "going on with offline/guide" in text and "\n" not in text]
        check_pairs(it.messages)


async def test_unexpected_failure_ends_the_turn_and_the_session_lives(tmp_path: Path) -> None:
    def broken(_: object) -> str:
        raise ZeroDivisionError("a defect")

    async with agent(tmp_path, [Step(calls=[("ls", {})]), broken, "Fine."]) as it:
        ended = await it.turn("Go.")
        assert ended.outcome == "failed"
        assert "ZeroDivisionError" in it.notices[-1]
        check_pairs(it.messages)
        assert (await it.turn("Again.")).outcome == "done"
