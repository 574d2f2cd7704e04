"""File name patterns as models write them: `*.py`, `src/**/*.ts`, `test_?.{js,ts}`.

A pattern without a slash is compared with the name, one with a slash with the end of the path below the searched
folder; a leading slash ties it to that folder.
"""

import re

from openclaw_tui.errors import ToolError


def compile_glob(pattern: str, *, ignore_case: bool = False) -> "re.Pattern[str]":
    """A compiled expression for `fullmatch` on a relative path with slashes. Raises ToolError for a broken pattern."""
    text = pattern.removeprefix("./")
    anchored = text.startswith("/")
    body = _translate(text.lstrip("/"))
    try:
        return re.compile(f"{'' if anchored else '(?:.*/)?'}{body}", re.DOTALL | (re.IGNORECASE if ignore_case else 0))
    except re.error as error:
        raise ToolError(f"the file pattern {pattern!r} is not valid: {error}") from error


def has_wildcard(pattern: str) -> bool:
    return any(char in pattern for char in "*?[{")


def _translate(glob: str) -> str:
    parts: list[str] = []
    at, depth = 0, 0
    while at < len(glob):
        char = glob[at]
        at += 1
        if char == "*":
            stars = len(glob[at - 1 :]) - len(glob[at - 1 :].lstrip("*"))
            at += stars - 1
            whole = stars > 1 and (at == stars or glob[at - stars - 1] == "/")
            if whole and glob[at : at + 1] == "/":
                at += 1
                parts.append("(?:.*/)?")
            else:
                parts.append(".*" if stars > 1 else "[^/]*")
        elif char == "?":
            parts.append("[^/]")
        elif char == "[" and "]" in glob[at + 1 :]:
            end = glob.index("]", at + 1)
            inner = glob[at:end].replace("\\", "\\\\").replace("[", "\\[")
            parts.append(f"[^{inner[1:]}]" if inner[0] in "!^" else f"[{inner}]")
            at = end + 1
        elif char == "{" and "}" in glob[at:]:
            parts.append("(?:")
            depth += 1
        elif char == "}" and depth:
            parts.append(")")
            depth -= 1
        elif char == "," and depth:
            parts.append("|")
        elif char == "\\" and at < len(glob):
            parts.append(re.escape(glob[at]))
            at += 1
        else:
            parts.append(re.escape(char))
    return "".join(parts)
