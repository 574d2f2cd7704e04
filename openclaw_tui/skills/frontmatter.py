"""The head of a Markdown file between two lines of `---`, read leniently: what a person meant counts.

A byte order mark, CRLF and an unquoted colon are no obstacle. What cannot be read at all is told with its line, never
dropped. Used for SKILL.md, command files and agent files.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

_KEY = re.compile(r"^([A-Za-z_][\w.-]*)[ \t]*:(?:[ \t]+(.*)|[ \t]*)$")
_QUOTED = re.compile(r"""^(["'])(.*)\1$""", re.DOTALL)
_FENCE = re.compile(r"^---[ \t]*$")


class FrontMatter(msgspec.Struct, frozen=True):
    """Keys in lower case, `_` read as `-`. `notes` tell what was read leniently, `body_line` where the body begins."""

    fields: Mapping[str, Any] = msgspec.field(default_factory=dict)
    body: str = ""
    body_line: int = 1
    notes: tuple[str, ...] = ()


class Broken(msgspec.Struct, frozen=True):
    """Why a head cannot be read, and the line (1-based) to look at."""

    line: int
    reason: str


def parse_front_matter(text: str) -> FrontMatter | Broken:
    """The head and the body of a file's text."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if not _FENCE.match(lines[0]):
        return Broken(1, "has no front matter: its first line is not ---")
    end = next((n for n, line in enumerate(lines[1:], 1) if _FENCE.match(line) or line.rstrip() == "..."), None)
    if end is None:
        return Broken(1, "its front matter is not closed by a line of ---")
    fields, notes = _read(lines[1:end])
    if isinstance(fields, Broken):
        return fields
    folded = {str(key).lower().replace("_", "-"): value for key, value in fields.items()}
    return FrontMatter(folded, "\n".join(lines[end + 1 :]), end + 2, notes)


def words_of(value: Any) -> tuple[str, ...]:
    """A list of words, given as a list or as text with commas or blanks between them (not inside brackets)."""
    if isinstance(value, str):
        return tuple(word for word in re.split(r"[,\s]+(?![^(]*\))", value.strip()) if word)
    if isinstance(value, Sequence):
        return tuple(str(item).strip() for item in value if isinstance(item, str | int) and str(item).strip())
    return ()


def truth_of(value: Any, default: bool) -> bool:
    """A yes or no; anything else is the default."""
    if isinstance(value, bool):
        return value
    return {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}.get(
        str(value).strip().lower(), default
    )


def _read(lines: list[str]) -> tuple[Mapping[Any, Any] | Broken, tuple[str, ...]]:
    """As YAML; where it is none, line by line."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        data = yaml.load("\n".join(lines), Loader=loader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 2 if error.problem_mark else 2
        return _by_lines(lines, line, error.problem or "is no YAML")
    except (yaml.YAMLError, ValueError, RecursionError):
        return _by_lines(lines, 2, "is no YAML")
    if data is None:
        return {}, ()
    if not isinstance(data, dict):
        return _by_lines(lines, 2, "is no list of keys")
    return data, ()


def _by_lines(lines: list[str], line: int, problem: str) -> tuple[Mapping[str, Any] | Broken, tuple[str, ...]]:
    """`key: value` lines taken word for word; indented lines belong to the key above them."""
    found: dict[str, list[str]] = {}
    key = ""
    for number, text in enumerate(lines, start=2):
        match = _KEY.match(text)
        if match is not None:
            key = match[1]
            found[key] = [match[2] or ""]
        elif key and (not text.strip() or text[0] in " \t#-"):
            found[key].append(text)
        else:
            return Broken(number, f"cannot be read there ({problem})"), ()
    if not found:
        return Broken(line, problem), ()
    values = {name: _value(parts) for name, parts in found.items()}
    return values, (f"line {line} is not valid YAML ({problem}); it was read word for word",)


def _value(parts: list[str]) -> Any:
    first = parts[0].strip()
    rest = [part.strip() for part in parts[1:] if part.strip() and not part.lstrip().startswith("#")]
    if not first and rest and all(part.startswith("- ") for part in rest):
        return [_unquoted(part[2:].strip()) for part in rest]
    if not first and rest:
        return _nested(parts[1:])
    if first in ("|", ">", "|-", ">-", "|+", ">+"):
        first = ""
    if first.startswith("[") and first.endswith("]"):
        return [_unquoted(word.strip()) for word in first[1:-1].split(",") if word.strip()]
    return _unquoted(" ".join([first, *rest]).strip())


def _nested(lines: list[str]) -> Any:
    """A block of its own: as YAML where it is some, else as text."""
    import textwrap

    import yaml

    text = textwrap.dedent("\n".join(lines))
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        return " ".join(text.split())


def _unquoted(text: str) -> str:
    match = _QUOTED.match(text)
    return match[2] if match else text
