"""`/find` and `/transcript`: words in the whole talk, also before a compaction, and the talk to read as a whole."""

from collections.abc import Iterator

from openclaw_tui.app.compose import App
from openclaw_tui.commands.registry import Command, CommandOutput, table_text
from openclaw_tui.constants import FIND_AROUND_CHARS, FIND_MAX_ROWS
from openclaw_tui.messages import AssistantMessage, ToolResultMessage, UserMessage, text_of
from openclaw_tui.session.entries import MessageEntry
from openclaw_tui.tools.terminal_text import one_line


async def _find(app: App, argument: str) -> CommandOutput:
    if not argument:
        return CommandOutput("/find WORDS looks through the whole talk", action="find")
    rows = [row for prompt, who, text in _texts(app) for row in _rows(prompt, who, text, argument)]
    if not rows:
        return CommandOutput(f"{argument!r} is not in this talk", action="find", payload=argument)
    shown = rows[-FIND_MAX_ROWS:]
    left = f"\n… and {len(rows) - len(shown)} earlier ones" if len(rows) > len(shown) else ""
    head = f"{len(rows)} places; the number is that of the prompt before it\n"
    return CommandOutput(head + table_text(shown) + left, action="find", payload=argument)


async def _transcript(app: App, argument: str) -> CommandOutput:
    rows = [(str(prompt), who, one_line(text)[: 2 * FIND_AROUND_CHARS]) for prompt, who, text in _texts(app)]
    return CommandOutput(table_text(rows) or "nothing was said yet", action="pager", payload=argument)


def _texts(app: App) -> Iterator[tuple[int, str, str]]:
    """Number of the prompt, who speaks, and what; in the order of the branch."""
    prompt = 0
    for entry in app.session.deps.manager.branch():
        message = entry.message if isinstance(entry, MessageEntry) else None
        match message:
            case UserMessage():
                prompt += message.origin == "user"
                yield prompt, "you", text_of(message.content)
            case AssistantMessage():
                yield prompt, "answer", text_of(message.content)
            case ToolResultMessage():
                yield prompt, message.tool_name, text_of(message.content)
            case _:
                pass


def _rows(prompt: int, who: str, text: str, words: str) -> Iterator[tuple[str, str, str]]:
    """One row for each message that holds the words, with what stands around the first place."""
    folded = str if words != words.lower() else str.lower
    at = folded(text).find(folded(words))
    if at >= 0:
        start = max(0, at - FIND_AROUND_CHARS)
        around = one_line(text[start : at + len(words) + FIND_AROUND_CHARS])
        yield str(prompt), who, f"{'…' if start else ''}{around}"


FIND_COMMANDS = (
    Command("find", "words in the whole talk", _find, hint="[WORDS]", aliases=("search",)),
    Command("transcript", "the whole talk to read, everything unfolded", _transcript, hint="[WORDS]"),
)
