"""A turn: from a user message to the assistant's final reply, over as many attempts as it takes."""

from contextlib import suppress

from openclaw_tui.agent.attempt import run_attempt
from openclaw_tui.agent.deps import AgentDeps
from openclaw_tui.agent.interruption import put_in_order
from openclaw_tui.agent.recovery import recover
from openclaw_tui.agent.state import TurnState
from openclaw_tui.context.engine import AfterTurnRequest
from openclaw_tui.errors import LimitReached, OpenClawError, SessionWriteFailed
from openclaw_tui.events import AttemptStarted, Notice, TurnEnded, TurnOutcome
from openclaw_tui.messages import UserMessage
from openclaw_tui.session.custom_types import PROMPT_ERROR


async def run_turn(deps: AgentDeps, state: TurnState, message: UserMessage) -> None:
    """Run one turn whose user message is stored and announced. Ends with `TurnEnded`, unless it is cancelled."""
    await deps.engine.ingest(deps.requests.session_ref, message)
    deps.runner.start_turn()
    await deps.requests.gather()
    error: OpenClawError | None = None
    reason = ""
    while error is None:
        deps.emit(AttemptStarted(deps.session_key, state.attempts + 1, reason))
        try:
            await run_attempt(deps, state)
            break
        except OpenClawError as failure:
            recovery = await recover(failure, deps, state)
            if recovery.action == "give_up":
                error = recovery.error
            reason = recovery.reason
    if error is None:
        await _after_turn(deps, message)
    else:
        note_failure(deps, state, error)
    finish(deps, state, outcome_of(error), error)


def outcome_of(error: OpenClawError | None) -> TurnOutcome:
    if error is None:
        return "done"
    return "limit" if isinstance(error, LimitReached) else "failed"


def note_failure(deps: AgentDeps, state: TurnState, error: OpenClawError) -> None:
    """Keep what there is of the answer, answer its open calls, store why the turn failed, and say it in one line."""
    put_in_order(deps, state, stop_reason="error", reason=str(error))
    text = f"{error} {getattr(error, 'advice', '')}".strip()
    if not isinstance(error, SessionWriteFailed):
        with suppress(SessionWriteFailed):
            deps.manager.append_custom(PROMPT_ERROR, {"timestamp": deps.now_ms(), "error": text})
    deps.emit(Notice(deps.session_key, "error", text))


def finish(deps: AgentDeps, state: TurnState, outcome: TurnOutcome, error: BaseException | None = None) -> None:
    """Everything is on disk; the metadata follows; then the end is announced, with what sub-agents used."""
    deps.requests.save_metadata()
    others, their_usd = deps.children.take_usage()
    cost = None if state.cost_usd is None or their_usd is None else state.cost_usd + their_usd
    usage = state.usage + others
    deps.emit(TurnEnded(deps.session_key, outcome, steps=state.steps, usage=usage, cost_usd=cost, error=error))


async def _after_turn(deps: AgentDeps, prompt: UserMessage) -> None:
    """Tell the engine what the turn brought; after a compaction the turn's beginning may be covered by the summary."""
    projection = deps.manager.project()
    messages, session = projection.messages, deps.requests.session_ref
    begun = next((at for at, m in enumerate(messages) if m.entry_id == prompt.entry_id), projection.fresh_from)
    await deps.engine.after_turn(
        AfterTurnRequest(
            session=session,
            messages=messages,
            new_messages=messages[begun:],
            token_budget=deps.requests.budget.usable_tokens,
        )
    )
    await deps.engine.maintain(session, "turn", deps.requests.rewrite_entries)
