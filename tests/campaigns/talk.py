"""A random but repeatable talk for campaigns, and what must hold of its history afterwards."""

import random
from collections.abc import Iterator

from openclaw_tui.errors import ProviderUnavailable
from openclaw_tui.messages import Message, ToolCallBlock, text_of
from openclaw_tui.providers.base import ProviderRequest
from openclaw_tui.providers.scripted import Step
from tests.agent.harness import APIS
from tests.transcript.legality import check_legal
from tests.transcript.preparing import prepare

_STEPS_A_TURN = 5


class Model:
    """Says things nobody has said before; `mark` makes them unique over processes."""

    def __init__(self, mark: str, chance: random.Random) -> None:
        self._mark = mark
        self._chance = chance
        self._said = 0
        self._left = 0

    def __call__(self, request: ProviderRequest) -> Step:
        self._said += 1
        if _is_summary(request):
            return Step(f"Summary {self._mark}-{self._said}: the goal is the same, the files are the same.")
        if self._left == 0:
            self._left = self._chance.randint(1, _STEPS_A_TURN)
        self._left -= 1
        return self._last() if self._left == 0 else self._step()

    def _last(self) -> Step:
        return Step(f"Answer {self._mark}-{self._said}. " + "All is done as you wished. " * 3, thinking="Concluding.")

    def _step(self) -> Step:
        chance = self._chance
        if chance.random() < 0.12:
            error = ProviderUnavailable("the connection was lost")
            self._left += 1
            return Step("Half an", error=error, events_before=chance.choice([0, 1, 2, None]))
        calls = [self._call(number) for number in range(chance.choice([1, 1, 2, 3]))]
        text = f"Step {self._mark}-{self._said}." if chance.random() < 0.7 else ""
        return Step(text, thinking="Considering." if chance.random() < 0.5 else "", calls=calls)

    def _call(self, number: int) -> ToolCallBlock:
        name, arguments = self._chance.choice(
            [
                ("ls", {}),
                ("read", {"path": "notes.txt"}),
                ("grep", {"pattern": "alpha"}),
                ("write", {"path": "notes.txt", "content": f"alpha {self._mark}-{self._said}\n"}),
                ("exec", {"command": f"echo {self._said}; sleep 0.0{self._chance.randint(1, 4)}"}),
                ("read", {}),
                ("no_such_tool", {}),
            ]
        )
        return ToolCallBlock(f"call_{self._mark}_{self._said}_{number}", name, arguments)


def _is_summary(request: ProviderRequest) -> bool:
    return not request.tools or "summar" in text_of(request.messages[-1].content).lower()[-6_000:]


def check_every_api(messages: tuple[Message, ...]) -> None:
    """What the pipeline would send of this history is legal for each of the four."""
    for model in APIS.values():
        prepared, _ = prepare(messages, model)
        check_legal(prepared, model)


def instants(chance: random.Random) -> Iterator[tuple[int, float]]:
    """Loop rounds and seconds to wait before something happens: now a matter of awaits, now of time."""
    while True:
        rounds = chance.random() < 0.6
        yield (chance.randint(0, 300), 0.0) if rounds else (0, chance.uniform(0, 0.15))
