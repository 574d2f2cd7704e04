"""What to do after an attempt failed: wait and retry, compact, drop what was refused, fail over, or give up.

One `match` over the error tree. Nothing of a failed answer has run, so trying again never runs a tool twice.
"""

import asyncio
from typing import Literal, TypeAlias

import msgspec

from openclaw_tui.agent.answer import discard_partial
from openclaw_tui.agent.compacting import compact_after_overflow
from openclaw_tui.agent.deps import AgentDeps
from openclaw_tui.agent.state import TurnState
from openclaw_tui.constants import QUARANTINES_PER_TURN
from openclaw_tui.errors import (
    ContextOverflow,
    InvalidRequest,
    OpenClawError,
    ProviderError,
)
from openclaw_tui.events import Notice, RetryScheduled
from openclaw_tui.providers.failures import transcript_fault
from openclaw_tui.providers.retry import next_delay, with_reset_time

Action: TypeAlias = Literal["again", "give_up"]


class Recovery(msgspec.Struct, frozen=True):
    action: Action
    error: OpenClawError
    reason: str = ""


async def recover(error: OpenClawError, deps: AgentDeps, state: TurnState) -> Recovery:
    """Decide, and do what must be done before the next attempt."""
    match error:
        case ContextOverflow():
            discard_partial(state, deps.emit, deps.session_key, str(error))
            problem = await compact_after_overflow(deps, state, error)
            if not problem:
                return Recovery("again", error, "compacted after an overflow")
            return Recovery("give_up", _no_room(error, problem))
        case InvalidRequest() if transcript_fault(error) == "reasoning" and not state.thinking_dropped:
            return _drop_thinking(error, deps, state)
        case InvalidRequest() if transcript_fault(error) == "sealed" and deps.requests.memory.sealed_summary.refuse():
            return _unseal(error, deps, state)
        case InvalidRequest() if what := _quarantined(error, deps, state):
            return Recovery("again", error, f"{what} left out")
        case ProviderError() if error.retryable:
            return await _wait_or_fail_over(error, deps, state)
        case ProviderError():
            return _fail_over(error, deps, state)
        case _:
            return Recovery("give_up", error)


def _no_room(error: ContextOverflow, problem: str) -> ContextOverflow:
    """The last word about a request that will not fit: made without a model, with the ways out."""
    text = (
        f"{error} Compaction could not make enough room: {problem}. The session is intact. "
        "Start anew with /new, choose a model with a larger window with /model, or try /compact with a focus."
    )
    return type(error)(text, tokens=error.tokens, limit=error.limit)


def _drop_thinking(error: InvalidRequest, deps: AgentDeps, state: TurnState) -> Recovery:
    """A refused signature will be refused for ever: leave stored reasoning out from now on, and remember that."""
    state.thinking_dropped = True
    discard_partial(state, deps.emit, deps.session_key, str(error))
    deps.requests.drop_thinking()
    deps.acts.record("repair", "quarantined", "the provider refused stored reasoning; it is left out from now on")
    return Recovery("again", error, "reasoning blocks left out")


def _unseal(error: InvalidRequest, deps: AgentDeps, state: TurnState) -> Recovery:
    """The provider refuses its own block: the readable summary takes its place, behind which reasoning cannot stay."""
    discard_partial(state, deps.emit, deps.session_key, str(error))
    deps.requests.drop_thinking()
    deps.acts.record(
        "repair", "quarantined", "the provider refused its own sealed summary; the readable one is sent from now on"
    )
    return Recovery("again", error, "the readable summary is sent")


def _quarantined(error: InvalidRequest, deps: AgentDeps, state: TurnState) -> str:
    """Leave out of the request what the provider refused by its place; empty where that is not possible (any more)."""
    request = deps.requests.last
    if request is None or error.status == 404 or state.quarantines >= QUARANTINES_PER_TURN:
        return ""
    what = deps.requests.memory.quarantine.take(error, request)
    if not what:
        return ""
    state.quarantines += 1
    discard_partial(state, deps.emit, deps.session_key, str(error))
    if request.model.prefix_bound:
        deps.requests.drop_thinking()
    reason = f"{what} was refused by the provider: left out of its requests from now on, kept in the session"
    deps.acts.record("repair", "quarantined", reason, position=error.position or "")
    deps.acts.notice("warning", f"{error} ({what} is left out of the requests from now on; the session keeps it)")
    return what


async def _wait_or_fail_over(error: ProviderError, deps: AgentDeps, state: TurnState) -> Recovery:
    state.retries += 1
    delay = next_delay(error, state.retries, deps.retry)
    if delay is None:
        return _fail_over(error, deps, state)
    discard_partial(state, deps.emit, deps.session_key, str(error))
    deps.emit(
        RetryScheduled(
            deps.session_key,
            attempt=state.retries + 1,
            max_attempts=deps.retry.attempts,
            seconds=delay,
            reason=str(error),
        )
    )
    await (deps.sleep or asyncio.sleep)(delay)
    return Recovery("again", error, f"retry after {delay:.1f} s")


def _fail_over(error: ProviderError, deps: AgentDeps, state: TurnState) -> Recovery:
    """Try the next model of the user's chain, where there is one and another provider can help."""
    model = None if isinstance(error, InvalidRequest) else deps.requests.next_fallback(state.models_tried)
    if model is None:
        return Recovery("give_up", with_reset_time(error, deps.retry))
    discard_partial(state, deps.emit, deps.session_key, str(error))
    state.models_tried.append(model.ref)
    state.retries = 0
    deps.requests.use_model(model)
    deps.emit(Notice(deps.session_key, "warning", f"{error}; going on with {model.ref}"))
    return Recovery("again", error, f"fell over to {model.ref}")
