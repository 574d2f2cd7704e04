"""Reads the cached prefix again before it expires, while the user is away; off unless the user asked for it.

A ping is the very last request once more with a tiny answer: another tool list or prompt would write instead of read.
Each one is checked to have read and not written, and paid for in plain sight; after a bounded time the cache may go
cold. An interval that is no shorter than the cache's life would pay for nothing and is refused with the reason.
"""

import asyncio
from collections.abc import Callable

import msgspec
from msgspec.structs import replace

from openclaw_tui.agent.deps import AgentDeps
from openclaw_tui.agent.side_call import side_call
from openclaw_tui.constants import KEEP_WARM_ANSWER_TOKENS, KEEP_WARM_LONGEST_SECONDS
from openclaw_tui.errors import OpenClawError
from openclaw_tui.messages import AssistantMessage
from openclaw_tui.providers.base import ProviderRequest
from openclaw_tui.providers.cache_ttl import cache_ttl_seconds


class KeepWarmSettings(msgspec.Struct, frozen=True):
    """Seconds. `every` 0 is off; `longest` counts from the last call of the talk itself."""

    every: float = 0.0
    longest: float = KEEP_WARM_LONGEST_SECONDS


class KeepWarm:
    """One per session. `is_busy` tells that the talk itself uses the cache."""

    def __init__(self, deps: AgentDeps, settings: KeepWarmSettings, is_busy: Callable[[], bool]) -> None:
        self._deps = deps
        self._settings = settings
        self._is_busy = is_busy
        self._task: asyncio.Task[None] | None = None
        self._given_up_on: ProviderRequest | None = None
        self._pings = 0
        self._usd: float | None = 0.0

    def start(self) -> None:
        if self._settings.every > 0 and self._task is None:
            self._task = asyncio.create_task(self._rounds(), name="keep the cache warm")

    async def stop(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.wait({task})

    async def look(self) -> bool:
        """One look, and a ping where it is due; True when one was sent."""
        request = self._deps.requests.last
        if request is None or request is self._given_up_on or self._is_busy():
            return False
        if (reason := self._refused(request)) is not None:
            return self._give_up(request, f"The cache is not kept warm: {reason}")
        now = self._deps.clock()
        cache = self._deps.requests.cache
        idle, age = cache.idle_seconds(now), cache.age_seconds(now)
        if idle is None or age is None or age < self._settings.every:
            return False
        if idle > self._settings.longest or cache.is_cold(request.model, request.cache_retention, now):
            return self._give_up(request, self._farewell()) if self._pings else False
        return await self._ping(request, now)

    async def _rounds(self) -> None:
        while True:
            await asyncio.sleep(max(1.0, self._settings.every / 10))
            await self.look()

    def _refused(self, request: ProviderRequest) -> str | None:
        ttl = cache_ttl_seconds(request.model, request.cache_retention)
        every = self._settings.every
        if ttl is None:
            return f"{request.model.ref} has no cache that ends by time."
        if every >= ttl:
            return f"every {every:g} s (cache.keepWarm) is not below the {ttl} s that {request.model.ref} keeps it."
        return None

    async def _ping(self, request: ProviderRequest, now: float) -> bool:
        small = request if request.model.thinking == "budget" else self._small(request)
        try:
            answer = await side_call(self._deps, small)
        except OpenClawError as error:
            self._give_up(request, f"The cache is not kept warm any more: {error}")
            return True
        self._pings += 1
        self._usd = None if self._usd is None or answer.cost_usd is None else self._usd + answer.cost_usd
        self._judge(request, answer, now)
        return True

    def _judge(self, request: ProviderRequest, answer: AssistantMessage, now: float) -> None:
        usage = answer.usage
        if usage.cache_read == 0 or usage.cache_write > 0:
            what = f"a ping read {usage.cache_read:,} and wrote {usage.cache_write:,} tokens"
            self._give_up(request, f"The cache is not kept warm any more: {what}. {self._price()}")
            return
        self._deps.requests.cache.kept_warm(now)
        reason = f"read {usage.cache_read:,} tokens again before they expired"
        self._deps.acts.record("cache", "kept_warm", reason, cost_usd=answer.cost_usd)

    def _give_up(self, request: ProviderRequest, text: str) -> bool:
        """Until the talk itself sends another request."""
        self._given_up_on = request
        self._deps.acts.notice("info", text)
        self._pings, self._usd = 0, 0.0
        return False

    def _farewell(self) -> str:
        minutes = self._settings.longest / 60
        return f"The cache was kept warm for {minutes:g} minutes and may go cold now. {self._price()}"

    def _price(self) -> str:
        price = "at an unknown price" if self._usd is None else f"for ${self._usd:.4f}"
        return f"{self._pings} {'ping' if self._pings == 1 else 'pings'} {price}."

    @staticmethod
    def _small(request: ProviderRequest) -> ProviderRequest:
        return replace(request, max_output_tokens=KEEP_WARM_ANSWER_TOKENS)
