"""What depends on a model's name today: who binds thinking, who always thinks, limits, smallest cached prefix.

An unknown name is an old and forgiving model, so that tests may call their model as they like.
"""

import re
from collections.abc import Mapping

BINDING_BETA = "thinking-binding-controls-2026-08-01"
COMPACT_BETA = "compact-2026-09-04"
UNIVERSAL_THINKER = "claude-haiku-5-5"
"""Its thinking blocks can be read by every other model; no other model's can."""

_BOUND = re.compile(r"claude-(?:(?:opus|sonnet|haiku)-5-5|(?:fable|mythos)-5-[12])(?!\d)")
_COMPACTS = re.compile(
    r"claude-(?:(?:fable|mythos)-(?:5|preview)|opus-(?:4-[6-9]|[5-9])|sonnet-(?:4-[6-9]|[5-9])|haiku-5-5)(?!\d)"
)
_NO_PREFILL = re.compile(r"claude-(?:(?:fable|mythos)-5|(?:opus|sonnet|haiku)-(?:4-[6-9]|[5-9]))(?!\d)")
_NO_BUDGET = re.compile(r"claude-(?:(?:fable|mythos)-5|(?:opus|sonnet|haiku)-(?:4-[7-9]|[5-9]))(?!\d)")
_SYSTEM_MESSAGES = re.compile(r"claude-(?:opus-(?:4-8|[5-9])|(?:fable|mythos)-5-[1-9])(?!\d)")
_KNOWN_CLAUDE = re.compile(r"claude-(?:fable|mythos|opus|sonnet|haiku)-\d")


def bound_family(model: str) -> str | None:
    """The name without date or prefix, for the Anthropic models that run the prefix check."""
    match = _BOUND.search(model)
    return match.group(0) if match else None


def always_thinks(model: str) -> bool:
    family = bound_family(model) or ""
    return bool(re.search(r"opus|fable|mythos", family)) or bool(re.search(r"claude-(?:fable|mythos)-5(?!\d)", model))


def compacts_on_demand(model: str) -> bool:
    return bool(_COMPACTS.search(model))


def refuses_prefill(model: str) -> bool:
    return bool(_NO_PREFILL.search(model))


def refuses_budget(model: str) -> bool:
    """No `thinking.type: enabled` with a number of tokens."""
    return bool(_NO_BUDGET.search(model))


def takes_system_messages(model: str) -> bool | None:
    """None: an API that has never heard of them; False: known, but not on this model."""
    if _SYSTEM_MESSAGES.search(model):
        return True
    return False if _NO_BUDGET.search(model) else None


def claude_max_output(model: str, default: int) -> int:
    return max(default, 128_000) if _NO_PREFILL.search(model) else default


def smallest_cached(protocol: str, model: str) -> int:
    """Fewest prompt tokens that are cached at all, by the providers' tables; 1,024 where nothing is known."""
    if protocol == "anthropic":
        if re.search(r"claude-(?:opus-5(?!-5)|(?:fable|mythos)-5(?!-2))(?!\d)", model):
            return 512
        if re.search(r"claude-opus-4-7(?!\d)", model):
            return 2048
        if re.search(r"claude-(?:opus-4-[56]|haiku-4-5)(?!\d)", model):
            return 4096
    if protocol == "gemini":
        if re.search(r"gemini-2\.5", model):
            return 2048
        if re.search(r"gemini-3\.(?:1-pro|5-flash)", model):
            return 4096
    return 1024


def gpt_version(model: str) -> tuple[int, int]:
    match = re.search(r"(?:^|/)gpt-(\d+)(?:\.(\d+))?(?![\d.])", model)
    return (int(match.group(1)), int(match.group(2) or 0)) if match else (0, 0)


def caches_at_breakpoints(model: str) -> bool:
    return gpt_version(model) >= (5, 6)


def binds_reasoning(model: str) -> bool:
    """Reasoning falls silently when its prefix changed, and `instructions` stand after the input, uncached."""
    return gpt_version(model) >= (6, 2)


def needs_effort(model: str) -> bool:
    """No reasoning effort `none` or `minimal`."""
    return gpt_version(model) >= (6, 2) or bool(re.search(r"gpt-6(\.\d+)?-astra|gpt-6\.1-sol", model))


def gemini_signs(model: str) -> bool:
    match = re.search(r"gemini-(\d+)", model)
    return bool(match) and int(match.group(1)) >= 3 if match else False


def betas(headers: Mapping[str, str]) -> frozenset[str]:
    """The beta features of a request; `headers` has lower-case names and joined values."""
    return frozenset(name.strip() for name in headers.get("anthropic-beta", "").split(",") if name.strip())


def is_known_claude(model: str) -> bool:
    return bool(_KNOWN_CLAUDE.search(model))
