"""Stop a scripted turn at random instants: `python -m tests.campaigns.cancel --count 1000`.

Each trial sends a prompt, sometimes steers, stops at a random await or after a random time, and checks: control is
back, events are in pairs, every call has one result, the file is valid, each API would take the history, nothing typed
is lost, the next turn works, and a reopened session is the same.
"""

import argparse
import asyncio
import os
import random
import tempfile
from collections import Counter
from pathlib import Path

from openclaw_tui.events import ApprovalRequested, TurnEnded
from openclaw_tui.messages import AssistantMessage, text_of
from openclaw_tui.tools.approval import Decision
from tests.agent.checking import check_pairs
from tests.agent.harness import Agent, agent
from tests.campaigns.talk import Model, check_every_api, instants

_TRIALS_A_SESSION = 10


async def run(folder: Path, *, count: int, seed: int) -> Counter[str]:
    """Outcomes of the stopped turns, and what the stops hit."""
    seen: Counter[str] = Counter()
    for begun in range(0, count, _TRIALS_A_SESSION):
        project = folder / f"project-{begun}"
        project.mkdir()
        (project / "notes.txt").write_text("alpha\n", encoding="utf-8")
        for number in range(begun, min(count, begun + _TRIALS_A_SESSION)):
            seen += await _trial(project, random.Random(f"{seed}/{number}"), number, reopened=number > begun)
    return seen


async def _trial(project: Path, chance: random.Random, number: int, *, reopened: bool) -> Counter[str]:
    seen: Counter[str] = Counter(trials=1)
    asks = chance.random() < 0.3
    mode = "default" if asks else "bypassPermissions"
    model = Model(str(number), chance)
    async with agent(project, forever=model, continue_last=reopened, interactive=asks, mode=mode) as it:
        answering = asyncio.create_task(_answer_questions(it, chance))
        typed = await _send_and_stop(it, chance, number)
        seen[it.seen(TurnEnded)[-1].outcome] += 1
        seen["partial answers"] += any(isinstance(m, AssistantMessage) and m.is_partial for m in it.messages[-4:])
        _check(it, typed)
        ended = await it.turn(f"And now, {number}?")
        answering.cancel()
        assert ended.outcome == "done", it.notices
        _check(it, typed)
        at_exit = it.messages
    async with agent(project, ["Here."], continue_last=True) as again:
        assert again.session.deps.manager.damage is None
        assert again.messages == at_exit
        await again.turn("Still there?")
    return seen


async def _send_and_stop(it: Agent, chance: random.Random, number: int) -> list[str]:
    typed = [f"Work on it, {number}."]
    when = instants(chance)
    it.session.prompt(typed[0])
    if chance.random() < 0.3:
        await _pass(*next(when))
        typed.append(f"Mind the gap, {number}.")
        it.session.prompt(typed[1])
    await _pass(*next(when))
    await it.session.abort()
    while it.session.is_busy:  # what was queued has begun a turn of its own
        await _pass(*next(when))
        await it.session.abort()
    return typed


async def _pass(rounds: int, seconds: float) -> None:
    for _ in range(rounds):
        await asyncio.sleep(0)
    await asyncio.sleep(seconds)


async def _answer_questions(it: Agent, chance: random.Random) -> None:
    answered = 0
    while True:
        questions = it.seen(ApprovalRequested)
        for question in questions[answered:]:
            await asyncio.sleep(chance.uniform(0, 0.02))
            it.session.resolve_approval(question.approval_id, Decision(chance.choice(["once", "once", "deny"])))
        answered = len(questions)
        await asyncio.sleep(0.002)


def _check(it: Agent, typed: list[str]) -> None:
    assert not it.session.is_busy
    it.check()
    check_pairs(it.messages)
    check_every_api(it.messages)
    said = [text_of(prompt.content) for prompt in it.prompts]
    for text in typed:
        assert said.count(text) == 1, f"{text!r} was stored {said.count(text)} times"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"OPENCLAW_STATE_DIR": f"{folder}/state", "OPENCLAW_TUI_NO_LOCAL_PROBE": "1"}
        print(dict(asyncio.run(run(Path(folder), count=given.count, seed=given.seed))))


if __name__ == "__main__":
    main()
