"""Gemini over Google's generateContent API.

The body is built in wire form and rides in the SDK's `extra_body`: its typed way walks the whole history with every
request (seventy times the cost at 5,000 messages). The SDK brings address, headers, event stream and error parsing. Its
exceptions never leave this file.
"""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing, contextmanager
from typing import TYPE_CHECKING, Any

from openclaw_tui.errors import AuthenticationFailed, OpenClawError
from openclaw_tui.models import ModelInfo
from openclaw_tui.providers.base import ProviderRequest, StreamEvent
from openclaw_tui.providers.credentials import Credentials
from openclaw_tui.providers.failures import classify, transport_failure, unexpected_answer
from openclaw_tui.providers.google_request import build_body, new_fold
from openclaw_tui.providers.google_stream import GoogleStream
from openclaw_tui.providers.http import build_client, failure_text, is_loopback

if TYPE_CHECKING:
    import httpx2
    from google.genai import Client
    from google.genai.errors import APIError

_ADDRESS = "https://generativelanguage.googleapis.com"
_VERSION, _PREVIEW_VERSION = "v1", "v1beta"
_REPLACED = "the body brings the contents"


def create(model: ModelInfo, credentials: Credentials) -> "GoogleProvider":
    return GoogleProvider(model.provider, credentials, base_url=model.base_url or credentials.base_url)


class GoogleProvider:
    """One address and key; serves every model there."""

    def __init__(self, name: str, credentials: Credentials, *, base_url: str | None = None) -> None:
        self._name = name
        self._key = credentials.api_key
        self._base_url = base_url
        self._client: Client | None = None
        self._http: httpx2.AsyncClient | None = None
        self._fold = new_fold()
        self._connecting = asyncio.Lock()

    @property
    def name(self) -> str:
        return self._name

    async def stream(self, request: ProviderRequest) -> AsyncGenerator[StreamEvent, None]:
        client = await self._connected()
        answer = GoogleStream(self._name)
        with _as_our_errors(self._name):
            chunks: Any = await client.aio.models.generate_content_stream(
                model=request.model.id, contents=_REPLACED, config=self._config(request)
            )
            async with aclosing(chunks):
                async for chunk in chunks:
                    for event in answer.feed(chunk.model_dump(exclude_none=True)):
                        yield event
        for event in answer.end():
            yield event

    async def aclose(self) -> None:
        client, http, self._client, self._http = self._client, self._http, None, None
        if client is not None:
            await client.aio.aclose()
        if http is not None:
            await http.aclose()

    def _config(self, request: ProviderRequest) -> Any:
        """As a dict: the SDK would copy a typed configuration, and with it the whole body, in depth."""
        options: dict[str, Any] = {"extra_body": build_body(request, self._fold)}
        if request.model.id.endswith("-preview"):
            options["api_version"] = _PREVIEW_VERSION
        return {
            "http_options": options,
            "automatic_function_calling": {"disable": True},
            "automatic_continuation": False,
        }

    async def _connected(self) -> "Client":
        async with self._connecting:
            if self._client is None:
                if self._key is None and not is_loopback(self._base_url):
                    raise AuthenticationFailed(f"{self._name}: no key is known.")
                self._client = await asyncio.to_thread(self._build)
            return self._client

    def _build(self) -> "Client":
        """Made in a thread: the import is long, and the SDK makes a second, synchronous client of its own."""
        from google import genai
        from google.genai import types

        http = build_client(self._name, self._base_url, has_key=self._key is not None)
        http.event_hooks = {"request": [], "response": [self._refuse_other_content]}
        self._http = http
        return genai.Client(
            api_key=self._key.reveal() if self._key else "none",
            vertexai=False,
            http_options=types.HttpOptions(
                base_url=self._base_url or _ADDRESS, api_version=_VERSION, httpx_async_client=http
            ),
        )

    async def _refuse_other_content(self, response: "httpx2.Response") -> None:
        """A page or a lone JSON object with status 200 is no answer; the SDK would try to read it as one."""
        if response.is_success and "text/event-stream" not in response.headers.get("content-type", ""):
            await response.aread()
            raise unexpected_answer(self._name, response.text)


@contextmanager
def _as_our_errors(provider: str) -> Iterator[None]:
    """Turn whatever the SDK and the connection raise into our errors."""
    import httpx2
    from google.genai import errors

    try:
        yield
    except OpenClawError:
        raise
    except errors.APIError as error:
        raise _refusal(provider, error) from None
    except (httpx2.HTTPError, httpx2.StreamError) as error:
        raise transport_failure(provider, failure_text(error)) from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise transport_failure(provider, f"the stream makes no sense ({type(error).__name__})") from None


def _refusal(provider: str, error: "APIError") -> OpenClawError:
    headers = getattr(error.response, "headers", None)
    return classify(
        provider=provider,
        status=error.code,
        code=None,
        kind=error.status,
        message=error.message or "",
        headers=headers,
        details=error.details,
    )
