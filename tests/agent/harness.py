"""A whole agent for tests: composed as the program composes it, with a scripted model or a strict fake behind it.

    async with agent(tmp_path, [Step(calls=[("read", {"path": "a.py"})]), "Done."]) as it:
        await it.turn("Read a.py.")
        assert it.results[0].is_error is False

Leaving the block closes the session and checks the events and the file. `reopen` goes on with the same file.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from openclaw_tui.agent.provider_pool import ProviderPool
from openclaw_tui.agent.session import AgentSession
from openclaw_tui.app.compose import App, build_app
from openclaw_tui.events import AgentEvent, Notice, TurnEnded
from openclaw_tui.messages import AssistantMessage, Message, ToolResultMessage, UserMessage
from openclaw_tui.models import ApiName, ModelInfo, Price
from openclaw_tui.options import Options
from openclaw_tui.providers.base import Provider
from openclaw_tui.providers.catalog import find_model
from openclaw_tui.providers.credentials import ApiKey, Credentials
from openclaw_tui.providers.registry import create_provider
from openclaw_tui.providers.scripted import Answer, ScriptedProvider
from tests.agent.checking import check_events, check_file
from tests.strict_fake import StrictFake

E = TypeVar("E", bound=AgentEvent)
WINDOW = 40_000
NO_FLUSH = "agents.defaults.compaction.memoryFlush.enabled=false"
"""Notes before a compaction are a model call more; tests that are not about them go without."""
PRICE = Price(input=10, output=50, cache_read=1, cache_write=12.5)
SCRIPTED = ModelInfo("scripted", "script", "scripted", context_window=WINDOW, max_output=4_000, price=PRICE)
CHAT = ModelInfo("gate", "model-1", "openai-chat", context_window=200_000, max_output=8_000, images=True)
APIS: dict[ApiName, ModelInfo] = {
    "anthropic": find_model("anthropic/claude-sonnet-5-5"),
    "openai-responses": find_model("openai/gpt-6.2-sol"),
    "openai-chat": CHAT,
    "google": find_model("google/gemini-4-argon"),
}


class Agent:
    """One composed session and what was seen of it."""

    def __init__(self, app: App) -> None:
        self.app = app
        self.session: AgentSession = app.session
        self.waits: list[float] = []
        self.provider = ScriptedProvider(())
        self._subscription = app.session.subscribe()
        self._events: list[AgentEvent] = []
        app.session.deps.sleep = self._sleep

    async def _sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        await asyncio.sleep(0)

    @property
    def events(self) -> list[AgentEvent]:
        self._events += self._subscription.drain()
        return self._events

    def seen(self, kind: type[E]) -> list[E]:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def path(self) -> Path:
        path = self.session.deps.manager.path
        assert path is not None
        return path

    @property
    def stored(self) -> list[dict[str, Any]]:
        """The messages as they stand in the file now."""
        lines = self.path.read_text(encoding="utf-8").splitlines()
        return [record["message"] for record in map(json.loads, lines) if record["type"] == "message"]

    @property
    def messages(self) -> tuple[Message, ...]:
        return self.session.deps.manager.project().messages

    @property
    def results(self) -> list[ToolResultMessage]:
        return [message for message in self.messages if isinstance(message, ToolResultMessage)]

    @property
    def answers(self) -> list[AssistantMessage]:
        return [message for message in self.messages if isinstance(message, AssistantMessage)]

    @property
    def prompts(self) -> list[UserMessage]:
        return [message for message in self.messages if isinstance(message, UserMessage)]

    @property
    def notices(self) -> list[str]:
        return [notice.text for notice in self.seen(Notice)]

    async def turn(self, text: str, **more: Any) -> TurnEnded:
        """Send and wait until everything is done; the last turn's end."""
        self.session.prompt(text, **more)
        await self.rest()
        return self.seen(TurnEnded)[-1]

    async def rest(self) -> None:
        async with asyncio.timeout(30):
            await self.session.wait_idle()

    async def until(self, holds: Callable[[AgentEvent], bool]) -> AgentEvent:
        """The first event, old or new, for which `holds` is true."""
        async with asyncio.timeout(30):
            while True:
                found = next((event for event in self.events if holds(event)), None)
                if found is not None:
                    return found
                await asyncio.sleep(0.001)

    async def until_seen(self, kind: type[E]) -> E:
        event = await self.until(lambda event: isinstance(event, kind))
        assert isinstance(event, kind)
        return event

    def use(self, model: ModelInfo, make: Callable[[ModelInfo], Provider]) -> None:
        """Talk to this model from now on, as if the session had been composed with it."""
        deps = self.session.deps
        deps.providers = ProviderPool(make)
        deps.requests.use_model(model, model.default_thinking)

    def check(self) -> None:
        check_events(self.events)
        if self.session.deps.manager.path is not None and self.path.exists():
            check_file(self.path)


def compose(project: Path, *, interactive: bool = False, mode: str = "bypassPermissions", **options: Any) -> Agent:
    project.mkdir(parents=True, exist_ok=True)
    config = (NO_FLUSH, *options.pop("config", ()))
    given = {"cwd": project, "model": "offline/guide", "permission_mode": mode, "config": config, **options}
    return Agent(build_app(Options(**given), channel="cli", interactive=interactive))


@asynccontextmanager
async def running(it: Agent) -> AsyncIterator[Agent]:
    await it.session.start()
    try:
        yield it
    finally:
        await it.session.close()
    it.check()


@asynccontextmanager
async def agent(
    project: Path,
    script: Sequence[Answer] | ScriptedProvider = (),
    *,
    model: ModelInfo = SCRIPTED,
    forever: Answer | None = None,
    **options: Any,
) -> AsyncIterator[Agent]:
    """An agent whose model plays `script`. More options are those of the command line, and `interactive`, `mode`."""
    provider = script if isinstance(script, ScriptedProvider) else ScriptedProvider(script, forever=forever)
    async with running(compose(project, **options)) as it:
        it.provider = provider
        it.use(model, lambda _: provider)
        yield it


def served(model: ModelInfo, fake: StrictFake) -> ModelInfo:
    urls = {"anthropic": fake.url_anthropic, "google": fake.url_gemini}
    return msgspec.structs.replace(model, base_url=urls.get(model.api, fake.url_openai))


@asynccontextmanager
async def agent_on(
    fake: StrictFake, model: ModelInfo, project: Path, *, idle_seconds: float | None = 10, **options: Any
) -> AsyncIterator[Agent]:
    """An agent that speaks to the strict fake over the API of `model`."""
    at = served(model, fake)
    key = Credentials(ApiKey("test-key"))
    async with running(compose(project, **options)) as it:
        it.use(at, lambda wanted: create_provider(wanted, key, idle_seconds=idle_seconds))
        yield it
