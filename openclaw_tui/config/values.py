"""Checking one configured value against its row of the table."""

from collections.abc import Callable, Mapping
from typing import Any

from openclaw_tui.config.schema import Setting

_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})


class BadValue(ValueError):
    """A value does not fit its setting; the text says what would."""


def check_value(setting: Setting, value: Any) -> Any:
    """The value in its normal form. Raises BadValue with what is expected."""
    checked = _KINDS[setting.kind](value)
    if setting.choices and checked not in setting.choices:
        raise BadValue(f"must be one of {', '.join(setting.choices)}, not {checked!r}")
    if setting.minimum is not None and checked < setting.minimum:
        raise BadValue(f"must be at least {setting.minimum:g}, not {checked!r}")
    if setting.maximum is not None and checked > setting.maximum:
        raise BadValue(f"must be at most {setting.maximum:g}, not {checked!r}")
    return checked


def parse_text(setting: Setting, text: str) -> Any:
    """A value given as text (flag or environment). Raises BadValue."""
    try:
        match setting.kind:
            case "int":
                return check_value(setting, int(text.replace("_", "")))
            case "float":
                return check_value(setting, float(text))
            case "bool":
                return check_value(setting, _parse_bool(text))
            case "list":
                return check_value(setting, [part.strip() for part in text.split(",") if part.strip()])
            case "str":
                return check_value(setting, text)
    except BadValue:
        raise
    except ValueError as error:
        raise BadValue(f"must be a number, not {text!r}") from error
    raise BadValue("can only be set in a settings file")


def shown_value(value: Any) -> str:
    """A value as people read it."""
    if value is None:
        return "(not set)"
    if isinstance(value, tuple):
        return ", ".join(str(item) for item in value) or "(empty)"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if value not in ("", {}) else "(empty)"


def _parse_bool(text: str) -> bool:
    word = text.strip().lower()
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    raise BadValue(f"must be true or false, not {text!r}")


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise BadValue(f"must be text, not {value!r}")
    return value


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise BadValue(f"must be a whole number, not {value!r}")
    return value


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadValue(f"must be a number, not {value!r}")
    return float(value)


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise BadValue(f"must be true or false, not {value!r}")
    return value


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        raise BadValue(f"must be a list of texts, not {value!r}")
    return tuple(value)


def _table(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BadValue(f"must be a table, not {value!r}")
    return value


def _tables(value: Any) -> tuple[dict[str, Any], ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(item, dict) for item in value):
        raise BadValue("must be a list of tables")
    return tuple(value)


_KINDS: Mapping[str, Callable[[Any], Any]] = {
    "str": _text,
    "int": _whole,
    "float": _number,
    "bool": _flag,
    "list": _texts,
    "table": _table,
    "tables": _tables,
}
