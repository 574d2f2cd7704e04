"""The built-in compaction as engines see it: a callable from request to result.

Gathers what compaction needs from the session (messages, sizes, the summarising model), lets it draft and applies the
draft. A summarising model that cannot hold the source is refused in favour of the session's own.
"""

from openclaw_tui.agent.deps import AgentDeps
from openclaw_tui.agent.summarizer import make_summarizer
from openclaw_tui.compaction.compact import (
    CompactionDraft,
    CompactionInput,
    NothingToCompact,
    apply_draft,
    draft_compaction,
)
from openclaw_tui.compaction.summarizer import SummarizerLimits
from openclaw_tui.context.engine import CompactRequest, CompactResult
from openclaw_tui.errors import CompactionFailed, OpenClawError
from openclaw_tui.models import ModelInfo
from openclaw_tui.providers.catalog import find_model


class BuiltInCompactor:
    """Made before the collaborators it needs; `bind` hands them over."""

    def __init__(self) -> None:
        self._deps: AgentDeps | None = None

    def bind(self, deps: AgentDeps) -> None:
        self._deps = deps

    async def __call__(self, request: CompactRequest) -> CompactResult:
        deps = self._bound()
        try:
            draft = await self.draft(request)
        except NothingToCompact as nothing:
            return CompactResult(ok=True, compacted=False, reason=str(nothing), tokens_before=request.current_tokens)
        except CompactionFailed as error:
            return CompactResult(ok=False, compacted=False, reason=str(error), tokens_before=request.current_tokens)
        return self.apply(deps, draft)

    async def draft(self, request: CompactRequest) -> CompactionDraft:
        """A compaction that is not applied, for the preview."""
        deps = self._bound()
        model = self._summary_model(deps)
        own = model.ref == deps.requests.model.ref
        last = deps.requests.last if own and model.caches_prefix else None
        projection = deps.manager.project()
        given = CompactionInput(
            messages=projection.messages,
            settings=deps.requests.compaction_settings(),
            limits=SummarizerLimits(
                context_window=model.context_window, max_output=model.max_output, can_read_in_place=last is not None
            ),
            previous_summary=projection.summary_text or "",
            fixed_tokens=deps.requests.fixed_tokens(),
            focus=request.instructions,
            force=request.force,
            agents_md=deps.requests.agents_md(),
        )
        return await draft_compaction(given, make_summarizer(deps, model, last))

    @staticmethod
    def apply(deps: AgentDeps, draft: CompactionDraft) -> CompactResult:
        entry = apply_draft(deps.manager, draft, last_result=deps.requests.result_ids.last)
        return CompactResult(
            ok=True,
            compacted=True,
            summary=draft.summary,
            first_kept_entry_id=entry.first_kept_entry_id,
            tokens_before=draft.tokens_before,
            tokens_after=draft.tokens_after,
            details=draft.details,
        )

    def _bound(self) -> AgentDeps:
        if self._deps is None:
            raise RuntimeError("the compactor was used before the session was composed")
        return self._deps

    @staticmethod
    def _summary_model(deps: AgentDeps) -> ModelInfo:
        own = deps.requests.model
        wanted = deps.requests.settings.compaction.model
        if not wanted or wanted == own.ref:
            return own
        try:
            model = find_model(wanted, deps.requests.model_overrides)
        except OpenClawError as error:
            deps.acts.record("compaction", "skipped", f"compaction.model: {error}; the session's own model is used")
            return own
        if model.context_window < deps.requests.context_size().tokens:
            deps.acts.record(
                "compaction", "skipped", f"{model.ref} cannot hold the source; the session's own model is used"
            )
            return own
        return model
