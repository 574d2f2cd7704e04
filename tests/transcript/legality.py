"""What each API would refuse, said of a prepared transcript: an independent reading of the providers' rules.

Every check raises AssertionError with the rule's own words.
"""

import json
import re
from collections.abc import Iterable
from itertools import pairwise

from openclaw_tui.messages import (
    AssistantMessage,
    ImageBlock,
    Message,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResultMessage,
    UserMessage,
)
from openclaw_tui.models import ModelInfo

_GEMINI_TYPES = {"image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"}
_WEB_TYPES = {"image/png", "image/jpeg", "image/gif", "image/webp"}


def check_legal(messages: tuple[Message, ...], model: ModelInfo) -> None:
    """Raise where the API of `model` would answer 400."""
    _check_encodable(messages)
    _check_pairs(messages)
    _check_content(messages, model)
    match model.api:
        case "anthropic":
            _check_alternation(messages, tools_are_user=True)
            _check_anthropic(messages)
            _check_ids(messages, 64)
        case "google":
            _check_alternation(messages, tools_are_user=False)
            _check_ids(messages, 64)
        case "openai-chat":
            _check_strict_template(messages)
            _check_ids(messages, 40)
        case "openai-responses":
            _check_responses(messages)


def _check_encodable(messages: tuple[Message, ...]) -> None:
    for message in messages:
        for block in message.content:
            match block:
                case TextBlock(text=text) | ThinkingBlock(thinking=text):
                    text.encode("utf-8")
                case ToolCallBlock():
                    json.dumps(dict(block.arguments), ensure_ascii=False).encode("utf-8")
                    block.name.encode("utf-8")


def _check_pairs(messages: tuple[Message, ...]) -> None:
    expected: list[str] = []
    seen: set[str] = set()
    for message in messages:
        if isinstance(message, ToolResultMessage):
            assert expected, f"result without a call: {message.tool_call_id!r}"
            assert message.tool_call_id == expected.pop(0), "results not in call order"
            continue
        assert not expected, f"calls without result: {expected}"
        if isinstance(message, AssistantMessage):
            expected = [call.id for call in message.tool_calls]
            heads = [call_id.partition("|")[0] for call_id in expected]
            assert len(set(heads)) == len(heads), "call ids repeat within an answer"
            assert seen.isdisjoint(heads), "call ids repeat"
            seen.update(heads)
    assert not expected, f"calls without result at the end: {expected}"


def _check_content(messages: tuple[Message, ...], model: ModelInfo) -> None:
    for message in messages:
        assert message.content, "empty content"
        for block in message.content:
            if isinstance(block, TextBlock):
                signed_part = model.api == "google" and block.signature is not None
                assert block.text.strip() or signed_part, "text content blocks must contain non-whitespace text"
            if isinstance(block, ImageBlock):
                assert model.images, "picture for a model that takes none"
                allowed = _GEMINI_TYPES if model.api == "google" else _WEB_TYPES
                assert block.mime_type in allowed, f"picture type {block.mime_type}"
                at_user = not isinstance(message, ToolResultMessage)
                assert at_user or model.api != "openai-chat", "picture in a tool message"
            if isinstance(block, ToolCallBlock):
                assert re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}", block.name), f"tool name {block.name!r}"


def _check_ids(messages: tuple[Message, ...], limit: int) -> None:
    for message in messages:
        for call in _calls((message,)):
            assert re.fullmatch(r"[a-zA-Z0-9_-]+", call.id), f"id {call.id!r}"
            assert len(call.id) <= limit, "id too long"


def _calls(messages: Iterable[Message]) -> Iterable[ToolCallBlock]:
    for message in messages:
        if isinstance(message, AssistantMessage):
            yield from message.tool_calls


def _check_alternation(messages: tuple[Message, ...], *, tools_are_user: bool) -> None:
    """First the user; roles alternate, where results count as the user's (Anthropic) or as turns of their own."""
    if not messages:
        return
    assert isinstance(messages[0], UserMessage), "the first message must be the user's"
    assert not isinstance(messages[-1], AssistantMessage), "must end with a user message"
    for before, after in pairwise(messages):
        assert not (isinstance(before, UserMessage) and isinstance(after, UserMessage)), "two user messages in a row"
        both = isinstance(before, AssistantMessage) and isinstance(after, AssistantMessage)
        assert not both, "two model turns in a row"
        if not tools_are_user and isinstance(after, AssistantMessage) and after.tool_calls:
            assert not isinstance(before, AssistantMessage), "call turn must follow a user turn or a response turn"


def _check_anthropic(messages: tuple[Message, ...]) -> None:
    for message in messages:
        if not isinstance(message, AssistantMessage):
            continue
        thinking = [isinstance(block, ThinkingBlock) for block in message.content]
        if any(thinking):
            assert thinking[0], "the first block must be thinking"
            assert not thinking[-1], "the final block cannot be thinking"
            assert all(block.signature for block in message.content if isinstance(block, ThinkingBlock))
            assert message.provider == "anthropic", "foreign signature"


def _check_strict_template(messages: tuple[Message, ...]) -> None:
    _check_alternation(messages, tools_are_user=False)
    for before, after in pairwise(messages):
        follows = isinstance(before, ToolResultMessage) and isinstance(after, UserMessage)
        assert not follows, "user message right after a tool message"
    for message in messages:
        if isinstance(message, AssistantMessage) and any(isinstance(block, ThinkingBlock) for block in message.content):
            assert message.api == "openai-chat", "foreign reasoning"


def _check_responses(messages: tuple[Message, ...]) -> None:
    for message in messages:
        if not isinstance(message, AssistantMessage):
            continue
        reasoning = [block for block in message.content if isinstance(block, ThinkingBlock)]
        items = [call.id.partition("|")[2] for call in message.tool_calls]
        for head in (call.id.partition("|")[0] for call in message.tool_calls):
            assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", head), f"call_id {head!r}"
        assert all(item == "" or item.startswith("fc") for item in items), "item id"
        for block in reasoning:
            assert block.signature is not None
            assert json.loads(block.signature)["type"] == "reasoning"
            assert message.provider == "openai", "foreign encrypted reasoning"
        if message.content:
            assert not isinstance(message.content[-1], ThinkingBlock), "reasoning without its following item"
