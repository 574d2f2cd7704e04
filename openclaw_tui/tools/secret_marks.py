"""Marks of secrets on their way through the tools: results are masked, arguments get back what their file holds.

Bytes outside an edit are never touched by this: a mark in an argument becomes the value that stands in the very file
the call writes; everything else of the file is left to the tool.
"""

import dataclasses
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from openclaw_tui.constants import EDIT_MAX_FILE_BYTES
from openclaw_tui.errors import ToolDenied
from openclaw_tui.messages import TextBlock, ToolResultMessage, UserContent
from openclaw_tui.safety.masking import NOTE, Masks, carries_mark
from openclaw_tui.tools.workspace import Workspace

_NO_MARKS = ("exec", "process", "web_fetch")
_WRITERS = ("write", "edit")
_PATCH_FILE = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)


def masked_result(masks: Masks, result: ToolResultMessage) -> tuple[ToolResultMessage, int]:
    """The result without secrets, and how many of them are new; the first time a note says what a mark is."""
    new = 0
    content: list[UserContent] = []
    for block in result.content:
        if isinstance(block, TextBlock):
            text, found = masks.masked(block.text)
            new += found
            block = replace(block, text=text) if text is not block.text else block
        content.append(block)
    if new:
        content.append(TextBlock(NOTE))
    details = _masked_value(masks, result.details) if result.details else result.details
    return dataclasses.replace(result, content=tuple(content), details=details), new


def _masked_value(masks: Masks, value: Any) -> Any:
    if isinstance(value, str):
        return masks.masked(value)[0]
    if isinstance(value, Mapping):
        return {key: _masked_value(masks, item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_masked_value(masks, item) for item in value]
    return value


def with_secrets(masks: Masks, tool: str, arguments: Mapping[str, Any], workspace: Workspace) -> Mapping[str, Any]:
    """The arguments with the secrets of the file a call writes. Raises ToolDenied where a mark has no place."""
    if not _carried(arguments):
        return arguments
    if tool in _NO_MARKS:
        raise ToolDenied(
            "Not run: the call carries ⟦secret:N⟧, which stands for a secret you have not seen. Let the command read it"
            " itself, from its file or its environment."
        )
    if tool in _WRITERS:
        path = workspace.resolve(str(arguments.get("path", "")))
        original = _text_of(path)
        return {
            name: value if name == "path" else _put_back(masks, value, original, path.name)
            for name, value in arguments.items()
        }
    if tool == "apply_patch":
        return {**arguments, "input": _patch_with_secrets(masks, str(arguments.get("input", "")), workspace)}
    return arguments


def _patch_with_secrets(masks: Masks, patch: str, workspace: Workspace) -> str:
    """Each part of a patch with the secrets of its own file."""
    starts = [match.start() for match in _PATCH_FILE.finditer(patch)]
    parts = [patch[: starts[0]] if starts else patch]
    for start, end in zip(starts, [*starts[1:], len(patch)], strict=True):
        part = patch[start:end]
        match = _PATCH_FILE.match(part)
        path = workspace.resolve(match[1].strip()) if match is not None else workspace.root
        parts.append(masks.put_back(part, _text_of(path), path.name))
    return "".join(parts)


def _put_back(masks: Masks, value: Any, original: str, name: str) -> Any:
    if isinstance(value, str):
        return masks.put_back(value, original, name)
    if isinstance(value, Mapping):
        return {key: _put_back(masks, item, original, name) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_put_back(masks, item, original, name) for item in value]
    return value


def _carried(value: Any) -> bool:
    if isinstance(value, str):
        return carries_mark(value)
    if isinstance(value, Mapping):
        return any(_carried(item) for item in value.values())
    return isinstance(value, list | tuple) and any(_carried(item) for item in value)


def _text_of(path: Path) -> str:
    """What stands in the file now; empty where there is none or it cannot be read."""
    try:
        if not path.is_file() or path.stat().st_size > EDIT_MAX_FILE_BYTES:
            return ""  # a pipe or a device would be read without end, before anybody was asked
        return path.read_bytes().decode("utf-8", "replace")
    except OSError:
        return ""
