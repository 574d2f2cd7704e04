"""Layer 2: no tool result may fill the window, alone or together, before any model call.

Three lines, all the article's: one result may take half of the window, all input three quarters, and above nine tenths
the guard gives up and asks for compaction. What the model has not seen yet is never blanked; among what it has seen the
newest goes first, since rewriting an early message would cost the provider's cache from there on. Works on copies.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

import msgspec

from openclaw_tui.constants import (
    CHARS_PER_TOKEN_ESTIMATE,
    CONTEXT_INPUT_HEADROOM_RATIO,
    GUARD_EXHAUSTED_SHARE,
    GUARD_TRIM_TO_SHARE,
    GUARD_TRIMMED_CHARS,
    MIN_GUARD_BUDGET_CHARS,
    PREEMPTIVE_CONTEXT_OVERFLOW_MESSAGE,
    PREEMPTIVE_OVERFLOW_RATIO,
    SINGLE_TOOL_RESULT_CONTEXT_SHARE,
    TOOL_RESULT_CHARS_PER_TOKEN_ESTIMATE,
)
from openclaw_tui.context.decisions import (
    DecisionKind,
    GuardDecision,
    apply_decision,
    decision_key,
    placeholder,
)
from openclaw_tui.context.weights import RESULT_FACTOR, message_weight, message_weights, tools_weight
from openclaw_tui.errors import PreemptiveContextOverflow
from openclaw_tui.messages import AssistantMessage, Message, ToolDefinition, ToolResultMessage, text_of
from openclaw_tui.report import StepReport

GuardOrder: TypeAlias = Literal["newest-first", "newest-first-strict"]
"""`newest-first-strict` is the article's literal order: unread results may be blanked too, and nothing is trimmed."""


class GuardLines(msgspec.Struct, frozen=True):
    """The three lines in characters: all input, the text of one result, and where the guard gives up."""

    context: int
    single_result: int
    overflow: int


def guard_lines(window_tokens: int) -> GuardLines:
    """The lines of a window. 128,000 tokens give 384,000, 128,000 and 460,800 characters."""
    chars = max(1, window_tokens) * CHARS_PER_TOKEN_ESTIMATE
    result_chars = max(1, window_tokens) * TOOL_RESULT_CHARS_PER_TOKEN_ESTIMATE
    context = max(MIN_GUARD_BUDGET_CHARS, int(chars * CONTEXT_INPUT_HEADROOM_RATIO))
    return GuardLines(
        context=context,
        single_result=max(MIN_GUARD_BUDGET_CHARS, int(result_chars * SINGLE_TOOL_RESULT_CONTEXT_SHARE)),
        overflow=max(context, int(chars * PREEMPTIVE_OVERFLOW_RATIO)),
    )


class GuardResult(msgspec.Struct, frozen=True):
    """`new_decisions` must be remembered and handed in again.

    `wants_compaction`: a prefix-bound model is at the line, or shortening had to be done and could not make room enough
    any more: from there on each step would cost the result before it.

    `total_chars` is the weight of the messages after the guard, without system prompt and tools.
    """

    messages: tuple[Message, ...]
    step: StepReport
    new_decisions: Mapping[str, GuardDecision]
    total_chars: int
    wants_compaction: bool


def guard_tool_results(
    messages: tuple[Message, ...],
    *,
    window_tokens: int,
    system_chars: int = 0,
    tools: tuple[ToolDefinition, ...] = (),
    decisions: Mapping[str, GuardDecision] | None = None,
    result_ids: Mapping[str, str] | None = None,
    order: GuardOrder = "newest-first",
    prefix_bound: bool = False,
    may_compact: bool = False,
) -> GuardResult:
    """Bring a transcript under the lines of its window.

    `decisions` were taken earlier, by entry id, and are applied first. `result_ids` maps entry ids to the ids `recall`
    knows (`t1`, `t2` …). Raises PreemptiveContextOverflow when messages, system prompt and tools together stay above
    nine tenths. On a `prefix_bound` model nothing already sent is touched. With `may_compact` a batch that would make
    too little room is not done at all: compaction is asked for, and its summary request finds the prefix cached.
    """
    lines = guard_lines(window_tokens)
    fixed = system_chars + tools_weight(tools)
    work = _Work(list(messages), result_ids or {}, message_weights(messages))
    before = work.total
    work.apply_known(decisions or {})
    _cap(work, lines, strict=order == "newest-first-strict")
    target = min(lines.context, lines.overflow - fixed)
    exhausted = False
    if not prefix_bound and work.total > target:
        whole = work.copy()
        _trim(work, target, strict=order == "newest-first-strict")
        exhausted = work.is_exhausted(target)
        if exhausted and may_compact and whole.total + fixed <= lines.overflow:
            work = whole
    if work.total + fixed > lines.overflow:
        raise PreemptiveContextOverflow(
            PREEMPTIVE_CONTEXT_OVERFLOW_MESSAGE,
            tokens=(work.total + fixed) // CHARS_PER_TOKEN_ESTIMATE,
            limit=lines.overflow // CHARS_PER_TOKEN_ESTIMATE,
        )
    return GuardResult(
        messages=tuple(work.messages) if work.changed else messages,
        step=work.report(before),
        new_decisions=work.new_decisions,
        total_chars=work.total,
        wants_compaction=work.total >= target if prefix_bound else exhausted,
    )


@dataclass(slots=True)
class _Work:
    """The working copy: messages, their running total, and the decisions that shape them."""

    messages: list[Message]
    ids: Mapping[str, str]
    weights: list[int]
    total: int = 0
    changed: bool = False
    decided: dict[str, GuardDecision] = field(default_factory=dict)
    new_decisions: dict[str, GuardDecision] = field(default_factory=dict)
    originals: dict[int, ToolResultMessage] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    held: int = 0

    def __post_init__(self) -> None:
        self.total = sum(self.weights)

    def apply_known(self, decisions: Mapping[str, GuardDecision]) -> None:
        if not decisions:
            return
        for index, message in enumerate(self.messages):
            if isinstance(message, ToolResultMessage) and (made := decisions.get(decision_key(message))) is not None:
                self.held += 1
                self._put(index, message, made)

    def results(self, start: int = 0, end: int | None = None) -> list[tuple[int, ToolResultMessage]]:
        stop = len(self.messages) if end is None else end
        found = ((index, self.messages[index]) for index in range(start, stop))
        return [(index, message) for index, message in found if isinstance(message, ToolResultMessage)]

    def original(self, index: int) -> ToolResultMessage:
        message = self.originals.get(index, self.messages[index])
        assert isinstance(message, ToolResultMessage)
        return message

    def result_id(self, index: int) -> str:
        return self.ids.get(decision_key(self.original(index)), "")

    def is_final(self, index: int) -> bool:
        """True when the form of a result was settled after its first send: it stays as it is."""
        key = decision_key(self.original(index))
        made = self.decided.get(key)
        return made is not None and made.kind != "capped" and key not in self.new_decisions

    def decide(self, index: int, kind: DecisionKind, max_chars: int = 0) -> None:
        original = self.original(index)
        chars = len(text_of(original.content))
        made = GuardDecision(kind, self.result_id(index), max_chars=max_chars, chars=chars)
        weight_before = message_weight(self.messages[index])
        self._put(index, original, made)
        self.new_decisions[decision_key(original)] = made
        after = message_weight(self.messages[index])
        self.notes.append(f"{made.result_id or original.tool_name} {kind}: {weight_before} to {after} chars")

    def copy(self) -> "_Work":
        """The state as it is now, to come back to."""
        twin = replace(self, messages=list(self.messages), decided=dict(self.decided))
        twin.total = self.total
        twin.new_decisions, twin.originals = dict(self.new_decisions), dict(self.originals)
        twin.notes = list(self.notes)
        return twin

    def is_exhausted(self, target: int) -> bool:
        """True when results were shortened just now and the total is still above what a batch aims at."""
        shortened = any(made.kind != "capped" for made in self.new_decisions.values())
        return shortened and self.total > target * GUARD_EXHAUSTED_SHARE

    def report(self, before: int) -> StepReport:
        kinds = [made.kind for made in self.new_decisions.values()]
        counts = {kind: kinds.count(kind) for kind in ("capped", "trimmed", "cleared")}
        sizes = {"chars_before": before, "chars_after": self.total, "held": self.held}
        return StepReport("guard", counts | sizes, tuple(self.notes))

    def _put(self, index: int, original: ToolResultMessage, made: GuardDecision) -> None:
        self.originals.setdefault(index, original)
        self.decided[decision_key(original)] = made
        shaped = apply_decision(original, made)
        if shaped is not self.messages[index]:
            weight = message_weight(shaped)
            self.total += weight - self.weights[index]
            self.messages[index], self.weights[index] = shaped, weight
            self.changed = True


def _cap(work: _Work, lines: GuardLines, *, strict: bool) -> None:
    """One result at most the single share; those of the running step together what is left, at least one share."""
    first_unsent = 0 if strict else _last_answer(work.messages, whole=False) + 1
    undecided = [
        (index, len(text_of(result.content)))
        for index, result in work.results(first_unsent)
        if decision_key(result) not in work.decided
    ]
    limit = lines.single_result
    if not strict:
        rest = work.total - RESULT_FACTOR * sum(length for _, length in undecided)
        together = max(lines.single_result, (lines.context - rest) // RESULT_FACTOR)
        limit = min(limit, _fair_share([length for _, length in undecided], together))
    for index, length in undecided:
        if length > limit:
            work.decide(index, "capped", limit)
    for index in [index for index, weight in enumerate(work.weights) if weight > lines.single_result]:
        message = work.messages[index]
        if isinstance(message, ToolResultMessage) and len(text_of(message.content)) > lines.single_result:
            work.decide(index, "capped", lines.single_result)


def _fair_share(lengths: list[int], together: int) -> int:
    """The largest limit under which all lengths, each cut to it, fit in `together`: short ones stay whole."""
    room = together
    for position, length in enumerate(sorted(lengths)):
        share = room // (len(lengths) - position)
        if length > share:
            return share
        room -= length
    return together


def _trim(work: _Work, target: int, *, strict: bool) -> None:
    """Above the line: shorten what the model has seen, newest first; clear it only where that does not suffice.

    A rewrite costs the cache from its place on, so it is done in few large batches: once over the line, the total is
    brought down to `GUARD_TRIM_TO_SHARE` of it. The literal order stops at the line itself and knows no shortening.
    """
    if work.total <= target:
        return
    seen_until = max(0, len(work.messages) if strict else _last_answer(work.messages, whole=True))
    if not strict:
        _shorten(work, int(target * GUARD_TRIM_TO_SHARE), seen_until)
    _clear(work, target, seen_until)


def _shorten(work: _Work, target: int, seen_until: int) -> None:
    for index, result in reversed(work.results(0, seen_until)):
        if work.total <= target:
            return
        length = len(text_of(result.content))
        wanted = max(GUARD_TRIMMED_CHARS, length - -(-(work.total - target) // RESULT_FACTOR))
        if not work.is_final(index) and wanted < length:
            work.decide(index, "trimmed", wanted)


def _clear(work: _Work, target: int, seen_until: int) -> None:
    for index, result in reversed(work.results(0, seen_until)):
        if work.total <= target:
            return
        shortest = RESULT_FACTOR * len(placeholder(work.original(index), work.result_id(index)))
        if not work.is_final(index) and message_weight(result) > shortest:
            work.decide(index, "cleared")


def _last_answer(messages: list[Message], *, whole: bool) -> int:
    """Index of the last answer a model gave (a whole one, if asked for); -1 where there is none."""
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        if isinstance(message, AssistantMessage) and _is_by_model(message) and not (whole and message.is_partial):
            return index
    return -1


def _is_by_model(message: AssistantMessage) -> bool:
    """False for notes that the turn rules put in the assistant's mouth: they have neither an entry nor a protocol."""
    return message.entry_id is not None or message.api != ""
