"""`edit`: exact replacements in one file, several at once, all or none.

The file keeps its encoding, byte-order mark and line ends, and every byte outside the matches. A file that changed
since it was read is refused. Calls for the same file wait for each other.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from openclaw_tui.constants import EDIT_RESULT_DIFF_LINES
from openclaw_tui.events import Risk
from openclaw_tui.messages import ToolDefinition
from openclaw_tui.tools.base import ToolContext, ToolIntent, ToolOutcome, text_outcome
from openclaw_tui.tools.blocking import run_to_end
from openclaw_tui.tools.diff import FileDiff, diff_texts
from openclaw_tui.tools.edit_matching import Edit, apply_replacements, plan_edits
from openclaw_tui.tools.file_state import FileState, digest_of
from openclaw_tui.tools.file_text import encode_text, load_text
from openclaw_tui.tools.file_write import load_bytes, store_bytes
from openclaw_tui.tools.path_hints import missing
from openclaw_tui.tools.terminal_text import one_line, show_controls, show_hidden
from openclaw_tui.tools.workspace import Workspace

_DEFINITION = ToolDefinition(
    name="edit",
    summary="Replace exact text in a file",
    description=(
        "Replace text in a file. Each oldText must stand there once (or set replaceAll); all edits are matched against"
        " the file as it is."
    ),
    parameters={
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "edits": {
                "type": "array",
                "minItems": 1,
                "items": {
                    "type": "object",
                    "properties": {
                        "oldText": {"type": "string"},
                        "newText": {"type": "string"},
                        "replaceAll": {"type": "boolean"},
                    },
                    "required": ["oldText", "newText"],
                    "additionalProperties": False,
                },
            },
        },
        "required": ["path", "edits"],
        "additionalProperties": False,
    },
)


class _Plan(msgspec.Struct, frozen=True):
    """`data` is the new content of the file, `before` the present one."""

    before: bytes
    data: bytes
    diff: FileDiff
    count: int
    remarks: tuple[str, ...]


class EditTool:
    """Shares a `FileState` with the other file tools."""

    label = "Edit"
    risk: Risk = "write"
    parallel_safe = False
    definition = _DEFINITION

    def __init__(self, files: FileState) -> None:
        self._files = files

    def intent(self, arguments: Mapping[str, Any], workspace: Workspace) -> ToolIntent:
        path = workspace.resolve(arguments["path"])
        plan = self._plan(path, _edits(arguments), workspace)
        title = f"Edit {one_line(workspace.display(path))} ({plan.diff.summary()})"
        return ToolIntent("write", title, paths=(path,), preview=plan.diff.text, preview_kind="diff")

    async def execute(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        path = context.workspace.resolve(arguments["path"])
        name = one_line(context.workspace.display(path))
        edits = _edits(arguments)

        def work() -> tuple[_Plan, str]:
            plan = self._plan(path, edits, context.workspace)
            self._files.keep(context.call_id, path, plan.before, plan.data)
            return plan, store_bytes(path, plan.data, name)

        async with self._files.exclusive(path):
            plan, note = await run_to_end(work)
            self._files.record(path, digest_of(plan.data))
        head = f"Edited {name}: {plan.count} replacement{'s' if plan.count > 1 else ''}, {plan.diff.summary()}."
        shown = show_hidden(show_controls(plan.diff.shortened(EDIT_RESULT_DIFF_LINES))).text
        text = "\n".join(part for part in (head, *plan.remarks, note, shown) if part)
        return text_outcome(text, path=str(path), diff=plan.diff.text, firstChangedLine=plan.diff.first_changed_line)

    def _plan(self, path: Path, edits: Sequence[Edit], workspace: Workspace) -> _Plan:
        """What the file would become. Raises ToolError where that is not clear; writes nothing."""
        name = one_line(workspace.display(path))
        data = load_bytes(path, name)
        if data is None:
            raise missing(path, workspace)
        self._files.check_unchanged(path, data, name)
        file = load_text(data, name)
        replacements = plan_edits(file.text, edits, file.line_end, name)
        changed = apply_replacements(file.text, replacements)
        remarks = tuple(dict.fromkeys(f"note: matched {item.how}" for item in replacements if item.how))
        diff = diff_texts(file.text, changed, name)
        return _Plan(data, encode_text(changed, file.format, name), diff, len(replacements), remarks)


def _edits(arguments: Mapping[str, Any]) -> list[Edit]:
    return [Edit(edit["oldText"], edit["newText"], bool(edit.get("replaceAll"))) for edit in arguments["edits"]]
