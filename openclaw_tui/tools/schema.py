"""Arguments of a call held against the tool's literal JSON schema, with patience for small slips.

Models write numbers as text, one item where a list is asked, `file_path` for `path`. What is meant beyond doubt is put
right; everything else is refused with the tool and the field named. Invariant: what comes out fits the schema.
"""

import json
from collections.abc import Mapping
from typing import Any

from openclaw_tui.errors import ToolArgumentsInvalid
from openclaw_tui.messages import ToolCallBlock, ToolDefinition

_OTHER_NAMES: Mapping[str, tuple[str, ...]] = {
    "path": ("filepath", "file", "filename", "absolutepath", "targetfile", "dir", "directory", "folder"),
    "command": ("cmd", "commandline", "shellcommand"),
    "content": ("contents", "filetext", "text"),
    "oldtext": ("oldstring", "oldstr", "search"),
    "newtext": ("newstring", "newstr", "replace", "replacement"),
    "pattern": ("regex", "regexp", "query", "glob"),
    "workdir": ("cwd", "workingdirectory"),
    "input": ("patch", "diff"),
    "url": ("uri", "link"),
}
_MISSING = object()


def arguments_of(call: ToolCallBlock) -> Mapping[str, Any]:
    """The object a call carries; text that only looked broken (an object inside a string) is read once more."""
    if call.invalid_arguments is None:
        return call.arguments
    parsed = _json_or(call.invalid_arguments, None)
    if isinstance(parsed, str):
        parsed = _json_or(parsed, None)
    if isinstance(parsed, dict):
        return parsed
    if not call.invalid_arguments.strip():
        return {}
    shown = call.invalid_arguments[:80]
    raise ToolArgumentsInvalid(
        f"{call.name}: the arguments are no whole JSON object (they begin {shown!r}); send them again"
    )


def check_arguments(definition: ToolDefinition, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments that fit the schema; unknown fields are left out. Raises ToolArgumentsInvalid (tool and field)."""
    return _check_object(definition.parameters, arguments, definition.name, "")


def _check_object(schema: Mapping[str, Any], value: Mapping[str, Any], tool: str, where: str) -> dict[str, Any]:
    properties: Mapping[str, Any] = schema.get("properties", {})
    given = _known_names(properties, value)
    checked: dict[str, Any] = {}
    for name, part in properties.items():
        item = given.get(name, _MISSING)
        if item is None and name not in schema.get("required", ()) and part.get("type") != "null":
            continue
        if item is not _MISSING:
            checked[name] = _check(part, item, tool, f"{where}{name}")
    missing = [name for name in schema.get("required", ()) if name not in checked]
    if missing:
        names = ", ".join(f"{where}{name}" for name in missing)
        received = ", ".join(sorted(map(str, value))) or "nothing"
        raise ToolArgumentsInvalid(f"{tool}: {names} is missing (received: {received}); give it and call again")
    others = schema.get("additionalProperties")
    if isinstance(others, Mapping):
        extra = {key: item for key, item in value.items() if key not in properties}
        checked.update({str(key): _check(others, item, tool, f"{where}{key}") for key, item in extra.items()})
    elif not properties and others is not False:
        checked.update(value)
    return checked


def _known_names(properties: Mapping[str, Any], value: Mapping[str, Any]) -> dict[str, Any]:
    """Fields under the names of the schema: exact first, then other spellings, then other usual names."""
    given = {name: value[name] for name in properties if name in value}
    spare = {_plain(str(name)): item for name, item in value.items() if name not in properties}
    for name in properties:
        plain = _plain(name)
        for other in (plain, *_OTHER_NAMES.get(plain, ())):
            if name not in given and other in spare:
                given[name] = spare.pop(other)
    return given


def _plain(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


def _check(schema: Mapping[str, Any], value: Any, tool: str, where: str) -> Any:
    kind = schema.get("type")
    match kind:
        case "object":
            item = _json_or(value, value) if isinstance(value, str) else value
            if not isinstance(item, Mapping):
                raise _wrong(tool, where, "an object", value)
            return _check_object(schema, item, tool, f"{where}.")
        case "array":
            return _check_array(schema, value, tool, where)
        case "integer" | "number":
            return _in_range(schema, _number(kind, value, tool, where))
        case "boolean":
            return _boolean(value, tool, where)
        case "string":
            return _check_enum(schema, _string(schema, value, tool, where), tool, where)
        case _:
            return value


def _check_array(schema: Mapping[str, Any], value: Any, tool: str, where: str) -> list[Any]:
    parsed = _json_or(value, value) if isinstance(value, str) and value.lstrip().startswith("[") else value
    items = parsed if isinstance(parsed, list) else [parsed]
    if len(items) < schema.get("minItems", 0):
        raise ToolArgumentsInvalid(f"{tool}: {where} needs at least {schema['minItems']} item(s)")
    if len(items) > schema.get("maxItems", len(items)):
        raise ToolArgumentsInvalid(f"{tool}: {where} takes at most {schema['maxItems']} item(s), got {len(items)}")
    part = schema.get("items", {})
    return [_check(part, item, tool, f"{where}[{index}]") for index, item in enumerate(items)]


def _number(kind: str, value: Any, tool: str, where: str) -> int | float:
    wanted = "a whole number" if kind == "integer" else "a number"
    if isinstance(value, bool):
        raise _wrong(tool, where, wanted, value)
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise _wrong(tool, where, wanted, value) from None
    if number != number or number in (float("inf"), float("-inf")):
        raise _wrong(tool, where, wanted, value)
    if kind == "integer" and not number.is_integer():
        raise _wrong(tool, where, wanted, value)
    if isinstance(value, int):
        return value
    return int(number) if kind == "integer" else number


def _in_range(schema: Mapping[str, Any], number: int | float) -> int | float:
    """Out of range is moved to the nearest allowed number: `offset: 0` means from the start."""
    raised = max(number, schema.get("minimum", number))
    return type(number)(min(raised, schema.get("maximum", raised)))


def _boolean(value: Any, tool: str, where: str) -> bool:
    if isinstance(value, bool):
        return value
    known = {"true": True, "false": False, "1": True, "0": False, "yes": True, "no": False}
    answer = known.get(str(value).strip().lower()) if isinstance(value, str | int) else None
    if answer is None:
        raise _wrong(tool, where, "true or false", value)
    return answer


def _string(schema: Mapping[str, Any], value: Any, tool: str, where: str) -> str:
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], str):
        value = value[0]
    if isinstance(value, bool):
        value = "true" if value else "false"
    elif isinstance(value, int | float):
        value = str(value)
    if not isinstance(value, str):
        raise _wrong(tool, where, "a text", value)
    if len(value) < schema.get("minLength", 0):
        raise ToolArgumentsInvalid(f"{tool}: {where} must not be empty")
    return value


def _check_enum(schema: Mapping[str, Any], value: str, tool: str, where: str) -> str:
    choices: list[str] | None = schema.get("enum")
    if choices is None or value in choices:
        return value
    same = [choice for choice in choices if _plain(choice) == _plain(value.strip())]
    if len(same) == 1:
        return same[0]
    raise ToolArgumentsInvalid(f"{tool}: {where} must be one of {', '.join(choices)}; got {value[:60]!r}")


def _json_or(text: str, otherwise: Any) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return otherwise


def _wrong(tool: str, where: str, wanted: str, value: Any) -> ToolArgumentsInvalid:
    names = {dict: "an object", list: "a list", str: "a text", bool: "a boolean", type(None): "null"}
    got = names.get(type(value), type(value).__name__)
    shown = f" {value[:40]!r}" if isinstance(value, str) else ""
    return ToolArgumentsInvalid(f"{tool}: {where} must be {wanted}, got {got}{shown}")
