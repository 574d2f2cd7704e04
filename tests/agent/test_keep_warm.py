"""Keeping a cache warm: off by default, refused where it comes too late, checked, bounded, and its price shown."""

import time
from pathlib import Path

import pytest

from openclaw_tui.agent.keep_warm import KeepWarm, KeepWarmSettings
from openclaw_tui.events import ContextAct
from openclaw_tui.messages import AssistantMessage, Usage
from openclaw_tui.models import ApiName
from tests.agent.harness import APIS, Agent, agent_on
from tests.strict_fake import Reply, StrictFake


def warm(it: Agent, every: float, *, longest: float = 3_600) -> KeepWarm:
    return KeepWarm(it.session.deps, KeepWarmSettings(every, longest), lambda: it.session.is_busy)


def later(it: Agent, seconds: float) -> None:
    it.session.deps.clock = lambda: time.time() + seconds


@pytest.mark.parametrize("api", ["anthropic", "openai-responses"])
async def test_ping_reads_the_cache_writes_nothing_and_is_paid_in_plain_sight(tmp_path: Path, api: ApiName) -> None:
    async with StrictFake([Reply("Fine.")] * 5) as fake, agent_on(fake, APIS[api], tmp_path) as it:
        await it.turn("Hi.")
        await it.turn("Again.")
        spent, messages = it.session.deps.spent_usd, it.messages
        keeping = warm(it, 100)
        assert not await keeping.look()
        later(it, 150)
        assert await keeping.look()
        ping = fake.requests[-1]
        assert ping.cache_read > 0
        assert ping.cache_write == 0
        assert ping.body.get("tools") == fake.requests[-2].body.get("tools")
        (act,) = [act for act in it.seen(ContextAct) if act.verb == "kept_warm"]
        assert act.cost_usd
        assert it.session.deps.spent_usd == pytest.approx(spent + act.cost_usd)
        assert it.messages == messages
        assert not await keeping.look()


async def test_interval_as_long_as_the_cache_lives_is_refused_with_the_reason(tmp_path: Path) -> None:
    async with StrictFake([Reply("Fine.")] * 3) as fake, agent_on(fake, APIS["anthropic"], tmp_path) as it:
        await it.turn("Hi.")
        later(it, 301)
        keeping = warm(it, 300)
        assert not await keeping.look()
        assert not await keeping.look()
        assert len(fake.requests) == 1
        (told,) = [text for text in it.notices if "kept warm" in text]
        assert "every 300 s (cache.keepWarm) is not below the 300 s" in told


async def test_it_ends_after_a_bounded_time_and_says_the_price(tmp_path: Path) -> None:
    async with StrictFake([Reply("Fine.")] * 5) as fake, agent_on(fake, APIS["anthropic"], tmp_path) as it:
        await it.turn("Hi.")
        keeping = warm(it, 100, longest=400)
        for seconds in (150, 280):
            later(it, seconds)
            assert await keeping.look()
        later(it, 450)
        assert not await keeping.look()
        later(it, 600)
        assert not await keeping.look()
        assert len(fake.requests) == 3
        assert "2 pings for $" in it.notices[-1]


async def test_ping_that_wrote_instead_of_reading_is_the_last_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def writes(*_: object) -> AssistantMessage:
        return AssistantMessage((), usage=Usage(input=1, cache_write=9_000), cost_usd=0.1)

    monkeypatch.setattr("openclaw_tui.agent.keep_warm.side_call", writes)
    async with StrictFake([Reply("Fine.")] * 3) as fake, agent_on(fake, APIS["anthropic"], tmp_path) as it:
        await it.turn("Hi.")
        keeping = warm(it, 100)
        later(it, 150)
        await keeping.look()
        later(it, 290)
        assert not await keeping.look()
        assert "read 0 and wrote 9,000 tokens. 1 ping for $0.1000" in it.notices[-1]


async def test_it_is_off_unless_asked_for(tmp_path: Path) -> None:
    async with StrictFake([Reply("Fine.")] * 3) as fake, agent_on(fake, APIS["anthropic"], tmp_path) as it:
        await it.turn("Hi.")
        later(it, 250)
        assert it.session.deps.requests.settings.keep_warm_seconds == 0
        assert it.session.keep_warm._task is None
    async with agent_on(fake, APIS["anthropic"], tmp_path / "b", config=["cache.keepWarm=240"]) as on:
        assert on.session.deps.requests.settings.keep_warm_seconds == 240
        assert on.session.keep_warm._task is not None
