"""What a sub-agent is to be: its definition, its tools, its model. Never more than its parent has.

Reads the order, the settings and the parent; starts nothing. What cannot be given is a ToolError that names what can.
"""

from collections.abc import Callable

import msgspec

from openclaw_tui.agent.agent_files import AgentDefinition, AgentSet
from openclaw_tui.agent.session import AgentSession
from openclaw_tui.constants import SUBAGENT_MAX_CHILDREN, SUBAGENT_MAX_CONCURRENT, SUBAGENT_MAX_DEPTH
from openclaw_tui.errors import ConfigError, ToolError
from openclaw_tui.events import AgentEvent
from openclaw_tui.messages import ThinkingLevel
from openclaw_tui.models import ModelInfo
from openclaw_tui.providers.catalog import find_model
from openclaw_tui.tools.session_tools import SpawnOrder

NOT_FOR_CHILDREN = frozenset({"session_status", "update_plan"})
"""Tools whose effect is on the screen or the session of the user."""


class SubagentSettings(msgspec.Struct, frozen=True):
    """`agents.defaults.subagents`. `timeout_seconds` 0 means no limit."""

    max_depth: int = SUBAGENT_MAX_DEPTH
    max_children: int = SUBAGENT_MAX_CHILDREN
    max_concurrent: int = SUBAGENT_MAX_CONCURRENT
    timeout_seconds: float = 0.0
    model: str = ""
    thinking: ThinkingLevel | None = None


class ChildPlan(msgspec.Struct, frozen=True):
    """All that the composition needs to know of a child.

    `tools` are names, `see` hears every event of the child, `spent_elsewhere` is what the family spent beside it.
    """

    key: str
    label: str
    depth: int
    tools: tuple[str, ...]
    model: ModelInfo
    thinking: ThinkingLevel
    instructions: str
    parent: AgentSession
    call_prefix: str
    see: Callable[[AgentEvent], None]
    spent_elsewhere: Callable[[], float]


def choose_definition(name: str, definitions: Callable[[], AgentSet]) -> AgentDefinition | None:
    if not name:
        return None
    known = definitions()
    found = known.find(name)
    if found is None:
        there_are = f"there are {known.names}" if known.agents else "there are none"
        raise ToolError(f"there is no agent definition {name!r}; {there_are}. Leave `agent` out for a plain one")
    return found


def choose_tools(
    order: SpawnOrder, definition: AgentDefinition | None, parent: AgentSession, *, leaf: bool
) -> tuple[str, ...]:
    """The parent's tools, narrowed by the definition and by the order; what is none of them is named."""
    toolset = parent.deps.runner.toolset
    barred = NOT_FOR_CHILDREN | ({"sessions_spawn"} if leaf else set())
    allowed = [name for name in toolset.names if name not in barred]
    for wanted in (definition.tools if definition else None, order.tools):
        if wanted is None:
            continue
        named = {name: tool.definition.name for name in wanted if (tool := toolset.find(name)) is not None}
        unknown = [name for name in wanted if name not in named]
        if unknown and wanted is order.tools:
            raise ToolError(f"{toolset.unknown(unknown[0])}; a sub-agent can have no others")
        allowed = [name for name in allowed if name in named.values()]
    if not allowed and (order.tools or (definition and definition.tools)):
        raise ToolError(
            f"none of the tools asked for can be given to a sub-agent; there are {', '.join(toolset.names)}"
        )
    return tuple(allowed)


def choose_model(
    order: SpawnOrder, definition: AgentDefinition | None, settings: SubagentSettings, parent: AgentSession
) -> tuple[ModelInfo, ThinkingLevel]:
    """The order's model, the definition's, the configured one, the parent's: the first that is told."""
    overrides = parent.deps.requests.model_overrides
    asked = (order.model, definition.model if definition else "", settings.model)
    reference = next((name for name in asked if name), "")
    level = order.thinking or settings.thinking
    if not reference:
        return parent.model, level or parent.thinking
    try:
        model = find_model(reference, overrides)
    except ConfigError as error:
        if order.model:
            raise ToolError(f"{error}. Leave `model` out to use {parent.model.ref}") from error
        parent.deps.acts.notice_once("warning", f"sub-agent: {error}; {parent.model.ref} is used")
        return parent.model, level or parent.thinking
    if not model.tools:
        raise ToolError(f"{model.ref} cannot call tools; leave `model` out to use {parent.model.ref}")
    return model, level or model.default_thinking
