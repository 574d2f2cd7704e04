"""Results nobody produced: how they look and how they are told from real ones.

Repair invents them in the request, the agent writes them to the file when a turn is interrupted. A real result that
turns up later always beats one of these, so they must be recognisable, also after `details` have been stripped and in
files other programs of the family wrote.
"""

from collections.abc import Mapping
from typing import Any

from openclaw_tui.messages import TextBlock, ToolCallBlock, ToolResultMessage

SYNTHETIC_KEY = "synthetic"
"""Key in `details` of an invented result in a session file."""

_PREFIX = "[no tool result]"
_FOREIGN_PREFIXES = ("[openclaw] missing tool result", "No result provided")


def missing_result_text(tool_name: str) -> str:
    return (
        f"{_PREFIX} The outcome of this {tool_name} call was not recorded. It may have run or not: "
        "check before repeating anything that changes something."
    )


def removed_result_text(tool_name: str) -> str:
    """For results that existed and were taken out on purpose: no failure happened."""
    return f"{_PREFIX} The result of this {tool_name} call was removed by compaction."


def interrupted_result_text(tool_name: str) -> str:
    return f"{_PREFIX} The {tool_name} call was interrupted by the user before it ended."


def synthetic_result(
    call: ToolCallBlock,
    text: str,
    *,
    is_error: bool = True,
    timestamp: int = 0,
    details: Mapping[str, Any] | None = None,
) -> ToolResultMessage:
    """A result for a call without one. `text` comes from one of the functions above.

    What goes to a session file also gets `details={SYNTHETIC_KEY: True}`; what only goes into a request does not.
    """
    return ToolResultMessage(
        tool_call_id=call.id,
        tool_name=call.name,
        content=(TextBlock(text),),
        is_error=is_error,
        details=details,
        timestamp=timestamp,
    )


def is_synthetic(result: ToolResultMessage) -> bool:
    """True for an invented result, ours or one of the family's."""
    if result.details is not None and result.details.get(SYNTHETIC_KEY) is True:
        return True
    first = result.content[0] if len(result.content) == 1 else None
    if not isinstance(first, TextBlock):
        return False
    return first.text.startswith(_PREFIX) or (result.is_error and first.text.startswith(_FOREIGN_PREFIXES))
