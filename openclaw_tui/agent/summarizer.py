"""A `Summarizer` made of a provider call.

Two forms: in place, where the instructions follow the conversation exactly as it was last sent, so that the provider
reads its cached prefix again; and apart, with the material as one text, without tools. Network trouble is retried like
any other call.
"""

import asyncio
from dataclasses import replace

from openclaw_tui.agent.deps import AgentDeps
from openclaw_tui.compaction.instructions import SUMMARIZER_SYSTEM_PROMPT
from openclaw_tui.compaction.summarizer import Summarizer, SummaryAnswer, SummaryRequest
from openclaw_tui.errors import ProviderError
from openclaw_tui.messages import AssistantMessage, Message, UserMessage, text_of, user_text
from openclaw_tui.models import ModelInfo
from openclaw_tui.providers.accumulator import Accumulator
from openclaw_tui.providers.base import ProviderRequest, StreamEnded
from openclaw_tui.providers.pricing import cost_usd
from openclaw_tui.providers.retry import next_delay


def make_summarizer(deps: AgentDeps, model: ModelInfo, in_place: ProviderRequest | None) -> Summarizer:
    """`in_place` is the latest prepared request of the session, None where its prefix must not be used."""

    async def summarize(request: SummaryRequest) -> SummaryAnswer:
        if request.in_place and in_place is not None:
            wire = _in_place_request(in_place, request)
        else:
            wire = _apart_request(deps, model, request)
        message = await _answer(deps, wire)
        deps.spent_usd += message.cost_usd or 0.0
        return SummaryAnswer(
            text=text_of(message.content),
            stop_reason=message.stop_reason,
            called_tools=bool(message.tool_calls),
            usage=message.usage,
            cost_usd=message.cost_usd,
            model=wire.model.ref,
        )

    return summarize


def _in_place_request(last: ProviderRequest, request: SummaryRequest) -> ProviderRequest:
    """The last request with the instructions behind it: nothing before them changes by a byte."""
    instructions = user_text(request.instructions, origin="custom")
    return replace(
        last,
        messages=_with_instructions(last.messages, instructions),
        max_output_tokens=min(request.max_tokens, last.model.max_output),
    )


def _with_instructions(messages: tuple[Message, ...], instructions: UserMessage) -> tuple[Message, ...]:
    """Behind a last user message the instructions join it as one more block: roles must alternate."""
    last = messages[-1] if messages else None
    if isinstance(last, UserMessage):
        joined = replace(last, content=last.content + instructions.content)
        return (*messages[:-1], joined)
    return (*messages, instructions)


def _apart_request(deps: AgentDeps, model: ModelInfo, request: SummaryRequest) -> ProviderRequest:
    return ProviderRequest(
        model=model,
        system_stable=SUMMARIZER_SYSTEM_PROMPT,
        system_dynamic="",
        messages=(user_text(f"{request.text}\n\n{request.instructions}"),),
        max_output_tokens=min(request.max_tokens, model.max_output),
        cache_retention="none",
        session_id=f"{deps.manager.session_id}-summary",
    )


async def _answer(deps: AgentDeps, request: ProviderRequest) -> AssistantMessage:
    attempt = 0
    while True:
        attempt += 1
        try:
            return await _one_call(deps, request)
        except ProviderError as error:
            delay = next_delay(error, attempt, deps.retry)
            if delay is None:
                raise
            await (deps.sleep or asyncio.sleep)(delay)


async def _one_call(deps: AgentDeps, request: ProviderRequest) -> AssistantMessage:
    provider = await deps.providers.get(request.model)
    answer = Accumulator(request.model, timestamp=deps.now_ms())
    message = answer.partial("error")
    async for event in provider.stream(request):
        if isinstance(event, StreamEnded):
            message = answer.finish(event)
        else:
            answer.add(event)
    return replace(message, cost_usd=cost_usd(request.model, message.usage))
