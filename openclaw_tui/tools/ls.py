"""`ls`: what is in a folder, in sorted order; folders end in a slash, links show where they lead."""

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from openclaw_tui.constants import LS_MAX_ENTRIES
from openclaw_tui.errors import ToolError
from openclaw_tui.events import Risk
from openclaw_tui.messages import ToolDefinition
from openclaw_tui.tools.base import ToolContext, ToolIntent, ToolOutcome, text_outcome
from openclaw_tui.tools.output import bound_output
from openclaw_tui.tools.path_hints import missing
from openclaw_tui.tools.pinned_path import pinned
from openclaw_tui.tools.terminal_text import one_line
from openclaw_tui.tools.workspace import Workspace

_DEFINITION = ToolDefinition(
    name="ls",
    summary="List a folder",
    description="List a folder, hidden entries included; folders end in /.",
    parameters={
        "type": "object",
        "properties": {"path": {"type": "string"}, "limit": {"type": "integer", "minimum": 1}},
        "additionalProperties": False,
    },
)


class LsTool:
    label = "List"
    risk: Risk = "read"
    parallel_safe = True
    definition = _DEFINITION

    def intent(self, arguments: Mapping[str, Any], workspace: Workspace) -> ToolIntent:
        path = workspace.resolve(arguments.get("path") or ".")
        return ToolIntent("read", f"List {one_line(workspace.display(path))}", paths=(path,))

    async def execute(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        path = context.workspace.resolve(arguments.get("path") or ".")
        limit = int(arguments.get("limit") or LS_MAX_ENTRIES)
        return await asyncio.to_thread(_list, path, limit, context.workspace)


def _list(path: Path, limit: int, workspace: Workspace) -> ToolOutcome:
    name = one_line(workspace.display(path))
    try:
        with pinned(path) as at:
            if not at.is_dir():
                return text_outcome(f"{name} is a file, {at.stat().st_size:,} bytes", path=str(path))
            with os.scandir(at) as entries:
                shown = sorted((_line(entry) for entry in entries), key=lambda line: (line.lower(), line))
    except FileNotFoundError:
        raise missing(path, workspace) from None
    except OSError as error:
        raise ToolError(f"cannot list {name}: {error.strerror or error}") from error
    if not shown:
        return text_outcome("(empty folder)", path=str(path), entries=0)
    lines = shown[:limit]
    if len(shown) > limit:
        lines.append(f"[{limit} of {len(shown):,} entries; raise limit, or use find with a pattern.]")
    text = bound_output("\n".join(lines), hint="use find with a pattern").text
    return text_outcome(text, path=str(path), entries=len(shown))


def _line(entry: "os.DirEntry[str]") -> str:
    name = one_line(entry.name)
    if entry.is_symlink():
        return f"{name} -> {one_line(os.readlink(entry.path))}"
    return f"{name}/" if entry.is_dir(follow_symlinks=False) else name
