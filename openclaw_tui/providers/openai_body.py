"""The JSON body of an OpenAI-like call: a small head, and a long list of which nearly all is encoded already."""

from collections.abc import Callable, Hashable
from typing import Any, Literal, TypeAlias

import msgspec

from openclaw_tui.messages import Message
from openclaw_tui.models import ModelInfo
from openclaw_tui.providers.wire_cache import Block, WireCache, encode_json

Cache: TypeAlias = WireCache[Message]


class OpenAIBody(msgspec.Struct, frozen=True):
    """`rows` is the conversation: the items of `input` or the `messages`."""

    head: dict[str, Any]
    rows_name: Literal["input", "messages"]
    rows: list[Block]

    @property
    def json(self) -> dict[str, Any]:
        """The body as one value, for looking at."""
        return {**self.head, self.rows_name: self.rows}

    def encoded(self, cache: Cache) -> bytes:
        """The body as it travels; rows that came from `cache` are not encoded again."""
        rows = b",".join(cache.encoded(row) for row in self.rows)
        return encode_json(self.head)[:-1] + f',"{self.rows_name}":['.encode() + rows + b"]}"


class ModelCaches:
    """One cache of converted messages for each model: the same message may look different for another one."""

    def __init__(self, convert: Callable[[Message, ModelInfo], list[Block]]) -> None:
        self._convert = convert
        self._caches: dict[Hashable, Cache] = {}

    def of(self, model: ModelInfo) -> Cache:
        key = (model.ref, model.images)
        if key not in self._caches:
            self._caches[key] = WireCache(lambda message: self._convert(message, model))
        return self._caches[key]
