"""Where a history is cut, and in which pieces it is summarised. Pure: messages in, positions out.

Invariants: a cut never separates a tool call from its result; a chunk boundary neither; every message of the covered
part is in exactly one chunk, in order. Sizes are estimates of each message by itself, never a provider's running total,
and carry `SAFETY_MARGIN` wherever a limit depends on them.
"""

from collections.abc import Callable, Sequence

import msgspec

from openclaw_tui.constants import (
    BASE_CHUNK_RATIO,
    DEFAULT_SUMMARY_PARTS,
    LARGE_MESSAGE_RATIO,
    MIN_CHUNK_RATIO,
    OVERSIZED_MESSAGE_SHARE,
    SAFETY_MARGIN,
    SUMMARIZATION_OVERHEAD_TOKENS,
    TAIL_MAX_OVERSHOOT,
)
from openclaw_tui.messages import AssistantMessage, Message, ToolResultMessage, UserMessage
from openclaw_tui.tokens import estimate_message_tokens

Measure = Callable[[Message], int]


class Cut(msgspec.Struct, frozen=True):
    """`covered` messages come before `index`; from `turn_start` on they are the beginning of a turn that is split."""

    index: int
    turn_start: int | None = None

    @property
    def is_split(self) -> bool:
        return self.turn_start is not None


def find_cut(
    messages: Sequence[Message], keep_recent_tokens: int, measure: Measure = estimate_message_tokens
) -> Cut | None:
    """The cut that keeps about `keep_recent_tokens` of the tail; None when there is nothing before it to cover.

    Walks back from the newest message; the cut is the first valid point at or after the message that fills the tail. A
    message that alone makes the tail far too large stays before the cut; the newest pair is kept whole all the same,
    since its result can be shortened.
    """
    start = first_coverable(messages)
    points = [index for index in range(start, len(messages)) if is_cut_point(messages, index)]
    if not points:
        return None
    at = _tail_start(messages, start, keep_recent_tokens, measure)
    if at is None:
        return None
    index = next((point for point in points if point >= at), points[-1])
    newest_pair = _newest_pair(messages, at)
    if newest_pair is not None:
        index = newest_pair
    elif sum(measure(message) for message in messages[index:]) > keep_recent_tokens * TAIL_MAX_OVERSHOOT:
        index = next((point for point in points if point > index), index)
    if index <= start:
        return None
    return Cut(index=index, turn_start=_turn_start(messages, start, index))


def _newest_pair(messages: Sequence[Message], at: int) -> int | None:
    """Where the call stands whose result at `at` fills the tail, when no later call has results."""
    if at >= len(messages) or not isinstance(messages[at], ToolResultMessage):
        return None
    call = next((index for index in range(at, -1, -1) if is_cut_point(messages, index)), None)
    after = next((index for index in range(at, len(messages)) if is_cut_point(messages, index)), len(messages))
    return call if not any(isinstance(m, ToolResultMessage) for m in messages[after:]) else None


def is_cut_point(messages: Sequence[Message], index: int) -> bool:
    """A message the kept tail may begin with: anything but a tool result."""
    return not isinstance(messages[index], ToolResultMessage)


def first_coverable(messages: Sequence[Message]) -> int:
    """Where the talk begins: summaries in front stand for what was covered before, and are carried on."""
    for index, message in enumerate(messages):
        if not (isinstance(message, UserMessage) and message.origin == "compaction_summary"):
            return index
    return len(messages)


def _tail_start(messages: Sequence[Message], start: int, keep: int, measure: Measure) -> int | None:
    """Index of the message that fills the tail, or None when the whole history is smaller than the tail."""
    if keep <= 0:
        return len(messages)
    total = 0
    for index in range(len(messages) - 1, start - 1, -1):
        total += measure(messages[index])
        if total >= keep:
            return index
    return None


def _turn_start(messages: Sequence[Message], start: int, index: int) -> int | None:
    """Where the turn began that the cut goes through; None when the cut is at the beginning of a turn."""
    if index >= len(messages) or _begins_turn(messages[index]):
        return None
    for at in range(index - 1, start - 1, -1):
        if _begins_turn(messages[at]):
            return at
    return start


def _begins_turn(message: Message) -> bool:
    return isinstance(message, UserMessage)


def compute_adaptive_chunk_ratio(
    messages: Sequence[Message], context_window: int, measure: Measure = estimate_message_tokens
) -> float:
    """Share of the window one chunk may fill: 0.4, down to 0.15 when messages are large on average."""
    if not messages or context_window <= 0:
        return BASE_CHUNK_RATIO
    total = sum(measure(message) for message in messages)
    average = (total / len(messages)) * SAFETY_MARGIN / context_window
    if average <= LARGE_MESSAGE_RATIO:
        return BASE_CHUNK_RATIO
    reduction = min(average * 2, BASE_CHUNK_RATIO - MIN_CHUNK_RATIO)
    return max(MIN_CHUNK_RATIO, BASE_CHUNK_RATIO - reduction)


def max_chunk_tokens(
    messages: Sequence[Message], context_window: int, measure: Measure = estimate_message_tokens
) -> int:
    """Tokens one summary request may take of history, overhead for instructions and answer left out.

    In a small window the overhead takes at most half, or there would be no room for history at all.
    """
    share = int(context_window * compute_adaptive_chunk_ratio(messages, context_window, measure))
    return max(1, share // 2, share - SUMMARIZATION_OVERHEAD_TOKENS)


def split_messages_by_token_share(
    messages: Sequence[Message], parts: int = DEFAULT_SUMMARY_PARTS, measure: Measure = estimate_message_tokens
) -> list[list[Message]]:
    """Up to `parts` chunks of about equal tokens; a call and its results stay in one chunk."""
    groups = pair_groups(messages)
    if parts <= 1 or len(groups) <= 1:
        return [list(messages)] if messages else []
    sizes = [sum(measure(message) for message in group) for group in groups]
    target = sum(sizes) / parts
    chunks: list[list[Message]] = [[]]
    filled = 0.0
    for group, size in zip(groups, sizes, strict=True):
        if chunks[-1] and filled + size > target and len(chunks) < parts:
            chunks.append([])
            filled = 0.0
        chunks[-1].extend(group)
        filled += size
    return chunks


def prune_history_for_context_share(
    messages: Sequence[Message], context_window: int, share: float, measure: Measure = estimate_message_tokens
) -> tuple[list[Message], list[Message]]:
    """The oldest part that has to go, and the rest, which fills at most `share` of the window where it can be split."""
    dropped: list[Message] = []
    kept = list(messages)
    while sum(measure(message) for message in kept) > int(context_window * share):
        halves = split_messages_by_token_share(kept, DEFAULT_SUMMARY_PARTS, measure)
        if len(halves) < DEFAULT_SUMMARY_PARTS:
            break
        dropped += halves[0]
        kept = [message for half in halves[1:] for message in half]
    return dropped, kept


def chunk_messages_by_max_tokens(
    messages: Sequence[Message], max_tokens: int, measure: Measure = estimate_message_tokens
) -> list[list[Message]]:
    """Chunks below `max_tokens` with the safety margin; a group above the limit becomes a chunk of its own."""
    limit = max(1, int(max_tokens / SAFETY_MARGIN))
    chunks: list[list[Message]] = []
    filled = 0
    for group in pair_groups(messages):
        size = sum(measure(message) for message in group)
        if not chunks or filled + size > limit:
            chunks.append([])
            filled = 0
        chunks[-1].extend(group)
        filled += size
    return chunks


def is_oversized_for_summary(message: Message, context_window: int, measure: Measure = estimate_message_tokens) -> bool:
    """True for a message that would fill more than half of the window in a summary request."""
    return measure(message) * SAFETY_MARGIN > context_window * OVERSIZED_MESSAGE_SHARE


def pair_groups(messages: Sequence[Message]) -> list[list[Message]]:
    """The messages in order, in groups that stay together: an answer with calls and the results that follow it."""
    groups: list[list[Message]] = []
    open_calls = False
    for message in messages:
        if isinstance(message, ToolResultMessage) and groups and open_calls:
            groups[-1].append(message)
            continue
        groups.append([message])
        open_calls = isinstance(message, AssistantMessage) and bool(message.tool_calls) and not message.is_partial
    return groups
