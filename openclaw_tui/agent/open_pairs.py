"""Keeps started/ended events in matched pairs, whatever happens in between.

Every event of a turn passes through here on its way to the broadcast. When a turn is cut short, `close` emits the ends
that are missing, so that no front end is left with a spinner.
"""

from openclaw_tui.events import (
    AgentEvent,
    ApprovalRequested,
    ApprovalResolved,
    CompactionEnded,
    CompactionStarted,
    MemoryFlushEnded,
    MemoryFlushStarted,
    MessageEnded,
    MessageStarted,
    Sink,
    ToolEnded,
    ToolStarted,
)
from openclaw_tui.messages import AssistantMessage, TextBlock, ToolResultMessage

INTERRUPTED_TEXT = "interrupted by the user before it finished"


class OpenPairs:
    """A sink in front of a sink; remembers which pairs are open."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._open: dict[tuple[str, str], AgentEvent] = {}

    def __call__(self, event: AgentEvent) -> None:
        match event:
            case MessageStarted(message_id=key):
                self._open["message", key] = event
            case MessageEnded(message_id=key):
                self._open.pop(("message", key), None)
            case ToolStarted(call=call):
                self._open["tool", call.id] = event
            case ToolEnded(call_id=key):
                self._open.pop(("tool", key), None)
            case ApprovalRequested(approval_id=key):
                self._open["approval", key] = event
            case ApprovalResolved(approval_id=key):
                self._open.pop(("approval", key), None)
            case CompactionStarted():
                self._open["compaction", ""] = event
            case CompactionEnded():
                self._open.pop(("compaction", ""), None)
            case MemoryFlushStarted():
                self._open["flush", ""] = event
            case MemoryFlushEnded():
                self._open.pop(("flush", ""), None)
            case _:
                pass
        self._sink(event)

    def close(self, reason: str = INTERRUPTED_TEXT) -> None:
        """End what is open, innermost first."""
        for event in reversed(list(self._open.values())):
            end = _end_of(event, reason)
            if end is not None:
                self(end)


def _end_of(event: AgentEvent, reason: str) -> AgentEvent | None:
    match event:
        case MessageStarted(session_key=key, message_id=message_id):
            message = AssistantMessage(content=(), stop_reason="aborted", error_message=reason)
            return MessageEnded(key, message_id, message, discarded=True)
        case ToolStarted(session_key=key, call=call):
            return ToolEnded(key, call.id, interrupted_result(call.id, call.name, reason), seconds=0.0)
        case ApprovalRequested(session_key=key, approval_id=approval_id):
            return ApprovalResolved(key, approval_id, allowed=False, reason=reason)
        case CompactionStarted(session_key=key, tokens_before=before):
            return CompactionEnded(key, ok=False, tokens_before=before, tokens_after=before, reason=reason)
        case MemoryFlushStarted(session_key=key):
            return MemoryFlushEnded(key, reason=reason)
        case _:
            return None


def interrupted_result(
    call_id: str, name: str, reason: str = INTERRUPTED_TEXT, *, timestamp: int = 0
) -> ToolResultMessage:
    """The error result stored for a call that was requested and never finished."""
    return ToolResultMessage(
        tool_call_id=call_id, tool_name=name, content=(TextBlock(f"[{reason}]"),), is_error=True, timestamp=timestamp
    )
