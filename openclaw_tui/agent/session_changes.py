"""What this session's tools changed in files, compared with what is there now. Needs no version control."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import msgspec

from openclaw_tui.agent.file_rewind import as_text, content_now
from openclaw_tui.artifacts.checkpoints import ABSENT, Change, CheckpointStore, digest_of
from openclaw_tui.constants import DIFF_SHOWN_FILE_BYTES
from openclaw_tui.tools.diff import FileDiff, diff_texts


class ChangedFile(msgspec.Struct, frozen=True):
    """One file of a report. `diff` is None where it cannot be shown; `note` says why, or who else changed it."""

    path: Path
    name: str
    diff: FileDiff | None
    note: str = ""

    @property
    def line(self) -> str:
        """`name  +3 -1 lines  (note)`."""
        return "  ".join(part for part in (self.name, self.diff.summary() if self.diff else "", self.note) if part)


class FileHistory(msgspec.Struct, frozen=True):
    """The first and last change of one file; `others` tells that somebody else changed it between or after ours."""

    path: Path
    first: Change
    others: str


def file_histories(store: CheckpointStore) -> dict[Path, FileHistory]:
    """Every file the session changed, in the order of the first change."""
    by_path: dict[Path, list[Change]] = {}
    for change in store.changes:
        by_path.setdefault(change.place, []).append(change)
    return {path: FileHistory(path, changes[0], _others(path, changes)) for path, changes in by_path.items()}


def changed_files(store: CheckpointStore, histories: dict[Path, FileHistory], root: Path) -> Iterator[ChangedFile]:
    """A diff for each file that is not what it was before the session touched it."""
    for path, history in histories.items():
        name = shown_name(path, root)
        before = None if history.first.before == ABSENT else store.content(history.first.before)
        if before is None and history.first.before != ABSENT:
            yield ChangedFile(path, name, None, history.first.lost or "what it was is no longer kept")
            continue
        yield from compared(path, name, before, history.others)


def compared(path: Path, name: str, before: bytes | None, note: str = "") -> Iterator[ChangedFile]:
    """The file against an earlier content; nothing where they are the same."""
    try:
        size = path.stat().st_size if path.exists() else 0
        if max(size, len(before or b"")) > DIFF_SHOWN_FILE_BYTES:
            yield ChangedFile(path, name, None, f"{size:,} bytes, too many to compare here")
            return
        now = content_now(path)
    except OSError as error:
        yield ChangedFile(path, name, None, f"cannot be read ({error.strerror or error})")
        return
    if now != before:
        yield ChangedFile(path, name, diff_texts(as_text(before), as_text(now), name), note)


def shown_name(path: Path, root: Path) -> str:
    return str(path.relative_to(root)) if path.is_relative_to(root) else str(path)


def _others(path: Path, changes: list[Change]) -> str:
    known = {digest for change in changes for digest in (change.before, change.after)}
    try:
        now = digest_of(content_now(path))
    except OSError:
        return ""
    gaps = any(later.before not in (sooner.after, sooner.before) for sooner, later in pairwise(changes))
    return "also changed by someone else" if gaps or now not in known else ""
