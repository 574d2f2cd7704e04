"""A place named by a server is found again among the messages, on each API, whatever stands in front of it."""

import pytest

from openclaw_tui.messages import (
    AssistantMessage,
    ImageBlock,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResultMessage,
    UserMessage,
)
from openclaw_tui.models import ApiName
from openclaw_tui.providers.base import ProviderRequest
from openclaw_tui.providers.wire_places import WirePlace, place_of
from tests.transcript.strategies import SMALL_PNG, model_for, reasoning_item

PICTURE = ImageBlock(SMALL_PNG, "image/png")


def request(api: ApiName) -> ProviderRequest:
    model = model_for(api)
    signature = reasoning_item(1) if api == "openai-responses" else "sig"
    calls = (ToolCallBlock("c1", "read", {}), ToolCallBlock("c2", "read", {}))
    content = (ThinkingBlock("hm", signature), TextBlock("Reading."), *calls)
    messages = (
        UserMessage((TextBlock("go"), PICTURE)),
        AssistantMessage(content, api=api, provider=model.provider, model=model.id),
        ToolResultMessage("c1", "read", (TextBlock("one"),)),
        ToolResultMessage("c2", "read", (TextBlock("two"), PICTURE)),
        UserMessage((TextBlock("and now?"),)),
    )
    return ProviderRequest(model, "stable", "dynamic", messages)


@pytest.mark.parametrize(
    ("api", "position", "message", "block"),
    [
        ("anthropic", "messages.0.content.1.image.source.base64.data", 0, 1),
        ("anthropic", "messages.1.content.0", 1, 0),
        ("anthropic", "messages.1.content.3.tool_use.id", 1, 3),
        ("anthropic", "messages.2.content.1.tool_result.content.1.image.source", 3, 1),
        ("anthropic", "messages.2.content.0", 2, None),
        ("anthropic", "messages.2.content.2", 4, 0),
        ("anthropic", "messages.1", 1, None),
        ("openai-responses", "input[2].content[1].image_url", 0, 1),
        ("openai-responses", "input[3]", 1, 0),
        ("openai-responses", "input[5].call_id", 1, 2),
        ("openai-responses", "input[6].arguments", 1, 3),
        ("openai-responses", "input[8].output[1]", 3, 1),
        ("openai-responses", "input[9].content[0].text", 4, 0),
        ("openai-chat", "messages[1].content[1].image_url", 0, 1),
        ("openai-chat", "messages[2].tool_calls[1].id", 1, 3),
        ("openai-chat", "messages.[3].role", 2, None),
        ("google", "contents[0].parts[1].data", 0, 1),
        ("google", "contents[1].parts[2].function_call.args", 1, 2),
        ("google", "contents[2].parts[1].function_response.response", 3, None),
        ("google", "contents[3].parts[0].data", 4, 0),
    ],
)
def test_named_place_is_found(api: ApiName, position: str, message: int, block: int | None) -> None:
    assert place_of(request(api), position) == WirePlace(message, block)


@pytest.mark.parametrize("api", ["anthropic", "openai-responses", "openai-chat", "google"])
@pytest.mark.parametrize(
    "position", ["tools.0.name", "max_tokens", "input", "messages.99", "input[0]", "reasoning_effort"]
)
def test_place_outside_the_messages_is_none(api: ApiName, position: str) -> None:
    found = place_of(request(api), position)
    assert found is None or (position == "input[0]" and api in ("anthropic", "google"))
