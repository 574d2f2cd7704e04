"""What the user hears of the prompt cache: breaks with their cause, cold sends with their price, changes on offer."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from openclaw_tui.agent.cache_observer import provider_reason
from openclaw_tui.commands.help_command import all_commands
from openclaw_tui.commands.registry import CommandOutput
from openclaw_tui.events import ContextAct
from openclaw_tui.ledger.ledger import LedgerRow
from openclaw_tui.messages import Usage
from openclaw_tui.providers.scripted import Step
from tests.agent.harness import SCRIPTED, Agent, agent

CACHED = msgspec.structs.replace(SCRIPTED, api="anthropic", cache_breakpoints=True, context_window=400_000)
"""Played from a script, but with the cache of a provider that forgets after five minutes."""


def says(text: str, *, read: int = 0, written: int = 0) -> Step:
    return Step(text, usage=Usage(input=10, output=5, cache_read=read, cache_write=written))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    now = [1_790_000_000.0]
    monkeypatch.setattr(time, "time", lambda: now[0])

    def advance(seconds: float) -> None:
        now[0] += seconds

    return advance


def cache_acts(it: Agent) -> list[LedgerRow]:
    return it.app.ledger.of_layer("cache")


async def typed(it: Agent, line: str) -> CommandOutput:
    parsed = all_commands().parse(line)
    assert parsed is not None
    assert parsed.command is not None, parsed.problem
    return await parsed.command.run(it.app, parsed.argument)


async def test_break_after_a_reload_names_the_file_and_its_line(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("Be kind.\nUse tabs.\n", encoding="utf-8")
    script = [says("One.", written=9_000), says("Two.", read=9_000, written=100), says("Three.", written=9_200)]
    async with agent(tmp_path, script, model=CACHED) as it:
        await it.turn("Hi.")
        await it.turn("Go on.")
        assert cache_acts(it) == []
        (tmp_path / "AGENTS.md").write_text("Be kind.\nUse spaces.\n", encoding="utf-8")
        assert "AGENTS.md" in (await typed(it, "/reload now")).text
        await it.turn("And on.")
        (row,) = cache_acts(it)
        assert (row.verb, row.tokens_before, row.tokens_after) == ("break", 9_000, 0)
        assert "system prompt changed (AGENTS.md, line 2)" in row.reason
        assert row.data["spot"]["after"] == "Use spaces."
        assert row.cost_usd == pytest.approx(9_000 * (12.5 - 1) / 1_000_000)
        (act,) = [act for act in it.seen(ContextAct) if act.layer == "cache"]
        assert (act.verb, act.reason) == (row.verb, row.reason)


async def test_warm_session_offers_a_change_with_its_price_and_sends_the_old_text(tmp_path: Path, clock: Any) -> None:
    (tmp_path / "AGENTS.md").write_text("Be brief.", encoding="utf-8")
    async with agent(tmp_path, [says("One.", written=41_000)], model=CACHED) as it:
        await it.turn("Hi.")
    (tmp_path / "AGENTS.md").write_text("Be long.", encoding="utf-8")
    clock(200)
    script = [says("Two.", read=41_000), says("Three.", read=41_100)]
    async with agent(tmp_path, script, model=CACHED, continue_last=True) as it:
        await it.turn("And?")
        await it.turn("And?")
        assert all("Be brief." in request.system_stable for request in it.provider.requests)
        offers = [text for text in it.notices if "AGENTS.md changed" in text]
        assert len(offers) == 1, "an offer is made once"
        assert "applies at the next compaction; now with /reload (re-reads ~41k tokens, $0.47)" in offers[0]
        assert "nothing changed" not in (await typed(it, "/reload now")).text
        assert "nothing changed" in (await typed(it, "/reload")).text


async def test_surely_cold_resume_takes_the_change_in_at_once(tmp_path: Path, clock: Any) -> None:
    (tmp_path / "AGENTS.md").write_text("Be brief.", encoding="utf-8")
    async with agent(tmp_path, [says("One.", written=41_000)], model=CACHED) as it:
        await it.turn("Hi.")
    (tmp_path / "AGENTS.md").write_text("Be long.", encoding="utf-8")
    clock(301)
    async with agent(tmp_path, [says("Two.", written=41_000)], model=CACHED, continue_last=True) as it:
        await it.turn("And?")
        assert "Be long." in it.provider.requests[0].system_stable
        assert any("AGENTS.md changed: applied" in text for text in it.notices)


async def test_return_after_the_lifetime_says_what_it_costs_before_the_send(tmp_path: Path, clock: Any) -> None:
    script = [says("One.", written=150_000), says("Two.", read=150_000), says("Three.", written=150_000)]
    async with agent(tmp_path, script, model=CACHED) as it:
        await it.turn("Hi.")
        clock(60)
        await it.turn("Go on.")
        clock(61 * 60)
        await it.turn("Back.")
        cold, expired = cache_acts(it)
        assert (cold.verb, cold.tokens_before) == ("cold", 150_000)
        assert "this call writes 150,000 tokens again, $1.73 more" in cold.reason
        assert cold.cost_usd == pytest.approx(150_000 * 11.5 / 1_000_000)
        assert expired.verb == "expired"
        assert expired.reason == "expired: 61 min since the last call"
        events = [type(event).__name__ + getattr(event, "verb", "") for event in it.events]
        assert events.index("ContextActcold") < len(events) - events[::-1].index("StepStarted") - 1


async def test_causes_survive_a_restart_and_a_first_call_gives_no_verdict(tmp_path: Path) -> None:
    async with agent(tmp_path, [says("One.", read=8_000, written=900)], model=CACHED) as it:
        await it.turn("Hi.")
        assert cache_acts(it) == []
    other = msgspec.structs.replace(CACHED, id="other")
    async with agent(tmp_path, [says("Two.", written=9_000)], model=other, continue_last=True) as it:
        await it.turn("Go on.")
        (row,) = cache_acts(it)
        assert "model scripted/script -> scripted/other" in row.reason
        data = it.session.deps.requests.cache_report().as_data()
        assert [call["read"] for call in data["calls"]] == [8_000, 0]
        assert [found["call"] for found in data["breaks"]] == [2]


async def test_history_rewritten_by_a_compaction_is_named_as_such(tmp_path: Path) -> None:
    long = "word " * 10_000
    script = [says(long, read=20_000 * number, written=20_000) for number in range(6)]
    summary = says("A summary of the talk so far: nothing is open.", read=2_000)
    async with agent(tmp_path, script, model=CACHED, forever=summary) as it:
        for _ in range(6):
            await it.turn("Go on.")
        assert "Compacted" in await it.session.compact()
        await it.turn("Next.")
        row = cache_acts(it)[-1]
        assert "rewritten by compaction" in row.reason


async def test_provider_that_reports_nothing_is_told_apart_from_zero(tmp_path: Path) -> None:
    silent = Step("Hm.", usage=Usage(input=900, output=5, cache_reported=False))
    async with agent(tmp_path, [silent, silent], model=CACHED) as it:
        await it.turn("Hi.")
        await it.turn("Go on.")
        assert cache_acts(it) == []
        report = it.session.deps.requests.cache_report()
        assert report.session_share is None
        assert "not reported" in report.as_text()
        assert report.as_data()["calls"][0]["read"] is None


def test_word_of_the_provider_is_read_from_either_api() -> None:
    anthropic = {"cache_miss_reason": {"type": "system_changed", "cache_missed_input_tokens": 900}}
    openai = {"type": "cache_miss", "reason": "tools_changed", "cache_missed_tokens": 900}
    assert [provider_reason(said) for said in (anthropic, openai)] == ["system_changed", "tools_changed"]
    assert [provider_reason(said) for said in ({"cache_miss_reason": None}, {"type": "cache_hit"}, {})] == ["", "", ""]


async def test_cache_table_and_its_data_agree(tmp_path: Path) -> None:
    script = [says("One.", written=1_000), says("Two.", read=1_000, written=90), says("Three.", read=1_090)]
    async with agent(tmp_path, script, model=CACHED) as it:
        for prompt in ("Hi.", "Go on.", "And on."):
            await it.turn(prompt)
        report = it.session.deps.requests.cache_report()
        data = report.as_data()
        assert data["session"]["hit_share"] == pytest.approx(2_090 / (1_010 + 1_100 + 1_100))
        assert data["session"]["saved_usd"] == pytest.approx((2_090 * 9 - 1_090 * 2.5) / 1_000_000)
        text = (await typed(it, "/cache")).text
        assert "1,090" in text
        assert f"session {data['session']['hit_share'] * 100:.0f} %" in text
        assert '"hit_share"' in (await typed(it, "/cache json")).text


async def test_a_made_result_is_one_row_however_often_it_is_sent(tmp_path: Path) -> None:
    async with agent(tmp_path, ["One.", "Two.", "Three."]) as it:
        from openclaw_tui.messages import AssistantMessage, ToolCallBlock

        await it.turn("Hi.")
        it.session.deps.manager.append_message(
            AssistantMessage((ToolCallBlock("c1", "ls", {}),), api="scripted", provider="scripted", model="script")
        )
        await it.turn("Go on.")
        await it.turn("And on.")
        assert [(row.verb, row.data["count"]) for row in it.app.ledger.of_layer("repair")] == [("made", 1)]
    async with agent(tmp_path, ["Four."], continue_last=True) as it:
        await it.turn("Still there?")
        assert len(it.app.ledger.of_layer("repair")) == 1
        assert "repair made" in (await typed(it, "/events repair")).text
        assert (await typed(it, "/events nonsense")).is_error
