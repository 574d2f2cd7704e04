"""`sessions.json`: what is known about the sessions of one agent, by session key. Derived; it may be lost and rebuilt.

Entries and fields this version does not know, and values of a kind it does not expect, are kept word for word. The
file is replaced as a whole, under a lock on its folder, so that two processes never lose each other's changes.
"""

import contextlib
import os
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from openclaw_tui.atomic_write import atomic_write_bytes, make_private_dir
from openclaw_tui.errors import SessionError, SessionWriteFailed
from openclaw_tui.session.damage import backup_path
from openclaw_tui.session.file_lock import exclusive
from openclaw_tui.session.journal import copy_private
from openclaw_tui.session.listing import SessionSummary, find_sessions
from openclaw_tui.session.manager import SessionManager

_Raw = dict[str, Any]


class SessionRecord(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What we read and write of one entry. Times are milliseconds since 1970.

    `context_tokens` is the current estimate of the context, `total_tokens` the prompt of the last call (never a sum),
    `total_tokens_fresh` whether that still holds.
    """

    session_id: str | None = None
    session_file: str | None = None
    updated_at: int | None = None
    session_started_at: int | None = None
    label: str | None = None
    display_name: str | None = None
    chat_type: str | None = None
    cwd: str | None = None
    spawned_by: str | None = None
    spawn_depth: int | None = None
    parent_session_key: str | None = None
    forked_from_parent: bool | None = None
    status: str | None = None
    aborted_last_run: bool | None = None
    thinking_level: str | None = None
    provider_override: str | None = None
    model_override: str | None = None
    model_provider: str | None = None
    model: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    total_tokens: int | None = None
    total_tokens_fresh: bool | None = None
    context_tokens: int | None = None
    estimated_cost_usd: float | None = None
    compaction_count: int | None = None
    memory_flush_at: int | None = None
    memory_flush_compaction_count: int | None = None
    skills_snapshot: Any = None
    last_channel: str | None = None


_FIELDS = {field.name: field for field in msgspec.structs.fields(SessionRecord)}


class SessionStore:
    """The file in one agent's sessions folder. `notices` are lines for the user about what was found."""

    def __init__(self, directory: Path) -> None:
        self.path = directory / "sessions.json"
        self.notices: list[str] = []

    def read(self) -> dict[str, SessionRecord]:
        """All entries by lower-case key; of two that differ in case only, the newer one counts."""
        found: dict[str, SessionRecord] = {}
        for key, raw in self._load().items():
            record = _record(raw)
            before = found.get(key.lower())
            if record is not None and (before is None or (record.updated_at or 0) >= (before.updated_at or 0)):
                found[key.lower()] = record
        return found

    def get(self, key: str) -> SessionRecord | None:
        return self.read().get(key.lower())

    def update(self, key: str, **changes: Any) -> SessionRecord:
        """Set fields of an entry (None takes one away), make the entry if need be. Raises SessionWriteFailed."""
        changes = {"updated_at": time.time_ns() // 1_000_000} | changes
        with self._locked():
            everything = self._load(keep_damaged=True)
            everything[key.lower()] = raw = _merged(everything, key.lower())
            for name, value in changes.items():
                on_disk = _FIELDS[name].encode_name
                if value is None:
                    raw.pop(on_disk, None)
                else:
                    raw[on_disk] = value
            self._save(everything)
        return _record(raw) or SessionRecord()

    def remove(self, key: str) -> None:
        with self._locked():
            everything = self._load(keep_damaged=True)
            self._save({name: raw for name, raw in everything.items() if name.lower() != key.lower()})

    def rebuild(self, key_of: Callable[[SessionSummary], str]) -> int:
        """Add an entry for every session file none speaks of; returns how many. Existing entries stay as they are."""
        with self._locked():
            everything = self._load(keep_damaged=True)
            known = {record.session_id for raw in everything.values() if (record := _record(raw)) is not None}
            missing = [row for row in find_sessions(self.path.parent) if row.id not in known]
            for row in missing:
                everything[key_of(row).lower()] = _as_raw(_derived(row))
            self._save(everything)
        return len(missing)

    def _load(self, *, keep_damaged: bool = False) -> _Raw:
        try:
            return msgspec.json.decode(self.path.read_bytes(), type=_Raw)
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            if keep_damaged:
                self._set_aside(error)
            return {}

    def _set_aside(self, error: Exception) -> None:
        backup = backup_path(self.path)
        try:
            copy_private(self.path, backup)
        except OSError as failure:
            raise SessionWriteFailed(f"{self.path.name} is damaged and could not be kept aside: {failure}.") from error
        self.notices.append(f"{self.path.name} could not be read; it is kept as {backup.name} and built anew.")

    def _save(self, everything: Mapping[str, Any]) -> None:
        try:
            text = msgspec.json.format(msgspec.json.encode(everything), indent=2)
            atomic_write_bytes(self.path, text + b"\n", durable=False)
        except OSError as error:
            raise SessionWriteFailed(f"Cannot write {self.path}: {error.strerror}.") from error

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        make_private_dir(self.path.parent)
        descriptor = os.open(self.path.parent, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
        try:
            with exclusive(descriptor):
                yield
        except OSError as error:
            raise SessionWriteFailed(f"Cannot write {self.path}: {error.strerror or error}.") from error
        finally:
            os.close(descriptor)


def _record(raw: Any) -> SessionRecord | None:
    """The fields of an entry that have the kind we expect."""
    if not isinstance(raw, dict):
        return None
    values: _Raw = {}
    for name, field in _FIELDS.items():
        with contextlib.suppress(msgspec.ValidationError):
            values[name] = msgspec.convert(raw.get(field.encode_name), field.type)
    return SessionRecord(**values)


def _merged(everything: _Raw, key: str) -> _Raw:
    """Take all spellings of a key out and return them as one entry, the newest one's fields winning."""
    spellings = [name for name in everything if name.lower() == key]
    found = [raw for name in spellings if isinstance(raw := everything.pop(name), dict)]
    merged: _Raw = {}
    for raw in sorted(found, key=lambda raw: ((record := _record(raw)) is not None and record.updated_at) or 0):
        merged |= raw
    return merged


def _as_raw(record: SessionRecord) -> _Raw:
    raw: _Raw = msgspec.to_builtins(record)
    return {key: value for key, value in raw.items() if value is not None}


def _derived(row: SessionSummary) -> SessionRecord:
    """What the session file itself tells; a file that cannot be opened still gets its id and place."""
    plain = SessionRecord(
        session_id=row.id,
        session_file=str(row.path),
        updated_at=int(row.modified * 1000),
        display_name=row.title,
        cwd=row.cwd or None,
    )
    try:
        session = SessionManager.open(row.path, read_only=True)
    except SessionError:
        return plain
    projection = session.project()
    session.close()
    provider, model = projection.model or (None, None)
    count = sum(kind == "compaction" for kind in session.records.loaded.tree.kinds)
    return msgspec.structs.replace(
        plain,
        model_provider=provider,
        model=model,
        thinking_level=projection.thinking_level,
        compaction_count=count,
    )
