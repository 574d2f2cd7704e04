"""How long a provider's prompt cache surely lives at most, counted from the start of the last request that used it."""

from openclaw_tui.constants import (
    CACHE_TTL_LONG_SECONDS,
    CACHE_TTL_SHORT_SECONDS,
    OPENAI_CACHE_TTL_SECONDS,
    OPENAI_OLD_CACHE_TTL_SECONDS,
    UNTOLD_CACHE_TTL_SECONDS,
)
from openclaw_tui.messages import CacheRetention
from openclaw_tui.models import ModelInfo
from openclaw_tui.providers.http import is_loopback


def cache_ttl_seconds(model: ModelInfo, retention: CacheRetention) -> int | None:
    """Seconds after which the cache is surely cold; None where nothing ends it by time (a server of one's own)."""
    if retention == "none" or not model.caches_prefix:
        return None
    length = "long" if retention == "long" else "short"
    if model.api == "anthropic":
        return CACHE_TTL_LONG_SECONDS if length == "long" else CACHE_TTL_SHORT_SECONDS
    if model.api == "openai-responses" or (model.api == "openai-chat" and model.provider == "openai"):
        table = OPENAI_CACHE_TTL_SECONDS if model.cache_breakpoints else OPENAI_OLD_CACHE_TTL_SECONDS
        return table[length]
    if model.api in ("offline", "scripted") or is_loopback(model.base_url):
        return None
    return UNTOLD_CACHE_TTL_SECONDS
