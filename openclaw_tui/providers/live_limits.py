"""The limits that a server itself tells about a model, which beat every table: asked for when they matter, once.

Plain GET requests without an SDK, so that asking costs no import. The answer is a new `ModelInfo` marked `server`. What
the user configured stays: a configured window is a decision, not a guess.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlsplit

from msgspec.structs import replace

from openclaw_tui.constants import LIVE_LIMITS_TIMEOUT_SECONDS
from openclaw_tui.errors import OpenClawError
from openclaw_tui.models import ModelInfo
from openclaw_tui.providers.catalog import LOCAL_PORTS
from openclaw_tui.providers.credentials import Credentials
from openclaw_tui.providers.failures import classify, transport_failure
from openclaw_tui.providers.http import build_client, failure_text, is_loopback
from openclaw_tui.providers.local_servers import find_local_servers, local_model_info

_ANTHROPIC_URL = "https://api.anthropic.com"
_ANTHROPIC_VERSION = "2026-10-21"
_GOOGLE_URL = "https://generativelanguage.googleapis.com"


async def live_limits(model: ModelInfo, credentials: Credentials) -> ModelInfo:
    """The model with its server's own figures; unchanged where the server tells none (OpenAI, most gateways).

    Raises an error of our tree when the server refuses or cannot be reached: the caller may go on with what it has.
    """
    if model.window_source == "configuration":
        return model
    address = model.base_url or credentials.base_url
    if is_loopback(address) and model.api == "openai-chat":
        return await _local(model, str(address))
    if model.api == "anthropic":
        return _from_anthropic(model, await _get(*_anthropic_call(model, credentials), model, credentials))
    if model.api == "google":
        return _from_google(model, await _get(*_google_call(model, credentials), model, credentials))
    return model


async def _local(model: ModelInfo, address: str) -> ModelInfo:
    """Ask the server at this address, as the kind it is known for; a nameless one as each kind in turn."""
    port = urlsplit(address).port
    if port is None:
        return model
    kinds = [kind for kind in LOCAL_PORTS if kind == model.provider] or list(LOCAL_PORTS)
    for kind in kinds:
        for server in await find_local_servers({kind: port}, environ={}, timeout=LIVE_LIMITS_TIMEOUT_SECONDS):
            for served in server.models:
                if served.window and (served.id == model.id or served.only):
                    told = local_model_info(server, served)
                    return replace(
                        model,
                        context_window=told.context_window,
                        max_output=min(model.max_output, told.context_window),
                        window_source="server",
                        tools=told.tools,
                        images=model.images or told.images,
                        notes=tuple(note for note in model.notes if not note.startswith("window")),
                    )
    return model


def _anthropic_call(model: ModelInfo, credentials: Credentials) -> tuple[str, dict[str, str]]:
    base = (model.base_url or credentials.base_url or _ANTHROPIC_URL).rstrip("/")
    headers = {"anthropic-version": _ANTHROPIC_VERSION}
    if credentials.api_key:
        headers["authorization"] = f"Bearer {credentials.api_key.reveal()}"
        headers["x-api-key"] = credentials.api_key.reveal()
    return f"{base}/v1/models/{quote(model.id, safe='')}", headers


def _google_call(model: ModelInfo, credentials: Credentials) -> tuple[str, dict[str, str]]:
    base = (model.base_url or credentials.base_url or _GOOGLE_URL).rstrip("/")
    version = "v1beta" if "preview" in model.id else "v1"
    headers = {"x-goog-api-key": credentials.api_key.reveal()} if credentials.api_key else {}
    return f"{base}/{version}/models/{quote(model.id, safe='')}", headers


def _from_anthropic(model: ModelInfo, told: Mapping[str, Any]) -> ModelInfo:
    images = _mapping(_mapping(told.get("capabilities")).get("image_input")).get("supported")
    changed = _with(model, window=told.get("max_input_tokens"), output=told.get("max_tokens"))
    return replace(changed, images=images) if isinstance(images, bool) else changed


def _from_google(model: ModelInfo, told: Mapping[str, Any]) -> ModelInfo:
    return _with(model, window=told.get("inputTokenLimit"), output=told.get("outputTokenLimit"))


def _with(model: ModelInfo, *, window: Any, output: Any) -> ModelInfo:
    if isinstance(output, int) and output > 0:
        model = replace(model, max_output=output)
    if not isinstance(window, int) or window <= 0:
        return model
    notes = tuple(note for note in model.notes if not note.startswith("window"))
    return replace(model, context_window=window, max_input=None, window_source="server", notes=notes)


async def _get(url: str, headers: Mapping[str, str], model: ModelInfo, credentials: Credentials) -> Mapping[str, Any]:
    import httpx2

    async with build_client(model.provider, url, has_key=credentials.api_key is not None) as client:
        try:
            response = await client.get(url, headers=dict(headers), timeout=LIVE_LIMITS_TIMEOUT_SECONDS)
            document = _mapping(response.json())
        except httpx2.HTTPError as error:
            raise transport_failure(model.provider, failure_text(error)) from error
        except ValueError:
            document = {}
    if response.status_code != httpx2.codes.OK:
        raise _refusal(model.provider, response.status_code, document)
    return document


def _refusal(provider: str, status: int, document: Mapping[str, Any]) -> OpenClawError:
    error = _mapping(document.get("error"))
    return classify(
        provider=provider,
        status=status,
        code=None,
        kind=str(error.get("type") or error.get("status") or "") or None,
        message=str(error.get("message") or ""),
        details=document,
    )


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
