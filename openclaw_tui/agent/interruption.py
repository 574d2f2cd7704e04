"""What a turn that was cut short leaves behind, put in order.

The partial answer is stored and marked; calls of a whole answer that never finished get an error result in the file;
open event pairs are closed. Afterwards the session is valid for every provider, live and after a resume.
"""

from openclaw_tui.agent.deps import AgentDeps
from openclaw_tui.agent.open_pairs import INTERRUPTED_TEXT, OpenPairs, interrupted_result
from openclaw_tui.agent.state import TurnState
from openclaw_tui.messages import AssistantMessage


def put_in_order(deps: AgentDeps, state: TurnState, pairs: OpenPairs, reason: str = INTERRUPTED_TEXT) -> None:
    """Store what there is, then close what is open on the screen."""
    partial = _keep_partial(deps, state, reason)
    for call in list(state.open_calls.values()):
        deps.manager.append_message(interrupted_result(call.id, call.name, reason, timestamp=deps.now_ms()))
    state.open_calls.clear()
    pairs.close(partial, reason)


def _keep_partial(deps: AgentDeps, state: TurnState, reason: str) -> AssistantMessage | None:
    """A streamed answer without its end; one that has no content yet is not worth an entry."""
    if state.answer is None:
        return None
    partial = state.answer.partial(stop_reason="aborted", error_message=reason)
    state.answer = None
    if partial.content:
        deps.manager.append_message(partial)
    return partial
