"""One row for every act of every layer: what was done to the context, why, what it cost, and the way back.

Rows stand in `ledger.jsonl` in the session's artifacts folder, so they survive restarts; the stream, `/events` and the
panels read them from here.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from openclaw_tui.ledger.row_file import RowFile

LEDGER_FILE = "ledger.jsonl"


class LedgerRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """`time` in seconds since the epoch; sizes in tokens; `way_back` says how to undo or read what was taken out."""

    time: float
    layer: str
    verb: str
    reason: str = ""
    tokens_before: int | None = None
    tokens_after: int | None = None
    cost_usd: float | None = None
    seconds: float | None = None
    way_back: str = ""
    data: dict[str, Any] = {}


class Ledger:
    """The rows of one session; without a folder they live in memory only. `masked` takes secrets out of each."""

    def __init__(self, folder: Path | None, *, masked: Callable[[bytes], bytes] = bytes) -> None:
        self._file = RowFile(folder / LEDGER_FILE if folder else None, LedgerRow, masked=masked)

    @classmethod
    def open(cls, folder: Path | None, *, masked: Callable[[bytes], bytes] = bytes) -> "Ledger":
        return cls(folder, masked=masked)

    @property
    def rows(self) -> list[LedgerRow]:
        return self._file.rows

    @property
    def unreadable(self) -> int:
        """Lines of the file that are no rows."""
        return self._file.unreadable

    def record(self, row: LedgerRow) -> LedgerRow:
        """Append a row, visible at once, and give it back as it was kept."""
        return self._file.append(row)

    def of_layer(self, *layers: str) -> list[LedgerRow]:
        return [row for row in self.rows if row.layer in layers]

    def last(self, layer: str, verb: str) -> LedgerRow | None:
        """The latest row of its kind."""
        return next((row for row in reversed(self.rows) if row.layer == layer and row.verb == verb), None)


def row_data(row: LedgerRow) -> Mapping[str, Any]:
    """The row as plain JSON data, defaults left out."""
    data: Mapping[str, Any] = msgspec.to_builtins(row)
    return data


def export_rows(ledger: Ledger, path: Path) -> int:
    """Write every row as a line of JSON into a file that must be new; how many there were. Raises OSError."""
    with path.open("xb") as file:
        for row in ledger.rows:
            file.write(msgspec.json.encode(row) + b"\n")
    return len(ledger.rows)
