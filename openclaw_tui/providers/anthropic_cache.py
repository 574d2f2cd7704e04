"""Where the cache markers of a Messages request stand.

At most four, counted on the finished wire form. One ends the stable system prompt. One ends the conversation and moves
with it; another stays where that one stood in the last request, so that a long tool loop reads all but its last round
whatever its width. The fourth halves a turn that is wider than the provider looks back. Blocks are copied, never
changed: the unmarked ones are shared with later requests.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TypeAlias

from openclaw_tui.constants import (
    ANTHROPIC_MAX_CACHE_BREAKPOINTS,
    ANTHROPIC_MIDDLE_BREAKPOINT_BLOCKS,
    ANTHROPIC_REWRITE_ANCHOR_ENDS,
)
from openclaw_tui.providers.base import ProviderRequest
from openclaw_tui.providers.wire_cache import Block

Place: TypeAlias = tuple[int, int]
"""Index of a message and of a block in it."""

_UNMARKABLE = frozenset({"thinking", "redacted_thinking"})


def cache_control(request: ProviderRequest, *, is_official: bool) -> Block | None:
    """The marker itself; None where nothing is to be cached. The hour is only known at the provider's own address."""
    if request.cache_retention == "none" or not (request.model.caches_prefix and request.model.cache_breakpoints):
        return None
    if request.cache_retention == "long" and is_official:
        return {"type": "ephemeral", "ttl": "1h"}
    return {"type": "ephemeral"}


def mark_last(blocks: list[Block], marker: Block) -> bool:
    """Put the marker on the last of `blocks`, in place of the list's own item."""
    if not blocks:
        return False
    blocks[-1].update(cache_control=marker)
    return True


def mark_conversation(
    messages: Sequence[Block], marker: Block, *, spent: int, rewritten_from: int | None = None
) -> list[Block]:
    """The messages with their markers; `spent` slots are used already. The most useful places go first.

    `rewritten_from` is the first message that differs from the last request: what stands before it is cached up to the
    last user message there, which may be farther back than a marker at the end looks.
    """
    places = _places(messages, rewritten_from)[: ANTHROPIC_MAX_CACHE_BREAKPOINTS - spent]
    marked = list(messages)
    for index, block in places:
        content = list(marked[index]["content"])
        content[block] = {**content[block], "cache_control": marker}
        marked[index] = {**marked[index], "content": content}
    return marked


def _places(messages: Sequence[Block], rewritten_from: int | None) -> list[Place]:
    """End of the conversation, end of what a rewrite left alone, end of the request before, middle of a wide turn."""
    ends = list(islice(_user_ends(messages), ANTHROPIC_REWRITE_ANCHOR_ENDS))
    last, previous = (*ends, None, None)[:2]
    untouched = next(_user_ends(messages[:rewritten_from]), None) if rewritten_from is not None else None
    earlier = ends[-1] if rewritten_from is not None and ends else None
    wanted = (last, untouched, earlier or previous, previous)
    places = list(dict.fromkeys(place for place in wanted if place is not None))
    if last is not None and (middle := _middle(messages, previous, last)) is not None:
        places.append(middle)
    return places


def _user_ends(messages: Sequence[Block]) -> Iterator[Place]:
    """The last block of each user message that can carry a marker, newest message first."""
    for index in range(len(messages) - 1, -1, -1):
        if messages[index]["role"] != "user":
            continue
        block = _last_markable(messages[index]["content"])
        if block is not None:
            yield index, block


def _middle(messages: Sequence[Block], previous: Place | None, last: Place) -> Place | None:
    """A block about as far before the end as is looked back, when the turn is wider than that."""
    between: list[Place] = []
    for index in range(last[0], -1, -1):
        content = messages[index]["content"]
        stop = last[1] if index == last[0] else len(content)
        for block in range(stop - 1, -1, -1):
            if (index, block) == previous:
                return None
            between.append((index, block))
            if len(between) >= ANTHROPIC_MIDDLE_BREAKPOINT_BLOCKS and content[block]["type"] not in _UNMARKABLE:
                return (index, block)
    return None


def _last_markable(content: Sequence[Block]) -> int | None:
    for block in range(len(content) - 1, -1, -1):
        if content[block]["type"] not in _UNMARKABLE:
            return block
    return None
