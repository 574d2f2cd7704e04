"""Deterministic scenarios: user prompts, and one step a model reply that names intents, never a client's tool.

s1 hello; s2 coding (60 calls, 4 turns, window 200k); s3 marathon (400 calls, 8 turns, window 64k); s4 flood (outputs
of 1 to
50 MB); s5 stream (20,000 tokens of markdown). A JSON file or a dict can name a generator with other sizes, or list
prompts and steps itself.
"""

import json
import random
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.strict_fake.refusal import Json
from tests.strict_fake.scenario_repo import CONSTANTS, MODULES, WORDS, constant, module_path


@dataclass
class Needle:
    """A value whose survival matters. Kinds: user-uuid user-path user-decision tool-tail tool-mid tool-path."""

    id: str
    kind: str
    value: str
    turn: int


@dataclass
class Step:
    """One model reply; without calls it ends the turn."""

    calls: list[Json] = field(default_factory=list)
    text: str = ""
    thinking: str = ""
    turn: int = 1


@dataclass
class Scenario:
    name: str
    seed: int
    prompts: list[str]
    steps: list[Step]
    needles: list[Needle]
    opts: dict[str, Any] = field(default_factory=dict)


def build(spec: str | Json, seed: int = 7) -> Scenario:
    """`spec`: s1 … s5, a dict, or the path of a JSON file holding such a dict."""
    if isinstance(spec, str) and spec.endswith(".json"):
        spec = json.loads(Path(spec).read_text(encoding="utf-8"))
    given: Json = {"generator": spec} if isinstance(spec, str) else dict(spec)
    seed = int(given.get("seed", seed))
    name = given.get("generator", "explicit")
    makers = {
        "s1": _hello,
        "hello": _hello,
        "s2": _coding,
        "coding": _coding,
        "s3": _marathon,
        "marathon": _marathon,
        "s4": _flood,
        "flood": _flood,
        "s5": _stream,
        "stream": _stream,
        "explicit": _explicit,
    }
    if name not in makers:
        raise ValueError(f"unknown scenario {name!r}: use one of {', '.join(sorted(makers))}")
    scenario = makers[name](given, seed)
    scenario.opts.update(given.get("opts", {}))
    return scenario


def _hello(_given: Json, seed: int) -> Scenario:
    step = Step(text="Hello from the bench. BENCH-DONE-1")
    return Scenario("s1", seed, ["BENCH-TURN-1: say hello."], [step], [])


def _coding(given: Json, seed: int) -> Scenario:
    work = _Work("s2", seed, sizes=(5_000, 200_000), small=0.5, thinking=given.get("thinking", True), parallel=0.12)
    return work.scenario(int(given.get("turns", 4)), int(given.get("calls", 60)), window=200_000)


def _marathon(given: Json, seed: int) -> Scenario:
    work = _Work("s3", seed, sizes=(2_000, 40_000), small=0.7, thinking=given.get("thinking", True), parallel=0.08)
    return work.scenario(int(given.get("turns", 8)), int(given.get("calls", 400)), window=64_000)


def _flood(given: Json, seed: int) -> Scenario:
    needles, steps = [], []
    for i, size in enumerate(given.get("sizes", [1_000_000, 5_000_000, 20_000_000, 50_000_000]), 1):
        needles.append(Needle(f"t:{i}", "tool-tail", _uuid(seed, f"flood{i}"), 1))
        needles.append(Needle(f"m:{i}", "tool-mid", _uuid(seed, f"floodm{i}"), 1))
        steps.append(Step(calls=[{"intent": "exec", "command": f"python3 tools/emit.py {size} {i} {i}"}]))
    steps.append(Step(text="The flood is over. BENCH-DONE-1"))
    prompts = ["BENCH-TURN-1: run the four big checks with tools/emit.py."]
    return Scenario("s4", seed, prompts, steps, needles, {"window": 200_000})


def _stream(given: Json, seed: int) -> Scenario:
    text = markdown(seed, int(given.get("tokens", 20_000)), "BENCH-DONE-1")
    opts = {"tps": float(given.get("tps", 500)), "uncapped": True}
    return Scenario("s5", seed, ["BENCH-TURN-1: write the long document."], [Step(text=text)], [], opts)


def _explicit(given: Json, seed: int) -> Scenario:
    steps = [
        Step(**{key: step[key] for key in ("calls", "text", "thinking", "turn") if key in step})
        for step in given["steps"]
    ]
    needles = [Needle(**needle) for needle in given.get("needles", [])]
    prompts = list(given.get("prompts", ["BENCH-TURN-1: go."]))
    return Scenario(given.get("name", "explicit"), seed, prompts, steps, needles)


class _Work:
    """Builds a coding session: reads, searches, edits and commands with planted output."""

    def __init__(
        self, name: str, seed: int, *, sizes: tuple[int, int], small: float, thinking: bool, parallel: float
    ) -> None:
        self.name, self.seed, self.sizes, self.small = name, seed, sizes, small
        self.thinking, self.parallel = bool(thinking), parallel
        self.rng = random.Random(f"{seed}/{name}")
        self.needles: list[Needle] = []
        self.steps: list[Step] = []
        self.edits: dict[int, int] = {}
        self.commands = 0

    def scenario(self, turns: int, calls: int, window: int) -> Scenario:
        prompts = []
        for turn in range(1, turns + 1):
            prompts.append(self._prompt(turn))
            left = calls // turns + (1 if turn <= calls % turns else 0)
            while left > 0:
                left -= self._step(turn, left)
            done = f"Turn {turn} is finished: the modules were checked. BENCH-DONE-{turn}"
            self.steps.append(Step(turn=turn, text=done))
        return Scenario(self.name, self.seed, prompts, self.steps, self.needles, {"window": window})

    def _prompt(self, turn: int) -> str:
        rng = self.rng
        ticket = _uuid(self.seed, f"user{turn}")
        path = f"config/{rng.choice(WORDS)}-{rng.randrange(10**6):06d}.toml"
        decision = f"{rng.choice(WORDS)}-{rng.choice(WORDS)}-{rng.randrange(10**5):05d}"
        self.needles.append(Needle(f"u:{turn}", "user-uuid", ticket, turn))
        self.needles.append(Needle(f"p:{turn}", "user-path", path, turn))
        self.needles.append(Needle(f"d:{turn}", "user-decision", decision, turn))
        return (
            f"BENCH-TURN-{turn}: please work on ticket {ticket}. Its settings live in {path}. Decision: name the new "
            "retry "
            f"policy {decision}. Inspect the modules under src, run the checks with tools/emit.py, and update the "
            "limits "
            "that you find out of date."
        )

    def _step(self, turn: int, left: int) -> int:
        """Append one step (an edit is preceded by its read); says how many calls were made."""
        rng = self.rng
        group = rng.randrange(2, 4) if left >= 3 and rng.random() < self.parallel else 1
        choice, module = rng.random(), rng.randrange(MODULES)
        step, before = Step(turn=turn), 0
        if self.thinking and rng.random() < 0.3:
            words = " ".join(rng.choice(WORDS) for _ in range(30))
            step.thinking = f"The next thing to check is module {module}; {words}"
        if rng.random() < 0.4:
            step.text = f"Now looking at {module_path(module)}."
        if group > 1:
            step.calls = self._several(module, group)
        elif choice < 0.28:
            step.calls = [{"intent": "read", "path": module_path(module)}]
        elif choice < 0.45:
            step.calls = [{"intent": "search", "pattern": rng.choice(WORDS), "path": "src"}]
        elif choice < 0.80 or left < 2:
            step.calls = [self._command(turn)]
        else:
            self.steps.append(Step(calls=[{"intent": "read", "path": module_path(module)}], turn=turn))
            before = 1
            step.calls = [self._edit(module)]
        self.steps.append(step)
        return before + len(step.calls)

    def _several(self, module: int, group: int) -> list[Json]:
        calls: list[Json] = []
        for k, kind in enumerate(["read", "search", "read"][:group]):
            i = (module + k) % MODULES
            search = {"intent": "search", "pattern": f"LIMIT_{i:02d}_1", "path": "src"}
            calls.append({"intent": "read", "path": module_path(i)} if kind == "read" else search)
        return calls

    def _command(self, turn: int) -> Json:
        rng = self.rng
        self.commands += 1
        ident, (low, high) = self.commands, self.sizes
        size = int(low * (high / low) ** (rng.random() * (0.5 if rng.random() < self.small else 1.0)))
        plant = rng.random()
        seed = rng.randrange(10**6)
        if plant < 0.30:
            self.needles.append(Needle(f"t:{ident}", "tool-tail", _uuid(self.seed, f"tail{ident}"), turn))
        elif plant < 0.50:
            self.needles.append(Needle(f"m:{ident}", "tool-mid", _uuid(self.seed, f"mid{ident}"), turn))
        elif plant < 0.70:
            path = f"reports/{rng.choice(WORDS)}/{rng.randrange(10**7):07d}.json"
            self.needles.append(Needle(f"r:{ident}", "tool-path", path, turn))
        return {"intent": "exec", "command": f"python3 tools/emit.py {size} {seed} {ident}"}

    def _edit(self, module: int) -> Json:
        number = self.edits.get(module, 0)
        self.edits[module] = number + 1
        old = constant(self.seed, module, number % CONSTANTS, number // CONSTANTS)
        new = constant(self.seed, module, number % CONSTANTS, number // CONSTANTS + 1)
        return {"intent": "edit", "path": module_path(module), "old": old, "new": new}


def markdown(seed: int, tokens: int, end: str) -> str:
    """About `tokens` tokens (4 characters each) of markdown with code, lists and tables, then `end`."""
    rng = random.Random(f"{seed}/md")
    sections: list[str] = []
    length = 0
    while length < tokens * 4:
        sections.append(_section(rng, len(sections) + 1))
        length += len(sections[-1])
    return "".join(sections)[: tokens * 4] + f"\n```\n\n{end}"


def _section(rng: random.Random, number: int) -> str:
    def word() -> str:
        return rng.choice(WORDS)

    parts = [f"\n## Section {number}: the {word()} and the {word()}\n"]
    for _ in range(2):
        prose = " ".join(word() for _ in range(50)).capitalize()
        parts.append(f"{prose}, see `{word()}()` and **{word()}**.\n")
    parts.append("\n".join(f"- {word()} {word()} *{word()}*" for _ in range(4)) + "\n")
    functions = (
        f"def {word()}_{number}_{k}(x: int) -> int:\n    # {word()}\n    return x * {rng.randrange(99)} + "
        f"len('{word()}')"
        for k in range(5)
    )
    parts.append("```python\n" + "\n".join(functions) + "\n```\n")
    if number % 4 == 0:
        rows = "\n".join(f"| {word()} | {rng.randrange(999)} |" for _ in range(4))
        parts.append(f"| name | value |\n|---|---|\n{rows}\n")
    return "\n".join(parts)


def _uuid(seed: int, tag: str) -> str:
    return str(uuid.UUID(int=random.Random(f"{seed}/{tag}").getrandbits(128), version=4))
