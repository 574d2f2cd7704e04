"""A runner with real permissions, a broker and tools that do what a test gives them."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from openclaw_tui.events import AgentEvent, ApprovalRequested, ApprovalResolved, Risk, ToolEnded, ToolStarted
from openclaw_tui.messages import ToolCallBlock, ToolDefinition, ToolResultMessage, text_of
from openclaw_tui.safety.permissions import PermissionMode, Permissions, PermissionSettings, RuleLine
from openclaw_tui.tools.approval import ApprovalBroker
from openclaw_tui.tools.base import Tool, ToolContext, ToolIntent, ToolOutcome, text_outcome
from openclaw_tui.tools.registry import Toolset
from openclaw_tui.tools.runner import StepOutcome, ToolRunner
from openclaw_tui.tools.workspace import Workspace

_SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}


@dataclass
class FakeTool:
    """A tool that does what it is given; counts how many of its calls run at once."""

    name: str
    risk: Risk = "read"
    parallel_safe: bool = True
    action: Callable[[str, ToolContext], Any] | None = None
    label: str = "Fake"
    now: int = 0
    most: int = 0
    ran: list[str] = field(default_factory=list)

    @property
    def definition(self) -> ToolDefinition:
        return ToolDefinition(self.name, "", _SCHEMA)

    def intent(self, arguments: Mapping[str, Any], workspace: Workspace) -> ToolIntent:
        paths = (workspace.resolve(arguments["text"]),) if self.risk == "write" else ()
        return ToolIntent(self.risk, f"{self.name} {arguments['text']}", paths)

    async def execute(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            text = str(arguments["text"])
            made = self.action(text, context) if self.action is not None else text
            if asyncio.iscoroutine(made):
                made = await made
            self.ran.append(text)
            return made if isinstance(made, ToolOutcome) else text_outcome(str(made))
        finally:
            self.now -= 1


@dataclass
class Bench:
    runner: ToolRunner
    broker: ApprovalBroker
    permissions: Permissions
    events: list[AgentEvent]
    stored: list[ToolResultMessage] = field(default_factory=list)

    async def run(self, *calls: ToolCallBlock) -> StepOutcome:
        return await self.runner.run(calls, self.stored.append)

    def assert_paired(self) -> None:
        started = [event.call.id for event in self.events if isinstance(event, ToolStarted)]
        ended = [event.call_id for event in self.events if isinstance(event, ToolEnded)]
        assert sorted(started) == sorted(ended)
        asked = [event.approval_id for event in self.events if isinstance(event, ApprovalRequested)]
        answered = [event.approval_id for event in self.events if isinstance(event, ApprovalResolved)]
        assert asked == answered


def make_bench(
    root: Path,
    tools: Sequence[Tool],
    *,
    mode: PermissionMode = "default",
    interactive: bool = False,
    deny: tuple[str, ...] = (),
) -> Bench:
    events: list[AgentEvent] = []
    workspace = Workspace(root)
    settings = PermissionSettings(mode, deny=tuple(RuleLine(text, "user") for text in deny))
    permissions = Permissions(settings, workspace)
    broker = ApprovalBroker(events.append, "key", interactive=interactive)
    runner = ToolRunner(Toolset(tools), workspace, permissions, broker, events.append, "key")
    return Bench(runner, broker, permissions, events)


def call_of(call_id: str, name: str, text: str = "x") -> ToolCallBlock:
    return ToolCallBlock(call_id, name, {"text": text})


def texts_of(results: Sequence[ToolResultMessage]) -> list[str]:
    return [text_of(result.content) for result in results]
