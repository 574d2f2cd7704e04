"""The last line of an interactive program: tokens, cache, money, and how to go on."""

from openclaw_tui.app.compose import App as Composed
from openclaw_tui.messages import NO_USAGE, AssistantMessage


def farewell(composed: Composed) -> str:
    """Empty where nothing was said."""
    if composed.session.last_words:
        return composed.session.last_words
    manager = composed.session.deps.manager
    answers = [m for m in manager.project().messages if isinstance(m, AssistantMessage)]
    if not answers:
        return ""
    usage = sum((answer.usage for answer in answers), start=NO_USAGE)
    parts = [f"{usage.prompt_tokens:,} tokens in, {usage.output:,} out"] if usage.prompt_tokens else []
    if usage.prompt_tokens and usage.cache_reported:
        parts.append(f"{round(100 * usage.cache_read / usage.prompt_tokens)}% from the cache")
    if composed.session.deps.spent_usd:
        parts.append(f"${composed.session.deps.spent_usd:.2f}")
    if manager.path is not None:
        parts.append(f"go on with: openclaw-tui -r {manager.session_id[:8]}")
    return " · ".join(parts)
