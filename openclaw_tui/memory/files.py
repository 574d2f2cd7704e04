"""Reading notes safely and adding to them. Nothing here can overwrite or shorten a note.

Reads follow no link out of the notes and stop at a size; an append is one write under a lock, with what is needed to
take exactly it back. Taking back removes those bytes and no others: what was changed since stays.
"""

import fcntl
import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import msgspec

from openclaw_tui.atomic_write import PRIVATE_FILE_MODE, atomic_write_bytes, make_private_dir
from openclaw_tui.constants import MEMORY_MAX_FILE_BYTES, NEW_FILE_MODE
from openclaw_tui.errors import MemoryFailed
from openclaw_tui.memory.places import LONG_TERM, MemoryPlaces


class NoteFile(msgspec.Struct, frozen=True):
    """One file of notes. `problem` says why it cannot be used, in the user's words."""

    path: str
    shown: str
    size: int = 0
    mtime_ns: int = 0
    ctime_ns: int = 0
    problem: str = ""


class Written(msgspec.Struct, frozen=True):
    """What an append put into a file, enough to take it back: `offset` in bytes, the digest of what was added."""

    path: Path
    text: str
    offset: int
    size: int
    digest: str
    created: bool = False


def note_files(places: MemoryPlaces) -> list[NoteFile]:
    """All files of notes: MEMORY.md, memory/ and the extra places, sorted; those that cannot be used say why."""
    found: dict[str, NoteFile] = {}
    for base, path, linked in _candidates(places):
        found.setdefault(path, _look(path, base, places, linked=linked))
    return sorted(found.values(), key=lambda file: (file.shown != LONG_TERM, file.shown))


def read_note(file: NoteFile) -> str:
    """The text of a file. Raises MemoryFailed when it cannot be read as text."""
    try:
        data = Path(file.path).read_bytes()
    except OSError as error:
        raise MemoryFailed(f"{file.shown} cannot be read: {error.strerror}") from error
    if b"\x00" in data[:MEMORY_MAX_FILE_BYTES]:
        raise MemoryFailed(f"{file.shown} is no text; it is left out")
    return data.decode("utf-8-sig", "replace").replace("\r\n", "\n")


def find_note(places: MemoryPlaces, name: str) -> NoteFile:
    """The file a model or a person names. Raises MemoryFailed for anything that is no file of notes."""
    wanted = os.path.expanduser(name.strip())
    path = Path(os.path.normpath(places.root / wanted))
    for base in (places.root, *places.extra):
        inside = path == places.long_term or path.is_relative_to(places.daily_folder)
        inside = inside if base == places.root else path == base or path.is_relative_to(base)
        if inside and path.suffix == ".md":
            return _look(str(path), base, places)
    raise MemoryFailed(f"{name[:200]!r} is no note: only {LONG_TERM}, memory/*.md and the extra paths can be read here")


def append_note(places: MemoryPlaces, path: Path, text: str) -> Written:
    """Add text at the end of MEMORY.md or of a daily file. Raises MemoryFailed; then nothing was changed."""
    if path != places.long_term and path.parent != places.daily_folder:
        raise MemoryFailed(f"{path.name} is no file for notes")
    body = f"{text.strip()}\n"
    try:
        _make_folder(places, path.parent)
        if not _inside(path, places.root):
            raise MemoryFailed(f"{places.shown(path)} is a link that leads out of the notes; nothing is written")
        created = not path.exists()
        mode = NEW_FILE_MODE if places.in_project else PRIVATE_FILE_MODE
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, mode)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            return _append(descriptor, path, body, created=created)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise MemoryFailed(f"{places.shown(path)} cannot be written: {error.strerror}") from error


def take_back(written: Written) -> str:
    """Remove what an append added; a line that says what came of it. Raises MemoryFailed where it cannot be removed."""
    try:
        with written.path.open("r+b") as handle:
            fcntl.flock(handle, fcntl.LOCK_EX)
            data = handle.read()
            at = _where(data, written)
            if at is None:
                raise MemoryFailed(f"{written.path.name} was changed there since; take the lines out by hand")
            rest = data[:at] + data[at + written.size :]
            if written.created and not rest.strip():
                written.path.unlink()
                return f"{written.path.name} is gone again"
            atomic_write_bytes(written.path, rest)
    except OSError as error:
        raise MemoryFailed(f"{written.path.name} cannot be changed: {error.strerror}") from error
    return f"{written.size} bytes taken out of {written.path.name}"


def _append(descriptor: int, path: Path, body: str, *, created: bool) -> Written:
    size = os.fstat(descriptor).st_size
    before = b"" if size == 0 or os.pread(descriptor, 1, size - 1) == b"\n" else b"\n"
    data = before + body.encode("utf-8")
    if os.write(descriptor, data) != len(data):
        os.ftruncate(descriptor, size)
        raise OSError(28, "the disk is full")
    os.fsync(descriptor)
    return Written(path, body, size, len(data), hashlib.sha256(data).hexdigest(), created)


def _where(data: bytes, written: Written) -> int | None:
    """Where the added bytes stand now: at their place, else wherever they stand once and whole."""
    at = written.offset
    if hashlib.sha256(data[at : at + written.size]).hexdigest() == written.digest:
        return at
    body = written.text.encode("utf-8")
    if len(body) == written.size and data.count(body) == 1:
        return data.index(body)
    return None


def _candidates(places: MemoryPlaces) -> Iterator[tuple[Path, str, bool]]:
    """Base, path, and whether the path or a folder above it is a link and must be looked at more closely."""
    yield places.root, str(places.long_term), places.long_term.is_symlink()
    for base, folder in ((places.root, places.daily_folder), *((extra, extra) for extra in places.extra)):
        if folder.suffix == ".md":
            yield base, str(folder), folder.is_symlink()
        else:
            yield from ((base, path, linked) for path, linked in _walk(str(folder), folder.is_symlink()))


def _walk(folder: str, linked: bool) -> Iterator[tuple[str, bool]]:
    """Markdown files of a folder and those in it; linked folders are not entered."""
    try:
        with os.scandir(folder) as entries:
            found = list(entries)
    except OSError:
        return
    for entry in found:
        if entry.name.endswith(".md"):
            yield entry.path, linked or entry.is_symlink()
        elif entry.is_dir(follow_symlinks=False):
            yield from _walk(entry.path, linked)


def _look(path: str, base: Path, places: MemoryPlaces, *, linked: bool = True) -> NoteFile:
    prefix = f"{places.root}/"
    shown = path[len(prefix) :] if path.startswith(prefix) else path
    if linked and not _inside(path, base):
        return NoteFile(path, shown, problem="is a link that leads out of the notes")
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return NoteFile(path, shown, problem="does not exist")
    except OSError as error:
        return NoteFile(path, shown, problem=f"cannot be read ({error.strerror})")
    if not stat.S_ISREG(status.st_mode):
        return NoteFile(path, shown, problem="is no regular file")
    if status.st_size > MEMORY_MAX_FILE_BYTES:
        return NoteFile(path, shown, problem=f"has {status.st_size:,} bytes; {MEMORY_MAX_FILE_BYTES:,} are the most")
    return NoteFile(path, shown, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def _inside(path: Path | str, base: Path) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(base))


def _make_folder(places: MemoryPlaces, folder: Path) -> None:
    if places.in_project:
        folder.mkdir(parents=True, exist_ok=True)
    else:
        make_private_dir(folder)
