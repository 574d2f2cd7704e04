"""What the model has seen of each file, and who may change it now.

A change is refused when the file is no longer what was read, decided by a hash of its bytes: a touch, a checkout of
the same content or our own edit never counts, a one-byte change within the same second does. One lock per real path
puts parallel calls for the same file in a row, in the order they came.
"""

import asyncio
import contextlib
import hashlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Protocol

import msgspec

from openclaw_tui.errors import ToolError


class SeenFile(msgspec.Struct, frozen=True):
    """`digest` is None for a file too large to hash; size and time must do there."""

    digest: str | None
    size: int
    modified_ns: int


class PreImageKeeper(Protocol):
    """Keeps what a file was ahead of a change. `keep` may be called in any thread, `settle` on the event loop."""

    def keep(self, call_id: str, path: Path, before: bytes | None, after: bytes | None) -> None: ...

    def settle(self) -> None: ...


def digest_of(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


class FileState:
    """Shared by the tools of one session. Paths are real paths. `pre_images` hears of each change before it is made."""

    def __init__(self, pre_images: PreImageKeeper | None = None) -> None:
        self.pre_images = pre_images
        self._seen: dict[Path, SeenFile] = {}
        self._locks: dict[Path, asyncio.Lock] = {}

    def record(self, path: Path, digest: str | None) -> None:
        """Remember what the model has seen or written; a vanished file is forgotten."""
        try:
            status = path.stat()
        except OSError:
            self.forget(path)
            return
        self._seen[path] = SeenFile(digest, status.st_size, status.st_mtime_ns)

    def keep(self, call_id: str, path: Path, before: bytes | None, after: bytes | None) -> None:
        """Ahead of a write: the content that goes and the one that comes; None where there is no file."""
        if self.pre_images is not None:
            self.pre_images.keep(call_id, path, before, after)

    def forget(self, path: Path) -> None:
        self._seen.pop(path, None)

    def was_seen(self, path: Path) -> bool:
        return path in self._seen

    def seen_states(self) -> dict[Path, tuple[int, int]]:
        """Size and time of what was read or written in this session, as they were then. Any thread may ask."""
        return {path: (seen.size, seen.modified_ns) for path, seen in list(self._seen.items())}

    def is_stale(self, path: Path) -> bool:
        """Whether the model has seen another content than what is on disk; a file that is gone counts."""
        seen = self._seen.get(path)
        if seen is None:
            return False
        try:
            status = path.stat()
            if (seen.size, seen.modified_ns) == (status.st_size, status.st_mtime_ns):
                return False
            return seen.digest is None or seen.digest != digest_of(path.read_bytes())
        except OSError:
            return True

    def check_unchanged(self, path: Path, data: bytes, name: str) -> None:
        """Raises ToolError when the file was read before and `data`, its present content, is not what was read."""
        seen = self._seen.get(path)
        if seen is None:
            return
        if seen.digest is not None:
            same = seen.digest == digest_of(data)
        else:
            status = path.stat()
            same = (seen.size, seen.modified_ns) == (status.st_size, status.st_mtime_ns)
        if not same:
            raise ToolError(f"{name} has changed on disk since it was read; nothing was written. Read it again first")

    @contextlib.asynccontextmanager
    async def exclusive(self, *paths: Path) -> AsyncIterator[None]:
        """Hold the locks of all `paths`; taken in one order, so that two calls never wait for each other."""
        async with contextlib.AsyncExitStack() as stack:
            for path in sorted(set(paths)):
                await stack.enter_async_context(self._locks.setdefault(path, asyncio.Lock()))
            try:
                yield
            finally:
                if self.pre_images is not None:
                    self.pre_images.settle()
