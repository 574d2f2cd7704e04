"""What files were before our tools changed them: the ground that rewinding stands on. Needs no version control.

One line of the index for each change of a file, in the order of time: what it was (or that it was not there), its mode
bits, what the change would leave, and the session entry and call it belongs to. Contents lie beside it, packed and
named by their digest. Invariant: content and line are on disk, synced, before the change is made; a crash in between
leaves a line about a change that never came, which is no harm. Files are 0600 in a 0700 folder.
"""

import contextlib
import hashlib
import os
import shutil
import stat
import tempfile
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from openclaw_tui.atomic_write import PRIVATE_FILE_MODE, make_private_dir, sync_directory
from openclaw_tui.constants import CHECKPOINT_MAX_FILE_BYTES, CHECKPOINT_QUOTA_BYTES

CHECKPOINT_FOLDER = "checkpoints"
"""Name of the store's folder in a session's artifacts."""
ABSENT = ""
"""Stands for the digest of a file that does not exist."""
_INDEX = "index.jsonl"


class Change(msgspec.Struct, frozen=True, omit_defaults=True):
    """One change of one file. `before` and `after` are digests; `mode` are the bits it had before.

    `anchor` is the session's entry at that time, `call` the tool call (or rewind), `by` the session key of a sub-agent.
    `made` is the topmost folder that had to be made for the file; `lost` says why its content could not be kept.
    """

    path: str
    before: str
    after: str
    mode: int = 0
    size: int = 0
    anchor: str = ""
    call: str = ""
    by: str = ""
    made: str = ""
    lost: str = ""
    at: int = 0

    @property
    def place(self) -> Path:
        return Path(_unquoted(self.path))

    @property
    def made_place(self) -> Path:
        return Path(_unquoted(self.made))


def digest_of(data: bytes | None) -> str:
    """The name of a content; that of a file that is not there is ABSENT."""
    return ABSENT if data is None else hashlib.blake2b(data, digest_size=16).hexdigest()


class CheckpointStore:
    """The changes of one session, those of its sub-agents among them. Any thread may call.

    Nothing is read before it is needed and nothing is made before the first change. `untold` are lines for the user
    about what could not be kept.
    """

    def __init__(
        self,
        folder: Path,
        *,
        quota_bytes: int = CHECKPOINT_QUOTA_BYTES,
        max_file_bytes: int = CHECKPOINT_MAX_FILE_BYTES,
    ) -> None:
        self.folder = folder
        self.untold: list[str] = []
        self._quota = quota_bytes
        self._max_file = max_file_bytes
        self._lock = threading.Lock()
        self._changes: list[Change] | None = None
        self._packed: int | None = None

    @property
    def changes(self) -> list[Change]:
        """Every change, in the order of time."""
        with self._lock:
            return list(self._known())

    def take(
        self, path: Path, before: bytes | None, after: bytes | None, *, anchor: str, call: str, by: str = ""
    ) -> Change:
        """Keep what a real path holds now, `before`, ahead of writing `after` to it (None: no file)."""
        with self._lock:
            lost = self._keep(before)
            change = Change(
                path=_quoted(str(path)),
                before=digest_of(before),
                after=digest_of(after),
                mode=_mode_of(path) if before is not None else 0,
                size=len(before or b""),
                anchor=anchor,
                call=call,
                by=by,
                made=_quoted(_topmost_missing(path)) if before is None and after is not None else "",
                lost=lost,
                at=int(time.time() * 1000),
            )
            self._known().append(change)
            try:
                self._append(change)
            except OSError as error:
                self.untold.append(f"the change of {path.name} is remembered until the program ends ({_why(error)})")
            if lost:
                self.untold.append(f"/rewind cannot bring {path.name} back: {lost}")
            return change

    def content(self, digest: str) -> bytes | None:
        """A kept content; None when it was never kept, is gone, or is not what its name says."""
        try:
            data = zlib.decompress(self._object(digest).read_bytes())
        except (OSError, zlib.error):
            return None
        return data if digest_of(data) == digest else None

    def forget(self, digest: str) -> None:
        """Let a content go; its lines stay, so that a rewind can say that it is no longer kept."""
        self._object(digest).unlink(missing_ok=True)

    def is_kept(self, digest: str) -> bool:
        return digest == ABSENT or self._object(digest).exists()

    def _known(self) -> list[Change]:
        if self._changes is None:
            self._changes = list(_read_index(self.folder / _INDEX))
        return self._changes

    def _object(self, digest: str) -> Path:
        return self.folder / f"{digest}.z"

    def _keep(self, data: bytes | None) -> str:
        """Store a content durably; the reason where that is not possible."""
        if data is None or self._object(digest_of(data)).exists():
            return ""
        if len(data) > self._max_file:
            return f"it has {len(data):,} bytes, more than are kept ({self._max_file:,})"
        try:
            make_private_dir(self.folder)
            packed = zlib.compress(data, 3)
            self._make_room(len(packed))
            _write_new(self._object(digest_of(data)), packed)
        except OSError as error:
            return f"what it was could not be stored ({_why(error)})"
        self._packed = (self._packed or 0) + len(packed)
        return ""

    def _append(self, change: Change) -> None:
        make_private_dir(self.folder)
        index = self.folder / _INDEX
        is_new = not index.exists()
        descriptor = os.open(index, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, PRIVATE_FILE_MODE)
        with os.fdopen(descriptor, "r+b", buffering=0) as handle:
            torn = handle.seek(0, os.SEEK_END) > 0 and os.pread(descriptor, 1, handle.tell() - 1) != b"\n"
            handle.write(b"\n" * torn + msgspec.json.encode(change) + b"\n")
            os.fsync(descriptor)
        if is_new:
            sync_directory(self.folder)

    def _make_room(self, size: int) -> None:
        """Let the oldest contents go until `size` more bytes fit; their lines stay, so that it can be told."""
        if self._packed is None:
            self._packed = sum(path.stat().st_size for path in self.folder.glob("*.z"))
        if self._packed + size <= self._quota:
            return
        gone = 0
        for digest in dict.fromkeys(change.before for change in self._known()):
            if self._packed + size <= self._quota:
                break
            with contextlib.suppress(FileNotFoundError):
                freed = self._object(digest).stat().st_size
                self._object(digest).unlink()
                self._packed -= freed
                gone += 1
        self.untold.append(f"the store for /rewind is full: the {gone} oldest contents were dropped")


class PreImages(msgspec.Struct, frozen=True):
    """The store as one agent's tools see it. `anchor` is the entry the session is at, `tell` reaches the user."""

    store: CheckpointStore
    anchor: Callable[[], str]
    tell: Callable[[str], None]
    by: str = ""

    def keep(self, call_id: str, path: Path, before: bytes | None, after: bytes | None) -> None:
        """Any thread may call; ahead of the write."""
        if before != after:
            self.store.take(path, before, after, anchor=self.anchor(), call=call_id, by=self.by)

    def settle(self) -> None:
        """On the event loop, after the write: say what could not be kept."""
        while self.store.untold:
            self.tell(self.store.untold.pop(0))


def inherit_checkpoints(parent: Path, child: Path) -> None:
    """Give a copied session what its origin can rewind. Raises OSError. Contents never change, so they are linked."""
    if not (parent / _INDEX).is_file():
        return
    make_private_dir(child)
    for source in parent.glob("*.z"):
        try:
            os.link(source, child / source.name)
        except FileExistsError:
            continue
        except OSError:
            shutil.copy2(source, child / source.name)
    shutil.copy2(parent / _INDEX, child / _INDEX)


def _write_new(target: Path, data: bytes) -> None:
    descriptor, name = tempfile.mkstemp(suffix=".tmp", dir=target.parent)
    try:
        with os.fdopen(descriptor, "wb") as handle:
            handle.write(data)
            handle.flush()
            os.fsync(handle.fileno())
        os.replace(name, target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)
        raise
    sync_directory(target.parent)


def _read_index(path: Path) -> Iterator[Change]:
    """A torn line is passed over: it was about a change that had not been made yet."""
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError:
        return
    for line in lines:
        with contextlib.suppress(ValueError):
            yield msgspec.json.decode(line, type=Change)


def _mode_of(path: Path) -> int:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return 0


def _topmost_missing(path: Path) -> str:
    missing = [folder for folder in path.parents if not folder.exists()]
    return str(missing[-1]) if missing else ""


def _quoted(path: str) -> str:
    """A path as JSON can hold it: bytes that are no UTF-8 are written as backslash, x and two digits."""
    if path.isascii() and "\\" not in path:
        return path
    return path.replace("\\", "\\\\").encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _unquoted(path: str) -> str:
    if "\\" not in path:
        return path
    parts = (part.encode() for part in path.split("\\\\"))
    return b"\\".join(_bytes_back(part) for part in parts).decode("utf-8", "surrogateescape")


def _bytes_back(part: bytes) -> bytes:
    head, *rest = part.split(b"\\x")
    return head + b"".join(bytes([int(piece[:2], 16)]) + piece[2:] for piece in rest)


def _why(error: OSError) -> str:
    return error.strerror or type(error).__name__
