"""A turn: from a user message to the assistant's final reply, over as many attempts as it takes."""

from openclaw_tui.agent.attempt import run_attempt
from openclaw_tui.agent.deps import AgentDeps
from openclaw_tui.agent.recovery import recover
from openclaw_tui.agent.state import TurnState
from openclaw_tui.context.engine import AfterTurnRequest
from openclaw_tui.errors import LimitReached, OpenClawError
from openclaw_tui.events import AttemptStarted, Notice, TurnEnded, TurnOutcome, TurnStarted
from openclaw_tui.messages import UserMessage

PROMPT_ERROR_ENTRY = "openclaw:prompt-error"


async def run_turn(deps: AgentDeps, state: TurnState, message: UserMessage) -> None:
    """Run one turn whose user message is stored already. Always ends with `TurnEnded`, unless it is cancelled."""
    deps.emit(TurnStarted(deps.session_key, message))
    first_new = len(deps.manager.project().messages) - 1
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
        await _after_turn(deps, first_new)
    else:
        note_failure(deps, state, error)
    finish(deps, state, outcome_of(error), error)


def outcome_of(error: OpenClawError | None) -> TurnOutcome:
    if error is None:
        return "done"
    return "limit" if isinstance(error, LimitReached) else "failed"


def note_failure(deps: AgentDeps, state: TurnState, error: OpenClawError) -> None:
    """Keep what there is of the answer, store why the turn failed, and say it in one line."""
    advice = getattr(error, "advice", "")
    text = f"{error} {advice}".strip()
    if state.answer is not None:
        partial = state.answer.partial(stop_reason="error", error_message=str(error))
        if partial.content:
            deps.manager.append_message(partial)
    deps.manager.append_custom(PROMPT_ERROR_ENTRY, {"timestamp": deps.now_ms(), "error": text})
    deps.emit(Notice(deps.session_key, "error", text))


def finish(deps: AgentDeps, state: TurnState, outcome: TurnOutcome, error: BaseException | None = None) -> None:
    """Everything is on disk; the metadata follows; then the end is announced."""
    deps.requests.save_metadata()
    deps.emit(
        TurnEnded(deps.session_key, outcome, steps=state.steps, usage=state.usage, cost_usd=state.cost_usd, error=error)
    )


async def _after_turn(deps: AgentDeps, first_new: int) -> None:
    messages = deps.manager.project().messages
    session = deps.requests.session_ref
    await deps.engine.after_turn(
        AfterTurnRequest(
            session=session,
            messages=messages,
            new_messages=messages[first_new:],
            token_budget=deps.requests.budget.usable_tokens,
        )
    )
    await deps.engine.maintain(session, "turn", deps.requests.rewrite_entries)
