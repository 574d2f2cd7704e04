"""What a turn that was cut short leaves behind, put in order.

The partial answer is stored and marked; calls of a whole answer that never finished get an error result in the file;
open event pairs are closed. Afterwards the session is valid for every provider, live and after a resume. A disk that
takes nothing does not stop this: the entries wait in memory and are written with the next one.
"""

from typing import Literal

from openclaw_tui.agent.deps import AgentDeps
from openclaw_tui.agent.open_pairs import INTERRUPTED_TEXT, interrupted_result
from openclaw_tui.agent.state import TurnState
from openclaw_tui.errors import SessionWriteFailed
from openclaw_tui.events import MessageEnded, Notice, UserMessageAdded
from openclaw_tui.messages import Message, UserMessage

CutShort = Literal["aborted", "error"]


def put_in_order(
    deps: AgentDeps, state: TurnState, *, stop_reason: CutShort = "aborted", reason: str = INTERRUPTED_TEXT
) -> None:
    """Store what there is, then close what is open on the screen. Never raises for a full disk."""
    _keep_partial(deps, state, stop_reason, reason)
    why = reason if stop_reason == "aborted" else f"not finished: {reason}"
    for call in list(state.open_calls.values()):
        result = interrupted_result(call.id, call.name, why, timestamp=deps.now_ms())
        append_or_tell(deps, deps.requests.result_ids.assign(result))
    state.open_calls.clear()
    deps.emit.close(reason)


def keep_reports(deps: AgentDeps) -> None:
    """Reports of sub-agents that waited when the user stopped the turn: stored for the next one, not begun with."""
    for item in deps.inbox.take_not_typed():
        message = UserMessage(item.content, deps.now_ms(), item.origin)
        append_or_tell(deps, message)
        deps.emit(UserMessageAdded(deps.session_key, message))


def append_or_tell(deps: AgentDeps, message: Message) -> None:
    """Store a message; where the disk refuses it, say so: it waits in memory."""
    try:
        deps.manager.append_message(message)
    except SessionWriteFailed as error:
        deps.emit(Notice(deps.session_key, "error", str(error)))


def _keep_partial(deps: AgentDeps, state: TurnState, stop_reason: CutShort, reason: str) -> None:
    """A streamed answer without its end; one that has no content yet is not worth an entry."""
    if state.answer is None:
        return
    partial = state.answer.partial(stop_reason=stop_reason, error_message=reason)
    state.answer = None
    if partial.content:
        append_or_tell(deps, partial)
    deps.emit(MessageEnded(deps.session_key, state.answer_id, partial, discarded=not partial.content))
