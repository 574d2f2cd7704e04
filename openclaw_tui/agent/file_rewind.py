"""Bringing files back to what they were before a span of changes: what would happen, then doing it.

The state before the first change of the span is what comes back, whatever stood there in between. Where the file is not
what our tools left, or somebody else changed it between two of our changes, that is a conflict: told, and left alone
unless the user says so. Invariants: nothing is overwritten that is not kept first, so each rewind can itself be undone;
nothing is written through a link that has come since.
"""

import contextlib
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from openclaw_tui.artifacts.checkpoints import ABSENT, Change, CheckpointStore, digest_of
from openclaw_tui.atomic_write import atomic_write_bytes
from openclaw_tui.constants import EDIT_MAX_FILE_BYTES
from openclaw_tui.errors import ToolError
from openclaw_tui.tools.diff import FileDiff, diff_texts
from openclaw_tui.tools.file_text import load_text

FileAct: TypeAlias = Literal["restore", "create", "delete"]


class FileRewind(msgspec.Struct, frozen=True):
    """One file that would change. `target` is the digest of what comes back, `found` of what is there now.

    `conflict` says who else changed it, `obstacle` why it cannot be done at all. `mode` are the bits it had.
    """

    path: Path
    act: FileAct
    target: str
    found: str
    mode: int = 0
    conflict: str = ""
    obstacle: str = ""


class FilePlan(msgspec.Struct, frozen=True):
    """All files of a span that would change, in the order they were first changed.

    `gone` are all paths that held no file before, `made` the folders that had to be made for some of them.
    """

    files: tuple[FileRewind, ...] = ()
    made: tuple[Path, ...] = ()
    gone: tuple[Path, ...] = ()

    @property
    def conflicts(self) -> tuple[FileRewind, ...]:
        return tuple(file for file in self.files if file.conflict and not file.obstacle)

    @property
    def obstacles(self) -> tuple[FileRewind, ...]:
        return tuple(file for file in self.files if file.obstacle)


class Restored(msgspec.Struct, frozen=True):
    """What came of it: files done, files left alone because of a conflict, and a line for each that failed."""

    done: tuple[FileRewind, ...]
    left: tuple[FileRewind, ...]
    failed: tuple[str, ...]


def plan_files(store: CheckpointStore, span: Sequence[Change]) -> FilePlan:
    """What bringing back the state before `span` would do to each file. Reads files, changes nothing."""
    by_path: dict[Path, list[Change]] = {}
    for change in span:
        by_path.setdefault(change.place, []).append(change)
    going = {path for path, changes in by_path.items() if changes[0].before == ABSENT}
    planned = (_plan_file(store, path, changes, going) for path, changes in by_path.items())
    made = dict.fromkeys(change.made_place for change in span if change.made)
    return FilePlan(tuple(file for file in planned if file is not None), tuple(made), tuple(going))


def restore_files(store: CheckpointStore, plan: FilePlan, *, overwrite: bool, call: str, anchor: str) -> Restored:
    """Do what was planned: first what goes, then what comes. A file that changed since the plan is left alone."""
    done: list[FileRewind] = []
    failed: list[str] = []
    todo = [file for file in plan.files if not file.obstacle and (overwrite or not file.conflict)]
    gone = [file for file in todo if file.act == "delete"]
    for file in sorted(gone, key=lambda item: -len(item.path.parts)):
        _attempt(store, file, call, anchor, done, failed)
    _remove_empty(plan.made, plan.gone)
    for file in todo:
        if file.act != "delete":
            _attempt(store, file, call, anchor, done, failed)
    left = tuple(file for file in plan.files if file.conflict and not file.obstacle and not overwrite)
    return Restored(tuple(done), left, (*(f"{file.path.name}: {file.obstacle}" for file in plan.obstacles), *failed))


def difference(store: CheckpointStore, file: FileRewind, name: str) -> FileDiff | None:
    """What the act would change, as a diff from now to then; None where a side cannot be read as text."""
    then = None if file.target == ABSENT else store.content(file.target)
    if then is None and file.target != ABSENT:
        return None
    with contextlib.suppress(OSError, ToolError):
        return diff_texts(as_text(_read(file.path)), as_text(then), name)
    return None


def as_text(data: bytes | None) -> str | None:
    """A content for a diff: text, or a line that says it is none."""
    if data is None:
        return None
    try:
        return load_text(data, "").text
    except ToolError:
        return f"(binary, {len(data):,} bytes)\n"


def content_now(path: Path) -> bytes | None:
    """What a path holds; None without a file. Raises OSError; a file too large to be ours is refused so as well."""
    return _read(path)


def _plan_file(store: CheckpointStore, path: Path, changes: Sequence[Change], going: set[Path]) -> FileRewind | None:
    first, last = changes[0], changes[-1]
    obstacle = _obstacle(path, going)
    found = "?" if obstacle else _digest_now(path)
    if found == first.before and not _lost_its_mode(path, changes):
        return None
    act: FileAct = "delete" if first.before == ABSENT else "create" if found == ABSENT else "restore"
    if not obstacle and first.before != ABSENT and not store.is_kept(first.before):
        obstacle = first.lost or "what it was is no longer kept (the store was full)"
    return FileRewind(path, act, first.before, found, first.mode, _conflict(changes, found, last), obstacle)


def _lost_its_mode(path: Path, changes: Sequence[Change]) -> bool:
    """Whether the bytes are the same but our changes cost the file its mode: it was removed and made anew."""
    first = changes[0]
    ours = first.before == first.after or any(change.before == ABSENT for change in changes[1:])
    return ours and first.before != ABSENT and stat.S_IMODE(path.stat().st_mode) != first.mode


def _obstacle(path: Path, going: set[Path]) -> str:
    """Why nothing can be put at this path."""
    try:
        if os.path.realpath(path) != str(path):
            return "the path leads elsewhere now (a link)"
        if path.is_dir() and not _holds_only(path, going):
            return "a folder is there now"
        if path.exists() and not path.is_dir() and not path.is_file():
            return "it is no regular file any more"
        if path.is_file() and path.stat().st_size > EDIT_MAX_FILE_BYTES:
            return f"it has grown beyond {EDIT_MAX_FILE_BYTES:,} bytes"
        if path.is_file():
            path.open("rb").close()
    except OSError as error:
        return f"it cannot be read ({error.strerror or error})"
    return ""


def _holds_only(folder: Path, going: set[Path]) -> bool:
    """Whether everything below a folder is about to go."""
    return all(Path(where) / name in going for where, _, names in os.walk(folder) for name in names)


def _conflict(changes: Sequence[Change], found: str, last: Change) -> str:
    if found not in (last.after, last.before):
        return "changed since by someone else" if found != ABSENT else "removed since by someone else"
    for one, other in pairwise(changes):
        if other.before not in (one.after, one.before):
            return "changed by someone else in between; that goes too"
    return ""


def _attempt(
    store: CheckpointStore, file: FileRewind, call: str, anchor: str, done: list[FileRewind], failed: list[str]
) -> None:
    try:
        problem = _put(store, file, call, anchor)
    except OSError as error:
        problem = error.strerror or str(error)
    if problem:
        failed.append(f"{file.path.name}: {problem}")
    else:
        done.append(file)


def _put(store: CheckpointStore, file: FileRewind, call: str, anchor: str) -> str:
    """Keep what is there, then put back what was there; the reason where that is not done."""
    path = file.path
    if os.path.realpath(path) != str(path):
        return "the path leads elsewhere now (a link)"
    now = _read(path)
    if digest_of(now) != file.found:
        return "it changed a moment ago; look again"
    data = None if file.target == ABSENT else store.content(file.target)
    if data is None and file.target != ABSENT:
        return "what it was can no longer be read"
    kept = store.take(path, now, data, anchor=anchor, call=call)
    if kept.lost:
        return f"left as it is: {kept.lost}"
    if data is None:
        path.unlink()
        return ""
    if path.is_dir():
        path.rmdir()
    path.parent.mkdir(parents=True, exist_ok=True)
    atomic_write_bytes(path, data, mode=file.mode)
    os.chmod(path, file.mode)
    return ""


def _read(path: Path) -> bytes | None:
    if not path.is_file():
        return None
    return path.read_bytes()


def _digest_now(path: Path) -> str:
    try:
        return digest_of(_read(path))
    except OSError:
        return "?"


def _remove_empty(made: Iterable[Path], gone: Iterable[Path]) -> None:
    """Take away the folders that were made for files which are not there any more; others stay."""
    roots = list(made)
    folders = {folder for path in gone for folder in _up_to(path, roots)}
    for folder in sorted(folders, key=lambda item: -len(item.parts)):
        with contextlib.suppress(OSError):
            folder.rmdir()


def _up_to(path: Path, roots: Sequence[Path]) -> Iterator[Path]:
    return (folder for folder in path.parents if any(folder.is_relative_to(root) for root in roots))


def diff_stat(diffs: Mapping[str, FileDiff | None]) -> str:
    """`3 files, +12 -4 lines`."""
    added = sum(diff.added for diff in diffs.values() if diff)
    removed = sum(diff.removed for diff in diffs.values() if diff)
    return f"{len(diffs)} file{'s' if len(diffs) != 1 else ''}, +{added} -{removed} lines"
