"""Every message of a session as text that `recall` can search: covered by a summary, archived, or still in context."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from openclaw_tui.agent.result_ids import ResultIds
from openclaw_tui.artifacts.recall import RecallText
from openclaw_tui.messages import AssistantMessage, Message, TextBlock, ToolCallBlock, ToolResultMessage, UserMessage
from openclaw_tui.session.archive import archive_path, archived_entries
from openclaw_tui.session.entries import Entry
from openclaw_tui.session.manager import SessionManager
from openclaw_tui.session.projection import message_of
from openclaw_tui.tokens import compact_json


def session_texts(manager: SessionManager, branch: Sequence[Entry] | None = None) -> Iterator[RecallText]:
    """Oldest first: what was taken out of the file, then the active branch, or the one that is given."""
    archived = list(archived_entries(archive_path(manager.path))) if manager.path is not None else []
    branch = manager.branch() if branch is None else branch
    inside = {entry.id for entry in branch}
    yield from _texts([*(entry for entry in archived if entry.id not in inside), *branch])


def _texts(entries: Iterable[Entry]) -> Iterator[RecallText]:
    messages = [message for entry in entries if (message := message_of(entry)) is not None]
    names = ResultIds.names(messages)
    for message in messages:
        text = _text(message)
        if message.entry_id is not None and text.strip():
            yield RecallText(message.entry_id, _label(message), text, names.get(message.entry_id, ""))


def _text(message: Message) -> str:
    return "\n".join(
        block.text if isinstance(block, TextBlock) else _call_text(block)
        for block in message.content
        if isinstance(block, TextBlock | ToolCallBlock)
    )


def _call_text(call: ToolCallBlock) -> str:
    arguments: Mapping[str, object] = call.arguments
    return f"{call.name}({compact_json(dict(arguments))})"


def _label(message: Message) -> str:
    match message:
        case ToolResultMessage(tool_name=name):
            return name
        case AssistantMessage():
            return "assistant"
        case UserMessage(origin="user"):
            return "user"
        case UserMessage(origin=origin):
            return origin.replace("_", " ")
