"""How alike texts are by meaning: vectors of an embedding model, remembered by content and model in a SQLite file.

Optional: the model may be missing, down or wrong at any time. Then there are no scores and one line that says why,
once; it is left alone for a while, and words do the work. What is kept can always be lost.
"""

import contextlib
import hashlib
import itertools
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import TypeAlias, TypeVar

import msgspec

from openclaw_tui.atomic_write import PRIVATE_FILE_MODE, make_private_dir
from openclaw_tui.constants import (
    EMBEDDING_BATCH,
    EMBEDDING_LOOKUP_ROWS,
    EMBEDDING_MAX_NEW,
    EMBEDDING_PAUSE_SECONDS,
    EMBEDDINGS_KEPT,
    MEMORY_BUSY_SECONDS,
)
from openclaw_tui.errors import MemoryFailed, OpenClawError
from openclaw_tui.providers.embeddings import EXTRA, Embedder

Row: TypeAlias = tuple[str, bytes]
Item = TypeVar("Item")
_SCHEMA = (
    "create table if not exists vectors"
    " (number integer primary key, model text, digest text, vector blob, unique (model, digest))"
)


class Likeness(msgspec.Struct, frozen=True):
    """One score (0 to 1) for each text, None for one that has no vector yet; no scores where there is no model.

    `problem` is told once, until it is another one.
    """

    scores: tuple[float | None, ...] | None = None
    problem: str = ""


class Vectors:
    """`make` brings the model on first use; `path` None keeps the vectors in memory. Blocking, one thread at a time."""

    def __init__(
        self, make: Callable[[], Embedder], path: Path | None, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._make = make
        self._path = path
        self._clock = clock
        self._embedder: Embedder | None = None
        self._base: sqlite3.Connection | None = None
        self._known: dict[str, bytes] = {}
        self._rest_until = 0.0
        self._told = ""

    def likeness(self, query: str, texts: Sequence[str]) -> Likeness:
        """How much like the query each text is."""
        if self._clock() < self._rest_until:
            return Likeness()
        try:
            return self._compare(query, texts)
        except OpenClawError as error:
            self._rest_until = self._clock() + EMBEDDING_PAUSE_SECONDS
            return Likeness(problem=self._once(f"searched by words only: {error}"))

    def close(self) -> None:
        if self._embedder is not None:
            self._embedder.close()
        if self._base is not None:
            self._base.close()
        self._embedder = self._base = None

    def _compare(self, query: str, texts: Sequence[str]) -> Likeness:
        embedder = self._embedder = self._embedder or self._make()
        (asked,) = _units(embedder.embed([query]))
        digests = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for text in texts]
        self._recall(embedder.id, set(digests) - self._known.keys())
        missing = {
            d: text for d, text in zip(digests, texts, strict=True) if len(self._known.get(d, b"")) != len(asked)
        }
        for batch in _batches(itertools.islice(missing.items(), EMBEDDING_MAX_NEW), EMBEDDING_BATCH):
            made = _units(embedder.embed([text for _, text in batch]))
            self._keep(embedder.id, {digest: vector for (digest, _), vector in zip(batch, made, strict=True)})
        later = len(missing) - EMBEDDING_MAX_NEW
        problem = (
            self._once(f"{later:,} texts wait for their vectors; the next searches bring them") if later > 0 else ""
        )
        return Likeness(tuple(_scores(asked, [self._known.get(digest, b"") for digest in digests])), problem)

    def _once(self, problem: str) -> str:
        if problem == self._told:
            return ""
        self._told = problem
        return problem

    # ── what is remembered ────────────────────────────────────────────────────────────────────────────────────────
    def _recall(self, model: str, digests: Iterable[str]) -> None:
        wanted = list(digests)
        self._known.update(self._safely(lambda base: _fetch(base, model, wanted)))

    def _keep(self, model: str, made: dict[str, bytes]) -> None:
        self._known |= made
        rows = [(model, digest, vector) for digest, vector in made.items()]
        self._safely(lambda base: _store(base, rows))

    def _safely(self, work: Callable[[sqlite3.Connection], list[Row]]) -> list[Row]:
        """The file, or memory where it cannot be used: a damaged one is thrown away, vectors can be made again."""
        try:
            return work(self._connection())
        except sqlite3.Error as error:
            if self._base is not None:
                self._base.close()
            if self._path is not None and not isinstance(error, sqlite3.OperationalError):
                for suffix in ("", "-wal", "-shm"):
                    with contextlib.suppress(OSError):
                        self._path.with_name(self._path.name + suffix).unlink()
            self._base, self._path = None, None
            return []

    def _connection(self) -> sqlite3.Connection:
        if self._base is None:
            self._base = self._connect()
            self._base.execute(_SCHEMA)
        return self._base

    def _connect(self) -> sqlite3.Connection:
        if self._path is not None:
            with contextlib.suppress(OSError, sqlite3.OperationalError):
                make_private_dir(self._path.parent)
                base = sqlite3.connect(self._path, timeout=MEMORY_BUSY_SECONDS, check_same_thread=False)
                self._path.chmod(PRIVATE_FILE_MODE)
                base.execute("pragma journal_mode = wal")
                base.execute("pragma synchronous = normal")
                return base
        return sqlite3.connect(":memory:", check_same_thread=False)


def _fetch(base: sqlite3.Connection, model: str, digests: list[str]) -> list[Row]:
    found: list[Row] = []
    for some in _batches(digests, EMBEDDING_LOOKUP_ROWS):
        marks = ", ".join("?" * len(some))
        query = f"select digest, vector from vectors where model = ? and digest in ({marks})"
        found += base.execute(query, (model, *some)).fetchall()
    return found


def _store(base: sqlite3.Connection, rows: list[tuple[str, str, bytes]]) -> list[Row]:
    with base:
        base.executemany("insert or replace into vectors (model, digest, vector) values (?, ?, ?)", rows)
        base.execute("delete from vectors where number <= (select max(number) from vectors) - ?", (EMBEDDINGS_KEPT,))
    return []


def _batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    left = iter(items)
    while some := list(itertools.islice(left, size)):
        yield some


def _units(vectors: Sequence[Sequence[float]]) -> list[bytes]:
    """Vectors of length one as bytes; what is no vector becomes one that is like nothing."""
    numpy = _numpy()
    made = numpy.nan_to_num(numpy.asarray(vectors, dtype="<f4"), posinf=0.0, neginf=0.0)
    lengths = numpy.linalg.norm(made, axis=1, keepdims=True)
    return [row.tobytes() for row in made / numpy.where(lengths == 0, 1, lengths)]


def _scores(asked: bytes, vectors: Sequence[bytes]) -> Iterator[float | None]:
    numpy = _numpy()
    size = len(asked)
    usable = [vector for vector in vectors if len(vector) == size]
    matrix = numpy.frombuffer(b"".join(usable), dtype="<f4").reshape(len(usable), size // 4)
    found = iter((matrix @ numpy.frombuffer(asked, dtype="<f4")).clip(0, 1).tolist())
    for vector in vectors:
        yield next(found) if len(vector) == size else None


def _numpy() -> ModuleType:
    try:
        import numpy
    except ImportError as error:
        raise MemoryFailed(f"vectors need the embeddings extra: {EXTRA}") from error
    return numpy
