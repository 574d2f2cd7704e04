"""`@path` in a guide file brings that file in, right below the line that names it.

Bounded in depth, number and size; never twice, so never in a circle; never from outside the workspace; never inside
code. What is not brought in is told in its place, to the model and to the user.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from openclaw_tui.constants import BOOTSTRAP_MAX_FILE_BYTES, IMPORT_MAX_DEPTH, IMPORT_MAX_FILES

_NAMED = re.compile(r"(?:^|(?<=[\s(]))@([^\s@`'\"<>()\[\]]+)")
_FENCE = re.compile(r"^\s*(```+|~~~+)")
_ENDS = ".,;:!?"


@dataclass(slots=True)
class Imports:
    """What was brought into one guide: `files` in order as named, `paths` where they lie, `notes` about the others."""

    root: Path
    files: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    paths: list[Path] = field(default_factory=list)
    _seen: set[str] = field(default_factory=set)

    def expand(self, text: str, file: Path, depth: int = 0) -> str:
        """The text with the files it names; `file` is where it stands."""
        self._seen.add(os.path.realpath(file))
        lines: list[str] = []
        fence = ""
        for line in text.split("\n"):
            lines.append(line)
            mark = _FENCE.match(line)
            if mark is not None and (not fence or mark[1].startswith(fence)):
                fence = "" if fence else mark[1]
            elif not fence:
                for name in _names(line):
                    lines += self._brought_in(name, file, depth)
        return "\n".join(lines)

    def _brought_in(self, name: str, file: Path, depth: int) -> list[str]:
        path = Path(os.path.normpath(file.parent / name))
        if not os.path.isfile(path):  # which no name is too long or too odd for
            return self._refused(name, "there is no such file") if _is_meant(name) else []
        real = os.path.realpath(path)
        if name.startswith(("/", "~")) or not Path(real).is_relative_to(os.path.realpath(self.root)):
            return self._refused(name, "it lies outside the workspace")
        if real in self._seen:
            return []
        if depth >= IMPORT_MAX_DEPTH:
            return self._refused(name, f"more than {IMPORT_MAX_DEPTH} files deep")
        if len(self.files) >= IMPORT_MAX_FILES:
            return self._refused(name, f"more than {IMPORT_MAX_FILES} files")
        try:
            if path.stat().st_size > BOOTSTRAP_MAX_FILE_BYTES:
                return self._refused(name, "it is too large")
            text = path.read_bytes().decode("utf-8-sig")
        except UnicodeDecodeError:
            return self._refused(name, "it is not UTF-8 text")
        except OSError as error:
            return self._refused(name, f"it cannot be read ({error.strerror})")
        self.files.append(name)
        self.paths.append(path)
        inner = self.expand(text.replace("\r\n", "\n").rstrip(), path, depth + 1)
        return [f"<!-- {name} -->", inner, f"<!-- end of {name} -->"]

    def _refused(self, name: str, reason: str) -> list[str]:
        self.notes.append(f"@{name} is not brought in: {reason}")
        return [f"[@{name} is not brought in: {reason}]"]


def _names(line: str) -> Iterator[str]:
    """The paths a line names, without what stands in backticks."""
    for match in _NAMED.finditer(line):
        if line[: match.start()].count("`") % 2 == 0:
            yield match[1].rstrip(_ENDS)


def _is_meant(name: str) -> bool:
    """Whether a name that is no file was meant as one; `@alice` and `@dataclass` were not."""
    return name.endswith((".md", ".txt")) or ("/" in name and "." in name.rsplit("/", 1)[-1])
