"""The seam to a model that writes summaries. Compaction never sees a provider; it is handed one of these."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

import msgspec

from openclaw_tui.errors import CompactionFailed
from openclaw_tui.messages import NO_USAGE, StopReason, Usage


class SummarizerGone(CompactionFailed):
    """No further request would help: it hangs, or there is no key or no credit for it."""


class SummaryRequest(msgspec.Struct, frozen=True):
    """One call; `max_tokens` bounds the answer.

    With `in_place` the instructions follow the conversation as it was last sent, so that the cached prefix is read
    again; `sealed` asks the provider to summarise that conversation itself, up to the message of the entry `before`
    (empty: all of it). Otherwise `text` holds the whole material and no tools are offered.
    """

    instructions: str
    text: str = ""
    in_place: bool = False
    sealed: bool = False
    before: str = ""
    max_tokens: int = 4096


class SummaryAnswer(msgspec.Struct, frozen=True):
    """What came back. `called_tools` marks an answer that tried to act instead of summarising.

    `sealed` is the provider's own form of the summary, whose `text` may then be empty.
    """

    text: str
    stop_reason: StopReason = "stop"
    called_tools: bool = False
    usage: Usage = NO_USAGE
    cost_usd: float | None = None
    model: str = ""
    sealed: str = ""


Summarizer: TypeAlias = Callable[[SummaryRequest], Awaitable[SummaryAnswer]]
"""Raises ProviderError, ContextOverflow and SummarizerGone; retries of its own are its business."""


class SummarizerLimits(msgspec.Struct, frozen=True):
    """What the summarising model can hold, in tokens.

    `can_read_in_place` says that the model is the session's own and its last request is at hand, so that the cached
    prefix can be used; `in_place_tokens` is how large that request is (0: not known). `can_seal`: its provider is to
    summarise by itself.
    """

    context_window: int
    max_output: int
    can_read_in_place: bool = False
    in_place_tokens: int = 0
    can_seal: bool = False
