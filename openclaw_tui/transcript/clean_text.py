"""Text that no provider refuses: valid Unicode, and tool names of the alphabet all of them share."""

import math
import re
from collections.abc import Mapping
from typing import Any

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_ILLEGAL_IN_NAME = re.compile(r"[^A-Za-z0-9_-]")
_REPLACEMENT = "\ufffd"
_TOO_DEEP = "left out: nested too deeply"


def scrub(text: str) -> str:
    """The text with lone surrogates replaced by U+FFFD; the same object where there are none."""
    if text.isascii():
        return text
    return _LONE_SURROGATE.sub(_REPLACEMENT, text)


def scrub_json(value: Any) -> Any:
    """A JSON value that every server reads; the same object where nothing changed.

    `scrub` for every string and key, null for numbers that JSON has no word for, and a line for what is nested deeper
    than a parser goes.
    """
    try:
        return _scrubbed(value)
    except RecursionError:
        return {_TOO_DEEP: True} if isinstance(value, Mapping) else _TOO_DEEP


def _scrubbed(value: Any) -> Any:
    match value:
        case str():
            return scrub(value)
        case Mapping():
            pairs = [(scrub(str(key)), _scrubbed(item)) for key, item in value.items()]
            same = all(key == old and item is was for (key, item), (old, was) in zip(pairs, value.items(), strict=True))
            return value if same else dict(pairs)
        case list() | tuple():
            items = [_scrubbed(item) for item in value]
            return value if all(new is old for new, old in zip(items, value, strict=True)) else items
        case float() if not math.isfinite(value):
            return None
        case _:
            return value


def clean_tool_name(name: str, max_chars: int) -> str:
    """A legal tool name: letters, digits, `_` and `-`, not beginning with a digit or dash; empty stays empty."""
    cleaned = _ILLEGAL_IN_NAME.sub("_", name.strip())[:max_chars]
    if cleaned and not (cleaned[0].isalpha() or cleaned[0] == "_"):
        cleaned = f"_{cleaned}"[:max_chars]
    return cleaned
