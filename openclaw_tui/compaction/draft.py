"""What a compaction is made of, and what it is before it is applied. Plain values."""

from collections.abc import Mapping
from typing import Any

import msgspec

from openclaw_tui.compaction.plan import Measure
from openclaw_tui.compaction.settings import CompactionSettings
from openclaw_tui.compaction.summarizer import SummarizerLimits
from openclaw_tui.constants import CHARS_PER_TOKEN_ESTIMATE, MAX_SUMMARY_CHARS
from openclaw_tui.errors import CompactionFailed
from openclaw_tui.messages import Message, Usage
from openclaw_tui.tokens import estimate_message_tokens


class NothingToCompact(CompactionFailed):
    """There is nothing a summary could replace; nothing was changed."""


class CompactionInput(msgspec.Struct, frozen=True):
    """`messages` as projected, each with its entry id; `fixed_tokens` are the system prompt and the tools.

    `measure` is the size of a message as it is sent. `target_tokens` is what the context may have afterwards (0: no
    limit), `current_tokens` its size now (0: the estimate counts), `fresh_from` the index of the first message stored
    after the last compaction. `force` allows a smaller tail where the configured one leaves nothing to cover;
    `must_succeed` prefers a text made without a model to a failure, since the request does not fit otherwise.
    """

    messages: tuple[Message, ...]
    settings: CompactionSettings
    limits: SummarizerLimits
    previous_summary: str = ""
    read_before: tuple[str, ...] = ()
    changed_before: tuple[str, ...] = ()
    fixed_tokens: int = 0
    fixed_parts: Mapping[str, int] = msgspec.field(default_factory=dict)
    target_tokens: int = 0
    current_tokens: int = 0
    fresh_from: int = 0
    focus: str = ""
    force: bool = False
    must_succeed: bool = False
    agents_md: str = ""
    max_summary_chars: int = MAX_SUMMARY_CHARS
    leaf_id: str = ""
    measure: Measure = estimate_message_tokens

    @property
    def is_over_target(self) -> bool:
        """Whether the context is larger now than it may be."""
        if not self.target_tokens:
            return False
        size = self.current_tokens or self.fixed_tokens + sum(self.measure(message) for message in self.messages)
        return size > self.target_tokens

    @property
    def tail_room(self) -> int | None:
        """Tokens the kept tail may take so that the compaction ends below its target; None where there is none."""
        if not self.target_tokens:
            return None
        return max(0, self.target_tokens - self.fixed_tokens - self.max_summary_chars // CHARS_PER_TOKEN_ESTIMATE)


class CompactionDraft(msgspec.Struct, frozen=True):
    """A compaction that has not been applied. `summary` may be edited (`replace`) before it is.

    `shortened`: characters that results of the kept tail may keep, by entry id. `leaf_id`: where the draft was made.
    `sealed`: the provider's own form of the summary, by `model`; an edited summary loses it.
    """

    summary: str
    first_kept_entry_id: str
    tokens_before: int
    tokens_after: int
    covered: int
    kept: int
    shortened: Mapping[str, int] = msgspec.field(default_factory=dict)
    first_covered_entry_id: str = ""
    leaf_id: str = ""
    read_files: tuple[str, ...] = ()
    changed_files: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    usage: Usage = msgspec.field(default_factory=Usage)
    cost_usd: float | None = 0.0
    calls: int = 0
    seconds: float = 0.0
    model: str = ""
    sealed: str = ""

    @property
    def details(self) -> Mapping[str, Any]:
        """What is stored beside the summary: numbers and lists, never the covered text."""
        return {
            "readFiles": list(self.read_files),
            "modifiedFiles": list(self.changed_files),
            "covered": self.covered,
            "kept": self.kept,
            "firstCovered": self.first_covered_entry_id,
            "tokensAfter": self.tokens_after,
            "missing": list(self.missing),
            "notes": list(self.notes),
            "calls": self.calls,
            "model": self.model,
            "costUsd": self.cost_usd,
            **({"sealed": True} if self.sealed else {}),
        }
