"""A `ProviderRequest` as the body of a Chat Completions call. Pure.

The whole system prompt is one first message: many chat templates know no second one, and servers reuse a prefix token
by token, so the boundary needs no mark. Tool results are text here; their pictures follow in one user message after
the last result of the step. Reasoning goes back only where the server gave it in a field of its own.
"""

from collections.abc import Iterable
from typing import Any

from openclaw_tui.constants import OPENAI_CHAT_ID_MAX_CHARS, OPENAI_RESPONSES_ID_MAX_CHARS
from openclaw_tui.messages import (
    AssistantMessage,
    ImageBlock,
    Message,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolDefinition,
    ToolResultMessage,
    UserContent,
    UserMessage,
    text_of,
)
from openclaw_tui.models import ModelInfo
from openclaw_tui.providers.base import ProviderRequest
from openclaw_tui.providers.catalog import supported_level
from openclaw_tui.providers.chat_dialects import ChatDialect
from openclaw_tui.providers.openai_body import Cache, OpenAIBody
from openclaw_tui.providers.openai_items import (
    argument_text,
    call_id,
    data_url,
    system_text,
    without_images,
)
from openclaw_tui.providers.wire_cache import Block

REASONING_FIELDS = ("reasoning_content", "reasoning", "reasoning_text")
"""Names under which servers stream reasoning, in the order they are looked for."""

_IMAGES_FOLLOW = "(see the attached image)"
_IMAGES_OF_RESULTS = "Images returned by the tools above:"
_NO_OUTPUT = "(no output)"
_PICTURES = "pictures"


def build_body(request: ProviderRequest, dialect: ChatDialect, cache: Cache) -> OpenAIBody:
    """The body; `cache` holds what `rows_of` made of the messages."""
    model = request.model
    head: dict[str, Any] = {
        "model": model.id,
        "stream": True,
        "stream_options": {"include_usage": True},
        dialect.output_limit: max(1, min(request.max_output_tokens, model.max_output)),
    }
    if request.tools and model.tools:
        head["tools"] = [_tool(tool) for tool in request.tools]
        if dialect.parallel_field:
            head["parallel_tool_calls"] = True
    if dialect.effort and model.thinking == "effort":
        level = supported_level(model, request.thinking)
        head["reasoning_effort"] = "none" if level == "off" else level
    if dialect.cache_fields and request.cache_retention != "none":
        head |= _cache_fields(request)
    rows = [row for message in request.messages for row in cache.blocks(message)]
    return OpenAIBody(head, "messages", [*_system(request, dialect), *_with_pictures(rows)])


def rows_of(message: Message, model: ModelInfo) -> list[Block]:
    """The chat messages of one message. A result's pictures stay aside in its row until `build_body` places them."""
    match message:
        case UserMessage(content=content):
            parts = _parts(content, model)
            return [{"role": "user", "content": _simplest(parts)}] if parts else []
        case AssistantMessage():
            row = _assistant_row(message, model)
            return [] if row is None else [row]
        case ToolResultMessage():
            return [_result_row(message, model)]


def _system(request: ProviderRequest, dialect: ChatDialect) -> Iterable[Block]:
    text = "\n\n".join(filter(None, map(system_text, (request.system_stable, request.system_dynamic))))
    if text:
        yield {"role": dialect.system_role, "content": text}


def _tool(tool: ToolDefinition) -> Block:
    function = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
    return {"type": "function", "function": function}


def _cache_fields(request: ProviderRequest) -> Block:
    fields: Block = {}
    if request.session_id:
        fields["prompt_cache_key"] = call_id(request.session_id, OPENAI_RESPONSES_ID_MAX_CHARS)
    if request.cache_retention == "long":
        fields["prompt_cache_retention"] = "24h"
    return fields


def _parts(content: tuple[UserContent, ...], model: ModelInfo) -> list[Block]:
    parts: list[Block] = []
    for block in content if model.images else without_images(content):
        match block:
            case TextBlock(text=text) if text.strip():
                parts.append({"type": "text", "text": text})
            case ImageBlock():
                parts.append({"type": "image_url", "image_url": {"url": data_url(block)}})
    return parts


def _simplest(parts: list[Block]) -> str | list[Block]:
    """Text alone travels as a string: not every chat template reads lists."""
    if all(part["type"] == "text" for part in parts):
        return "\n".join(part["text"] for part in parts)
    return parts


def _assistant_row(message: AssistantMessage, model: ModelInfo) -> Block | None:
    calls = [_call(block, message) for block in message.tool_calls]
    text = text_of(message.content)
    if not calls and not text.strip():
        return None
    row: Block = {"role": "assistant", "content": text}
    if calls:
        row["tool_calls"] = calls
    return row | _reasoning(message, model)


def _call(block: ToolCallBlock, message: AssistantMessage) -> Block:
    kept = block.thought_signature if message.api in ("openai-chat", "openai-responses") else None
    function = {"name": block.name, "arguments": argument_text(block.arguments, kept)}
    return {"id": call_id(block.id, OPENAI_CHAT_ID_MAX_CHARS), "type": "function", "function": function}


def _reasoning(message: AssistantMessage, model: ModelInfo) -> Block:
    """The reasoning under the field it came in, for the model it came from."""
    if (message.api, message.provider, message.model) != ("openai-chat", model.provider, model.id):
        return {}
    for block in message.content:
        if isinstance(block, ThinkingBlock) and block.signature in REASONING_FIELDS and block.thinking:
            return {block.signature: block.thinking}
    return {}


def _result_row(message: ToolResultMessage, model: ModelInfo) -> Block:
    parts = _parts(message.content, model)
    pictures = [part for part in parts if part["type"] == "image_url"]
    text = "\n".join(part["text"] for part in parts if part["type"] == "text")
    row: Block = {
        "role": "tool",
        "tool_call_id": call_id(message.tool_call_id, OPENAI_CHAT_ID_MAX_CHARS),
        "content": text or (_IMAGES_FOLLOW if pictures else _NO_OUTPUT),
    }
    return row | {_PICTURES: pictures} if pictures else row


def _with_pictures(rows: list[Block]) -> list[Block]:
    """The rows with each step's pictures in a user message after its last result, joined with a user message there."""
    placed: list[Block] = []
    waiting: list[Block] = []
    for row in rows:
        if waiting and row["role"] != "tool":
            lead = [{"type": "text", "text": _IMAGES_OF_RESULTS}, *waiting]
            waiting = []
            if row["role"] == "user":
                placed.append({"role": "user", "content": [*lead, *_as_parts(row["content"])]})
                continue
            placed.append({"role": "user", "content": lead})
        waiting.extend(row.get(_PICTURES, ()))
        placed.append({key: value for key, value in row.items() if key != _PICTURES} if _PICTURES in row else row)
    if waiting:
        placed.append({"role": "user", "content": [{"type": "text", "text": _IMAGES_OF_RESULTS}, *waiting]})
    return placed


def _as_parts(content: str | list[Block]) -> list[Block]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content
