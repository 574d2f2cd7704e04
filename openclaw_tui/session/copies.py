"""New session files made from others: forks, and copies of sessions that pi or OpenClaw wrote.

Lines are copied as they stand. Only links are changed, and only where they must be: versions 1 and 2 are migrated,
labels that stand beside the forked branch are made anew at its end.
"""

import os
import re
import secrets
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from openclaw_tui.atomic_write import make_private_dir
from openclaw_tui.constants import SESSION_FORMAT_VERSION
from openclaw_tui.errors import SessionCorrupt, SessionError, SessionWriteFailed
from openclaw_tui.session.codec import encode_entry, encode_header
from openclaw_tui.session.damage import backup_path
from openclaw_tui.session.entries import Entry, Header, LabelEntry
from openclaw_tui.session.journal import Journal, copy_private, write_lines
from openclaw_tui.session.loading import lines_of, load, new_entry_id
from openclaw_tui.session.records import Records

_SESSION_ID = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")


def new_session_id() -> str:
    """A version-7 UUID: unique, and in the order of time when sorted as text."""
    stamp = time.time_ns() // 1_000_000
    number = stamp << 80 | 0x7 << 76 | secrets.randbits(12) << 64 | 0b10 << 62 | secrets.randbits(62)
    digits = f"{number:032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def checked_session_id(session_id: str) -> str:
    """The id, if it can be a file's name and pi accepts it; raises SessionError otherwise."""
    if not _SESSION_ID.fullmatch(session_id):
        raise SessionError(f"Session id {session_id!r} may hold letters, digits and . _ - between them only.")
    return session_id


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def new_header(session_id: str, cwd: str, parent_session: str | None) -> Header:
    return Header(session_id, now(), cwd, SESSION_FORMAT_VERSION, parent_session)


def adopt(path: Path, directory: Path) -> Path:
    """Copy a foreign session into `directory`; returns the copy's path. What is damaged goes into a backup there."""
    journal = Journal.open(path, read_only=True)
    try:
        with journal.reader() as handle:
            loaded = load(handle)
        if not len(loaded.tree):
            raise SessionCorrupt(f"There is no entry that can be read in {path}; it was not copied.")
        cwd = loaded.header.cwd if loaded.header else ""
        header = new_header(new_session_id(), cwd, str(path))
        target = _write(directory, header, lines_of(loaded, journal.descriptor))
        if loaded.damage.needs_repair:
            copy_private(path, backup_path(target))
        return target
    finally:
        journal.close()


def write_fork(records: Records, end: int, header: Header, directory: Path) -> Path:
    """A file with the branch that ends at `end`, and the labels that others hung on it. Returns its path."""
    path = records.loaded.tree.path(end)
    lines = [records.line(ordinal) for ordinal in path]
    for label in _outer_labels(records, path):
        lines.append(encode_entry(label)[0])
    return _write(directory, header, iter(lines))


def _outer_labels(records: Records, path: list[int]) -> Iterator[Entry]:
    tree, on_path = records.loaded.tree, set(path)
    last: dict[str, LabelEntry] = {}
    for ordinal in range(len(tree)):
        entry = records.at(ordinal) if tree.kinds[ordinal] == "label" else None
        if isinstance(entry, LabelEntry) and tree.position(entry.target_id) in on_path:
            last.pop(entry.target_id, None)
            if entry.label is not None or ordinal not in on_path:
                last[entry.target_id] = entry
    parent = tree.ids[path[-1]]
    for entry in last.values():
        if tree.position(entry.id) not in on_path:
            made = LabelEntry(new_entry_id(tree), parent, entry.timestamp, entry.target_id, entry.label)
            parent = made.id
            yield made


def _write(directory: Path, header: Header, lines: Iterator[bytes]) -> Path:
    make_private_dir(directory)
    path = directory / f"{header.id}.jsonl"
    try:
        write_lines(path, _with_header(header, lines))
    except OSError as error:
        raise SessionWriteFailed(f"Cannot write {path}: {os.strerror(error.errno or 0)}.") from error
    return path


def _with_header(header: Header, lines: Iterator[bytes]) -> Iterator[bytes]:
    yield encode_header(header)
    yield from lines
