"""How full the context is: one figure for meter, guard and trigger.

Measured where a provider has reported it, estimated for what was appended since. A report counts only when it is of the
model in use and younger than the latest compaction: older totals belong to a history that is no longer sent.
"""

from collections.abc import Sequence

import msgspec

from openclaw_tui.constants import CHARS_PER_TOKEN_ESTIMATE
from openclaw_tui.messages import AssistantMessage, Message
from openclaw_tui.models import ModelInfo
from openclaw_tui.tokens import Calibration, estimate_messages_tokens


class ContextSize(msgspec.Struct, frozen=True):
    """Tokens of the next request. `measured` is the part the provider reported, `estimated` the rest."""

    measured: int
    estimated: int

    @property
    def tokens(self) -> int:
        return self.measured + self.estimated

    @property
    def is_estimate(self) -> bool:
        return self.estimated > 0


def measure_context(
    messages: Sequence[Message],
    *,
    model: ModelInfo,
    fresh_from: int,
    fixed_tokens: int,
    calibration: Calibration,
    history_shortened: bool = False,
) -> ContextSize:
    """Size of a request made of `messages` and `fixed_tokens` (system prompt and tools, estimated).

    `fresh_from` is the index of the first message stored after the latest compaction. `history_shortened` says that
    old results were trimmed since the last report, which makes that report too high to be used.
    """
    last = None if history_shortened else _last_report(messages, model, fresh_from)
    if last is None:
        whole = fixed_tokens + estimate_messages_tokens(messages)
        return ContextSize(measured=0, estimated=calibration.corrected(whole))
    report = messages[last]
    assert isinstance(report, AssistantMessage)
    since = estimate_messages_tokens(messages[last + 1 :])
    return ContextSize(measured=report.usage.context_tokens, estimated=calibration.corrected(since))


def reckoned_too_low(
    messages: Sequence[Message], *, model: ModelInfo, fresh_from: int, fixed_chars: int, weights: Sequence[int]
) -> float:
    """How many times more tokens the last report counted than the guard reckons for the same messages; at least 1.

    The guard weighs characters (`weights`, one per message), four to a token; reports may tighten its lines, never
    loosen them.
    """
    last = _last_report(messages, model, fresh_from)
    if last is None:
        return 1.0
    report = messages[last]
    assert isinstance(report, AssistantMessage)
    reckoned = (fixed_chars + sum(weights[:last])) / CHARS_PER_TOKEN_ESTIMATE
    return max(1.0, report.usage.prompt_tokens / max(1.0, reckoned))


def _last_report(messages: Sequence[Message], model: ModelInfo, fresh_from: int) -> int | None:
    for index in range(len(messages) - 1, max(fresh_from, 0) - 1, -1):
        message = messages[index]
        if not isinstance(message, AssistantMessage) or message.is_partial:
            continue
        if message.usage.prompt_tokens > 0:
            same = message.provider == model.provider and message.model == model.id
            return index if same else None
    return None
