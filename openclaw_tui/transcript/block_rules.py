"""What one content block must be like for a provider to take it: the part of the local check that needs no neighbours.

Each rule answers with a few words that name the fault, or None. The figures are the policy's.
"""

import json
import re
from collections.abc import Iterator

from openclaw_tui.messages import (
    AssistantMessage,
    Message,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResultMessage,
    UserContent,
)
from openclaw_tui.models import ModelInfo
from openclaw_tui.transcript.clean_text import clean_tool_name, scrub
from openclaw_tui.transcript.policy import TranscriptPolicy, signatures_travel

_ID = re.compile(r"[A-Za-z0-9_-]+")
_ITEM_ID = re.compile(r"fc[A-Za-z0-9_-]{0,62}")


def faulty_blocks(message: Message, policy: TranscriptPolicy, model: ModelInfo) -> Iterator[tuple[int, str]]:
    """Index of each block that the provider would refuse, and why."""
    if isinstance(message, AssistantMessage):
        opaque = signatures_travel(message, model)
        for index, block in enumerate(message.content):
            if fault := _answer_fault(block, policy, may_be_opaque=opaque):
                yield index, fault
        return
    in_result = isinstance(message, ToolResultMessage)
    for index, part in enumerate(message.content):
        if fault := _given_fault(part, policy, model, in_result=in_result):
            yield index, fault


def id_fault(call_id: str, policy: TranscriptPolicy) -> str | None:
    """What is wrong with the id of a call or result."""
    if not policy.sanitize_tool_call_ids:
        return None
    head, bar, item = call_id.partition("|")
    if not _ID.fullmatch(head) or len(head) > policy.tool_id_max_chars:
        return f"call id of {len(head)} characters or with others than A-Z a-z 0-9 _ -"
    if bar and not (policy.paired_item_ids and _ITEM_ID.fullmatch(item)):
        return "item id that is none of this provider's"
    return None


def _given_fault(block: UserContent, policy: TranscriptPolicy, model: ModelInfo, *, in_result: bool) -> str | None:
    if isinstance(block, TextBlock):
        return _text_fault(block.text)
    rules = policy.images
    if not model.images:
        return "picture for a model that takes none"
    if in_result and not rules.in_tool_results:
        return "picture inside a tool result"
    if block.mime_type not in rules.types:
        return f"picture of type {block.mime_type or 'unknown'}"
    if not block.data or len(block.data) > rules.max_base64_chars:
        return f"picture of {len(block.data)} characters"
    return None


def _answer_fault(
    block: TextBlock | ThinkingBlock | ToolCallBlock, policy: TranscriptPolicy, *, may_be_opaque: bool
) -> str | None:
    match block:
        case TextBlock(text=text, signature=signature):
            if signature and not may_be_opaque:
                return "text signed by another model"
            return None if signature and policy.sanitize_mode == "google" else _text_fault(text)
        case ThinkingBlock(thinking=thinking, signature=signature):
            if not may_be_opaque:
                return "reasoning of another model"
            return "reasoning without its signature" if not signature else _character_fault(thinking)
        case ToolCallBlock():
            return _call_fault(block, policy, may_be_opaque=may_be_opaque)


def _call_fault(call: ToolCallBlock, policy: TranscriptPolicy, *, may_be_opaque: bool) -> str | None:
    if call.name != clean_tool_name(call.name, policy.tool_name_max_chars) or not call.name:
        return "tool name that is none"
    if call.thought_signature and not may_be_opaque:
        return "call signed by another model"
    if (fault := id_fault(call.id, policy)) is not None:
        return fault
    try:
        return _character_fault(json.dumps(dict(call.arguments), ensure_ascii=False, allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        return "arguments that are no JSON"


def _text_fault(text: str) -> str | None:
    return _character_fault(text) if text.strip() else "blank text"


def _character_fault(text: str) -> str | None:
    return "half a character" if scrub(text) is not text else None
