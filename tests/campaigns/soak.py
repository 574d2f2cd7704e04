"""A day in one process: `python -m tests.campaigns.soak --turns 5000`.

24 hours on a clock that runs as many times faster as the turns need: 5,000 turns of the real loop with real tools and
real files, answers that break off, compactions, shortened session files, background commands; the session is closed and
resumed every few hundred turns, and now and then a new one begins. A scripted model answers, because five thousand
turns over sockets would measure the sockets. Printed: memory, descriptors, threads, children and tasks along the way.
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

import msgspec

from openclaw_tui.agent.provider_pool import ProviderPool
from openclaw_tui.app.compose import App, build_app
from openclaw_tui.options import Options
from openclaw_tui.providers.scripted import ScriptedProvider
from openclaw_tui.session.manager import SessionManager
from tests.campaigns.talk import Model

DAY_SECONDS = 24 * 3600
RESUME_EVERY = 250
NEW_EVERY = 1_000
LOOKS = 20
"""How often the figures are taken."""


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
    unreadable: int = 0
    seconds: float = 0.0

    @property
    def growth(self) -> float:
        """Most memory of the last conversation against most of the first one after the warm-up (0.05 = 5 %).

        A conversation that goes on grows by what it says (bench_start has the figure), so like is held against like.
        """
        first, last = self.looks[0].turn, self.looks[-1].turn
        if last - first < NEW_EVERY:
            return self.looks[-1].memory / self.looks[0].memory - 1
        begins = max((look.memory for look in self.looks if look.turn <= first + NEW_EVERY), default=0.0)
        ends = max((look.memory for look in self.looks if look.turn > last - NEW_EVERY), default=0.0)
        return ends / begins - 1

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


class Day:
    """One project and its conversations."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.project = folder / "project"
        self.project.mkdir(parents=True)
        (self.project / "notes.txt").write_text("alpha\n" * 400, encoding="utf-8")
        self.chance = random.Random(seed)
        self.outcome = Outcome([])
        self.app: App | None = None
        self.provider = ScriptedProvider((), forever=Model("soak", self.chance))

    async def open(self, *, resume: str | None = None) -> App:
        options = Options(
            cwd=self.project,
            resume=resume,
            model="offline/guide",
            permission_mode="bypassPermissions",
            config=("agents.defaults.contextTokens=24000", "agents.defaults.compaction.memoryFlush.enabled=false"),
        )
        app = build_app(options, channel="tui", interactive=False)
        app.session.deps.providers = ProviderPool(lambda _model: self.provider)
        await app.session.start()
        self.outcome.sessions += resume is None
        return app

    async def again(self, app: App, turn: int) -> App:
        """Close, and go on with the same session or begin another."""
        session_id = app.session.session_id
        await app.session.close()
        return await self.open(resume=None if turn % NEW_EVERY == 0 else session_id)

    async def turn(self, app: App, number: int) -> None:
        events = app.session.subscribe()
        app.session.prompt(f"Turn {number}: go on, and say what {number % 97} is. " + "Some more words. " * 10)
        await app.session.wait_done()
        app.session.unsubscribe(events)
        self.outcome.compactions += sum(type(event).__name__ == "CompactionEnded" for event in events.drain())
        self.provider.requests.clear()


async def soak(folder: Path, turns: int, seed: int = 1, *, progress: bool = False) -> Outcome:
    day = Day(folder, seed)
    app = await day.open()
    started, warm, every = time.monotonic(), max(1, turns // 5), max(1, turns // LOOKS)
    with fast_clock(turns) as passed:
        for number in range(1, turns + 1):
            passed[0] = number
            await day.turn(app, number)
            if number % RESUME_EVERY == 0 and number < turns:
                app = await day.again(app, number)
            if number >= warm and (number % every == 0 or number == turns):
                day.outcome.looks.append(look(number))
                if progress:
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
    happened = f"{outcome.compactions} compactions, {outcome.sessions} sessions"
    print(f"{options.turns} turns in {outcome.seconds:.0f} s, {happened}")
    print(f"most memory of the last conversation against that of the first: {outcome.growth:+.1%}")
    for problem in outcome.problems():
        print(f"  {problem}")
    return 1 if outcome.problems() else 0


if __name__ == "__main__":
    sys.exit(main())
