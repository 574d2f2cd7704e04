"""A validator of the family's version-3 session format, for every session file the suite writes.

Written from the format as pi 1.6 and OpenClaw read it, not from our codec: `problems(path)` names what either program
would trip over, `assert_valid(path)` fails with that list.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

_ISO = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
_STOPS = {"stop", "length", "toolUse", "error", "aborted"}
_USAGE = ("input", "output", "cacheRead", "cacheWrite", "totalTokens")
_COST = ("input", "output", "cacheRead", "cacheWrite", "total")
_Record = dict[str, Any]


def assert_valid(path: Path) -> None:
    found = problems(path)
    assert not found, f"{path.name} is no valid session file:\n" + "\n".join(found)


def problems(path: Path) -> list[str]:
    """Everything wrong with the file, one line each; empty for a valid one."""
    data = path.read_bytes()
    found: list[str] = [] if data.endswith(b"\n") else ["the last line has no end"]
    ids: dict[str, _Record] = {}
    for number, raw in enumerate(data.split(b"\n")[:-1], 1):
        try:
            record = json.loads(raw.decode("utf-8"))
        except ValueError as error:
            found.append(f"line {number}: no JSON in UTF-8: {error}")
            continue
        said = _header(record) if number == 1 else _entry(record, ids)
        found += [f"line {number}: {text}" for text in said]
        if number > 1 and isinstance(record.get("id"), str):
            ids[record["id"]] = record
    labels = [record for record in ids.values() if record.get("type") == "label"]
    found += [f"label {label['id']} names no entry" for label in labels if label.get("targetId") not in ids]
    if any("\ud800" <= char <= "\udfff" for char in data.decode("utf-8", "surrogatepass")):
        found.append("a lone surrogate")
    return found


def _header(record: _Record) -> list[str]:
    return _wrong(
        ("type is not session", record.get("type") == "session"),
        ("version is not 3", record.get("version") == 3),
        ("no id", bool(record.get("id")) and isinstance(record.get("id"), str)),
        ("timestamp is no ISO time", _is_iso(record.get("timestamp"))),
        ("cwd is no text", isinstance(record.get("cwd"), str)),
        ("parentSession is no text", isinstance(record.get("parentSession", ""), str)),
    )


def _entry(record: _Record, ids: dict[str, _Record]) -> list[str]:
    parent = record.get("parentId", "missing")
    said = _wrong(
        ("a second header", record.get("type") != "session"),
        ("no type", isinstance(record.get("type"), str)),
        ("no id", bool(record.get("id")) and isinstance(record.get("id"), str)),
        ("the id is used twice", record.get("id") not in ids),
        (f"the parent {parent} is no earlier entry", parent is None or parent in ids),
        ("timestamp is no ISO time", _is_iso(record.get("timestamp"))),
    )
    check = _CHECKS.get(str(record.get("type")))
    return said + (check(record, ids) if check else [])


def _message(record: _Record, _: dict[str, _Record]) -> list[str]:
    message = record.get("message")
    if not isinstance(message, dict):
        return ["no message"]
    said = _wrong(("message timestamp is no number", isinstance(message.get("timestamp"), int)))
    match message.get("role"):
        case "user":
            return said + _content(message.get("content"), {"text", "image"}, text_allowed=True)
        case "toolResult":
            return (
                said
                + _content(message.get("content"), {"text", "image"})
                + _texts(message, "toolCallId", "toolName")
                + _wrong(("isError is no truth value", isinstance(message.get("isError"), bool)))
            )
        case "assistant":
            return (
                said
                + _content(message.get("content"), {"text", "thinking", "toolCall"})
                + _texts(message, "api", "provider", "model")
                + _wrong((f"stopReason {message.get('stopReason')}", message.get("stopReason") in _STOPS))
                + _usage(message.get("usage"))
            )
        case "bashExecution" | "custom" | "branchSummary" | "compactionSummary" | "system":
            return said
    return [*said, f"role {message.get('role')}"]


def _usage(usage: Any) -> list[str]:
    if not isinstance(usage, dict) or not isinstance(usage.get("cost"), dict):
        return ["no usage with cost"]
    numbers = [usage.get(key) for key in _USAGE] + [usage["cost"].get(key) for key in _COST]
    return _wrong(("usage holds something that is no number", all(_is_number(number) for number in numbers)))


def _content(content: Any, allowed: set[str], *, text_allowed: bool = False) -> list[str]:
    if isinstance(content, str) and text_allowed:
        return []
    if not isinstance(content, list):
        return ["content is no list"]
    return [text for block in content for text in _block(block, allowed)]


def _block(block: Any, allowed: set[str]) -> list[str]:
    if not isinstance(block, dict) or block.get("type") not in allowed:
        return [f"block {block!r:.60} does not belong here"]
    match block["type"]:
        case "text":
            return _texts(block, "text") + _wrong(("textSignature", isinstance(block.get("textSignature", ""), str)))
        case "thinking":
            signature = block.get("thinkingSignature", "")
            return _texts(block, "thinking") + _wrong(("thinkingSignature", isinstance(signature, str)))
        case "image":
            return _texts(block, "data", "mimeType")
    return _texts(block, "id", "name") + _wrong(("no arguments", isinstance(block.get("arguments"), dict)))


def _compaction(record: _Record, ids: dict[str, _Record]) -> list[str]:
    kept = record.get("firstKeptEntryId")
    return _texts(record, "summary") + _wrong(
        (f"the first kept entry {kept} is no earlier entry", kept in ids or kept == record.get("id")),
        ("tokensBefore is no number", _is_number(record.get("tokensBefore"))),
    )


def _custom_message(record: _Record, _: dict[str, _Record]) -> list[str]:
    return (
        _texts(record, "customType")
        + _content(record.get("content"), {"text", "image"}, text_allowed=True)
        + _wrong(("display is no truth value", isinstance(record.get("display"), bool)))
    )


_CHECKS: dict[str, Callable[[_Record, dict[str, _Record]], list[str]]] = {
    "message": _message,
    "compaction": _compaction,
    "branch_summary": lambda r, _: _texts(r, "fromId", "summary"),
    "model_change": lambda r, _: _texts(r, "provider", "modelId"),
    "thinking_level_change": lambda r, _: _texts(r, "thinkingLevel"),
    "label": lambda r, ids: _wrong(
        ("the target is no text", isinstance(r.get("targetId"), str)),
        ("the label is no text", isinstance(r.get("label", ""), str)),
    ),
    "session_info": lambda r, _: _texts(r, "name"),
    "custom": lambda r, _: _texts(r, "customType"),
    "custom_message": _custom_message,
}


def _texts(record: _Record, *keys: str) -> list[str]:
    return [f"{key} is no text" for key in keys if not isinstance(record.get(key), str)]


def _wrong(*checks: tuple[str, bool]) -> list[str]:
    return [text for text, holds in checks if not holds]


def _is_iso(value: Any) -> bool:
    return isinstance(value, str) and _ISO.fullmatch(value) is not None


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
