"""Short talks for the session tests."""

from pathlib import Path

from openclaw_tui.messages import (
    AssistantMessage,
    ImageBlock,
    Message,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResultMessage,
    Usage,
    user_text,
)
from openclaw_tui.session.manager import SessionManager

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def answer(text: str, *calls: tuple[str, str], model: str = "claude-sonnet-5-5") -> AssistantMessage:
    """An assistant message; each call is (id, tool name)."""
    blocks = [ToolCallBlock(call_id, name, {"path": "a.txt"}) for call_id, name in calls]
    return AssistantMessage(
        content=(TextBlock(text), *blocks),
        api="anthropic",
        provider="anthropic",
        model=model,
        usage=Usage(input=10, output=5, cache_read=100, cache_write=20),
        stop_reason="tool_use" if calls else "stop",
        cost_usd=0.25,
        response_id="msg_1",
    )


def result(call_id: str, text: str, name: str = "read") -> ToolResultMessage:
    return ToolResultMessage(call_id, name, (TextBlock(text),))


def rich_messages() -> list[Message]:
    """One of everything a message can hold."""
    return [
        user_text("please look"),
        AssistantMessage(
            content=(
                ThinkingBlock("hm", "sig=="),
                ThinkingBlock("", "opaque", redacted=True),
                TextBlock("looking", '{"v":1,"id":"msg_0","phase":"commentary"}'),
                ToolCallBlock("c1", "read", {"path": "ä\u2028.txt", "n": [1, 2.5, None, True]}, "thought=="),
                ToolCallBlock("c2", "exec", {}, None, '{"command": "ls'),
            ),
            api="openai-chat",
            provider="openai",
            model="gpt-6",
            usage=Usage(1, 2, 3, 4, 2, 1, cache_reported=False),
            stop_reason="tool_use",
            response_id="resp_1",
        ),
        ToolResultMessage("c1", "read", (TextBlock("x"), ImageBlock(PIXEL, "image/png")), details={"lines": 3}),
        ToolResultMessage("c2", "exec", (TextBlock("bad arguments"),), is_error=True),
        AssistantMessage((TextBlock("I will not."),), "anthropic", "anthropic", "claude", stop_reason="refusal"),
        AssistantMessage((TextBlock("half an ans"),), "google", "google", "gemini", stop_reason="aborted"),
        AssistantMessage((), "offline", "offline", "guide", stop_reason="error", error_message="no"),
    ]


def session(directory: Path, *texts: str) -> SessionManager:
    """A stored session with one user message and one answer per text."""
    manager = SessionManager.create(directory, cwd=directory)
    for text in texts:
        manager.append_message(user_text(text))
        manager.append_message(answer(f"answer to {text}"))
    return manager


def texts(manager: SessionManager) -> list[str]:
    """The visible text of all projected messages."""
    return [
        "".join(block.text for block in message.content if isinstance(block, TextBlock))
        for message in manager.project().messages
    ]
