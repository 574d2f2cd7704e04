"""The OpenAI Responses API: the adapter for OpenAI's own models.

Conversion is in `openai_responses_request`, the reading of events in `openai_responses_stream`, the call itself in
`openai_connection`; this module only joins them.
"""

from collections.abc import AsyncGenerator

from openclaw_tui.models import ModelInfo
from openclaw_tui.providers.base import ProviderRequest, StreamEnded, StreamEvent
from openclaw_tui.providers.credentials import Credentials
from openclaw_tui.providers.openai_body import ModelCaches
from openclaw_tui.providers.openai_connection import DONE, Endpoint, OpenAIConnection, drain
from openclaw_tui.providers.openai_responses_request import build_body, items_of
from openclaw_tui.providers.openai_responses_stream import ResponsesStream


def create(model: ModelInfo, credentials: Credentials) -> "OpenAIResponsesProvider":
    return OpenAIResponsesProvider(Endpoint.of(model, credentials))


class OpenAIResponsesProvider:
    """One endpoint that speaks the Responses API."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._name = endpoint.provider
        self._connection = OpenAIConnection(endpoint)
        self._caches = ModelCaches(items_of)

    @property
    def name(self) -> str:
        return self._name

    async def stream(self, request: ProviderRequest) -> AsyncGenerator[StreamEvent, None]:
        state = ResponsesStream(self._name)
        cache = self._caches.of(request.model)
        frames = self._connection.frames("responses", build_body(request, cache).encoded(cache))
        try:
            async for frame in frames:
                for event in () if frame is DONE else state.feed(frame):
                    if isinstance(event, StreamEnded):
                        await drain(frames)
                        yield event
                        return
                    yield event
        finally:
            await frames.aclose()
        raise state.ended_early()

    async def aclose(self) -> None:
        await self._connection.aclose()
