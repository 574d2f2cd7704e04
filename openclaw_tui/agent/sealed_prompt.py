"""The stable system text and tool list of a session, sealed so that its prefix keeps its bytes.

Sealed at the first request and stored as a `custom` entry; a resumed session sends the stored text, so its requests
are byte-equal to those before the exit. What changed since (an edited AGENTS.md, a new tool) is noticed and waits: it
enters at the next compaction or on the user's word, when the prefix is paid for again anyway.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from openclaw_tui.messages import ToolDefinition
from openclaw_tui.prompt.stability import order_tools, tool_schema_digest
from openclaw_tui.session.custom_types import SEALED_PROMPT
from openclaw_tui.session.entries import CustomEntry
from openclaw_tui.session.manager import SessionManager


class SealedPrompt(msgspec.Struct, frozen=True):
    """What every request of the session begins with."""

    stable: str
    tools: tuple[ToolDefinition, ...]

    @classmethod
    def fresh(cls, stable: str, tools: Iterable[ToolDefinition]) -> "SealedPrompt":
        """A prompt as it would be sealed now."""
        return cls(stable=stable, tools=tuple(order_tools(tools)))

    def sends_the_same_as(self, other: "SealedPrompt") -> bool:
        """Whether both put the same bytes on the wire; the summaries of tools are not sent."""
        return self.stable == other.stable and _schemas(self) == _schemas(other)


class PromptSeal:
    """Holds the sealed prompt of one session."""

    def __init__(self, manager: SessionManager) -> None:
        self._manager = manager
        self._sealed = _stored(manager)

    @property
    def current(self) -> SealedPrompt | None:
        return self._sealed

    def put(self, prompt: SealedPrompt) -> SealedPrompt:
        """Seal a prompt: it is on disk before anything is sent with it."""
        self._sealed = prompt
        self._manager.append_custom(SEALED_PROMPT, _as_data(prompt))
        return prompt


def _schemas(prompt: SealedPrompt) -> list[str]:
    return [tool_schema_digest(tool) for tool in prompt.tools]


def _as_data(prompt: SealedPrompt) -> dict[str, Any]:
    tools = [
        {
            "name": tool.name,
            "description": tool.description,
            "parameters": dict(tool.parameters),
            "summary": tool.summary,
        }
        for tool in prompt.tools
    ]
    return {"stable": prompt.stable, "tools": tools}


def _stored(manager: SessionManager) -> SealedPrompt | None:
    """The latest sealed prompt of the active branch that can be read."""
    for entry in reversed(manager.branch()):
        if isinstance(entry, CustomEntry) and entry.custom_type == SEALED_PROMPT:
            prompt = _from_data(entry.data)
            if prompt is not None:
                return prompt
    return None


def _from_data(data: object) -> SealedPrompt | None:
    if not isinstance(data, Mapping) or not isinstance(data.get("stable"), str):
        return None
    tools = data.get("tools")
    if not isinstance(tools, list) or not all(isinstance(tool, Mapping) and tool.get("name") for tool in tools):
        return None
    return SealedPrompt(
        stable=data["stable"],
        tools=tuple(
            ToolDefinition(
                name=str(tool["name"]),
                description=str(tool.get("description", "")),
                parameters=dict(tool.get("parameters", {})),
                summary=str(tool.get("summary", "")),
            )
            for tool in tools
        ),
    )
