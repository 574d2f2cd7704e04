"""One streamed call to an OpenAI-like server: request out, JSON frames in, every failure as an error of our tree.

The SDK is imported on first use and does addresses, headers and errors; the frames are read here, so that a missing
`[DONE]`, a page instead of a stream, or an error sent with HTTP 200 are seen. The body goes out as it was built.
Leaving the iteration, for whatever reason, closes the connection.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager, aclosing, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from openclaw_tui.constants import MAX_ERROR_BODY_BYTES, STREAM_DRAIN_SECONDS
from openclaw_tui.errors import AuthenticationFailed, ConfigError, OpenClawError, ProviderError
from openclaw_tui.models import ModelInfo
from openclaw_tui.providers.credentials import Credentials, key_variables
from openclaw_tui.providers.failures import classify, transport_failure
from openclaw_tui.providers.http import build_client, failure_text
from openclaw_tui.providers.sse import FrameReader

if TYPE_CHECKING:
    import httpx2
    from openai import AsyncAPIResponse, AsyncOpenAI, OpenAIError

Route: TypeAlias = Literal["responses", "chat"]
Frame: TypeAlias = Mapping[str, Any]

DONE: Final[Frame] = {}
"""Stands for the `[DONE]` line that ends a Chat stream; compare by identity."""

_NO_KEY = "none"


@dataclass(frozen=True, slots=True)
class Endpoint:
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

    async def frames(self, route: Route, body: Mapping[str, Any]) -> AsyncGenerator[Frame, None]:
        """The parsed frames of one answer, `DONE` among them, until the server ends; judging that is the caller's."""
        import httpx2
        from openai import OpenAIError

        provider = self._endpoint.provider
        try:
            async with self._open(route, body) as response, aclosing(self._read(response.http_response)) as frames:
                async for frame in frames:
                    yield frame
        except OpenAIError as error:
            raise _translated(provider, error) from error
        except httpx2.HTTPError as error:
            raise transport_failure(provider, failure_text(error)) from error

    async def aclose(self) -> None:
        if self._client is not None:
            client, self._client = self._client, None
            await client.close()

    def _open(self, route: Route, body: Mapping[str, Any]) -> "AbstractAsyncContextManager[AsyncAPIResponse[Any]]":
        """The body rides as `extra_body`: the typed arguments would be walked and rewritten at every step."""
        client = self._client = self._client or self._build()
        model = str(body["model"])
        if route == "responses":
            return client.responses.with_streaming_response.create(
                model=model, input="", stream=True, extra_body=dict(body)
            )
        return client.chat.completions.with_streaming_response.create(
            model=model, messages=[], stream=True, extra_body=dict(body)
        )

    def _build(self) -> "AsyncOpenAI":
        from openai import AsyncOpenAI

        endpoint = self._endpoint
        key = endpoint.credentials.api_key
        if key is None and endpoint.base_url is None:
            raise AuthenticationFailed(
                f"{endpoint.provider}: no key is known; set {key_variables(endpoint.provider)[0]} or use /login"
            )
        http_client = build_client(endpoint.provider, endpoint.base_url, has_key=key is not None)
        return AsyncOpenAI(
            api_key=key.reveal() if key else _NO_KEY,
            base_url=endpoint.base_url,
            max_retries=0,
            timeout=http_client.timeout,
            http_client=http_client,
        )

    async def _read(self, response: "httpx2.Response") -> AsyncGenerator[Frame, None]:
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind.endswith(("json", "html", "xml")):
            raise await self._not_a_stream(response, kind)
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

    async def _not_a_stream(self, response: "httpx2.Response", kind: str) -> OpenClawError:
        """What a whole document says that came where a stream was asked for; some servers report errors so."""
        text = ""
        async for piece in response.aiter_text():
            text += piece
            if len(text) > MAX_ERROR_BODY_BYTES:
                break
        if kind.endswith("json"):
            return _error_of_document(self._endpoint.provider, text, dict(response.headers))
        return classify(
            provider=self._endpoint.provider, status=response.status_code, code=None, kind=None, message=text or "<"
        )


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


def _error_of_document(provider: str, text: str, headers: Mapping[str, str]) -> OpenClawError:
    try:
        document = json.loads(text)
    except ValueError:
        document = None
    if isinstance(document, dict):
        if found := error_in(provider, document):
            return found
        if isinstance(document.get("message"), str) and "choices" not in document:
            return _classified(provider, 200, document, headers, document)
    return transport_failure(provider, "a whole JSON document came where a stream was asked for")


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
