"""How much of a window may be used for what, and whether the window is large enough at all.

One record answers every question about room: what the meter divides by, where the memory flush and the compaction
start, what an answer may take. Every trigger lies above what a compaction leaves behind, or the check says so before
anything is sent; otherwise a session would compact for ever.
"""

from collections.abc import Mapping

import msgspec

from openclaw_tui.constants import (
    CHARS_PER_TOKEN_ESTIMATE,
    DEFAULT_CONTEXT_TOKENS,
    KEEP_RECENT_MAX_SHARE,
    KEEP_RECENT_TOKENS,
    MAX_SUMMARY_CHARS,
    MEMORY_FLUSH_MAX_SHARE,
    MEMORY_FLUSH_SOFT_THRESHOLD_TOKENS,
    MIN_CONTEXT_TOKENS,
    OUTPUT_MARGIN_SHARE,
    RESERVE_MAX_SHARE,
    RESERVE_MIN_SHARE,
    RESERVE_TOKENS,
    SUMMARY_MAX_SHARE,
    WARN_CONTEXT_TOKENS,
)
from openclaw_tui.errors import ConfigError
from openclaw_tui.models import ModelInfo, WindowSource
from openclaw_tui.tokens import Calibration


class ContextBudget(msgspec.Struct, frozen=True):
    """Tokens of one window and their use. `source` tells where the window's size is known from.

    `max_output` is the most one answer may take (0 = no limit known), `max_input` what a prompt may fill at most where
    the provider says less than the window.
    """

    window_tokens: int
    source: WindowSource
    reserve_tokens: int
    keep_recent_tokens: int
    flush_soft_tokens: int
    summary_tokens: int
    max_output: int = 0
    max_input: int | None = None

    @property
    def usable_tokens(self) -> int:
        """What a prompt may fill: the window without the reserve. Meters divide by this."""
        room = self.window_tokens - self.reserve_tokens
        return room if self.max_input is None else min(room, self.max_input)

    @property
    def trigger_tokens(self) -> int:
        """A prompt above this is compacted before the next call."""
        return self.usable_tokens

    @property
    def flush_trigger_tokens(self) -> int:
        """A prompt above this writes durable notes to memory first."""
        return self.trigger_tokens - self.flush_soft_tokens

    def after_compaction_tokens(self, fixed_tokens: int) -> int:
        """What a compaction leaves: system prompt and tools, the summary, and the tail kept word for word."""
        return fixed_tokens + self.summary_tokens + self.keep_recent_tokens

    def output_tokens(self, prompt_tokens: int) -> int:
        """Tokens the answer may take: never more than the window has left beside the prompt, with a margin."""
        margin = max(1, int(prompt_tokens * OUTPUT_MARGIN_SHARE))
        left = max(1, self.window_tokens - prompt_tokens - margin)
        return min(left, self.max_output) if self.max_output > 0 else min(left, self.reserve_tokens)


def resolve_window(configured: int | None, model: ModelInfo, live: int | None = None) -> tuple[int, WindowSource]:
    """Window in tokens and its source: configuration, else the running server, else the catalogue, else assumed."""
    if configured is not None and configured > 0:
        return configured, "configuration"
    if live is not None and live > 0:
        return live, "server"
    if model.context_window > 0:
        return model.context_window, model.window_source
    return DEFAULT_CONTEXT_TOKENS, "assumed"


def context_budget(
    model: ModelInfo,
    *,
    configured_window: int | None = None,
    live_window: int | None = None,
    reserve_tokens: int = RESERVE_TOKENS,
    keep_recent_tokens: int = KEEP_RECENT_TOKENS,
    flush_soft_tokens: int = MEMORY_FLUSH_SOFT_THRESHOLD_TOKENS,
    max_output: int | None = None,
) -> ContextBudget:
    """The budget of a model: each wish is bounded by its share of the window, so that small windows work too."""
    window, source = resolve_window(configured_window, model, live_window)
    reserve = min(max(reserve_tokens, int(window * RESERVE_MIN_SHARE)), int(window * RESERVE_MAX_SHARE))
    limits = [limit for limit in (max_output, model.max_output) if limit is not None and limit > 0]
    return ContextBudget(
        window_tokens=window,
        source=source,
        reserve_tokens=reserve,
        keep_recent_tokens=min(keep_recent_tokens, int(window * KEEP_RECENT_MAX_SHARE)),
        flush_soft_tokens=min(flush_soft_tokens, int(window * MEMORY_FLUSH_MAX_SHARE)),
        summary_tokens=min(MAX_SUMMARY_CHARS // CHARS_PER_TOKEN_ESTIMATE, int(window * SUMMARY_MAX_SHARE)),
        max_output=min(limits, default=0),
        max_input=model.max_input,
    )


def guard_window(budget: ContextBudget, calibration: Calibration) -> int:
    """The window the guard reckons with: made smaller where the server counts more than we estimate, never larger."""
    return int(budget.window_tokens / max(1.0, calibration.factor))


class WindowVerdict(msgspec.Struct, frozen=True):
    """`problem` is one line for the user when nothing can be started; `warning` one when it may become tight.

    `shortfall` is how many tokens must go before the window is large enough.
    """

    problem: str = ""
    warning: str = ""
    shortfall: int = 0

    @property
    def fits(self) -> bool:
        return not self.problem


def check_window(
    budget: ContextBudget,
    parts: Mapping[str, int],
    *,
    model: str,
    min_context_tokens: int = MIN_CONTEXT_TOKENS,
) -> WindowVerdict:
    """Whether a turn can start. `parts` are the fixed parts of each request by name, in tokens.

    Found before any call: a window under the minimum, fixed parts that fill it, and triggers that a compaction could
    never get below.
    """
    window = budget.window_tokens
    if window < min_context_tokens:
        return WindowVerdict(
            problem=f"{model} has a window of {window:,} tokens, less than the {min_context_tokens:,} needed: choose a "
            "larger model or start its server with more context (agents.defaults.minContextTokens lowers the limit)",
            shortfall=min_context_tokens - window,
        )
    left_after = budget.after_compaction_tokens(sum(parts.values()))
    shortfall = left_after - budget.flush_trigger_tokens + 1
    if shortfall > 0:
        return WindowVerdict(problem=_too_small(budget, parts, model), shortfall=shortfall)
    if window < WARN_CONTEXT_TOKENS:
        return WindowVerdict(
            warning=f"{model} has a window of only {window:,} tokens ({budget.source}): expect frequent compaction"
        )
    return WindowVerdict()


def require_window(verdict: WindowVerdict) -> None:
    """Raise ConfigError for a verdict that forbids to start."""
    if not verdict.fits:
        raise ConfigError(verdict.problem)


def _too_small(budget: ContextBudget, parts: Mapping[str, int], model: str) -> str:
    largest = sorted(parts.items(), key=lambda part: (-part[1], part[0]))[:3]
    named = ", ".join(f"{name} {tokens:,}" for name, tokens in largest)
    return (
        f"the window of {model} ({budget.window_tokens:,} tokens, {budget.source}) is too small: fixed parts take "
        f"{sum(parts.values()):,} (largest: {named}), answer {budget.reserve_tokens:,}, recent talk "
        f"{budget.keep_recent_tokens:,}, summary {budget.summary_tokens:,}; shorten bootstrap files or skills, or "
        "choose a larger model"
    )
