"""Whether and when a failed model call is tried again.

The core is a pure decision, `next_delay`; the loop around it is thin and takes clock and sleep from outside, so a wait
can be shown, counted down and cancelled. The server's own wait is kept to the second; only waits of our choosing vary.
Invariant: nothing is tried again once something of the turn was carried out.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import TypeVar

import msgspec

from openclaw_tui.constants import (
    MAX_PROVIDER_ATTEMPTS,
    MAX_RETRY_AFTER_SECONDS,
    RETRY_BASE_SECONDS,
    RETRY_JITTER_SHARE,
    RETRY_MAX_SECONDS,
)
from openclaw_tui.errors import OpenClawError, ProviderError

T = TypeVar("T")


class RetryPolicy(msgspec.Struct, frozen=True):
    """Bounds of the retries of one call. Seconds; `attempts` counts the first try too; `jitter` returns 0…1."""

    attempts: int = MAX_PROVIDER_ATTEMPTS
    base_seconds: float = RETRY_BASE_SECONDS
    max_seconds: float = RETRY_MAX_SECONDS
    longest_server_wait: float = MAX_RETRY_AFTER_SECONDS
    jitter: Callable[[], float] = random.random


DEFAULT_POLICY = RetryPolicy()


class Wait(msgspec.Struct, frozen=True):
    """A pause before the next try. `attempt` is the number of the try that failed, from 1."""

    error: ProviderError
    attempt: int
    attempts: int
    seconds: float


def next_delay(error: OpenClawError, attempt: int, policy: RetryPolicy = DEFAULT_POLICY) -> float | None:
    """Seconds until the next try after try number `attempt` (from 1) failed; None: give up now."""
    if not isinstance(error, ProviderError) or not error.retryable or attempt >= policy.attempts:
        return None
    if error.retry_after is None:
        return _own_wait(attempt, policy)
    return error.retry_after if error.retry_after <= policy.longest_server_wait else None


def delays(error: OpenClawError, policy: RetryPolicy = DEFAULT_POLICY) -> Iterator[float]:
    """Every wait that a call which keeps failing with `error` would see."""
    for attempt in count(1):
        delay = next_delay(error, attempt, policy)
        if delay is None:
            return
        yield delay


def with_reset_time(
    error: OpenClawError, policy: RetryPolicy = DEFAULT_POLICY, now: datetime | None = None
) -> OpenClawError:
    """The error as it is told when the server asks for a longer wait than we make: with the time of the reset."""
    if not isinstance(error, ProviderError) or error.retry_after is None:
        return error
    if error.retry_after <= policy.longest_server_wait:
        return error
    return type(error)(
        f"{error} The provider asks to wait {_told(error.retry_after, now or datetime.now(UTC))}.",
        status=error.status,
        code=error.code,
        retry_after=error.retry_after,
        position=error.position,
        advice="Send the message again after that time, or choose another model with /model.",
    )


async def with_retries(
    call: Callable[[], Awaitable[T]],
    *,
    policy: RetryPolicy = DEFAULT_POLICY,
    on_wait: Callable[[Wait], None],
    may_retry: Callable[[], bool] = lambda: True,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> T:
    """The result of `call`, tried again as the policy allows while `may_retry()` holds.

    `on_wait` is told before each pause. Raises the last error; cancelling ends a pause at once.
    """
    for attempt in count(1):
        try:
            return await call()
        except ProviderError as error:
            delay = next_delay(error, attempt, policy) if may_retry() else None
            if delay is None:
                raise with_reset_time(error, policy) from error
            on_wait(Wait(error, attempt, policy.attempts, delay))
        await sleep(delay)
    raise AssertionError("an endless count ended")


def _told(seconds: float, now: datetime) -> str:
    """Until when; a wait beyond all calendars is only called that."""
    try:
        until = now.astimezone() + timedelta(seconds=seconds)
    except OverflowError:
        return "longer than anybody will"
    return f"until {until:%Y-%m-%d %H:%M} (about {round(seconds / 60)} min)"


def _own_wait(attempt: int, policy: RetryPolicy) -> float:
    """Doubling, capped, shortened by a random share."""
    full = min(policy.base_seconds * 2.0 ** (attempt - 1), policy.max_seconds)
    return full * (1 - RETRY_JITTER_SHARE * policy.jitter())
