"""One model call: stream it, show it as it comes, return the finished message.

A failure leaves the partial answer in the turn state, where recovery throws it away before a retry and the supervisor
keeps it when the user stops. Nothing of an answer is executed before the whole of it has arrived.
"""

import uuid
from dataclasses import replace

from openclaw_tui.agent.state import TurnState
from openclaw_tui.errors import EmptyResponse
from openclaw_tui.events import MessageEnded, MessageStarted, Sink, TextDelta, ThinkingDelta, ToolCallDelta
from openclaw_tui.messages import AssistantMessage, TextBlock, ToolCallBlock
from openclaw_tui.providers.accumulator import Accumulator
from openclaw_tui.providers.base import (
    Provider,
    ProviderRequest,
    StreamEnded,
    StreamEvent,
    TextChunk,
    ThinkingChunk,
    ToolCallChunk,
)
from openclaw_tui.providers.pricing import cost_usd, load_prices_soon


async def stream_answer(
    provider: Provider, request: ProviderRequest, *, state: TurnState, emit: Sink, session_key: str, now_ms: int
) -> tuple[str, AssistantMessage]:
    """The message id and the whole answer, not yet stored. Raises what the provider raises."""
    message_id = uuid.uuid4().hex[:12]
    answer = Accumulator(request.model, timestamp=now_ms)
    state.answer, state.answer_id = answer, message_id
    emit(MessageStarted(session_key, message_id, request.model.ref))
    seen = _Deltas(session_key, message_id, emit)
    message: AssistantMessage | None = None
    async for event in provider.stream(request):
        if isinstance(event, StreamEnded):
            message = answer.finish(event)
            state.diagnostics = event.diagnostics
        else:
            load_prices_soon(request.model)
            answer.add(event)
            seen.show(event)
    if message is None or _is_empty(message):
        raise EmptyResponse(f"{request.model.ref} answered nothing")
    return message_id, replace(message, cost_usd=cost_usd(request.model, message.usage))


def discard_partial(state: TurnState, emit: Sink, session_key: str, reason: str) -> None:
    """Forget a half-streamed answer before a retry; the screen takes it away."""
    if state.answer is not None:
        partial = state.answer.partial(stop_reason="error", error_message=reason)
        emit(MessageEnded(session_key, state.answer_id, partial, discarded=True))
        state.answer = None


class _Deltas:
    """Turns stream events into events for the screen."""

    def __init__(self, session_key: str, message_id: str, emit: Sink) -> None:
        self._key = session_key
        self._id = message_id
        self._emit = emit
        self._chars: dict[int, int] = {}

    def show(self, event: StreamEvent) -> None:
        match event:
            case TextChunk(text=text) if text:
                self._emit(TextDelta(self._key, self._id, text))
            case ThinkingChunk(text=text) if text:
                self._emit(ThinkingDelta(self._key, self._id, text))
            case ToolCallChunk(index=index, call_id=call_id, name=name, json=json):
                self._chars[index] = self._chars.get(index, 0) + len(json)
                self._emit(ToolCallDelta(self._key, self._id, call_id, name, self._chars[index]))
            case _:
                pass


def _is_empty(message: AssistantMessage) -> bool:
    if message.stop_reason in ("refusal", "length"):
        return False
    return not any(
        isinstance(block, ToolCallBlock) or (isinstance(block, TextBlock) and block.text.strip())
        for block in message.content
    )
