"""`write`: a whole file, new or replaced.

A file that holds something is only replaced when it was read in this session and is still the same: a model that has
not seen a file cannot know what it destroys.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from openclaw_tui.errors import ToolError
from openclaw_tui.events import Risk
from openclaw_tui.messages import ToolDefinition
from openclaw_tui.tools.base import ToolContext, ToolIntent, ToolOutcome, text_outcome
from openclaw_tui.tools.blocking import run_to_end
from openclaw_tui.tools.diff import FileDiff, diff_texts
from openclaw_tui.tools.file_state import FileState, digest_of
from openclaw_tui.tools.file_text import TextFormat, detect_format, encode_text, is_binary
from openclaw_tui.tools.file_write import load_bytes, store_bytes
from openclaw_tui.tools.terminal_text import one_line
from openclaw_tui.tools.workspace import Workspace

_DEFINITION = ToolDefinition(
    name="write",
    summary="Create or replace a file",
    description="Write a whole file, creating folders. Read an existing file first; prefer edit for changes.",
    parameters={
        "type": "object",
        "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
        "required": ["path", "content"],
        "additionalProperties": False,
    },
)


class WriteTool:
    """Shares a `FileState` with the other file tools."""

    label = "Write"
    risk: Risk = "write"
    parallel_safe = False
    definition = _DEFINITION

    def __init__(self, files: FileState) -> None:
        self._files = files

    def intent(self, arguments: Mapping[str, Any], workspace: Workspace) -> ToolIntent:
        path = workspace.resolve(arguments["path"])
        name = one_line(workspace.display(path))
        old = self._present(path, name)
        diff = _difference(old, arguments["content"], name)
        title = f"{'Create' if old is None else 'Replace'} {name} ({diff.summary()})"
        return ToolIntent("write", title, paths=(path,), preview=diff.text, preview_kind="diff")

    async def execute(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        path = context.workspace.resolve(arguments["path"])
        name = one_line(context.workspace.display(path))
        data = encode_text(arguments["content"], TextFormat(), name)

        def work() -> tuple[bytes | None, str]:
            old = self._present(path, name)
            self._files.keep(context.call_id, path, old, data)
            return old, store_bytes(path, data, name)

        async with self._files.exclusive(path):
            old, note = await run_to_end(work)
            self._files.record(path, digest_of(data))
        diff = _difference(old, arguments["content"], name)
        text = f"{'Created' if old is None else 'Replaced'} {name}: {len(data):,} bytes, {diff.summary()}."
        return text_outcome(
            f"{text}\n{note}".rstrip(), path=str(path), bytes=len(data), diff=diff.text, created=old is None
        )

    def _present(self, path: Path, name: str) -> bytes | None:
        """The content that would be replaced. Raises ToolError where the model does not know it."""
        old = load_bytes(path, name)
        if old:
            if not self._files.was_seen(path):
                raise ToolError(f"{name} exists and was not read in this session; read it first, then write or edit it")
            self._files.check_unchanged(path, old, name)
        return old


def _difference(old: bytes | None, new: str, name: str) -> FileDiff:
    if old is None:
        return diff_texts(None, new, name)
    if is_binary(old):
        return diff_texts(f"(binary, {len(old):,} bytes)\n", new, name)
    found = detect_format(old, whole=True)
    return diff_texts(old.removeprefix(found.mark).decode(found.encoding, "replace"), new, name)
