"""How compaction behaves; defaults are the figures of `constants`."""

from typing import Literal, TypeAlias

import msgspec

from openclaw_tui import constants as c

IdentifierPolicy: TypeAlias = Literal["strict", "off", "custom"]


class CompactionSettings(msgspec.Struct, frozen=True):
    """Tokens and seconds. `model` is a reference `provider/model`, None for the session's own."""

    enabled: bool = True
    mode: Literal["default", "safeguard"] = "safeguard"
    method: Literal["own", "provider"] = "own"
    model: str | None = None
    keep_recent_tokens: int = c.KEEP_RECENT_TOKENS
    max_history_share: float = 0.5
    recent_turns_preserve: int = 3
    identifier_policy: IdentifierPolicy = "strict"
    identifier_instructions: str = ""
    custom_instructions: str = ""
    quality_guard: bool = True
    quality_retries: int = 1
    timeout_seconds: float = c.COMPACTION_TIMEOUT_SECONDS
    idle_seconds: float = c.COMPACTION_IDLE_SECONDS
    truncate_after: bool = False
    truncate_above_bytes: int = c.TRUNCATE_ABOVE_BYTES
    post_compaction_sections: tuple[str, ...] = ("Session Startup", "Red Lines")
    notify_user: bool = False
