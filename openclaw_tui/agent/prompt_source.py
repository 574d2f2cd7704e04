"""Gathers what the system prompt is made of: files, tools, facts about the machine. Assembly is elsewhere.

A model that cannot call tools is told of none, and of no skills, which are there to be read.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from openclaw_tui.messages import ThinkingLevel, ToolDefinition
from openclaw_tui.models import ModelInfo
from openclaw_tui.prompt.bootstrap_files import (
    HEARTBEAT,
    SUBAGENT_FILES,
    BootstrapFile,
    BootstrapLimits,
    load_bootstrap_files,
    truncation_warning,
)
from openclaw_tui.prompt.runtime_info import detect_runtime, time_zone_name
from openclaw_tui.prompt.system_prompt import PromptInputs


@dataclass(slots=True)
class PromptSource:
    """Called once a turn. `files` keeps what was found last, for the context panel.

    `trusted` is the user's answer about the project; `notes` the folder of its notes where they lie outside it.
    `refused` gives the reason to leave a file out, or nothing; `tell` hears of each file that is, and why.
    """

    cwd: Path
    project_root: Path | None
    personal: Path | None
    limits: BootstrapLimits
    tools: Callable[[], Sequence[ToolDefinition]]
    agent_id: str = "main"
    channel: str = "tui"
    engine: Callable[[], str] = lambda: "legacy"
    skills_index: Callable[[], str] = lambda: ""
    agents_index: Callable[[], str] = lambda: ""
    extra_prompt: str = ""
    subagent: bool = False
    trusted: bool = False
    notes: Path | None = None
    refused: Callable[[Path], str] = lambda path: ""
    tell: Callable[[str], None] = lambda text: None
    custom_prompt: str = ""
    appended_prompt: str = ""
    files: list[BootstrapFile] = field(default_factory=list)

    def __call__(self, model: ModelInfo, thinking: ThinkingLevel) -> PromptInputs:
        found = load_bootstrap_files(
            self.cwd,
            project_root=self.project_root,
            personal=self.personal,
            limits=self.limits.for_window(model.context_window),
            notes=self.notes,
            refused=self.refused,
        )
        self.files[:] = [file for file in found if not self.subagent or file.name in SUBAGENT_FILES]
        for file in self.files:
            for remark in filter(None, (file.problem, *file.notes)):
                self.tell(f"{file.shown_path}: {remark}")
        loaded = [file for file in self.files if file.content]
        heartbeat = "\n".join(file.content for file in loaded if file.name == HEARTBEAT)
        runtime = detect_runtime(
            agent=self.agent_id,
            cwd=str(self.cwd),
            model=model.ref,
            thinking=thinking,
            channel=self.channel,
            engine=self.engine(),
        )
        tools = tuple(self.tools()) if model.tools else ()
        return PromptInputs(
            tools=tools,
            cwd=str(self.cwd),
            time_zone=time_zone_name(),
            runtime=runtime,
            skills_index=self.skills_index() if any(tool.name == "read" for tool in tools) else "",
            agents_index=self.agents_index(),
            context_files=tuple((file.shown_path, file.content) for file in loaded if file.name != HEARTBEAT),
            truncation_warning=truncation_warning(self.files),
            project_words=() if self.trusted else tuple(f.shown_path for f in loaded if f.origin == "project"),
            heartbeat=heartbeat,
            extra_prompt=self.extra_prompt,
            subagent=self.subagent,
            custom_prompt=self.custom_prompt,
            appended_prompt=self.appended_prompt,
        )
