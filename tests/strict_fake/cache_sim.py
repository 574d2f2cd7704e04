"""The providers' prefix caches, simulated: what a prompt reads, writes and pays in full.

Every `use` returns total / read / write / uncached, which add up. Times are monotonic seconds and can be given by
tests.
"""

import hashlib
import time
from bisect import bisect_left

from tests.strict_fake.segments import Estimator, Segment

_HOUR = 3600.0
Usage = dict[str, int]


def prefix_hashes(segments: list[Segment], salt: str) -> list[bytes]:
    """One hash a segment, over everything up to its end."""
    state = hashlib.blake2b(salt.encode(), digest_size=16).digest()
    out = []
    for segment in segments:
        state = hashlib.blake2b(state + segment.data, digest_size=16).digest()
        out.append(state)
    return out


def common_prefix(left: bytes, right: bytes) -> int:
    """Length of the common start."""
    shortest = min(len(left), len(right))
    if left[:shortest] == right[:shortest]:
        return shortest
    return bisect_left(range(1, shortest + 1), 1, key=lambda n: int(left[:n] != right[:n]))


class AnthropicCache:
    """Entries exist only where a mark was; a mark looks back at most 20 blocks; a read renews the entry."""

    LOOK_BACK = 20

    def __init__(self, ttl: float = 300.0) -> None:
        self.ttl = ttl
        self._entries: dict[bytes, tuple[float, float]] = {}

    def use(self, segments: list[Segment], model: str, smallest: int = 1024, now: float | None = None) -> Usage:
        now = time.monotonic() if now is None else now
        hashes = prefix_hashes(segments, "anthropic/" + model)
        ends = _running_totals(segments)
        marks = [i for i, segment in enumerate(segments) if segment.mark and ends[i] >= smallest]
        hit = max((self._look_back(hashes, mark, now) for mark in marks), default=-1)
        read = ends[hit] if hit >= 0 else 0
        if hit >= 0:
            life = self._entries[hashes[hit]][1]
            self._entries[hashes[hit]] = (now + life, life)
        written = {"5m": 0, "1h": 0}
        done = read
        for mark in marks:
            life_name = "1h" if segments[mark].mark == "1h" else "5m"
            life = _HOUR if life_name == "1h" else self.ttl
            written[life_name] += max(0, ends[mark] - done)
            done = max(done, ends[mark])
            self._entries[hashes[mark]] = (now + life, life)
        total = ends[-1] if ends else 0
        write = written["5m"] + written["1h"]
        return {
            "total": total,
            "read": read,
            "write": write,
            "write_5m": written["5m"],
            "write_1h": written["1h"],
            "uncached": total - read - write,
        }

    def _look_back(self, hashes: list[bytes], mark: int, now: float) -> int:
        for i in range(mark, max(-1, mark - self.LOOK_BACK), -1):
            entry = self._entries.get(hashes[i])
            if entry and entry[0] > now:
                return i
        return -1


class BreakpointCache:
    """OpenAI from gpt-5.6 on: entries at the end of the newest message and at explicit breakpoints; writes are
    counted."""

    def __init__(self, ttl: float = 1800.0) -> None:
        self.ttl = ttl
        self._entries: dict[bytes, float] = {}

    def use(
        self,
        segments: list[Segment],
        model: str,
        *,
        smallest: int = 1024,
        uncacheable: int = 0,
        implicit: bool = True,
        now: float | None = None,
    ) -> Usage:
        now = time.monotonic() if now is None else now
        hashes = prefix_hashes(segments, "breakpoints/" + model)
        ends = _running_totals(segments)
        big = [i for i, end in enumerate(ends) if end >= smallest]
        points = [i for i in big if segments[i].mark or (implicit and i == len(segments) - 1)]
        hit = max((i for i in big if self._entries.get(hashes[i], 0.0) > now), default=-1)
        read = ends[hit] if hit >= 0 else 0
        write = max(0, ends[points[-1]] - read) if points else 0
        for i in points + ([hit] if hit >= 0 else []):
            self._entries[hashes[i]] = now + self.ttl
        total = (ends[-1] if ends else 0) + uncacheable
        return {
            "total": total,
            "read": read,
            "write": write,
            "write_30m": write,
            "uncached": total - read - write,
        }


class PrefixStore:
    """The longest common prefix (to the byte) with anything sent before, within a life."""

    def __init__(self, estimate: Estimator, ttl: float = 600.0) -> None:
        self.estimate, self.ttl = estimate, ttl
        self._seen: dict[bytes, float] = {}
        self._children: dict[bytes, list[bytes]] = {}

    def longest(self, segments: list[Segment], model: str, now: float | None = None) -> int:
        """Tokens of the longest known prefix; this prompt is known from now on."""
        now = time.monotonic() if now is None else now
        hashes = prefix_hashes(segments, "prefix/" + model)
        root = hashlib.blake2b(b"root/" + model.encode(), digest_size=16).digest()
        parents = [root, *hashes[:-1]]
        known = 0
        while known < len(hashes) and self._seen.get(hashes[known], float("-inf")) + self.ttl >= now:
            known += 1
        tokens = sum(segment.tokens for segment in segments[:known])
        if known < len(segments):
            segment = segments[known]
            siblings = self._children.get(parents[known], [])
            best = max((common_prefix(sibling, segment.data) for sibling in siblings), default=0)
            tokens += min(segment.tokens, int(best / max(1, len(segment.data)) * segment.tokens))
        for i in range(known, len(segments)):
            children = self._children.setdefault(parents[i], [])
            if len(children) < 6 and len(segments[i].data) < 2_000_000:
                children.append(segments[i].data)
        for digest in hashes:
            self._seen[digest] = now
        return tokens


def automatic_read(prefix_tokens: int, total: int, smallest: int = 1024, step: int = 128) -> int:
    """OpenAI's cached share of a prompt before gpt-5.6: in steps of 128 from the smallest cached prompt on."""
    prefix_tokens = min(prefix_tokens, total)
    if prefix_tokens < smallest:
        return 0
    return smallest + (prefix_tokens - smallest) // step * step


def _running_totals(segments: list[Segment]) -> list[int]:
    out: list[int] = []
    for segment in segments:
        out.append((out[-1] if out else 0) + segment.tokens)
    return out
