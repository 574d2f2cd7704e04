"""The built-in compaction as engines see it: a callable from request to result.

Gathers what compaction needs from the session (messages, sizes, the summarising model), lets it draft and applies the
draft. A summarising model that cannot hold the source is refused in favour of the session's own.
"""

import msgspec
from msgspec.structs import replace

from openclaw_tui.agent.deps import AgentDeps
from openclaw_tui.agent.fitting import fixed_parts
from openclaw_tui.agent.summarizer import make_summarizer
from openclaw_tui.agent.tail_results import sent_size, tail_decisions
from openclaw_tui.compaction.compact import (
    PROVIDER_FAILED,
    apply_draft,
    draft_compaction,
    files_before,
    summary_chars,
)
from openclaw_tui.compaction.draft import CompactionDraft, CompactionInput, NothingToCompact
from openclaw_tui.compaction.summarizer import SummarizerLimits
from openclaw_tui.constants import MAX_SUMMARY_CHARS
from openclaw_tui.context.engine import CompactRequest, CompactResult
from openclaw_tui.errors import CompactionFailed, ContextOverflow, OpenClawError
from openclaw_tui.models import ModelInfo
from openclaw_tui.providers.base import ProviderRequest
from openclaw_tui.providers.catalog import find_model

_OVERFLOWS = ("overflow_preemptive", "overflow_provider")
_NOT_OFFERED = "compaction.method = provider: not offered for {model} here; the session's own summary is used"


class BuiltInCompactor:
    """Made before the collaborators it needs; `bind` hands them over."""

    def __init__(self) -> None:
        self._deps: AgentDeps | None = None

    def bind(self, deps: AgentDeps) -> None:
        self._deps = deps

    async def __call__(self, request: CompactRequest) -> CompactResult:
        if self._deps is None:
            raise RuntimeError("the compactor was used before the session was composed")
        try:
            draft = await make_draft(self._deps, request)
            return apply(self._deps, draft)
        except NothingToCompact as nothing:
            return CompactResult(ok=True, compacted=False, reason=str(nothing), tokens_before=request.current_tokens)
        except CompactionFailed as error:
            return CompactResult(ok=False, compacted=False, reason=str(error), tokens_before=request.current_tokens)


async def make_draft(deps: AgentDeps, request: CompactRequest) -> CompactionDraft:
    """A compaction that is not applied yet. Raises NothingToCompact, CompactionFailed."""
    deps.manager.flush()
    source = await _source(deps, request)
    projection = deps.manager.project()
    details = projection.compaction.details if projection.compaction else None
    requests, decisions = deps.requests, dict(deps.requests.memory.guard_decisions)
    prompt, _ = requests.preview_prompt()
    given = CompactionInput(
        messages=projection.messages,
        settings=requests.compaction_settings(),
        limits=source.limits,
        previous_summary=projection.summary_text or "",
        read_before=files_before(details, "readFiles"),
        changed_before=files_before(details, "modifiedFiles"),
        fixed_tokens=requests.fixed_tokens(),
        fixed_parts=fixed_parts(requests.inputs, prompt),
        target_tokens=request.token_budget,
        current_tokens=request.current_tokens,
        fresh_from=projection.fresh_from,
        focus=request.instructions,
        force=request.force,
        must_succeed=request.trigger in _OVERFLOWS,
        agents_md=requests.agents_md(),
        max_summary_chars=min(MAX_SUMMARY_CHARS, summary_chars(requests.budget.summary_tokens)),
        leaf_id=projection.leaf_id or "",
        measure=lambda message: sent_size(message, decisions),
    )
    own = requests.model if source.model is not requests.model else None
    idle = given.settings.idle_seconds
    draft = await draft_compaction(
        given, make_summarizer(deps, source.model, source.in_place, idle_seconds=idle, own=own)
    )
    if source.limits.can_seal and not draft.sealed:
        reason = next((note for note in draft.notes if note.startswith(PROVIDER_FAILED)), PROVIDER_FAILED)
        deps.acts.notice_once("warning", f"compaction.method = provider: {reason}; the session's own summary is used")
    return draft


def apply(deps: AgentDeps, draft: CompactionDraft) -> CompactResult:
    """Write a draft, and remember how the results of its tail are sent from now on."""
    entry = apply_draft(deps.manager, draft, last_result=deps.requests.result_ids.last)
    memory, messages = deps.requests.memory, deps.manager.project().messages
    memory.remember(tail_decisions(draft.shortened, messages, memory.guard_decisions))
    return CompactResult(
        ok=True,
        compacted=True,
        reason="; ".join(draft.notes[-1:]),
        summary=draft.summary,
        first_kept_entry_id=entry.first_kept_entry_id,
        tokens_before=draft.tokens_before,
        tokens_after=draft.tokens_after,
        details=draft.details,
    )


class _Source(msgspec.Struct, frozen=True):
    """Who summarises: the model, its limits, and the session's next request where its prefix is read again."""

    model: ModelInfo
    limits: SummarizerLimits
    in_place: ProviderRequest | None = None


async def _source(deps: AgentDeps, request: CompactRequest) -> _Source:
    model, seals = _summary_model(deps), _may_seal(deps)
    is_own = model is deps.requests.model
    window = min(deps.requests.budget.window_tokens, model.context_window) if is_own else model.context_window
    limits = SummarizerLimits(window, model.max_output)
    in_place = is_own and model.caches_prefix and request.trigger not in _OVERFLOWS
    if not (in_place or seals):
        return _Source(model, limits)
    try:
        prepared = await deps.requests.prepare()
    except ContextOverflow:
        return _Source(model, limits)
    limits = replace(limits, can_read_in_place=in_place, in_place_tokens=prepared.size.tokens, can_seal=seals)
    return _Source(model, limits, prepared.request)


def _may_seal(deps: AgentDeps) -> bool:
    """Whether the provider of the session's model is to summarise; said once where it cannot."""
    if deps.requests.settings.compaction.method != "provider":
        return False
    model = deps.requests.model
    if not model.seals_summaries:
        deps.acts.notice_once("warning", _NOT_OFFERED.format(model=model.ref))
    return model.seals_summaries


def _summary_model(deps: AgentDeps) -> ModelInfo:
    own = deps.requests.model
    wanted = deps.requests.settings.compaction.model
    if not wanted or wanted == own.ref:
        return own
    refused = ""
    try:
        model = find_model(wanted if "/" in wanted else f"{own.provider}/{wanted}", deps.requests.model_overrides)
        source = deps.requests.context_size().tokens
        if source <= model.context_window:
            return model
        refused = f"{model.ref} cannot hold the source (~{source:,} of {model.context_window:,} tokens)"
    except OpenClawError as error:
        refused = str(error)
    deps.acts.record("compaction", "skipped", f"compaction.model: {refused}; {own.ref} writes the summary")
    return own
