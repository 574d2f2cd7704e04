"""Anthropic's on-demand compaction: the conversation summarised by the API itself, into one signed block.

A request with a top-level `compaction` field is answered with nothing but that block. Sent back as the first block of
`messages`, in an assistant turn, it stands for exactly what it summarised, so reasoning in the talk that follows stays
valid. The block is opaque: it travels as the JSON in which it came, key for key.
"""

import json
from collections.abc import Mapping
from typing import Any

from openclaw_tui.messages import Message, UserMessage
from openclaw_tui.providers.base import ProviderRequest
from openclaw_tui.providers.wire_cache import Block, encode_json

COMPACT_BETA = "compact-2026-09-04"
_DELTA_FIELDS = ("content", "encrypted_content", "signature", "tool_changes")


def compaction_head(request: ProviderRequest) -> dict[str, Any]:
    """The field that turns a request into one for a summary; nothing for any other request."""
    if request.seal_instructions is None:
        return {}
    return {"compaction": {"type": "summarize", "instructions": request.seal_instructions}}


def needs_beta(request: ProviderRequest) -> bool:
    """Whether the request asks for a block or carries one."""
    return request.seal_instructions is not None or any(map(is_sealed, request.messages[:1]))


def is_sealed(message: Message) -> bool:
    return isinstance(message, UserMessage) and message.sealed is not None


def is_sealed_turn(turn: Block) -> bool:
    """Whether this is the turn of a block: it stays a message of its own, nothing is merged into it."""
    return bool(turn["role"] == "assistant" and turn["content"][0]["type"] == "compaction")


def sealed_block(sealed: str) -> Block:
    """The block as it came."""
    block: Block = json.loads(sealed)
    return block


class CompactionBlock:
    """The block while it arrives: its start names the fields, deltas bring them."""

    def __init__(self, start: Mapping[str, Any]) -> None:
        self._block = dict(start)

    def add(self, delta: Mapping[str, Any]) -> None:
        self._block.update({name: delta[name] for name in _DELTA_FIELDS if delta.get(name) is not None})

    @property
    def text(self) -> str:
        """The summary, where it can be read."""
        return str(self._block.get("content") or "")

    @property
    def sealed(self) -> str:
        """The block as JSON; empty where the server says that it could make no summary."""
        has_summary = self._block.get("content") or self._block.get("encrypted_content")
        return encode_json(self._block).decode("utf-8") if has_summary else ""
