"""What a server tells of its window, by asking and by refusing, holds for the session."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from openclaw_tui.errors import ProviderContextOverflow, ProviderUnavailable
from openclaw_tui.events import CompactionEnded
from openclaw_tui.models import ModelInfo
from openclaw_tui.providers.base import ProviderRequest
from openclaw_tui.providers.scripted import Step
from tests.agent.harness import SCRIPTED, Agent, agent

GUESSED = msgspec.structs.replace(SCRIPTED, window_source="assumed", context_window=32_000)
HERE = msgspec.structs.replace(GUESSED, base_url="http://127.0.0.1:9/v1")
WORDS = "The harbour master wrote down which boats had left in the morning. " * 120


class Server:
    """Tells the limits in its list one after the other; None stands for a server that does not answer."""

    def __init__(self, told: Sequence[ModelInfo | None]) -> None:
        self._told = iter(told)
        self.asked = 0

    async def __call__(self, model: ModelInfo) -> ModelInfo:
        self.asked += 1
        told = next(self._told)
        if told is None:
            raise ProviderUnavailable("no answer")
        return told


def knows(it: Agent, server: Server) -> None:
    requests = it.session.deps.requests
    requests.models = msgspec.structs.replace(requests.models, live_limits=server)


def told(model: ModelInfo, **more: Any) -> ModelInfo:
    return msgspec.structs.replace(model, context_window=65_536, window_source="server", **more)


async def test_a_server_here_that_still_loads_is_asked_again(tmp_path: Path) -> None:
    server = Server([HERE, None, told(HERE)])
    async with agent(tmp_path, forever="Yes.", model=HERE) as it:
        knows(it, server)
        for window in (32_000, 32_000, 65_536, 65_536):
            await it.turn("Hello.")
            assert it.session.deps.requests.budget.window_tokens == window
    assert server.asked == 3


async def test_a_service_elsewhere_that_tells_nothing_is_asked_once(tmp_path: Path) -> None:
    server = Server([None])
    async with agent(tmp_path, forever="Yes.", model=GUESSED) as it:
        knows(it, server)
        await it.turn("Hello.")
        await it.turn("Again.")
        assert len([text for text in it.notices if "does not tell its window" in text]) == 1
    assert server.asked == 1


async def test_a_model_whose_server_drops_tools_is_sent_none_and_the_user_is_told(tmp_path: Path) -> None:
    async with agent(tmp_path, forever="Yes.", model=HERE) as it:
        knows(it, Server([told(HERE, tools=False)]))
        await it.turn("Hello.")
        request = it.provider.requests[0]
        assert request.tools == ()
        assert "## Skills" not in request.system_stable
        assert len([text for text in it.notices if "cannot" not in text and "tool definitions" in text]) == 1


@pytest.mark.parametrize("wished", [None, 200_000])
async def test_a_window_named_in_a_refusal_beats_table_and_settings(tmp_path: Path, wished: int | None) -> None:
    small = 24_000
    wide = msgspec.structs.replace(SCRIPTED, context_window=200_000, window_source="configuration")

    def refuse_what_is_long(request: ProviderRequest) -> Step | str:
        size = sum(len(str(message.content)) for message in request.messages) // 4
        if size > small:
            return Step(error=ProviderContextOverflow("too long", tokens=size, limit=small), events_before=0)
        return "Noted. " * 20

    async with agent(tmp_path, forever=refuse_what_is_long, model=wide, context_tokens=wished) as it:
        assert it.session.deps.requests.budget.window_tokens == 200_000
        for _ in range(16):
            assert (await it.turn(WORDS)).outcome == "done"
        budget = it.session.deps.requests.budget
        assert (budget.window_tokens, budget.source) == (small, "server")
        assert [text for text in it.notices if "its window is 24,000 tokens" in text]
        refused = [act for act in it.app.ledger.of_layer("guard") if act.verb == "overflow"]
        assert len(refused) == 1
        assert all(end.ok for end in it.seen(CompactionEnded))
        it.session.set_model(wide)
        assert it.session.deps.requests.budget.window_tokens == small


async def test_a_window_named_in_a_refusal_that_is_no_smaller_changes_nothing(tmp_path: Path) -> None:
    overflow = Step(error=ProviderContextOverflow("too long", tokens=50_000, limit=1_000_000), events_before=0)
    async with agent(tmp_path, [*["Yes."] * 4, overflow], forever="A summary.") as it:
        for _ in range(5):
            await it.turn(WORDS)
        assert it.session.deps.requests.budget.window_tokens == SCRIPTED.context_window
