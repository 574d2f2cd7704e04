"""Compaction in the hands of the user: look at it first, change its text, apply it, undo it, do it again.

A front end reaches it through the session. `draft` is the preview that waits; it goes when it is applied, replaced, or
no longer fits the branch.
"""

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from openclaw_tui.agent.builtin_compactor import apply, make_draft
from openclaw_tui.agent.compacting import apply_by_hand, compact_by_hand, manual_request
from openclaw_tui.agent.compaction_record import (
    CompactionRecord,
    compaction_of_row,
    compaction_record,
    latest_compaction,
)
from openclaw_tui.agent.deps import AgentDeps
from openclaw_tui.agent.summary_edits import edit_summary, restore_summary
from openclaw_tui.agent.undoing import (
    UndoWay,
    UndoWays,
    later_entries,
    redo_compaction,
    say_again,
    undo_compaction,
    undo_ways,
)
from openclaw_tui.compaction.draft import CompactionDraft
from openclaw_tui.compaction.lost import Lost
from openclaw_tui.constants import PREVIEW_LINE_CHARS, PREVIEW_MESSAGES_SHOWN
from openclaw_tui.context.engine import CompactResult
from openclaw_tui.errors import CompactionFailed
from openclaw_tui.ledger.ledger import LedgerRow
from openclaw_tui.messages import AssistantMessage, Message, ToolResultMessage, text_of
from openclaw_tui.session.entries import CompactionEntry

PUT_BACK_HEADING = "## Put back by the user"


class Preview(msgspec.Struct, frozen=True):
    """What a compaction would do. `goes` and `stays` are one line for each message shown, oldest first."""

    draft: CompactionDraft
    goes: tuple[str, ...]
    stays: tuple[str, ...]

    @property
    def text(self) -> str:
        draft = self.draft
        lines = [
            f"Compaction preview: ~{draft.tokens_before:,} → ~{draft.tokens_after:,} tokens",
            "",
            f"Goes ({draft.covered} messages, replaced by the summary):",
            *_listed(self.goes, draft.covered),
            "",
            f"Stays word for word ({draft.kept} messages):",
            *_listed(self.stays, draft.kept),
            "",
            f"Summary ({len(draft.summary):,} characters, {draft.model or 'made without a model'}):",
            draft.summary,
            "",
            "/compact apply uses it; /compact preview makes another.",
        ]
        notes = [f"note: {note}" for note in draft.notes]
        return "\n".join([*lines[:-1], *notes, lines[-1]])


class CompactionDesk:
    """One per session."""

    def __init__(self, deps: AgentDeps) -> None:
        self._deps = deps
        self.draft: CompactionDraft | None = None

    async def compact(self, focus: str = "") -> str:
        self.draft = None
        return await compact_by_hand(self._deps, focus)

    async def preview(self, focus: str = "") -> Preview:
        """Make a summary and show what it would replace; nothing is changed. Raises CompactionFailed."""
        self.draft = None
        await self._deps.requests.gather()
        messages = self._deps.manager.project().messages
        draft = self.draft = await make_draft(self._deps, manual_request(self._deps, focus))
        kept = messages[len(messages) - draft.kept :] if draft.kept else ()
        covered = messages[len(messages) - draft.kept - draft.covered : len(messages) - draft.kept]
        self._deps.acts.record(
            "compaction",
            "skipped",
            "preview drafted; nothing is changed until it is applied",
            tokens_before=draft.tokens_before,
            tokens_after=draft.tokens_before,
            cost_usd=draft.cost_usd,
            seconds=draft.seconds,
            trigger="preview",
            model=draft.model,
        )
        return Preview(draft, tuple(map(_line, covered)), tuple(map(_line, kept)))

    def edit(self, summary: str) -> CompactionDraft:
        """Put another text in place of the drafted summary. Raises CompactionFailed for an empty one."""
        if self.draft is None:
            raise CompactionFailed("there is no preview to edit; /compact preview makes one")
        if not summary.strip():
            raise CompactionFailed("an empty summary is never stored; the preview keeps its text")
        self.draft = replace(self.draft, summary=summary.strip(), sealed="")
        return self.draft

    async def apply(self) -> str:
        """Use the waiting draft."""
        draft = self.draft
        if draft is None:
            return "There is no preview to apply; /compact preview [focus] makes one."
        problem = self._problem(draft)
        self.draft = None
        if problem:
            return f"The preview was not applied: {problem}. /compact preview makes a new one."
        return await apply_by_hand(self._deps, lambda: _applied(self._deps, draft))

    def undo(self, way: UndoWay = "") -> str:
        self.draft = None
        return undo_compaction(self._deps, way).line

    def ways(self) -> UndoWays | None:
        """The numbers for the choice when turns followed the compaction; None where there is none."""
        return undo_ways(self._deps)

    async def again(self, focus: str) -> str:
        """Summarise the span of the latest compaction anew with another focus; what was said since is kept."""
        self.draft = None
        left, later = self._deps.manager.leaf_id, later_entries(self._deps)
        undone = undo_compaction(self._deps, "branch")
        if not undone.moved:
            return undone.line
        before = latest_id(self._deps)
        line = await compact_by_hand(self._deps, focus)
        if latest_id(self._deps) == before:
            redone = redo_compaction(self._deps)
            return f"{line} The compaction before stands: {redone.line}"
        kept = say_again(self._deps, later, left)
        return f"{line}{f' {kept} later messages follow it.' if kept else ''}"

    def edit_summary(self, text: str) -> str:
        """Another text for the summary in force."""
        self.draft = None
        return edit_summary(self._deps, text).line

    def unedit(self) -> str:
        self.draft = None
        return restore_summary(self._deps).line

    def record(self, entry_id: str = "") -> CompactionRecord:
        """One compaction looked at; without an id the one in force. Raises CompactionFailed where there is none."""
        entry = self._deps.manager.entry(entry_id) if entry_id else latest_compaction(self._deps)
        if not isinstance(entry, CompactionEntry):
            raise CompactionFailed("there is no compaction on this branch yet; /compact makes one")
        return compaction_record(self._deps, entry)

    def of_row(self, row: LedgerRow) -> CompactionRecord | None:
        """The compaction that a row of the ledger tells of."""
        entry = compaction_of_row(self._deps, row)
        return compaction_record(self._deps, entry) if entry is not None else None

    def with_note(self, item: Lost) -> str:
        """The text of the summary in force with something put back into it."""
        summary = self.record().summary.rstrip()
        heading = "" if PUT_BACK_HEADING in summary else f"\n\n{PUT_BACK_HEADING}"
        return f"{summary}{heading}\n- {item.kind}: {item.text}"

    def redo(self) -> str:
        self.draft = None
        return redo_compaction(self._deps).line

    def _problem(self, draft: CompactionDraft) -> str:
        """Why a draft no longer fits the branch; empty when it does. Talk that was added since is kept whole."""
        branch = self._deps.manager.branch()
        ids = [entry.id for entry in branch]
        if draft.leaf_id not in ids or (draft.first_kept_entry_id and draft.first_kept_entry_id not in ids):
            return "the session is on another branch now"
        if any(isinstance(entry, CompactionEntry) for entry in branch[ids.index(draft.leaf_id) + 1 :]):
            return "the talk was compacted since"
        return ""


def latest_id(deps: AgentDeps) -> str:
    compaction = latest_compaction(deps)
    return compaction.id if compaction is not None else ""


def _applied(deps: AgentDeps, draft: CompactionDraft) -> CompactResult:
    """The price of the draft was told when it was made; it is not told twice."""
    result = apply(deps, draft)
    return replace(result, details={**result.details, "costUsd": 0.0})


def _line(message: Message) -> str:
    who = {"UserMessage": "user", "AssistantMessage": "assistant"}.get(type(message).__name__, "result")
    text = " ".join(text_of(message.content).split())
    if isinstance(message, ToolResultMessage):
        who = f"result of {message.tool_name}"
    elif isinstance(message, AssistantMessage) and message.tool_calls:
        text = f"{text} [{', '.join(call.name for call in message.tool_calls)}]".strip()
    shown = text if len(text) <= PREVIEW_LINE_CHARS else f"{text[:PREVIEW_LINE_CHARS]}…"
    return f"{who}: {shown or '(no text)'}"


def _listed(lines: Sequence[str], count: int) -> list[str]:
    if not lines:
        return ["  (nothing)"]
    if count <= PREVIEW_MESSAGES_SHOWN:
        return [f"  {line}" for line in lines]
    half = PREVIEW_MESSAGES_SHOWN // 2
    return [
        *(f"  {line}" for line in lines[:half]),
        f"  … {count - 2 * half} more …",
        *(f"  {li}" for li in lines[-half:]),
    ]
