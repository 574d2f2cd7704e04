"""What can be completed at the cursor: commands after `/`, files of the project after `@`. Pure but for the file list.

The list of files comes from git where there is one (ignored files stay out), else from a walk; it is made in a thread
and matched there too, so that typing never waits for it.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from openclaw_tui.constants import COMPLETION_MAX_FILES, COMPLETION_MIN_SCORE, COMPLETION_ROWS

if TYPE_CHECKING:
    from openclaw_tui.commands.registry import Command, CommandTable

_COMMAND = re.compile(r"/([A-Za-z?_-]*)$")
_FILE = re.compile(r"(?:^|\s)@(\"[^\"\n]*|[^\s\"]*)$")
_RANGE = re.compile(r":\d*(?:-\d*)?$")
_SKIPPED = {".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", "venv", ".mypy_cache", ".ruff_cache"}


class Wanted(msgspec.Struct, frozen=True):
    """What stands before the cursor. `start` is where the completed word begins, its sign included."""

    kind: Literal["command", "file"]
    text: str
    start: int


class Completion(msgspec.Struct, frozen=True):
    """`insert` replaces the word; `runs` marks a command that can be sent as it is."""

    insert: str
    label: str
    detail: str = ""
    runs: bool = False


def wanted_at(text: str, cursor: int) -> Wanted | None:
    """What could be completed at `cursor`, or None."""
    before = text[:cursor]
    command = _COMMAND.fullmatch(before)
    if command:
        return Wanted("command", command.group(1), 0)
    file = _FILE.search(before)
    if file and not _RANGE.search(file.group(1)):
        return Wanted("file", file.group(1).lstrip('"'), file.start(1) - 1)
    return None


def command_completions(table: CommandTable, typed: str) -> list[Completion]:
    """Commands for the menu: by beginning, by part, then by likeness."""
    found = table.matching(typed) if typed else list(table.commands)
    if not found and len(typed) > 1:
        near = table.near(typed.lower())
        found = [command for command in table.commands if command.name in near]
    by_name = sorted(found, key=lambda command: not command.name.startswith(typed.lower()))
    return [_of_command(command) for command in by_name]


def _of_command(command: Command) -> Completion:
    needs_more = bool(command.hint) and not command.hint.startswith("[")
    label = f"/{command.name}{' ' + command.hint if command.hint else ''}"
    return Completion(f"/{command.name}{' ' if command.hint else ''}", label, command.summary, runs=not needs_more)


def file_completions(paths: Sequence[str], typed: str) -> list[Completion]:
    """The likeliest paths for what was typed."""
    return [
        Completion(f'@"{path}" ' if " " in path else f"@{path}{'' if path.endswith('/') else ' '}", path)
        for path in _best(paths, typed)
    ]


def _best(paths: Sequence[str], typed: str) -> list[str]:
    if not typed:
        return sorted(paths, key=lambda path: (path.count("/"), path))[:COMPLETION_ROWS]
    wanted = typed.lower()
    by_name = [path for path in paths if wanted in path.lower()]
    if by_name:
        return sorted(by_name, key=lambda path: _rank(path, wanted))[:COMPLETION_ROWS]
    from rapidfuzz import fuzz, process

    found = process.extract(typed, paths, scorer=fuzz.WRatio, limit=COMPLETION_ROWS, score_cutoff=COMPLETION_MIN_SCORE)
    return [path for path, _score, _place in found]


def _rank(path: str, wanted: str) -> tuple[int, int, str]:
    """File names that begin with the typed text first, then those that hold it, then paths; short ones first."""
    name = path.rstrip("/").rpartition("/")[2].lower()
    place = 0 if name.startswith(wanted) or path.lower().startswith(wanted) else 1 if wanted in name else 2
    return place, len(path), path


def project_files(root: Path) -> list[str]:
    """Files and folders below `root`, relative, folders with a slash at their end. Slow: call it in a thread."""
    names = _git_files(root)
    files = names if names is not None else list(_walked(root))
    folders = {f"{folder}/" for path in files for folder in _parents(path)}
    return sorted(folders) + files


def _parents(path: str) -> Iterator[str]:
    folder = path.rpartition("/")[0]
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]


def _git_files(root: Path) -> list[str] | None:
    command = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        run = subprocess.run(command, capture_output=True, check=True, timeout=10, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.SubprocessError):
        return None
    names = [os.fsdecode(name) for name in run.stdout.split(b"\0")[:COMPLETION_MAX_FILES] if name]
    return sorted(set(names))


def _walked(root: Path) -> Iterator[str]:
    count = 0
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED)
        for name in sorted(files):
            count += 1
            if count > COMPLETION_MAX_FILES:
                return
            yield os.path.relpath(os.path.join(folder, name), root)
