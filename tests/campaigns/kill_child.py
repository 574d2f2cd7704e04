"""The process that works until it is killed, and writes down each thing it showed as done, after it was shown."""

import asyncio
import json
import os
import random
from pathlib import Path

from openclaw_tui.agent.broadcast import Subscription
from openclaw_tui.config.paths import resolve_paths
from openclaw_tui.events import AgentEvent, CompactionEnded, MessageEnded, ToolEnded, TurnStarted, UserMessageAdded
from openclaw_tui.messages import AssistantMessage, Message, ToolResultMessage, UserMessage, text_of
from openclaw_tui.session.listing import newest_session
from tests.agent.harness import agent
from tests.campaigns.talk import Model

_TURNS = 1_000


def has_session(project: Path) -> bool:
    """Whether there is something to go on with: a kill may come before the first entry."""
    return newest_session(resolve_paths(project, None).sessions, project) is not None


def work(project: Path, number: int, seed: float, said: Path, environment: dict[str, str]) -> None:
    """The child: turn after turn until it is killed."""
    os.environ.update(environment)
    asyncio.run(_work(project, number, random.Random(seed), said))


async def _work(project: Path, number: int, chance: random.Random, said: Path) -> None:
    out = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    async with agent(project, forever=Model(f"k{number}", chance), continue_last=has_session(project)) as it:
        teller = asyncio.create_task(_tell(it.session.subscribe(), out))
        os.write(out, b"ready\n")
        for turn in range(_TURNS):
            it.session.prompt(f"Work {number}-{turn}.")
            if chance.random() < 0.3:
                await asyncio.sleep(chance.uniform(0, 0.05))
                it.session.prompt(f"Mind {number}-{turn}.")
            await it.session.wait_idle()
            if chance.random() < 0.3:
                await it.session.compact()
        teller.cancel()


async def _tell(events: Subscription, out: int) -> None:
    async for event in events:
        thing = _thing(event)
        if thing is not None:
            os.write(out, thing.encode() + b"\n")


def _thing(event: AgentEvent) -> str | None:
    """What the user has seen as done, or said and seen accepted."""
    match event:
        case TurnStarted(message=message) | UserMessageAdded(message=message):
            return name_of(message)
        case MessageEnded(message=message, discarded=False):
            return name_of(message)
        case ToolEnded(result=result):
            return name_of(result)
        case CompactionEnded(ok=True, summary=summary):
            return json.dumps(["compaction", summary])
        case _:
            return None


def name_of(message: Message) -> str:
    match message:
        case UserMessage():
            return json.dumps(["user", text_of(message.content)])
        case AssistantMessage():
            return json.dumps(["answer", text_of(message.content), [call.id for call in message.tool_calls]])
        case ToolResultMessage(tool_call_id=call_id):
            return json.dumps(["result", call_id, text_of(message.content)])
