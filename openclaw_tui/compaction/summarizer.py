"""The seam to a model that writes summaries. Compaction never sees a provider; it is handed one of these."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

from openclaw_tui.errors import CompactionFailed
from openclaw_tui.messages import NO_USAGE, StopReason, Usage


class SummarizerGone(CompactionFailed):
    """No further request would help: it hangs, or there is no key or no credit for it."""


@dataclass(frozen=True, slots=True)
class SummaryRequest:
    """One call; `max_tokens` bounds the answer.

    With `in_place` the instructions follow the conversation as it was last sent, so that the cached prefix is read
    again; otherwise `text` holds the whole material and no tools are offered.
    """

    instructions: str
    text: str = ""
    in_place: bool = False
    max_tokens: int = 4096


@dataclass(frozen=True, slots=True)
class SummaryAnswer:
    """What came back. `called_tools` marks an answer that tried to act instead of summarising."""

    text: str
    stop_reason: StopReason = "stop"
    called_tools: bool = False
    usage: Usage = NO_USAGE
    cost_usd: float | None = None
    model: str = ""


Summarizer: TypeAlias = Callable[[SummaryRequest], Awaitable[SummaryAnswer]]
"""Raises ProviderError, ContextOverflow and SummarizerGone; retries of its own are its business."""


@dataclass(frozen=True, slots=True)
class SummarizerLimits:
    """What the summarising model can hold, in tokens.

    `can_read_in_place` says that the model is the session's own and its last request is at hand, so that the cached
    prefix can be used; `in_place_tokens` is how large that request is (0: not known).
    """

    context_window: int
    max_output: int
    can_read_in_place: bool = False
    in_place_tokens: int = 0
