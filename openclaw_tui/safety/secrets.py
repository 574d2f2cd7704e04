"""Masks for secrets in lasting places that nobody writes back from: logs, ledger, exports, crash reports, notes.

What a model sees is masked by `safety/masking.py`, whose marks can be told apart and put back.
"""

from openclaw_tui.safety.secret_shapes import find_secrets

HIDDEN = "⟦secret⟧"


def mask_secrets(text: str) -> str:
    """The text with every secret that is known by its shape replaced. Masking twice changes nothing."""
    spans = find_secrets(text)
    if not spans:
        return text
    parts: list[str] = []
    at = 0
    for start, end in spans:
        parts += [text[at:start], HIDDEN]
        at = end
    return "".join([*parts, text[at:]])
