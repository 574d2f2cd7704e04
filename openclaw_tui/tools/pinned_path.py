"""A path bound to the file it names at the moment of use, without following any link.

What was judged is a real path, without links. Between the judging and the use a folder of it can be swapped for a link;
so it is walked again, folder by folder, from the root, and a link found on the way ends it. The file is then reached
through its descriptor, which nobody can swap. Where the system has no such descriptors the plain path is used.
"""

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from openclaw_tui.errors import ToolError

_CAN_PIN = hasattr(os, "O_PATH") and Path("/proc/self/fd").is_dir()


@contextlib.contextmanager
def pinned(path: Path) -> Iterator[Path]:
    """Another name of the file or folder at a real path, safe to open. Raises OSError, ToolError for a link."""
    if not _CAN_PIN:
        yield path
        return
    descriptor = _walk(path, make=False)
    try:
        yield Path(f"/proc/self/fd/{descriptor}")
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def pinned_place(path: Path, *, make: bool = True) -> Iterator[Path]:
    """Another name of the place for a file, in its pinned folder; `make` adds the folders that are missing.

    Raises OSError, ToolError for a link.
    """
    if not _CAN_PIN:
        if make:
            path.parent.mkdir(parents=True, exist_ok=True)
        yield path
        return
    descriptor = _walk(path.parent, make=make)
    try:
        place = Path(f"/proc/self/fd/{descriptor}") / path.name
        if place.is_symlink():
            raise _swapped(path)
        yield place
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def pinned_for_search(path: Path) -> Iterator[Path | None]:
    """The name of a pinned path for the search program, None where it cannot be pinned. Raises ToolError."""
    with contextlib.ExitStack() as stack:
        try:
            at = stack.enter_context(pinned(path))
        except OSError as error:
            raise ToolError(f"cannot search {path.name}: {error.strerror or error}") from error
        yield _for_children(at)


def _for_children(at: Path) -> Path | None:
    """The name of a pinned path for other processes; None where it is not pinned."""
    return Path(f"/proc/{os.getpid()}/fd/{at.name}") if at.is_relative_to("/proc/self/fd") else None


def _walk(path: Path, *, make: bool) -> int:
    """A descriptor of the last part. The caller closes it."""
    current = os.open("/", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in path.parts[1:]:
            following = _step(current, part, make=make)
            os.close(current)
            current = following
            if stat.S_ISLNK(os.fstat(current).st_mode):
                raise _swapped(path)
    except BaseException:
        os.close(current)
        raise
    return current


def _step(folder: int, name: str, *, make: bool) -> int:
    flags = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        return os.open(name, flags, dir_fd=folder)
    except FileNotFoundError:
        if not make:
            raise
    with contextlib.suppress(FileExistsError):
        os.mkdir(name, dir_fd=folder)
    return os.open(name, flags, dir_fd=folder)


def _swapped(path: Path) -> ToolError:
    return ToolError(f"{path.name}: a folder of its path became a link meanwhile; nothing was read or written")
