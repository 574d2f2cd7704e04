"""Finding sessions in a folder, without reading whole files: both ends of each tell enough for a list."""

import contextlib
import os
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import msgspec

from openclaw_tui.constants import SESSION_NAMES_SHOWN, SESSION_PEEK_BYTES, SESSION_SUMMARIES_KEPT, SESSION_TITLE_CHARS
from openclaw_tui.errors import SessionNotFound
from openclaw_tui.messages import UserMessage, text_of
from openclaw_tui.session.codec import decode_entry, decode_header, decode_record, is_header, partial_prompt
from openclaw_tui.session.custom_types import SUBAGENT
from openclaw_tui.session.damage import without_mark
from openclaw_tui.session.entries import CustomEntry, Entry, Header, MessageEntry, SessionInfoEntry, UnknownEntry

_SUFFIX = ".jsonl"
_OWN_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")


class SessionSummary(msgspec.Struct, frozen=True):
    """One row of the session list. `modified` is in seconds since 1970; `messages` is None where counting would cost.

    `title` is the name the user gave, else the first prompt on one line, else a word that there is none. `key` and
    `spawned_by` are the session keys of a sub-agent and of who started it; None for a conversation of the user's own.
    """

    id: str
    path: Path
    title: str
    name: str | None
    cwd: str
    modified: float
    size: int
    messages: int | None
    parent_session: str | None
    foreign: bool
    key: str | None = None
    spawned_by: str | None = None


def find_sessions(directory: Path) -> list[SessionSummary]:
    """All sessions of a folder, newest first, those of sub-agents included; files without a line are left out."""
    return [found for path, _ in _by_time(directory) if (found := summarize(path)) is not None]


def newest_session(directory: Path, cwd: Path) -> SessionSummary | None:
    """The user's session last worked on in the working directory `cwd`; looks no further than that one."""
    wanted = os.path.realpath(cwd)
    rows = (row for path, _ in _by_time(directory) if (row := summarize(path)) is not None and not row.spawned_by)
    return next((row for row in rows if row.cwd and os.path.realpath(row.cwd) == wanted), None)


def short_id(session_id: str) -> str:
    """As much of an id as tells sessions apart: of our own ids the time in milliseconds, of others the whole."""
    return session_id[:13] if _OWN_ID.fullmatch(session_id) else session_id


def resolve_session(directory: Path, wanted: str) -> Path:
    """The file of a session given by path, by id or by the unmistakable beginning of its id."""
    as_path = Path(os.path.expanduser(wanted))
    if (os.sep in wanted or wanted.endswith(_SUFFIX)) and as_path.is_file():
        return as_path
    exact = directory / f"{wanted}{_SUFFIX}"
    if os.sep not in wanted and exact.is_file():
        return exact
    found = [path for path, _ in _by_time(directory) if _is_called(path, wanted)]
    if len(found) == 1:
        return found[0]
    if not found:
        raise SessionNotFound(f"There is no session {wanted!r}; `openclaw-tui sessions list` shows what there is.")
    names = ", ".join(path.stem for path in found[:SESSION_NAMES_SHOWN])
    raise SessionNotFound(f"{len(found)} sessions begin with {wanted!r}: {names}; give more of the id.")


def _is_called(path: Path, wanted: str) -> bool:
    """pi puts a time before the id in the file's name."""
    return bool(wanted) and (path.stem.startswith(wanted) or path.stem.rpartition("_")[2].startswith(wanted))


def _by_time(directory: Path) -> list[tuple[Path, float]]:
    """Session files, newest first; what cannot be looked at (a link to nowhere, a folder that is gone) is left out."""
    rows: list[tuple[Path, float]] = []
    with contextlib.suppress(OSError), os.scandir(directory) as found:
        for item in found:
            with contextlib.suppress(OSError):
                if item.name.endswith(_SUFFIX):
                    rows.append((Path(item.path), item.stat().st_mtime))
    return sorted(rows, key=lambda row: (-row[1], row[0].name))


def summarize(path: Path) -> SessionSummary | None:
    """The row of one file; None where it is empty or cannot be read. Files that did not change are not read again."""
    try:
        status = path.stat()
    except OSError:
        return None
    return _summary(path, status.st_size, status.st_mtime_ns)


@lru_cache(SESSION_SUMMARIES_KEPT)
def _summary(path: Path, _size: int, _mtime_ns: int) -> SessionSummary | None:
    try:
        with path.open("rb") as handle:
            status = os.fstat(handle.fileno())
            head = handle.read(SESSION_PEEK_BYTES)
            handle.seek(max(len(head), status.st_size - SESSION_PEEK_BYTES))
            tail = handle.read()
    except OSError:
        return None
    if not head.strip():
        return None
    whole = len(head) == status.st_size
    header, entries, prompt = _first_lines(head, whole=whole)
    later = list(_entries(tail.split(b"\n")[1:]))
    name = _last_name(later) or _last_name(entries)
    key, spawned_by = _spawned(entries)
    return SessionSummary(
        id=header.id if header else path.stem,
        path=path,
        title=_one_line(name or prompt or "(no prompt yet)"),
        name=name,
        cwd=header.cwd if header else "",
        modified=status.st_mtime,
        size=status.st_size,
        messages=sum(isinstance(entry, MessageEntry) for entry in entries) if whole else None,
        parent_session=header.parent_session if header else None,
        foreign=header is not None and not header.ours,
        key=key,
        spawned_by=spawned_by,
    )


def _first_lines(head: bytes, *, whole: bool) -> tuple[Header | None, list[Entry], str | None]:
    lines = without_mark(head).split(b"\n")
    cut = b"" if whole else lines.pop()
    header = None
    try:
        record = decode_record(lines[0])
        header = decode_header(record) if is_header(record) else None
    except (ValueError, IndexError):
        pass
    entries = list(_entries(lines))
    prompt = next((text for entry in entries if (text := _prompt(entry))), None)
    return header, entries, prompt or partial_prompt(cut)


def _entries(lines: list[bytes]) -> Iterator[Entry]:
    for line in lines:
        try:
            entry = decode_entry(line, entry_id="", parent_id=None)
        except (ValueError, RecursionError):
            continue
        if not isinstance(entry, UnknownEntry):
            yield entry


def _spawned(entries: list[Entry]) -> tuple[str | None, str | None]:
    """Keys of a sub-agent and its parent, from the first entry of its session."""
    first = entries[0] if entries else None
    if not isinstance(first, CustomEntry) or first.custom_type != SUBAGENT or not isinstance(first.data, dict):
        return None, None
    key, parent = first.data.get("key"), first.data.get("spawnedBy")
    return (key, parent) if isinstance(key, str) and isinstance(parent, str) else (None, None)


def _prompt(entry: Entry) -> str | None:
    if isinstance(entry, MessageEntry) and isinstance(entry.message, UserMessage) and entry.message.origin == "user":
        return text_of(entry.message.content).strip() or None
    return None


def _last_name(entries: list[Entry]) -> str | None:
    names = [entry.name.strip() for entry in entries if isinstance(entry, SessionInfoEntry)]
    return names[-1] or None if names else None


def _one_line(text: str) -> str:
    flat = " ".join(text[: SESSION_TITLE_CHARS * 4].split())
    return flat if len(flat) <= SESSION_TITLE_CHARS else flat[: SESSION_TITLE_CHARS - 1] + "…"
