"""A small loop for tests: asks a model, answers its calls, keeps the history, as the agent would."""

from collections.abc import Callable, Sequence
from typing import Any

from openclaw_tui.messages import (
    NO_USAGE,
    AssistantMessage,
    ImageBlock,
    Message,
    TextBlock,
    ToolDefinition,
    ToolResultMessage,
    Usage,
    UserContent,
    user_text,
)
from openclaw_tui.models import ModelInfo
from openclaw_tui.providers.accumulator import Accumulator
from openclaw_tui.providers.base import ProviderRequest, StreamEnded
from openclaw_tui.providers.catalog import find_model
from openclaw_tui.providers.credentials import ApiKey, Credentials
from openclaw_tui.providers.registry import create_provider
from tests.strict_fake import StrictFake
from tests.transcript.preparing import prepare

_FIELDS = {"read": ["path"], "exec": ["command"], "grep": ["pattern"], "write": ["path", "content"]}
TOOLS = tuple(
    ToolDefinition(
        name,
        f"{name} something in the project",
        {"type": "object", "properties": {field: {"type": "string"} for field in fields}, "required": fields},
    )
    for name, fields in (*_FIELDS.items(), ("edit", ["path", "old", "new"]))
)
STABLE = "You work in a project and answer briefly. " * 120
PICTURE = ImageBlock(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABpfZFQAAAAABJRU5ErkJggg==", "image/png"
)

ResultOf = Callable[[int], tuple[UserContent, ...]]


def at(fake: StrictFake, reference: str, **record: Any) -> ModelInfo:
    """The model of that name, served by the fake."""
    provider = reference.partition("/")[0]
    addresses = {"anthropic": fake.url_anthropic, "google": fake.url_gemini}
    return find_model(reference, {provider: {"baseUrl": addresses.get(provider, fake.url_openai), **record}})


class Session:
    """One conversation. `ended` holds the closing event of every request."""

    def __init__(self, model: ModelInfo, history: Sequence[Message] = ()) -> None:
        self.model = model
        self.history: list[Message] = list(history)
        self.ended: list[StreamEnded] = []
        self.usage: Usage = NO_USAGE
        self._provider = create_provider(model, Credentials(ApiKey("test-key")))

    async def ask(self) -> AssistantMessage:
        """One request over the whole history, as the pipeline would prepare it."""
        messages, _ = prepare(tuple(self.history), self.model)
        request = ProviderRequest(
            self.model,
            STABLE,
            "cwd: /project",
            messages,
            TOOLS,
            max_output_tokens=4_000,
            thinking="medium" if self.model.thinking_levels else "off",
            session_id="session-1",
            previous_response_id=self.ended[-1].response_id if self.ended else None,
        )
        together = Accumulator(self.model)
        async for event in self._provider.stream(request):
            if isinstance(event, StreamEnded):
                self.ended.append(event)
                answer = together.finish(event)
            else:
                together.add(event)
        self.history.append(answer)
        self.usage += answer.usage
        return answer

    async def turn(self, prompt: str, result_of: ResultOf = lambda at: (TextBlock(f"result {at}\n" * 40),)) -> str:
        """A whole turn of the user: calls are answered until the model stops calling."""
        self.history.append(user_text(prompt))
        while (answer := await self.ask()).tool_calls:
            for call in answer.tool_calls:
                content = result_of(len(self.history))
                self.history.append(ToolResultMessage(call.id, call.name, content, details={"private": "detail"}))
        return "".join(block.text for block in answer.content if isinstance(block, TextBlock))

    @property
    def calls(self) -> int:
        return sum(len(message.tool_calls) for message in self.history if isinstance(message, AssistantMessage))

    async def close(self) -> None:
        await self._provider.aclose()
