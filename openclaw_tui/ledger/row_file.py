"""A file of rows, one JSON line each, appended as they come and read once when the session is opened.

A torn last line is left where it is and the next row starts on its own line; rows that cannot be read are counted, not
fatal. A full disk keeps rows in memory until there is room. Without a folder the rows live in memory only.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from openclaw_tui.atomic_write import PRIVATE_FILE_MODE, make_private_dir

RowT = TypeVar("RowT", bound=msgspec.Struct)


class RowFile(Generic[RowT]):
    """`rows` are all rows that could be read and all that came since, oldest first."""

    def __init__(self, path: Path | None, kind: type[RowT], *, masked: Callable[[bytes], bytes] = bytes) -> None:
        self._path = path
        self._masked = masked
        self._decoder = msgspec.json.Decoder(kind)
        self._unwritten: list[bytes] = []
        self.rows: list[RowT] = []
        self.unreadable = 0
        for row in _read_rows(path, kind) if path is not None else ():
            if row is None:
                self.unreadable += 1
            else:
                self.rows.append(row)

    def append(self, row: RowT) -> RowT:
        """Add a row and give it back as it was kept: masked, in memory as on disk, since both are shown and exported.

        A write that fails is tried again with the next row; the row is visible at once either way.
        """
        line = msgspec.json.encode(row)
        if (masked := self._masked(line)) != line:
            row = self._decoder.decode(masked)
        self.rows.append(row)
        if self._path is not None:
            self._unwritten.append(masked + b"\n")
            self._flush(self._path)
        return row

    def _flush(self, path: Path) -> None:
        try:
            make_private_dir(path.parent)
            descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, PRIVATE_FILE_MODE)
            try:
                while self._unwritten:
                    line = (b"" if _ends_with_line(descriptor) else b"\n") + self._unwritten[0]
                    if os.write(descriptor, line) < len(line):
                        return
                    self._unwritten.pop(0)
            finally:
                os.close(descriptor)
        except OSError:
            return


def _read_rows(path: Path, kind: type[RowT]) -> Iterator[RowT | None]:
    try:
        lines = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return
    decoder = msgspec.json.Decoder(kind)
    for line in lines:
        if line.strip():
            try:
                yield decoder.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError):
                yield None


def _ends_with_line(descriptor: int) -> bool:
    size = os.fstat(descriptor).st_size
    return size == 0 or os.pread(descriptor, 1, size - 1) == b"\n"
