"""How much of the newest talk a compaction keeps word for word. Pure.

The configured tail where that fits; else smaller and smaller ones, down to the newest message. A call and its result
stay together, so a tail that is too large because of one result keeps the pair and shortens that result; results the
model has not seen yet only where nothing else makes it fit. Read results other than the newest are kept in short form.
"""

from collections.abc import Mapping, Sequence

import msgspec

from openclaw_tui.compaction.plan import Cut, Measure, find_cut, first_coverable
from openclaw_tui.constants import (
    COMPACTION_TAIL_SHARES,
    MIN_COVERED_TOKENS,
    TAIL_OLDER_RESULT_CHARS,
    TAIL_RESULT_MIN_CHARS,
    TAIL_WHOLE_RESULTS,
)
from openclaw_tui.messages import AssistantMessage, Message, ToolResultMessage, text_of
from openclaw_tui.tokens import estimate_message_tokens


class Tail(msgspec.Struct, frozen=True):
    """What is kept. `shortened` says how many characters the text of a result may keep, by the result's entry id.

    `tokens` is the estimated size of what is kept, with those results shortened.
    """

    cut: Cut
    tokens: int
    shortened: Mapping[str, int] = msgspec.field(default_factory=dict)


def choose_tail(
    messages: Sequence[Message],
    keep_tokens: int,
    *,
    room: int | None = None,
    smaller: bool = False,
    verbatim: bool = False,
    measure: Measure = estimate_message_tokens,
) -> Tail | None:
    """The largest tail that covers something and fits `room`; the smallest there is where none fits.

    `smaller` allows tails below `keep_tokens`; a tail that leaves next to nothing to cover counts only where there is
    no other. `verbatim` shortens nothing. None: there is nothing before any tail that could be covered.
    """
    best: Tail | None = None
    start = first_coverable(messages)
    for share in COMPACTION_TAIL_SHARES if smaller else COMPACTION_TAIL_SHARES[:1]:
        keep = int(keep_tokens * share)
        cut = find_cut(messages, keep, measure)
        if cut is None or cut.index <= start:
            continue
        if verbatim:
            tail = Tail(cut, sum(measure(message) for message in messages[cut.index :]))
        else:
            tail = _fitted(messages, cut, keep or keep_tokens, room, measure)
        if best is None or tail.tokens < best.tokens:
            best = tail
        worth_it = sum(measure(m) for m in messages[start : cut.index]) >= MIN_COVERED_TOKENS
        if worth_it and (room is None or tail.tokens <= room):
            return tail
    return best


def _fitted(messages: Sequence[Message], cut: Cut, keep: int, room: int | None, measure: Measure) -> Tail:
    kept = messages[cut.index :]
    total = sum(measure(message) for message in kept)
    limit = keep if room is None else min(keep, room)
    seen, unseen = _results(kept)
    shortened, total = _older_ones(seen, total, measure)
    more, total = _shorten([result for result in seen if result.entry_id not in shortened], total, limit, measure)
    shortened |= more
    if room is not None and total > room:
        more, total = _shorten(unseen, total, room, measure)
        shortened |= more
    return Tail(cut=cut, tokens=total, shortened=shortened)


def _results(kept: Sequence[Message]) -> tuple[list[ToolResultMessage], list[ToolResultMessage]]:
    """Results the model has answered to, and those it has not seen yet."""
    answers = [at for at, m in enumerate(kept) if isinstance(m, AssistantMessage) and not m.is_partial]
    last = answers[-1] if answers else -1
    return (
        [m for m in kept[: last + 1] if isinstance(m, ToolResultMessage)],
        [m for m in kept[last + 1 :] if isinstance(m, ToolResultMessage)],
    )


def _older_ones(seen: Sequence[ToolResultMessage], total: int, measure: Measure) -> tuple[dict[str, int], int]:
    """Short forms of all read results but the newest: the prefix is written anew now, so it costs nothing extra."""
    shortened: dict[str, int] = {}
    for result in seen[: max(0, len(seen) - TAIL_WHOLE_RESULTS)]:
        chars = len(text_of(result.content))
        if result.entry_id is not None and chars > TAIL_OLDER_RESULT_CHARS:
            shortened[result.entry_id] = TAIL_OLDER_RESULT_CHARS
            size = measure(result)
            total -= size - int(size * TAIL_OLDER_RESULT_CHARS / chars)
    return shortened, total


def _shorten(
    results: Sequence[ToolResultMessage], total: int, limit: int, measure: Measure
) -> tuple[dict[str, int], int]:
    """Take from the largest results what is above the limit; none below its least size, none without an entry."""
    shortened: dict[str, int] = {}
    for result in sorted(results, key=measure, reverse=True):
        if total <= limit or result.entry_id is None:
            continue
        size, chars = measure(result), len(text_of(result.content))
        wanted = max(TAIL_RESULT_MIN_CHARS, int(chars * (size - (total - limit)) / max(1, size)))
        if wanted < chars:
            shortened[result.entry_id] = wanted
            total -= size - int(size * wanted / chars)
    return shortened, total
