"""Masks for secrets in lasting places: logs and exports.

The shapes of keys that providers and code hosts give out. A mask keeps the first characters, so that a person sees
which key it was. Nothing is masked on the way to a model here: that would change what is cached and what is bound to
its prefix.
"""

import re

_SHAPES = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"
    r"|\bsk-ant-[\w-]{20,}"
    r"|\bsk-(?:proj-)?[\w-]{20,}"
    r"|\bAIza[\w-]{35}"
    r"|\bgh[pousr]_\w{36,}"
    r"|\bxox[abprs]-[\w-]{10,}"
    r"|\bAKIA[0-9A-Z]{16}\b"
    r"|(?i:\bBearer\s+\S{16,})",
    re.DOTALL,
)


def mask_secrets(text: str) -> str:
    """The text with every secret it is known by its shape cut to its beginning. Masking twice changes nothing."""
    return _SHAPES.sub(_masked, text)


def _masked(match: re.Match[str]) -> str:
    found = match[0]
    if found.startswith("-----BEGIN"):
        return "[private key hidden]"
    head = found.split()[0] if found[:6].lower() == "bearer" else found[:6]
    return f"{head}[hidden]"
