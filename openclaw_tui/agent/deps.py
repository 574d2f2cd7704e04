"""What a turn works with: one record of collaborators, handed down instead of reached for."""

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from openclaw_tui.agent.acts import Acts
from openclaw_tui.agent.child_runs import ChildRuns
from openclaw_tui.agent.inbox import Inbox
from openclaw_tui.agent.limits import Limits
from openclaw_tui.agent.open_pairs import OpenPairs
from openclaw_tui.agent.output_keeper import OutputKeeper
from openclaw_tui.agent.provider_pool import ProviderPool
from openclaw_tui.agent.request_builder import RequestBuilder
from openclaw_tui.context.engine_host import EngineHost
from openclaw_tui.memory.notebook import MemoryDesk
from openclaw_tui.providers.retry import RetryPolicy
from openclaw_tui.session.manager import SessionManager
from openclaw_tui.tools.runner import ToolRunner


@dataclass(slots=True)
class AgentDeps:
    """`sleep` and `clock` are injected so that waits are testable; `clock` is wall time in seconds.

    `spent_usd` is what the whole conversation has cost so far, side calls and sub-agents included.
    """

    session_key: str
    manager: SessionManager
    emit: OpenPairs
    inbox: Inbox
    providers: ProviderPool
    runner: ToolRunner
    engine: EngineHost
    requests: RequestBuilder
    outputs: OutputKeeper
    acts: Acts
    limits: Limits
    retry: RetryPolicy
    children: ChildRuns = field(default_factory=ChildRuns)
    spent_usd: float = 0.0
    memory: MemoryDesk | None = None
    sleep: Callable[[float], Awaitable[None]] | None = None
    clock: Callable[[], float] = field(default=time.time)

    def now_ms(self) -> int:
        return int(self.clock() * 1000)
