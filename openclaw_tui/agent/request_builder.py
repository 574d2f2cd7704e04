"""Builds the next request of a session: gathers what the prompt is made of, remembers what must stay as it was sent.

Gathering (reading bootstrap files, listing skills) happens once a turn, so that changes are noticed; the sealed text is
sent until the change is applied. Decisions that shape the wire form of old messages are stored as `custom` entries.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from openclaw_tui.agent.request_memory import RequestMemory
from openclaw_tui.agent.result_ids import ResultIds
from openclaw_tui.agent.rewriting import rewrite_branch
from openclaw_tui.agent.sealed_prompt import PromptSeal
from openclaw_tui.compaction.settings import CompactionSettings
from openclaw_tui.constants import (
    MAX_OUTPUT_TOKENS,
    MEMORY_FLUSH_SOFT_THRESHOLD_TOKENS,
    MIN_CONTEXT_TOKENS,
    RESERVE_TOKENS,
)
from openclaw_tui.context.budget import ContextBudget, context_budget
from openclaw_tui.context.engine import RewriteResult, SessionRef
from openclaw_tui.context.engine_host import EngineHost
from openclaw_tui.context.guard import GuardOrder
from openclaw_tui.context.measure import ContextSize, measure_context
from openclaw_tui.context.pipeline import PipelineInputs, PreparedRequest, prepare_request
from openclaw_tui.messages import AssistantMessage, CacheRetention, Message, ThinkingLevel, ToolDefinition, Usage
from openclaw_tui.models import ModelInfo
from openclaw_tui.prompt.system_prompt import PromptInputs, SystemPrompt, build_dynamic_part, build_stable_part
from openclaw_tui.providers.base import ProviderRequest
from openclaw_tui.providers.catalog import NO_OVERRIDES, supported_level
from openclaw_tui.providers.model_overrides import Overrides
from openclaw_tui.providers.pricing import cost_usd
from openclaw_tui.session.manager import SessionManager
from openclaw_tui.tokens import estimate_text_tokens, estimate_tools_tokens
from openclaw_tui.transcript.policy import transcript_policy


@dataclass(frozen=True, slots=True)
class RequestSettings:
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


class RequestBuilder:
    """One per session. `gather_inputs` reads the workspace; `fallbacks` is the user's chain of other models."""

    def __init__(
        self,
        manager: SessionManager,
        *,
        session_ref: SessionRef,
        model: ModelInfo,
        thinking: ThinkingLevel,
        engine: EngineHost,
        settings: RequestSettings,
        gather_inputs: Callable[[ModelInfo, ThinkingLevel], PromptInputs],
        fallbacks: Sequence[ModelInfo] = (),
        model_overrides: Overrides = NO_OVERRIDES,
        save: Callable[[], None] | None = None,
    ) -> None:
        self.manager = manager
        self.session_ref = session_ref
        self.model = model
        self.thinking: ThinkingLevel = supported_level(model, thinking)
        self.engine = engine
        self.settings = settings
        self.result_ids = ResultIds()
        self.compaction_backoff = 0
        self.last: ProviderRequest | None = None
        self._gather_inputs = gather_inputs
        self._fallbacks = fallbacks
        self.model_overrides = model_overrides
        self._save = save
        self._seal = PromptSeal(manager)
        self._memory = RequestMemory(manager)
        self._inputs: PromptInputs | None = None
        self.result_ids.learn(manager.project().messages, self._memory.last_result)

    @property
    def budget(self) -> ContextBudget:
        settings = self.settings
        return context_budget(
            self.model,
            configured_window=settings.context_tokens,
            reserve_tokens=settings.reserve_tokens,
            keep_recent_tokens=settings.compaction.keep_recent_tokens,
            flush_soft_tokens=settings.flush_soft_tokens,
            max_output=settings.max_output or MAX_OUTPUT_TOKENS,
        )

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
        if self._inputs is None:
            self._inputs = self._gather_inputs(self.model, self.thinking)
        return self._inputs

    async def gather(self) -> None:
        """Read the workspace again; a change waits until it is applied."""
        self._inputs = self._gather_inputs(self.model, self.thinking)

    def preview_prompt(self) -> tuple[SystemPrompt, tuple[ToolDefinition, ...]]:
        """What would be sent as prompt and tools; seals and stores nothing."""
        sealed = self._seal.current or self._seal.fresh(build_stable_part(self.inputs), self.inputs.tools)
        return SystemPrompt(stable=sealed.stable, dynamic=build_dynamic_part(self.inputs)), sealed.tools

    async def prepare(self) -> PreparedRequest:
        """Run the pipeline. Raises PreemptiveContextOverflow."""
        sealed = self._seal.use(build_stable_part(self.inputs), self.inputs.tools)
        prompt = SystemPrompt(stable=sealed.stable, dynamic=build_dynamic_part(self.inputs))
        messages = self._messages()
        prepared = await prepare_request(
            PipelineInputs(
                session=self.session_ref,
                messages=messages,
                fresh_from=self.manager.project().fresh_from,
                model=self.model,
                policy=transcript_policy(self.model),
                thinking=self.thinking,
                cache_retention=self.settings.cache_retention,
                prompt=prompt,
                tools=sealed.tools,
                engine=self.engine,
                budget=self.budget,
                history_limit=self.settings.history_limit,
                guard_order=self.settings.guard_order,
                guard_decisions=self._memory.guard_decisions,
                result_ids=ResultIds.names(messages),
                calibration=self._memory.calibration(self.model),
                drop_mismatched_thinking=self._memory.thinking_left_out(self.model),
                previous_response_id=_last_response_id(messages, self.model),
            )
        )
        self._memory.remember(prepared.new_decisions)
        self.last = prepared.request
        return replace(prepared, estimated_usd=self._likely_cost(prepared))

    def observe(self, prepared: PreparedRequest, answer: AssistantMessage) -> None:
        """Learn from what the provider reported."""
        if answer.usage.prompt_tokens > 0:
            self._memory.calibrate(self.model, prepared, answer.usage)

    def context_size(self) -> ContextSize:
        """How full the context is now, without running the pipeline."""
        messages = self._messages()
        return measure_context(
            messages,
            model=self.model,
            fresh_from=self.manager.project().fresh_from,
            fixed_tokens=self.fixed_tokens(),
            calibration=self._memory.calibration(self.model),
        )

    def estimated_size(self) -> int:
        """The same from estimates alone: the one method for before and after of a compaction."""
        messages = self._messages()
        return measure_context(
            messages,
            model=self.model,
            fresh_from=len(messages),
            fixed_tokens=self.fixed_tokens(),
            calibration=self._memory.calibration(self.model),
        ).tokens

    def fixed_tokens(self) -> int:
        """Estimated tokens of the system prompt and the tool schemas."""
        prompt, tools = self.preview_prompt()
        return estimate_text_tokens(prompt.stable) + estimate_text_tokens(prompt.dynamic) + estimate_tools_tokens(tools)

    def use_model(self, model: ModelInfo, thinking: ThinkingLevel | None = None) -> None:
        self.model = model
        self.thinking = supported_level(model, thinking or self.thinking)
        self.compaction_backoff = 0

    def use_thinking(self, level: ThinkingLevel) -> ThinkingLevel:
        self.thinking = supported_level(self.model, level)
        return self.thinking

    def next_fallback(self, tried: Sequence[str]) -> ModelInfo | None:
        return next((m for m in self._fallbacks if m.ref not in tried and m.ref != self.model.ref), None)

    def drop_thinking(self) -> None:
        """Stored reasoning up to here is left out for this provider from now on; remembered in the session."""
        self._memory.leave_thinking_out(self.model)

    def after_compaction(self) -> None:
        """The prefix is paid for anew anyway, so changes that waited enter now."""
        self.compaction_backoff = 0
        self._seal.use(build_stable_part(self.inputs), self.inputs.tools)
        self._seal.apply_pending()
        if self.model.prefix_bound:
            self._memory.leave_thinking_out(self.model)

    def apply_pending_prompt(self) -> bool:
        """Let a waiting change of the stable prompt enter on the user's word."""
        self._seal.use(build_stable_part(self.inputs), self.inputs.tools)
        return self._seal.apply_pending()

    def save_metadata(self) -> None:
        if self._save is not None:
            self._save()

    async def rewrite_entries(self, replacements: Mapping[str, Message]) -> RewriteResult:
        return rewrite_branch(self.manager, replacements)

    def _likely_cost(self, prepared: PreparedRequest) -> float | None:
        """Price of the request's input: what was measured last is read from the cache, where it was put there."""
        known, new = prepared.size.measured, prepared.size.estimated
        cached = known and _was_cached(prepared.request.messages)
        return cost_usd(self.model, Usage(input=new, cache_read=known) if cached else Usage(input=known + new))

    def _messages(self) -> tuple[Message, ...]:
        return self._memory.without_left_out_thinking(self.manager.project().messages, self.model)


def _last_response_id(messages: Sequence[Message], model: ModelInfo) -> str | None:
    for message in reversed(messages):
        if isinstance(message, AssistantMessage) and message.response_id:
            return message.response_id if message.model == model.id else None
    return None


def _was_cached(messages: Sequence[Message]) -> bool:
    """Whether the latest answer says that its prompt is in the provider's cache; unknown counts as no."""
    last = next((m for m in reversed(messages) if isinstance(m, AssistantMessage) and m.usage.prompt_tokens), None)
    return last is not None and last.usage.cache_read + last.usage.cache_write > 0
