"""What the next request would hold, part by part: the numbers of `/context`, of the subcommand and of the panel.

One function, so that they cannot disagree. Sizes are estimates of the one estimator; the total is the measured one
where the provider has reported it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from openclaw_tui.agent.request_builder import RequestBuilder
from openclaw_tui.constants import CONTEXT_INPUT_HEADROOM_RATIO, PREEMPTIVE_OVERFLOW_RATIO
from openclaw_tui.messages import AssistantMessage, Message, ToolResultMessage, UserMessage
from openclaw_tui.prompt.bootstrap_files import BootstrapFile
from openclaw_tui.tokens import estimate_message_tokens, estimate_text_tokens, estimate_tools_tokens


@dataclass(frozen=True, slots=True)
class Part:
    """One part of the request in wire order; `cached` says that it stands in the stable prefix."""

    name: str
    chars: int
    tokens: int
    cached: bool


@dataclass(frozen=True, slots=True)
class Breakdown:
    """Parts, files and lines of one session's next request. Tokens; the usable window is window − reserve."""

    parts: tuple[Part, ...]
    files: tuple[BootstrapFile, ...]
    total_tokens: int
    total_is_estimate: bool
    window_tokens: int
    usable_tokens: int
    reserve_tokens: int
    trigger_tokens: int
    keep_recent_tokens: int
    model: str
    engine: str

    def as_data(self) -> dict[str, Any]:
        return {
            "model": self.model,
            "engine": self.engine,
            "window_tokens": self.window_tokens,
            "usable_tokens": self.usable_tokens,
            "reserve_tokens": self.reserve_tokens,
            "trigger_points": self._triggers(),
            "keep_recent_tokens": self.keep_recent_tokens,
            "total": {"tokens": self.total_tokens, "estimated": self.total_is_estimate},
            "parts": [
                {"name": p.name, "chars": p.chars, "tokens": p.tokens, "estimated": True, "cached": p.cached}
                for p in self.parts
            ],
            "bootstrap_files": [
                {
                    "path": f.shown_path,
                    "raw_chars": f.raw_chars,
                    "injected_chars": f.injected_chars,
                    "cut_lines": list(f.cut_lines) if f.cut_lines else None,
                    "problem": f.problem or None,
                }
                for f in self.files
            ],
        }

    def as_text(self) -> str:
        mark = "~" if self.total_is_estimate else ""
        share = self.total_tokens * 100 // max(1, self.usable_tokens)
        lines = [
            f"next request: {mark}{self.total_tokens:,} tokens, {share} % of {self.usable_tokens:,} usable "
            f"(window {self.window_tokens:,} − reserve {self.reserve_tokens:,}) · {self.model} · engine {self.engine}",
            "",
        ]
        width = max(len(part.name) for part in self.parts)
        for part in self.parts:
            lines.append(
                f"  {part.name.ljust(width)}  ~{part.tokens:>9,} tokens  {part.chars:>10,} chars  "
                f"{'cached prefix' if part.cached else ''}".rstrip()
            )
        triggers = ", ".join(f"{name} at {tokens:,}" for name, tokens in self._triggers().items())
        lines += ["", f"lines: {triggers}"]
        for file in self.files:
            state = f"cut, lines {file.cut_lines[0]}-{file.cut_lines[1]} missing" if file.cut_lines else "whole"
            state = file.problem or state
            lines.append(f"  {file.shown_path}: {file.raw_chars:,} raw, {file.injected_chars:,} injected, {state}")
        return "\n".join(lines)

    def _triggers(self) -> dict[str, int]:
        return {
            "guard": int(self.window_tokens * CONTEXT_INPUT_HEADROOM_RATIO),
            "compaction": self.trigger_tokens,
            "overflow": int(self.window_tokens * PREEMPTIVE_OVERFLOW_RATIO),
        }


def context_breakdown(requests: RequestBuilder, files: Sequence[BootstrapFile]) -> Breakdown:
    """Measure the next request as it stands now, without sending or storing anything."""
    prompt, tools = requests.preview_prompt()
    messages = requests.manager.project().messages
    size, budget = requests.context_size(), requests.budget
    parts = [
        Part(
            "tool schemas",
            sum(len(t.description) + len(str(dict(t.parameters))) for t in tools),
            estimate_tools_tokens(tools),
            True,
        ),
        Part("stable system prompt", len(prompt.stable), estimate_text_tokens(prompt.stable), True),
        Part("dynamic system prompt", len(prompt.dynamic), estimate_text_tokens(prompt.dynamic), False),
        *(_part(name, kind) for name, kind in _kinds(messages).items()),
    ]
    return Breakdown(
        parts=tuple(parts),
        files=tuple(files),
        total_tokens=size.tokens,
        total_is_estimate=size.is_estimate,
        window_tokens=budget.window_tokens,
        usable_tokens=budget.usable_tokens,
        reserve_tokens=budget.reserve_tokens,
        trigger_tokens=budget.trigger_tokens,
        keep_recent_tokens=budget.keep_recent_tokens,
        model=requests.model.ref,
        engine=requests.engine.in_use,
    )


def _kinds(messages: Sequence[Message]) -> dict[str, list[Message]]:
    kinds: dict[str, list[Message]] = {"summary": [], "user messages": [], "answers": [], "tool results": []}
    for message in messages:
        match message:
            case UserMessage(origin="compaction_summary"):
                kinds["summary"].append(message)
            case UserMessage():
                kinds["user messages"].append(message)
            case AssistantMessage():
                kinds["answers"].append(message)
            case ToolResultMessage():
                kinds["tool results"].append(message)
    return kinds


def _part(name: str, messages: Sequence[Message]) -> Part:
    chars = sum(
        len(getattr(block, "text", "") or getattr(block, "thinking", "")) for m in messages for block in m.content
    )
    return Part(name, chars, sum(estimate_message_tokens(message) for message in messages), False)
