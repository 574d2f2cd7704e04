"""Opening a session file: lease, index, and the mending of damage.

The order matters: the lease first, so that nobody writes while a file is mended; the original is given a second name
before the mended file takes its place; only then is the file indexed for use.
"""

import errno
import itertools
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from msgspec.structs import replace

from openclaw_tui.atomic_write import PRIVATE_FILE_MODE
from openclaw_tui.constants import SESSION_FORMAT_VERSION, SESSION_PEEK_BYTES
from openclaw_tui.errors import SessionCorrupt, SessionWriteFailed
from openclaw_tui.session.codec import decode_header, decode_record, encode_header, is_header
from openclaw_tui.session.copies import new_session_id, now
from openclaw_tui.session.damage import DamageReport, backup_path, without_mark
from openclaw_tui.session.entries import Header
from openclaw_tui.session.journal import Journal, keep_original, tighten, write_lines
from openclaw_tui.session.loading import Loaded, lines_of, load
from openclaw_tui.session.lock import Lease, acquire, lease_path

_ID_AT_END = re.compile(r"[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$")


@dataclass(slots=True)
class Opened:
    header: Header
    loaded: Loaded
    journal: Journal
    read_only: bool
    damage: DamageReport | None = None
    lease: Lease | None = None
    notices: list[str] = field(default_factory=list)


def open_session(path: Path, *, read_only: bool, take_over: bool = False) -> Opened:
    """Index the file, mended where it is ours to mend. Raises what `SessionManager.open` names.

    On a disk that cannot be written it is opened for reading; on a full one without a lease, so that the talk can go on
    in memory.
    """
    if read_only or is_foreign_file(path):
        return _for_reading(*_read(path, read_only=True))
    try:
        lease = acquire(path, take_over=take_over)
    except SessionWriteFailed as error:
        return _without_lease(path, error)
    try:
        return _for_writing(path, lease)
    except BaseException:
        lease.release()
        raise


def _without_lease(path: Path, error: SessionWriteFailed) -> Opened:
    cause = error.__cause__
    number = cause.errno if isinstance(cause, OSError) else None
    if number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        notice = "The disk is full: the session is open without its lock, and what is new waits in memory."
        return _for_writing(path, Lease(lease_path(path), notice))
    if number not in (errno.EROFS, errno.EACCES, errno.EPERM):
        raise error
    found = _for_reading(*_read(path, read_only=True))
    found.notices.append("The session's folder cannot be written: it is open for reading only; fork it to go on.")
    return found


def is_foreign_file(path: Path) -> bool:
    """Whether the first line is the header of a session that another program made. Raises SessionNotFound."""
    journal = Journal.open(path, read_only=True)
    try:
        with journal.reader() as handle:
            record = decode_record(without_mark(handle.readline(SESSION_PEEK_BYTES)))
        return is_header(record) and not decode_header(record).ours
    except ValueError:
        return False
    finally:
        journal.close()


def _for_reading(journal: Journal, loaded: Loaded) -> Opened:
    header = loaded.header or _built_header(journal, loaded)
    found = Opened(header, loaded, journal, read_only=True)
    if loaded.damage.found:
        found.damage = replace(loaded.damage, left_as_it_is=True)
        found.notices.append(found.damage.text)
    return _with_version_notice(found)


def _for_writing(path: Path, lease: Lease) -> Opened:
    notices = [lease.notice] if lease.notice else []
    loose = tighten(path, PRIVATE_FILE_MODE)
    notices += [loose] if loose else []
    journal, loaded = _read(path, read_only=False)
    damage = loaded.damage if loaded.damage.found else None
    header = loaded.header or _built_header(journal, loaded)
    if damage is not None and damage.needs_repair:
        try:
            damage = replace(damage, backup=_mend(path, header, loaded, journal))
        except OSError as error:
            journal.close()
            raise SessionWriteFailed(
                f"{damage.text[:-1]}; it could not be mended ({os.strerror(error.errno or 0)}). "
                "Make room, or open it read-only."
            ) from error
        journal.close()
        journal, loaded = _read(path, read_only=False)
    if damage is not None:
        notices.append(damage.text)
    return _with_version_notice(Opened(header, loaded, journal, False, damage, lease, notices))


def _with_version_notice(found: Opened) -> Opened:
    if found.header.version > SESSION_FORMAT_VERSION:
        found.notices.append(
            f"The session was written by a newer program (format {found.header.version}); what is unknown is kept."
        )
    return found


def _read(path: Path, *, read_only: bool) -> tuple[Journal, Loaded]:
    journal = Journal.open(path, read_only=read_only)
    with journal.reader() as handle:
        loaded = load(handle)
    if loaded.header is None and not len(loaded.tree):
        journal.close()
        raise SessionCorrupt(f"Nothing in {path} can be read as a session; the file was left as it is.")
    journal.size, journal.needs_line_end = loaded.size, not loaded.ends_whole
    return journal, loaded


def _built_header(journal: Journal, loaded: Loaded) -> Header:
    """A header for a file that lost its own: the id from the file's name, the time from the first entry."""
    match = _ID_AT_END.search(journal.path.stem)
    first = decode_record(loaded.line(0, journal.descriptor)).get("timestamp")
    stamp = first if isinstance(first, str) else now()
    return Header(match.group() if match else new_session_id(), stamp, "", SESSION_FORMAT_VERSION)


def replace_file(path: Path, header: Header, lines: Iterable[bytes]) -> tuple[Journal, Loaded]:
    """Replace a session's file at once and index the new one. Raises SessionWriteFailed; then the old one stays."""
    try:
        write_lines(path, itertools.chain([encode_header(header)], lines))
    except OSError as error:
        raise SessionWriteFailed(f"{path.name} could not be rewritten and stays as it was: {error}.") from error
    return _read(path, read_only=False)


def _mend(path: Path, header: Header, loaded: Loaded, journal: Journal) -> Path:
    backup = backup_path(path)
    keep_original(path, backup)
    write_lines(path, itertools.chain([encode_header(header)], lines_of(loaded, journal.descriptor)))
    return backup
