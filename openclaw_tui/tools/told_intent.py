"""What a call would do, asked for without telling what lies outside.

To show a change a tool looks at the file before anybody has been asked. Where that fails, the reason may quote the file
or name its neighbours; so it is passed on only where all the call named may be read without a question.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from openclaw_tui.errors import ToolArgumentsInvalid, ToolDenied, ToolError
from openclaw_tui.safety.permissions import Permissions
from openclaw_tui.tools.base import Tool, ToolIntent
from openclaw_tui.tools.workspace import Workspace


def told_intent(tool: Tool, arguments: Mapping[str, Any], workspace: Workspace, permissions: Permissions) -> ToolIntent:
    """Raises ToolError where the call cannot work, ToolDenied where the reason must not be told."""
    named: list[Path] = []
    try:
        return tool.intent(arguments, replace(workspace, resolved=named))
    except ToolArgumentsInvalid:
        raise
    except ToolError as error:
        if permissions.may_look(named):
            raise
        where = ", ".join(str(path) for path in dict.fromkeys(named))
        raise ToolDenied(
            f"Not run: {where} is outside the workspace, and the call does not fit what is there, which is not told"
            " without the user's approval. Read it first."
        ) from error
