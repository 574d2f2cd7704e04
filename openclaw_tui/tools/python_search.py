"""The search where no ripgrep is: a small program of its own, run in a process that can be killed.

Python's patterns can run for ever on a short line, and a thread cannot be stopped; a process can. It is started by
path with an isolated interpreter, so nothing of the project is imported, and it imports nothing of this package. It
answers in ripgrep's JSON, so the reader is the same.
"""

import json
import os
import re
import sys
from collections.abc import Iterator
from typing import Any, Protocol


class _Rules(Protocol):
    def check_file(self, file: str) -> Any: ...


_Level = tuple[str, _Rules]


def main() -> int:
    request = json.load(sys.stdin)
    if request["mode"] == "files":
        for path in walk(request["target"], everything=request["everything"]):
            sys.stdout.write(path + "\0")
        return 0
    pattern = re.escape(request["pattern"]) if request["literal"] else request["pattern"]
    try:
        compiled = re.compile(pattern, re.IGNORECASE if request["ignore_case"] else 0)
    except re.error as error:
        sys.stderr.write(f"regex parse error: {error}")
        return 2
    found = False
    for path in walk(request["target"], everything=request["everything"]):
        found = search_file(path, compiled, request["context"]) or found
    return 0 if found else 1


def walk(target: str, *, everything: bool) -> Iterator[str]:
    """Files below `target` in sorted order, without what ignore files exclude; a file that is named is always given."""
    if os.path.isfile(target):
        yield target
        return
    yield from _walk_folder(target, [] if everything else _levels_above(target), everything)


def _walk_folder(folder: str, levels: list[_Level], everything: bool) -> Iterator[str]:
    if not everything:
        levels = [*levels, *_level_of(folder)]
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        is_folder = entry.is_dir(follow_symlinks=False)
        if entry.name == ".git" or _ignored(entry.path, is_folder, levels):
            continue
        if is_folder:
            yield from _walk_folder(entry.path, levels, everything)
        elif entry.is_file(follow_symlinks=False):
            yield entry.path


def _levels_above(target: str) -> list[_Level]:
    """Rules of the folders above, up to the root of the repository if there is one."""
    folders = []
    folder = os.path.abspath(target)
    while not os.path.exists(os.path.join(folder, ".git")):
        parent = os.path.dirname(folder)
        if parent == folder:
            return []
        folders.append(parent)
        folder = parent
    return [level for folder in reversed(folders) for level in _level_of(folder)]


def _level_of(folder: str) -> list[_Level]:
    lines: list[str] = []
    for name in (".git/info/exclude", ".gitignore", ".ignore"):
        try:
            with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as handle:
                lines += handle.read().splitlines()
        except OSError:
            continue
    rules = _rules(lines) if lines else None
    return [(folder, rules)] if rules is not None else []


def _rules(lines: list[str]) -> _Rules | None:
    try:
        from pathspec import GitIgnoreSpec
    except ImportError:
        return None
    return GitIgnoreSpec.from_lines(lines)


def _ignored(path: str, is_folder: bool, levels: list[_Level]) -> bool:
    """The nearest ignore file that has a rule for the path decides."""
    for base, rules in reversed(levels):
        verdict = rules.check_file(os.path.relpath(path, base) + ("/" if is_folder else "")).include
        if verdict is not None:
            return bool(verdict)
    return False


def search_file(path: str, compiled: "re.Pattern[str]", context: int) -> bool:
    """Print the matches of one text file; True when there are any."""
    try:
        with open(path, "rb") as handle:
            data = handle.read()
    except OSError:
        return False
    if b"\0" in data[:8192]:
        return False
    lines = data.decode("utf-8", "replace").removesuffix("\n").split("\n")
    hits = {number: found for number, line in enumerate(lines) if (found := list(compiled.finditer(line)))}
    shown: set[int] = set()
    for number in hits:
        for near in range(max(0, number - context), min(len(lines), number + context + 1)):
            if near not in shown:
                shown.add(near)
                _print(path, near, lines[near], hits.get(near))
    return bool(hits)


def _print(path: str, number: int, line: str, hits: "list[re.Match[str]] | None") -> None:
    submatches = [{"start": _bytes(line, hit.start()), "end": _bytes(line, hit.end())} for hit in hits or ()]
    data = {"path": {"text": path}, "lines": {"text": line + "\n"}, "line_number": number + 1, "submatches": submatches}
    sys.stdout.write(json.dumps({"type": "match" if hits else "context", "data": data}) + "\n")


def _bytes(line: str, at: int) -> int:
    return at if line.isascii() else len(line[:at].encode("utf-8"))


if __name__ == "__main__":
    sys.exit(main())
