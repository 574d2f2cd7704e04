"""Context pruning (opt-in): old tool results shrink once the provider's cache has expired anyway.

Between two requests that are further apart than the cache lives, rewriting old messages costs nothing extra. So it is
done then, in one large batch, and the form is kept afterwards. Only requests change, never the file. Off on
prefix-bound models, whose reasoning depends on the bytes before it.
"""

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Literal

import msgspec

from openclaw_tui.constants import CHARS_PER_TOKEN_ESTIMATE, RESULT_CLEARED_PLACEHOLDER
from openclaw_tui.context.decisions import GuardDecision, apply_decision, decision_key
from openclaw_tui.context.weights import RESULT_FACTOR, message_weight
from openclaw_tui.messages import (
    AssistantMessage,
    ImageBlock,
    Message,
    TextBlock,
    ToolResultMessage,
    UserMessage,
    text_of,
)
from openclaw_tui.report import StepReport


class PruningSettings(msgspec.Struct, frozen=True):
    """`agents.defaults.contextPruning`. Ratios are shares of the window at four characters a token."""

    mode: Literal["off", "cache-ttl"] = "off"
    ttl_seconds: float = 300.0
    keep_last_assistants: int = 3
    soft_trim_ratio: float = 0.3
    hard_clear_ratio: float = 0.5
    min_prunable_tool_chars: int = 50_000
    soft_max_chars: int = 4_000
    soft_head_chars: int = 1_500
    soft_tail_chars: int = 1_500
    hard_clear: bool = True
    placeholder: str = RESULT_CLEARED_PLACEHOLDER
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()


NO_PRUNING = PruningSettings()


def prune_context(
    messages: tuple[Message, ...],
    settings: PruningSettings,
    *,
    window_tokens: int,
    cache_age_seconds: float | None,
    decisions: Mapping[str, GuardDecision],
    result_ids: Mapping[str, str] | None = None,
    prefix_bound: bool = False,
) -> tuple[dict[str, GuardDecision], StepReport]:
    """New decisions for old tool results; the guard applies them together with those taken earlier.

    `cache_age_seconds` is the time since the cache was last touched, None where that is unknown: then nothing happens,
    as before the time to live is over. `messages` are the originals, not what earlier decisions made of them.
    """
    expired = cache_age_seconds is not None and cache_age_seconds >= settings.ttl_seconds
    if settings.mode == "off" or prefix_bound or not expired:
        return {}, StepReport("guard", {})
    work = _Work(messages, settings, decisions, result_ids or {}, window_tokens * CHARS_PER_TOKEN_ESTIMATE)
    if work.ratio >= settings.soft_trim_ratio:
        work.trim_long_ones()
    if settings.hard_clear and work.ratio >= settings.hard_clear_ratio:
        work.clear_oldest()
    kinds = [made.kind for made in work.made.values()]
    counts = {"pruned": kinds.count("pruned"), "dropped": kinds.count("dropped")}
    return work.made, StepReport("guard", {name: amount for name, amount in counts.items() if amount})


class _Work:
    def __init__(
        self,
        messages: tuple[Message, ...],
        settings: PruningSettings,
        decisions: Mapping[str, GuardDecision],
        result_ids: Mapping[str, str],
        window_chars: int,
    ) -> None:
        self._settings, self._ids, self._window_chars = settings, result_ids, max(1, window_chars)
        self._shown = [_shown(message, decisions) for message in messages]
        self._total = sum(_chars(message) for message in self._shown)
        self._prunable = {
            index: message
            for index, message in _old_results(messages, settings)
            if (made := decisions.get(decision_key(message))) is None or made.kind == "capped"
        }
        self.made: dict[str, GuardDecision] = {}

    @property
    def ratio(self) -> float:
        return self._total / self._window_chars

    def trim_long_ones(self) -> None:
        settings = self._settings
        for index, result in self._prunable.items():
            text = text_of(result.content)
            has_images = any(isinstance(block, ImageBlock) for block in result.content)
            kept = settings.soft_head_chars + settings.soft_tail_chars
            if (len(text) > settings.soft_max_chars and len(text) > kept) or has_images:
                self._decide(index, result, "pruned", settings.soft_head_chars, settings.soft_tail_chars)

    def clear_oldest(self) -> None:
        chars = sum(_chars(self._shown[index]) for index in self._prunable)
        if chars < self._settings.min_prunable_tool_chars:
            return
        for index, result in self._prunable.items():
            if self.ratio < self._settings.hard_clear_ratio:
                return
            if _chars(self._shown[index]) > len(self._note(result)):
                self._decide(index, result, "dropped", note=self._note(result))

    def _note(self, result: ToolResultMessage) -> str:
        result_id = self._ids.get(decision_key(result))
        return self._settings.placeholder + (
            f' {result_id} {result.tool_name}, recall("{result_id}")' if result_id else ""
        )

    def _decide(
        self,
        index: int,
        result: ToolResultMessage,
        kind: Literal["pruned", "dropped"],
        head: int = 0,
        tail: int = 0,
        *,
        note: str = "",
    ) -> None:
        key = decision_key(result)
        made = GuardDecision(kind, self._ids.get(key, ""), head, tail, note, len(text_of(result.content)))
        shaped = apply_decision(result, made)
        self._total += _chars(shaped) - _chars(self._shown[index])
        self._shown[index] = shaped
        self.made[key] = made


def _shown(message: Message, decisions: Mapping[str, GuardDecision]) -> Message:
    if not isinstance(message, ToolResultMessage):
        return message
    made = decisions.get(decision_key(message))
    return message if made is None else apply_decision(message, made)


def _chars(message: Message) -> int:
    """Characters, with tool results counted once: pruning follows the second article, four characters a token."""
    weight = message_weight(message)
    if not isinstance(message, ToolResultMessage):
        return weight
    return weight - (RESULT_FACTOR - 1) * sum(
        len(block.text) for block in message.content if isinstance(block, TextBlock)
    )


def _old_results(messages: tuple[Message, ...], settings: PruningSettings) -> list[tuple[int, ToolResultMessage]]:
    """Results between the first user message and the last few answers, of the tools that may be pruned."""
    start = next((index for index, message in enumerate(messages) if isinstance(message, UserMessage)), len(messages))
    end = _protected_from(messages, settings.keep_last_assistants)
    between = enumerate(messages[start:end], start)
    return [
        (index, message)
        for index, message in between
        if isinstance(message, ToolResultMessage) and _may_prune(message.tool_name, settings)
    ]


def _protected_from(messages: tuple[Message, ...], keep_last: int) -> int:
    answers = [index for index, message in enumerate(messages) if isinstance(message, AssistantMessage)]
    if keep_last <= 0:
        return len(messages)
    return answers[-keep_last] if len(answers) >= keep_last else 0


def _may_prune(tool_name: str, settings: PruningSettings) -> bool:
    name = tool_name.lower()
    if any(fnmatchcase(name, pattern.lower()) for pattern in settings.deny):
        return False
    return not settings.allow or any(fnmatchcase(name, pattern.lower()) for pattern in settings.allow)
