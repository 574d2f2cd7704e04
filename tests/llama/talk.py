"""An agent as the program composes it from a settings file, whose provider is the real server."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from openclaw_tui.config.paths import resolve_paths
from openclaw_tui.events import TurnEnded
from openclaw_tui.ledger.calls import CallRow
from tests.agent.harness import Agent, compose, running
from tests.llama.server import LlamaServer

MODEL = "desk/smollm2"
TURN_SECONDS = 400
"""A prompt takes seconds on a quiet machine; the bound is for a busy one."""

_SETTINGS = """\
[agents.defaults]
minContextTokens = 2000
maxOutputTokens = 16

[models.providers.desk]
baseUrl = "{address}/v1"
api = "openai-chat"
"""


@asynccontextmanager
async def agent_at(server: LlamaServer, project: Path, **options: Any) -> AsyncIterator[Agent]:
    """`options` are those of the command line, `continue_last` among them."""
    settings = resolve_paths(project).user_config
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(_SETTINGS.format(address=server.address), encoding="utf-8")
    async with running(compose(project, model=MODEL, **options)) as it:
        yield it


async def say(it: Agent, text: str) -> TurnEnded:
    """One turn, however slow the machine is."""
    it.session.prompt(text)
    async with asyncio.timeout(TURN_SECONDS):
        await it.session.wait_idle()
    return it.seen(TurnEnded)[-1]


def rows(it: Agent) -> list[CallRow]:
    """The calls of the session, as the file beside it holds them."""
    return it.session.deps.requests.cache.calls.rows


def prose(number: int, sentences: int) -> str:
    """Plain words, about twenty tokens a sentence."""
    return (
        f"In the year {1900 + number} the harbour master wrote down which boats had left in the morning, and which of "
        "them were back before the storm. "
    ) * sentences


def odd_letters(count: int) -> str:
    """Letters this model has no words for: it counts several tokens for each, where an estimate reckons with one."""
    return "".join(chr(0xAC00 + at * 37 % 11_172) for at in range(count))
