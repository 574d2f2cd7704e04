"""The sub-agents of one session: which run, how they ended, what they used, and how all of them are stopped.

Bookkeeping only; starting them is `subagents`. Invariants: `Crowd.running` counts every child of the whole tree that
has been admitted and has not ended; what a child spends is added to its parent's sum at once, and so on up the tree.
"""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from openclaw_tui.constants import SUBAGENT_LOG_LINES, SUBAGENTS_REMEMBERED
from openclaw_tui.messages import NO_USAGE, Usage

RunStatus: TypeAlias = Literal["running", "completed", "failed", "stopped", "timed out"]


@dataclass(slots=True)
class Crowd:
    """Shared by a whole tree of agents."""

    running: int = 0


@dataclass(slots=True)
class ChildRun:
    """One child. `outcome` is what its status will be when it has ended, `answer` its last text.

    `stop` ends its turn in order, and with it its own children; `spent` tells what it has cost so far, `counted_usd` is
    the part of it that its parent knows of. `number` is how people call it; `tell` gives it a word of the user's, False
    when it works no more; `log` is what it did, a line each. `killed` is the user's doing, and the parent is told.
    """

    key: str
    label: str
    call_id: str
    session_id: str = ""
    status: RunStatus = "running"
    outcome: RunStatus = "stopped"
    reason: str = ""
    answer: str = ""
    steps: int = 0
    usage: Usage = NO_USAGE
    cost_usd: float | None = 0.0
    counted_usd: float = 0.0
    waited_for: bool = True
    started: float = field(default_factory=time.monotonic)
    seconds: float = 0.0
    stopping: bool = False
    stop: Callable[[], Awaitable[None]] | None = None
    spent: Callable[[], float] | None = None
    task: asyncio.Task[None] | None = None
    number: int = 0
    killed: bool = False
    tell: Callable[[str], bool] | None = None
    log: deque[str] = field(default_factory=lambda: deque(maxlen=SUBAGENT_LOG_LINES))

    @property
    def is_over(self) -> bool:
        return self.status != "running"

    @property
    def mark(self) -> str:
        """What sets its call ids apart from those of its parent."""
        return self.key[-8:]

    def take_spent(self) -> float:
        """What it has spent since this was last asked."""
        spent = self.spent() if self.spent is not None else 0.0
        new, self.counted_usd = spent - self.counted_usd, spent
        return new


@dataclass(slots=True)
class ChildRuns:
    """`runs` in the order of their start; ended ones are kept for a while, to be listed."""

    runs: list[ChildRun] = field(default_factory=list)
    _begun: int = 0
    _uncounted: Usage = NO_USAGE
    _uncounted_usd: float | None = 0.0
    _stopping: set["asyncio.Future[None]"] = field(default_factory=set)

    @property
    def running(self) -> list[ChildRun]:
        return [run for run in self.runs if not run.is_over]

    def add(self, run: ChildRun) -> None:
        over = [old for old in self.runs if old.is_over]
        for old in over[: len(over) - SUBAGENTS_REMEMBERED]:
            self.runs.remove(old)
        self._begun += 1
        run.number = self._begun
        self.runs.append(run)

    def named(self, wanted: str) -> list[ChildRun]:
        """Who is meant by a number, a label, a session or the beginning of one, or the end of a key."""
        plain = wanted.removeprefix("#")
        exact = [run for run in self.runs if plain == str(run.number) or wanted == run.label]
        return exact or [run for run in self.runs if run.session_id.startswith(wanted) or run.key.endswith(wanted)]

    async def kill(self, run: ChildRun) -> None:
        """Stop one child with its own children, on the user's word; its parent is told."""
        run.killed = True
        task = self.stop_soon(run)
        if task is not None:
            await asyncio.wait({task})

    def ended(self, run: ChildRun) -> None:
        run.status = run.outcome
        run.seconds = time.monotonic() - run.started
        self._uncounted = self._uncounted + run.usage
        known = self._uncounted_usd is not None and run.cost_usd is not None
        self._uncounted_usd = (self._uncounted_usd or 0.0) + (run.cost_usd or 0.0) if known else None

    def take_usage(self) -> tuple[Usage, float | None]:
        """What children that have ended used since this was last asked; None where a price is unknown."""
        taken = self._uncounted, self._uncounted_usd
        self._uncounted, self._uncounted_usd = NO_USAGE, 0.0
        return taken

    async def stop(self) -> None:
        """Stop every child and wait until each has put its own things in order."""
        tasks = [task for run in self.running if (task := self.stop_soon(run)) is not None]
        if tasks:
            await asyncio.wait(tasks)

    def stop_soon(self, run: ChildRun) -> "asyncio.Task[None] | None":
        """Ask a child to end; the task that ends with it."""
        if not run.stopping:
            run.stopping = True
            if run.stop is not None:
                stopping = asyncio.ensure_future(run.stop())
                self._stopping.add(stopping)
                stopping.add_done_callback(self._stopping.discard)
        return run.task
