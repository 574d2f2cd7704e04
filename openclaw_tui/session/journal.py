"""The session file as bytes: appended line by line, never half.

Each line is one `os.write` on a descriptor opened for appending, under a lock that lasts for this append only. Whatever
goes wrong is cut back to the last good end, so a full disk never leaves half a line. Lines that other programs added
since are noticed before ours is written.
"""

import contextlib
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import BinaryIO

from openclaw_tui.atomic_write import PRIVATE_FILE_MODE, sync_directory
from openclaw_tui.errors import SessionNotFound, SessionWriteFailed
from openclaw_tui.session.file_lock import exclusive

_APPEND = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC


class Journal:
    """An open session file. `size` is the last good end; `needs_line_end` that the line before lacks its own."""

    __slots__ = ("_dirty", "_unsynced", "descriptor", "needs_line_end", "path", "size")

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self.descriptor = descriptor
        self.size = 0
        self.needs_line_end = False
        self._dirty = False
        self._unsynced = False

    @classmethod
    def create(cls, path: Path) -> "Journal":
        """A new, empty, private file; raises SessionWriteFailed where it cannot be made or stands there already."""
        try:
            return cls(path, os.open(path, _APPEND | os.O_CREAT | os.O_EXCL, PRIVATE_FILE_MODE))
        except OSError as error:
            raise SessionWriteFailed(f"Cannot create the session file {path}: {error.strerror}.") from error

    @classmethod
    def open(cls, path: Path, *, read_only: bool) -> "Journal":
        try:
            return cls(path, os.open(path, os.O_RDONLY | os.O_CLOEXEC if read_only else _APPEND))
        except FileNotFoundError as error:
            raise SessionNotFound(f"There is no session file {path}.") from error
        except OSError as error:
            raise SessionNotFound(f"Cannot open the session file {path}: {error.strerror}.") from error

    def reader(self) -> BinaryIO:
        """The file for reading from its start; closing it leaves the journal open."""
        handle = os.fdopen(os.dup(self.descriptor), "rb", buffering=1024 * 1024)
        handle.seek(0)
        return handle

    def append(self, line: bytes, on_growth: Callable[[], None]) -> int:
        """Write one line and return where it begins. `on_growth` must read what others added and set `size`.

        Raises SessionWriteFailed; then the file ends where it ended before.
        """
        try:
            with exclusive(self.descriptor):
                self._settle(on_growth)
                start = self.size + self.needs_line_end
                data = b"\n" * self.needs_line_end + line + b"\n"
                self._write(data)
        except OSError as error:
            raise SessionWriteFailed(
                f"The session could not be written to {self.path.name}: {error.strerror or error}. "
                "What is new waits in memory and is written as soon as that works again."
            ) from error
        self.size += len(data)
        self.needs_line_end = False
        self._unsynced = True
        return start

    def _settle(self, on_growth: Callable[[], None]) -> None:
        if self._dirty:
            os.ftruncate(self.descriptor, self.size)
            self._dirty = False
        found, here = os.fstat(self.descriptor), os.stat(self.path)
        if (found.st_dev, found.st_ino) != (here.st_dev, here.st_ino) or found.st_size < self.size:
            raise OSError(None, "another program replaced the file; close the session and resume it")
        if found.st_size > self.size:
            on_growth()

    def _write(self, data: bytes) -> None:
        self._dirty = True
        try:
            written = os.write(self.descriptor, data)
            if written != len(data):
                raise OSError(None, f"only {written} of {len(data)} bytes could be written (a full disk?)")
        except OSError:
            os.ftruncate(self.descriptor, self.size)
            self._dirty = False
            raise
        self._dirty = False

    def sync(self) -> None:
        """Make all that was appended survive a power cut."""
        if not self._unsynced:
            return
        try:
            os.fsync(self.descriptor)
        except OSError as error:
            raise SessionWriteFailed(f"{self.path.name} could not be made durable: {error.strerror}.") from error
        sync_directory(self.path.parent)
        self._unsynced = False

    def close(self) -> None:
        with contextlib.suppress(OSError):
            os.close(self.descriptor)


def write_lines(path: Path, lines: Iterable[bytes]) -> None:
    """Replace or make a file whole or not at all, line by line, private from its first byte. Raises OSError."""
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb", buffering=1024 * 1024) as handle:
            for line in lines:
                handle.write(line)
                handle.write(b"\n")
            handle.flush()
            os.fsync(handle.fileno())
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)
        raise
    sync_directory(path.parent)


def keep_original(path: Path, backup: Path) -> None:
    """Give the file a second name, so that replacing the first one keeps it; copied where links are not to be had."""
    try:
        os.link(path, backup)
    except OSError:
        copy_private(path, backup)


def copy_private(path: Path, copy: Path) -> None:
    """A copy that only the user can read, from its first byte. Raises OSError, also where `copy` is there already."""
    descriptor = os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE_MODE)
    with os.fdopen(descriptor, "wb") as target, path.open("rb") as source:
        shutil.copyfileobj(source, target)


def tighten(path: Path, mode: int) -> str | None:
    """Take away what others may do with a file or folder of ours; says so when there was something to take."""
    found = path.stat()
    if found.st_uid != os.getuid() or not stat.S_IMODE(found.st_mode) & 0o077:
        return None
    try:
        os.chmod(path, mode)
    except OSError as error:
        return f"{path.name} can be read by other users and could not be made private: {error.strerror}."
    return f"{path.name} could be read by other users of this machine; it is private now."
