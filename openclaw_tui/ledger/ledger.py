"""One row for every act of every layer: what was done to the context, why, what it cost, and the way back.

Rows stand in `ledger.jsonl` in the session's artifacts folder, appended one line at a time. A torn last line is left
where it is and the next row starts on its own line; rows that cannot be read are counted, not fatal. A full disk keeps
rows in memory until there is room.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from openclaw_tui.atomic_write import PRIVATE_FILE_MODE, make_private_dir

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


@dataclass(slots=True)
class Ledger:
    """The rows of one session; without a folder they live in memory only."""

    folder: Path | None
    rows: list[LedgerRow] = field(default_factory=list)
    unreadable: int = 0
    _unwritten: list[bytes] = field(default_factory=list)

    @classmethod
    def open(cls, folder: Path | None) -> "Ledger":
        ledger = cls(folder)
        path = folder / LEDGER_FILE if folder else None
        if path is not None and path.exists():
            for row in _read_rows(path):
                if row is None:
                    ledger.unreadable += 1
                else:
                    ledger.rows.append(row)
        return ledger

    def record(self, row: LedgerRow) -> LedgerRow:
        """Append a row. A write that fails is tried again with the next row; the row is visible at once either way."""
        self.rows.append(row)
        if self.folder is not None:
            self._unwritten.append(msgspec.json.encode(row) + b"\n")
            self._flush(self.folder)
        return row

    def of_layer(self, *layers: str) -> list[LedgerRow]:
        return [row for row in self.rows if row.layer in layers]

    def _flush(self, folder: Path) -> None:
        try:
            make_private_dir(folder)
            path = folder / LEDGER_FILE
            descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, PRIVATE_FILE_MODE)
            try:
                while self._unwritten:
                    start = b"" if _ends_with_line(path) else b"\n"
                    os.write(descriptor, start + self._unwritten[0])
                    self._unwritten.pop(0)
            finally:
                os.close(descriptor)
        except OSError:
            return


def row_data(row: LedgerRow) -> Mapping[str, Any]:
    """The row as plain JSON data, defaults left out."""
    data: Mapping[str, Any] = msgspec.to_builtins(row)
    return data


def _read_rows(path: Path) -> Iterator[LedgerRow | None]:
    for line in path.read_bytes().split(b"\n"):
        if line.strip():
            try:
                yield msgspec.json.decode(line, type=LedgerRow)
            except (msgspec.DecodeError, UnicodeDecodeError):
                yield None


def _ends_with_line(path: Path) -> bool:
    size = path.stat().st_size
    if size == 0:
        return True
    with path.open("rb") as handle:
        handle.seek(-1, os.SEEK_END)
        return handle.read(1) == b"\n"
