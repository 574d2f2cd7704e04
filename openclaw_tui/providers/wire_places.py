"""Which message a server means when it names a place in the body it refused: `messages.31.content.2`, `input[12]`,
`contents[4].parts[0]`.

Each API counts its own rows, and a row is not always a message: results of a step share one, an answer may make more,
and a system prompt may stand in front. So the rows are made once more here, with their origins. Asked only after a
refusal.
"""

import re
from collections.abc import Sequence

import msgspec

from openclaw_tui.messages import AssistantMessage, Message, TextBlock, ThinkingBlock, ToolCallBlock, ToolResultMessage
from openclaw_tui.providers.base import ProviderRequest

_ROOT = re.compile(r"(?:messages|input|contents)\b(?P<rest>.*)")
_NUMBER = re.compile(r"\.\[?(\d+)\]?|\[(\d+)\]")


class WirePlace(msgspec.Struct, frozen=True):
    """`message` is an index into the request's messages, `block` one into its content; None: the whole message."""

    message: int
    block: int | None


def place_of(request: ProviderRequest, position: str) -> WirePlace | None:
    """The place in the request's messages; None where the position names none of them (a tool, a parameter)."""
    numbers = _numbers(position)
    if not numbers:
        return None
    place = _place(request, numbers)
    if place is None or place.block is None:
        return place
    whole = place.block >= len(request.messages[place.message].content)
    return WirePlace(place.message, None) if whole else place


def _numbers(position: str) -> list[int]:
    match = _ROOT.search(position)
    if match is None:
        return []
    return [int(found.group(1) or found.group(2)) for found in _NUMBER.finditer(match.group("rest"))]


def _place(request: ProviderRequest, numbers: Sequence[int]) -> WirePlace | None:
    match request.model.api:
        case "anthropic":
            from openclaw_tui.providers import anthropic_request

            origins = anthropic_request.new_fold().origins(request.messages, request.model.images, "content")
            return _in_turns(request, origins, numbers)
        case "google":
            from openclaw_tui.providers import google_request

            model = request.model
            variant = google_request.Variant(google_request.signs_calls(model.id), model.images)
            return _in_turns(request, google_request.new_fold().origins(request.messages, variant, "parts"), numbers)
        case "openai-chat":
            from openclaw_tui.providers import openai_chat_request

            rows = [len(openai_chat_request.rows_of(message, request.model)) for message in request.messages]
            return _in_rows(request, rows, int(_has_system(request)), numbers)
        case "openai-responses":
            from openclaw_tui.providers import openai_responses_request

            items = [len(openai_responses_request.items_of(message, request.model)) for message in request.messages]
            systems = sum(bool(part.strip()) for part in (request.system_stable, request.system_dynamic))
            return _in_rows(request, items, systems, numbers)
        case _:
            return None


def _has_system(request: ProviderRequest) -> bool:
    return bool(request.system_stable.strip() or request.system_dynamic.strip())


def _in_turns(
    request: ProviderRequest, origins: list[list[tuple[int, int]]], numbers: Sequence[int]
) -> WirePlace | None:
    """Turns made of parts. A number that is missing or too high means the turn; its last message is taken for it."""
    turn = origins[numbers[0]] if numbers[0] < len(origins) else []
    if not turn:
        return None
    if len(numbers) < 2 or numbers[1] >= len(turn):
        return WirePlace(turn[-1][0], None)
    message, part = turn[numbers[1]]
    if isinstance(request.messages[message], ToolResultMessage):
        return WirePlace(message, numbers[2] if len(numbers) > 2 else None)
    return WirePlace(message, part)


def _in_rows(request: ProviderRequest, rows: Sequence[int], before: int, numbers: Sequence[int]) -> WirePlace | None:
    """Rows in a flat list, `before` of them in front of the first message."""
    row = numbers[0] - before
    for index, count in enumerate(rows):
        if 0 <= row < count:
            return WirePlace(index, _block(request.messages[index], row, numbers[1:], several=count > 1))
        row -= count
    return None


def _block(message: Message, row: int, inner: Sequence[int], *, several: bool) -> int | None:
    """Which block a row of a message stands for: by its number within, or by its kind where blocks are rows."""
    if isinstance(message, AssistantMessage):
        calls = [at for at, block in enumerate(message.content) if isinstance(block, ToolCallBlock)]
        if not several:
            return calls[inner[0]] if inner and inner[0] < len(calls) else None
        rows = [at for at, block in enumerate(message.content) if _makes_a_row(block)]
        return rows[row] if row < len(rows) else None
    return inner[0] if inner else None


def _makes_a_row(block: object) -> bool:
    if isinstance(block, TextBlock):
        return bool(block.text.strip())
    return isinstance(block, ToolCallBlock) or (isinstance(block, ThinkingBlock) and block.signature is not None)
