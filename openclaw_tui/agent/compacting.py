"""Runs compactions for the loop: when the line is crossed, after an overflow, and by hand.

Whatever the trigger, the path is the same: the engine's `compact`, believed only when the measured size fell, one row
in the ledger, one pair of events. A compaction that freed nothing is no attempt; after three in a row without an
accepted call the turn stops with a plain message, and after a failed automatic one the next waits until the context has
grown.
"""

import time

from openclaw_tui.agent.deps import AgentDeps
from openclaw_tui.agent.state import TurnState
from openclaw_tui.constants import COMPACTION_BACKOFF_GROWTH, MAX_CONSECUTIVE_COMPACTIONS
from openclaw_tui.context.engine import CompactionTrigger, CompactRequest, CompactResult
from openclaw_tui.context.pipeline import PreparedRequest
from openclaw_tui.errors import CompactionFailed, ContextOverflow, PreemptiveContextOverflow
from openclaw_tui.events import CompactionEnded, CompactionStarted


async def compact_if_needed(deps: AgentDeps, state: TurnState, prepared: PreparedRequest) -> bool:
    """Compact when the next request has crossed the trigger; True when the request must be prepared again."""
    budget = deps.requests.budget
    size = prepared.size.tokens
    wanted = size > budget.trigger_tokens or prepared.wants_compaction
    if not wanted or not deps.requests.compaction_enabled or size < deps.requests.compaction_backoff:
        return False
    if deps.engine.info.owns_compaction and size <= budget.usable_tokens:
        return False
    result = await _run(deps, "threshold", size, force=False)
    if result.compacted:
        state.compactions_in_a_row += 1
        return True
    deps.requests.compaction_backoff = int(size * COMPACTION_BACKOFF_GROWTH)
    return False


async def compact_after_overflow(deps: AgentDeps, state: TurnState, error: ContextOverflow) -> bool:
    """Make room after an overflow; False when it cannot be made or was tried too often in a row."""
    if state.compactions_in_a_row >= MAX_CONSECUTIVE_COMPACTIONS:
        return False
    trigger: CompactionTrigger = (
        "overflow_preemptive" if isinstance(error, PreemptiveContextOverflow) else "overflow_provider"
    )
    deps.acts.record("guard", "overflow", str(error), tokens_before=error.tokens)
    state.compactions_in_a_row += 1
    result = await _run(deps, trigger, error.tokens or deps.requests.context_size().tokens, force=True)
    return result.compacted


async def compact_by_hand(deps: AgentDeps, focus: str) -> str:
    """`/compact`: returns the line the user sees."""
    deps.requests.compaction_backoff = 0
    await deps.requests.gather()
    result = await _run(deps, "manual", deps.requests.context_size().tokens, force=True, focus=focus)
    window = deps.requests.budget.window_tokens
    if result.compacted:
        after = result.tokens_after or 0
        return (
            f"Compacted ({short(result.tokens_before)} → {short(after)}) • "
            f"Context {short(after)}/{short(window)} ({after * 100 // window}%)"
        )
    return f"Compaction {'skipped' if result.ok else 'failed'}: {result.reason}"


async def _run(
    deps: AgentDeps, trigger: CompactionTrigger, size: int, *, force: bool, focus: str = ""
) -> CompactResult:
    session = deps.requests.session_ref
    deps.emit(CompactionStarted(deps.session_key, trigger, size))
    deps.acts.record("compaction", "started", trigger, tokens_before=size)
    request = CompactRequest(
        session=session,
        token_budget=deps.requests.budget.usable_tokens,
        current_tokens=size,
        trigger=trigger,
        force=force,
        instructions=focus,
    )
    started = time.monotonic()
    ended = False
    try:
        result = await deps.engine.compact(request)
        ended = True
    except CompactionFailed as error:
        result = CompactResult(ok=False, compacted=False, reason=str(error), tokens_before=size)
        ended = True
    finally:
        if not ended:
            deps.acts.record("compaction", "failed", "stopped before it ended", tokens_before=size, tokens_after=size)
    result = _believed(deps, result, size)
    _announce(deps, result, trigger, time.monotonic() - started)
    if result.compacted:
        deps.requests.after_compaction()
        await deps.engine.maintain(session, "compaction", deps.requests.rewrite_entries)
    return result


def _believed(deps: AgentDeps, result: CompactResult, size: int) -> CompactResult:
    """An engine's word that it compacted counts only when the measured size fell."""
    if not result.compacted:
        return result
    after = deps.requests.estimated_size()
    before = result.tokens_before or size
    if after >= before:
        return CompactResult(ok=False, compacted=False, reason="it freed nothing", tokens_before=before)
    return CompactResult(
        ok=True,
        compacted=True,
        reason=result.reason,
        summary=result.summary,
        first_kept_entry_id=result.first_kept_entry_id,
        tokens_before=before,
        tokens_after=result.tokens_after or after,
        details=result.details,
    )


def _announce(deps: AgentDeps, result: CompactResult, trigger: str, seconds: float) -> None:
    verb = "done" if result.compacted else ("skipped" if result.ok else "failed")
    after = result.tokens_after if result.compacted else result.tokens_before
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
    )
    deps.emit(
        CompactionEnded(
            deps.session_key,
            ok=result.compacted,
            tokens_before=result.tokens_before,
            tokens_after=after or 0,
            reason=result.reason,
            summary=result.summary,
        )
    )


def short(tokens: int) -> str:
    """12400 → 12k, 1200000 → 1.2m"""
    if tokens >= 1_000_000:
        return f"{tokens / 1_000_000:.1f}m"
    return f"{tokens / 1000:.0f}k" if tokens >= 1000 else str(tokens)
