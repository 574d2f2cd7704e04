"""One row per model call: what it was made of, in digests, and what the provider's cache did with it.

The rows are what `/cache` shows and what a resumed session compares its first request with. A row lists only the
messages that are new since the row before, so the file grows with the talk and not with its square.
"""

from pathlib import Path

import msgspec

from openclaw_tui.ledger.row_file import RowFile

CALLS_FILE = "calls.jsonl"


class CallRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """`time` is when the request was sent, in seconds since the epoch; sizes in tokens, `input` without cached ones.

    `kept` counts the messages at the front that are the same as in the call before, `new` holds the digests of those
    after them. `schemas` is the digest of each tool by name, empty where they are those of the row before. `verdict` is
    `break`, `expired` or empty.
    """

    time: float
    provider: str
    model: str
    api: str
    retention: str = "short"
    thinking: str = "off"
    engine: str = ""
    input: int = 0
    cache_read: int = 0
    cache_write: int = 0
    output: int = 0
    reported: bool = True
    cost_usd: float | None = None
    saved_usd: float | None = None
    stable: str = ""
    dynamic: str = ""
    tools: str = ""
    schemas: dict[str, str] = {}
    compaction: str = ""
    kept: int = 0
    new: list[str] = []
    verdict: str = ""
    cause: str = ""
    lost_tokens: int = 0
    lost_usd: float | None = None

    @property
    def prompt_tokens(self) -> int:
        return self.input + self.cache_read + self.cache_write


class CallLog:
    """The calls of one session; `digests` are those of the last call's messages, `schemas` those of its tools."""

    def __init__(self, folder: Path | None) -> None:
        self._file = RowFile(folder / CALLS_FILE if folder else None, CallRow)
        self.digests: list[str] = []
        self.schemas: dict[str, str] = {}
        for row in self._file.rows:
            self._follow(row)

    @property
    def rows(self) -> list[CallRow]:
        return self._file.rows

    @property
    def last(self) -> CallRow | None:
        return self.rows[-1] if self.rows else None

    def append(self, row: CallRow) -> None:
        self._file.append(row)
        self._follow(row)

    def _follow(self, row: CallRow) -> None:
        del self.digests[row.kept :]
        self.digests += row.new
        self.schemas = row.schemas or self.schemas
