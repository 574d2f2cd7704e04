"""A provider-neutral request → the body of Anthropic's Messages API.

Pure. The system prompt becomes two blocks, so that the stable one can be cached; results of one step become one user
message with the results first; opaque reasoning goes back untouched or not at all. Cache markers are set last, on the
finished wire form (`anthropic_cache.py`), where they can be counted.
"""

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import msgspec

from openclaw_tui.constants import MIN_THINKING_BUDGET_TOKENS, SYSTEM_PROMPT_CACHE_BOUNDARY, THINKING_BUDGET_TOKENS
from openclaw_tui.messages import (
    AssistantContent,
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
)
from openclaw_tui.models import ModelInfo
from openclaw_tui.providers.anthropic_cache import cache_control, mark_conversation, mark_last
from openclaw_tui.providers.anthropic_compaction import (
    COMPACT_BETA,
    compaction_head,
    is_sealed,
    is_sealed_turn,
    needs_beta,
    sealed_block,
)
from openclaw_tui.providers.base import ProviderRequest
from openclaw_tui.providers.thinking_levels import nearest_level
from openclaw_tui.providers.wire_cache import Block, encode_json
from openclaw_tui.providers.wire_fold import WireFold

Fold: TypeAlias = WireFold[bool]
"""Depends on whether the model takes pictures."""

BINDING_BETA = "thinking-binding-controls-2026-08-01"
_OWN_APIS = frozenset({"", "anthropic", "anthropic-messages"})


class AnthropicRequest(msgspec.Struct, frozen=True):
    """The body in two parts: what is encoded whole, and the messages, most of which are encoded already."""

    head: dict[str, Any]
    messages: list[Block]
    betas: tuple[str, ...] = ()

    @property
    def body(self) -> dict[str, Any]:
        return {**self.head, "messages": self.messages}

    def encoded(self, fold: Fold) -> bytes:
        """The body's bytes; the turns that `fold` knows already are not encoded again."""
        return b"".join((encode_json(self.head)[:-1], b',"messages":[', fold.encoded(self.messages), b"]}"))


def new_fold() -> Fold:
    return WireFold(_add)


def build_request(request: ProviderRequest, fold: Fold, *, is_official: bool = True) -> AnthropicRequest:
    """The whole body. `is_official`: the address is the provider's own and knows its newest optional fields."""
    messages = fold.turns(request.messages, request.model.images)
    tools = [_tool(tool) for tool in request.tools]
    missing = [] if tools else _tools_of_history(messages)
    system = _system(request)
    marker = cache_control(request, is_official=is_official)
    if marker:
        spent = mark_last(system[:1] if _clean(request.system_stable) else [], marker) or mark_last(tools, marker)
        messages = mark_conversation(messages, marker, spent=int(spent), rewritten_from=fold.rewritten_from)
    head: dict[str, Any] = {"model": request.model.id, "max_tokens": request.max_output_tokens, "stream": True}
    if system:
        head["system"] = system
    if tools or missing:
        head["tools"] = tools or missing
    if missing:
        head["tool_choice"] = {"type": "none"}
    if is_official:
        previous = request.previous_response_id or ""
        head["diagnostics"] = {"previous_message_id": previous if previous.startswith("msg_") else None}
    drop = request.model.prefix_bound and (request.drop_mismatched_thinking or bool(missing))
    head |= _thinking(request, messages, drop=drop) | compaction_head(request)
    betas = ((BINDING_BETA, drop), (COMPACT_BETA, needs_beta(request)))
    return AnthropicRequest(head, messages, tuple(beta for beta, wanted in betas if wanted))


def _system(request: ProviderRequest) -> list[Block]:
    parts = (_clean(request.system_stable), _clean(request.system_dynamic))
    return [{"type": "text", "text": part} for part in parts if part]


def _clean(text: str) -> str:
    """The marker of the boundary never reaches a model, and a blank block is refused."""
    return text.replace(SYSTEM_PROMPT_CACHE_BOUNDARY, "\n").strip("\n") if text.strip() else ""


def _tool(tool: ToolDefinition) -> Block:
    return {"name": tool.name, "description": tool.description, "input_schema": dict(tool.parameters)}


def _tools_of_history(messages: Iterable[Block]) -> list[Block]:
    """Stand-ins for the tools a history used: it is refused where none are defined."""
    names = {block["name"] for message in messages for block in message["content"] if block["type"] == "tool_use"}
    text = "Was used earlier in this conversation; it cannot be called now."
    return [{"name": name, "description": text, "input_schema": {"type": "object"}} for name in sorted(names)]


# ── Messages ──────────────────────────────────────────────────────────────────────────────────────────────────────


def _add(turns: list[Block], message: Message, images: bool) -> None:
    """Add a message to alternating turns; a model without eyes gets notes in the place of pictures."""
    blocks = _convert(message)
    if not images:
        blocks = [_without_images(block) for block in blocks]
    if not blocks:
        return
    role = "assistant" if isinstance(message, AssistantMessage) or is_sealed(message) else "user"
    if turns and turns[-1]["role"] == role and not is_sealed_turn(turns[-1]):
        turns[-1] = {"role": role, "content": _results_first([*turns[-1]["content"], *blocks])}
    else:
        turns.append({"role": role, "content": blocks})


def _results_first(content: list[Block]) -> list[Block]:
    """Text before a result is refused; the order is otherwise kept."""
    kinds = [block["type"] == "tool_result" for block in content]
    if kinds == sorted(kinds, reverse=True):
        return content
    return sorted(content, key=lambda block: block["type"] != "tool_result")


def _convert(message: Message) -> list[Block]:
    match message:
        case UserMessage(sealed=str(sealed)):
            return [sealed_block(sealed)]
        case UserMessage(content=content):
            return _user_blocks(content)
        case ToolResultMessage():
            return [_tool_result(message)]
        case AssistantMessage():
            own = message.api in _OWN_APIS
            blocks = (_assistant_block(block, own=own) for block in message.content)
            return [block for block in blocks if block is not None]


def _user_blocks(content: Iterable[UserContent]) -> list[Block]:
    return [_user_block(block) for block in content if isinstance(block, ImageBlock) or block.text.strip()]


def _user_block(block: UserContent) -> Block:
    if isinstance(block, TextBlock):
        return {"type": "text", "text": block.text}
    return {"type": "image", "source": {"type": "base64", "media_type": block.mime_type, "data": block.data}}


def _tool_result(message: ToolResultMessage) -> Block:
    result: Block = {"type": "tool_result", "tool_use_id": message.tool_call_id}
    if content := _user_blocks(message.content):
        result["content"] = content
    if message.is_error:
        result["is_error"] = True
    return result


def _assistant_block(block: AssistantContent, *, own: bool) -> Block | None:
    match block:
        case TextBlock(text=text):
            return {"type": "text", "text": text} if text.strip() else None
        case ThinkingBlock(signature=None):
            return None
        case ThinkingBlock(redacted=True, signature=data):
            return {"type": "redacted_thinking", "data": data} if own else None
        case ThinkingBlock(thinking=thinking, signature=signature):
            return {"type": "thinking", "thinking": thinking, "signature": signature} if own else None
        case ToolCallBlock(id=call_id, name=name, arguments=arguments):
            return {"type": "tool_use", "id": call_id, "name": name, "input": dict(arguments)}


def _without_images(block: Block) -> Block:
    """A note in the place of a picture, for a model that sees none."""
    if block["type"] == "image":
        return {"type": "text", "text": "[a picture was left out: this model takes no pictures]"}
    if block["type"] == "tool_result" and any(part["type"] == "image" for part in block.get("content", ())):
        return {**block, "content": [_without_images(part) for part in block["content"]]}
    return block


# ── Thinking ──────────────────────────────────────────────────────────────────────────────────────────────────────


def _thinking(request: ProviderRequest, messages: Sequence[Block], *, drop: bool) -> dict[str, Any]:
    """The fields that tell the model how to think.

    Where mismatched reasoning is to be dropped thinking must be adaptive: only there can it be asked for. A model that
    always thinks, or does not take `disabled`, is turned down as far as it goes instead.
    """
    level, model = request.thinking, request.model
    if model.thinking == "none":
        return {}
    if model.thinking == "budget":
        return _budget(request, messages)
    if level == "off" and not drop:
        if model.thinking == "adaptive":
            return {"thinking": {"type": "disabled"}}
        if model.thinking == "between_tools":
            return {"thinking": {"type": "between_tools"}}
    thinking: dict[str, Any] = {"type": "adaptive", "display": "summarized"}
    if drop:
        thinking["block_binding"] = {"prefix_mismatch_behavior": "drop_block"}
    return {"thinking": thinking, "output_config": {"effort": _effort(request, model)}}


def _effort(request: ProviderRequest, model: ModelInfo) -> str:
    if request.thinking == "off":
        return "low"
    level = nearest_level(request.thinking, model.thinking_levels)
    return "low" if level in ("off", "minimal") else level


def _budget(request: ProviderRequest, messages: Sequence[Block]) -> dict[str, Any]:
    """A number of tokens, below the answer's limit; none where the open tool step was begun without thinking."""
    room = request.max_output_tokens - MIN_THINKING_BUDGET_TOKENS
    if request.thinking == "off" or room < MIN_THINKING_BUDGET_TOKENS or _step_without_thinking(messages):
        return {}
    return {"thinking": {"type": "enabled", "budget_tokens": min(THINKING_BUDGET_TOKENS[request.thinking], room)}}


def _step_without_thinking(messages: Sequence[Block]) -> bool:
    """These models refuse to think on in a tool loop whose last answer does not begin with a thinking block."""
    if len(messages) < 2 or messages[-1]["content"][0]["type"] != "tool_result":
        return False
    return messages[-2]["content"][0]["type"] not in ("thinking", "redacted_thinking")
