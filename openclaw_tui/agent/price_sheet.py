"""What an act of the user would cost because it breaks the cached prefix: now, and put off to the next compaction.

A compaction writes the prefix anew anyway, so most such acts cost nothing more then. There is no sheet where nothing
warm would be lost.
"""

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import msgspec

from openclaw_tui.agent.cache_prices import dollars, reread_usd
from openclaw_tui.agent.deps import AgentDeps
from openclaw_tui.agent.request_builder import RequestBuilder
from openclaw_tui.agent.tail_results import sent_size
from openclaw_tui.constants import MIN_CACHE_BREAK_TOKEN_DROP
from openclaw_tui.messages import Message
from openclaw_tui.models import ModelInfo

Choice: TypeAlias = Literal["now", "later", "no"]
_WORDS: dict[Choice, str] = {"now": "now", "later": "at the next compaction", "no": "leave it"}


class PriceSheet(msgspec.Struct, frozen=True):
    """`tokens` are read anew by the next call, for `usd` (None: no price known); `later_*` at the next compaction.

    `choices` are what the user may answer, `default` the one that Enter takes; `gain` is what the act is good for.
    """

    title: str
    tokens: int
    usd: float | None
    later_tokens: int = 0
    later_usd: float | None = 0.0
    gain: str = ""
    choices: tuple[Choice, ...] = ("now", "no")
    default: Choice = "no"

    @property
    def rows(self) -> tuple[tuple[str, str], ...]:
        """Name and figure of each line."""
        later = "nothing more: it is written anew then anyway"
        if self.later_tokens:
            later = f"~{self.later_tokens:,} tokens, {dollars(self.later_usd)}"
        rows = (
            ("now", f"~{self.tokens:,} tokens are sent anew, {dollars(self.usd)} more"),
            ("at the next compaction", later),
        )
        return (*rows, ("what it gives", self.gain)) if self.gain else rows

    def as_text(self, command: str) -> str:
        """For line mode: the figures, and what to type."""
        width = max(len(name) for name, _ in self.rows)
        lines = [f"{self.title}: this breaks the cached prefix."]
        lines += [f"  {name.ljust(width)}  {figure}" for name, figure in self.rows]
        answers = [f"{command} {choice} ({_WORDS[choice]})" for choice in self.choices if choice != "no"]
        return "\n".join([*lines, f"nothing is done yet; {', '.join(answers)}"])

    def as_data(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "now": {"tokens": self.tokens, "usd": self.usd},
            "next_compaction": {"tokens": self.later_tokens, "usd": self.later_usd},
            "choices": list(self.choices),
            "default": self.default,
        }


def is_warm(deps: AgentDeps) -> bool:
    """Whether the next call would find this session's prefix in the provider's cache."""
    requests = deps.requests
    last, model = requests.cache.calls.last, requests.model
    if last is None or (last.provider, last.model) != (model.provider, model.id) or not model.caches_prefix:
        return False
    enough = requests.cache.cached_tokens() >= MIN_CACHE_BREAK_TOKEN_DROP
    return enough and not requests.cache.is_cold(model, requests.settings.cache_retention, deps.clock())


def model_sheet(deps: AgentDeps, model: ModelInfo) -> PriceSheet | None:
    """Another model has none of the session in its cache. None where nothing is lost."""
    requests = deps.requests
    if not is_warm(deps) or model.ref == requests.model.ref:
        return None
    retention, tokens = requests.settings.cache_retention, requests.context_size().tokens
    after = min(tokens, requests.fixed_tokens() + requests.budget.keep_recent_tokens + requests.budget.summary_tokens)
    return PriceSheet(
        title=f"switch to {model.ref}",
        tokens=tokens,
        usd=reread_usd(model, tokens, retention),
        later_tokens=after,
        later_usd=reread_usd(model, after, retention),
        default="now",
    )


def reload_sheet(deps: AgentDeps) -> PriceSheet | None:
    """Files of the prompt changed: letting them enter now. None where nothing waits or nothing warm is lost."""
    requests = deps.requests
    waiting = requests.waiting_changes() if is_warm(deps) else []
    if not waiting:
        return None
    tokens = requests.cache.cached_tokens()
    price = reread_usd(requests.model, tokens, requests.settings.cache_retention)
    return PriceSheet(f"let {', '.join(waiting)} enter", tokens, price, choices=("now", "later"), default="later")


def engine_sheet(deps: AgentDeps, engine: str) -> PriceSheet | None:
    """Another engine sends another history. None where nothing warm is lost."""
    requests = deps.requests
    if not is_warm(deps) or engine == deps.engine.in_use:
        return None
    tokens = requests.cache.cached_tokens()
    price = reread_usd(requests.model, tokens, requests.settings.cache_retention)
    return PriceSheet(f"use the engine {engine}", tokens, price, choices=("now", "no"))


def clear_sheet(deps: AgentDeps, at: int, messages: Sequence[Message], name: str, freed: int) -> PriceSheet | None:
    """Clearing the result at this place: everything behind it is sent anew. None where nothing warm stands there."""
    behind = tokens_from(deps.requests, at, messages) - freed
    if not is_warm(deps) or behind < MIN_CACHE_BREAK_TOKEN_DROP:
        return None
    return PriceSheet(
        title=f"clear {name}",
        tokens=behind,
        usd=reread_usd(deps.requests.model, behind, deps.requests.settings.cache_retention),
        gain=f"~{freed:,} tokens fewer with every call",
        choices=("now", "later", "no"),
        default="later",
    )


def edit_sheet(deps: AgentDeps) -> PriceSheet | None:
    """Another text of the summary: everything behind the system prompt is sent anew."""
    requests = deps.requests
    tokens = requests.context_size().tokens - requests.fixed_tokens()
    if not is_warm(deps) or tokens < MIN_CACHE_BREAK_TOKEN_DROP:
        return None
    price = reread_usd(requests.model, tokens, requests.settings.cache_retention)
    return PriceSheet("store the edited summary", tokens, price, default="now")


def tokens_from(requests: RequestBuilder, at: int, messages: Sequence[Message]) -> int:
    """Tokens of the messages from a place on, as they are sent."""
    decided = requests.memory.guard_decisions
    sizes = sum(sent_size(message, decided) for message in messages[at:])
    return requests.memory.calibration(requests.model).corrected(sizes)
