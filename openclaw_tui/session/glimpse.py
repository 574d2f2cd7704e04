"""The last words of a stored session, for a preview: read from the end of the file, never the whole of it."""

from pathlib import Path

from openclaw_tui.constants import SESSION_PEEK_BYTES
from openclaw_tui.messages import AssistantMessage, UserMessage, text_of
from openclaw_tui.session.codec import decode_entry
from openclaw_tui.session.entries import MessageEntry


def last_words(path: Path, count: int) -> list[tuple[str, str]]:
    """The latest texts of user and model as (who, text on one line), oldest first. Empty where nothing can be read."""
    try:
        with path.open("rb") as handle:
            size = handle.seek(0, 2)
            handle.seek(max(0, size - SESSION_PEEK_BYTES))
            lines = handle.read().split(b"\n")
    except OSError:
        return []
    found: list[tuple[str, str]] = []
    for line in reversed(lines):
        if len(found) == count:
            break
        if said := _said(line):
            found.insert(0, said)
    return found


def _said(line: bytes) -> tuple[str, str] | None:
    try:
        entry = decode_entry(line, entry_id="", parent_id=None)
    except (ValueError, RecursionError):
        return None
    message = entry.message if isinstance(entry, MessageEntry) else None
    if isinstance(message, UserMessage) and message.origin == "user":
        who = "you"
    elif isinstance(message, AssistantMessage):
        who = "model"
    else:
        return None
    text = " ".join(text_of(message.content).split())
    return (who, text) if text else None
