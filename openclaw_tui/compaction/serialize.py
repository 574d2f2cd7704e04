"""A conversation as labelled text for a summary request that does not repeat the conversation itself.

Roles are kept line by line, so that nothing an assistant or a tool said can be taken for the user's words. Every kind
of block is bounded, arguments as well as results: head and tail with real numbers. Where text is left out, the
identifiers that stood in it are listed, so that the summariser sees them all the same.
"""

from collections.abc import Sequence

from openclaw_tui.compaction.identifiers import extract_identifiers
from openclaw_tui.constants import (
    SUMMARY_ARGUMENT_CHARS,
    SUMMARY_IDENTIFIERS_PER_CUT,
    SUMMARY_RESULT_CHARS,
    SUMMARY_TALK_CHARS,
    SUMMARY_THINKING_CHARS,
)
from openclaw_tui.messages import (
    AssistantMessage,
    ContentBlock,
    ImageBlock,
    Message,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResultMessage,
    UserMessage,
    text_of,
)
from openclaw_tui.tokens import compact_json


def serialize_conversation(messages: Sequence[Message]) -> str:
    """All messages, oldest first, one labelled paragraph each."""
    return "\n\n".join(part for message in messages for part in _paragraphs(message))


def _paragraphs(message: Message) -> list[str]:
    match message:
        case UserMessage(origin="compaction_summary"):
            return [f"[Earlier summary]: {text_of(message.content)}"]
        case UserMessage(origin=origin):
            label = "User" if origin == "user" else f"Program ({origin})"
            return [f"[{label}]: {shorten(_plain(message.content), SUMMARY_TALK_CHARS)}"]
        case ToolResultMessage(tool_name=name, is_error=failed):
            label = f"Tool result of {name}{', failed' if failed else ''}"
            return [f"[{label}]: {shorten(_plain(message.content), SUMMARY_RESULT_CHARS)}"]
        case AssistantMessage():
            return [paragraph for block in message.content if (paragraph := _assistant_paragraph(block))]


def _assistant_paragraph(block: ContentBlock) -> str:
    match block:
        case TextBlock(text=text) if text.strip():
            return f"[Assistant]: {shorten(text, SUMMARY_TALK_CHARS)}"
        case ThinkingBlock(thinking=text, redacted=False) if text.strip():
            return f"[Assistant thinking]: {shorten(text, SUMMARY_THINKING_CHARS)}"
        case ToolCallBlock(name=name, arguments=arguments):
            return f"[Assistant calls {name}]: {shorten(compact_json(dict(arguments)), SUMMARY_ARGUMENT_CHARS)}"
        case _:
            return ""


def _plain(content: Sequence[ContentBlock]) -> str:
    pictures = sum(isinstance(block, ImageBlock) for block in content)
    note = f"\n[{pictures} image{'s' if pictures > 1 else ''}]" if pictures else ""
    return "\n".join(block.text for block in content if isinstance(block, TextBlock)) + note


def shorten(text: str, limit: int) -> str:
    """Head and tail of a long text, the number of characters left out, and the identifiers that stood in them."""
    if len(text) <= limit:
        return text
    head, tail = int(limit * 0.6), limit - int(limit * 0.6)
    left_out = text[head:-tail]
    identifiers = extract_identifiers(left_out, SUMMARY_IDENTIFIERS_PER_CUT)
    listing = f"; identifiers in it: {', '.join(identifiers)}" if identifiers else ""
    return f"{text[:head]}\n[... {len(left_out)} characters left out{listing} ...]\n{text[-tail:]}"
