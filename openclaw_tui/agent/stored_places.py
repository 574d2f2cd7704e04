"""From a place in a prepared request back to the entries it was made of.

On the way to a provider messages are merged, pictures scaled or moved, texts shortened; the session file holds what
they were. Asked only after a refusal, so it may search.
"""

from collections.abc import Iterator, Sequence

from openclaw_tui.messages import (
    AssistantMessage,
    ContentBlock,
    ImageBlock,
    Message,
    TextBlock,
    ToolCallBlock,
)
from openclaw_tui.providers.wire_places import WirePlace
from openclaw_tui.transcript.clean_text import scrub
from openclaw_tui.transcript.images import fit_image
from openclaw_tui.transcript.leaving_out import WHOLE
from openclaw_tui.transcript.policy import ImageRules

StoredPlace = tuple[str, int]
"""Entry id, and the block within its message (`WHOLE` for all)."""


def stored_places(
    place: WirePlace, sent: Sequence[Message], stored: Sequence[Message], rules: ImageRules
) -> list[StoredPlace]:
    """The entries' own blocks behind a place of the request; the whole entries where the block cannot be told."""
    message = sent[place.message]
    origins = list(_origins(place.message, sent, stored))
    if place.block is not None and place.block < len(message.content):
        found = list(_same_block(message, place.block, origins, rules))
        if found:
            return found
    return [(origin.entry_id, WHOLE) for origin in origins if type(origin) is type(message) and origin.entry_id]


def pictures_since_last_answer(stored: Sequence[Message]) -> list[StoredPlace]:
    """The pictures no model has answered to yet; all of them where there are none such."""
    last = max((at for at, message in enumerate(stored) if isinstance(message, AssistantMessage)), default=-1)
    while last > 0 and isinstance(stored[last], AssistantMessage) and _has_calls(stored[last]):
        last -= 1
    return _pictures(stored[last + 1 :]) or _pictures(stored)


def pictures_of(places: Sequence[StoredPlace], stored: Sequence[Message]) -> list[StoredPlace]:
    """Only the pictures of the entries named; the places as they are where those hold none."""
    named = {entry_id for entry_id, _ in places}
    return _pictures([message for message in stored if message.entry_id in named]) or list(places)


def _has_calls(message: Message) -> bool:
    return isinstance(message, AssistantMessage) and bool(message.tool_calls)


def _pictures(messages: Sequence[Message]) -> list[StoredPlace]:
    return [
        (message.entry_id, at)
        for message in messages
        if message.entry_id is not None
        for at, block in enumerate(message.content)
        if isinstance(block, ImageBlock)
    ]


def _origins(index: int, sent: Sequence[Message], stored: Sequence[Message]) -> Iterator[Message]:
    """The stored messages that may have gone into one of the request: from its own entry up to the next one's."""
    at = {message.entry_id: position for position, message in enumerate(stored) if message.entry_id is not None}
    own = sent[index].entry_id
    before = [m.entry_id for m in sent[:index] if isinstance(m, AssistantMessage) and m.entry_id in at]
    start = at[own] if own in at else at[before[-1]] + 1 if before else 0
    later = [at[m.entry_id] for m in sent[index + 1 :] if m.entry_id in at]
    end = max(start + 1, later[0] if later else len(stored))
    yield from stored[start:end]


def _same_block(message: Message, index: int, origins: Sequence[Message], rules: ImageRules) -> Iterator[StoredPlace]:
    wanted = message.content[index]
    for origin in origins:
        if origin.entry_id is None or isinstance(origin, AssistantMessage) is not isinstance(message, AssistantMessage):
            continue
        if isinstance(message, AssistantMessage) and len(origin.content) == len(message.content):
            yield origin.entry_id, index
            return
        for at, block in enumerate(origin.content):
            if _is_same(block, wanted, rules):
                yield origin.entry_id, at
                return


def _is_same(stored: ContentBlock, sent: ContentBlock, rules: ImageRules) -> bool:
    match stored, sent:
        case ImageBlock(), ImageBlock():
            fitted = (fit_image(stored, rules, takes_images=True, many=many) for many in (False, True))
            return stored == sent or sent in fitted
        case TextBlock(text=text), TextBlock(text=other):
            return scrub(text) == other
        case ToolCallBlock(name=name, arguments=arguments), ToolCallBlock(name=other, arguments=others):
            return (name, arguments) == (other, others)
        case _:
            return stored == sent
