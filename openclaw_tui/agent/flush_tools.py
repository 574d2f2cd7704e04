"""The two tools of a memory flush: read and append, on MEMORY.md and today's file only.

They carry the names of the ordinary tools, so that the request keeps the session's tool list and with it its cached
prefix; what they can do is less. Nothing can be overwritten or shortened through them.
"""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from openclaw_tui.errors import MemoryFailed, ToolError
from openclaw_tui.events import Risk
from openclaw_tui.memory.files import Written
from openclaw_tui.memory.notebook import Notebook
from openclaw_tui.messages import ToolDefinition
from openclaw_tui.tools.base import ToolContext, ToolIntent, ToolOutcome, text_outcome
from openclaw_tui.tools.workspace import Workspace, real_path

_PATH = {"path": {"type": "string"}}


class FlushReadTool:
    label = "Read notes"
    risk: Risk = "read"
    parallel_safe = False
    definition = ToolDefinition("read", "Read notes.", {"type": "object", "properties": _PATH, "required": ["path"]})

    def __init__(self, notes: Notebook) -> None:
        self._notes = notes

    def intent(self, arguments: Mapping[str, Any], workspace: Workspace) -> ToolIntent:
        return ToolIntent("read", "Read notes")

    async def execute(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        try:
            text = await asyncio.to_thread(self._notes.read, arguments["path"])
        except MemoryFailed as error:
            raise ToolError(str(error)) from error
        return text_outcome(text or "(empty)")


class FlushWriteTool:
    """`written` is what was added, in order."""

    label = "Add notes"
    risk: Risk = "write"
    parallel_safe = False
    definition = ToolDefinition(
        "write",
        "Append notes.",
        {
            "type": "object",
            "properties": {**_PATH, "content": {"type": "string"}},
            "required": ["path", "content"],
        },
    )

    def __init__(self, notes: Notebook) -> None:
        self._notes = notes
        self.written: list[Written] = []

    def intent(self, arguments: Mapping[str, Any], workspace: Workspace) -> ToolIntent:
        path = real_path(self._notes.places.root / Path(arguments["path"]))
        return ToolIntent("write", "Add notes", paths=(path,))

    async def execute(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        name = arguments["path"]
        try:
            added = await asyncio.to_thread(self._notes.add, name, arguments["content"])
        except MemoryFailed as error:
            raise ToolError(str(error)) from error
        if added is None:
            return text_outcome(f"Nothing appended: {name} holds all of it already.")
        self.written.append(added)
        return text_outcome(f"Appended content to {name}.")
