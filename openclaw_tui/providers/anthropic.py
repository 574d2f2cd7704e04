"""Claude over Anthropic's Messages API, also for servers that speak it.

The request goes out as bytes that are encoded here, so an unchanged history costs nothing again; the SDK brings
authentication, headers and the event stream. Its retries are off and its exceptions never leave this file.
"""

import asyncio
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from openclaw_tui.constants import STREAM_DRAIN_SECONDS
from openclaw_tui.errors import AuthenticationFailed, OpenClawError
from openclaw_tui.models import ModelInfo
from openclaw_tui.providers.anthropic_request import AnthropicRequest, build_request, new_fold
from openclaw_tui.providers.anthropic_stream import AnthropicStream
from openclaw_tui.providers.base import ProviderRequest, StreamEnded, StreamEvent
from openclaw_tui.providers.credentials import Credentials
from openclaw_tui.providers.failures import classify, transport_failure, unexpected_answer
from openclaw_tui.providers.http import build_client, failure_text

if TYPE_CHECKING:
    from anthropic import APIStatusError, AsyncAnthropic, AsyncStream

_OFFICIAL_HOSTS = ("api.anthropic.com", "aiplatform.googleapis.com")
_PATH, _BETA_PATH = "/v1/messages", "/v1/messages?beta=true"


def create(model: ModelInfo, credentials: Credentials) -> "AnthropicProvider":
    return AnthropicProvider(model.provider, credentials, base_url=model.base_url or credentials.base_url)


class AnthropicProvider:
    """One address and key; serves every model there."""

    def __init__(self, name: str, credentials: Credentials, *, base_url: str | None = None) -> None:
        self._name = name
        self._key = credentials.api_key
        self._base_url = base_url
        self._client: AsyncAnthropic | None = None
        self._fold = new_fold()
        self._connecting = asyncio.Lock()

    @property
    def name(self) -> str:
        return self._name

    async def stream(self, request: ProviderRequest) -> AsyncGenerator[StreamEvent, None]:
        client = await self._connected()
        wire = build_request(request, self._fold, is_official=is_official(self._base_url))
        answer = AnthropicStream(self._name)
        with _as_our_errors(self._name):
            async with await _post(client, wire, wire.encoded(self._fold)) as events:
                await _refuse_other_content(self._name, events)
                async for event in events:
                    for ours in answer.feed(event):
                        if isinstance(ours, StreamEnded):
                            await _drain(events)
                        yield ours
                    if answer.ended:
                        return
        raise transport_failure(self._name, "the answer broke off before its end; it was not taken for a whole one")

    async def aclose(self) -> None:
        if self._client is not None:
            await self._client.close()
            self._client = None

    async def _connected(self) -> "AsyncAnthropic":
        async with self._connecting:
            if self._client is None:
                if self._key is None and is_official(self._base_url):
                    raise AuthenticationFailed(f"{self._name}: no key is known.")
                self._client = await asyncio.to_thread(self._build)
            return self._client

    def _build(self) -> "AsyncAnthropic":
        """Made in a thread: the import takes up to a second, the TLS context its share."""
        from anthropic import AsyncAnthropic

        http = build_client(self._name, self._base_url, has_key=self._key is not None)
        secret = self._key.reveal() if self._key else "none"
        return AsyncAnthropic(
            api_key=secret,
            base_url=self._base_url or "https://api.anthropic.com",
            max_retries=0,
            http_client=http,
            open_telemetry=False,
            # Gateways often read the older header only.
            default_headers=None if is_official(self._base_url) else {"X-Api-Key": secret},
        )


def is_official(base_url: str | None) -> bool:
    """Whether the address is Anthropic's own or its cloud partner's, which know today's optional fields."""
    host = urlsplit(base_url or "https://api.anthropic.com").hostname or ""
    return host in _OFFICIAL_HOSTS or host.endswith("-aiplatform.googleapis.com")


async def _post(client: "AsyncAnthropic", wire: AnthropicRequest, body: bytes) -> "AsyncStream[Any]":
    """Open the stream. Events come as parsed JSON: the SDK's models would cost time for each one and add nothing."""
    from anthropic import AsyncStream

    headers = {"Content-Type": "application/json", "Accept": "text/event-stream"}
    if wire.betas:
        headers["anthropic-beta"] = ",".join(wire.betas)
    return await client.post(
        _BETA_PATH if wire.betas else _PATH,
        content=body,
        cast_to=object,
        options={"headers": headers},
        stream=True,
        stream_cls=AsyncStream[object],
    )


async def _drain(events: "AsyncStream[Any]") -> None:
    """Read what little follows the end, so that the connection can serve the next call."""
    import httpx2

    with suppress(TimeoutError, httpx2.HTTPError, httpx2.StreamError):
        async with asyncio.timeout(STREAM_DRAIN_SECONDS):
            async for _ in events:
                pass


async def _refuse_other_content(provider: str, events: "AsyncStream[Any]") -> None:
    if "text/event-stream" not in events.response.headers.get("content-type", ""):
        await events.response.aread()
        raise unexpected_answer(provider, events.response.text)


@contextmanager
def _as_our_errors(provider: str) -> Iterator[None]:
    """Turn whatever the SDK and the connection raise into our errors."""
    import anthropic
    import httpx2

    try:
        yield
    except OpenClawError:
        raise
    except anthropic.APIStatusError as error:
        raise _refusal(provider, error) from None
    except anthropic.AnthropicError as error:
        raise transport_failure(provider, failure_text(error.__cause__ or error)) from None
    except (httpx2.HTTPError, httpx2.StreamError) as error:
        raise transport_failure(provider, failure_text(error)) from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise transport_failure(provider, f"the stream makes no sense ({failure_text(error)})") from None


def _refusal(provider: str, error: "APIStatusError") -> OpenClawError:
    body = error.body if isinstance(error.body, Mapping) else {}
    return classify(
        provider=provider,
        status=error.status_code,
        code=error.error_code,
        kind=error.type,
        message=error.api_message
        or (error.body if isinstance(error.body, str) else "")
        or error.response.reason_phrase,
        headers=error.response.headers,
        details=body,
    )
