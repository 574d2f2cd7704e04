"""The request pipeline: from the entries of a session to what is sent to a model. Read it from top to bottom.

It runs before every model call. Each step is deterministic, so an unchanged history gives the same bytes, also after a
restart, and each answer extends the previous prefix. Each step leaves its line in the report.
"""

from collections.abc import Mapping

import msgspec
from msgspec.structs import replace

from openclaw_tui.context.budget import ContextBudget, guard_window
from openclaw_tui.context.decisions import GuardDecision
from openclaw_tui.context.engine import AssembleRequest, SessionRef
from openclaw_tui.context.engine_host import EngineHost
from openclaw_tui.context.guard import GuardOrder, guard_tool_results
from openclaw_tui.context.measure import ContextSize, measure_context, reckoned_too_low
from openclaw_tui.context.pruning import NO_PRUNING, PruningSettings, prune_context
from openclaw_tui.context.weights import message_weights, tools_weight
from openclaw_tui.messages import (
    AssistantMessage,
    CacheRetention,
    Message,
    ThinkingLevel,
    ToolDefinition,
    ToolResultMessage,
    UserMessage,
    text_of,
)
from openclaw_tui.models import ModelInfo
from openclaw_tui.prompt.cache_boundary import insert_addition, split_at_boundary
from openclaw_tui.prompt.system_prompt import SystemPrompt
from openclaw_tui.providers.base import ProviderRequest
from openclaw_tui.report import PipelineReport
from openclaw_tui.tokens import NOT_CALIBRATED, Calibration, estimate_text_tokens, estimate_tools_tokens
from openclaw_tui.transcript.details import strip_tool_result_details
from openclaw_tui.transcript.legality import Fault
from openclaw_tui.transcript.limit import limit_history_turns
from openclaw_tui.transcript.mending import legal_request
from openclaw_tui.transcript.policy import TranscriptPolicy
from openclaw_tui.transcript.repair import repair_tool_use_result_pairing
from openclaw_tui.transcript.sanitize import sanitize_session_history
from openclaw_tui.transcript.validate import validate_replay_turns


class PipelineInputs(msgspec.Struct, frozen=True):
    """Everything one request is made of. `messages` are the projected branch, each with its entry id.

    `prompt` is the system prompt, its stable part sealed for the session. `fresh_from` is the index of the first
    message stored after the latest compaction. `unbound` are entries whose reasoning stays out, since what stood before
    it was rewritten. `cache_age_seconds` is the time since the last call, None before the first.
    """

    session: SessionRef
    messages: tuple[Message, ...]
    fresh_from: int
    model: ModelInfo
    policy: TranscriptPolicy
    thinking: ThinkingLevel
    cache_retention: CacheRetention
    prompt: SystemPrompt
    tools: tuple[ToolDefinition, ...]
    engine: EngineHost
    budget: ContextBudget
    history_limit: int | None = None
    guard_order: GuardOrder = "newest-first"
    pruning: PruningSettings = NO_PRUNING
    cache_age_seconds: float | None = None
    unbound: frozenset[str] = frozenset()
    guard_decisions: Mapping[str, GuardDecision] | None = None
    result_ids: Mapping[str, str] | None = None
    calibration: Calibration = NOT_CALIBRATED
    may_compact: bool = False
    drop_mismatched_thinking: bool = False
    previous_response_id: str | None = None


class PreparedRequest(msgspec.Struct, frozen=True):
    """A sealed request with its report, its size, and what the caller must remember.

    `faults` are what the provider would have refused: mended in the request before it was sealed.
    """

    request: ProviderRequest
    report: PipelineReport
    size: ContextSize
    fixed_tokens: int
    wants_compaction: bool
    new_decisions: Mapping[str, GuardDecision]
    engine: str
    estimated_usd: float | None = None
    faults: tuple[Fault, ...] = ()


async def prepare_request(inputs: PipelineInputs) -> PreparedRequest:
    """The ten steps; what is sealed was checked against the provider's rules.

    Raises PreemptiveContextOverflow from the guard, EngineError in strict mode.
    """
    report = PipelineReport()
    messages = _load(inputs, report)
    messages = _strip_details(messages, report)
    messages = _sanitize(messages, inputs, report)
    messages = _validate(messages, inputs, report)
    messages = _limit(messages, inputs, report)
    messages = _repair(messages, inputs, report)
    messages, addition = await _assemble(messages, inputs, report)
    pruned = _prune(messages, inputs, report)
    messages, wants_compaction, decisions = _guard(messages, len(addition), pruned, inputs, report)
    prompt = _system_prompt(inputs, addition, report)
    messages, faults = legal_request(messages, inputs.policy, inputs.model)
    sealed = _seal(messages, prompt, wants_compaction, decisions, inputs, report)
    return replace(sealed, faults=faults) if faults else sealed


def _load(inputs: PipelineInputs, report: PipelineReport) -> tuple[Message, ...]:
    first = inputs.messages[0] if inputs.messages else None
    summaries = int(isinstance(first, UserMessage) and first.origin == "compaction_summary")
    report.add("load", messages=len(inputs.messages), summaries=summaries)
    return inputs.messages


def _strip_details(messages: tuple[Message, ...], report: PipelineReport) -> tuple[Message, ...]:
    """Security: details of tool results are for the screen and the log, never for a model."""
    messages, step = strip_tool_result_details(messages)
    report.steps.append(step)
    return messages


def _sanitize(messages: tuple[Message, ...], inputs: PipelineInputs, report: PipelineReport) -> tuple[Message, ...]:
    messages, step = sanitize_session_history(messages, inputs.policy, inputs.model, unbound=inputs.unbound)
    report.steps.append(step)
    return messages


def _validate(messages: tuple[Message, ...], inputs: PipelineInputs, report: PipelineReport) -> tuple[Message, ...]:
    messages, step = validate_replay_turns(messages, inputs.policy)
    report.steps.append(step)
    return messages


def _limit(messages: tuple[Message, ...], inputs: PipelineInputs, report: PipelineReport) -> tuple[Message, ...]:
    messages, step = limit_history_turns(messages, inputs.history_limit)
    report.steps.append(step)
    return messages


def _repair(
    messages: tuple[Message, ...],
    inputs: PipelineInputs,
    report: PipelineReport,
    removed: frozenset[str] = frozenset(),
) -> tuple[Message, ...]:
    """`removed` are calls whose results an engine took out on purpose."""
    if not inputs.policy.repair_tool_use_result_pairing:
        return messages
    messages, step = repair_tool_use_result_pairing(messages, inputs.policy, removed=removed)
    report.steps.append(step)
    return messages


async def _assemble(
    messages: tuple[Message, ...], inputs: PipelineInputs, report: PipelineReport
) -> tuple[tuple[Message, ...], str]:
    """The engine chooses; what keeps a request safe and legal runs once more over whatever it changed."""
    request = AssembleRequest(
        session=inputs.session,
        messages=messages,
        token_budget=inputs.budget.usable_tokens,
        model=inputs.model.ref,
        prompt=_latest_prompt(messages),
    )
    result = await inputs.engine.assemble(request)
    assembled = tuple(result.messages)
    changed = assembled != messages
    report.add(
        "engine",
        f"engine {inputs.engine.in_use}",
        messages_before=len(messages),
        messages_after=len(assembled),
        addition_chars=len(result.system_prompt_addition),
        changed=int(changed),
    )
    if changed:
        assembled = _strip_details(assembled, report)
        assembled = _sanitize(assembled, inputs, report)
        assembled = _validate(assembled, inputs, report)
        assembled = _repair(assembled, inputs, report, _results_gone(messages, assembled))
    return assembled, result.system_prompt_addition


def _results_gone(before: tuple[Message, ...], after: tuple[Message, ...]) -> frozenset[str]:
    """Ids of calls that are still there while their result is not."""
    left = {message.tool_call_id for message in after if isinstance(message, ToolResultMessage)}
    calls = {call.id for message in after if isinstance(message, AssistantMessage) for call in message.tool_calls}
    return frozenset(
        message.tool_call_id
        for message in before
        if isinstance(message, ToolResultMessage) and message.tool_call_id in calls - left
    )


def _prune(
    messages: tuple[Message, ...], inputs: PipelineInputs, report: PipelineReport
) -> Mapping[str, GuardDecision]:
    """Opt-in: what may shrink now that the cache has expired anyway; the guard applies it."""
    if inputs.pruning.mode == "off":
        return {}
    decisions, step = prune_context(
        messages,
        inputs.pruning,
        window_tokens=inputs.budget.window_tokens,
        cache_age_seconds=inputs.cache_age_seconds,
        decisions=inputs.guard_decisions or {},
        result_ids=inputs.result_ids,
        prefix_bound=inputs.model.prefix_bound,
    )
    report.steps.append(step)
    return decisions


def _guard(
    messages: tuple[Message, ...],
    addition_chars: int,
    pruned: Mapping[str, GuardDecision],
    inputs: PipelineInputs,
    report: PipelineReport,
) -> tuple[tuple[Message, ...], bool, Mapping[str, GuardDecision]]:
    system_chars = len(inputs.prompt.stable) + len(inputs.prompt.dynamic) + addition_chars
    too_low = reckoned_too_low(
        messages,
        model=inputs.model,
        fresh_from=inputs.fresh_from,
        fixed_chars=system_chars + tools_weight(inputs.tools),
        weights=message_weights(messages),
    )
    result = guard_tool_results(
        messages,
        window_tokens=guard_window(inputs.budget, Calibration(factor=too_low)),
        system_chars=system_chars,
        tools=inputs.tools,
        decisions={**(inputs.guard_decisions or {}), **pruned} if pruned else inputs.guard_decisions or {},
        result_ids=inputs.result_ids or {},
        order=inputs.guard_order,
        prefix_bound=inputs.model.prefix_bound,
        may_compact=inputs.may_compact,
    )
    report.steps.append(result.step)
    return result.messages, result.wants_compaction, {**pruned, **result.new_decisions}


def _system_prompt(inputs: PipelineInputs, addition: str, report: PipelineReport) -> SystemPrompt:
    """The sealed stable text, the dynamic text below it, and the engine's addition first below the boundary."""
    prompt = inputs.prompt
    if addition:
        prompt = SystemPrompt(*split_at_boundary(insert_addition(prompt.text, addition)))
    report.add("prompt", stable_chars=len(prompt.stable), dynamic_chars=len(prompt.dynamic), tools=len(inputs.tools))
    return prompt


def _seal(
    messages: tuple[Message, ...],
    prompt: SystemPrompt,
    wants_compaction: bool,
    decisions: Mapping[str, GuardDecision],
    inputs: PipelineInputs,
    report: PipelineReport,
) -> PreparedRequest:
    fixed = (
        estimate_text_tokens(prompt.stable) + estimate_text_tokens(prompt.dynamic) + estimate_tools_tokens(inputs.tools)
    )
    size = measure_context(
        messages,
        model=inputs.model,
        fresh_from=inputs.fresh_from,
        fixed_tokens=fixed,
        calibration=inputs.calibration,
        history_shortened=bool(decisions),
    )
    report.add("seal", messages=len(messages), tokens=size.tokens, estimated=int(size.is_estimate))
    request = ProviderRequest(
        model=inputs.model,
        system_stable=prompt.stable,
        system_dynamic=prompt.dynamic,
        messages=messages,
        tools=inputs.tools,
        max_output_tokens=inputs.budget.output_tokens(size.tokens),
        thinking=inputs.thinking,
        cache_retention=inputs.cache_retention,
        session_id=inputs.session.session_id,
        drop_mismatched_thinking=inputs.drop_mismatched_thinking,
        previous_response_id=inputs.previous_response_id,
    )
    return PreparedRequest(
        request=request,
        report=report,
        size=size,
        fixed_tokens=fixed,
        wants_compaction=wants_compaction,
        new_decisions=decisions,
        engine=inputs.engine.in_use,
    )


def _latest_prompt(messages: tuple[Message, ...]) -> str:
    for message in reversed(messages):
        if type(message) is UserMessage and message.origin == "user":
            return text_of(message.content)
    return ""
