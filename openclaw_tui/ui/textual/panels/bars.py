"""Bars and columns drawn in cells. Every part has a fill of its own, so that colours only repeat what patterns say."""

from collections.abc import Mapping, Sequence

from rich.cells import cell_len

from openclaw_tui.ui.cache_view import CallColumn
from openclaw_tui.ui.context_view import BudgetView, PartKind
from openclaw_tui.ui.figures import cells_of
from openclaw_tui.ui.textual.panels.lines import Line, Run

FILLS: Mapping[PartKind, str] = {
    "tools": "▓",
    "system": "█",
    "dynamic": "▒",
    "summary": "≡",
    "talk": "▚",
    "results": "░",
    "draft": "+",
    "reserve": "╱",
    "free": " ",
}
BOUNDARY = "┃"
_READ, _WRITTEN, _FRESH, _UNTOLD = "█", "▒", "░", "?"
_GHOST, _TICK, _TICKED_GHOST = "▔", "╵", "┬"
_STEPS = "▁▂▃▄▅▆▇█"


def stacked_bar(budget: BudgetView, width: int) -> Line:
    """The window in wire order, with the mark of the cache boundary behind the stable system prompt."""
    parts = budget.bar
    room = max(0, width - 1)
    cells = cells_of([part.tokens for part in parts if part.kind != "free"], _scale(budget), room)
    drawn: Line = []
    for part, count in zip(parts, cells, strict=False):
        if count:
            drawn.append((FILLS[part.kind] * count, part.kind))
        if part.kind == "system":
            drawn.append((BOUNDARY, "boundary"))
    used = sum(cells)
    return [*drawn, (" " * (room - used), "free")]


def ruler(budget: BudgetView, width: int) -> list[Line]:
    """Two rows under the bar: the ghost of the last call with ticks at the lines that matter, and what they are."""
    scale, room = _scale(budget), max(1, width - 1)
    ghost = 0 if not budget.last_call else max(1, min(width, round(budget.last_call * width / scale)))
    cells: list[Run] = [(_GHOST, "ghost") if at < ghost else (" ", "text") for at in range(width)]
    labels: list[tuple[int, str]] = []
    for word, tokens in sorted(budget.marks, key=lambda mark: mark[1]):
        at = min(room, round(tokens * room / scale))
        cells[at] = (_TICKED_GHOST if at < ghost else _TICK, "tick")
        if labels and at - labels[-1][0] < len(labels[-1][1]) + 1:
            labels[-1] = (labels[-1][0], f"{labels[-1][1]}/{word}")
        else:
            labels.append((at, word))
    return [_joined(cells), _labelled(labels, width)]


def _labelled(labels: Sequence[tuple[int, str]], width: int) -> Line:
    text = ""
    for at, word in labels:
        start = max(len(text) + 1 if text else 0, min(at, width - len(word)))
        text = text.ljust(start) + word
    return [(text[:width], "tick")]


def column_chart(columns: Sequence[CallColumn], width: int, rows: int) -> list[Line]:
    """One column per call, newest at the right: what was read at the bottom, then written, then fresh.

    A mark stands on the columns of calls at which the cache was lost.
    """
    pitch = 2 if 2 * len(columns) <= width else 1
    shown = columns[-(width // pitch) :] if columns else ()
    tallest = max((column.prompt for column in shown), default=0)
    drawn = [_column(column, tallest, rows, pitch) for column in shown]
    gap: list[Run] = [(" " * (width - pitch * len(drawn)), "text")]
    return [_joined([*gap, *(column[level] for column in drawn)]) for level in reversed(range(rows + 1))]


def _column(column: CallColumn, tallest: int, rows: int, pitch: int) -> list[Run]:
    """Cells from the bottom up, one more than the tallest column has."""
    counts = cells_of([column.read, column.written, column.fresh], max(1, tallest), rows, show_all=False)
    if not column.reported:
        kinds = [(_UNTOLD, "fresh")] * sum(counts)
    else:
        looks = ((_READ, "read"), (_WRITTEN, "written"), (_FRESH, "fresh"))
        kinds = [look for look, count in zip(looks, counts, strict=True) for _ in range(count)]
    kinds += [("▼", "warning")] if column.verdict else []
    blank = [(" ", "text")] * (rows + 1 - len(kinds))
    return [
        (glyph * pitch if role in ("read", "written", "fresh") else glyph.ljust(pitch), role)
        for glyph, role in [*kinds, *blank]
    ]


def sparkline(columns: Sequence[CallColumn], width: int) -> Line:
    """Hit share of the latest calls, one cell each; `?` where the provider did not tell, `▼` is for lost caches."""
    cells: list[Run] = []
    for column in columns[-width:]:
        if not column.reported or not column.prompt:
            cells.append((_UNTOLD, "muted"))
        elif column.verdict:
            cells.append(("▼", "warning"))
        else:
            level = round((len(_STEPS) - 1) * column.read / column.prompt)
            cells.append((_STEPS[level], "read_text"))
    return _joined(cells)


def share_bar(tokens: int, largest: int, width: int) -> str:
    """A bar for one row of a list, in eighths of a cell."""
    eighths = round(8 * width * tokens / largest) if largest else 0
    whole, rest = divmod(max(1 if tokens else 0, eighths), 8)
    return ("█" * whole + (" ▏▎▍▌▋▊▉"[rest] if rest else ""))[:width].ljust(width)


def _scale(budget: BudgetView) -> int:
    """The bar's whole: the window, or more where more is to be sent than fits."""
    return max(1, budget.window, budget.next_tokens)


def _joined(runs: Sequence[Run]) -> Line:
    """Neighbours of the same role as one run."""
    line: Line = []
    for text, role in runs:
        if line and line[-1][1] == role:
            line[-1] = (line[-1][0] + text, role)
        elif cell_len(text):
            line.append((text, role))
    return line
