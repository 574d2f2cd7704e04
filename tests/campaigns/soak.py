"""A day in one process: `python -m tests.campaigns.soak --turns 5000`.

24 hours on a clock that runs as many times faster as the turns need: 5,000 turns of the real loop with real tools and
real files, answers that break off, compactions, shortened session files, background commands; the session is closed and
resumed twenty times, and every fourth time a new one begins. A scripted model answers: a server in the same process
would be measured too. There are no sub-agents. Printed: memory, descriptors, threads, children and tasks along the way.
"""

import argparse
import asyncio
import gc
import os
import random
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from openclaw_tui.agent.provider_pool import ProviderPool
from openclaw_tui.app.compose import App, build_app
from openclaw_tui.messages import ToolCallBlock
from openclaw_tui.options import Options
from openclaw_tui.providers.scripted import ScriptedProvider
from openclaw_tui.session.manager import SessionManager
from tests.campaigns.talk import Model

DAY_SECONDS = 24 * 3600
LOOKS = 20
"""How often the figures are taken, and the session is resumed; at every fourth look a new one begins."""


class Look(msgspec.Struct, frozen=True):
    """What the process holds at one time; memory in MB."""

    turn: int
    memory: float
    descriptors: int
    threads: int
    children: int
    tasks: int

    def __str__(self) -> str:
        return (
            f"turn {self.turn:>5}  {self.memory:6.1f} MB  {self.descriptors} descriptors  {self.threads} threads  "
            f"{self.children} children  {self.tasks} tasks"
        )


class Outcome(msgspec.Struct):
    """`looks` begin after the warm-up. `compactions` and `sessions` say that something happened at all."""

    looks: list[Look]
    compactions: int = 0
    sessions: int = 0
    resumed: int = 0
    unreadable: int = 0
    seconds: float = 0.0

    @property
    def growth(self) -> float:
        """Memory at the end against the first look after the warm-up (0.05 = 5 %); both where a conversation begins."""
        return self.looks[-1].memory / self.looks[0].memory - 1

    def problems(self) -> list[str]:
        first, last = self.looks[0], self.looks[-1]
        found = [f"memory grew by {self.growth:.0%}"] if self.growth > 0.10 else []
        for name in ("descriptors", "threads", "children", "tasks"):
            before, after = getattr(first, name), getattr(last, name)
            found += [f"{name} went from {before} to {after}"] if after > before + 2 else []
        found += [f"{self.unreadable} sessions do not open"] if self.unreadable else []
        return found


@contextmanager
def fast_clock(turns: int) -> Iterator[list[int]]:
    """`time.time` moves a day over the turns; the caller raises the number in the list with each turn."""
    real, passed = time.time, [0]
    time.time = lambda: real() + passed[0] * DAY_SECONDS / turns
    try:
        yield passed
    finally:
        time.time = real


def look(turn: int) -> Look:
    gc.collect()
    with open("/proc/self/statm", encoding="ascii") as file:
        pages = int(file.read().split()[1])
    children = 0
    for task in os.listdir("/proc/self/task"):
        with open(f"/proc/self/task/{task}/children", encoding="ascii") as file:
            children += len(file.read().split())
    return Look(
        turn,
        pages * os.sysconf("SC_PAGE_SIZE") / 1e6,
        len(os.listdir("/proc/self/fd")),
        threading.active_count(),
        children,
        len(asyncio.all_tasks()),
    )


class Worker(Model):
    """Edits and background commands besides what the other campaigns do."""

    def _call(self, number: int) -> ToolCallBlock:
        choices: list[tuple[str, dict[str, Any]]] = [
            ("", {}),
            ("", {}),
            ("edit", {"path": "edited.txt", "edits": [{"oldText": "alpha", "newText": "alpha"}]}),
            ("write", {"path": "edited.txt", "content": f"alpha {self._said}\n"}),
            ("exec", {"command": f"sleep 0.1; echo {self._said}", "background": True}),
        ]
        name, arguments = self._chance.choice(choices)
        return ToolCallBlock(f"call_soak_{self._said}_{number}", name, arguments) if name else super()._call(number)


class Day:
    """One project and its conversations."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.project = folder / "project"
        self.project.mkdir(parents=True)
        (self.project / "notes.txt").write_text("alpha\n" * 400, encoding="utf-8")
        self.chance = random.Random(seed)
        self.outcome = Outcome([])
        self.app: App | None = None
        self.provider = ScriptedProvider((), forever=Worker("soak", self.chance))

    async def open(self, *, resume: str | None = None) -> App:
        options = Options(
            cwd=self.project,
            resume=resume,
            model="offline/guide",
            permission_mode="bypassPermissions",
            config=("agents.defaults.contextTokens=16000", "agents.defaults.compaction.memoryFlush.enabled=false"),
        )
        app = build_app(options, channel="tui", interactive=False)
        app.session.deps.providers = ProviderPool(lambda _model: self.provider)
        await app.session.start()
        self.outcome.sessions += resume is None
        return app

    async def again(self, app: App, *, new: bool) -> App:
        """Close, and go on with the same session or begin another."""
        session_id = app.session.session_id
        await app.session.close()
        self.outcome.resumed += not new
        return await self.open(resume=None if new else session_id)

    async def turn(self, app: App, number: int) -> None:
        events = app.session.subscribe()
        app.session.prompt(f"Turn {number}: go on, and say what {number % 97} is. " + "Some more words. " * 250)
        await app.session.wait_done()
        app.session.unsubscribe(events)
        self.outcome.compactions += sum(type(event).__name__ == "CompactionEnded" for event in events.drain())
        self.provider.requests.clear()


async def soak(folder: Path, turns: int, seed: int = 1, *, progress: bool = False) -> Outcome:
    day = Day(folder, seed)
    app = await day.open()
    started, every = time.monotonic(), max(1, turns // LOOKS)
    with fast_clock(turns) as passed:
        for number in range(1, turns + 1):
            passed[0] = number
            await day.turn(app, number)
            if number % every == 0:
                new = number // every % 4 == 0
                app = await day.again(app, new=new)
                if new or day.outcome.looks:  # the first of them ends the warm-up
                    day.outcome.looks.append(look(number))
                if progress and day.outcome.looks:
                    print(day.outcome.looks[-1], file=sys.stderr, flush=True)
        sessions = app.paths.sessions
        await app.session.close()
    day.outcome.unreadable = sum(not _opens(path) for path in sessions.glob("*.jsonl"))
    day.outcome.seconds = time.monotonic() - started
    return day.outcome


def _opens(path: Path) -> bool:
    manager = SessionManager.open(path, read_only=True)
    whole = manager.damage is None
    manager.close()
    return whole


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=5_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(
            OPENCLAW_STATE_DIR=f"{folder}/state", OPENCLAW_TUI_NO_LOCAL_PROBE="1", OPENCLAW_TUI_SANDBOX__MODE="off"
        )
        outcome = asyncio.run(soak(Path(folder), options.turns, options.seed, progress=True))
    happened = f"{outcome.compactions} compactions, {outcome.sessions} sessions, resumed {outcome.resumed} times"
    print(f"{options.turns} turns in {outcome.seconds:.0f} s, {happened}")
    print(f"memory {outcome.looks[0].memory:.1f} to {outcome.looks[-1].memory:.1f} MB ({outcome.growth:+.1%})")
    for problem in outcome.problems():
        print(f"  {problem}")
    return 1 if outcome.problems() else 0


if __name__ == "__main__":
    sys.exit(main())
