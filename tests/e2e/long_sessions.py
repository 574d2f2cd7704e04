"""The coding scenario of the strict fake as whole sessions: 60 calls, several turns, one process a turn."""

import base64
from pathlib import Path
from typing import Any

from openclaw_tui.models import ModelInfo
from tests.agent.checking import check_pairs
from tests.agent.harness import Agent, agent_on
from tests.strict_fake import StrictFake, scenarios
from tests.strict_fake.scenario_repo import make_repo
from tests.strict_fake.scenarios import Scenario, Step

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
WINDOW = 200_000


def coding(project: Path, *, calls: int = 60, turns: int = 4, seed: int = 7) -> Scenario:
    """Scenario s2 with parallel calls and thinking, and a picture that is read in each turn."""
    scenario = scenarios.build({"generator": "coding", "calls": calls, "turns": turns}, seed)
    project.mkdir(parents=True, exist_ok=True)
    make_repo(project, seed, scenario.needles)
    (project / "pixel.png").write_bytes(base64.b64decode(PIXEL))
    for turn in range(turns, 0, -1):
        first = next(at for at, step in enumerate(scenario.steps) if step.turn == turn)
        look = [{"intent": "read", "path": "pixel.png"}, {"intent": "read", "path": "README.md"}]
        scenario.steps.insert(first, Step(calls=look, thinking="The picture first.", turn=turn))
    return scenario


async def run_session(fake: StrictFake, model: ModelInfo, project: Path, prompts: list[str], **options: Any) -> Agent:
    """Every prompt in a process of its own, as far as the session can tell: it is opened anew each time."""
    last: Agent | None = None
    for number, prompt in enumerate(prompts):
        async with agent_on(fake, model, project, context_tokens=WINDOW, continue_last=number > 0, **options) as it:
            ended = await it.turn(prompt)
            assert ended.outcome == "done", it.notices
            check_pairs(it.messages)
            last = it
    assert last is not None
    return last


def refusals(fake: StrictFake) -> list[tuple[int, str | None]]:
    return [(record.n, record.error) for record in fake.refused]
