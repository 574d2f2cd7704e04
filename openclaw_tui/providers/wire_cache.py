"""What was converted for the wire once is not converted or encoded again.

A session grows at its end while each request sends all of it. Messages are frozen and live on, so the object itself is
the key: its wire blocks are made once, and each block's JSON bytes once. Invariant: a block that came out of the cache
is never changed; who needs a changed one (a cache marker) makes a copy, which is then encoded afresh.
"""

import json
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Generic, TypeAlias, TypeVar

from openclaw_tui.constants import CONVERTED_MESSAGES_KEPT, MAX_ARGUMENT_DEPTH

MessageT = TypeVar("MessageT")
Block: TypeAlias = dict[str, Any]


class WireCache(Generic[MessageT]):
    """Wire blocks by message identity, the least recently used forgotten first."""

    def __init__(self, convert: Callable[[MessageT], list[Block]], capacity: int = CONVERTED_MESSAGES_KEPT) -> None:
        self._convert = convert
        self._capacity = capacity
        self._kept: OrderedDict[int, tuple[MessageT, list[Block]]] = OrderedDict()
        self._bytes: dict[int, bytes] = {}

    def blocks(self, message: MessageT) -> list[Block]:
        """The wire blocks of a message; not to be changed."""
        found = self._kept.get(id(message))
        if found is not None:
            self._kept.move_to_end(id(message))
            return found[1]
        blocks = self._convert(message)
        self._kept[id(message)] = (message, blocks)
        self._bytes.update((id(block), encode_json(block)) for block in blocks)
        if len(self._kept) > self._capacity:
            _, (_, forgotten) = self._kept.popitem(last=False)
            for block in forgotten:
                self._bytes.pop(id(block), None)
        return blocks

    def encoded(self, block: Block) -> bytes:
        """The JSON of a block: remembered for blocks of this cache, made anew for others."""
        return self._bytes.get(id(block)) or encode_json(block)


def encode_json(value: Any) -> bytes:
    """Compact JSON in UTF-8; halves of surrogate pairs become U+FFFD, for no server takes them."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return whole_characters(text).encode("utf-8")


def clean_json(value: Block) -> Block:
    """The same block with whole characters only, for an SDK that does the encoding itself."""
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        cleaned: Block = json.loads(encode_json(value))
        return cleaned
    return value


def whole_characters(text: str) -> str:
    """Text with surrogate pairs joined and lone halves replaced."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def parse_arguments(text: str) -> tuple[dict[str, Any], str | None]:
    """Arguments of a call and, where they are no JSON object that can be used, the text that came instead."""
    if not text.strip():
        return {}, None
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return {}, text
    return (value, None) if isinstance(value, dict) and not _is_too_deep(value) else ({}, text)


def _is_too_deep(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_ARGUMENT_DEPTH):
        level = [item for found in level if isinstance(found, dict | list) for item in _items(found)]
        if not level:
            return False
    return True


def _items(value: dict[str, Any] | list[Any]) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else value


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")
