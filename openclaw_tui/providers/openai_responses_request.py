"""A `ProviderRequest` as the body of an OpenAI Responses call. Pure.

The call is stateless (`store: false`): every item goes back, reasoning with its encrypted content. The stable system
prompt is the first `developer` message, because `instructions` stand after the input on newer models and are never
cached; it carries the explicit cache breakpoint. The dynamic part follows at once. It must not move to the end: GPT-6.2
binds reasoning to all that stands before it, so a text that wanders behind the history would drop every earlier
reasoning item at each step, while in front it costs something only when it changes, which it rarely does.
A reasoning item and the item after it travel together or not at all.
"""

from collections.abc import Iterable
from typing import Any

from openclaw_tui.constants import OPENAI_MIN_OUTPUT_TOKENS, OPENAI_RESPONSES_ID_MAX_CHARS
from openclaw_tui.messages import (
    AssistantMessage,
    ImageBlock,
    Message,
    TextBlock,
    ThinkingBlock,
    ThinkingLevel,
    ToolCallBlock,
    ToolDefinition,
    ToolResultMessage,
    UserContent,
    UserMessage,
)
from openclaw_tui.models import ModelInfo
from openclaw_tui.providers.base import ProviderRequest
from openclaw_tui.providers.catalog import supported_level
from openclaw_tui.providers.openai_body import Cache, OpenAIBody
from openclaw_tui.providers.openai_items import (
    argument_text,
    call_id,
    data_url,
    item_id,
    reasoning_item,
    system_text,
    text_signature,
    without_images,
)
from openclaw_tui.providers.wire_cache import Block

_NO_OUTPUT = "(no output)"
_BREAKPOINT = {"mode": "explicit"}
_EFFORT: dict[ThinkingLevel, str] = {"off": "none"}


def build_body(request: ProviderRequest, cache: Cache) -> OpenAIBody:
    """The body; `cache` holds what `items_of` made of the messages."""
    model = request.model
    head: dict[str, Any] = {
        "model": model.id,
        "stream": True,
        "store": False,
        "include": ["reasoning.encrypted_content"],
        "max_output_tokens": max(OPENAI_MIN_OUTPUT_TOKENS, min(request.max_output_tokens, model.max_output)),
    }
    if request.tools:
        head["tools"] = [_tool(tool) for tool in request.tools]
        head["parallel_tool_calls"] = True
    if model.thinking != "none":
        head["reasoning"] = _reasoning(supported_level(model, request.thinking))
    items = [item for message in request.messages for item in cache.blocks(message)]
    return OpenAIBody(head | _cache_fields(request), "input", [*_system(request), *items])


def items_of(message: Message, model: ModelInfo) -> list[Block]:
    """The input items of one message."""
    match message:
        case UserMessage(content=content):
            parts = _parts(content, model)
            return [{"type": "message", "role": "user", "content": parts}] if parts else []
        case AssistantMessage():
            return list(_assistant_items(message))
        case ToolResultMessage():
            return [_result_item(message, model)]


def _system(request: ProviderRequest) -> Iterable[Block]:
    """Stable text, closed by a breakpoint, then the dynamic text."""
    marks = request.model.cache_breakpoints and request.cache_retention != "none"
    for part, mark in ((request.system_stable, marks), (request.system_dynamic, False)):
        if text := system_text(part):
            content: Block = {"type": "input_text", "text": text}
            if mark:
                content["prompt_cache_breakpoint"] = _BREAKPOINT
            yield {"type": "message", "role": "developer", "content": [content]}


def _tool(tool: ToolDefinition) -> Block:
    """`strict` is off: it would rewrite schemas and refuse optional fields."""
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": dict(tool.parameters),
        "strict": False,
    }


def _reasoning(level: ThinkingLevel) -> Block:
    effort = _EFFORT.get(level, level)
    return {"effort": effort} if effort == "none" else {"effort": effort, "summary": "auto"}


def _cache_fields(request: ProviderRequest) -> dict[str, Any]:
    """Retention, routing key and comparison, in the form that the model's generation takes."""
    model, retention = request.model, request.cache_retention
    fields: dict[str, Any] = {}
    if request.session_id and retention != "none":
        fields["prompt_cache_key"] = call_id(request.session_id, OPENAI_RESPONSES_ID_MAX_CHARS)
    if not model.cache_breakpoints:
        return fields | ({"prompt_cache_retention": "24h"} if retention == "long" and model.base_url is None else {})
    options: dict[str, Any] = {}
    if retention == "none":
        options["mode"] = "explicit"
    elif retention == "long":
        options["ttl"] = "12h"
    if (request.previous_response_id or "").startswith("resp"):
        options["comparison_response_id"] = request.previous_response_id
    return fields | ({"prompt_cache_options": options} if options else {})


def _parts(content: tuple[UserContent, ...], model: ModelInfo) -> list[Block]:
    """Content parts of a user message or a tool result; blank texts are left out."""
    parts: list[Block] = []
    for block in content if model.images else without_images(content):
        match block:
            case TextBlock(text=text) if text.strip():
                parts.append({"type": "input_text", "text": text})
            case ImageBlock():
                parts.append({"type": "input_image", "image_url": data_url(block), "detail": "auto"})
    return parts


def _result_item(message: ToolResultMessage, model: ModelInfo) -> Block:
    """Plain text as a string, which every server takes; a list only where a picture is in it."""
    parts = _parts(message.content, model)
    has_image = any(part["type"] == "input_image" for part in parts)
    text = "\n".join(part["text"] for part in parts if part["type"] == "input_text")
    return {
        "type": "function_call_output",
        "call_id": call_id(message.tool_call_id, OPENAI_RESPONSES_ID_MAX_CHARS),
        "output": parts if has_image else text or _NO_OUTPUT,
    }


def _assistant_items(message: AssistantMessage) -> Iterable[Block]:
    """The items of an answer in their order.

    Block ids are sent only beside the reasoning they came with: a call that arrives with its id but without its
    reasoning is refused, one without an id is not. Reasoning at the end has lost its item and stays out.
    """
    own = message.api == "openai-responses"
    waiting: list[Block] = []
    reasoned = False
    for block in message.content:
        if isinstance(block, ThinkingBlock):
            if own and (item := reasoning_item(block.signature)):
                waiting.append(dict(item))
            continue
        item = _text_item(block, own) if isinstance(block, TextBlock) else _call_item(block, own)
        if item is None:
            continue
        reasoned = reasoned or bool(waiting)
        yield from waiting
        waiting.clear()
        if not reasoned:
            item.pop("id", None)
        yield item


def _text_item(block: TextBlock, own: bool) -> Block | None:
    if not block.text.strip():
        return None
    identifier, phase = text_signature(block.signature) if own else (None, None)
    item: Block = {"type": "message", "role": "assistant"}
    if identifier:
        item["id"] = identifier
    item |= {
        "content": [{"type": "output_text", "text": block.text, "annotations": []}],
        "status": "completed",
    }
    if phase:
        item["phase"] = phase
    return item


def _call_item(block: ToolCallBlock, own: bool) -> Block:
    item: Block = {
        "type": "function_call",
        "call_id": call_id(block.id, OPENAI_RESPONSES_ID_MAX_CHARS),
        "name": block.name,
        "arguments": argument_text(block.arguments, block.thought_signature if own else None),
        "status": "completed",
    }
    if own and (identifier := item_id(block.id, "fc")):
        item["id"] = identifier
    return item
