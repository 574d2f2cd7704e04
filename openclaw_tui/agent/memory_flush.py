"""The memory flush: before a compaction takes details away, one hidden run writes durable notes.

It sends the session's next request with instructions behind it, so the cached prefix is read once more; its answers
and calls are not part of the conversation. It may add to two files and nothing else, it never stops the turn, and what
it wrote is shown as lines added, with the way back. Skipped on overflow, where there is no room to ask, and said so.
"""

import asyncio
import dataclasses
from collections.abc import Mapping, Sequence
from datetime import datetime

import msgspec
from msgspec.structs import replace

from openclaw_tui.agent.deps import AgentDeps
from openclaw_tui.agent.flush_tools import FlushReadTool, FlushWriteTool
from openclaw_tui.agent.side_call import side_call
from openclaw_tui.constants import (
    FLUSH_MAX_OUTPUT_TOKENS,
    FLUSH_MAX_STEPS,
    FLUSH_MIN_ROOM_TOKENS,
    FLUSH_MIN_USER_TURNS,
)
from openclaw_tui.context.engine import CompactionTrigger
from openclaw_tui.errors import MemoryFailed, OpenClawError
from openclaw_tui.events import AgentEvent, MemoryFlushEnded, MemoryFlushStarted
from openclaw_tui.memory.extract import as_bullets, extract_notes
from openclaw_tui.memory.files import Written
from openclaw_tui.memory.flush import FlushState, flush_instructions, should_flush
from openclaw_tui.memory.notebook import MemoryDesk, Notebook
from openclaw_tui.messages import Message, TextBlock, ToolResultMessage, UserMessage
from openclaw_tui.safety.permissions import Permissions
from openclaw_tui.session.custom_types import MEMORY_FLUSH
from openclaw_tui.session.entries import CompactionEntry, CustomEntry, MessageEntry
from openclaw_tui.session.manager import SessionManager
from openclaw_tui.tools.approval import ApprovalBroker
from openclaw_tui.tools.registry import Toolset
from openclaw_tui.tools.runner import ToolRunner
from openclaw_tui.tools.workspace import Workspace

_OVERFLOWS = ("overflow_preemptive", "overflow_provider")
_LASTING = ("Decisions", "Preferences and rules")


class FlushRecord(msgspec.Struct, frozen=True):
    """The last flush of a branch: after how many compactions, when (milliseconds), and which files it added to."""

    compactions: int
    at: int
    files: tuple[str, ...] = ()


def last_flush(manager: SessionManager) -> FlushRecord | None:
    for entry in reversed(manager.branch()):
        if isinstance(entry, CustomEntry) and entry.custom_type == MEMORY_FLUSH and isinstance(entry.data, Mapping):
            data = entry.data
            count, at, files = data.get("compactions"), data.get("at"), data.get("files")
            if isinstance(count, int) and isinstance(at, int):
                return FlushRecord(count, at, tuple(map(str, files)) if isinstance(files, list) else ())
    return None


def flush_is_due(deps: AgentDeps, size: int) -> bool:
    """Whether a prompt of this size is to be preceded by a flush. Cheap while there is room."""
    desk = deps.memory
    if desk is None or not desk.flush.enabled or deps.manager.path is None:
        return False
    budget, settings = deps.requests.budget, desk.flush
    may_be_long = 0 < settings.transcript_bytes <= size * 8
    if size <= budget.flush_trigger_tokens and not may_be_long:
        return False
    flushed = last_flush(deps.manager)
    state = FlushState(
        projected_tokens=size,
        window_tokens=budget.usable_tokens + budget.reserve_tokens,
        reserve_tokens=budget.reserve_tokens,
        transcript_bytes=_talk_bytes(deps.manager.project().messages) if may_be_long else 0,
        compactions=_compactions(deps.manager),
        flushed_at=flushed.compactions if flushed else None,
    )
    return should_flush(replace(settings, soft_tokens=budget.flush_soft_tokens), state)


async def flush_if_due(deps: AgentDeps, trigger: CompactionTrigger, size: int) -> None:
    """Called before every compaction: write notes once for it. Never raises but when it is cancelled."""
    desk = deps.memory
    if desk is None or not desk.flush.enabled or deps.manager.path is None:
        return
    compactions, flushed = _compactions(deps.manager), last_flush(deps.manager)
    if flushed is not None and flushed.compactions == compactions:
        return
    if (obstacle := _obstacle(deps, trigger)) != "":
        deps.acts.record("memory", "flush_skipped", obstacle, tokens_before=size)
        return
    deps.emit(MemoryFlushStarted(deps.session_key))
    deps.acts.record("memory", "flush_started", trigger, tokens_before=size)
    notes = desk.open(datetime.fromtimestamp(deps.clock()).date())
    run = _Run(deps, desk, notes)
    try:
        await run.write()
        reason = "" if run.written else "nothing to keep"
        deps.acts.record("memory", "flush_done", reason or _count(run.written), cost_usd=run.cost_usd)
    except OpenClawError as error:
        reason = str(error)
        deps.acts.record("memory", "flush_skipped", reason, cost_usd=run.cost_usd)
    finally:
        _tell(deps, desk, run.written)
    files = tuple(dict.fromkeys(desk.places.shown(added.path) for added in run.written))
    deps.manager.append_custom(MEMORY_FLUSH, {"compactions": compactions, "at": deps.now_ms(), "files": list(files)})
    deps.emit(MemoryFlushEnded(deps.session_key, files, reason))


class _Run:
    """One flush. `written` and `cost_usd` hold also when it ends early."""

    def __init__(self, deps: AgentDeps, desk: MemoryDesk, notes: Notebook) -> None:
        self._deps = deps
        self._desk = desk
        self._notes = notes
        self._tool = FlushWriteTool(notes)
        self.cost_usd = 0.0

    @property
    def written(self) -> list[Written]:
        return self._tool.written

    async def write(self) -> None:
        if self._deps.requests.model.api == "offline":
            await asyncio.to_thread(self._extract)
        else:
            await self._ask()

    def _extract(self) -> None:
        """Without a model: the user's own sentences that decide, prefer or leave something open."""
        found = extract_notes(self._deps.manager.project().messages)
        lasting = {kind: lines for kind, lines in found.items() if kind in _LASTING}
        long_term, daily = self._notes.writable
        for name, notes in ((daily, found), (long_term, lasting)):
            added = self._notes.add(name, as_bullets(notes)) if notes else None
            if added is not None:
                self.written.append(added)

    async def _ask(self) -> None:
        deps = self._deps
        prepared = await deps.requests.prepare()
        room = deps.requests.budget.window_tokens - prepared.size.tokens
        if room < FLUSH_MIN_ROOM_TOKENS:
            raise MemoryFailed(f"the window has room for {max(0, room):,} tokens only")
        request = prepared.request
        messages = _with_instructions(request.messages, flush_instructions(self._desk.flush, self._notes.today))
        runner = self._runner()
        for _ in range(FLUSH_MAX_STEPS):
            most = min(request.max_output_tokens, FLUSH_MAX_OUTPUT_TOKENS)
            answer = await side_call(deps, replace(request, messages=messages, max_output_tokens=most))
            self.cost_usd += answer.cost_usd or 0.0
            if not answer.tool_calls:
                return
            results: list[ToolResultMessage] = []
            await runner.run(answer.tool_calls, results.append)
            messages = (*messages, answer, *results)

    def _runner(self) -> ToolRunner:
        """A runner of its own: the user's deny rules hold, nobody is asked, nothing is shown."""
        deps = self._deps
        workspace = Workspace(root=self._desk.places.root)
        settings = replace(deps.runner.permissions.settings, mode="acceptEdits", allow=())
        return ToolRunner(
            Toolset([FlushReadTool(self._notes), self._tool]),
            workspace,
            Permissions(settings, workspace),
            ApprovalBroker(_silent, deps.session_key, interactive=False),
            _silent,
            deps.session_key,
        )


def _silent(event: AgentEvent) -> None:
    """The flush is hidden: its calls are no events of the conversation."""


def _obstacle(deps: AgentDeps, trigger: CompactionTrigger) -> str:
    if trigger in _OVERFLOWS:
        return "the context overflowed: there is no room to ask for notes"
    if deps.runner.permissions.mode == "plan":
        return "plan mode only looks"
    if trigger != "manual" and _user_turns_since_flush(deps.manager) < FLUSH_MIN_USER_TURNS:
        return "the user has said little since the last one"
    return ""


def _user_turns_since_flush(manager: SessionManager) -> int:
    """Messages of the user since the last flush; without one there is always enough to look through."""
    turns = 0
    for entry in reversed(manager.branch()):
        if isinstance(entry, CustomEntry) and entry.custom_type == MEMORY_FLUSH:
            return turns
        if isinstance(entry, MessageEntry) and isinstance(entry.message, UserMessage):
            turns += entry.message.origin == "user"
    return FLUSH_MIN_USER_TURNS


def _tell(deps: AgentDeps, desk: MemoryDesk, written: Sequence[Written]) -> None:
    """One act and one notice for each addition: which lines, into which file, and the way back."""
    for added in written:
        name = desk.places.shown(added.path)
        lines = added.text.strip().splitlines()
        deps.acts.record(
            "memory",
            "written",
            f"{len(lines)} lines added to {name}",
            way_back="/memory undo",
            path=str(added.path),
            offset=added.offset,
            bytes=added.size,
            sha256=added.digest,
            created=added.created,
            text=added.text,
        )
        shown = "\n".join(f"+ {line}" for line in lines)
        deps.acts.notice("info", f"noted in {name} before the compaction (/memory undo takes it back)\n{shown}")


def _with_instructions(messages: tuple[Message, ...], text: str) -> tuple[Message, ...]:
    """Behind a last user message the instructions join it as one more block: roles must alternate."""
    last = messages[-1] if messages else None
    if isinstance(last, UserMessage):
        return (*messages[:-1], dataclasses.replace(last, content=(*last.content, TextBlock(text))))
    return (*messages, UserMessage((TextBlock(text),), origin="custom"))


def _compactions(manager: SessionManager) -> int:
    return sum(isinstance(entry, CompactionEntry) for entry in manager.branch())


def _talk_bytes(messages: Sequence[Message]) -> int:
    """Text of the talk in the context; pictures do not count."""
    return sum(len(block.text) for message in messages for block in message.content if isinstance(block, TextBlock))


def _count(written: Sequence[Written]) -> str:
    lines = sum(len(added.text.strip().splitlines()) for added in written)
    return f"{lines} lines noted"
