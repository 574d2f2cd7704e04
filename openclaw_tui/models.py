"""What the program knows about one model: window, limits, prices, abilities. Plain data, no lookups."""

from typing import Literal, TypeAlias

import msgspec

from openclaw_tui.messages import ThinkingLevel

ApiName: TypeAlias = Literal["anthropic", "openai-responses", "openai-chat", "google", "offline", "scripted"]
"""The wire protocol. It decides the adapter, the transcript policy and who can read opaque blocks."""

WindowSource: TypeAlias = Literal["configuration", "catalogue", "server", "assumed"]

ThinkingMode: TypeAlias = Literal["none", "adaptive", "adaptive_always", "between_tools", "budget", "effort", "level"]
"""How a model is told to think: Anthropic adaptive, always, between tools or by budget; OpenAI effort; Gemini level."""


class Price(msgspec.Struct, frozen=True):
    """US dollars per million tokens. `tier_above` prompt tokens the whole request costs the `tier_*` factors more."""

    input: float
    output: float
    cache_read: float
    cache_write: float
    cache_write_long: float | None = None
    tier_above: int | None = None
    tier_input_factor: float = 1.0
    tier_output_factor: float = 1.0


class ModelInfo(msgspec.Struct, frozen=True):
    """One row of the catalogue, or what is assumed about a model that is in no table.

    `context_window` counts tokens of input and output together unless `max_input` says less.
    `prefix_bound` marks models whose reasoning blocks are tied to the exact bytes before them. `seals_summaries`: the
    provider can summarise a conversation itself, into a sealed block behind which that reasoning stays valid.
    """

    provider: str
    id: str
    api: ApiName
    context_window: int
    max_output: int
    name: str = ""
    window_source: WindowSource = "catalogue"
    max_input: int | None = None
    price: Price | None = None
    thinking: ThinkingMode = "none"
    thinking_levels: tuple[ThinkingLevel, ...] = ()
    default_thinking: ThinkingLevel = "off"
    images: bool = False
    tools: bool = True
    prefix_bound: bool = False
    seals_summaries: bool = False
    min_cache_tokens: int = 1024
    caches_prefix: bool = True
    cache_breakpoints: bool = False
    default: bool = False
    base_url: str | None = None
    notes: tuple[str, ...] = msgspec.field(default=())

    @property
    def ref(self) -> str:
        """`provider/model`, the form used in configuration and on the command line."""
        return f"{self.provider}/{self.id}"
