"""SessionManager: the only writer of a session file.

Invariants: what was appended is on disk when the call returns, whole, or `SessionWriteFailed` is raised and it waits in
`pending`, in order; lines this program did not make are never rewritten but to mend damage, and then the original is
kept; an empty session leaves no file. No method knows about models, providers or prompts.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from openclaw_tui.atomic_write import PRIVATE_DIR_MODE, make_private_dir
from openclaw_tui.errors import SessionError, SessionWriteFailed
from openclaw_tui.messages import Message, UserContent
from openclaw_tui.session import copies, opening
from openclaw_tui.session.codec import decode_entry, encode_entry, encode_header
from openclaw_tui.session.dag import NO_PARENT
from openclaw_tui.session.damage import DamageReport
from openclaw_tui.session.entries import (
    BranchSummaryEntry,
    CompactionEntry,
    CustomEntry,
    CustomMessageEntry,
    Entry,
    Header,
    LabelEntry,
    MessageEntry,
    ModelChangeEntry,
    SessionInfoEntry,
    ThinkingLevelChangeEntry,
)
from openclaw_tui.session.journal import Journal, tighten
from openclaw_tui.session.loading import Loaded, absorb, new_entry_id
from openclaw_tui.session.lock import Lease, acquire
from openclaw_tui.session.projection import Projection, milliseconds
from openclaw_tui.session.records import Records

_E = TypeVar("_E", bound=Entry)


class Pending(msgspec.Struct, frozen=True):
    """A line that could not be written yet."""

    ordinal: int
    line: bytes
    entry: Entry


class SessionManager:
    """One open session. `notices` are lines for the user about what was found on opening, `damage` among them."""

    def __init__(self, header: Header, records: Records, *, path: Path | None, cwd: Path, read_only: bool) -> None:
        """Use `create`, `open`, `in_memory` or `adopt`."""
        self.header = header
        self.session_id = header.id
        self.path = path
        self.cwd = cwd
        self.read_only = read_only
        self.damage: DamageReport | None = None
        self.notices: list[str] = []
        self.lease: Lease | None = None
        self._records = records
        self._leaf = len(records) - 1
        self._pending: list[Pending] = []
        self._header_written = records.journal is not None

    # ── opening and closing ───────────────────────────────────────────────────────────────────────────────────────
    @classmethod
    def create(
        cls, directory: Path, *, cwd: Path, session_id: str | None = None, parent_session: str | None = None
    ) -> "SessionManager":
        """A new session; its file `<directory>/<id>.jsonl` comes into being with the first entry."""
        session_id = copies.checked_session_id(session_id or copies.new_session_id())
        path = directory / f"{session_id}.jsonl"
        if path.exists():
            raise SessionError(f"There is a session {session_id} already; resume it or choose another id.")
        header = copies.new_header(session_id, str(cwd), parent_session)
        return cls(header, Records(Loaded(header=header), None), path=path, cwd=cwd, read_only=False)

    @classmethod
    def in_memory(cls, *, cwd: Path) -> "SessionManager":
        """A session that is never stored."""
        header = copies.new_header(copies.new_session_id(), str(cwd), None)
        return cls(header, Records(Loaded(header=header), None), path=None, cwd=cwd, read_only=False)

    @classmethod
    def open(cls, path: Path, *, read_only: bool = False, take_over: bool = False) -> "SessionManager":
        """An existing session. Damage is mended (the original is kept) and reported in `damage`.

        A foreign file (`is_foreign`) is opened for reading only, whatever was asked: see `adopt`. Raises SessionLocked
        where another live process writes it (unless `take_over`), SessionNotFound, or SessionCorrupt where nothing in
        it can be read.
        """
        found = opening.open_session(path, read_only=read_only, take_over=take_over)
        header = found.header
        cwd = Path(header.cwd or ".")
        manager = cls(header, Records(found.loaded, found.journal), path=path, cwd=cwd, read_only=found.read_only)
        manager.damage, manager.notices, manager.lease = found.damage, found.notices, found.lease
        if not header.cwd or not cwd.is_dir():
            manager.notices.append(f"The session's folder {header.cwd or '(unknown)'} is not there any more.")
        return manager

    @classmethod
    def preview(cls, path: Path) -> "SessionManager":
        """A session to look at and to try things on: what is appended stays in memory, the file is not touched."""
        found = opening.open_session(path, read_only=True)
        cwd = Path(found.header.cwd or ".")
        manager = cls(found.header, Records(found.loaded, found.journal), path=None, cwd=cwd, read_only=False)
        manager.damage, manager.notices = found.damage, found.notices
        return manager

    @classmethod
    def adopt(cls, path: Path, directory: Path) -> "SessionManager":
        """Copy a session of pi or OpenClaw into `directory` and open the copy; the original stays as it is."""
        return cls.open(copies.adopt(path, directory))

    def fork(self, directory: Path, *, leaf: str | None = None) -> "SessionManager":
        """A new session that begins with the branch up to `leaf` (the current leaf by default)."""
        end = self._leaf if leaf is None else self._known(leaf)
        parent = str(self.path) if self.path is not None and self._header_written else None
        if end == NO_PARENT:
            return SessionManager.create(directory, cwd=self.cwd, parent_session=parent)
        header = copies.new_header(copies.new_session_id(), str(self.cwd), parent)
        return SessionManager.open(copies.write_fork(self._records, end, header, directory))

    def sync(self) -> None:
        """Write what waits and make all of it survive a power cut."""
        self.flush()
        if self._records.journal is not None and not self.read_only:
            self._records.journal.sync()

    def close(self) -> None:
        """Try once more to write what waits, then give file and lease back. Closing twice is fine."""
        try:
            self.flush()
        finally:
            if self._records.journal is not None:
                self._records.journal.close()
                if not self._header_written and self.path is not None:
                    self.path.unlink(missing_ok=True)
            if self.lease is not None:
                self.lease.release()
                self.lease = None
            self.read_only = True

    def rescue(self, directory: Path) -> Path:
        """Write the branch, with all that waits, as a session of its own elsewhere. Raises SessionWriteFailed."""
        header = copies.new_header(copies.new_session_id(), str(self.cwd), None)
        end = self._pending[-1].ordinal if self._leaf == NO_PARENT and self._pending else self._leaf
        return copies.write_fork(self._records, end, header, directory)

    def heartbeat(self) -> None:
        if self.lease is not None:
            self.lease.heartbeat()

    # ── reading ───────────────────────────────────────────────────────────────────────────────────────────────────
    @property
    def is_foreign(self) -> bool:
        return not self.header.ours

    @property
    def pending(self) -> tuple[Entry, ...]:
        """Entries that are in the talk but not on disk, since writing failed."""
        return tuple(waiting.entry for waiting in self._pending)

    @property
    def leaf_id(self) -> str | None:
        return None if self._leaf == NO_PARENT else self._records.loaded.tree.ids[self._leaf]

    @property
    def name(self) -> str | None:
        """The title given by the user, the last one in the file."""
        entry = self._records.last_of("session_info")
        return entry.name.strip() or None if isinstance(entry, SessionInfoEntry) else None

    @property
    def records(self) -> Records:
        """The index behind `entries`, for layer 4 (truncation) and search."""
        return self._records

    def entries(self) -> Sequence[Entry]:
        """All entries in file order; bodies are decoded when they are looked at."""
        return self._records

    def entry(self, entry_id: str) -> Entry | None:
        ordinal = self._records.loaded.tree.position(entry_id)
        return None if ordinal is None else self._records.at(ordinal)

    def branch(self, leaf: str | None = None) -> list[Entry]:
        """All entries from the root down to `leaf`, the current leaf by default."""
        end = self._leaf if leaf is None else self._known(leaf)
        return [self._records.at(ordinal) for ordinal in self._records.loaded.tree.path(end)]

    def leaves(self) -> list[str]:
        """Ends of all branches, in file order."""
        tree = self._records.loaded.tree
        return [tree.ids[ordinal] for ordinal in tree.leaves()]

    def labels(self) -> dict[str, str]:
        """Label of every entry that has one."""
        kinds, found = self._records.loaded.tree.kinds, dict[str, str]()
        for ordinal in range(len(kinds)):
            entry = self._records.at(ordinal) if kinds[ordinal] == "label" else None
            if isinstance(entry, LabelEntry):
                found.pop(entry.target_id, None)
                found |= {entry.target_id: entry.label} if entry.label else {}
        return found

    def project(self) -> Projection:
        """What a model sees of the current branch. Cached; grows with the branch."""
        return self._records.project(self._leaf)

    # ── appending ─────────────────────────────────────────────────────────────────────────────────────────────────
    def append_message(self, message: Message) -> MessageEntry:
        """Append below the current leaf. The message in the entry carries its id, and the time where it had none."""
        entry_id, parent_id, timestamp = self._next()
        stamped = replace(message, entry_id=entry_id, timestamp=message.timestamp or milliseconds(timestamp))
        return self._append(MessageEntry(entry_id, parent_id, timestamp, stamped))

    def append_compaction(
        self,
        *,
        summary: str,
        first_kept_entry_id: str,
        tokens_before: int,
        details: Mapping[str, Any] | None = None,
        durable: bool = True,
    ) -> CompactionEntry:
        """Let a summary stand for all before `first_kept_entry_id`, which must lie on the current branch."""
        self._known(first_kept_entry_id)
        entry = self._append(CompactionEntry(*self._next(), summary, first_kept_entry_id, tokens_before, details))
        if durable:
            self.sync()
        return entry

    def append_branch_summary(
        self, *, from_id: str | None, summary: str, details: Mapping[str, Any] | None = None
    ) -> BranchSummaryEntry:
        """Tell at the current leaf what happened on the branch that was left at `from_id`."""
        return self._append(BranchSummaryEntry(*self._next(), from_id or "root", summary, details))

    def append_model_change(self, provider: str, model_id: str) -> ModelChangeEntry:
        return self._append(ModelChangeEntry(*self._next(), provider, model_id))

    def append_thinking_level_change(self, level: str) -> ThinkingLevelChangeEntry:
        return self._append(ThinkingLevelChangeEntry(*self._next(), level))

    def append_label(self, target_id: str, label: str | None) -> LabelEntry:
        """Name an entry, or take its name away with None."""
        self._known(target_id)
        return self._append(LabelEntry(*self._next(), target_id, label or None))

    def append_session_info(self, name: str) -> SessionInfoEntry:
        return self._append(SessionInfoEntry(*self._next(), " ".join(name.split())))

    def append_custom(self, custom_type: str, data: Any = None) -> CustomEntry:
        """State of a part of the program; never sent to a model."""
        return self._append(CustomEntry(*self._next(), custom_type, data))

    def append_custom_message(
        self,
        custom_type: str,
        content: tuple[UserContent, ...],
        display: bool = True,
        details: Mapping[str, Any] | None = None,
    ) -> CustomMessageEntry:
        """Text of a part of the program for the model; `display` False hides it from the user."""
        return self._append(CustomMessageEntry(*self._next(), custom_type, content, display, details))

    def branch_to(self, entry_id: str | None) -> None:
        """Go on from an earlier entry (None: before the first). Nothing is written; the next append makes the fork."""
        self._leaf = NO_PARENT if entry_id is None else self._known(entry_id)

    def flush(self) -> None:
        """Write what waits, in order. Raises SessionWriteFailed; what is written by then waits no more."""
        if self._pending and self.lease is not None and self.lease.is_lost():
            raise SessionWriteFailed(
                "Another process has taken this session over, so nothing more is written here; what is new waits in "
                "memory and is saved as a copy of the session when you leave."
            )
        while self._pending and self.path is not None:
            waiting = self._pending[0]
            journal = self._journal(self.path)
            before = b"" if self._header_written else encode_header(self.header) + b"\n"
            start = journal.append(before + waiting.line, self._on_growth) + len(before)
            self._header_written = True
            self._records.written(waiting.ordinal, start)
            del self._pending[0]

    def rewrite(self, lines: Iterable[bytes]) -> None:
        """Replace the file's entries, whole or not at all: for truncation and its undoing. The leaf stays."""
        if self.path is None or self._records.journal is None or self.read_only:
            raise SessionError(f"Session {self.session_id} has no file that could be rewritten from here.")
        leaf = self.leaf_id
        journal, loaded = opening.replace_file(self.path, self.header, lines)
        self._records.journal.close()
        self._records = Records(loaded, journal)
        self._leaf = NO_PARENT if leaf is None else self._known(leaf)

    def _next(self) -> tuple[str, str | None, str]:
        if self.read_only:
            raise SessionError(f"Session {self.session_id} is open for reading only; fork it to go on.")
        return new_entry_id(self._records.loaded.tree), self.leaf_id, copies.now()

    def _append(self, entry: _E) -> _E:
        line, changed = encode_entry(entry)
        if changed:
            stored = decode_entry(line, entry_id=entry.id, parent_id=entry.parent_id)
            entry = stored if isinstance(stored, type(entry)) else entry
        self._leaf = self._records.add(entry, line)
        if self.path is not None:
            self._pending.append(Pending(self._leaf, line, entry))
        self.flush()
        return entry

    def _journal(self, path: Path) -> Journal:
        """The open file; made, with its lease, when the first entry comes."""
        journal = self._records.journal
        if journal is None:
            make_private_dir(path.parent)
            if (loose := tighten(path.parent, PRIVATE_DIR_MODE)) is not None:
                self.notices.append(loose)
            self.lease = self.lease or acquire(path)
            journal = self._records.journal = Journal.create(path)
        return journal

    def _on_growth(self) -> None:
        journal, loaded = self._records.journal, self._records.loaded
        if journal is None:
            return
        with journal.reader() as handle:
            loaded.size = journal.size
            absorb(loaded, handle)
        journal.size, journal.needs_line_end = loaded.size, not loaded.ends_whole

    def _known(self, entry_id: str) -> int:
        ordinal = self._records.loaded.tree.position(entry_id)
        if ordinal is None:
            raise SessionError(f"There is no entry {entry_id} in session {self.session_id}.")
        return ordinal
