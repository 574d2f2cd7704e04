"""Which module speaks which API, imported only when a model of it is used.

An SDK costs up to a second of import, so nothing here imports one; `warm` does it in a thread once the screen stands.
Every adapter module offers `create(model, credentials) -> Provider`; the streams it gives are watched for silence.
"""

import contextlib
import importlib
import threading
from collections.abc import Mapping
from typing import Literal, cast

from openclaw_tui.errors import ConfigError
from openclaw_tui.models import ApiName, ModelInfo
from openclaw_tui.providers.base import Provider
from openclaw_tui.providers.credentials import NO_CREDENTIALS, Credentials
from openclaw_tui.providers.http import idle_seconds_for, quiet_loggers
from openclaw_tui.providers.idle import IdleSeconds, WatchedProvider

ADAPTERS: Mapping[ApiName, str] = {
    "anthropic": "openclaw_tui.providers.anthropic",
    "openai-responses": "openclaw_tui.providers.openai_responses",
    "openai-chat": "openclaw_tui.providers.openai_chat",
    "google": "openclaw_tui.providers.google",
    "offline": "openclaw_tui.providers.offline_guide",
    "scripted": "openclaw_tui.providers.scripted",
}

SDKS: Mapping[ApiName, str] = {
    "anthropic": "anthropic",
    "openai-responses": "openai",
    "openai-chat": "openai",
    "google": "google.genai",
}


def create_provider(
    model: ModelInfo,
    credentials: Credentials = NO_CREDENTIALS,
    *,
    idle_seconds: IdleSeconds | Literal["default"] = "default",
) -> Provider:
    """The provider that serves `model` and its siblings at the same address; no SDK is imported yet.

    `idle_seconds` is the longest silence of a stream; by default it depends on whether the server is on this machine.
    """
    module = importlib.import_module(_adapter(model))
    provider = cast(Provider, module.create(model, credentials))
    limit = idle_seconds_for(model.base_url or credentials.base_url) if idle_seconds == "default" else idle_seconds
    return WatchedProvider(provider, limit)


def warm(api: ApiName) -> threading.Thread | None:
    """Import the SDK of an API in a thread; None where there is none. A failure shows itself at first use."""
    name = SDKS.get(api)
    if name is None:
        return None
    thread = threading.Thread(target=_import_quietly, args=(name,), name=f"warm-{name}", daemon=True)
    thread.start()
    return thread


def _import_quietly(name: str) -> None:
    quiet_loggers()
    with contextlib.suppress(ImportError):
        importlib.import_module(name)


def _adapter(model: ModelInfo) -> str:
    try:
        return ADAPTERS[model.api]
    except KeyError:
        raise ConfigError(f"{model.ref}: {model.api!r} is no API; use one of {', '.join(ADAPTERS)}.") from None
