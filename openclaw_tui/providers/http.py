"""HTTP clients for the SDKs, built one way: who may see a key, which proxy, how long, no redirects.

Invariants: a key never leaves over plain http except to this machine; loopback never goes through a proxy; a redirect
is never followed, since it would carry the key to a host nobody chose; no SDK logs a prompt.
"""

import ipaddress
import logging
import os
import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from openclaw_tui.constants import (
    CONNECT_TIMEOUT_SECONDS,
    CONNECTION_KEEPALIVE_SECONDS,
    LOCAL_STREAM_IDLE_TIMEOUT_SECONDS,
    STREAM_IDLE_TIMEOUT_SECONDS,
)
from openclaw_tui.errors import AuthenticationFailed, ConfigError

if TYPE_CHECKING:
    import httpx2

_CHATTY_LOGGERS = ("anthropic", "openai", "google_genai", "google.genai", "httpx2", "httpcore2")


_HEADER_VARIABLES = ("ANTHROPIC_CUSTOM_HEADERS", "OPENAI_CUSTOM_HEADERS")
"""The SDKs add what stands there to every request: it may be a key as well."""

_TWO_READINGS = re.compile(r"[\x00-\x20\x7f\\]")
"""Characters that two parsers of addresses take for different hosts."""


def is_loopback(url: str | None) -> bool:
    """Whether the address is this machine. A name that only resolves to it does not count."""
    try:
        host = urlsplit(url or "").hostname or ""
    except ValueError:
        return False
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check_address(provider: str, base_url: str | None, *, has_key: bool) -> None:
    """Refuse an address that is none, or that would carry a key in clear text over a network."""
    if base_url is None:
        return
    try:
        parts = urlsplit(base_url)
        host = "" if _TWO_READINGS.search(base_url) else parts.hostname
    except ValueError:
        parts, host = urlsplit(""), ""
    if parts.scheme not in ("http", "https") or not host:
        shown = re.sub(r"//.*@", "//…@", base_url)  # a password before the host is not printed
        raise ConfigError(f"{provider}: the base URL {shown!r} is no http(s) address; give one like https://host/path.")
    has_key = has_key or parts.password is not None or any(os.environ.get(name) for name in _HEADER_VARIABLES)
    if has_key and parts.scheme == "http" and not is_loopback(base_url):
        raise AuthenticationFailed(
            f"{provider}: the key was not sent, since {host} would get it over plain http.",
            advice="Use an https base URL, or a server on this machine.",
        )


def idle_seconds_for(base_url: str | None) -> float:
    """Longest silence of a stream: a local model may read a long prompt for minutes before its first token."""
    return LOCAL_STREAM_IDLE_TIMEOUT_SECONDS if is_loopback(base_url) else STREAM_IDLE_TIMEOUT_SECONDS


def build_client(provider: str, base_url: str | None, *, has_key: bool) -> "httpx2.AsyncClient":
    """A client for one provider. Silence is judged by `idle.py`, so reading has no time limit of its own."""
    import httpx2

    check_address(provider, base_url, has_key=has_key)
    quiet_loggers()
    try:
        return httpx2.AsyncClient(
            trust_env=not is_loopback(base_url),
            follow_redirects=False,
            timeout=httpx2.Timeout(None, connect=CONNECT_TIMEOUT_SECONDS, pool=CONNECT_TIMEOUT_SECONDS),
            limits=httpx2.Limits(keepalive_expiry=CONNECTION_KEEPALIVE_SECONDS),
        )
    except (ValueError, ImportError, OSError) as error:
        raise ConfigError(
            f"{provider}: the proxy or certificate settings of the environment cannot be used"
            f" (HTTPS_PROXY, ALL_PROXY, SSL_CERT_FILE): {error}"
        ) from error


def quiet_loggers() -> None:
    """Pin the SDKs' loggers: at DEBUG they write whole prompts."""
    for name in _CHATTY_LOGGERS:
        logging.getLogger(name).setLevel(logging.WARNING)


def failure_text(error: BaseException) -> str:
    """A transport error as one line; many of them have no text of their own."""
    return str(error).strip() or type(error).__name__
