"""The prompt of the current turn: what it is made of, whether it fits the window, and which sealed text is sent.

Read from the workspace once a turn and kept until the next, so that a file edited in the middle of a tool loop does not
break the prefix there.
"""

from collections.abc import Callable, Mapping

import msgspec

from openclaw_tui.agent.acts import Acts
from openclaw_tui.agent.fitting import fixed_parts, shortened
from openclaw_tui.agent.prompt_changes import PromptChanges, changed_parts
from openclaw_tui.agent.sealed_prompt import SealedPrompt
from openclaw_tui.context.budget import ContextBudget, WindowVerdict, check_window, require_window
from openclaw_tui.errors import ConfigError
from openclaw_tui.messages import CacheRetention, ThinkingLevel, ToolDefinition
from openclaw_tui.models import ModelInfo
from openclaw_tui.prompt.system_prompt import PromptInputs, SystemPrompt, build_dynamic_part, build_stable_part
from openclaw_tui.tokens import estimate_text_tokens, estimate_tools_tokens

GatherInputs = Callable[[ModelInfo, ThinkingLevel], PromptInputs]


class _Made(msgspec.Struct, frozen=True):
    """Inputs and the texts made of them."""

    inputs: PromptInputs
    prompt: SystemPrompt


class TurnPrompt:
    """`gather_inputs` reads the workspace; `model` and `thinking` are those of the next request."""

    def __init__(
        self, gather_inputs: GatherInputs, changes: PromptChanges, acts: Acts, model: ModelInfo, thinking: ThinkingLevel
    ) -> None:
        self._gather_inputs = gather_inputs
        self._changes = changes
        self._acts = acts
        self._model = model
        self._thinking = thinking
        self._made: _Made | None = None
        self._read: PromptInputs | None = None
        self._foretold: PromptInputs | None = None

    @property
    def inputs(self) -> PromptInputs:
        return self._current().inputs

    def use(self, model: ModelInfo, thinking: ThinkingLevel) -> None:
        """Another model or level: the prompt names both, and the model's window decides how much fits."""
        self._model, self._thinking, self._made = model, thinking, None

    def reread(self, changes: PromptChanges) -> None:
        """The leaf was moved: another sealed text may hold now."""
        self._changes = changes

    def gather(self) -> None:
        """Read the workspace again."""
        self._read, self._foretold = self._gather_inputs(self._model, self._thinking), None
        self._take(self._read)

    def fit(self, budget: ContextBudget, min_context_tokens: int) -> None:
        """Shorten optional parts where the window is too small for them, and say so.

        Raises ConfigError where even then nothing could be sent.
        """

        def check(parts: Mapping[str, int]) -> WindowVerdict:
            return check_window(budget, parts, model=self._model.ref, min_context_tokens=min_context_tokens)

        verdict = check(self._parts())
        if verdict.shortfall and budget.window_tokens >= min_context_tokens:
            inputs, notes = shortened(self.inputs, verdict.shortfall)
            self._take(inputs)
            verdict = check(self._parts())
            if notes and verdict.fits:
                self._acts.notice_once("warning", f"{self._model.ref} has a small window: {'; '.join(notes)}")
        require_window(verdict)
        if verdict.warning:
            self._acts.notice_once("warning", verdict.warning)
        if self._changes.sealed is not None and not check({"system prompt and tools": self.fixed_tokens()}).fits:
            self.apply_changes()

    def notice_changes(self, retention: CacheRetention, tokens: int) -> bool:
        """See `PromptChanges.notice`."""
        made = self._current()
        return self._changes.notice(made.prompt.stable, made.inputs.tools, self._model, retention, tokens)

    def foretell_changes(self, retention: CacheRetention, tokens: int) -> bool:
        """Read the workspace without taking it over, and tell what waits. True where a change enters by itself."""
        inputs = self._gather_inputs(self._model, self._thinking)
        if inputs == self._foretold:
            return False
        before, self._foretold = self._foretold or self._read, inputs
        if before == inputs:
            return False
        if self._changes.foretell(build_stable_part(inputs), inputs.tools, self._model, retention, tokens):
            return False
        return self._changes.sealed is None or (before is not None and before.heartbeat != inputs.heartbeat)

    def renew(self, budget: ContextBudget, min_context_tokens: int) -> None:
        """Read the workspace for a prompt that is sent anew anyway; what would not fit stays out."""
        before = self._made
        self.gather()
        try:
            self.fit(budget, min_context_tokens)
        except ConfigError:
            self._made = before

    def waiting(self) -> list[str]:
        """Names of what would enter if the prompt were made anew today; changes nothing."""
        inputs, sealed = self._gather_inputs(self._model, self._thinking), self._changes.sealed
        fresh = SealedPrompt.fresh(build_stable_part(inputs), inputs.tools)
        return [] if sealed is None or fresh.sends_the_same_as(sealed) else changed_parts(sealed, fresh)

    def apply_changes(self) -> list[str]:
        """See `PromptChanges.apply`."""
        made = self._current()
        return self._changes.apply(made.prompt.stable, made.inputs.tools)

    def sent(self) -> tuple[SystemPrompt, tuple[ToolDefinition, ...]]:
        """What is sent as prompt and tools; seals the prompt of a session that has none."""
        made = self._current()
        return self._with(self._changes.sealed or self._changes.seal(made.prompt.stable, made.inputs.tools))

    def preview(self) -> tuple[SystemPrompt, tuple[ToolDefinition, ...]]:
        """What would be sent; seals and stores nothing."""
        made = self._current()
        return self._with(self._changes.sealed or SealedPrompt.fresh(made.prompt.stable, made.inputs.tools))

    def fixed_tokens(self) -> int:
        """Estimated tokens of the system prompt and the tool schemas."""
        prompt, tools = self.preview()
        return estimate_text_tokens(prompt.stable) + estimate_text_tokens(prompt.dynamic) + estimate_tools_tokens(tools)

    def _with(self, sealed: SealedPrompt) -> tuple[SystemPrompt, tuple[ToolDefinition, ...]]:
        return SystemPrompt(stable=sealed.stable, dynamic=self._current().prompt.dynamic), sealed.tools

    def _parts(self) -> Mapping[str, int]:
        made = self._current()
        return fixed_parts(made.inputs, made.prompt)

    def _current(self) -> _Made:
        return self._made or self._take(self._gather_inputs(self._model, self._thinking))

    def _take(self, inputs: PromptInputs) -> _Made:
        if self._made is None or self._made.inputs != inputs:
            self._made = _Made(inputs, SystemPrompt(build_stable_part(inputs), build_dynamic_part(inputs)))
        return self._made
