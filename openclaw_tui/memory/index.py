"""The search index of notes: SQLite with a word index and, beside it, a trigram index over the same pieces.

Words rank by BM25; trigrams find what has no blanks between words (Chinese, Japanese) and parts of identifiers. Before
each search changed files are indexed again, by content. A damaged index, or one of another version, is built anew:
the notes are the truth, the index can always be lost.
"""

import contextlib
import hashlib
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

import msgspec

from openclaw_tui.atomic_write import PRIVATE_FILE_MODE, make_private_dir
from openclaw_tui.constants import FILE_CLOCK_SECONDS, MEMORY_BUSY_SECONDS, MEMORY_INDEX_VERSION
from openclaw_tui.errors import MemoryFailed
from openclaw_tui.memory.chunks import chunks_of
from openclaw_tui.memory.files import NoteFile, read_note

Result = TypeVar("Result")
_SCHEMA = """
create table meta (key text primary key, value text);
create table files (path text primary key, size int, mtime int, ctime int, digest text, unsure int);
create table chunks (id integer primary key, path text, start int, end int, text text);
create index chunks_by_path on chunks (path);
create virtual table words using fts5(text, content='chunks', content_rowid='id', tokenize='unicode61');
create virtual table grams using fts5(text, content='chunks', content_rowid='id', tokenize='trigram');
insert into words (words, rank) values ('hashsize', 16000000);
insert into grams (grams, rank) values ('hashsize', 16000000);
create trigger chunk_added after insert on chunks begin
  insert into words (rowid, text) values (new.id, new.text);
  insert into grams (rowid, text) values (new.id, new.text);
end;
create trigger chunk_gone after delete on chunks begin
  insert into words (words, rowid, text) values ('delete', old.id, old.text);
  insert into grams (grams, rowid, text) values ('delete', old.id, old.text);
end;
"""
FIND = {
    "words": "select c.path, c.start, c.end, c.text, w.rank from words w join chunks c on c.id = w.rowid"
    " where words match ? order by w.rank limit ?",
    "grams": "select c.path, c.start, c.end, c.text, g.rank from grams g join chunks c on c.id = g.rowid"
    " where grams match ? order by g.rank limit ?",
}
_ALL = "select path, start, end, text, 0.0 from chunks order by path, start, id"
_SCAN = "select path, start, end, text, -({0}) as held from chunks where held < 0 order by held, path limit ?"


class Piece(msgspec.Struct, frozen=True):
    """A found piece; `rank` is SQLite's, the lower the better."""

    path: str
    start: int
    end: int
    text: str
    rank: float


class ChunkSize(msgspec.Struct, frozen=True):
    """Tokens of a piece and of what two pieces share."""

    tokens: int
    overlap: int

    def __str__(self) -> str:
        return f"{self.tokens}/{self.overlap}"


class MemoryIndex:
    """`path` None keeps the index in memory. Not to be used by two threads at once."""

    def __init__(self, path: Path | None, size: ChunkSize) -> None:
        self._path = path
        self._size = size
        self._open: sqlite3.Connection | None = None

    def refresh(self, files: Iterable[NoteFile]) -> list[str]:
        """Bring the index up to date with the files; lines about those that could not be read. Raises MemoryFailed."""
        return self._safely(lambda base: _refresh(base, list(files), self._size))

    def find(self, which: str, query: str, limit: int) -> list[Piece]:
        """Pieces for a query of FTS5 in one of the two indexes, best first."""
        return self._safely(lambda base: [Piece(*row) for row in base.execute(FIND[which], (query, limit))])

    def scan(self, texts: list[str], limit: int) -> list[Piece]:
        """Pieces that hold the texts, those with most of them first; for texts too short for an index."""
        held = " + ".join("(instr(lower(text), ?) > 0)" for _ in texts)
        return self._safely(lambda base: [Piece(*row) for row in base.execute(_SCAN.format(held), (*texts, limit))])

    def all_pieces(self) -> list[Piece]:
        """Every piece, in the order of the files; for a search by meaning."""
        return self._safely(lambda base: [Piece(*row) for row in base.execute(_ALL)])

    def close(self) -> None:
        if self._open is not None:
            self._open.close()
            self._open = None

    def _safely(self, work: Callable[[sqlite3.Connection], Result]) -> Result:
        """Do something with the index; one that turns out to be damaged is thrown away and built anew, once."""
        try:
            return work(self._connection())
        except sqlite3.OperationalError as error:
            if not _is_damage(error):
                raise MemoryFailed(f"the notes cannot be searched: {error}") from error
        except sqlite3.DatabaseError:
            pass
        self._throw_away()
        try:
            return work(self._connection())
        except sqlite3.Error as error:
            raise MemoryFailed(f"the notes cannot be searched: {error}") from error

    def _connection(self) -> sqlite3.Connection:
        if self._open is None:
            self._open = self._connect()
            if _version(self._open) != self._wanted:
                self._throw_away()
                self._open = self._connect()
                if _version(self._open) != self._wanted:
                    _make(self._open, self._wanted)
        return self._open

    @property
    def _wanted(self) -> str:
        return f"{MEMORY_INDEX_VERSION} {self._size}"

    def _connect(self) -> sqlite3.Connection:
        """The file, or memory where it cannot be opened or written: a search must not fail for want of a place."""
        if self._path is not None:
            with contextlib.suppress(OSError, sqlite3.OperationalError):
                make_private_dir(self._path.parent)
                base = sqlite3.connect(self._path, timeout=MEMORY_BUSY_SECONDS, check_same_thread=False)
                self._path.chmod(PRIVATE_FILE_MODE)
                base.execute("pragma journal_mode = wal")
                base.execute("pragma synchronous = normal")
                base.execute("pragma cache_size = -32000")
                return base
        return sqlite3.connect(":memory:", check_same_thread=False)

    def _throw_away(self) -> None:
        self.close()
        if self._path is not None:
            for suffix in ("", "-wal", "-shm"):
                with contextlib.suppress(OSError):
                    self._path.with_name(self._path.name + suffix).unlink()


def _version(base: sqlite3.Connection) -> str:
    try:
        row = base.execute("select value from meta where key = 'version'").fetchone()
    except sqlite3.OperationalError:
        return ""
    return str(row[0]) if row else ""


def _make(base: sqlite3.Connection, version: str) -> None:
    base.executescript(f"begin;{_SCHEMA}commit;")
    base.execute("insert into meta values ('version', ?)", (version,))
    base.commit()


def _is_damage(error: sqlite3.OperationalError) -> bool:
    """Whether an error speaks of the file and not of the query or a lock."""
    text = str(error)
    return any(sign in text for sign in ("malformed", "no such table", "no such column", "disk I/O", "corrupt"))


def _refresh(base: sqlite3.Connection, files: list[NoteFile], size: ChunkSize) -> list[str]:
    known = {row[0]: row[1:] for row in base.execute("select path, size, mtime, ctime, digest, unsure from files")}
    problems = [f"{file.shown} {file.problem}; it is not searched" for file in files if _is_told(file)]
    usable = {file.shown: file for file in files if not file.problem}
    with _written(base):
        for path in known.keys() - usable.keys():
            _forget(base, path)
        for file in usable.values():
            row = known.get(file.shown)
            if row is None or row[4] or row[:3] != (file.size, file.mtime_ns, file.ctime_ns):
                problems += _index_file(base, file, row[3] if row else "", size)
    return problems


def _is_told(file: NoteFile) -> bool:
    return bool(file.problem) and file.problem != "does not exist"


def _index_file(base: sqlite3.Connection, file: NoteFile, digest_before: str, size: ChunkSize) -> list[str]:
    """Index one file whose times differ, if its content does."""
    try:
        text = read_note(file)
    except MemoryFailed as error:
        _forget(base, file.shown)
        return [str(error)]
    digest = hashlib.sha256(text.encode("utf-8")).hexdigest()
    if digest != digest_before:
        _forget(base, file.shown)
        rows = [(file.shown, c.start, c.end, c.text) for c in chunks_of(text, tokens=size.tokens, overlap=size.overlap)]
        base.executemany("insert into chunks (path, start, end, text) values (?, ?, ?, ?)", rows)
    unsure = file.mtime_ns > time.time_ns() - FILE_CLOCK_SECONDS * 1_000_000_000
    base.execute(
        "insert or replace into files values (?, ?, ?, ?, ?, ?)",
        (file.shown, file.size, file.mtime_ns, file.ctime_ns, digest, unsure),
    )
    return []


def _forget(base: sqlite3.Connection, path: str) -> None:
    base.execute("delete from chunks where path = ?", (path,))
    base.execute("delete from files where path = ?", (path,))


@contextlib.contextmanager
def _written(base: sqlite3.Connection) -> Iterator[None]:
    """A transaction that takes the write lock only when something is written."""
    try:
        yield
    except BaseException:
        base.rollback()
        raise
    base.commit()
