"""The user's own limits hold before a request is sent, over side calls and over a resume."""

from pathlib import Path

from openclaw_tui.errors import LimitReached
from openclaw_tui.messages import Usage
from openclaw_tui.providers.scripted import Step
from tests.agent.checking import check_pairs
from tests.agent.harness import agent

_LOOP = Step(calls=[("ls", {})], usage=Usage(input=10_000, output=100))


async def test_most_model_calls(tmp_path: Path) -> None:
    async with agent(tmp_path, forever=lambda _: Step(calls=[("ls", {})]), max_turns=3) as it:
        ended = await it.turn("Go.")
        assert (ended.outcome, ended.steps, len(it.provider.requests)) == ("limit", 3, 3)
        assert isinstance(ended.error, LimitReached)
        assert "--max-turns" in str(ended.error)
        check_pairs(it.messages)


async def test_money_is_checked_before_the_request_that_would_pass_the_limit(tmp_path: Path) -> None:
    """Each call costs 0.105 dollars; the fourth would pass."""
    async with agent(tmp_path, forever=_LOOP, max_budget_usd=0.4) as it:
        ended = await it.turn("Go.")
        assert ended.outcome == "limit"
        assert it.session.deps.spent_usd <= 0.4
        assert len(it.provider.requests) == 3
        assert "spent" in it.notices[-1]


async def test_money_spent_survives_a_resume(tmp_path: Path) -> None:
    async with agent(tmp_path, [_LOOP, Step("Done.", usage=Usage(input=10_000))], max_budget_usd=0.4) as it:
        await it.turn("Go.")
        spent = it.session.deps.spent_usd
        assert spent > 0.2
    async with agent(tmp_path, forever=_LOOP, max_budget_usd=0.4, continue_last=True) as it:
        assert it.session.deps.spent_usd == spent
        ended = await it.turn("Go on.")
        assert ended.outcome == "limit"
        assert len(it.provider.requests) == 1


async def test_most_tokens(tmp_path: Path) -> None:
    async with agent(tmp_path, forever=_LOOP, max_tokens=25_000) as it:
        ended = await it.turn("Go.")
        assert ended.outcome == "limit"
        assert len(it.provider.requests) == 3


async def test_message_after_a_limit_is_still_taken(tmp_path: Path) -> None:
    async with agent(tmp_path, [Step(calls=[("ls", {})]), "Done."], max_turns=1) as it:
        assert (await it.turn("Go.")).outcome == "limit"
        assert (await it.turn("Once more.")).outcome == "done"
