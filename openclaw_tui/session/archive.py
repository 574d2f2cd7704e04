"""Where truncation puts what it takes out of a session file: beside it, in order, so that it can be put back.

Each truncation is one batch: every removed line with the entry it stood behind, and the former wording of every line
whose links were changed. A batch is on disk before the session file is replaced, so a crash between the two leaves a
batch that was never applied; it is recognised by its entries standing in the file still.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import msgspec

from openclaw_tui.atomic_write import PRIVATE_FILE_MODE, make_private_dir, sync_directory
from openclaw_tui.errors import SessionWriteFailed
from openclaw_tui.session.codec import decode_entry, decode_record, parent_of
from openclaw_tui.session.entries import Entry
from openclaw_tui.session.journal import write_lines


class Row(msgspec.Struct, frozen=True, omit_defaults=True):
    """`begin` opens a batch; `removed` is a line from behind the entry `after`; `changed` is a line as it was."""

    kind: Literal["begin", "removed", "changed"]
    id: str = ""
    line: str = ""
    after: str | None = None


@dataclass(slots=True)
class Batch:
    rows: list[Row] = field(default_factory=list)

    @property
    def removed(self) -> list[Row]:
        return [row for row in self.rows if row.kind == "removed"]

    @property
    def changed(self) -> dict[str, bytes]:
        return {row.id: row.line.encode() for row in self.rows if row.kind == "changed"}


def archive_path(session: Path) -> Path:
    """`<sessionId>.artifacts/archive.jsonl` beside the session."""
    return session.with_suffix(".artifacts") / "archive.jsonl"


def add_batch(path: Path, rows: list[Row]) -> None:
    """Append a batch and make it survive a power cut; raises SessionWriteFailed, then nothing may be removed."""
    data = b"".join(msgspec.json.encode(row) + b"\n" for row in [Row("begin"), *rows])
    try:
        make_private_dir(path.parent)
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, PRIVATE_FILE_MODE)
        with os.fdopen(descriptor, "ab") as handle:
            start = handle.tell()
            try:
                handle.write(data)
                handle.flush()
                os.fsync(handle.fileno())
            except OSError:
                os.ftruncate(handle.fileno(), start)
                raise
        sync_directory(path.parent)
    except OSError as error:
        raise SessionWriteFailed(
            f"Nothing was taken out of the session: {path} cannot be written ({error})."
        ) from error


def read_batches(path: Path) -> list[Batch]:
    """All batches, oldest first; a batch whose writing was cut off was never applied and is left out at its end."""
    batches: list[Batch] = []
    try:
        lines = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return []
    for line in lines:
        try:
            row = msgspec.json.decode(line, type=Row)
        except ValueError:
            continue
        if row.kind == "begin" or not batches:
            batches.append(Batch())
        if row.kind != "begin":
            batches[-1].rows.append(row)
    return batches


def write_batches(path: Path, batches: list[Batch]) -> None:
    """Replace the archive by these batches; with none left the file goes. Raises OSError."""
    if batches:
        write_lines(path, (msgspec.json.encode(row) for batch in batches for row in [Row("begin"), *batch.rows]))
    else:
        path.unlink(missing_ok=True)


def archived_entries(path: Path) -> Iterator[Entry]:
    """Everything that was taken out, oldest batch first, for recall and search."""
    for batch in read_batches(path):
        for row in batch.removed:
            line = row.line.encode()
            yield decode_entry(line, entry_id=row.id, parent_id=parent_of(decode_record(line)))
