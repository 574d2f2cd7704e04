"""A summary made without a model: what can be read off the messages themselves.

The last level of every fallback, and the whole summary of the offline model. Deterministic.
"""

from collections.abc import Sequence

from openclaw_tui.compaction.identifiers import extract_identifiers
from openclaw_tui.constants import EXTRACT_MAX_IDENTIFIERS, EXTRACT_MAX_LINES, EXTRACT_REQUEST_CHARS
from openclaw_tui.messages import AssistantMessage, Message, ToolResultMessage, UserMessage, text_of

_WRITERS = frozenset({"write", "edit", "apply_patch"})


def extractive_summary(messages: Sequence[Message]) -> str:
    """Requests, files, commands, failures, last answer and identifiers, each list bounded with its real count."""
    parts = [
        _section("Requests of the user", _requests(messages)),
        _section("Files changed", files_touched(messages)[1]),
        _section("Files read", files_touched(messages)[0]),
        _section("Commands run", _commands(messages)),
        _section("Failures", tool_failures(messages)),
        _section("Last answer", _last_answer(messages)),
        _section("Identifiers", _identifiers(messages), EXTRACT_MAX_IDENTIFIERS),
    ]
    return "\n\n".join(part for part in parts if part) or "Nothing could be extracted."


def files_touched(messages: Sequence[Message]) -> tuple[list[str], list[str]]:
    """Paths that were only read, and paths that were changed, each sorted."""
    read: set[str] = set()
    changed: set[str] = set()
    for message in messages:
        if isinstance(message, AssistantMessage):
            for call in message.tool_calls:
                path = call.arguments.get("path")
                if isinstance(path, str) and call.name in _WRITERS:
                    changed.add(path)
                elif isinstance(path, str) and call.name == "read":
                    read.add(path)
    return sorted(read - changed), sorted(changed)


def tool_failures(messages: Sequence[Message]) -> list[str]:
    """One line for each failed call, blanks folded, at most 240 characters."""
    lines: dict[str, str] = {}
    for message in messages:
        if isinstance(message, ToolResultMessage) and message.is_error:
            text = " ".join(text_of(message.content).split())[:240] or "failed (no output)"
            lines[message.tool_call_id] = f"{message.tool_name}: {text}"
    return list(lines.values())


def _requests(messages: Sequence[Message]) -> list[str]:
    texts = [text_of(m.content) for m in messages if isinstance(m, UserMessage) and m.origin == "user"]
    return [" ".join(text.split())[:EXTRACT_REQUEST_CHARS] for text in texts if text.strip()]


def _commands(messages: Sequence[Message]) -> list[str]:
    commands = [
        call.arguments.get("command")
        for message in messages
        if isinstance(message, AssistantMessage)
        for call in message.tool_calls
        if call.name == "exec"
    ]
    return list(dict.fromkeys(" ".join(c.split())[:160] for c in commands if isinstance(c, str)))


def _last_answer(messages: Sequence[Message]) -> list[str]:
    for message in reversed(messages):
        if isinstance(message, AssistantMessage) and text_of(message.content).strip():
            return [" ".join(text_of(message.content).split())[:600]]
    return []


def _identifiers(messages: Sequence[Message]) -> list[str]:
    return extract_identifiers("\n".join(text_of(message.content) for message in messages), EXTRACT_MAX_IDENTIFIERS)


def _section(title: str, lines: Sequence[str], limit: int = EXTRACT_MAX_LINES) -> str:
    if not lines:
        return ""
    shown = [f"- {line}" for line in lines[-limit:]]
    more = [f"- ... and {len(lines) - limit} earlier ones"] if len(lines) > limit else []
    return "\n".join([f"### {title}", *more, *shown])
