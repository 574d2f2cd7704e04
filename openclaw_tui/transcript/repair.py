"""Step 6 of the pipeline: every tool call is followed by its one result, and no result stands alone.

Moves what is displaced, invents what is missing, keeps one of several, drops orphans. An answer that was cut off gets
nothing invented: its open calls are left out. Runs last among the transcript steps since limiting may tear pairs, and
once more after a context engine.
"""

from collections.abc import Collection
from dataclasses import dataclass, field, replace

from openclaw_tui.messages import AssistantMessage, Message, ToolCallBlock, ToolResultMessage
from openclaw_tui.report import StepReport
from openclaw_tui.transcript.assistant import clean_answer
from openclaw_tui.transcript.incremental import Fold, FoldCache
from openclaw_tui.transcript.policy import TranscriptPolicy
from openclaw_tui.transcript.synthetic import (
    is_synthetic,
    missing_result_text,
    removed_result_text,
    synthetic_result,
)
from openclaw_tui.transcript.validate import validate_replay_turns


def repair_tool_use_result_pairing(
    messages: tuple[Message, ...],
    policy: TranscriptPolicy,
    *,
    removed: Collection[str] = (),
) -> tuple[tuple[Message, ...], StepReport]:
    """Messages in which calls and results form closed pairs, results directly after their answer in call order.

    `removed` holds call ids whose results a context engine took out on purpose: what is put there says so and is no
    error. The first result of a call wins, but a real one beats an invented one. Idempotent; the same tuple comes back
    where nothing changed. Ends with the turn rules, as dropping can make new neighbours.
    """
    if not policy.repair_tool_use_result_pairing:
        return messages, StepReport("repair", {})
    paired, counts = messages, dict[str, int]()
    if not _is_closed(messages):
        paired, counts = _paired(messages, policy, removed)
    turned, turns = validate_replay_turns(paired, policy, pairs_closed=True)
    return turned, StepReport("repair", {**counts, **turns.counts})


@dataclass(slots=True)
class _Check:
    """State of the look for faults: calls still open, every id seen so far, and whether a fault was found."""

    expected: list[ToolCallBlock] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    broken: bool = False


_checks: FoldCache[_Check] = FoldCache()


def _is_closed(messages: tuple[Message, ...]) -> bool:
    """True when nothing has to be repaired; for a history that grew, only the new messages are looked at."""
    fold = _checks.take("repair", messages) or Fold(_Check())
    for message in messages[len(fold.inputs) :]:
        fold.inputs.append(message)
        _look_at(message, fold.state)
    _checks.keep("repair", fold)
    return not fold.state.broken and not fold.state.expected


def _look_at(message: Message, check: _Check) -> None:
    if isinstance(message, ToolResultMessage):
        call = check.expected.pop(0) if check.expected else None
        if call is None or (call.id, call.name) != (message.tool_call_id, message.tool_name):
            check.broken = True
        return
    check.broken = check.broken or bool(check.expected)
    if isinstance(message, AssistantMessage):
        check.expected = list(message.tool_calls)
        ids = {call.id for call in check.expected}
        check.broken = check.broken or len(ids) < len(check.expected) or not check.seen.isdisjoint(ids)
        check.seen |= ids


@dataclass(slots=True)
class _Placed:
    """A result with its position in the input; `taken` once it was given to a call."""

    position: int
    message: ToolResultMessage
    taken: bool = False


def _paired(
    messages: tuple[Message, ...], policy: TranscriptPolicy, removed: Collection[str]
) -> tuple[tuple[Message, ...], dict[str, int]]:
    results: dict[str, list[_Placed]] = {}
    calls_at: dict[str, list[int]] = {}
    for position, message in enumerate(messages):
        if isinstance(message, ToolResultMessage):
            results.setdefault(message.tool_call_id, []).append(_Placed(position, message))
        elif isinstance(message, AssistantMessage):
            for call in message.tool_calls:
                calls_at.setdefault(call.id, []).append(position)
    builder = _Builder(policy, removed, results, calls_at)
    for position, message in enumerate(messages):
        builder.add(position, message)
    builder.count_dropped()
    counts = {name: amount for name, amount in builder.counts.items() if amount}
    return (tuple(builder.output) if counts else messages), counts


@dataclass(slots=True)
class _Builder:
    policy: TranscriptPolicy
    removed: Collection[str]
    results: dict[str, list[_Placed]]
    calls_at: dict[str, list[int]]
    output: list[Message] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)

    def add(self, position: int, message: Message) -> None:
        if isinstance(message, ToolResultMessage):
            return
        if not isinstance(message, AssistantMessage) or not message.tool_calls:
            self.output.append(message)
            return
        chosen = [self._choose(call, position) for call in message.tool_calls]
        if message.is_partial and not all(chosen):
            self._add_partial(message, chosen, position)
            return
        self.output.append(message)
        for offset, (call, placed) in enumerate(zip(message.tool_calls, chosen, strict=True), 1):
            self._add_result(call, placed, position + offset, message.timestamp)

    def count_dropped(self) -> None:
        for call_id, placed in self.results.items():
            left = sum(not item.taken for item in placed)
            self._count("duplicates_dropped" if call_id in self.calls_at else "orphans_dropped", left)

    def _count(self, name: str, amount: int = 1) -> None:
        self.counts[name] = self.counts.get(name, 0) + amount

    def _choose(self, call: ToolCallBlock, position: int) -> _Placed | None:
        """The first real result before the id is used again, else an invented one; else one that came too early."""
        following = [at for at in self.calls_at[call.id] if at > position]
        end = following[0] if following else None
        still_free = [placed for placed in self.results.get(call.id, ()) if not placed.taken]
        after = [
            placed for placed in still_free if placed.position > position and (end is None or placed.position < end)
        ]
        early = [placed for placed in still_free if placed.position < position]
        candidates = after or early
        best = next((placed for placed in candidates if not is_synthetic(placed.message)), None)
        best = best or (candidates[0] if candidates else None)
        if best is not None:
            best.taken = True
        return best

    def _add_result(self, call: ToolCallBlock, placed: _Placed | None, expected_at: int, timestamp: int) -> None:
        if placed is None:
            gone = call.id in self.removed
            text = removed_result_text(call.name) if gone else missing_result_text(call.name)
            self.output.append(synthetic_result(call, text, is_error=not gone, timestamp=timestamp))
            self._count("synthesised")
            return
        result = placed.message
        if result.tool_name != call.name:
            result = replace(result, tool_name=call.name)
            self._count("named")
        self._count("moved", int(placed.position != expected_at))
        self.output.append(result)

    def _add_partial(self, message: AssistantMessage, chosen: list[_Placed | None], position: int) -> None:
        """A cut-off answer keeps its text and the calls that were answered; nothing is invented for the others."""
        calls = message.tool_calls
        answered = [(call, placed) for call, placed in zip(calls, chosen, strict=True) if placed is not None]
        left_out = {call.id for call, placed in zip(calls, chosen, strict=True) if placed is None}
        self._count("partial_calls_dropped", len(calls) - len(answered))
        kept = clean_answer(message, self.policy, may_keep_opaque=True, left_out=left_out).message
        if kept is None:
            return
        self.output.append(kept)
        for offset, (call, placed) in enumerate(answered, 1):
            self._add_result(call, placed, position + offset, message.timestamp)
