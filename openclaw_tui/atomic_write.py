"""Write a file whole or not at all: temporary file beside it, fsync, rename.

The target's mode is kept; a new file gets `mode`. A link is written through, so that it stays a link. The temporary
file is created with 0600 from its first byte and never left behind.
"""

import contextlib
import os
import stat
import tempfile
from pathlib import Path

PRIVATE_FILE_MODE = 0o600
PRIVATE_DIR_MODE = 0o700


def atomic_write_bytes(
    path: Path, data: bytes, *, mode: int = PRIVATE_FILE_MODE, durable: bool = True, follow: bool = True
) -> None:
    """Replace `path` by `data`. `durable` also syncs the file and its directory. Raises OSError; the old file stays.

    `follow` False takes the path as it is: for one whose links were resolved and judged before.
    """
    target = Path(os.path.realpath(path)) if follow else path
    with contextlib.suppress(FileNotFoundError):
        mode = stat.S_IMODE(target.stat().st_mode)
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
    try:
        with os.fdopen(descriptor, "wb") as handle:
            handle.write(data)
            handle.flush()
            if durable:
                os.fsync(handle.fileno())
        os.chmod(name, mode)
        os.replace(name, target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)
        raise
    if durable:
        sync_directory(target.parent)


def atomic_write_text(path: Path, text: str, *, mode: int = PRIVATE_FILE_MODE, durable: bool = True) -> None:
    atomic_write_bytes(path, text.encode("utf-8"), mode=mode, durable=durable)


def sync_directory(path: Path) -> None:
    """Make a rename or a new file in `path` survive a power cut; file systems that cannot are left alone."""
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def make_private_dir(path: Path) -> Path:
    """Create `path` and the parents it lacks, each with 0700; what exists is left as it is. Returns `path`."""
    for missing in reversed([folder for folder in (path, *path.parents) if not folder.exists()]):
        missing.mkdir(mode=PRIVATE_DIR_MODE, exist_ok=True)
    return path
