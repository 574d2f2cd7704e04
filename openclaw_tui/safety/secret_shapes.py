"""Where secrets stand in a text: known shapes of keys, and values of names that say what they are.

Only values are found, never the names before them. Code that merely speaks of secrets (`token = get_token()`,
`password: str`, `TOKEN=${TOKEN}`) is left alone: a value must look like one that somebody was given. Pure.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from openclaw_tui.constants import SECRET_MIN_CHARS, SECRET_MIN_ENTROPY_BITS, SECRET_NAMED_MIN_CHARS

Span: TypeAlias = tuple[int, int]

_SHAPES: tuple[tuple[tuple[str, ...], re.Pattern[str]], ...] = tuple(
    (marks, re.compile(shape, re.DOTALL))
    for marks, shape in (
        (
            ("PRIVATE KEY-----",),
            r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
        ),
        (("sk-",), r"(?<![\w-])sk-[\w-]{20,}"),
        (("_live_", "_test_"), r"\b[rsp]k_(?:live|test)_\w{16,}"),
        (("AIza", "ya29."), r"\b(?:AIza[\w-]{35}|ya29\.[\w-]{20,})"),
        (
            ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-"),
            r"\b(?:gh[pousr]_\w{36,}|github_pat_\w{22,}|glpat-[\w-]{20,})",
        ),
        (("xox",), r"\bxox[abeprs]-[\w-]{10,}"),
        (("AKIA", "ASIA"), r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
        (("npm_", "hf_", "pypi-"), r"\b(?:npm_[A-Za-z0-9]{36}\b|hf_[A-Za-z0-9]{30,}|pypi-[\w-]{50,})"),
        (("SG.",), r"\bSG\.[\w-]{16,}\.[\w-]{30,}"),
        (("eyJ",), r"(?<![\w-])eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}"),
        (("AGE-SECRET-KEY-1",), r"\bAGE-SECRET-KEY-1[0-9A-Z]{50,}"),
    )
)
"""Shapes of keys, each with the words without which it cannot be there: looking for these is far cheaper."""

_BEARER = re.compile(r"\bbearer\s+([\w.~+/=-]{16,})", re.IGNORECASE)
_BASIC = re.compile(r"\bbasic\s+([\w+/=-]{16,})", re.IGNORECASE)
_IN_ADDRESS = re.compile(r"://[^\s/:@'\"]*:([^\s/@'\"]{3,})@")
_KEY_END = re.compile(r"-----END [A-Z ]*PRIVATE KEY-----")
_KEY_LINE = re.compile(r"[A-Za-z0-9+/]{24,}={0,2}\s*$")
_WORDS = ("passw", "passphrase", "secret", "token", "apikey", "api_key", "api-key", "access", "private", "credential")
_VARIABLE = re.compile(
    r"(?:PASSW(?:OR)?D|PASSPHRASE|SECRET|TOKEN|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|CREDENTIAL)[A-Z0-9_]{0,64}="
    r"(\"[^\"\n]*\"|'[^'\n]*'|[^\s\"'#;|&<>]+)"
)
_NAMED = re.compile(
    r"(?:passw(?:or)?d|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential)[\w.-]{0,64}[\"']?"
    r"\s{0,64}[:=]\s{0,64}(?:\"([^\"\s]+)\"|'([^'\s]+)'|([^\s\"'`,;#]+))",
    re.IGNORECASE,
)
"""Bounded between name and value: a text of nothing but names is judged in linear time all the same."""

_PLACEHOLDER = re.compile(
    r"x+|\*+|\.+|-+|<.*>|\[.*\]|\{.*\}|\$.*|%.*%|none|null|nil|true|false|change[-_ ]?me|redacted|hidden|your[-_ ].*"
    r"|my[-_ ].*|pass(?:word)?\d*|secret|user(?:name)?|(?:some|the|a|an|test)[-_ ].*|(?:dummy|fake|example|sample).*"
    r"|.*(?:example|placeholder|⟦secret).*",
    re.IGNORECASE,
)
"""Stand-ins for a value, by their whole text."""

_CODE = re.compile(r"[(){}\[\]<>$⟦]|::|->|\.\w+\.|^[A-Za-z_]\w*\.[A-Za-z_]\w*$|^/|^\./|^https?:")


def find_secrets(text: str, *, own: Iterable[str] = (), more: Sequence[re.Pattern[str]] = ()) -> list[Span]:
    """Spans of secrets in order, none overlapping. `own` are exact values, `more` the user's patterns."""
    spans: list[Span] = []
    for marks, shape in _SHAPES:
        if any(mark in text for mark in marks):
            spans += [match.span() for match in shape.finditer(text)]
    if (cut := _cut_key(text)) is not None:
        spans.append(cut)
    lower = text.lower()
    if "bearer" in lower:
        spans += [match.span(1) for match in _BEARER.finditer(text) if _is_given(match[1])]
    if "basic" in lower:
        spans += [match.span(1) for match in _BASIC.finditer(text) if _is_random(match[1])]
    if "://" in text and "@" in text:
        spans += [match.span(1) for match in _IN_ADDRESS.finditer(text) if _is_chosen(match[1])]
    if heads := _heads(text, lower):
        variables = _matches(_VARIABLE, text, heads)
        spans += [span for match in variables if (span := _variable_value(match)) is not None]
        named = ((match, n) for match in _matches(_NAMED, text, heads) for n in (1, 2, 3) if match[n])
        spans += [match.span(n) for match, n in named if _is_random(match[n])]
    for pattern in more:
        spans += [match.span(match.lastindex or 0) for match in pattern.finditer(text)]
    for value in own:
        spans += [(match.start(), match.end()) for match in re.finditer(re.escape(value), text)] if value else []
    return _apart(span for span in spans if span[1] > span[0])


def _heads(text: str, lower: str) -> list[int]:
    """Where a word stands that may begin a name: looking for words is far cheaper than trying every place."""
    if len(lower) != len(text):  # a few letters are longer in lower case, and every place after them would be wrong
        lower = "".join(low if len(low := c.lower()) == 1 else c for c in text)
    heads: list[int] = []
    for word in _WORDS:
        at = lower.find(word)
        while at >= 0:
            heads.append(at)
            at = lower.find(word, at + 1)
    return sorted(heads)


def _matches(pattern: re.Pattern[str], text: str, heads: Iterable[int]) -> Iterator[re.Match[str]]:
    """As `finditer`, tried at the heads only."""
    end = 0
    for head in heads:
        if head >= end and (match := pattern.match(text, head)) is not None:
            end = match.end()
            yield match


def _cut_key(text: str) -> Span | None:
    """The end of a private key whose first lines are not in the text, as a read from the middle of a file gives it."""
    end = _KEY_END.search(text) if "PRIVATE KEY-----" in text else None
    if end is None or "-----BEGIN " in text[: end.start()]:
        return None
    start = text.rfind("\n", 0, end.start()) + 1
    while start and _KEY_LINE.search(text[(above := text.rfind("\n", 0, start - 1) + 1) : start]):
        start = above
    return start, end.end()


def _apart(spans: Iterable[Span]) -> list[Span]:
    """The earliest and, from one place, the longest first; what overlaps it is part of the same secret."""
    kept: list[Span] = []
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        if kept and start < kept[-1][1]:
            kept[-1] = (kept[-1][0], max(end, kept[-1][1]))
        else:
            kept.append((start, end))
    return kept


def _variable_value(match: re.Match[str]) -> Span | None:
    """The value of `NAME=value` as environment files have it, without its quotes."""
    start, end = match.span(1)
    if match[1][0] in "\"'":
        start, end = start + 1, end - 1
    value = match.string[start:end]
    return (start, end) if _is_chosen(value) else None


def _is_chosen(value: str) -> bool:
    """What a person may have chosen: long enough, and no plain word."""
    plain = value.isalpha() and len(value) < SECRET_MIN_CHARS
    return len(value) >= SECRET_NAMED_MIN_CHARS and not plain and _is_given(value)


def _is_given(value: str) -> bool:
    """Not a stand-in, not an expression."""
    return not _PLACEHOLDER.fullmatch(value) and not _CODE.search(value)


def _is_random(value: str) -> bool:
    """Long, of letters and digits, and without the repetitions of words."""
    if len(value) < SECRET_MIN_CHARS or not _is_given(value):
        return False
    mixed = any(c.isdigit() for c in value) and any(c.isalpha() for c in value)
    return mixed and _entropy_bits(value) >= SECRET_MIN_ENTROPY_BITS


def _entropy_bits(value: str) -> float:
    """Shannon entropy for each character."""
    total = len(value)
    return -sum(count / total * math.log2(count / total) for count in Counter(value).values())
