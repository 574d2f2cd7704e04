"""A `ProviderRequest` as the body of a Chat Completions call. Pure.

The whole system prompt is one first message: many chat templates know no second one, and servers reuse a prefix token
by token, so the boundary needs no mark. Tool results are text here; their pictures follow in one user message after
the last result of the step. Reasoning goes back only where the server gave it in a field of its own.
"""

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

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
from openclaw_tui.providers.openai_items import (
    CHAT_ID_CHARS,
    RESPONSES_ID_CHARS,
    argument_text,
    call_id,
    data_url,
    safe_text,
    without_images,
)

Row: TypeAlias = dict[str, Any]
Rows: TypeAlias = tuple[Row, ...]
Convert: TypeAlias = Callable[[Message, ModelInfo], Rows]

REASONING_FIELDS = ("reasoning_content", "reasoning", "reasoning_text")
"""Names under which servers stream reasoning, in the order they are looked for."""

_IMAGES_FOLLOW = "(see the attached image)"
_IMAGES_OF_RESULTS = "Images returned by the tools above:"
_NO_OUTPUT = "(no output)"
_PICTURES = "pictures"


def build_body(request: ProviderRequest, dialect: ChatDialect, convert: Convert) -> dict[str, Any]:
    """The JSON body. `convert` is `rows_of`, or something that remembers what `rows_of` said."""
    model = request.model
    rows = [row for message in request.messages for row in convert(message, model)]
    body: dict[str, Any] = {
        "model": model.id,
        "messages": [*_system(request, dialect), *_with_pictures(rows)],
        "stream": True,
        "stream_options": {"include_usage": True},
        dialect.output_limit: max(1, min(request.max_output_tokens, model.max_output)),
    }
    if request.tools and model.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
        if dialect.parallel_field:
            body["parallel_tool_calls"] = True
    if dialect.effort and model.thinking == "effort":
        level = supported_level(model, request.thinking)
        body["reasoning_effort"] = "none" if level == "off" else level
    if dialect.cache_fields and request.cache_retention != "none":
        body |= _cache_fields(request)
    return body


def rows_of(message: Message, model: ModelInfo) -> Rows:
    """The chat messages of one message. A result's pictures stay aside in its row until `build_body` places them."""
    match message:
        case UserMessage(content=content):
            parts = _parts(content, model)
            return ({"role": "user", "content": _simplest(parts)},) if parts else ()
        case AssistantMessage():
            row = _assistant_row(message, model)
            return () if row is None else (row,)
        case ToolResultMessage():
            return (_result_row(message, model),)


def _system(request: ProviderRequest, dialect: ChatDialect) -> Iterable[Row]:
    text = "\n\n".join(part for part in (request.system_stable, request.system_dynamic) if part.strip())
    if text:
        yield {"role": dialect.system_role, "content": safe_text(text)}


def _tool(tool: ToolDefinition) -> Row:
    function = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
    return {"type": "function", "function": function}


def _cache_fields(request: ProviderRequest) -> Row:
    fields: Row = {}
    if request.session_id:
        fields["prompt_cache_key"] = call_id(request.session_id, RESPONSES_ID_CHARS)
    if request.cache_retention == "long":
        fields["prompt_cache_retention"] = "24h"
    return fields


def _parts(content: tuple[UserContent, ...], model: ModelInfo) -> list[Row]:
    parts: list[Row] = []
    for block in content if model.images else without_images(content, model.id):
        match block:
            case TextBlock(text=text) if text.strip():
                parts.append({"type": "text", "text": safe_text(text)})
            case ImageBlock():
                parts.append({"type": "image_url", "image_url": {"url": data_url(block)}})
    return parts


def _simplest(parts: list[Row]) -> str | list[Row]:
    """Text alone travels as a string: not every chat template reads lists."""
    if all(part["type"] == "text" for part in parts):
        return "\n".join(part["text"] for part in parts)
    return parts


def _assistant_row(message: AssistantMessage, model: ModelInfo) -> Row | None:
    calls = [_call(block, message) for block in message.tool_calls]
    text = safe_text(text_of(message.content))
    if not calls and not text.strip():
        return None
    row: Row = {"role": "assistant", "content": text}
    if calls:
        row["tool_calls"] = calls
    return row | _reasoning(message, model)


def _call(block: ToolCallBlock, message: AssistantMessage) -> Row:
    kept = block.thought_signature if message.api in ("openai-chat", "openai-responses") else None
    function = {"name": block.name, "arguments": argument_text(block.arguments, kept)}
    return {"id": call_id(block.id, CHAT_ID_CHARS), "type": "function", "function": function}


def _reasoning(message: AssistantMessage, model: ModelInfo) -> Row:
    """The reasoning under the field it came in, for the model it came from."""
    if (message.api, message.provider, message.model) != ("openai-chat", model.provider, model.id):
        return {}
    for block in message.content:
        if isinstance(block, ThinkingBlock) and block.signature in REASONING_FIELDS and block.thinking:
            return {block.signature: safe_text(block.thinking)}
    return {}


def _result_row(message: ToolResultMessage, model: ModelInfo) -> Row:
    parts = _parts(message.content, model)
    pictures = [part for part in parts if part["type"] == "image_url"]
    text = "\n".join(part["text"] for part in parts if part["type"] == "text")
    row: Row = {
        "role": "tool",
        "tool_call_id": call_id(message.tool_call_id, CHAT_ID_CHARS),
        "content": text or (_IMAGES_FOLLOW if pictures else _NO_OUTPUT),
    }
    return row | {_PICTURES: pictures} if pictures else row


def _with_pictures(rows: list[Row]) -> list[Row]:
    """The rows with each step's pictures in a user message after its last result, joined with a user message there."""
    placed: list[Row] = []
    waiting: list[Row] = []
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


def _as_parts(content: str | list[Row]) -> list[Row]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content
