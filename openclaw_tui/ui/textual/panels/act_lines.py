"""Which line in the talk tells of which row of the ledger, and back.

Both are made of the same act with the same words; a resumed talk has one line for each compaction instead, which is
known by its size.
"""

from collections.abc import Sequence

from openclaw_tui.events import CONTEXT_LAYERS, ContextAct, ContextLayer
from openclaw_tui.ledger.ledger import LedgerRow
from openclaw_tui.ui.textual.event_router import act_words

_LAYERS: dict[str, ContextLayer] = {layer: layer for layer in CONTEXT_LAYERS}


def words_of_row(row: LedgerRow) -> str:
    """What the talk says of an act."""
    layer = _LAYERS.get(row.layer)
    if layer is None:
        return ""
    return act_words(
        ContextAct(
            "",
            layer,
            row.verb,
            row.reason,
            tokens_before=row.tokens_before,
            tokens_after=row.tokens_after,
            cost_usd=row.cost_usd,
            seconds=row.seconds,
        )
    )


def row_of_words(rows: Sequence[LedgerRow], words: str) -> int | None:
    """The newest act that a line tells of."""
    found = [n for n, row in enumerate(rows) if words_of_row(row) == words]
    found = found or [n for n, row in enumerate(rows) if _is_history_line(row, words)]
    return found[-1] if found else None


def item_of_row(rows: Sequence[LedgerRow], number: int, separators: Sequence[tuple[str, str]]) -> str | None:
    """The id of the line that tells of an act: as many before it as there are acts of the same words before."""
    row = rows[number]
    words = words_of_row(row)
    place = sum(words_of_row(earlier) == words for earlier in rows[:number])
    same = [item for item, text in separators if text == words]
    if same:
        return same[min(place, len(same) - 1)]
    return next((item for item, text in reversed(separators) if _is_history_line(row, text)), None)


def _is_history_line(row: LedgerRow, words: str) -> bool:
    is_done = row.layer == "compaction" and row.verb == "done" and row.tokens_before is not None
    return is_done and words.startswith(f"summarised {row.tokens_before:,} tokens")
