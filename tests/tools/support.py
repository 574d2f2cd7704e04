"""A workspace and a call, for the tests of the path tools."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from openclaw_tui.messages import text_of
from openclaw_tui.tools.base import Tool, ToolContext, ToolOutcome
from openclaw_tui.tools.workspace import Workspace


def context_for(root: Path, *, deadline: float | None = None) -> ToolContext:
    return ToolContext(Workspace(root), "call-1", lambda line: None, deadline)


async def call(tool: Tool, root: Path, **arguments: Any) -> ToolOutcome:
    return await tool.execute(arguments, context_for(root))


async def call_text(tool: Tool, root: Path, **arguments: Any) -> str:
    return text_of((await call(tool, root, **arguments)).content)


def call_now(tool: Tool, root: Path, arguments: Mapping[str, Any]) -> ToolOutcome:
    """For property tests, which are not coroutines."""
    return asyncio.run(tool.execute(arguments, context_for(root)))
