"""Masks for secrets in lasting places that nobody writes back from: logs, ledger, history, drafts, exports, reports.

Whatever is written to disk and is not the session itself goes through `mask_secrets` (a text) or `masked_line` (a row
of JSON). Besides known shapes they hide the keys this program holds, by value, and the user's own patterns: both are
told once for the process. What a model sees is masked by `safety/masking.py`, whose marks can be told apart and put
back.
"""

import json
import re
from collections.abc import Iterable, Sequence

from openclaw_tui.constants import SECRET_HELD_MIN_CHARS, SECRET_MIN_CHARS
from openclaw_tui.safety.secret_shapes import find_secrets

HIDDEN = "⟦secret⟧"

_held: dict[str, None] = {}
_patterns: list[re.Pattern[str]] = []


def hold(values: Iterable[str]) -> None:
    """Hide these values from now on. One that may be an ordinary word is left out: it would blot out whole texts."""
    _held.update(dict.fromkeys(value for value in values if tells_itself(value)))


def held() -> list[str]:
    return list(_held)


def release() -> None:
    """Forget held values and patterns, as at the start of the program."""
    _held.clear()
    _patterns.clear()


def use_patterns(patterns: Iterable[re.Pattern[str]]) -> None:
    """The user's own patterns, in place of those before."""
    _patterns[:] = patterns


def own_patterns() -> Sequence[re.Pattern[str]]:
    return tuple(_patterns)


def secrets_of(text: str) -> list[str]:
    """The secrets themselves, in order."""
    spans = find_secrets(text, own=_held, more=_patterns)
    return [text[start:end] for start, end in spans if HIDDEN not in text[start:end]]


def mask_secrets(text: str) -> str:
    """The text with every secret that is known by shape, value or own pattern replaced. Twice changes nothing."""
    spans = find_secrets(text, own=_held, more=_patterns)
    parts: list[str] = []
    at = 0
    for start, end in spans:
        if HIDDEN in text[start:end]:
            continue  # an own pattern may fit what is hidden already
        parts += [text[at:start], HIDDEN]
        at = end
    return "".join([*parts, text[at:]]) if parts else text


def masked_line(line: bytes) -> bytes:
    """A row of JSON: each text in it for itself, so that it stays what it is. What is no JSON is masked as a text."""
    if mask_secrets(text := line.decode("utf-8", "surrogateescape")) == text:
        return line
    try:
        row = json.loads(line)
    except ValueError:
        return mask_secrets(text).encode("utf-8", "surrogateescape")
    end = b"\n" if line.endswith(b"\n") else b""
    return json.dumps(masked_value(row), ensure_ascii=False, separators=(",", ":")).encode() + end


def masked_value(value: object) -> object:
    """JSON data with the secrets of each of its texts hidden."""
    if isinstance(value, str):
        return mask_secrets(value)
    if isinstance(value, dict):
        return {key: _masked_item(key, item) for key, item in value.items()}
    return [masked_value(item) for item in value] if isinstance(value, list) else value


def _masked_item(key: str, item: object) -> object:
    """A value whose name says what it is (`"password": "…"`) counts like `password=…` in a text."""
    masked = masked_value(item)
    if masked == item and isinstance(item, str) and mask_secrets(f"{key}={item}") == f"{key}={HIDDEN}":
        return HIDDEN
    return masked


def tells_itself(value: str) -> bool:
    """Whether a held value can be looked for: long enough, and with a digit unless it is longer than words are."""
    return len(value) >= SECRET_MIN_CHARS or (
        len(value) >= SECRET_HELD_MIN_CHARS and any(letter.isdigit() for letter in value)
    )
