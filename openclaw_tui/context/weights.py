"""What a message weighs for the guard: characters, with tool results counted double and pictures by their pixels.

The articles' measure, kept beside the token estimate since their ratios are stated in it. Details are never counted:
they are never sent. Each message is weighed once.
"""

from openclaw_tui.constants import CHARS_PER_TOKEN_ESTIMATE, TOOL_RESULT_CHARS_PER_TOKEN_ESTIMATE
from openclaw_tui.messages import (
    ContentBlock,
    ImageBlock,
    Message,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolDefinition,
    ToolResultMessage,
)
from openclaw_tui.tokens import compact_json, estimate_image_tokens
from openclaw_tui.transcript.incremental import Growing, IdentityMemo

RESULT_FACTOR = CHARS_PER_TOKEN_ESTIMATE // TOOL_RESULT_CHARS_PER_TOKEN_ESTIMATE

_message_weights: IdentityMemo[int] = IdentityMemo()
_tool_weights: IdentityMemo[int] = IdentityMemo()


def message_weight(message: Message) -> int:
    """Characters of a message as the guard counts them."""
    known = _message_weights.get(message)
    return known if known is not None else _message_weights.put(message, _weigh(message))


_growing: Growing[int] = Growing(message_weight)


def message_weights(messages: tuple[Message, ...]) -> list[int]:
    """The weight of each message; for a history that grew, only the new ones are looked at."""
    return _growing.of(messages)


def tools_weight(tools: tuple[ToolDefinition, ...]) -> int:
    """Characters of the tool list: names, descriptions and schemas as compact JSON."""
    known = _tool_weights.get(tools)
    if known is not None:
        return known
    weight = sum(len(tool.name) + len(tool.description) + len(compact_json(dict(tool.parameters))) for tool in tools)
    return _tool_weights.put(tools, weight)


def _weigh(message: Message) -> int:
    factor = RESULT_FACTOR if isinstance(message, ToolResultMessage) else 1
    return sum(_weigh_block(block, factor) for block in message.content)


def _weigh_block(block: ContentBlock, factor: int) -> int:
    match block:
        case TextBlock(text=text):
            return factor * len(text)
        case ThinkingBlock(thinking=thinking, signature=signature):
            return len(thinking) + len(signature or "")
        case ImageBlock():
            return CHARS_PER_TOKEN_ESTIMATE * estimate_image_tokens(block)
        case ToolCallBlock(name=name, arguments=arguments):
            return len(name) + len(compact_json(dict(arguments)))
