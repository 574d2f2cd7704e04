"""The system prompt: order of its sections, nothing else.

`build_agent_system_prompt` is pure: the same inputs give the same bytes. What may change within a session stands below
the cache boundary; the order of tools and capabilities never depends on how they were registered.
"""

from collections.abc import Sequence

import msgspec

from openclaw_tui.messages import ToolDefinition
from openclaw_tui.prompt import sections
from openclaw_tui.prompt.cache_boundary import join_at_boundary, split_at_boundary
from openclaw_tui.prompt.runtime_info import RuntimeInfo
from openclaw_tui.prompt.stability import digest, normalize_section, order_tools


class PromptInputs(msgspec.Struct, frozen=True):
    """Everything the prompt is made of, gathered beforehand.

    `context_files` are (shown path, injected content) in prompt order, `project_words` the paths of those that come
    from a folder that is not trusted; `custom_prompt` replaces the built-in identity and style (`--system-prompt`),
    `appended_prompt` follows the stable part (`--append-system-prompt`).
    """

    tools: tuple[ToolDefinition, ...]
    cwd: str
    time_zone: str
    runtime: RuntimeInfo
    skills_index: str = ""
    agents_index: str = ""
    docs: str = ""
    workspace_notes: tuple[str, ...] = ()
    context_files: tuple[tuple[str, str], ...] = ()
    truncation_warning: str = ""
    project_words: tuple[str, ...] = ()
    heartbeat: str = ""
    engine_addition: str = ""
    extra_prompt: str = ""
    subagent: bool = False
    custom_prompt: str = ""
    appended_prompt: str = ""


class SystemPrompt(msgspec.Struct, frozen=True):
    """The finished prompt in its two parts, with the digest of each."""

    stable: str
    dynamic: str

    @property
    def text(self) -> str:
        return join_at_boundary(self.stable, self.dynamic)

    @property
    def stable_digest(self) -> str:
        return digest(self.stable)

    @property
    def whole_digest(self) -> str:
        return digest(self.text)


def build_agent_system_prompt(inputs: PromptInputs) -> SystemPrompt:
    """Assemble all sections in their fixed order around the boundary."""
    stable, dynamic = build_stable_part(inputs), build_dynamic_part(inputs)
    return SystemPrompt(*split_at_boundary(join_at_boundary(stable, dynamic)))


def build_stable_part(inputs: PromptInputs) -> str:
    tools = order_tools(inputs.tools)
    if inputs.custom_prompt.strip():
        opening = [normalize_section(inputs.custom_prompt)]
        style: list[str] = []
    else:
        opening = sections.identity_section()
        style = sections.tool_call_style_section() if tools else []
    return _join(
        opening,
        sections.tooling_section(tools),
        style,
        sections.safety_section(),
        sections.skills_section(inputs.skills_index),
        sections.agents_section(inputs.agents_index, tools),
        [] if inputs.subagent else sections.memory_recall_section(tools),
        sections.recall_section(tools),
        sections.docs_section(inputs.docs),
        sections.workspace_section(inputs.workspace_notes),
        sections.time_zone_section(inputs.time_zone),
        sections.project_context_section(inputs.context_files, inputs.truncation_warning, inputs.project_words),
        [normalize_section(inputs.appended_prompt)],
    )


def build_dynamic_part(inputs: PromptInputs) -> str:
    return _join(
        [normalize_section(inputs.engine_addition)],
        sections.heartbeat_section(inputs.heartbeat),
        sections.extra_prompt_section(inputs.extra_prompt, subagent=inputs.subagent),
        sections.runtime_section(inputs.runtime),
    )


def _join(*parts: Sequence[str]) -> str:
    """Sections with a blank line between them; empty ones vanish."""
    return "\n\n".join("\n".join(line for line in part if line) for part in parts if any(part))
