"""Figures for people, without any toolkit: tokens, shares, money, clocks, and cells shared among parts.

One home, so that panels, strip, toolbar and tables never round the same number differently. Estimates get their `~`
from whoever knows that they are estimates.
"""

from collections.abc import Sequence

_THOUSAND, _MILLION = 1_000, 1_000_000


def tokens_short(tokens: int) -> str:
    """`812`, `8.4k`, `84.1k`, `182k`, `1.2M`."""
    if tokens < 0:
        return f"-{tokens_short(-tokens)}"
    if tokens < _THOUSAND:
        return str(tokens)
    if round(tokens / _THOUSAND, 1) < 100:
        return f"{tokens / _THOUSAND:.1f}k"
    if round(tokens / _THOUSAND) < _THOUSAND:
        return f"{tokens / _THOUSAND:.0f}k"
    return f"{tokens / _MILLION:.1f}M"


def bytes_short(size: int) -> str:
    """`812 B`, `8.4 kB`, `2.4 MB`."""
    if size < _THOUSAND:
        return f"{size} B"
    return f"{size / _THOUSAND:.1f} kB" if size < _MILLION else f"{size / _MILLION:.1f} MB"


def percent(part: float, whole: float) -> int:
    """Share in whole per cent, rounded; 0 where there is no whole."""
    return round(100 * part / whole) if whole > 0 else 0


def share_text(share: float | None) -> str:
    """`91%`, or words where nothing was reported: unknown is not zero."""
    return "not reported" if share is None else f"{round(100 * share)}%"


def usd_text(amount: float | None) -> str:
    """`$0.31`, `$0.0042`; `?` where the price is unknown."""
    if amount is None:
        return "$?"
    sign, size = ("-" if amount < 0 else ""), abs(amount)
    if size >= 100:
        return f"{sign}${size:,.0f}"
    return f"{sign}${size:.2f}" if size >= 0.1 or size < 0.00005 else f"{sign}${size:.4f}".rstrip("0")


def clock_text(seconds: float) -> str:
    """Time left: `4:12`, `1:02:30`."""
    whole = max(0, int(seconds))
    hours, rest = divmod(whole, 3600)
    minutes, left = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"


def seconds_short(seconds: float) -> str:
    """A duration: `0.4 s`, `18 s`, `2:05`."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    return f"{seconds:.0f} s" if seconds < 99.5 else clock_text(seconds)


def plural(count: int, word: str) -> str:
    ending = "es" if word.endswith("s") else "s"
    return f"{count} {word}" if count == 1 else f"{count} {word}{ending}"


def cells_of(sizes: Sequence[int], whole: int, width: int, *, show_all: bool = True) -> list[int]:
    """Cells of a bar of `width` for each size out of `whole`: true to scale, and with `show_all` nothing goes unseen.

    Their sum never passes `width`. With `show_all` a size above zero gets a cell at least while there are enough of
    them; the largest parts give up what the smallest need.
    """
    if whole <= 0 or width <= 0:
        return [0] * len(sizes)
    exact = [max(0, size) * width / whole for size in sizes]
    room = min(width, round(sum(exact)) or (1 if any(exact) else 0))
    cells = [int(value) for value in exact]
    by_rest = sorted(range(len(sizes)), key=lambda at: (int(exact[at]) - exact[at], at))
    for at in by_rest[: max(0, room - sum(cells))]:
        cells[at] += 1
    for at, size in enumerate(sizes if show_all else ()):
        largest = max(range(len(cells)), key=cells.__getitem__)
        if size > 0 and cells[at] == 0 and cells[largest] > 1:
            cells[at] += 1
            cells[largest] -= 1
    while sum(cells) > width:
        cells[max(range(len(cells)), key=cells.__getitem__)] -= 1
    return cells
