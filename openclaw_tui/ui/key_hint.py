"""A word before something that looks like a key is sent: it blocks nothing, and says where the key would go.

A text is told once. Only digests of what was told are kept.
"""

import re
from hashlib import blake2b
from urllib.parse import urlsplit

from openclaw_tui.constants import KEY_HINT_MAX_CHARS
from openclaw_tui.models import ModelInfo

_OWN_WAY = re.compile(r"\s*(?:/login\b|!)")
"""`/login` is where a key belongs, and `!!` sends nothing."""


class KeyHints:
    """What was told in one conversation."""

    def __init__(self) -> None:
        self._told: set[bytes] = set()

    def is_new(self, text: str) -> bool:
        """Whether a key stands in the text that nothing was said about yet; asking counts as telling."""
        new = {blake2b(key.encode("utf-8", "replace"), digest_size=16).digest() for key in keys_in(text)} - self._told
        self._told |= new
        return bool(new)


def keys_in(text: str) -> list[str]:
    """Keys in a draft. A very long one is not looked through at each key press."""
    from openclaw_tui.safety.secrets import secrets_of

    return [] if len(text) > KEY_HINT_MAX_CHARS or _OWN_WAY.match(text) else secrets_of(text)


def key_hint(model: ModelInfo) -> str:
    host = urlsplit(model.base_url or "").hostname or model.provider
    return f"this looks like a key; it will be sent to {host} ({model.ref}); /login stores one"
