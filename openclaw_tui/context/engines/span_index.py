"""A full-text index over pieces of a conversation, ranked by BM25. In memory, built as the talk goes on.

SQLite's FTS5 does the work. A Python without it is told of once, by name, and the default engine takes over.
"""

import re
import sqlite3
from collections.abc import Collection, Iterator, Sequence

import msgspec

from openclaw_tui.constants import (
    RETRIEVAL_MAX_SPANS,
    RETRIEVAL_MIN_SCORE_SHARE,
    RETRIEVAL_QUERY_TERMS,
    RETRIEVAL_SPAN_CHARS,
)
from openclaw_tui.errors import EngineError

_TERM = re.compile(r"[^\W_](?:[\w.-]*\w)?")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


class Span(msgspec.Struct, frozen=True):
    """A piece of one message. `source` names the message, `label` says whose it is, `number` orders by time."""

    number: int
    source: str
    label: str
    text: str


class SpanIndex:
    """Pieces of messages by text; `add` the same source twice and it is there once."""

    def __init__(self) -> None:
        try:
            self._db = sqlite3.connect(":memory:")
            self._db.execute("CREATE VIRTUAL TABLE spans USING fts5(text, source UNINDEXED, label UNINDEXED)")
        except sqlite3.Error as error:
            raise EngineError(
                f"this Python's SQLite has no full-text search ({error})", engine="retrieval", operation="factory"
            ) from error
        self._sources: set[str] = set()

    def add(self, source: str, label: str, text: str) -> None:
        if source in self._sources or not text.strip():
            return
        self._sources.add(source)
        rows = [(_spaced(piece), source, label) for piece in pieces(text)]
        self._db.executemany("INSERT INTO spans(text, source, label) VALUES (?, ?, ?)", rows)

    def search(self, query: str, without: Collection[str], limit: int = RETRIEVAL_MAX_SPANS) -> list[Span]:
        """The best spans for the words of `query`, best first; none of the sources in `without`.

        A span that fits far worse than the best one is left out: it shares only words that everything holds.
        """
        return [span for span, share in self.ranked(query, without, limit) if share >= RETRIEVAL_MIN_SCORE_SHARE]

    def ranked(self, query: str, without: Collection[str], limit: int) -> list[tuple[Span, float]]:
        """The first spans by their words, each with its fit as a share of the best one's."""
        terms = dict.fromkeys(t.lower() for t in _TERM.findall(_spaced(query)) if len(t) > 2 or _CJK.match(t))
        if not terms:
            return []
        match = " OR ".join(f'"{term}"' for term in list(terms)[:RETRIEVAL_QUERY_TERMS])
        found = self._db.execute(
            "SELECT rowid, source, label, text, bm25(spans) AS fit FROM spans WHERE spans MATCH ? ORDER BY fit, rowid",
            (match,),
        )
        spans: list[tuple[Span, float]] = []
        best = 0.0
        for number, source, label, text, rank in found:
            if source in without:
                continue
            best = best or rank
            spans.append((Span(number, source, label, _unspaced(text)), rank / best if best else 1.0))
            if len(spans) >= limit:
                break
        return spans

    def all(self, without: Collection[str]) -> list[Span]:
        """Every span, the latest first."""
        rows = self._db.execute("SELECT rowid, source, label, text FROM spans ORDER BY rowid DESC")
        return [Span(n, source, label, _unspaced(text)) for n, source, label, text in rows if source not in without]

    def close(self) -> None:
        self._db.close()


def pieces(text: str, size: int = RETRIEVAL_SPAN_CHARS) -> Iterator[str]:
    """Consecutive parts of at most `size` characters, cut at line ends where there are any."""
    start = 0
    while start < len(text):
        end = min(len(text), start + size)
        if end < len(text):
            line_end = text.rfind("\n", start + size // 2, end)
            end = line_end + 1 if line_end > 0 else end
        yield text[start:end]
        start = end


def total_chars(spans: Sequence[Span]) -> int:
    return sum(len(span.text) for span in spans)


def _spaced(text: str) -> str:
    """Scripts without blanks are indexed sign by sign."""
    return _CJK.sub(lambda sign: f"{sign[0]}\u200b ", text)


def _unspaced(text: str) -> str:
    return text.replace("\u200b ", "")
