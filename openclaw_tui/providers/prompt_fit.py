"""Whether a local server really read the prompt it was sent. Pure.

Some servers cut a prompt that is too long without a word, or answer it with nothing at all; the model then has lost its
instructions and nobody notices. Signs: an empty answer to a long prompt, a prompt count far below our estimate, prompt
and answer together exactly as large as the window.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from openclaw_tui.constants import (
    SUSPECT_PROMPT_MIN_TOKENS,
    SUSPECT_PROMPT_SHARE,
    SUSPECT_SILENCE_WINDOW_SHARE,
)
from openclaw_tui.errors import ProviderContextOverflow
from openclaw_tui.messages import Usage
from openclaw_tui.models import ModelInfo
from openclaw_tui.providers.base import ProviderRequest
from openclaw_tui.providers.chat_dialects import ChatDialect
from openclaw_tui.tokens import estimate_messages_tokens, estimate_text_tokens, estimate_tools_tokens


class Doubt(msgspec.Struct, frozen=True):
    """Tokens the server counted in the prompt, and our estimate of what was sent."""

    counted: int
    estimated: int


def estimated_prompt_tokens(request: ProviderRequest) -> int:
    """What our estimate says of a request as it is sent: a model without tools is sent none."""
    return (
        estimate_text_tokens(request.system_stable)
        + estimate_text_tokens(request.system_dynamic)
        + (estimate_tools_tokens(request.tools) if request.model.tools else 0)
        + estimate_messages_tokens(request.messages)
    )


def doubt_about(request: ProviderRequest, dialect: ChatDialect, usage: Usage) -> Doubt | None:
    """The suspicion that the prompt was cut; None where there is none or the server tells too little."""
    counted = usage.prompt_tokens
    if not dialect.cuts_silently or counted == 0:
        return None
    estimated = estimated_prompt_tokens(request)
    suspicious = estimated >= SUSPECT_PROMPT_MIN_TOKENS and counted < SUSPECT_PROMPT_SHARE * estimated
    return Doubt(counted, estimated) if suspicious else None


def told_doubt(model: ModelInfo, diagnostics: Mapping[str, Any]) -> str | None:
    """The suspicion that came with an answer as a line for the user; None where there is none."""
    counted, sent = diagnostics.get("prompt_counted"), diagnostics.get("prompt_estimated")
    if not isinstance(counted, int) or not isinstance(sent, int):
        return None
    return (
        f"{model.ref} counted {counted:,} tokens of a prompt of about {sent:,}: its server seems to cut what it is "
        "sent; start it with more context, or tell the real window with --context-tokens"
    )


def check_fit(request: ProviderRequest, dialect: ChatDialect, usage: Usage, *, finish: str | None, empty: bool) -> None:
    """Raise ProviderContextOverflow where the signs leave no doubt; a mere doubt is told, not raised.

    Without doubt: an empty answer to a prompt that fills much of the window, or a cut prompt where the server had told
    its window and the answer ended at it.
    """
    if not dialect.on_this_machine:
        return
    window, name = request.model.context_window, request.model.ref
    estimated = estimated_prompt_tokens(request)
    if empty and usage.output == 0 and estimated > SUSPECT_SILENCE_WINDOW_SHARE * window:
        raise ProviderContextOverflow(
            f"{name}: the server answered nothing; the prompt of about {estimated:,} tokens is probably too long."
            f" {dialect.window_hint}",
            tokens=estimated,
        )
    known = request.model.window_source in ("server", "configuration")
    if known and doubt_about(request, dialect, usage) and (estimated > window or _at_window(usage, window, finish)):
        raise ProviderContextOverflow(
            f"{name}: the server read only {usage.prompt_tokens:,} of about {estimated:,} tokens."
            f" {dialect.window_hint}",
            tokens=estimated,
            limit=window,
        )


def notice_of(doubt: Doubt, dialect: ChatDialect) -> str:
    """One line for the user."""
    return (
        f"The server counted {doubt.counted:,} prompt tokens where about {doubt.estimated:,} were sent;"
        f" it may have cut the prompt. {dialect.window_hint}"
    )


def _at_window(usage: Usage, window: int, finish: str | None) -> bool:
    return usage.context_tokens >= window or finish == "length"
