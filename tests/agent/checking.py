"""What must hold of every stream of events and of every session file, whatever happened."""

from collections.abc import Sequence
from pathlib import Path

from openclaw_tui.events import (
    AgentEvent,
    ApprovalRequested,
    ApprovalResolved,
    CompactionEnded,
    CompactionStarted,
    MessageEnded,
    MessageStarted,
    StepStarted,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    ToolEnded,
    ToolProgress,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)
from openclaw_tui.messages import AssistantMessage, Message, ToolResultMessage
from tests.session.format_validator import assert_valid


def check_events(events: Sequence[AgentEvent]) -> None:
    """Started and ended events match, nest and name known things. A session that is at rest has nothing open."""
    opened: set[tuple[str, str]] = set()

    def begin(kind: str, key: str) -> None:
        assert (kind, key) not in opened, f"{kind} {key} began twice"
        opened.add((kind, key))

    def end(kind: str, key: str) -> None:
        assert (kind, key) in opened, f"{kind} {key} ended without a beginning"
        opened.remove((kind, key))

    for event in events:
        match event:
            case TurnStarted():
                assert not opened, f"a turn began while {opened} were open"
                begin("turn", "")
            case TurnEnded():
                end("turn", "")
                assert not opened, f"a turn ended while {opened} were open"
            case StepStarted():
                assert ("turn", "") in opened, "a step outside of a turn"
            case MessageStarted(message_id=key):
                begin("message", key)
            case MessageEnded(message_id=key):
                end("message", key)
            case TextDelta(message_id=key) | ThinkingDelta(message_id=key) | ToolCallDelta(message_id=key):
                assert ("message", key) in opened, "a delta of a message that is not open"
            case ToolStarted(call=call):
                begin("tool", call.id)
            case ToolEnded(call_id=key):
                end("tool", key)
            case ToolProgress(call_id=key):
                assert ("tool", key) in opened, "progress of a tool that does not run"
            case ApprovalRequested(approval_id=key):
                begin("approval", key)
            case ApprovalResolved(approval_id=key):
                end("approval", key)
            case CompactionStarted():
                begin("compaction", "")
            case CompactionEnded():
                end("compaction", "")
            case _:
                pass
    assert not opened, f"never ended: {opened}"


def check_pairs(messages: Sequence[Message]) -> None:
    """Every call of a whole answer has exactly one result, right after it; every result has its call."""
    waiting: dict[str, str] = {}
    for message in messages:
        match message:
            case AssistantMessage():
                assert not waiting, f"calls without a result: {sorted(waiting)}"
                if not message.is_partial:
                    waiting = {call.id: call.name for call in message.tool_calls}
            case ToolResultMessage(tool_call_id=call_id):
                assert call_id in waiting, f"a result for {call_id}, which is not open"
                del waiting[call_id]
            case _:
                assert not waiting, f"a user message while {sorted(waiting)} wait for their result"
    assert not waiting, f"calls without a result: {sorted(waiting)}"


def check_file(path: Path | None) -> None:
    assert path is not None
    assert_valid(path)
