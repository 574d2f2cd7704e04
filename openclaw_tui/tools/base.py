"""What a tool is.

A tool gets checked arguments and a context with four required things; whatever else it needs (a process registry, the
memory index, a spawner) comes through its constructor. An expected failure is a `ToolError` and becomes an error
result; cancellation always passes through.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

import msgspec

from openclaw_tui.events import Risk
from openclaw_tui.messages import TextBlock, ToolDefinition, UserContent
from openclaw_tui.safety.permission_rules import Reach
from openclaw_tui.tools.workspace import Workspace

TYPED = "typed"
"""The `sandbox` of an exec call the user typed in person: neither asked about nor shut in. No model can give it."""


class ToolContext(msgspec.Struct, frozen=True):
    """`progress` takes a line of live output; `deadline` is a monotonic time in seconds, None for no limit."""

    workspace: Workspace
    call_id: str
    progress: Callable[[str], None]
    deadline: float | None


class ToolOutcome(msgspec.Struct, frozen=True):
    """What a tool returns. `details` is for the screen and the log only (diff, exit code, paths), never for a model.

    `full_output` is a private file that holds the whole output where `content` holds only a part of it.
    """

    content: tuple[UserContent, ...]
    is_error: bool = False
    details: Mapping[str, Any] = msgspec.field(default_factory=dict)
    full_output: Path | None = None


def text_outcome(text: str, *, is_error: bool = False, **details: Any) -> ToolOutcome:
    return ToolOutcome(content=(TextBlock(text),), is_error=is_error, details=details)


class ToolIntent(msgspec.Struct, frozen=True):
    """What a call would do, told before it does it: the basis of the permission verdict and of the question.

    `paths` are the real paths it reads or writes (resolved through the deepest existing ancestor), `command` the whole
    command line, `url` the whole address. `preview` is the text shown to the user (a diff for edits). `reach` is what a
    command gets beyond the sandbox.
    """

    risk: Risk
    title: str
    paths: tuple[Path, ...] = ()
    command: str | None = None
    url: str | None = None
    preview: str = ""
    preview_kind: str = "text"
    reach: Reach = ""


class Tool(Protocol):
    """`parallel_safe` tools of one step may run together; the others run in source order."""

    @property
    def definition(self) -> ToolDefinition: ...

    @property
    def label(self) -> str: ...

    @property
    def risk(self) -> Risk: ...

    @property
    def parallel_safe(self) -> bool: ...

    def intent(self, arguments: Mapping[str, Any], workspace: Workspace) -> ToolIntent:
        """What the call would do. Raises ToolError where it can be seen already that it cannot work."""
        ...

    async def execute(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome: ...
