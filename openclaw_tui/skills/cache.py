"""Heads of skills that were read before, so that a start need not read a thousand files again.

A head is taken from here when path, times and size of the file are as they were; a file that was touched is compared
by its content. Losing the cache costs time only, so nothing here ever fails. Invariant: what comes out equals what
reading the file would give.
"""

import contextlib
import hashlib
import os
import time
from pathlib import Path

import msgspec

from openclaw_tui.atomic_write import atomic_write_bytes, make_private_dir
from openclaw_tui.constants import FILE_CLOCK_SECONDS, SKILL_CACHE_MAX_ROWS, SKILL_CACHE_VERSION
from openclaw_tui.skills.record import SkillHead, read_head


class _Row(msgspec.Struct, array_like=True, gc=False):
    """`unsure` marks a file so young that a change within the clock's tick would go unseen."""

    mtime: int
    ctime: int
    size: int
    digest: bytes
    unsure: bool
    head: SkillHead


class _File(msgspec.Struct, array_like=True):
    version: int
    rows: dict[str, _Row]


class HeadCache:
    """One file of heads by path, shared by all projects. `save` writes it when a head was read."""

    def __init__(self, path: Path | None, *, writes: bool = True) -> None:
        self._path = path
        self._writes = writes
        self._rows = _load(path)
        self._used: dict[str, _Row] = {}
        self._changed = False

    def head(self, path: str, status: os.stat_result, folder: str) -> SkillHead:
        """The head of a file whose `lstat` is given. Raises OSError when it must be read and cannot be."""
        row = self._rows.get(path)
        if row is not None and not row.unsure and _same(row, status):
            self._used[path] = row
            return row.head
        return self._read(path, status, folder, row)

    def save(self) -> None:
        if self._path is None or not (self._writes and self._changed):
            return
        rows = self._rows | self._used
        rows = rows if len(rows) <= SKILL_CACHE_MAX_ROWS else self._used
        with contextlib.suppress(OSError):
            make_private_dir(self._path.parent)
            atomic_write_bytes(self._path, msgspec.msgpack.encode(_File(SKILL_CACHE_VERSION, rows)), durable=False)

    def _read(self, path: str, status: os.stat_result, folder: str, row: _Row | None) -> SkillHead:
        with open(path, "rb") as handle:
            data = handle.read()
        digest = hashlib.sha256(data).digest()
        head = row.head if row is not None and row.digest == digest else read_head(data, folder)
        unsure = status.st_mtime_ns > time.time_ns() - FILE_CLOCK_SECONDS * 1_000_000_000
        self._used[path] = _Row(status.st_mtime_ns, status.st_ctime_ns, status.st_size, digest, unsure, head)
        self._changed = True
        return head


def _same(row: _Row, status: os.stat_result) -> bool:
    return row.mtime == status.st_mtime_ns and row.size == status.st_size and row.ctime == status.st_ctime_ns


def _load(path: Path | None) -> dict[str, _Row]:
    if path is None:
        return {}
    try:
        stored = msgspec.msgpack.decode(path.read_bytes(), type=_File)
    except (OSError, msgspec.DecodeError):
        return {}
    return stored.rows if stored.version == SKILL_CACHE_VERSION else {}
