"""Words in old sessions: a bounded scan of the files, newest first, that decodes only lines which can hold them.

No index: session files grow all the time and are read here at the speed of the disk. Every word must be in one entry,
letter case aside; words in double quotes stand together. What was not looked at is told.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from openclaw_tui.constants import (
    SESSION_SCAN_CHUNK_BYTES,
    SESSION_SCAN_MAX_BYTES,
    SESSION_SEARCH_MAX_HITS,
    SESSION_SEARCH_MAX_PER_SESSION,
    SESSION_SEARCH_SNIPPET_CHARS,
)
from openclaw_tui.messages import AssistantMessage, ToolResultMessage, UserMessage, text_of
from openclaw_tui.session.codec import decode_entry, decode_head
from openclaw_tui.session.entries import CompactionEntry, Entry, MessageEntry

_PLAIN = re.compile(r"[\s\"\\/\x00-\x1f]|ss")
"""Where a word may be written otherwise: JSON escapes these, and folding makes ss of ß."""

_WORDS = re.compile(r'"([^"]+)"|(\S+)')


class SessionHit(msgspec.Struct, frozen=True):
    """One entry that holds all words. `session_id` is the name of its file without the ending."""

    session_id: str
    entry_id: str
    role: str
    timestamp: str
    text: str


@dataclass(slots=True)
class SearchResult:
    """`more` is True where there may be others; `unread` counts files that were not looked at, whole or in part."""

    hits: list[SessionHit] = field(default_factory=list)
    more: bool = False
    unread: int = 0


def query_words(query: str) -> tuple[str, ...]:
    """The words of a query in the form they are compared in; quoted ones as one."""
    found = (quoted or word for quoted, word in _WORDS.findall(query))
    return tuple(dict.fromkeys(" ".join(word.split()).casefold() for word in found if word.strip('"').strip()))


def search_sessions(
    paths: Iterable[Path],
    query: str,
    *,
    max_hits: int = SESSION_SEARCH_MAX_HITS,
    max_per_session: int = SESSION_SEARCH_MAX_PER_SESSION,
    max_bytes: int = SESSION_SCAN_MAX_BYTES,
    snippet_chars: int = SESSION_SEARCH_SNIPPET_CHARS,
) -> SearchResult:
    """Hits in the order of the files, the latest of each first."""
    words = query_words(query)
    result = SearchResult()
    if not words:
        return result
    forms = _forms(max(words, key=len))
    left = max_bytes
    for path in paths:
        if len(result.hits) >= max_hits or left <= 0:
            result.more = result.more or len(result.hits) >= max_hits
            result.unread += 1
            continue
        try:
            size = path.stat().st_size
            found = list(_hits(path, words, forms, snippet_chars)) if 0 < size <= left else []
        except OSError:
            result.unread += 1
            continue
        result.unread += size > left
        left -= size
        room = min(max_per_session, max_hits - len(result.hits))
        result.more = result.more or len(found) > room
        result.hits += found[::-1][:room]
    return result


def _hits(path: Path, words: Sequence[str], forms: Sequence[bytes], snippet_chars: int) -> Iterator[SessionHit]:
    for line in _lines_with(path, forms):
        try:
            entry = decode_entry(line, entry_id=decode_head(line).id or "", parent_id=None)
        except (ValueError, RecursionError):
            continue
        text = " ".join(text_of_entry(entry).split())
        folded = text.casefold()
        if all(word in folded for word in words):
            snippet = _around(text, folded.find(words[0]), snippet_chars)
            yield SessionHit(path.stem, entry.id, _role(entry), entry.timestamp, snippet)


def _lines_with(path: Path, forms: Sequence[bytes]) -> Iterator[bytes]:
    """Lines in which one of the forms is found, each once."""
    rest = b""
    with path.open("rb") as handle:
        while chunk := handle.read(SESSION_SCAN_CHUNK_BYTES):
            whole, end, begun = (rest + chunk).rpartition(b"\n")
            rest = begun
            yield from _in_block(whole + end, forms)
    yield from _in_block(rest, forms)


def _in_block(block: bytes, forms: Sequence[bytes]) -> Iterator[bytes]:
    folded, at = block.lower(), 0
    nearest = {form: folded.find(form) for form in forms}
    while nearest := {form: place for form, place in nearest.items() if place >= 0}:
        first = min(nearest.values())
        start, end = block.rfind(b"\n", 0, first) + 1, block.find(b"\n", first)
        at = len(block) if end < 0 else end + 1
        yield block[start:at].rstrip(b"\n")
        nearest = {form: place if place >= at else folded.find(form, at) for form, place in nearest.items()}


def _forms(word: str) -> tuple[bytes, ...]:
    """What the longest plain part of a word looks like in a file in lower case (of ASCII): other scripts in each case.

    Escaped or not.
    """
    piece = max(_PLAIN.split(word), key=len) or word
    written = {form.encode("utf-8", "replace").lower() for form in (piece, piece.upper(), piece.capitalize())}
    return tuple(sorted(written | {json.dumps(form.decode("utf-8"))[1:-1].lower().encode() for form in written}))


def text_of_entry(entry: Entry) -> str:
    """What was said in an entry; of a compaction its summary."""
    if isinstance(entry, CompactionEntry):
        return entry.summary
    return text_of(entry.message.content) if isinstance(entry, MessageEntry) and entry.message else ""


def _role(entry: Entry) -> str:
    if isinstance(entry, CompactionEntry):
        return "summary"
    message = entry.message if isinstance(entry, MessageEntry) else None
    match message:
        case ToolResultMessage(tool_name=name):
            return name
        case AssistantMessage():
            return "assistant"
        case UserMessage(origin=origin) if origin != "user":
            return origin.replace("_", " ")
    return "user"


def _around(text: str, at: int, chars: int) -> str:
    """The text around a place, as much as is shown."""
    start = max(0, at - chars // 3)
    piece = text[start : start + chars]
    return f"{'…' if start else ''}{piece}{'…' if start + chars < len(text) else ''}"
