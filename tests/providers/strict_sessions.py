"""Drives whole conversations through real adapters against the strict fake, with the pipeline's transcript steps."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import msgspec

from openclaw_tui.messages import (
    AssistantMessage,
    ImageBlock,
    Message,
    TextBlock,
    ToolDefinition,
    ToolResultMessage,
    user_text,
)
from openclaw_tui.models import ApiName, ModelInfo
from openclaw_tui.providers.accumulator import Accumulator
from openclaw_tui.providers.base import Provider, ProviderRequest, StreamEnded
from openclaw_tui.providers.catalog import find_model
from openclaw_tui.providers.credentials import ApiKey, Credentials
from openclaw_tui.providers.registry import create_provider
from tests.strict_fake import Call, Reply, StrictFake
from tests.transcript.preparing import prepare

READ = ToolDefinition("read", "Read a file.", {"type": "object", "properties": {"path": {"type": "string"}}})
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
STABLE = "You are a careful engineer. " * 400
"""Long enough to be cached by every provider."""

CHAT = ModelInfo("gate", "model-1", "openai-chat", context_window=200_000, max_output=8_000, images=True)
MODELS: dict[ApiName, ModelInfo] = {
    "anthropic": find_model("anthropic/claude-sonnet-5-5"),
    "google": find_model("google/gemini-4-argon"),
    "openai-responses": find_model("openai/gpt-6.2-sol"),
    "openai-chat": CHAT,
}


def at(model: ModelInfo, fake: StrictFake) -> ModelInfo:
    urls = {"anthropic": fake.url_anthropic, "google": fake.url_gemini}
    return msgspec.structs.replace(model, base_url=urls.get(model.api, fake.url_openai))


@asynccontextmanager
async def connected(model: ModelInfo, fake: StrictFake, *, idle_seconds: float = 10) -> AsyncIterator[Provider]:
    provider = create_provider(at(model, fake), Credentials(ApiKey("k")), idle_seconds=idle_seconds)
    try:
        yield provider
    finally:
        await provider.aclose()


async def step(
    provider: Provider, model: ModelInfo, messages: Sequence[Message], **changes: Any
) -> tuple[AssistantMessage, StreamEnded]:
    """One model call over a prepared transcript."""
    prepared, _ = prepare(tuple(messages), model)
    request = ProviderRequest(model, STABLE, "Today is Monday.", prepared, (READ,), thinking="medium")
    accumulator = Accumulator(model)
    async for event in provider.stream(msgspec.structs.replace(request, **changes)):
        if isinstance(event, StreamEnded):
            return accumulator.finish(event), event
        accumulator.add(event)
    raise AssertionError("the stream ended without its closing event")


def rounds(turns: int, steps: int, calls: int = 1) -> list[Reply]:
    """Replies of a session: in each turn some tool steps, then a word."""
    replies = []
    for turn in range(turns):
        for number in range(steps):
            made = [Call("read", {"path": f"t{turn}s{number}c{n}.py"}) for n in range(calls)]
            replies.append(Reply("Reading." if number % 2 else "", thinking="Considering.", calls=made))
        replies.append(Reply(f"Turn {turn} is done.", thinking="Concluding."))
    return replies


async def run_turn(provider: Provider, model: ModelInfo, history: list[Message], text: str, **changes: Any) -> None:
    """One user turn: the model is called until it makes no more calls; `history` grows."""
    history.append(user_text(text))
    while True:
        answer, _ = await step(provider, model, history, **changes)
        history.append(answer)
        if not answer.tool_calls:
            return
        for number, call in enumerate(answer.tool_calls):
            picture = number == 1
            content = (TextBlock(f"content of {call.arguments['path']} " + "x" * 300),)
            pictured = (*content, ImageBlock(PIXEL, "image/png"))
            history.append(
                ToolResultMessage(call.id, call.name, pictured if picture else content, details={"n": number})
            )
