"""What else lies in a skill's folder: the scripts it would have run, and all its bytes for the trust of a project."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from openclaw_tui.constants import SKILL_FILES_LOOKED_AT

_SHELLS = (".sh", ".bash", ".zsh", ".fish", ".ps1", ".bat", ".cmd")
_LANGUAGES = (".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".php", ".lua")
_BINARIES = (".exe", ".so", ".dylib", ".jar", ".wasm")
_SUFFIXES = frozenset((*_SHELLS, *_LANGUAGES, *_BINARIES))


def scripts_of(folder: str) -> tuple[str, ...]:
    """Files in a skill's folder that can be run: by their mode, or by their ending. Names relative to the folder."""
    return tuple(
        os.path.relpath(path, folder)
        for path in files_of(folder)
        if os.path.splitext(path)[1].lower() in _SUFFIXES or _may_run(path)
    )


def files_of(folder: str) -> Iterator[str]:
    """All files below a skill's folder in a fixed order, links to folders not followed; a bounded number of them."""
    count = 0
    for place, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            count += 1
            if count > SKILL_FILES_LOOKED_AT:
                return
            yield os.path.join(place, name)


def bytes_of(folder: str) -> Iterator[bytes]:
    """Name, mode and content of each file, one after the other. What cannot be read stands for itself by its name."""
    for path in files_of(folder):
        yield os.path.relpath(path, folder).encode("utf-8", "surrogateescape")
        yield b"x" if _may_run(path) else b"-"
        try:
            yield Path(path).read_bytes() if os.path.isfile(path) else b""
        except OSError:
            yield b""


def _may_run(path: str) -> bool:
    try:
        status = os.stat(path)
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and bool(status.st_mode & 0o111)
