"""The guide as a provider: read the request, decide the next step, stream it."""

import asyncio
from collections.abc import AsyncIterator

from openclaw_tui.constants import GUIDE_POLL_SECONDS
from openclaw_tui.messages import AssistantContent, TextBlock, ToolCallBlock, Usage
from openclaw_tui.providers.base import (
    BlockDone,
    ProviderRequest,
    StreamEnded,
    StreamEvent,
    StreamStarted,
    TextChunk,
    ToolCallChunk,
)
from openclaw_tui.providers.offline_guide.planner import next_step, waits_for_a_command
from openclaw_tui.providers.offline_guide.summary import is_summary_request, write_summary
from openclaw_tui.tokens import (
    compact_json,
    estimate_block_tokens,
    estimate_messages_tokens,
    estimate_text_tokens,
    estimate_tools_tokens,
)

_CHUNK = 64


class OfflineGuide:
    """Answers at once; its usage is the program's own estimate and says nothing about a cache."""

    @property
    def name(self) -> str:
        return "offline"

    async def stream(self, request: ProviderRequest) -> AsyncIterator[StreamEvent]:
        blocks = _answer(request)
        if waits_for_a_command(blocks):
            await asyncio.sleep(GUIDE_POLL_SECONDS)
        prompt = (
            estimate_text_tokens(request.system_stable)
            + estimate_text_tokens(request.system_dynamic)
            + estimate_tools_tokens(request.tools)
            + estimate_messages_tokens(request.messages)
        )
        yield StreamStarted(model=request.model.id, usage=Usage(input=prompt, cache_reported=False))
        for index, block in enumerate(blocks):
            for event in _chunks(index, block):
                yield event
            yield BlockDone(index, block)
        output = sum(estimate_block_tokens(block) for block in blocks)
        calls = any(isinstance(block, ToolCallBlock) for block in blocks)
        usage = Usage(input=prompt, output=output, cache_reported=False)
        yield StreamEnded("tool_use" if calls else "stop", usage)

    async def aclose(self) -> None:
        return None


def _answer(request: ProviderRequest) -> list[AssistantContent]:
    if is_summary_request(request):
        return [TextBlock(write_summary(request))]
    return next_step(request)


def _chunks(index: int, block: AssistantContent) -> list[StreamEvent]:
    match block:
        case TextBlock(text=text):
            return [TextChunk(index, text[at : at + _CHUNK]) for at in range(0, len(text), _CHUNK)]
        case ToolCallBlock(id=call_id, name=name, arguments=arguments):
            return [ToolCallChunk(index, call_id, name, compact_json(dict(arguments)))]
        case _:
            return []
