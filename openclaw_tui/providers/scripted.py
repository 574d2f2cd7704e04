"""A provider played from a list of steps: for tests, demos and screenshots. No network, no clock, no chance.

Each request takes the next step; a step may also be a function of the request. What was asked stays readable in
`requests`. Usage is the program's own estimate unless the step says otherwise, so sizes behave as with a real model.
`create` reads the steps from the JSON file that the model id names.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from openclaw_tui.errors import ConfigError, InvalidRequest, OpenClawError
from openclaw_tui.messages import AssistantContent, StopReason, TextBlock, ThinkingBlock, ToolCallBlock, Usage
from openclaw_tui.models import ModelInfo
from openclaw_tui.providers.base import (
    BlockDone,
    ProviderRequest,
    StreamEnded,
    StreamEvent,
    StreamStarted,
    TextChunk,
    ThinkingChunk,
    ToolCallChunk,
)
from openclaw_tui.providers.credentials import Credentials
from openclaw_tui.tokens import (
    compact_json,
    estimate_block_tokens,
    estimate_messages_tokens,
    estimate_text_tokens,
    estimate_tools_tokens,
)


class Step(msgspec.Struct, frozen=True):
    """One answer. `calls` are (tool, arguments) or whole blocks.

    `error` is raised after `events_before` stream events (None: at the end, instead of it); `hangs` waits for ever
    there. `seconds` is the pause before the first event; between events the loop always gets its turn.
    """

    text: str = ""
    thinking: str = ""
    calls: Sequence[tuple[str, Mapping[str, Any]] | ToolCallBlock] = ()
    stop: StopReason | None = None
    usage: Usage | None = None
    error: OpenClawError | None = None
    hangs: bool = False
    events_before: int | None = None
    seconds: float = 0.0


Answer: TypeAlias = Step | str | Callable[[ProviderRequest], Step | str]


@dataclass(slots=True)
class ScriptedProvider:
    """Plays `steps` in order; `forever` answers once they are used up, where it is given."""

    steps: Sequence[Answer]
    name: str = "scripted"
    forever: Answer | None = None
    chunk_chars: int = 16
    requests: list[ProviderRequest] = field(default_factory=list)
    closed: bool = False

    async def stream(self, request: ProviderRequest) -> AsyncIterator[StreamEvent]:
        self.requests.append(request)
        number = len(self.requests)
        step = self._step(number, request)
        await asyncio.sleep(step.seconds)
        for at, event in enumerate(self._events(step, number, request)):
            if step.events_before == at:
                await _go_wrong(step)
            yield event
            await asyncio.sleep(0)
        if step.events_before is None:
            await _go_wrong(step)
        yield _end(step, request)

    async def aclose(self) -> None:
        self.closed = True

    def _step(self, number: int, request: ProviderRequest) -> Step:
        answer = self.steps[number - 1] if number <= len(self.steps) else self.forever
        if answer is None:
            raise InvalidRequest(f"the script has {len(self.steps)} steps, but a request number {number} came")
        given = answer(request) if callable(answer) else answer
        return Step(given) if isinstance(given, str) else given

    def _events(self, step: Step, number: int, request: ProviderRequest) -> list[StreamEvent]:
        events: list[StreamEvent] = [StreamStarted(f"scripted-{number}", usage=Usage(input=_prompt_tokens(request)))]
        for index, block in enumerate(_blocks(step, number)):
            events += _chunks(index, block, self.chunk_chars)
            events.append(BlockDone(index, block))
        return events


def create(model: ModelInfo, _credentials: Credentials) -> ScriptedProvider:
    """Play the steps of the JSON file `model.id`: a list of texts or of objects with the fields of `Step`."""
    try:
        given = json.loads(Path(model.id).read_text(encoding="utf-8"))
        steps = [step if isinstance(step, str) else Step(**step) for step in given]
    except (OSError, ValueError, TypeError) as error:
        raise ConfigError(f"{model.id} is no script of answers: {error}") from None
    return ScriptedProvider(steps, name=model.provider)


async def _go_wrong(step: Step) -> None:
    if step.hangs:
        await asyncio.Event().wait()
    if step.error is not None:
        raise step.error


def _blocks(step: Step, number: int) -> list[AssistantContent]:
    blocks: list[AssistantContent] = []
    if step.thinking:
        blocks.append(ThinkingBlock(step.thinking, signature=f"scripted-{number}"))
    if step.text:
        blocks.append(TextBlock(step.text))
    for at, call in enumerate(step.calls):
        made = call if isinstance(call, ToolCallBlock) else ToolCallBlock(f"call_{number}_{at}", call[0], call[1])
        blocks.append(made)
    return blocks


def _chunks(index: int, block: AssistantContent, size: int) -> list[StreamEvent]:
    match block:
        case TextBlock(text=text):
            return [TextChunk(index, text[at : at + size]) for at in range(0, len(text), size)]
        case ThinkingBlock(thinking=text):
            return [ThinkingChunk(index, text[at : at + size]) for at in range(0, len(text), size)]
        case ToolCallBlock(id=call_id, name=name, arguments=arguments):
            return [ToolCallChunk(index, call_id, name, ""), ToolCallChunk(index, call_id, name, _json(arguments))]


def _json(arguments: Mapping[str, Any]) -> str:
    return compact_json(dict(arguments))


def _end(step: Step, request: ProviderRequest) -> StreamEnded:
    output = sum(estimate_block_tokens(block) for block in _blocks(step, 0))
    usage = step.usage or Usage(input=_prompt_tokens(request), output=output)
    return StreamEnded(step.stop or ("tool_use" if step.calls else "stop"), usage)


def _prompt_tokens(request: ProviderRequest) -> int:
    return (
        estimate_text_tokens(request.system_stable)
        + estimate_text_tokens(request.system_dynamic)
        + estimate_tools_tokens(request.tools)
        + estimate_messages_tokens(request.messages)
    )
