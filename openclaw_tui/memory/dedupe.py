"""Which lines of a new note are not in the old ones yet. Bullets, blanks and case make no difference."""

import re
import unicodedata

_BULLET = re.compile(r"^\s*(?:[-*+•]|\d+[.)])\s+")
_TASK = re.compile(r"^\[[ xX]\]\s+")


def only_new_lines(existing: str, text: str) -> str:
    """`text` without lines that `existing` holds, and without headings that are left with nothing under them."""
    known = {_plain(line) for line in existing.splitlines()}
    kept: list[str] = []
    for line in text.strip().splitlines():
        plain = _plain(line)
        if not plain:
            kept.append("")
        elif line.lstrip().startswith("#") or plain not in known:
            known.add(plain)
            kept.append(line.rstrip())
    return "\n".join(_without_empty_headings(kept)).strip()


def _without_empty_headings(lines: list[str]) -> list[str]:
    """A heading stays when text, or a kept heading of a lower level, follows it; blank lines come once."""
    kept: list[str] = []
    below = 0  # level of the kept line underneath; text counts as lower than any heading
    for line in reversed(lines):
        level = _level(line)
        if level:
            if below <= level:
                continue
            below = level
        elif line:
            below = len(line) + 100
        if line or (kept and kept[-1]):
            kept.append(line)
    kept.reverse()
    return kept


def _level(line: str) -> int:
    """The level of a heading, 0 for any other line."""
    text = line.lstrip()
    return len(text) - len(text.lstrip("#"))


def _plain(line: str) -> str:
    text = unicodedata.normalize("NFKC", _TASK.sub("", _BULLET.sub("", line.strip())))
    return " ".join(text.casefold().split()).rstrip(".")
