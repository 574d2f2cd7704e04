"""A `Summarizer` made of a provider call.

Three forms: in place, where the instructions follow the conversation exactly as it would be sent next, so that the
provider reads its cached prefix again; sealed, where the provider summarises the beginning of that conversation itself;
and apart, with the material as one text, without tools. Network trouble is tried again like that of any other call, a
few times in all; a summariser that says nothing for too long is given up.
"""

import asyncio
import dataclasses
from dataclasses import dataclass

from msgspec.structs import replace

from openclaw_tui.agent.deps import AgentDeps
from openclaw_tui.compaction.instructions import SUMMARIZER_SYSTEM_PROMPT
from openclaw_tui.compaction.summarizer import Summarizer, SummarizerGone, SummaryAnswer, SummaryRequest
from openclaw_tui.constants import SUMMARY_ATTEMPTS
from openclaw_tui.errors import CompactionFailed, ProviderError
from openclaw_tui.messages import AssistantMessage, Message, UserMessage, text_of, user_text
from openclaw_tui.models import ModelInfo
from openclaw_tui.providers.accumulator import Accumulator
from openclaw_tui.providers.base import ProviderRequest, StreamEnded
from openclaw_tui.providers.pricing import cost_usd
from openclaw_tui.providers.retry import next_delay


def make_summarizer(
    deps: AgentDeps,
    model: ModelInfo,
    in_place: ProviderRequest | None,
    *,
    idle_seconds: float,
    own: ModelInfo | None = None,
) -> Summarizer:
    """`in_place` is the request the session would send next, None where its prefix must not be used.

    `own` takes over where another `model` writes the summaries and fails.
    """
    calls = _Calls(deps, idle_seconds)
    current = model

    async def summarize(request: SummaryRequest) -> SummaryAnswer:
        nonlocal current
        try:
            return await calls.answer(_wire(deps, current, in_place, request))
        except ProviderError as error:
            if own is None or current is own or request.sealed:
                raise
            deps.acts.record("compaction", "skipped", f"{current.ref} failed ({error}); {own.ref} writes the summary")
            current, calls.attempts = own, SUMMARY_ATTEMPTS
        return await calls.answer(_wire(deps, current, in_place, request))

    return summarize


def _wire(
    deps: AgentDeps, model: ModelInfo, in_place: ProviderRequest | None, request: SummaryRequest
) -> ProviderRequest:
    if request.sealed and in_place is not None:
        return _sealing_request(in_place, request)
    if request.in_place and in_place is not None:
        return _in_place_request(in_place, request)
    return _apart_request(deps, model, request)


@dataclass(slots=True)
class _Calls:
    """The model calls of one compaction. Once a call has failed as often as may be, later ones are tried once."""

    deps: AgentDeps
    idle_seconds: float
    attempts: int = SUMMARY_ATTEMPTS

    async def answer(self, wire: ProviderRequest) -> SummaryAnswer:
        message, sealed = await self._until_it_works(wire)
        if wire.seal_instructions is not None and not sealed:
            raise CompactionFailed(f"{wire.model.ref} answered without a sealed summary")
        self.deps.spent_usd += message.cost_usd or 0.0
        return SummaryAnswer(
            text=text_of(message.content),
            stop_reason=message.stop_reason,
            called_tools=bool(message.tool_calls),
            usage=message.usage,
            cost_usd=message.cost_usd,
            model=wire.model.ref,
            sealed=sealed,
        )

    async def _until_it_works(self, wire: ProviderRequest) -> tuple[AssistantMessage, str]:
        attempt = 0
        while True:
            attempt += 1
            try:
                return await self._one_call(wire)
            except ProviderError as error:
                policy = replace(self.deps.retry, attempts=min(self.attempts, self.deps.retry.attempts))
                delay = next_delay(error, attempt, policy)
                if delay is None:
                    self.attempts = 1 if error.retryable else self.attempts
                    raise
                await (self.deps.sleep or asyncio.sleep)(delay)

    async def _one_call(self, wire: ProviderRequest) -> tuple[AssistantMessage, str]:
        """The answer, and the provider's own form of the summary where that was asked for."""
        provider = await self.deps.providers.get(wire.model)
        answer = Accumulator(wire.model, timestamp=self.deps.now_ms())
        message, sealed = answer.partial("error"), ""
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(self.idle_seconds) as idle:
                async for event in provider.stream(wire):
                    idle.reschedule(loop.time() + self.idle_seconds)
                    if isinstance(event, StreamEnded):
                        message, sealed = answer.finish(event), event.sealed
                    else:
                        answer.add(event)
        except TimeoutError:
            if not idle.expired():
                raise
            raise SummarizerGone(f"{wire.model.ref} said nothing for {self.idle_seconds:g} s") from None
        return dataclasses.replace(message, cost_usd=cost_usd(wire.model, message.usage)), sealed


def _in_place_request(last: ProviderRequest, request: SummaryRequest) -> ProviderRequest:
    """The next request with the instructions behind it: nothing before them changes by a byte.

    Reasoning counts as output, so a model that thinks gets more room for its answer.
    """
    instructions = user_text(request.instructions, origin="custom")
    wanted = request.max_tokens if last.thinking == "off" else request.max_tokens * 2
    return replace(
        last,
        messages=_with_instructions(last.messages, instructions),
        max_output_tokens=min(wanted, last.max_output_tokens),
    )


def _sealing_request(last: ProviderRequest, request: SummaryRequest) -> ProviderRequest:
    """The next request up to the message that stays: the prefix is the one that what stays was written behind."""
    ids = [message.entry_id for message in last.messages]
    if request.before and request.before not in ids:
        raise CompactionFailed("the request does not begin its kept part where the session does")
    end = ids.index(request.before) if request.before else len(ids)
    wanted = request.max_tokens if last.thinking == "off" else request.max_tokens * 2
    return replace(
        last,
        messages=last.messages[:end],
        max_output_tokens=min(wanted, last.max_output_tokens),
        seal_instructions=request.instructions,
    )


def _with_instructions(messages: tuple[Message, ...], instructions: UserMessage) -> tuple[Message, ...]:
    """Behind a last user message the instructions join it as one more block: roles must alternate."""
    last = messages[-1] if messages else None
    if isinstance(last, UserMessage):
        joined = dataclasses.replace(last, content=last.content + instructions.content)
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
