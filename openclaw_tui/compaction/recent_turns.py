"""The turns right before the kept tail, in short form: what a summary blurs first is what was said last.

A tail that already holds as many turns as are wanted needs none of this. The newest lines win where room is short.
"""

from collections import Counter
from collections.abc import Sequence

from openclaw_tui.constants import RECENT_TURN_LINE_CHARS, RECENT_TURNS_CHARS
from openclaw_tui.messages import (
    AssistantMessage,
    ImageBlock,
    Message,
    ToolCallBlock,
    ToolResultMessage,
    UserMessage,
    text_of,
)


def recent_turn_lines(covered: Sequence[Message], kept: Sequence[Message], wanted: int) -> tuple[str, ...]:
    """One line for each message of the last turns of `covered`, as many turns as `kept` is short of `wanted`."""
    missing = wanted - sum(map(_begins_turn, kept))
    starts = [index for index, message in enumerate(covered) if _begins_turn(message)]
    if missing <= 0 or not starts:
        return ()
    start = starts[max(0, len(starts) - missing)]
    lines: list[str] = []
    room = RECENT_TURNS_CHARS
    for message in reversed(covered[start:]):
        line = _line(message)
        room -= len(line)
        if room < 0:
            break
        if line:
            lines.append(line)
    return tuple(reversed(lines))


def _begins_turn(message: Message) -> bool:
    return isinstance(message, UserMessage) and message.origin == "user"


def _line(message: Message) -> str:
    text = " ".join(text_of(message.content).split())
    if len(text) > RECENT_TURN_LINE_CHARS:
        text = f"{text[:RECENT_TURN_LINE_CHARS]}..."
    text = f"{text} {_other_content(message)}".strip()
    match message:
        case UserMessage():
            return f"User: {text}" if text else ""
        case AssistantMessage():
            return f"Assistant: {text}" if text else ""
        case ToolResultMessage(tool_name=name):
            return f"Tool result ({name}): {text}" if text else ""


def _other_content(message: Message) -> str:
    kinds = Counter("image" if isinstance(block, ImageBlock) else "call of " + block.name for block in _others(message))
    listed = ", ".join(f"{kind} x{count}" if count > 1 else kind for kind, count in kinds.items())
    return f"[non-text content: {listed}]" if listed else ""


def _others(message: Message) -> list[ImageBlock | ToolCallBlock]:
    return [block for block in message.content if isinstance(block, ImageBlock | ToolCallBlock)]
