"""Finding opaque identifiers in text: what a summary must not paraphrase.

UUIDs, hashes, URLs, paths, host:port pairs, addresses, long numbers. The summariser is shown those of tool outputs it
does not see; the retention check compares them with the finished summary.
"""

import re
from collections.abc import Iterable

_PATTERNS = (
    re.compile(r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b"),
    re.compile(r"\bhttps?://[^\s\"'<>)\]}]+[^\s\"'<>)\]}.,;:]"),
    re.compile(r"(?<![\w/.-])(?:~|\.{1,2})?/(?:[\w.@+-]+/)*[\w.@+-]+"),
    re.compile(r"(?<![\w/.-])(?:[\w.@+-]+/)+[\w@+-]+\.\w{1,8}\b"),
    re.compile(r"\b[A-Za-z]:\\(?:[\w.@+-]+\\)*[\w.@+-]+"),
    re.compile(r"\b(?:\d{1,3}\.){3}\d{1,3}(?::\d{2,5})?\b"),
    re.compile(r"(?<![\w.-])[\w-]++(?:\.[\w-]++)++:\d{2,5}\b|\blocalhost:\d{2,5}\b"),
    re.compile(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{8,64}\b"),
    re.compile(r"\b[A-Z][A-Z0-9]+-\d{2,}\b"),
    re.compile(r"#\d{2,}\b"),
    re.compile(r"\b\d{6,}\b"),
)


def extract_identifiers(text: str, limit: int | None = None) -> list[str]:
    """Identifiers in order of first appearance, each once; `limit` keeps the last ones (the newest matter most)."""
    found: dict[int, str] = {}
    taken = bytearray(len(text))
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            start, end = match.span()
            if 1 not in taken[start:end]:
                taken[start:end] = b"\x01" * (end - start)
                found[start] = match.group()
    unique = list(dict.fromkeys(found[at] for at in sorted(found)))
    return unique[-limit:] if limit is not None else unique


def missing_identifiers(wanted: Iterable[str], text: str) -> list[str]:
    """Those that do not stand in `text`; letter case does not count for hex digits."""
    folded = text.lower()
    return [identifier for identifier in wanted if identifier.lower() not in folded]
