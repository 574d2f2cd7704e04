"""Runs compactions for the loop: when the line is crossed, after an overflow, and by hand.

Whatever the trigger, the path is the same: the engine's `compact`, believed only when the measured size fell, one row
in the ledger, one pair of events, then the session file is shortened where it has grown too large. A compaction that
freed nothing is no attempt; after three in a row without an accepted call the turn stops with a plain message, and
after a failed automatic one the next waits until the context has grown.
"""

import time
from collections.abc import Awaitable, Callable

from msgspec.structs import replace

from openclaw_tui.agent.deps import AgentDeps
from openclaw_tui.agent.item_desk import clear_wanted
from openclaw_tui.agent.memory_flush import flush_if_due, flush_is_due
from openclaw_tui.agent.state import TurnState
from openclaw_tui.constants import COMPACTION_BACKOFF_GROWTH, MAX_CONSECUTIVE_COMPACTIONS
from openclaw_tui.context.engine import CompactionTrigger, CompactRequest, CompactResult
from openclaw_tui.context.pipeline import PreparedRequest
from openclaw_tui.errors import (
    CompactionFailed,
    ContextOverflow,
    PreemptiveContextOverflow,
    ProviderContextOverflow,
    SessionWriteFailed,
)
from openclaw_tui.events import CompactionEnded, CompactionStarted
from openclaw_tui.messages import AssistantMessage
from openclaw_tui.session.truncation import truncate_session_after_compaction


async def compact_if_needed(
    deps: AgentDeps, state: TurnState, prepared: PreparedRequest, *, after_flush: bool = False
) -> bool:
    """Compact when the next request has crossed the trigger; True when the request must be prepared again.

    `after_flush`: notes were written to memory just now, which a compaction completes before its own line is crossed.
    `preflight` is a turn that begins too large for a model which has not answered in this talk yet.
    """
    budget = deps.requests.budget
    size = prepared.size.tokens
    flush_due = flush_is_due(deps, size)
    wanted = after_flush or flush_due or size > budget.trigger_tokens or prepared.wants_compaction
    if not wanted or not deps.requests.compaction_enabled or size < deps.requests.compaction_backoff:
        return False
    if deps.engine.info.owns_compaction and size <= budget.usable_tokens:
        return False
    trigger: CompactionTrigger = "threshold" if state.steps or _knows_the_talk(deps) else "preflight"
    early = flush_due and size <= budget.trigger_tokens
    trigger = "memory_flush" if after_flush or early else trigger
    result = await _run(deps, trigger, size, force=False)
    if result.compacted:
        state.compactions_in_a_row += 1
        return True
    deps.requests.compaction_backoff = int(size * COMPACTION_BACKOFF_GROWTH)
    return False


def _knows_the_talk(deps: AgentDeps) -> bool:
    """Whether the last answer of the talk came from the model in use."""
    model = deps.requests.model
    answers = (m for m in reversed(deps.manager.project().messages) if isinstance(m, AssistantMessage))
    last = next(answers, None)
    return last is not None and (last.provider, last.model) == (model.provider, model.id)


async def compact_after_overflow(deps: AgentDeps, state: TurnState, error: ContextOverflow) -> str:
    """Make room after an overflow; why it cannot be made, or empty when it was."""
    if isinstance(error, ProviderContextOverflow):
        deps.requests.learn_window(error.limit)
    if state.compactions_in_a_row >= MAX_CONSECUTIVE_COMPACTIONS:
        return f"it was tried {MAX_CONSECUTIVE_COMPACTIONS} times in a row"
    trigger: CompactionTrigger = (
        "overflow_preemptive" if isinstance(error, PreemptiveContextOverflow) else "overflow_provider"
    )
    deps.acts.record("guard", "overflow", str(error), tokens_before=error.tokens)
    size = max(error.tokens or 0, deps.requests.context_size().tokens)
    result = await _run(deps, trigger, size, force=True)
    if not result.compacted:
        return result.reason or "it freed nothing"
    state.compactions_in_a_row += 1
    return ""


async def compact_by_hand(deps: AgentDeps, focus: str) -> str:
    """`/compact`: returns the line the user sees."""
    deps.requests.compaction_backoff = 0
    await deps.requests.gather()
    result = await _run(deps, "manual", deps.requests.context_size().tokens, force=True, focus=focus)
    return _line(deps, result)


async def apply_by_hand(deps: AgentDeps, make: Callable[[], CompactResult]) -> str:
    """`/compact apply`: a compaction that was drafted before; the same path, without a model call."""

    async def compact(_: CompactRequest) -> CompactResult:
        return make()

    result = await _run(deps, "manual", deps.requests.context_size().tokens, force=True, compact=compact)
    return _line(deps, result)


def manual_request(deps: AgentDeps, focus: str) -> CompactRequest:
    """What `/compact` asks for."""
    return _request(deps, "manual", deps.requests.context_size().tokens, force=True, focus=focus)


def _request(deps: AgentDeps, trigger: CompactionTrigger, size: int, *, force: bool, focus: str) -> CompactRequest:
    return CompactRequest(
        session=deps.requests.session_ref,
        token_budget=deps.requests.budget.usable_tokens,
        current_tokens=size,
        trigger=trigger,
        force=force,
        instructions=focus,
    )


async def _run(
    deps: AgentDeps,
    trigger: CompactionTrigger,
    size: int,
    *,
    force: bool,
    focus: str = "",
    compact: Callable[[CompactRequest], Awaitable[CompactResult]] | None = None,
) -> CompactResult:
    if compact is None:
        await flush_if_due(deps, trigger, size)
    before = deps.requests.estimated_size()
    deps.emit(CompactionStarted(deps.session_key, trigger, before))
    deps.acts.record("compaction", "started", trigger, tokens_before=before, measured=size)
    request = _request(deps, trigger, size, force=force, focus=focus)
    started = time.monotonic()
    ended = False
    try:
        result = _believed(deps, await _tried(compact or deps.engine.compact, request), before)
        if not compact and force and not result.compacted and deps.engine.in_use != deps.engine.fallback_id:
            result = _believed(deps, await _tried(deps.engine.compact_with_fallback, request), before)
        ended = True
    finally:
        if not ended:
            deps.acts.record(
                "compaction", "failed", "stopped before it ended", tokens_before=before, tokens_after=before
            )
    if result.compacted:
        clear_wanted(deps)
        deps.requests.after_compaction(keeps_thinking=bool(result.details.get("sealed")))
        result = replace(result, tokens_after=deps.requests.estimated_size())
    _announce(deps, result, trigger, time.monotonic() - started)
    if result.compacted:
        await deps.engine.maintain(request.session, "compaction", deps.requests.rewrite_entries)
        _shorten_file(deps)
    return result


async def _tried(
    compact: Callable[[CompactRequest], Awaitable[CompactResult]], request: CompactRequest
) -> CompactResult:
    try:
        return await compact(request)
    except CompactionFailed as error:
        return CompactResult(ok=False, compacted=False, reason=str(error))


def _believed(deps: AgentDeps, result: CompactResult, before: int) -> CompactResult:
    """An engine's word that it compacted counts only when the size fell, by the one measure used before and after."""
    if not result.compacted:
        return replace(result, tokens_before=before, tokens_after=before)
    after = deps.requests.estimated_size()
    if after >= before:
        return CompactResult(
            ok=False, compacted=False, reason="it freed nothing", tokens_before=before, tokens_after=before
        )
    return replace(result, ok=True, tokens_before=before, tokens_after=after)


def _announce(deps: AgentDeps, result: CompactResult, trigger: str, seconds: float) -> None:
    verb = "done" if result.compacted else ("skipped" if result.ok else "failed")
    after = result.tokens_after if result.tokens_after is not None else result.tokens_before
    deps.acts.record(
        "compaction",
        verb,
        result.reason or trigger,
        tokens_before=result.tokens_before,
        tokens_after=after,
        cost_usd=result.details.get("costUsd"),
        seconds=seconds,
        way_back="/compact undo" if result.compacted else "",
        trigger=trigger,
        notes=list(result.details.get("notes", [])),
        entry=_entry(deps) if result.compacted else "",
    )
    deps.emit(
        CompactionEnded(
            deps.session_key,
            ok=result.compacted,
            tokens_before=result.tokens_before,
            tokens_after=after,
            reason=result.reason,
            summary=result.summary,
        )
    )


def _entry(deps: AgentDeps) -> str:
    compaction = deps.manager.project().compaction
    return compaction.id if compaction is not None else ""


def _shorten_file(deps: AgentDeps) -> None:
    """Layer 4: covered messages leave a session file that has grown past its limit. A full disk only postpones it."""
    settings, path = deps.requests.settings.compaction, deps.manager.path
    if path is None or not path.exists():
        return
    above = settings.truncate_above_bytes > 0 and path.stat().st_size > settings.truncate_above_bytes
    if not (settings.truncate_after or above):
        return
    try:
        outcome = truncate_session_after_compaction(deps.manager)
    except SessionWriteFailed as error:
        deps.acts.notice("warning", str(error))
        return
    if outcome.truncated:
        deps.acts.record(
            "truncation",
            "done",
            outcome.text,
            way_back="/compact undo, recall",
            bytes_before=outcome.bytes_before,
            bytes_after=outcome.bytes_after,
            entries_removed=outcome.entries_removed,
            entries_before=outcome.entries_before,
        )


def _line(deps: AgentDeps, result: CompactResult) -> str:
    window = deps.requests.budget.window_tokens
    if result.compacted:
        after = result.tokens_after or 0
        return (
            f"Compacted ({short(result.tokens_before)} → {short(after)}) • "
            f"Context {short(after)}/{short(window)} ({after * 100 // window}%)"
        )
    return f"Compaction {'skipped' if result.ok else 'failed'}: {result.reason}"


def short(tokens: int) -> str:
    """12400 → 12k, 1200000 → 1.2m"""
    if tokens >= 1_000_000:
        return f"{tokens / 1_000_000:.1f}m"
    return f"{tokens / 1000:.0f}k" if tokens >= 1000 else str(tokens)
