"""One streamed call to an OpenAI-like server: request out, JSON frames in, every failure as an error of our tree.

The SDK is imported on first use and does addresses, headers and errors; the frames are read here, so that a missing
`[DONE]`, a page instead of a stream, or an error sent with HTTP 200 are seen. The body goes out as it was encoded.
Leaving the iteration, for whatever reason, closes the connection.
"""

import asyncio
import importlib
import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import msgspec

from openclaw_tui.constants import MAX_ERROR_BODY_BYTES, STREAM_DRAIN_SECONDS
from openclaw_tui.errors import AuthenticationFailed, ConfigError, OpenClawError, ProviderError
from openclaw_tui.models import ModelInfo
from openclaw_tui.providers.credentials import Credentials, key_variables
from openclaw_tui.providers.failures import classify, transport_failure, unexpected_answer
from openclaw_tui.providers.http import build_client, failure_text
from openclaw_tui.providers.sse import FrameReader

if TYPE_CHECKING:
    import httpx2
    from openai import AsyncOpenAI, OpenAIError

Route: TypeAlias = Literal["responses", "chat"]
Frame: TypeAlias = Mapping[str, Any]

DONE: Final[Frame] = {}
"""Stands for the `[DONE]` line that ends a Chat stream; compare by identity."""

_NO_KEY = "none"
_PATHS: Mapping[Route, str] = {"responses": "/responses", "chat": "/chat/completions"}


class Endpoint(msgspec.Struct, frozen=True):
    """Who is called: provider id for messages, address, and whether a key is due there."""

    provider: str
    base_url: str | None
    credentials: Credentials

    @classmethod
    def of(cls, model: ModelInfo, credentials: Credentials) -> "Endpoint":
        """The model's own address goes first, then the environment's; only OpenAI itself needs none."""
        base_url = model.base_url or credentials.base_url
        if base_url is None and model.provider != "openai":
            raise ConfigError(
                f"{model.ref}: no address is known; set models.providers.{model.provider}.baseUrl in the configuration"
            )
        return cls(model.provider, base_url, credentials)


class OpenAIConnection:
    """The SDK client of one endpoint, made on first use and kept for the next calls."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._client: AsyncOpenAI | None = None

    async def frames(self, route: Route, body: bytes) -> AsyncGenerator[Frame, None]:
        """The parsed frames of one answer, `DONE` among them, until the server ends; judging that is the caller's."""
        sdk = await asyncio.to_thread(importlib.import_module, "openai")
        import httpx2

        provider = self._endpoint.provider
        try:
            async with self._open(sdk, route, body) as response, aclosing(self._read(response)) as frames:
                async for frame in frames:
                    yield frame
        except sdk.OpenAIError as error:
            raise _translated(provider, error) from None
        except (httpx2.HTTPError, httpx2.StreamError) as error:
            raise transport_failure(provider, failure_text(error)) from None

    async def aclose(self) -> None:
        if self._client is not None:
            client, self._client = self._client, None
            await client.close()

    @asynccontextmanager
    async def _open(self, sdk: Any, route: Route, body: bytes) -> "AsyncIterator[httpx2.Response]":
        """The response to the body as it was encoded here; the SDK brings address, headers and refusals."""
        client = self._client = self._client or self._build(sdk)
        stream = await client.post(
            _PATHS[route],
            content=body,
            cast_to=object,
            options={"headers": {"Content-Type": "application/json", "Accept": "text/event-stream"}},
            stream=True,
            stream_cls=sdk.AsyncStream[object],
        )
        try:
            yield stream.response
        finally:
            await stream.response.aclose()

    def _build(self, sdk: Any) -> "AsyncOpenAI":
        endpoint = self._endpoint
        key = endpoint.credentials.api_key
        if key is None and endpoint.base_url is None:
            raise AuthenticationFailed(
                f"{endpoint.provider}: no key is known; set {key_variables(endpoint.provider)[0]} or use /login"
            )
        http_client = build_client(endpoint.provider, endpoint.base_url, has_key=key is not None)
        client: AsyncOpenAI = sdk.AsyncOpenAI(
            api_key=key.reveal() if key else _NO_KEY,
            base_url=endpoint.base_url,
            max_retries=0,
            timeout=http_client.timeout,
            http_client=http_client,
        )
        return client

    async def _read(self, response: "httpx2.Response") -> AsyncGenerator[Frame, None]:
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind.endswith(("json", "html", "xml")):
            raise unexpected_answer(self._endpoint.provider, await _beginning(response))
        reader = FrameReader()
        async for chunk in response.aiter_bytes():
            for text in reader.feed(chunk):
                yield DONE if text.strip() == "[DONE]" else self._parsed(text)

    def _parsed(self, text: str) -> Frame:
        try:
            frame = json.loads(text)
        except ValueError as error:
            raise transport_failure(self._endpoint.provider, f"the stream carried no valid JSON ({error})") from error
        if not isinstance(frame, dict):
            raise transport_failure(self._endpoint.provider, "the stream carried something else than events")
        return frame


async def _beginning(response: "httpx2.Response") -> str:
    """As much of a document as is worth reading."""
    text = ""
    async for piece in response.aiter_text():
        text += piece
        if len(text) > MAX_ERROR_BODY_BYTES:
            break
    return text


async def drain(frames: AsyncGenerator[Frame, None]) -> None:
    """Read what little follows the end of an answer, so that the connection can serve the next call."""
    with suppress(TimeoutError, ProviderError):
        async with asyncio.timeout(STREAM_DRAIN_SECONDS):
            async for _ in frames:
                pass


def error_in(provider: str, frame: Frame, *, status: int | None = 200) -> OpenClawError | None:
    """The error that a frame carries under `error`, as an object or a text; None if it has none."""
    error = frame.get("error")
    if error is None or error == {} or error is False:
        return None
    fields: Mapping[str, Any] = error if isinstance(error, Mapping) else {"message": str(error)}
    return _classified(provider, status, fields, None, frame)


def _translated(provider: str, error: "OpenAIError") -> OpenClawError:
    from openai import APIError, APIStatusError

    if isinstance(error, APIStatusError):
        body = error.body
        fields = body if isinstance(body, Mapping) else {"message": body if isinstance(body, str) else ""}
        return _classified(provider, error.status_code, fields, error.response.headers, body)
    if isinstance(error, APIError):
        return transport_failure(provider, failure_text(error.__cause__ or error))
    return ConfigError(f"{provider}: {failure_text(error)}")


def _classified(
    provider: str, status: int | None, fields: Mapping[str, Any], headers: Mapping[str, str] | None, details: Any
) -> OpenClawError:
    return classify(
        provider=provider,
        status=status,
        code=_text(fields.get("code")),
        kind=_text(fields.get("type")),
        message=_text(fields.get("message")) or "",
        headers=headers,
        details=details,
    )


def _text(value: Any) -> str | None:
    return None if value is None else str(value)
