"""Where a name is defined: the pattern that is searched for, and which of the found places is the likeliest one."""

import re
from collections.abc import Sequence
from typing import NamedTuple

_HIT = re.compile(r"^(?P<path>[^\s:][^:\n]*):(?P<line>\d+): ?(?P<text>.*)$", re.M)
_WORDS = "def|class|function|fn|func|type|struct|enum|trait|interface|impl|const|let|var|val|module|record|macro|sub"
_MODIFIERS = (
    r"(?:(?:export|default|pub(?:\([^)]*\))?|async|static|public|private|protected|abstract|final|inline|declare|unsafe)"
    r"\s+)*"
)
_PROSE = re.compile(r"\.(?:md|rst|txt|adoc|html|ipynb)$|(?:^|/)(?:docs?|examples?|samples?|changelog\.d)/", re.I)
_TESTS = re.compile(r"(?:^|/)(?:tests?|testing|spec|__tests__)/|(?:^|/)test_|[._-](?:test|spec)\.", re.I)
_IMPORT = re.compile(r"\brequire\s*\(|^\s*(?:from\s+\S+\s+)?import\b|^\s*use\s")
_STATEMENT = re.compile(r"^\s*(?:return|await|yield|new|throw|else|if|elif|assert|raise|case|print|not|and|or)\b")


class Hit(NamedTuple):
    """A found line; `text` keeps its indentation, which tells a member from a thing of its own."""

    path: str
    line: int
    text: str


def hits(text: str) -> list[Hit]:
    """Matches in grep's output."""
    return [Hit(m["path"], int(m["line"]), m["text"]) for m in _HIT.finditer(text)]


def last_name(symbol: str) -> str:
    """`Config.from_object` → `from_object`."""
    return re.split(r"\.|::|#", symbol)[-1]


def owner_name(symbol: str) -> str:
    """`Config.from_object` → `Config`; empty for a plain name."""
    parts = re.split(r"\.|::|#", symbol)
    return parts[-2] if len(parts) > 1 else ""


def definition_pattern(symbol: str) -> str:
    """A regular expression for places that define a name in the common languages."""
    name = re.escape(symbol)
    return (
        rf"(\b({_WORDS})\s+(\([^)]*\)\s*)?{name}\b)|(#\s*define\s+{name}\b)"
        rf"|(^\s*([\w$.]+\.)?{name}\s*(:\s*\w[^=]*)?=([^=]|$))|(^\s*{name}\s*:\s*(async\s+)?function\b)"
        rf"|(^\s*((async|static|public|private|protected|get|set)\s+)*{name}\s*\([^;]*\)\s*(:[^{{]+)?\{{\s*$)"
        rf"|(^[A-Za-z_][\w\s\*]*[\s\*]{name}\s*\([^;=]*$)"
    )


def ranked(symbol: str, found: Sequence[Hit], owners: Sequence[Hit] = ()) -> list[Hit]:
    """The likeliest definition first. `owners` are the places that define what a dotted name belongs to."""
    likely = [hit for hit in found if not _is_noise(last_name(symbol), hit)]
    solid = [hit for hit in likely if not _PROSE.search(hit.path)]
    return sorted(solid or likely or found, key=lambda hit: _rank(symbol, hit, owners))


def _rank(symbol: str, hit: Hit, owners: Sequence[Hit]) -> tuple[int | bool | str, ...]:
    dotted = bool(owner_name(symbol))
    owned = any(owner.path == hit.path and owner.line <= hit.line for owner in owners)
    indented = hit.text[:1].isspace()
    return (
        bool(_PROSE.search(hit.path)),
        bool(_TESTS.search(hit.path)),
        bool(_IMPORT.search(hit.text)),
        dotted and f"{symbol}" not in hit.text and not owned,
        indented != dotted if owners or not dotted else False,
        not _defines(last_name(symbol), hit.text),
        hit.path.endswith(".pyi"),
        hit.path.count("/"),
        hit.path,
        hit.line,
    )


def _defines(name: str, text: str) -> bool:
    """A line that opens a definition by a word of the language, not by an assignment."""
    return bool(re.match(rf"\s*{_MODIFIERS}(?:{_WORDS})\s+(?:\([^)]*\)\s*)?{re.escape(name)}\b", text))


def _is_noise(name: str, hit: Hit) -> bool:
    """Keyword arguments, attributes, calls and sentences that only look like definitions."""
    text = hit.text.rstrip()
    keyword_argument = bool(re.match(rf"\s+{re.escape(name)}\s*=", text)) and text.endswith(",")
    sentence = bool(
        re.search(rf"\b(?:let|type|record|module|class|function)\s+{re.escape(name)}\s+[a-z]+\b", text)
    ) and not (_defines(name, text))
    attribute = bool(re.match(r"\s*(?:self|this|cls)\.", text))
    return keyword_argument or sentence or attribute or bool(_STATEMENT.match(text))
