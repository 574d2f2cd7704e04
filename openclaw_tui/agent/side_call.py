"""One model call that is no part of the conversation: it is not shown and not stored, but it is paid for.

Tried once: whoever makes a side call can go on without it. Silence ends it.
"""

import asyncio
from dataclasses import replace

from openclaw_tui.agent.deps import AgentDeps
from openclaw_tui.errors import ProviderUnavailable
from openclaw_tui.messages import AssistantMessage
from openclaw_tui.providers.accumulator import Accumulator
from openclaw_tui.providers.base import ProviderRequest, StreamEnded
from openclaw_tui.providers.pricing import cost_usd


async def side_call(deps: AgentDeps, request: ProviderRequest) -> AssistantMessage:
    """The whole answer. Raises what the provider raises, ProviderUnavailable after too long a silence."""
    provider = await deps.providers.get(request.model)
    answer = Accumulator(request.model, timestamp=deps.now_ms())
    message: AssistantMessage | None = None
    limit = deps.requests.settings.compaction.idle_seconds
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(limit) as idle:
            async for event in provider.stream(request):
                idle.reschedule(loop.time() + limit)
                if isinstance(event, StreamEnded):
                    message = answer.finish(event)
                else:
                    answer.add(event)
    except TimeoutError:
        if not idle.expired():
            raise
        raise ProviderUnavailable(f"{request.model.ref} said nothing for {limit:g} s") from None
    if message is None:
        raise ProviderUnavailable(f"{request.model.ref} ended without an answer")
    price = cost_usd(request.model, message.usage)
    deps.spent_usd += price or 0.0
    return replace(message, cost_usd=price)
