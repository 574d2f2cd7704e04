"""Events as JSON lines: interface.md section 7. The one place that knows the shape of the stream."""

from collections.abc import Mapping, Sequence
from typing import Any

from openclaw_tui.events import (
    AgentEvent,
    ContextAct,
    MessageEnded,
    SubagentEvent,
    TextDelta,
    ThinkingDelta,
    ToolEnded,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)
from openclaw_tui.messages import (
    AssistantMessage,
    ContentBlock,
    ImageBlock,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResultMessage,
    Usage,
)


def init_object(
    *,
    session_id: str,
    model: str,
    provider: str,
    cwd: str,
    tools: Sequence[str],
    permission_mode: str,
    context_window: int,
    engine: str,
    version: str,
) -> dict[str, Any]:
    return {
        "type": "system",
        "subtype": "init",
        "session_id": session_id,
        "model": model,
        "provider": provider,
        "cwd": cwd,
        "tools": list(tools),
        "permission_mode": permission_mode,
        "context_window": context_window,
        "engine": engine,
        "version": version,
    }


def event_object(event: AgentEvent, *, verbose: bool) -> dict[str, Any] | None:
    """The line for an event, None for events that have none."""
    match event:
        case MessageEnded(message=message, discarded=False):
            return {"type": "assistant", "message": message_data(message)}
        case ToolEnded(result=result):
            return {"type": "user", "message": message_data(result)}
        case ContextAct():
            return context_object(event)
        case SubagentEvent():
            return subagent_object(event)
        case TextDelta(message_id=message_id, text=text) if verbose:
            return {"type": "stream_event", "event": {"type": "text_delta", "message_id": message_id, "text": text}}
        case ThinkingDelta(message_id=message_id, text=text) if verbose:
            return {"type": "stream_event", "event": {"type": "thinking_delta", "message_id": message_id, "text": text}}
        case _:
            return None


def subagent_object(event: SubagentEvent) -> dict[str, Any] | None:
    """Of a sub-agent when it starts, what it calls, and how it ended; its report is the result of the parent's call."""
    inner: AgentEvent = event
    while isinstance(inner, SubagentEvent):
        event, inner = inner, inner.event
    head = {"type": "subagent", "parent_tool_use_id": event.parent_call_id}
    match inner:
        case TurnStarted(session_key=key):
            return {**head, "event": "started", "session_key": key}
        case ToolStarted(call=call, session_key=key):
            tool = {"id": call.id, "name": call.name, "input": dict(call.arguments)}
            return {**head, "event": "tool", "session_key": key, "tool_use": tool}
        case TurnEnded(session_key=key):
            told = {"outcome": inner.outcome, "num_turns": inner.steps, "usage": usage_data(inner.usage)}
            return {**head, "event": "ended", "session_key": key, **told, "cost_usd": inner.cost_usd}
        case _:
            return None


def context_object(act: ContextAct) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "type": "context",
        "layer": act.layer,
        "event": act.verb,
        "reason": act.reason or None,
        "tokens_before": act.tokens_before,
        "tokens_after": act.tokens_after,
        "cost_usd": act.cost_usd,
        "seconds": act.seconds,
        "data": dict(act.data) or None,
    }
    return {name: value for name, value in fields.items() if value is not None}


def message_data(message: AssistantMessage | ToolResultMessage) -> dict[str, Any]:
    """A message in the shape users of other agents' streams know."""
    if isinstance(message, ToolResultMessage):
        result = {
            "type": "tool_result",
            "tool_use_id": message.tool_call_id,
            "tool_name": message.tool_name,
            "content": [_block(block) for block in message.content],
            "is_error": message.is_error,
        }
        return {"role": "user", "content": [result]}
    return {
        "role": "assistant",
        "model": message.model,
        "provider": message.provider,
        "content": [_block(block) for block in message.content],
        "stop_reason": message.stop_reason,
        "usage": usage_data(message.usage),
    }


def usage_data(usage: Usage) -> dict[str, int]:
    return {
        "input_tokens": usage.input,
        "output_tokens": usage.output,
        "cache_read_input_tokens": usage.cache_read,
        "cache_creation_input_tokens": usage.cache_write,
    }


def result_object(
    *,
    subtype: str,
    result: str,
    num_turns: int,
    session_id: str,
    duration_ms: int,
    usage: Usage,
    total_cost_usd: float | None,
    permission_denials: Sequence[Mapping[str, Any]],
    context: Mapping[str, int],
    model: str,
    error: str | None,
) -> dict[str, Any]:
    data: dict[str, Any] = {
        "type": "result",
        "subtype": subtype,
        "is_error": subtype != "success",
        "result": result,
        "num_turns": num_turns,
        "session_id": session_id,
        "model": model,
        "duration_ms": duration_ms,
        "usage": usage_data(usage),
        "total_cost_usd": total_cost_usd,
        "permission_denials": [dict(denial) for denial in permission_denials],
        "context": dict(context),
    }
    return data | ({"error": error} if error else {})


def _block(block: ContentBlock) -> dict[str, Any]:
    match block:
        case TextBlock(text=text):
            return {"type": "text", "text": text}
        case ThinkingBlock(thinking=thinking):
            return {"type": "thinking", "thinking": thinking}
        case ImageBlock(mime_type=mime_type, data=data):
            return {"type": "image", "media_type": mime_type, "chars": len(data)}
        case ToolCallBlock(id=call_id, name=name, arguments=arguments):
            return {"type": "tool_use", "id": call_id, "name": name, "input": dict(arguments)}
