"""The Chat Completions API: the adapter for compatible servers, local ones and gateways.

Conversion is in `openai_chat_request`, the reading of frames in `openai_chat_stream` and `openai_chat_calls`, what
differs between servers in `chat_dialects`, the doubt about cut prompts in `prompt_fit`; this module joins them.
"""

from collections.abc import AsyncGenerator

from openclaw_tui.models import ModelInfo
from openclaw_tui.providers.base import ProviderRequest, StreamEvent
from openclaw_tui.providers.chat_dialects import chat_dialect
from openclaw_tui.providers.credentials import Credentials
from openclaw_tui.providers.openai_body import ModelCaches
from openclaw_tui.providers.openai_chat_request import build_body, rows_of
from openclaw_tui.providers.openai_chat_stream import ChatStream
from openclaw_tui.providers.openai_connection import DONE, Endpoint, OpenAIConnection, drain
from openclaw_tui.providers.prompt_fit import check_fit, doubt_about, notice_of


def create(model: ModelInfo, credentials: Credentials) -> "OpenAIChatProvider":
    return OpenAIChatProvider(Endpoint.of(model, credentials))


class OpenAIChatProvider:
    """One endpoint that speaks Chat Completions."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._name = endpoint.provider
        self._connection = OpenAIConnection(endpoint)
        self._caches = ModelCaches(rows_of)

    @property
    def name(self) -> str:
        return self._name

    async def stream(self, request: ProviderRequest) -> AsyncGenerator[StreamEvent, None]:
        dialect = chat_dialect(request.model)
        state = ChatStream(self._name)
        cache = self._caches.of(request.model)
        frames = self._connection.frames("chat", build_body(request, dialect, cache).encoded(cache))
        try:
            async for frame in frames:
                for event in state.feed(frame):
                    yield event
                if frame is DONE:
                    await drain(frames)
                    break
        finally:
            await frames.aclose()
        check_fit(request, dialect, state.usage, finish=state.finish_reason, empty=state.is_empty)
        doubt = doubt_about(request, dialect, state.usage)
        for event in state.end(
            detail=notice_of(doubt, dialect) if doubt else "",
            diagnostics={"prompt_counted": doubt.counted, "prompt_estimated": doubt.estimated} if doubt else None,
        ):
            yield event

    async def aclose(self) -> None:
        await self._connection.aclose()
