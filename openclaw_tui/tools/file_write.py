"""Changing files of the workspace: whole or not at all, with the mode a person's editor would leave.

Every change of `write`, `edit` and `apply_patch` ends here. Links are written through, an existing mode is kept, a new
file follows the umask. Expected failures become one clear ToolError; nothing temporary is left.
"""

import os
import re
import stat
from pathlib import Path

from openclaw_tui.atomic_write import atomic_write_bytes
from openclaw_tui.constants import EDIT_MAX_FILE_BYTES, NEW_FILE_MODE
from openclaw_tui.errors import ToolError
from openclaw_tui.tools.pinned_path import pinned, pinned_place


def load_bytes(path: Path, name: str) -> bytes | None:
    """The content of a regular file; None when there is none. Raises ToolError for anything else."""
    try:
        with pinned(path) as at:
            return _load(at, name)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ToolError(f"cannot read {name}: {_reason(error)}") from error


def _load(at: Path, name: str) -> bytes:
    status = at.stat()
    if stat.S_ISDIR(status.st_mode):
        raise ToolError(f"{name} is a directory; give the path of a file")
    if not stat.S_ISREG(status.st_mode):
        raise ToolError(f"{name} is no regular file")
    if status.st_size > EDIT_MAX_FILE_BYTES:
        raise ToolError(f"{name} has {status.st_size:,} bytes, too many to change here; use exec with a stream tool")
    return at.read_bytes()


def store_bytes(path: Path, data: bytes, name: str, *, mode: int | None = None) -> str:
    """Write a file whole, parents included; a new one gets `mode` or what the umask leaves.

    Returns a note for the model, empty when there is nothing to note.
    """
    try:
        with pinned_place(path) as at:
            links = at.stat().st_nlink if at.exists() else 1
            atomic_write_bytes(at, data, mode=NEW_FILE_MODE & ~_umask() if mode is None else mode, follow=False)
    except OSError as error:
        raise ToolError(f"cannot write {name}: {_reason(error)}; the file is as it was") from error
    if links > 1:
        return f"note: {name} was one of {links} hard links; the other names keep the old content"
    return ""


def remove_file(path: Path, name: str) -> None:
    try:
        with pinned_place(path, make=False) as at:
            at.unlink()
    except OSError as error:
        raise ToolError(f"cannot delete {name}: {_reason(error)}") from error


def _reason(error: OSError) -> str:
    return error.strerror or type(error).__name__


def _umask() -> int:
    """The process's umask, read without changing it where the system tells it (a change would race other threads)."""
    try:
        status = Path("/proc/self/status").read_text(encoding="utf-8", errors="replace")
    except OSError:
        status = ""
    found = re.search(r"^Umask:\s*([0-7]+)", status, re.MULTILINE)
    if found is not None:
        return int(found[1], 8)
    current = os.umask(0o077)
    os.umask(current)
    return current
