"""Short ways to write the conversations the guard tests need."""

from openclaw_tui.messages import (
    AssistantMessage,
    Message,
    TextBlock,
    ToolCallBlock,
    ToolResultMessage,
    UserContent,
    UserMessage,
)


def user(text: str = "go") -> UserMessage:
    return UserMessage((TextBlock(text),))


def asks(*numbers: int, tool: str = "exec") -> AssistantMessage:
    calls = tuple(ToolCallBlock(f"c{number}", tool, {}) for number in numbers)
    return AssistantMessage(calls, api="anthropic", stop_reason="tool_use")


def says(text: str = "fine") -> AssistantMessage:
    return AssistantMessage((TextBlock(text),), api="anthropic")


def gives(number: int, text: str | int, *more: UserContent, tool: str = "exec") -> ToolResultMessage:
    """A result with entry id `e<number>`; a number as text means that many plain characters."""
    body = text if isinstance(text, str) else ("plain words\n" * (text // 12 + 1))[:text]
    return ToolResultMessage(f"c{number}", tool, (TextBlock(body), *more), entry_id=f"e{number}")


def steps(sizes: list[int], tool: str = "exec") -> tuple[Message, ...]:
    """A user message and one call with its result per size; the last result is not yet seen by the model."""
    found: list[Message] = [user()]
    for number, size in enumerate(sizes, 1):
        found += [asks(number, tool=tool), gives(number, size, tool=tool)]
    return tuple(found)


def result_ids(count: int) -> dict[str, str]:
    return {f"e{number}": f"t{number}" for number in range(1, count + 1)}


def texts_of_results(messages: tuple[Message, ...]) -> list[str]:
    found = []
    for message in messages:
        if isinstance(message, ToolResultMessage):
            found.append("\n".join(block.text for block in message.content if isinstance(block, TextBlock)))
    return found
