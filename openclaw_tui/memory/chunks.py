"""Cuts a note into pieces for the search: whole lines, about 400 tokens, each beginning with the end of the last one.

Pure. Every line of the note is in some piece, with its number; a line that is longer than a piece is cut.
"""

from collections.abc import Iterator

import msgspec

from openclaw_tui.constants import CHARS_PER_TOKEN_ESTIMATE, MEMORY_CHUNK_OVERLAP_TOKENS, MEMORY_CHUNK_TOKENS


class Chunk(msgspec.Struct, frozen=True):
    """`start` and `end` are line numbers, the first line being 1."""

    start: int
    end: int
    text: str


def chunks_of(
    text: str, *, tokens: int = MEMORY_CHUNK_TOKENS, overlap: int = MEMORY_CHUNK_OVERLAP_TOKENS
) -> list[Chunk]:
    most = max(32, tokens * CHARS_PER_TOKEN_ESTIMATE)
    shared = min(max(0, overlap), tokens // 2) * CHARS_PER_TOKEN_ESTIMATE
    found: list[Chunk] = []
    part: list[tuple[int, str]] = []
    size, fresh = 0, 0
    for number, line in _pieces(text, most):
        if part and size + len(line) + 1 > most and fresh:
            found.append(_chunk(part))
            part = _tail(part, shared, most - len(line) - 1)
            size, fresh = sum(len(held) + 1 for _, held in part), 0
        part.append((number, line))
        size, fresh = size + len(line) + 1, fresh + 1
    if fresh:
        found.append(_chunk(part))
    return [chunk for chunk in found if chunk.text.strip()]


def _pieces(text: str, most: int) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.split("\n"), start=1):
        for at in range(0, max(1, len(line)), most):
            yield number, line[at : at + most]


def _tail(part: list[tuple[int, str]], shared: int, room: int) -> list[tuple[int, str]]:
    """Whole lines from the end that fit into the overlap and beside what comes next."""
    kept: list[tuple[int, str]] = []
    left = min(shared, room)
    for number, line in reversed(part):
        left -= len(line) + 1
        if left < 0:
            break
        kept.insert(0, (number, line))
    return kept


def _chunk(part: list[tuple[int, str]]) -> Chunk:
    return Chunk(part[0][0], part[-1][0], "\n".join(line for _, line in part))
