"""Reading TOML that may come from anywhere: what nests absurdly deep is refused like any other broken file."""

import tomllib
from typing import Any

from openclaw_tui.constants import TOML_MAX_DEPTH


def parse_toml(text: str) -> dict[str, Any]:
    """The tables of a text. Raises tomllib.TOMLDecodeError."""
    try:
        data = tomllib.loads(text)
    except RecursionError as error:
        raise tomllib.TOMLDecodeError("it nests too deeply") from error
    level: list[Any] = [data]
    for _ in range(TOML_MAX_DEPTH):
        level = [inner for value in level for inner in _inside(value) if isinstance(inner, dict | list)]
        if not level:
            return data
    raise tomllib.TOMLDecodeError("it nests too deeply")


def _inside(value: Any) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else list(value)
