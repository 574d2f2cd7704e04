"""The nearest thinking level that a model offers."""

from openclaw_tui.messages import THINKING_LEVELS, ThinkingLevel


def nearest_level(wanted: ThinkingLevel, offered: tuple[ThinkingLevel, ...]) -> ThinkingLevel:
    """The offered level closest to `wanted`, the lower of two; `wanted` itself where nothing is known."""
    if not offered or wanted in offered:
        return wanted
    rank = THINKING_LEVELS.index
    return min(offered, key=lambda level: (abs(rank(level) - rank(wanted)), rank(level)))
