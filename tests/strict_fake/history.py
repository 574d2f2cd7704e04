"""What the fake has been sent before: where a prompt first differs from the best earlier one, and what is new in it."""

import collections
import hashlib

from tests.strict_fake.cache_sim import common_prefix
from tests.strict_fake.refusal import Json
from tests.strict_fake.segments import Segment

_KEPT = 12


class PromptHistory:
    """The last prompts by segment hash."""

    def __init__(self) -> None:
        self._prompts: collections.deque[tuple[list[bytes], list[Segment], int]] = collections.deque(maxlen=_KEPT)
        self._distinct: set[bytes] = set()

    def compare(self, segments: list[Segment], n: int) -> Json | None:
        """How this prompt relates to the earlier one it shares most with: append, same, change or truncate."""
        hashes = [_hash(segment) for segment in segments]
        best: tuple[int, list[Segment], int] | None = None
        for known_hashes, known, known_n in reversed(self._prompts):
            shared = 0
            while shared < min(len(hashes), len(known_hashes)) and hashes[shared] == known_hashes[shared]:
                shared += 1
            if best is None or shared > best[0]:
                best = (shared, known, known_n)
        self._prompts.append((hashes, segments, n))
        return None if best is None else _difference(segments, *best)

    def new_tokens(self, segments: list[Segment]) -> int:
        """Tokens of segments never seen before."""
        fresh = 0
        for segment in segments:
            digest = _hash(segment)
            if digest not in self._distinct:
                self._distinct.add(digest)
                fresh += segment.tokens
        return fresh


def _difference(segments: list[Segment], shared: int, known: list[Segment], known_n: int) -> Json:
    offset = sum(len(segment.data) for segment in segments[:shared])
    if shared == len(known):
        grown = shared < len(segments)
        part = segments[shared].part if grown else None
        return {
            "kind": "append" if grown else "same",
            "vs": known_n,
            "offset": offset,
            "part": part,
            "lost_tokens": 0,
        }
    inside = common_prefix(segments[shared].data, known[shared].data) if shared < len(segments) else 0
    return {
        "kind": "change" if shared < len(segments) else "truncate",
        "vs": known_n,
        "offset": offset + inside,
        "in_part": inside,
        "part": known[shared].part,
        "part_bytes": len(known[shared].data),
        "lost_tokens": sum(segment.tokens for segment in known[shared:]),
    }


def _hash(segment: Segment) -> bytes:
    return hashlib.blake2b(segment.data, digest_size=12).digest()
