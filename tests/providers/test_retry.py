"""Which failures are tried again, how long is waited, and when it is given up."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_tui.constants import MAX_PROVIDER_ATTEMPTS, MAX_RETRY_AFTER_SECONDS, RETRY_MAX_SECONDS
from openclaw_tui.errors import (
    AuthenticationFailed,
    InvalidRequest,
    OpenClawError,
    ProviderContextOverflow,
    ProviderUnavailable,
    QuotaExhausted,
    RateLimited,
)
from openclaw_tui.providers.retry import RetryPolicy, Wait, delays, next_delay, with_reset_time, with_retries

STEADY = RetryPolicy(jitter=lambda: 0.0)


def test_server_wait_is_kept_to_the_second() -> None:
    assert list(delays(RateLimited("x", retry_after=7.0))) == [7.0] * (MAX_PROVIDER_ATTEMPTS - 1)


def test_own_waits_double_and_are_bounded() -> None:
    assert list(delays(ProviderUnavailable("x"), STEADY)) == [1.0, 2.0, 4.0, 8.0, 16.0]
    assert list(delays(ProviderUnavailable("x"), RetryPolicy(attempts=9, jitter=lambda: 0.0)))[-1] == RETRY_MAX_SECONDS


@given(st.floats(0, 1), st.integers(1, MAX_PROVIDER_ATTEMPTS - 1))
def test_jitter_only_shortens(share: float, attempt: int) -> None:
    varied = next_delay(ProviderUnavailable("x"), attempt, RetryPolicy(jitter=lambda: share))
    full = next_delay(ProviderUnavailable("x"), attempt, STEADY)
    assert varied is not None
    assert full is not None
    assert 0.74 * full <= varied <= full


@pytest.mark.parametrize(
    "error",
    [
        InvalidRequest("400"),
        AuthenticationFailed("401"),
        QuotaExhausted("402"),
        ProviderContextOverflow("full"),
        RateLimited("x", retry_after=MAX_RETRY_AFTER_SECONDS + 1),
    ],
)
def test_what_waiting_cannot_cure_is_not_tried_again(error: OpenClawError) -> None:
    assert next_delay(error, 1) is None


def test_longer_wait_than_we_make_tells_the_time_of_the_reset() -> None:
    noon = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
    told = with_reset_time(RateLimited("p (HTTP 429): full.", retry_after=3600), now=noon)
    assert isinstance(told, RateLimited)
    assert f"{noon.replace(hour=13).astimezone():%H:%M}" in str(told)
    assert "60 min" in str(told)
    absurd = with_reset_time(RateLimited("p (HTTP 429): full.", retry_after=1e18), now=noon)
    assert "longer than anybody will" in str(absurd)
    soon = RateLimited("x", retry_after=5)
    assert with_reset_time(soon, now=noon) is soon


async def run(
    failures: list[OpenClawError], *, may_retry: Callable[[], bool] = lambda: True
) -> tuple[str, list[Wait], list[float]]:
    waits: list[Wait] = []
    slept: list[float] = []

    async def call() -> str:
        if failures:
            raise failures.pop(0)
        return "answer"

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    result = await with_retries(call, policy=STEADY, on_wait=waits.append, sleep=sleep, may_retry=may_retry)
    return result, waits, slept


async def test_waits_are_announced_and_the_answer_comes() -> None:
    result, waits, slept = await run([RateLimited("a", retry_after=7), ProviderUnavailable("b")])
    assert result == "answer"
    assert slept == [7, 2.0]
    assert [(wait.attempt, wait.seconds) for wait in waits] == [(1, 7), (2, 2.0)]


async def test_it_gives_up_after_the_last_attempt() -> None:
    failures: list[OpenClawError] = [ProviderUnavailable(str(n)) for n in range(MAX_PROVIDER_ATTEMPTS)]
    with pytest.raises(ProviderUnavailable, match=str(MAX_PROVIDER_ATTEMPTS - 1)):
        await run(failures)
    assert failures == []


async def test_nothing_is_tried_again_once_something_was_carried_out() -> None:
    with pytest.raises(ProviderUnavailable):
        await run([ProviderUnavailable("x")], may_retry=lambda: False)


async def test_a_pause_can_be_cancelled() -> None:
    waiting = asyncio.Event()

    async def call() -> str:
        raise RateLimited("x", retry_after=100)

    task = asyncio.create_task(with_retries(call, on_wait=lambda _: waiting.set()))
    await waiting.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
