"""`apply_patch`: changes to several files in one text, all or none.

Everything is worked out before anything is written. Where writing itself fails half-way, what was written is put back
and the answer says so.
"""

import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from openclaw_tui.errors import ToolError
from openclaw_tui.events import Risk
from openclaw_tui.messages import ToolDefinition
from openclaw_tui.tools.base import ToolContext, ToolIntent, ToolOutcome, text_outcome
from openclaw_tui.tools.blocking import run_to_end
from openclaw_tui.tools.diff import diff_texts
from openclaw_tui.tools.file_state import FileState, digest_of
from openclaw_tui.tools.file_text import TextFormat, encode_text, load_text
from openclaw_tui.tools.file_write import load_bytes, remove_file, store_bytes
from openclaw_tui.tools.patch_matching import apply_chunks
from openclaw_tui.tools.patch_parsing import FilePatch, parse_patch
from openclaw_tui.tools.path_hints import missing
from openclaw_tui.tools.terminal_text import one_line
from openclaw_tui.tools.workspace import Workspace

_DEFINITION = ToolDefinition(
    name="apply_patch",
    summary="Change several files with one patch",
    description=(
        "Apply a patch: *** Begin Patch, then *** Add File: p (+lines), *** Delete File: p or *** Update File: p"
        " [*** Move to: q] with chunks of @@ context and ' ', '-', '+' lines, then *** End Patch."
    ),
    parameters={
        "type": "object",
        "properties": {"input": {"type": "string"}},
        "required": ["input"],
        "additionalProperties": False,
    },
)


@dataclass(slots=True)
class _Plan:
    """Contents before and after by real path; None is a file that does not exist. `acts` are lines like `M path`."""

    before: dict[Path, bytes | None] = field(default_factory=dict)
    after: dict[Path, bytes | None] = field(default_factory=dict)
    modes: dict[Path, int] = field(default_factory=dict)
    acts: list[str] = field(default_factory=list)
    diffs: list[str] = field(default_factory=list)


class ApplyPatchTool:
    """Shares a `FileState` with the other file tools."""

    label = "Patch"
    risk: Risk = "write"
    parallel_safe = False
    definition = _DEFINITION

    def __init__(self, files: FileState) -> None:
        self._files = files

    def intent(self, arguments: Mapping[str, Any], workspace: Workspace) -> ToolIntent:
        patches = parse_patch(arguments["input"])
        plan = self._plan(patches, workspace)
        count = len(plan.after)
        title = f"Patch {count} file{'s' if count != 1 else ''}: {', '.join(plan.acts)}"
        return ToolIntent("write", title, paths=tuple(plan.after), preview="\n".join(plan.diffs), preview_kind="diff")

    async def execute(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        workspace = context.workspace
        patches = parse_patch(arguments["input"])
        named = [name for patch in patches for name in (patch.path, patch.move_to) if name]

        def work() -> tuple[_Plan, list[str]]:
            plan = self._plan(patches, workspace)
            for path, after in plan.after.items():
                self._files.keep(context.call_id, path, plan.before[path], after)
            return plan, _write_all(plan, workspace)

        async with self._files.exclusive(*(workspace.resolve(name) for name in named)):
            plan, notes = await run_to_end(work)
            for path, data in plan.after.items():
                self._files.record(path, digest_of(data) if data is not None else None)
        text = "\n".join(["Success. Updated the following files:", *plan.acts, *notes])
        return text_outcome(text, paths=[str(path) for path in plan.after], diff="\n".join(plan.diffs))

    def _plan(self, patches: list[FilePatch], workspace: Workspace) -> _Plan:
        plan = _Plan()
        for patch in patches:
            path = workspace.resolve(patch.path)
            name = one_line(workspace.display(path))
            old = self._content(plan, path, name)
            if patch.action == "Add":
                if old:
                    raise ToolError(
                        f"{name} exists already; use *** Update File:, or delete it first. Nothing was changed"
                    )
                self._set(plan, path, encode_text(patch.content, TextFormat(), name), "A", name)
            elif old is None:
                raise missing(path, workspace)
            elif patch.action == "Delete":
                self._set(plan, path, None, "D", name)
            else:
                self._update(plan, patch, path, old, workspace)
        return plan

    def _update(self, plan: _Plan, patch: FilePatch, path: Path, old: bytes, workspace: Workspace) -> None:
        name = one_line(workspace.display(path))
        new = old
        if patch.chunks:
            file = load_text(old, name)
            new = encode_text(apply_chunks(file.text, patch.chunks, file.line_end, name), file.format, name)
        if patch.move_to is None:
            self._set(plan, path, new, "M", name)
            return
        target = workspace.resolve(patch.move_to)
        target_name = one_line(workspace.display(target))
        if target != path:
            if self._content(plan, target, target_name) is not None:
                raise ToolError(f"cannot move {name} to {target_name}: it exists already. Nothing was changed")
            plan.after[path] = None
            plan.modes.update({target: plan.modes[path]} if path in plan.modes else {})
        self._set(plan, target, new, "M", target_name, old_text=_shown(old), old_name=name)

    def _content(self, plan: _Plan, path: Path, name: str) -> bytes | None:
        """What the file holds after the patches so far."""
        if path not in plan.before:
            data = load_bytes(path, name)
            if data is not None:
                self._files.check_unchanged(path, data, name)
                plan.modes[path] = stat.S_IMODE(path.stat().st_mode)
            plan.before[path] = plan.after[path] = data
        return plan.after[path]

    def _set(
        self,
        plan: _Plan,
        path: Path,
        data: bytes | None,
        act: str,
        name: str,
        *,
        old_text: str | None = None,
        old_name: str | None = None,
    ) -> None:
        before = old_text if old_text is not None else _shown(plan.after[path])
        diff = diff_texts(before, _shown(data), old_name or name, new_name=name)
        plan.after[path] = data
        plan.diffs.append(diff.text)
        plan.acts.append(f"{act} {name}")


def _shown(data: bytes | None) -> str | None:
    if data is None:
        return None
    try:
        return load_text(data, "").text
    except ToolError:
        return f"(binary, {len(data):,} bytes)\n"


def _write_all(plan: _Plan, workspace: Workspace) -> list[str]:
    """Write every changed file, deletions last; on a failure put back what was written."""
    changed = [path for path in plan.after if plan.after[path] != plan.before[path]]
    notes: list[str] = []
    done: list[Path] = []
    try:
        for path in sorted(changed, key=lambda item: plan.after[item] is None):
            done.append(path)
            notes.append(_put(plan, path, plan.after[path], one_line(workspace.display(path))))
    except ToolError as error:
        lost = _put_back(plan, done[:-1], workspace)
        state = f"could not be put back: {', '.join(lost)}" if lost else "every file is as it was"
        raise ToolError(f"{error}. The patch was not applied; {state}") from error
    return [note for note in notes if note]


def _put(plan: _Plan, path: Path, data: bytes | None, name: str) -> str:
    if data is None:
        remove_file(path, name)
        return ""
    return store_bytes(path, data, name, mode=plan.modes.get(path))


def _put_back(plan: _Plan, done: list[Path], workspace: Workspace) -> list[str]:
    lost = []
    for path in reversed(done):
        try:
            _put(plan, path, plan.before[path], one_line(workspace.display(path)))
        except ToolError:
            lost.append(one_line(workspace.display(path)))
    return lost
