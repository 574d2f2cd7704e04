"""Messages ⇄ the records inside `message` lines: the second half of `codec.py`, under the same rule.

Signatures, redacted blocks and ids pass through byte for byte. Where pi has a name for something (`cacheWrite1h`,
`responseId`, `rawStopReason`), it is used; `invalidArguments`, `cacheReported`, `origin` and `cost.known` are ours.
"""

import json
from collections.abc import Mapping
from typing import Any

from openclaw_tui.messages import (
    AssistantContent,
    AssistantMessage,
    ImageBlock,
    Message,
    StopReason,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResultMessage,
    Usage,
    UserContent,
    UserMessage,
    UserOrigin,
)
from openclaw_tui.session.wording import bash_text, branch_summary_text, compaction_summary_text

Record = dict[str, Any]

_APIS = {"anthropic": "anthropic-messages", "openai-chat": "openai-completions", "google": "google-generative-ai"}
_OUR_APIS = {theirs: ours for ours, theirs in _APIS.items()}
_STOPS: dict[str, StopReason] = {
    "stop": "stop",
    "length": "length",
    "toolUse": "tool_use",
    "error": "error",
    "aborted": "aborted",
}
_ORIGINS: tuple[UserOrigin, ...] = ("compaction_summary", "branch_summary", "custom", "bash", "subagent")
_CALL_TYPES = ("toolCall", "toolUse", "functionCall")


def encode_message(message: Message) -> Record:
    blocks = [encode_block(block) for block in message.content]
    match message:
        case UserMessage(timestamp=timestamp, origin=origin):
            record: Record = {"role": "user", "content": blocks, "timestamp": timestamp}
            return record | given(origin=origin if origin != "user" else None)
        case ToolResultMessage(tool_call_id=call_id, tool_name=name, details=details):
            record = {"role": "toolResult", "toolCallId": call_id, "toolName": name, "content": blocks}
            record |= given(details=details)
            return record | {"isError": message.is_error, "timestamp": message.timestamp}
        case AssistantMessage():
            record = {"role": "assistant", "content": blocks, "api": _APIS.get(message.api, message.api)}
            record |= {"provider": message.provider, "model": message.model}
            record |= {"usage": _encode_usage(message.usage, message.cost_usd)}
            refused = message.stop_reason == "refusal"
            stop = "error" if refused else "toolUse" if message.stop_reason == "tool_use" else message.stop_reason
            record |= {"stopReason": stop} | given(rawStopReason="refusal" if refused else None)
            record |= given(errorMessage=message.error_message) | {"timestamp": message.timestamp}
            return record | given(responseId=message.response_id)


def decode_message(record: Record, entry_id: str | None = None) -> Message | None:
    """The message of a record, or None where its role is nothing for a model. Raises KeyError or TypeError if odd."""
    role, timestamp = record["role"], count_of_key(record, "timestamp")
    match role:
        case "user":
            found = [origin for origin in _ORIGINS if record.get("origin") == origin]
            content = decode_user_content(record.get("content"))
            return UserMessage(content, timestamp, found[0] if found else "user", entry_id)
        case "assistant":
            return _decode_assistant(record, timestamp, entry_id)
        case "toolResult":
            return ToolResultMessage(
                tool_call_id=text_of_key(record, "toolCallId"),
                tool_name=text_of_key(record, "toolName"),
                content=decode_user_content(record.get("content")),
                is_error=record.get("isError") is True,
                details=mapping_of_key(record, "details"),
                timestamp=timestamp,
                entry_id=entry_id,
            )
        case "custom" | "hookMessage":
            return UserMessage(decode_user_content(record.get("content")), timestamp, "custom", entry_id)
        case "bashExecution" if record.get("excludeFromContext") is not True:
            text = bash_text(
                text_of_key(record, "command"),
                text_of_key(record, "output"),
                record.get("exitCode"),
                bool(record.get("cancelled")),
            )
            return UserMessage((TextBlock(text),), timestamp, "bash", entry_id)
        case "branchSummary":
            text = branch_summary_text(text_of_key(record, "summary"))
            return UserMessage((TextBlock(text),), timestamp, "branch_summary", entry_id)
        case "compactionSummary":
            text = compaction_summary_text(text_of_key(record, "summary"))
            return UserMessage((TextBlock(text),), timestamp, "compaction_summary", entry_id)
    return None


def _decode_assistant(record: Record, timestamp: int, entry_id: str | None) -> AssistantMessage:
    raw = record.get("content")
    blocks = [{"type": "text", "text": raw}] if isinstance(raw, str) else raw if isinstance(raw, list) else []
    usage, cost = _decode_usage(record.get("usage"))
    stop = _STOPS.get(text_of_key(record, "stopReason"), "stop")
    api = text_of_key(record, "api")
    return AssistantMessage(
        content=tuple(_assistant_block(block) for block in blocks),
        api=_OUR_APIS.get(api, api),
        provider=text_of_key(record, "provider"),
        model=text_of_key(record, "model"),
        usage=usage,
        stop_reason="refusal" if stop == "error" and record.get("rawStopReason") == "refusal" else stop,
        error_message=optional_text(record, "errorMessage"),
        timestamp=timestamp,
        response_id=optional_text(record, "responseId"),
        cost_usd=cost,
        entry_id=entry_id,
    )


def encode_block(block: UserContent | AssistantContent) -> Record:
    match block:
        case TextBlock(text=text, signature=signature):
            return {"type": "text", "text": text} | given(textSignature=signature)
        case ImageBlock(data=data, mime_type=mime_type):
            return {"type": "image", "data": data, "mimeType": mime_type}
        case ThinkingBlock(thinking=thinking, signature=signature, redacted=redacted):
            record: Record = {"type": "thinking", "thinking": thinking} | given(thinkingSignature=signature)
            return record | ({"redacted": True} if redacted else {})
        case ToolCallBlock():
            record = {"type": "toolCall", "id": block.id, "name": block.name}
            record |= {"arguments": dict(block.arguments)}
            record |= given(thoughtSignature=block.thought_signature, invalidArguments=block.invalid_arguments)
            return record


def decode_user_content(raw: Any) -> tuple[UserContent, ...]:
    if isinstance(raw, str):
        return (TextBlock(raw),)
    return tuple(_user_block(block) for block in raw) if isinstance(raw, list) else ()


def _user_block(block: Record) -> UserContent:
    if block.get("type") == "image" and isinstance(block.get("data"), str):
        return ImageBlock(block["data"], text_of_key(block, "mimeType") or "image/png")
    return _text_block(block)


def _assistant_block(block: Record) -> AssistantContent:
    if block.get("type") == "thinking":
        signature = optional_text(block, "thinkingSignature")
        return ThinkingBlock(text_of_key(block, "thinking"), signature, block.get("redacted") is True)
    if block.get("type") not in _CALL_TYPES:
        return _text_block(block)
    arguments: Any = block.get("arguments", block.get("input"))
    broken = optional_text(block, "invalidArguments")
    if not isinstance(arguments, dict):
        arguments, broken = {}, arguments if isinstance(arguments, str) else json.dumps(arguments)
    signature = optional_text(block, "thoughtSignature")
    return ToolCallBlock(text_of_key(block, "id"), text_of_key(block, "name"), arguments, signature, broken)


def _text_block(block: Record) -> TextBlock:
    if block.get("type") == "text":
        return TextBlock(text_of_key(block, "text"), optional_text(block, "textSignature"))
    return TextBlock(f"[content of type {block.get('type')} cannot be shown]")


def _encode_usage(usage: Usage, cost: float | None) -> Record:
    record: Record = {"input": usage.input, "output": usage.output, "cacheRead": usage.cache_read}
    record |= {"cacheWrite": usage.cache_write, "totalTokens": usage.context_tokens}
    record |= given(cacheWrite1h=usage.cache_write_long or None, reasoning=usage.reasoning or None)
    record |= {} if usage.cache_reported else {"cacheReported": False}
    price: Record = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": cost or 0}
    return record | {"cost": price if cost is not None else price | {"known": False}}


def _decode_usage(raw: Any) -> tuple[Usage, float | None]:
    if not isinstance(raw, dict):
        return Usage(), None
    price = raw.get("cost")
    total = price.get("total") if isinstance(price, dict) and price.get("known") is not False else None
    usage = Usage(
        input=count_of_key(raw, "input"),
        output=count_of_key(raw, "output"),
        cache_read=count_of_key(raw, "cacheRead"),
        cache_write=count_of_key(raw, "cacheWrite"),
        cache_write_long=count_of_key(raw, "cacheWrite1h"),
        reasoning=count_of_key(raw, "reasoning"),
        cache_reported=raw.get("cacheReported") is not False,
    )
    return usage, float(total) if isinstance(total, (int, float)) else None


def given(**values: Any) -> Record:
    return {key: value for key, value in values.items() if value is not None}


def text_of_key(record: Mapping[str, Any], key: str) -> str:
    value = record.get(key)
    return value if isinstance(value, str) else ""


def optional_text(record: Mapping[str, Any], key: str) -> str | None:
    value = record.get(key)
    return value if isinstance(value, str) else None


def count_of_key(record: Mapping[str, Any], key: str) -> int:
    value = record.get(key)
    return int(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else 0


def mapping_of_key(record: Mapping[str, Any], key: str) -> Mapping[str, Any] | None:
    value = record.get(key)
    return value if isinstance(value, dict) or value is None else {"value": value}
