"""A long session on each API, and its continuation on each of the others: nothing is ever refused."""

import asyncio
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

import pytest

from openclaw_tui.events import MessageEnded
from openclaw_tui.messages import ImageBlock, ThinkingBlock
from openclaw_tui.models import ApiName, ModelInfo
from tests.agent.harness import APIS, Agent, agent_on, served
from tests.e2e.long_sessions import WINDOW, coding, refusals, run_session
from tests.strict_fake import StrictFake


@pytest.mark.parametrize("first", list(APIS))
async def test_long_session_is_never_refused_there_nor_on_any_other_api(tmp_path: Path, first: ApiName) -> None:
    project = tmp_path / "project"
    scenario = coding(project)
    async with StrictFake(scenario, repo=project) as fake:
        it = await run_session(fake, APIS[first], project, scenario.prompts)
        assert refusals(fake) == []
        assert sum(len(record.calls) for record in fake.main) >= 60
        blocks = [block for message in it.messages for block in message.content]
        assert any(isinstance(block, ImageBlock) for block in blocks)
        if first != "openai-chat":  # a plain chat server returns no reasoning
            assert any(isinstance(block, ThinkingBlock) for block in blocks)
    for second in [api for api in APIS if api != first]:
        await _goes_on(project, it.session.session_id, second)


async def _goes_on(project: Path, session_id: str, second: ApiName) -> None:
    """In a copy: one turn on the other API, then one more after a resume."""
    scenario = coding(project, calls=6, turns=2, seed=11)
    async with StrictFake(scenario, repo=project) as fake:
        model = APIS[second]
        async with agent_on(fake, model, project, context_tokens=WINDOW, resume=session_id, fork=True) as it:
            before = len(it.messages)
            assert (await it.turn(scenario.prompts[0])).outcome == "done", it.notices
            assert before > 20
        copy = it.session.session_id
        async with agent_on(fake, model, project, context_tokens=WINDOW, resume=copy) as it:
            assert (await it.turn(scenario.prompts[1])).outcome == "done", it.notices
        assert (second, refusals(fake)) == (second, [])
        assert sum(len(record.calls) for record in fake.main) >= 6


async def test_there_and_back_again_through_all_four(tmp_path: Path) -> None:
    """One session that changes its API with every turn, twice round."""
    project = tmp_path / "project"
    scenario = coding(project, calls=24, turns=8, seed=5)
    apis = [*APIS.values(), *reversed(APIS.values())]
    async with StrictFake(scenario, repo=project) as fake:
        for number, (model, prompt) in enumerate(zip(apis, scenario.prompts, strict=True)):
            async with agent_on(fake, model, project, context_tokens=WINDOW, continue_last=number > 0) as it:
                assert (await it.turn(prompt)).outcome == "done", it.notices
        assert refusals(fake) == []


async def test_model_changed_in_the_middle_of_a_turn(tmp_path: Path) -> None:
    """After every step another API goes on, in one turn and one process."""
    project = tmp_path / "project"
    scenario = coding(project, calls=16, turns=2, seed=3)
    async with StrictFake(scenario, repo=project) as fake:
        async with agent_on(fake, APIS["anthropic"], project, context_tokens=WINDOW) as it:
            models = cycle([served(model, fake) for model in APIS.values()])
            watching = asyncio.create_task(_switch_with_every_answer(it, models))
            for prompt in scenario.prompts:
                assert (await it.turn(prompt)).outcome == "done", it.notices
            watching.cancel()
        assert refusals(fake) == []
        assert len({record.protocol for record in fake.main}) == len(APIS)


async def _switch_with_every_answer(it: Agent, models: Iterator[ModelInfo]) -> None:
    async for event in it.session.subscribe():
        if isinstance(event, MessageEnded):
            it.session.set_model(next(models))
