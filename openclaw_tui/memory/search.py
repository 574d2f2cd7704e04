"""Searching the notes: what a query means, how hits are scored, and what is shown of them.

The score of words is half the share of the query's words a piece holds and half its BM25 rank. With embeddings it is
mixed with the likeness of meaning, 0.3 to 0.7. No hit of words is dropped for a low score, since words that match are
better than silence; one of meaning alone needs the least score. Problems with files or the embeddings are part of the
answer, so that an empty list never hides one.
"""

import re
from collections.abc import Iterable
from datetime import date
from typing import TypeAlias

import msgspec

from openclaw_tui.constants import (
    MEMORY_CANDIDATES_FACTOR,
    MEMORY_CHUNK_OVERLAP_TOKENS,
    MEMORY_CHUNK_TOKENS,
    MEMORY_COVERAGE_WEIGHT,
    MEMORY_GET_MAX_CHARS,
    MEMORY_MAX_CANDIDATES,
    MEMORY_MAX_RESULTS,
    MEMORY_MAX_SCANNED_PARTS,
    MEMORY_MIN_SCORE,
    MEMORY_SNIPPET_CHARS,
    MEMORY_TEXT_WEIGHT,
    MEMORY_VECTOR_WEIGHT,
    TRIGRAM_CHARS,
)
from openclaw_tui.errors import MemoryFailed
from openclaw_tui.memory.files import find_note, note_files, read_note
from openclaw_tui.memory.index import ChunkSize, MemoryIndex, Piece
from openclaw_tui.memory.places import MemoryPlaces, is_daily
from openclaw_tui.memory.vectors import Vectors

_Scored: TypeAlias = list[tuple[float, Piece]]
_TERM = re.compile(r"[\w][\w'’-]*")
_NO_BLANKS = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\u3040-\u30ff\u0e00-\u0eff]")
_STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at be but by did do does for from had has have how i if in is it its me my of on or our so "
        "that the their them then there they this to was we were what when where which who why will with you your",
    )
)


class SearchSettings(msgspec.Struct, frozen=True):
    """Results of one search, and tokens of the indexed pieces; the rest counts only beside embeddings."""

    max_results: int = MEMORY_MAX_RESULTS
    chunk: ChunkSize = msgspec.field(
        default_factory=lambda: ChunkSize(MEMORY_CHUNK_TOKENS, MEMORY_CHUNK_OVERLAP_TOKENS)
    )
    vector_weight: float = MEMORY_VECTOR_WEIGHT
    text_weight: float = MEMORY_TEXT_WEIGHT
    min_score: float = MEMORY_MIN_SCORE


class Hit(msgspec.Struct, frozen=True):
    """A found place. The lines are those of the snippet; `score` lies between 0 and 1."""

    path: str
    start: int
    end: int
    score: float
    snippet: str

    @property
    def citation(self) -> str:
        return f"{self.path}#L{self.start}" + (f"-L{self.end}" if self.end > self.start else "")


class SearchResult(msgspec.Struct, frozen=True):
    """`problems` name files that could not be searched; `files` is how many were."""

    hits: tuple[Hit, ...] = ()
    problems: tuple[str, ...] = ()
    files: int = 0


class MemorySearch:
    """One for each session; blocking, to be called in a thread. The index is opened on first use."""

    def __init__(
        self, places: MemoryPlaces, settings: SearchSettings | None = None, vectors: Vectors | None = None
    ) -> None:
        self.places = places
        self._vectors = vectors
        self.settings = settings or SearchSettings()
        self._index = MemoryIndex(places.index, self.settings.chunk)

    def search(self, query: str, max_results: int | None = None) -> SearchResult:
        """Hits, best first. Raises MemoryFailed when the index cannot be used at all."""
        files = note_files(self.places)
        problems = self._index.refresh(files)
        terms = query_terms(query)
        limit = max_results or self.settings.max_results
        pieces = self._candidates(terms, min(MEMORY_MAX_CANDIDATES, limit * MEMORY_CANDIDATES_FACTOR), limit)
        scored = [(_score(piece, terms), piece) for piece in pieces]
        if self._vectors is not None and terms:
            scored = self._mixed(self._vectors, query, scored, problems)
        scored.sort(key=lambda pair: (-pair[0], _age(pair[1].path), pair[1].path, pair[1].start))
        hits = tuple(_hit(piece, score, terms) for score, piece in _apart(scored, limit))
        usable = sum(not file.problem for file in files)
        return SearchResult(hits, tuple(problems), usable)

    def get(self, name: str, first: int | None = None, lines: int | None = None) -> str:
        """Lines of a note, whole if no range is given; empty where the file does not exist. Raises MemoryFailed."""
        file = find_note(self.places, name)
        if file.problem == "does not exist":
            return ""
        if file.problem:
            raise MemoryFailed(f"{file.shown} {file.problem}")
        text = read_note(file)
        if first is not None or lines is not None:
            at = max(1, first or 1) - 1
            rows = text.split("\n")
            text = "\n".join(rows[at : at + lines] if lines is not None else rows[at:])
        if len(text) > MEMORY_GET_MAX_CHARS:
            cut = text[:MEMORY_GET_MAX_CHARS]
            return f"{cut}\n[cut after {MEMORY_GET_MAX_CHARS:,} of {len(text):,} characters; give a range of lines]"
        return text

    def close(self) -> None:
        self._index.close()
        if self._vectors is not None:
            self._vectors.close()

    def _mixed(self, vectors: Vectors, query: str, by_words: _Scored, problems: list[str]) -> _Scored:
        """The hits of words and those of meaning, each with the mixed score."""
        everything = self._index.all_pieces()
        found = vectors.likeness(query, [piece.text for piece in everything])
        problems += [found.problem] if found.problem else []
        if found.scores is None:
            return by_words
        held, settings = {_place(piece): score for score, piece in by_words}, self.settings
        whole = (settings.vector_weight + settings.text_weight) or 1.0
        mixed: _Scored = []
        for piece, likeness in zip(everything, found.scores, strict=True):
            words = held.get(_place(piece), 0.0)
            score = (settings.vector_weight * (likeness or 0.0) + settings.text_weight * words) / whole
            if words or score >= settings.min_score:
                mixed.append((score, piece))
        return mixed

    @staticmethod
    def _add(found: dict[tuple[str, int, int], Piece], more: Iterable[Piece]) -> None:
        for piece in more:
            found.setdefault(_place(piece), piece)

    def _candidates(self, terms: list[str], count: int, wanted: int) -> list[Piece]:
        """Word hits; where they are few, or a script has no blanks, also parts of words."""
        if not terms:
            return []
        found = {_place(p): p for p in self._index.find("words", _any_of(terms), count)}
        dense = [term for term in terms if _NO_BLANKS.search(term)]
        if dense or len(found) < wanted:
            long = [part for term in terms for part in _parts(term, TRIGRAM_CHARS) if len(part) >= TRIGRAM_CHARS]
            self._add(found, self._index.find("grams", _any_of(long), count) if long else [])
        if dense and len(found) < wanted:
            pairs = list(dict.fromkeys(part for term in dense for part in _parts(term, 2)))
            self._add(found, self._index.scan(pairs[:MEMORY_MAX_SCANNED_PARTS], count))
        return list(found.values())


def query_terms(query: str) -> list[str]:
    """The words of a query in order, each once; stop words only where there is nothing else."""
    words = list(dict.fromkeys(match.group().casefold() for match in _TERM.finditer(query)))
    return [word for word in words if word not in _STOP_WORDS] or words


def _parts(term: str, size: int) -> list[str]:
    """A term itself; of a script without blanks also its overlapping pieces of that size."""
    if not _NO_BLANKS.search(term) or len(term) <= size:
        return [term]
    return [term, *(term[at : at + size] for at in range(len(term) - size + 1))]


def _any_of(terms: Iterable[str]) -> str:
    return " OR ".join('"' + term.replace('"', '""') + '"' for term in terms)


def _place(piece: Piece) -> tuple[str, int, int]:
    return piece.path, piece.start, piece.end


def _score(piece: Piece, terms: list[str]) -> float:
    text = piece.text.casefold()
    held = sum(_presence(term, text) for term in terms) / max(1, len(terms))
    relevance = -piece.rank if piece.rank < 0 else 0.0
    return MEMORY_COVERAGE_WEIGHT * held + (1 - MEMORY_COVERAGE_WEIGHT) * (relevance / (1 + relevance))


def _presence(term: str, text: str) -> float:
    """1 where the term stands there; for scripts without blanks the share of its parts that do."""
    if term in text:
        return 1.0
    parts = _parts(term, 2)[1:]
    return sum(part in text for part in parts) / len(parts) if parts else 0.0


def _age(path: str) -> int:
    """Newer daily notes first among equals; notes without a date before all."""
    name = path.rsplit("/", 1)[-1]
    if not is_daily(name):
        return 0
    try:
        return -date.fromisoformat(name[:10]).toordinal()
    except ValueError:
        return 0


def _apart(scored: list[tuple[float, Piece]], limit: int) -> list[tuple[float, Piece]]:
    """The best hits; a piece that shares most of its lines with a better one is left out."""
    kept: list[tuple[float, Piece]] = []
    for score, piece in scored:
        lines = piece.end - piece.start + 1
        doubled = any(
            other.path == piece.path and min(other.end, piece.end) - max(other.start, piece.start) + 1 > lines / 2
            for _, other in kept
        )
        if not doubled:
            kept.append((score, piece))
        if len(kept) == limit:
            break
    return kept


def _hit(piece: Piece, score: float, terms: list[str]) -> Hit:
    start, end, text = _snippet(piece, terms)
    return Hit(piece.path, start, end, round(score, 3), text)


def _snippet(piece: Piece, terms: list[str]) -> tuple[int, int, str]:
    """Whole lines around the line that holds most of the terms, as many as fit."""
    if len(piece.text) <= MEMORY_SNIPPET_CHARS:
        return piece.start, piece.end, piece.text
    lines = piece.text.split("\n")
    best = max(range(len(lines)), key=lambda n: (sum(_presence(t, lines[n].casefold()) for t in terms), -n))
    first = last = best
    size = len(lines[best])
    while True:
        below = last + 1 < len(lines) and size + len(lines[last + 1]) + 1 <= MEMORY_SNIPPET_CHARS
        if below:
            last += 1
            size += len(lines[last]) + 1
        above = first > 0 and size + len(lines[first - 1]) + 1 <= MEMORY_SNIPPET_CHARS
        if above:
            first -= 1
            size += len(lines[first]) + 1
        if not (above or below):
            break
    text = "\n".join(lines[first : last + 1])
    return piece.start + first, piece.start + last, text[:MEMORY_SNIPPET_CHARS]
