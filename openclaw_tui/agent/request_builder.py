"""Builds the next request of a session: gathers what the prompt is made of, remembers what must stay as it was sent.

Gathering (reading bootstrap files, listing skills) happens once a turn, so that changes are noticed; the sealed text is
sent until the change is applied. Decisions that shape the wire form of old messages are stored as `custom` entries.
Invariant: nothing here is recomputed for messages that were there at the last step.
"""

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from openclaw_tui.agent.acts import Acts
from openclaw_tui.agent.cache_observer import CacheObserver, SentCall
from openclaw_tui.agent.cache_report import CacheReport, cache_report
from openclaw_tui.agent.prompt_changes import PromptChanges
from openclaw_tui.agent.report_acts import ReportActs
from openclaw_tui.agent.request_memory import RequestMemory
from openclaw_tui.agent.result_ids import ResultIds, ResultNames
from openclaw_tui.agent.rewriting import rewrite_branch
from openclaw_tui.agent.tail_results import sent_size
from openclaw_tui.agent.told_limits import ToldLimits
from openclaw_tui.agent.turn_prompt import GatherInputs, TurnPrompt
from openclaw_tui.compaction.settings import CompactionSettings
from openclaw_tui.constants import (
    MAX_OUTPUT_TOKENS,
    MEMORY_FLUSH_SOFT_THRESHOLD_TOKENS,
    MIN_CONTEXT_TOKENS,
    RESERVE_TOKENS,
)
from openclaw_tui.context.budget import ContextBudget, context_budget
from openclaw_tui.context.decisions import GuardDecision
from openclaw_tui.context.engine import RewriteResult, SessionRef
from openclaw_tui.context.engine_host import EngineHost
from openclaw_tui.context.guard import GuardOrder
from openclaw_tui.context.measure import ContextSize, measure_context
from openclaw_tui.context.pipeline import PipelineInputs, PreparedRequest, prepare_request
from openclaw_tui.context.pruning import NO_PRUNING, PruningSettings
from openclaw_tui.messages import AssistantMessage, CacheRetention, Message, ThinkingLevel, ToolDefinition, Usage
from openclaw_tui.models import ModelInfo
from openclaw_tui.prompt.system_prompt import PromptInputs, SystemPrompt
from openclaw_tui.providers.base import ProviderRequest
from openclaw_tui.providers.cache_ttl import cache_ttl_seconds
from openclaw_tui.providers.catalog import supported_level
from openclaw_tui.providers.model_overrides import Overrides
from openclaw_tui.providers.pricing import likely_usd
from openclaw_tui.providers.prompt_fit import told_doubt
from openclaw_tui.session.manager import SessionManager
from openclaw_tui.session.projection import Projection
from openclaw_tui.transcript.policy import transcript_policy

_NO_DIAGNOSTICS: Mapping[str, Any] = {}


class RequestSettings(msgspec.Struct, frozen=True):
    """What the user set; everything else follows from the model."""

    compaction: CompactionSettings
    context_tokens: int | None = None
    min_context_tokens: int = MIN_CONTEXT_TOKENS
    reserve_tokens: int = RESERVE_TOKENS
    flush_soft_tokens: int = MEMORY_FLUSH_SOFT_THRESHOLD_TOKENS
    max_output: int | None = None
    cache_retention: CacheRetention = "short"
    history_limit: int | None = None
    guard_order: GuardOrder = "newest-first"
    pruning: PruningSettings = NO_PRUNING
    keep_warm_seconds: float = 0.0


class ModelSources(msgspec.Struct, frozen=True):
    """Other models: the user's chain of fallbacks, his overrides, and the servers that know their own window."""

    fallbacks: Sequence[ModelInfo] = ()
    overrides: Overrides = msgspec.field(default_factory=dict)
    live_limits: Callable[[ModelInfo], Awaitable[ModelInfo]] | None = None


NO_MODELS = ModelSources()


class RequestBuilder:
    """One per session. `gather_inputs` reads the workspace; `clock` is wall time in seconds."""

    def __init__(
        self,
        manager: SessionManager,
        *,
        session_ref: SessionRef,
        model: ModelInfo,
        thinking: ThinkingLevel,
        engine: EngineHost,
        settings: RequestSettings,
        gather_inputs: GatherInputs,
        acts: Acts,
        cache: CacheObserver,
        models: ModelSources = NO_MODELS,
        clock: Callable[[], float] = lambda: time.time(),
    ) -> None:
        self.manager = manager
        self.session_ref = session_ref
        self.model = model
        self._wanted = thinking  # survives a model that cannot think
        self.thinking: ThinkingLevel = supported_level(model, thinking)
        self.engine = engine
        self.settings = settings
        self.cache = cache
        self.models = models
        self.result_ids = ResultIds()
        self.compaction_backoff = 0
        self.save: Callable[[], None] | None = None
        self.last: ProviderRequest | None = None
        self._acts = acts
        self._clock = clock
        self._told_limits = ToldLimits(acts)
        changes = PromptChanges(manager, acts, cache, clock)
        self._prompt = TurnPrompt(gather_inputs, changes, acts, model, self.thinking)
        self.memory = RequestMemory(manager)
        self._told = ReportActs(acts)
        self._names = ResultNames()
        self._decided: dict[str, GuardDecision] = {}
        self._sent: SentCall | None = None
        self.result_ids.learn(manager.project().messages, self.memory.last_result)

    @property
    def budget(self) -> ContextBudget:
        settings = self.settings
        return context_budget(
            self.model,
            configured_window=self._told_limits.configured(self.model, settings.context_tokens),
            reserve_tokens=settings.reserve_tokens,
            keep_recent_tokens=settings.compaction.keep_recent_tokens,
            flush_soft_tokens=settings.flush_soft_tokens,
            max_output=settings.max_output or MAX_OUTPUT_TOKENS,
        )

    @property
    def model_overrides(self) -> Overrides:
        return self.models.overrides

    @property
    def compaction_enabled(self) -> bool:
        return self.settings.compaction.enabled

    def compaction_settings(self) -> CompactionSettings:
        """The settings with the tail bounded by the window."""
        return replace(self.settings.compaction, keep_recent_tokens=self.budget.keep_recent_tokens)

    def agents_md(self) -> str:
        """The injected AGENTS.md texts, whose critical sections a summary repeats."""
        return "\n\n".join(text for path, text in self.inputs.context_files if path.endswith("AGENTS.md"))

    @property
    def inputs(self) -> PromptInputs:
        return self._prompt.inputs

    async def gather(self) -> None:
        """At the start of a turn: read the workspace again, see that the window is large enough, note what changed.

        Raises ConfigError where the fixed parts alone leave no room.
        """
        if (told := await self._told_limits.ask(self.model, self.models.live_limits)) is not None:
            self.use_model(told)
        self._prompt.gather()
        self._prompt.fit(self.budget, self.settings.min_context_tokens)
        if self._prompt.notice_changes(self.settings.cache_retention, self.context_size().tokens):
            self._leave_bound_thinking_out()

    def preview_prompt(self) -> tuple[SystemPrompt, tuple[ToolDefinition, ...]]:
        """What would be sent as prompt and tools; seals and stores nothing."""
        return self._prompt.preview()

    async def prepare(self) -> PreparedRequest:
        """Run the pipeline. Raises PreemptiveContextOverflow."""
        at = self._clock()
        projection = self.manager.project()
        prepared = await prepare_request(self._pipeline_inputs(projection, at))
        if self.memory.bound_prefix.is_new_for(prepared.request):
            self._acts.record("repair", "dropped", "the prompt is another one now; reasoning tied to it stays out")
            self._leave_bound_thinking_out()
            prepared = await prepare_request(self._pipeline_inputs(projection, at))
        self.memory.remember(prepared.new_decisions)
        self._decided.update({**self.memory.take_by_hand(), **prepared.new_decisions})
        self._told.tell(prepared, projection.messages)
        self.cache.before_send(prepared.request, at)
        self.last = prepared.request
        self._sent = SentCall(prepared, at, projection.compaction.id if projection.compaction else "", self._decided)
        return replace(prepared, estimated_usd=self._likely_cost(prepared))

    def _pipeline_inputs(self, projection: Projection, at: float) -> PipelineInputs:
        prompt, tools = self._prompt.sent()
        messages = self.memory.sent(projection, self.model)
        return PipelineInputs(
            session=self.session_ref,
            messages=messages,
            fresh_from=self.memory.reports_from(projection),
            model=self.model,
            policy=transcript_policy(self.model),
            thinking=self.thinking,
            cache_retention=self.settings.cache_retention,
            prompt=prompt,
            tools=tools,
            engine=self.engine,
            budget=self.budget,
            history_limit=self.settings.history_limit,
            guard_order=self.settings.guard_order,
            may_compact=self.compaction_enabled and self.compaction_backoff == 0,
            pruning=self.settings.pruning,
            cache_age_seconds=self.cache.age_seconds(at),
            unbound=self.memory.unbound(messages, self.model),
            guard_decisions=self.memory.guard_decisions,
            result_ids=self._names.of(messages),
            calibration=self.memory.calibration(self.model),
            drop_mismatched_thinking=self.memory.thinking_left_out(self.model),
            previous_response_id=_last_response_id(messages, self.model),
        )

    def observe(
        self, prepared: PreparedRequest, answer: AssistantMessage, diagnostics: Mapping[str, Any] = _NO_DIAGNOSTICS
    ) -> None:
        """Learn from what the provider reported: the estimate's error, and whether the cache held."""
        if answer.usage.prompt_tokens > 0:
            self.memory.calibrate(prepared.request.model, prepared, answer.usage)
        last = self.cache.calls.last
        after_fault = self.engine.fault is not None
        self._told.tell_engine(prepared.engine, last.engine if last else "", after_fault=after_fault)
        if self._sent is not None:
            self.cache.observe(replace(self._sent, prepared=prepared), answer, diagnostics)
        self._decided = {}
        if (doubt := told_doubt(prepared.request.model, diagnostics)) is not None:
            self._acts.notice_once("warning", doubt)

    def context_size(self) -> ContextSize:
        """How full the context is now, without running the pipeline. Nothing reported yet: as it would be sent."""
        projection = self.manager.project()
        size = measure_context(
            projection.messages,
            model=self.model,
            fresh_from=self.memory.reports_from(projection),
            fixed_tokens=self.fixed_tokens(),
            calibration=self.memory.calibration(self.model),
        )
        return size if size.measured else ContextSize(measured=0, estimated=self.estimated_size())

    def estimated_size(self) -> int:
        """The same from estimates alone: the one method for before and after of a compaction."""
        sizes = (sent_size(message, self.memory.guard_decisions) for message in self.manager.project().messages)
        whole = self.fixed_tokens() + sum(sizes)
        return self.memory.calibration(self.model).corrected(whole)

    def fixed_tokens(self) -> int:
        """Estimated tokens of the system prompt and the tool schemas."""
        return self._prompt.fixed_tokens()

    def cache_report(self) -> CacheReport:
        """The calls so far, and how long their cache stays warm."""
        ttl = cache_ttl_seconds(self.model, self.settings.cache_retention)
        age = self.cache.age_seconds(self._clock())
        return cache_report(self.cache, None if ttl is None or age is None else ttl - age)

    def learn_window(self, tokens: int | None) -> None:
        """The server refused a request and named its window: where that is smaller than ours, it holds from now on."""
        if tokens is not None and tokens < self.budget.window_tokens:
            self._told_limits.refused_above(self.model, tokens)
            self.use_model(self.model)

    def use_model(self, model: ModelInfo, thinking: ThinkingLevel | None = None) -> None:
        self.model = self._told_limits.of(model)
        self._wanted = thinking or self._wanted
        self.thinking = supported_level(model, self._wanted)
        self.compaction_backoff = 0
        self._prompt.use(self.model, self.thinking)

    def use_thinking(self, level: ThinkingLevel) -> ThinkingLevel:
        self._wanted = level
        self.thinking = supported_level(self.model, level)
        self._prompt.use(self.model, self.thinking)
        return self.thinking

    def next_fallback(self, tried: Sequence[str]) -> ModelInfo | None:
        return next((m for m in self.models.fallbacks if m.ref not in tried and m.ref != self.model.ref), None)

    def drop_thinking(self) -> None:
        """Stored reasoning up to here is left out for this provider from now on; remembered in the session."""
        self.memory.leave_thinking_out(self.model)

    def after_compaction(self, *, keeps_thinking: bool = False) -> None:
        """The prefix is paid for anew anyway, so changes that waited enter now; reasoning does not survive them."""
        self.compaction_backoff = 0
        self._prompt.renew(self.budget, self.settings.min_context_tokens)
        if self._prompt.apply_changes() or not keeps_thinking:
            self._leave_bound_thinking_out()

    def foretell_changes(self) -> bool:
        """Files of the prompt changed on disk: tell what waits, with its price. True where it enters by itself."""
        return self._prompt.foretell_changes(self.settings.cache_retention, self.context_size().tokens)

    def reload_prompt(self) -> list[str]:
        """`/reload`: let what changed enter now; the names of what entered."""
        self._prompt.gather()
        self._prompt.fit(self.budget, self.settings.min_context_tokens)
        changed = self._prompt.apply_changes()
        if changed:
            self._leave_bound_thinking_out()
        return changed

    def waiting_changes(self) -> list[str]:
        """Names of what `/reload` would let enter; takes nothing over."""
        return self._prompt.waiting()

    def save_metadata(self) -> None:
        if self.save is not None:
            self.save()

    def reread(self) -> None:
        """Take over what the branch says that the session is on now, after its leaf was moved."""
        self.memory = self.memory.reread()
        self._prompt.reread(PromptChanges(self.manager, self._acts, self.cache, self._clock))
        self.result_ids.learn(self.manager.project().messages, max(self.result_ids.last, self.memory.last_result))
        self.compaction_backoff = 0
        self.last = self._sent = None

    async def rewrite_entries(self, replacements: Mapping[str, Message]) -> RewriteResult:
        return rewrite_branch(self.manager, replacements)

    def _likely_cost(self, prepared: PreparedRequest) -> float | None:
        """Price of the request's input: what was measured last is read from the cache, where it was put there."""
        known, new = prepared.size.measured, prepared.size.estimated
        cached = known and _was_cached(prepared.request.messages)
        return likely_usd(self.model, Usage(input=new, cache_read=known) if cached else Usage(input=known + new))

    def _leave_bound_thinking_out(self) -> None:
        """Reasoning that is tied to the bytes before it cannot be sent behind other bytes."""
        if self.model.prefix_bound:
            self.memory.leave_thinking_out(self.model)


def _last_response_id(messages: Sequence[Message], model: ModelInfo) -> str | None:
    for message in reversed(messages):
        if isinstance(message, AssistantMessage) and message.response_id:
            return message.response_id if message.model == model.id else None
    return None


def _was_cached(messages: Sequence[Message]) -> bool:
    """Whether the latest answer says that its prompt is in the provider's cache; unknown counts as no."""
    last = next((m for m in reversed(messages) if isinstance(m, AssistantMessage) and m.usage.prompt_tokens), None)
    return last is not None and last.usage.cache_read + last.usage.cache_write > 0
