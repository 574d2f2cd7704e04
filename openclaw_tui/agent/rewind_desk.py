"""Going back: the talk to before one of the user's prompts, files to what they were then, or both. And going elsewhere
in the session tree.

Nothing is deleted. The talk goes back by moving the leaf; files go back by the checkpoints, and what stood there is
kept first. A marker entry on the new branch remembers where the branch that was left ends and which changes put files
back, so that each of these acts can be undone, after a restart as well.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

import msgspec

from openclaw_tui.agent.deps import AgentDeps
from openclaw_tui.agent.file_rewind import (
    FilePlan,
    FileRewind,
    Restored,
    diff_stat,
    difference,
    plan_files,
    restore_files,
)
from openclaw_tui.agent.spending import spent_usd
from openclaw_tui.artifacts.checkpoints import Change, CheckpointStore
from openclaw_tui.errors import SessionError
from openclaw_tui.ledger.ledger import LedgerRow
from openclaw_tui.messages import AssistantMessage, TextBlock, ToolResultMessage, UserMessage, text_of
from openclaw_tui.session.custom_types import REWIND, REWIND_NOTE
from openclaw_tui.session.entries import CompactionEntry, CustomEntry, Entry, MessageEntry
from openclaw_tui.tokens import estimate_messages_tokens
from openclaw_tui.tools.blocking import run_to_end
from openclaw_tui.tools.diff import FileDiff
from openclaw_tui.tools.file_state import FileState
from openclaw_tui.tools.workspace import Workspace

What: TypeAlias = Literal["talk", "files", "both"]
_RUNS_COMMANDS = ("exec", "sessions_spawn")


class Prompt(msgspec.Struct, frozen=True):
    """A prompt of the user on the current branch. `number` counts from 1; `files` were changed before the next one."""

    number: int
    entry_id: str
    text: str
    at: int
    files: int = 0


class RewindPreview(msgspec.Struct, frozen=True):
    """What going back to before a prompt would do. `diffs` are from now to then, by name; None cannot be shown.

    `commands` are shell commands and sub-agents of the span: what they changed is not covered.
    """

    prompt: Prompt
    messages: int
    tokens: int
    plan: FilePlan
    diffs: Mapping[str, FileDiff | None] = msgspec.field(default_factory=dict)
    commands: tuple[str, ...] = ()
    compactions: int = 0

    @property
    def stat(self) -> str:
        return diff_stat(self.diffs)


class RewindOutcome(msgspec.Struct, frozen=True):
    """`line` is for the user, `draft` the text of the prompt that went, `moved` tells of another branch."""

    line: str
    draft: str = ""
    moved: bool = False
    is_error: bool = False


class RewindDesk:
    """One for each conversation. What changes something must run while no turn does."""

    def __init__(self, deps: AgentDeps, store: CheckpointStore, files: FileState, workspace: Workspace) -> None:
        self._deps = deps
        self._files = files
        self._workspace = workspace
        self.store = store

    # ── looking ───────────────────────────────────────────────────────────────────────────────────────────────────
    def prompts(self) -> list[Prompt]:
        """The user's prompts on the current branch, oldest first."""
        found = [entry for entry in self._deps.manager.branch() if _is_prompt(entry)]
        starts = [len(self.span_since(entry.id)) for entry in found]
        changes, total = self.store.changes, len(self.store.changes)
        prompts = []
        for at, entry in enumerate(found):
            begin = total - starts[at]
            end = total - starts[at + 1] if at + 1 < len(starts) else total
            count = len({change.path for change in changes[begin:end]})
            message = entry.message if isinstance(entry, MessageEntry) else None
            text = text_of(message.content) if isinstance(message, UserMessage) else ""
            prompts.append(Prompt(at + 1, entry.id, text, message.timestamp if message else 0, count))
        return prompts

    def span_since(self, entry_id: str) -> list[Change]:
        """The changes made since an entry was written, on whatever branch: files know no branches."""
        changes, tree = self.store.changes, self._deps.manager.records.loaded.tree
        start = tree.position(entry_id)
        for at, change in enumerate(changes):
            place = tree.position(change.anchor)
            if start is not None and place is not None and place >= start:
                return changes[at:]
        return []

    def preview(self, prompt: Prompt) -> RewindPreview:
        """What would go and what would come back. Reads files; takes as long as their diffs do."""
        branch = self._deps.manager.branch()
        later = branch[_index(branch, prompt.entry_id) :]
        messages = [entry.message for entry in later if isinstance(entry, MessageEntry) and entry.message is not None]
        plan = plan_files(self.store, self.span_since(prompt.entry_id))
        return RewindPreview(
            prompt,
            messages=len(messages),
            tokens=estimate_messages_tokens(messages),
            plan=plan,
            diffs={self.name_of(file): difference(self.store, file, self.name_of(file)) for file in plan.files},
            commands=tuple(_commands(later)),
            compactions=sum(isinstance(entry, CompactionEntry) for entry in later),
        )

    def name_of(self, file: FileRewind) -> str:
        return self._workspace.display(file.path)

    def last_act(self) -> Mapping[str, Any] | None:
        """The latest rewind or move of the current branch: what `undo` would take back."""
        for entry in reversed(self._deps.manager.branch()):
            if isinstance(entry, CustomEntry) and entry.custom_type == REWIND and isinstance(entry.data, Mapping):
                return entry.data
        return None

    # ── going ─────────────────────────────────────────────────────────────────────────────────────────────────────
    async def rewind(self, prompt: Prompt, what: What, *, overwrite: bool = False) -> RewindOutcome:
        """Go back to before a prompt. Conflicting files are left alone unless `overwrite`."""
        await self._deps.children.stop()
        manager = self._deps.manager
        entry = manager.entry(prompt.entry_id)
        if entry is None or not _is_prompt(entry):
            raise SessionError("That prompt is no longer in the session; open /rewind again.")
        span = self.span_since(prompt.entry_id) if what != "talk" else []
        restored = await self._restore(span, overwrite=overwrite, moves=what == "both")
        if what == "files":
            self._mark("files", None, restored)
            self._note(restored)
            return self._told(_files_line(restored), restored)
        self._move(entry.parent_id, "rewound", restored)
        line = f"The talk is back before prompt {prompt.number}; its text is in the editor"
        return self._told(f"{line}. {_files_line(restored)}" if what == "both" else f"{line}.", restored, prompt.text)

    async def undo(self, *, overwrite: bool = False) -> RewindOutcome:
        """Take the latest rewind (or move in the tree) of this branch back. Doing it twice is doing it again."""
        await self._deps.children.stop()
        act = self.last_act()
        if act is None:
            return RewindOutcome("There is no rewind on this branch to undo.", is_error=True)
        leaf, call = act.get("leaf"), act.get("files")
        if isinstance(leaf, str) and self._deps.manager.entry(leaf) is None:
            return RewindOutcome("The branch that was left is no longer in the session.", is_error=True)
        restored = await self._restore(self._since_call(call), overwrite=overwrite, moves="leaf" in act)
        if "leaf" not in act:
            self._mark("files", None, restored)
            self._note(restored)
            return self._told(f"The rewind is undone. {_files_line(restored)}", restored)
        self._move(leaf if isinstance(leaf, str) else None, "undone", restored)
        files = f" {_files_line(restored)}" if call else ""
        return self._told(f"The rewind is undone: the talk is where it was.{files}", restored)

    async def go_to(self, entry_id: str) -> RewindOutcome:
        """Go on from an entry of the tree: behind it, or before it where it is a prompt, with its text to edit."""
        await self._deps.children.stop()
        manager = self._deps.manager
        entry = manager.entry(entry_id)
        if entry is None:
            raise SessionError("That entry is no longer in the session; open /tree again.")
        if _is_prompt(entry) and isinstance(entry, MessageEntry) and isinstance(entry.message, UserMessage):
            self._move(entry.parent_id, "switched", None)
            return RewindOutcome("Before that prompt; its text is in the editor.", text_of(entry.message.content), True)
        self._move(self._whole_step(entry), "switched", None)
        return RewindOutcome("On that branch now; files are as they were (/rewind changes them).", moved=True)

    def _whole_step(self, entry: Entry) -> str:
        """An answer with calls is nothing without their results."""
        records = self._deps.manager.records
        children = records.loaded.tree.children()
        at, end = records.loaded.tree.position(entry.id), entry.id
        while at is not None:
            below = [child for child in children.get(at, ()) if _is_result(records.at(child))]
            at = below[0] if below else None
            end = records.loaded.tree.ids[at] if at is not None else end
        return end

    async def _restore(self, span: Sequence[Change], *, overwrite: bool, moves: bool) -> Restored | None:
        if not span:
            return None
        anchor = self._deps.manager.leaf_id or ""
        call = f"rewind-{len(self.store.changes)}"
        paths = {change.place for change in span}

        def work() -> Restored:
            plan = plan_files(self.store, span)
            return restore_files(self.store, plan, overwrite=overwrite, call=call, anchor=anchor)

        async with self._files.exclusive(*paths):
            restored = await run_to_end(work)
            for file in restored.done if moves else ():
                self._files.forget(file.path)
        return restored

    def _since_call(self, call: object) -> list[Change]:
        changes = self.store.changes
        at = next((number for number, change in enumerate(changes) if call and change.call == call), len(changes))
        return changes[at:]

    def _move(self, target: str | None, act: str, restored: Restored | None) -> None:
        deps, manager = self._deps, self._deps.manager
        left = manager.leaf_id
        manager.branch_to(target)
        self._mark(act, (left,), restored, spent=deps.spent_usd - spent_usd(manager.branch()))
        model = deps.requests.model
        if (known := manager.project().model) is not None and known != (model.provider, model.id):
            manager.append_model_change(model.provider, model.id)
        deps.requests.reread()
        deps.requests.save_metadata()

    def _mark(self, act: str, left: tuple[str | None] | None, restored: Restored | None, spent: float = 0.0) -> None:
        """Remember the act on the branch; `left` is the end of the branch that was left, where the talk moved."""
        data: dict[str, Any] = {"act": act}
        if left is not None:
            data["leaf"] = left[0]
        if restored is not None and restored.done:
            data["files"] = self.store.changes[-1].call
        if spent > 0:
            data["costUsd"] = spent
        self._deps.manager.append_custom(REWIND, data)
        self._deps.manager.sync()

    def _note(self, restored: Restored | None) -> None:
        """The talk goes on with files that are no longer what the model wrote: it must know."""
        if restored is None or not restored.done:
            return
        names = ", ".join(self.name_of(file) for file in restored.done)
        text = f"[The user put these files back to an earlier state: {names}. Read them again before you rely on them.]"
        self._deps.manager.append_custom_message(REWIND_NOTE, (TextBlock(text),), display=False)

    def _told(self, line: str, restored: Restored | None, draft: str = "") -> RewindOutcome:
        parts = [line]
        if restored is not None and restored.left:
            names = ", ".join(f"{self.name_of(file)} ({file.conflict})" for file in restored.left)
            parts.append(f"Left alone: {names}.")
        if restored is not None and restored.failed:
            parts.append(f"Not done: {'; '.join(restored.failed)}.")
        parts.append("/rewind undo takes it back.")
        text = " ".join(parts)
        deps = self._deps
        deps.acts.ledger.record(LedgerRow(time=deps.clock(), layer="talk", verb="rewound", reason=text))
        failed = restored is not None and bool(restored.failed) and not restored.done
        return RewindOutcome(text, draft, moved=True, is_error=failed)


def _files_line(restored: Restored | None) -> str:
    count = len(restored.done) if restored is not None else 0
    return f"{count or 'No'} file{'s' if count != 1 else ''} put back."


def _is_prompt(entry: Entry) -> bool:
    message = entry.message if isinstance(entry, MessageEntry) else None
    return isinstance(message, UserMessage) and message.origin == "user"


def _is_result(entry: Entry) -> bool:
    return isinstance(entry, MessageEntry) and isinstance(entry.message, ToolResultMessage)


def _index(branch: Sequence[Entry], entry_id: str) -> int:
    return next((at for at, entry in enumerate(branch) if entry.id == entry_id), len(branch))


def _commands(entries: Sequence[Entry]) -> list[str]:
    """Command lines that were run, and sub-agents that worked, in these entries."""
    messages = [entry.message for entry in entries if isinstance(entry, MessageEntry)]
    results = {message.tool_call_id: message for message in messages if isinstance(message, ToolResultMessage)}
    found = []
    for message in messages:
        for call in message.tool_calls if isinstance(message, AssistantMessage) else ():
            result = results.get(call.id)
            if call.name in _RUNS_COMMANDS and result and not (result.details or {}).get("denied"):
                found.append(str(call.arguments.get("command") or f"sub-agent: {call.arguments.get('task', '')}"))
    return found
