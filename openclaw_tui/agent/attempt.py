"""One attempt at a turn: the step loop.

Ask the pipeline for a request, stream the answer, store it, run its tools, store their results, look into the inbox,
again. What is on disk before what: the answer before any of its tools runs, every result before the next request.
Failures climb to `recovery`; the loop can be entered again at any point, because it always continues from what is
stored.
"""

from openclaw_tui.agent.answer import stream_answer
from openclaw_tui.agent.compacting import compact_if_needed
from openclaw_tui.agent.deps import AgentDeps
from openclaw_tui.agent.state import TurnState
from openclaw_tui.errors import OpenClawError
from openclaw_tui.events import MessageEnded, StepStarted, UserMessageAdded
from openclaw_tui.messages import AssistantMessage, Message, ToolResultMessage, UserMessage


async def run_attempt(deps: AgentDeps, state: TurnState) -> None:
    """Step until the model asks for no more tools and nobody steers. Raises OpenClawError."""
    state.attempts += 1
    while True:
        answer = await run_step(deps, state)
        steered = await take_steering(deps)
        if not answer.tool_calls and not steered:
            return


async def run_step(deps: AgentDeps, state: TurnState) -> AssistantMessage:
    """One model call and the tools it asks for."""
    prepared = await deps.requests.prepare()
    if await compact_if_needed(deps, state, prepared):
        prepared = await deps.requests.prepare()
    deps.limits.check(
        steps=state.steps,
        spent_usd=deps.spent_usd,
        next_usd=prepared.estimated_usd,
        tokens=state.usage.context_tokens,
    )
    state.steps += 1
    deps.emit(StepStarted(deps.session_key, state.steps, prepared.report))
    message_id, answer = await stream_answer(
        await deps.providers.get(prepared.request.model),
        prepared.request,
        state=state,
        emit=deps.emit,
        session_key=deps.session_key,
        now_ms=deps.now_ms(),
    )
    await _accept(deps, state, message_id, answer)
    deps.requests.observe(prepared, answer, state.diagnostics)
    if answer.tool_calls:
        await _run_tools(deps, state, answer)
    return answer


async def take_steering(deps: AgentDeps) -> bool:
    """Store what the user said meanwhile as user messages; True when there was something."""
    waiting = deps.inbox.take("steering")
    for item in waiting:
        message = UserMessage(content=item.content, timestamp=deps.now_ms(), origin=item.origin)
        await store(deps, message)
        deps.emit(UserMessageAdded(deps.session_key, message))
    return bool(waiting)


async def store(deps: AgentDeps, message: Message) -> None:
    """Put a message on disk, then tell the engine."""
    deps.manager.append_message(message)
    await deps.engine.ingest(deps.requests.session_ref, message)


async def _accept(deps: AgentDeps, state: TurnState, message_id: str, answer: AssistantMessage) -> None:
    """The whole answer arrived: from here on it counts, is stored and may act."""
    state.answer = None
    state.open_calls = {call.id: call for call in answer.tool_calls}
    state.last_answer = answer
    state.accepted()
    state.count(answer)
    deps.spent_usd += answer.cost_usd or 0.0
    try:
        deps.manager.append_message(answer)
    finally:
        deps.emit(MessageEnded(deps.session_key, message_id, answer))
    await deps.engine.ingest(deps.requests.session_ref, answer)


async def _run_tools(deps: AgentDeps, state: TurnState, answer: AssistantMessage) -> None:
    def stored(result: ToolResultMessage) -> ToolResultMessage:
        call = state.open_calls.pop(result.tool_call_id, None)  # first: a full disk keeps the entry in memory
        result = deps.outputs.take(deps.requests.result_ids.assign(result), call)
        deps.manager.append_message(result)
        return result

    outcome = await deps.runner.run(answer.tool_calls, stored)
    await deps.engine.ingest_batch(deps.requests.session_ref, outcome.results)
    if outcome.stop_reason:
        raise OpenClawError(outcome.stop_reason)
