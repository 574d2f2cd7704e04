"""What the next request would hold, part by part: the numbers of `/context`, of the subcommand and of the panel.

One function, so that they cannot disagree. Messages are weighed in the form in which they are sent. The total is the
measured one where the provider has reported it; the parts are estimates of the one estimator, brought to that total, so
that they always add up to it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
from msgspec.structs import replace

from openclaw_tui.agent.request_builder import RequestBuilder
from openclaw_tui.constants import CONTEXT_INPUT_HEADROOM_RATIO, PREEMPTIVE_OVERFLOW_RATIO
from openclaw_tui.context.decisions import GuardDecision, apply_decision, decision_key
from openclaw_tui.messages import AssistantMessage, Message, ToolResultMessage, UserMessage
from openclaw_tui.prompt.bootstrap_files import BootstrapFile
from openclaw_tui.tokens import estimate_message_tokens, estimate_text_tokens, estimate_tools_tokens
from openclaw_tui.transcript.incremental import IdentityMemo


class Part(msgspec.Struct, frozen=True):
    """One part of the request in wire order; `cached` says that it stands in the stable prefix."""

    name: str
    chars: int
    tokens: int
    cached: bool


@dataclass(frozen=True, slots=True)
class Breakdown:
    """Parts, files and lines of one session's next request. Tokens; the usable window is window − reserve.

    `measured_tokens` is what of the total the provider reported; `message_tokens` the uncorrected estimate of each
    message of the talk.
    """

    parts: tuple[Part, ...]
    files: tuple[BootstrapFile, ...]
    total_tokens: int
    measured_tokens: int
    window_tokens: int
    usable_tokens: int
    reserve_tokens: int
    trigger_tokens: int
    keep_recent_tokens: int
    model: str
    engine: str
    message_tokens: tuple[int, ...] = field(default=(), repr=False)

    @property
    def total_is_estimate(self) -> bool:
        return self.total_tokens > self.measured_tokens

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
                    "missing": f.missing,
                    "notes": list(f.notes),
                }
                for f in self.files
            ],
        }

    def as_text(self) -> str:
        mark = "~" if self.total_is_estimate else ""
        share = round(100 * self.total_tokens / max(1, self.usable_tokens))
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
            state = file.problem or ("missing" if file.missing else state)
            state = "; ".join([state, *file.notes])
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
    sizes = [_size(message, requests.memory.guard_decisions) for message in messages]
    parts = [
        Part(
            "tool schemas",
            sum(len(t.description) + len(str(dict(t.parameters))) for t in tools),
            estimate_tools_tokens(tools),
            True,
        ),
        Part("stable system prompt", len(prompt.stable), estimate_text_tokens(prompt.stable), True),
        Part("dynamic system prompt", len(prompt.dynamic), estimate_text_tokens(prompt.dynamic), False),
        *_talk_parts(messages, sizes),
    ]
    return Breakdown(
        parts=brought_to(parts, size.tokens),
        files=tuple(files),
        total_tokens=size.tokens,
        measured_tokens=size.measured,
        window_tokens=budget.window_tokens,
        usable_tokens=budget.usable_tokens,
        reserve_tokens=budget.reserve_tokens,
        trigger_tokens=budget.trigger_tokens,
        keep_recent_tokens=budget.keep_recent_tokens,
        model=requests.model.ref,
        engine=requests.engine.in_use,
        message_tokens=tuple(tokens for tokens, _ in sizes),
    )


def _talk_parts(messages: Sequence[Message], sizes: Sequence[tuple[int, int]]) -> list[Part]:
    sums = {name: [0, 0] for name in ("summary", "user messages", "answers", "tool results")}
    for message, (tokens, chars) in zip(messages, sizes, strict=True):
        of_kind = sums[_kind(message)]
        of_kind[0] += tokens
        of_kind[1] += chars
    return [Part(name, chars, tokens, False) for name, (tokens, chars) in sums.items()]


def _kind(message: Message) -> str:
    match message:
        case UserMessage(origin="compaction_summary"):
            return "summary"
        case UserMessage():
            return "user messages"
        case AssistantMessage():
            return "answers"
        case ToolResultMessage():
            return "tool results"


def brought_to(parts: Sequence[Part], total: int) -> tuple[Part, ...]:
    """The parts in the same proportions with this sum; what rounding leaves goes to the largest."""
    whole = sum(part.tokens for part in parts)
    if whole <= 0:
        return tuple(parts)
    sizes = [part.tokens * total // whole for part in parts]
    sizes[max(range(len(sizes)), key=sizes.__getitem__)] += total - sum(sizes)
    return tuple(replace(part, tokens=size) for part, size in zip(parts, sizes, strict=True))


_sizes: IdentityMemo[tuple[int, int]] = IdentityMemo()


def _size(message: Message, decisions: Mapping[str, GuardDecision]) -> tuple[int, int]:
    """Tokens and characters of a message in the form in which it is sent; each form is weighed once."""
    made = decisions.get(decision_key(message)) if isinstance(message, ToolResultMessage) else None
    sent = apply_decision(message, made) if made and isinstance(message, ToolResultMessage) else message
    known = _sizes.get(sent)
    if known is not None:
        return known
    chars = sum(len(getattr(block, "text", "") or getattr(block, "thinking", "")) for block in sent.content)
    return _sizes.put(sent, (estimate_message_tokens(sent), chars))
