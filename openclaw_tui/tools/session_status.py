"""`session_status`: what the session is, how full its context is, what it cost. Told by whoever knows."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from openclaw_tui.events import Risk
from openclaw_tui.messages import ToolDefinition
from openclaw_tui.tools.base import ToolContext, ToolIntent, ToolOutcome, text_outcome
from openclaw_tui.tools.terminal_text import clean_terminal_text
from openclaw_tui.tools.workspace import Workspace

_DEFINITION = ToolDefinition(
    name="session_status",
    summary="Model, context use, cost and sub-agents of this session",
    description="Model, context use, cost, compactions and sub-agents of this session. For questions about them only.",
    parameters={"type": "object", "properties": {}, "additionalProperties": False},
)


class SessionStatusTool:
    """`rows` gives name and value of each line."""

    label = "Status"
    risk: Risk = "read"
    parallel_safe = True
    definition = _DEFINITION

    def __init__(self, rows: Callable[[], Sequence[tuple[str, str]]]) -> None:
        self._rows = rows

    def intent(self, arguments: Mapping[str, Any], workspace: Workspace) -> ToolIntent:
        return ToolIntent("read", "Session status")

    async def execute(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        return text_outcome(clean_terminal_text("\n".join(f"{name}: {value}" for name, value in self._rows())))
