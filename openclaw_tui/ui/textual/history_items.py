"""Stored messages as transcript items: what a resumed session shows.

The same words as live: notes on answers that were cut off, cards with state, size and diff, separators where a layer
changed the context. The branch is shown from its root, so that what a compaction covers can still be read.
"""

from collections.abc import Iterable, Iterator

from openclaw_tui.agent.child_report import announced_line
from openclaw_tui.agent.open_pairs import INTERRUPTED_TEXT
from openclaw_tui.messages import (
    AssistantMessage,
    ImageBlock,
    Message,
    ThinkingBlock,
    ToolCallBlock,
    ToolResultMessage,
    UserMessage,
    text_of,
)
from openclaw_tui.session.custom_types import USER_SHELL
from openclaw_tui.session.entries import BranchSummaryEntry, CompactionEntry, CustomEntry, Entry, MessageEntry
from openclaw_tui.ui.textual.rendering.safe_text import one_line
from openclaw_tui.ui.textual.widgets.tool_output import size_text
from openclaw_tui.ui.textual.widgets.transcript_items import (
    AssistantItem,
    Item,
    NoticeItem,
    SeparatorItem,
    ToolItem,
    ToolState,
    UserItem,
)

_TOLD_ARGUMENTS = ("command", "path", "file_path", "pattern", "query", "url", "name", "id")


def history_items(entries: Iterable[Entry]) -> list[Item]:
    """The items of a branch, root first."""
    return list(_items(entries))


def _items(entries: Iterable[Entry]) -> Iterator[Item]:
    open_calls: dict[str, ToolItem] = {}
    for number, entry in enumerate(entries):
        match entry:
            case MessageEntry(message=ToolResultMessage() as result):
                card = open_calls.pop(result.tool_call_id, None)
                if card is not None:
                    finish_card(card, result)
            case MessageEntry(message=message) if message is not None:
                for item in _of_message(message, f"h{number}"):
                    if isinstance(item, ToolItem):
                        open_calls[item.id.partition("/")[2]] = item
                    yield item
            case CompactionEntry(tokens_before=before):
                yield SeparatorItem(
                    id=f"h{number}", text=f"summarised {before:,} tokens; what is above left the context"
                )
            case CustomEntry(custom_type=custom, data=data) if custom == USER_SHELL and isinstance(data, dict):
                yield shell_item(f"h{number}", "!!", str(data.get("command")), str(data.get("output")))
            case BranchSummaryEntry():
                yield SeparatorItem(id=f"h{number}", text="went on from an earlier point")
            case _:
                pass


def _of_message(message: Message, id: str) -> Iterator[Item]:
    if isinstance(message, UserMessage) and (line := announced_line(message)):
        yield NoticeItem(id=id, level="info", text=one_line(line))
    elif isinstance(message, UserMessage) and message.origin == "bash":
        command, _, output = text_of(message.content).partition("\n")
        yield shell_item(id, "!", command.removeprefix("The user ran `").removesuffix("`."), output)
    elif isinstance(message, UserMessage):
        yield UserItem(id=id, text=text_of(message.content), images=image_words(message.content))
    elif isinstance(message, AssistantMessage):
        thinking = "\n\n".join(block.thinking for block in message.content if isinstance(block, ThinkingBlock))
        yield AssistantItem.whole(id, text_of(message.content), thinking=thinking, note=note_of(message))
        if not message.is_partial:
            for call in message.tool_calls:
                yield ToolItem(id=f"{id}/{call.id}", name=call.name, summary=call_words(call), state="stopped")


def last_plan(entries: Iterable[Entry]) -> tuple[tuple[str, str], ...]:
    """The steps and states of the plan that was made last on a branch."""
    plan: object = None
    for entry in entries:
        if isinstance(entry, MessageEntry) and isinstance(entry.message, ToolResultMessage):
            plan = (entry.message.details or {}).get("plan", plan)
    rows = plan if isinstance(plan, list) else []
    return tuple((str(row.get("step")), str(row.get("status"))) for row in rows if isinstance(row, dict))


def shell_item(id: str, sign: str, command: str, output: str) -> ToolItem:
    """The card of a command the user ran."""
    card = ToolItem(id=id, name=sign, summary=one_line(command), state="done", size=len(output.encode()))
    card.set_output(output)
    return card


def finish_card(card: ToolItem, result: ToolResultMessage) -> None:
    """State, size, diff and output of a finished call."""
    text = text_of(result.content)
    details = result.details or {}
    diff = details.get("diff")
    card.state = state_of(result)
    card.size = len(text.encode("utf-8", "replace"))
    card.diff = diff if isinstance(diff, str) and diff else None
    card.set_output(text)


def state_of(result: ToolResultMessage) -> ToolState:
    """How a call ended, as the card says it."""
    if not result.is_error:
        return "done"
    if (result.details or {}).get("denied"):
        return "denied"
    return "stopped" if INTERRUPTED_TEXT in text_of(result.content)[:200] else "failed"


def note_of(message: AssistantMessage) -> str | None:
    """Why an answer is not a whole one."""
    match message.stop_reason:
        case "aborted":
            return "interrupted"
        case "error":
            return f"failed: {message.error_message or 'the answer broke off'}"
        case "length":
            return "cut off: the longest answer this model gives was reached"
        case "refusal":
            return "the model declined to answer"
        case _:
            return None


def call_words(call: ToolCallBlock) -> str:
    """What a call is about, from its arguments: for cards whose tool does not tell (any more)."""
    told = [str(call.arguments[name]) for name in _TOLD_ARGUMENTS if call.arguments.get(name)]
    return one_line(" ".join(told[:2]))


def image_words(content: Iterable[object]) -> tuple[str, ...]:
    """The words on the chips of a message's pictures."""
    return tuple(
        f"{block.mime_type.rpartition('/')[2]} {size_text(len(block.data) * 3 // 4)}"
        for block in content
        if isinstance(block, ImageBlock)
    )
