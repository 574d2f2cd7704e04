"""What the model says: replies, calls, and the director that picks the reply of a request.

A list gives one reply a main request; the very same bytes sent again (a retry) get the same reply. A callable is
asked each
time. A scenario walks its steps, and goes on with the next turn when the client gave one up.
"""

import hashlib
import inspect
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from tests.strict_fake.exchange import Record
from tests.strict_fake.faults import Fault
from tests.strict_fake.refusal import Json, Refused
from tests.strict_fake.scenarios import Scenario
from tests.strict_fake.tool_map import ToolMap


@dataclass(frozen=True)
class Call:
    """A tool call. `args` as a str is sent verbatim, also when it is no JSON; `id` None: one is made."""

    name: str
    args: Json | str = field(default_factory=dict)
    id: str | None = None
    kind: str = "function"


class Intent:
    """What the model wants done; becomes a call of whichever tool the request advertises."""

    def __init__(self, kind: str, **fields: str) -> None:
        self.wish: Json = {"intent": kind, **fields}


@dataclass(frozen=True)
class Reply:
    """One answer. See the README for the words of `stop` and the keys of `usage`."""

    text: str = ""
    thinking: str = ""
    calls: Sequence[Call | Intent] = ()
    stop: str | None = None
    usage: Mapping[str, int] | Literal[False] | None = None
    delay: float = 0.0
    tps: float = 0.0
    fault: Fault | None = None
    chunk: int | None = None


Answerer = Callable[[Record], "Reply | str | Awaitable[Reply | str]"]
Script = Sequence["Reply | str | Answerer"] | Answerer | Scenario | str


class Director:
    """Walks a script."""

    def __init__(
        self, script: "Sequence[Reply | str | Answerer] | Answerer | Scenario", *, exhausted: str, repeat: bool
    ) -> None:
        self.script, self.exhausted, self.repeat = script, exhausted, repeat
        self.position = 0
        self.turns_done = 0
        self._last: tuple[str, int] | None = None

    async def reply(self, record: Record, tools: ToolMap) -> Reply:
        """The reply of this main request, its intents turned into calls."""
        if isinstance(self.script, Scenario):
            return self._of_scenario(self.script, record, tools)
        if callable(self.script):
            said: Reply | str | Answerer = self.script
        else:
            said = self._of_list(self.script, record)
        if callable(said):
            result = said(record)
            said = await result if inspect.isawaitable(result) else result
        reply = Reply(said) if isinstance(said, str) else said
        return replace(reply, calls=tuple(_as_call(call, tools) for call in reply.calls))

    def _of_list(self, script: "Sequence[Reply | str | Answerer]", record: Record) -> "Reply | str | Answerer":
        at = self._next(record)
        if at < len(script):
            return script[at]
        if self.exhausted == "repeat" and script:
            return script[-1]
        if self.exhausted == "done":
            return Reply("Nothing is left to do.")
        raise Refused(f"strict fake: no reply is left for main request {record.main_n} (the script has {len(script)})")

    def _next(self, record: Record) -> int:
        digest = hashlib.sha256(record.raw).hexdigest()
        if self.repeat and self._last and self._last[0] == digest:
            return self._last[1]
        at = self.position
        self.position += 1
        self._last = (digest, at)
        return at

    def _of_scenario(self, scenario: Scenario, record: Record, tools: ToolMap) -> Reply:
        steps = scenario.steps
        if self._last is None or self._last[0] != hashlib.sha256(record.raw).hexdigest():
            self._skip_abandoned_turns(scenario, record.last_user)
        at = min(self._next(record), len(steps))
        self.position = min(self.position, len(steps) + 1)
        record.figures["step"] = at
        if at >= len(steps):
            return Reply(f"Nothing is left to do. BENCH-DONE-{steps[-1].turn}")
        step = steps[at]
        if not step.calls:
            self.turns_done = max(self.turns_done, step.turn)
        calls = [call for wish in step.calls if (call := _scenario_call(wish, tools)) is not None]
        return Reply(step.text, step.thinking, calls, tps=float(scenario.opts.get("tps", 0)))

    def _skip_abandoned_turns(self, scenario: Scenario, last_user: str) -> None:
        marks = re.findall(r"BENCH-TURN-(\d+)", last_user)
        if not marks or "BENCH-SUMMARY" in last_user:
            return
        start = next((i for i, step in enumerate(scenario.steps) if step.turn == int(marks[-1])), None)
        if start is not None and start > self.position:
            self.position = start


def _scenario_call(wish: Json, tools: ToolMap) -> Call | None:
    """None when the client offers nothing that can do it (the step then has one call fewer)."""
    if "name" in wish:
        return Call(wish["name"], wish.get("args", {}))
    try:
        return _as_call(wish, tools)
    except KeyError:
        return None


def _as_call(call: "Call | Intent | Json", tools: ToolMap) -> Call:
    if isinstance(call, Call):
        return call
    wish = call.wish if isinstance(call, Intent) else call
    name, args, kind = tools.call(wish)
    return Call(name, args, kind=kind)
