"""The texts of the last two different prompts, so that a broken cache can be shown at its first differing line.

Digests tell for ever that something changed; the texts tell what. Only two are kept: system prompt and tools, without
the messages, which the session file has.
"""

import contextlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path

import msgspec

from openclaw_tui.atomic_write import atomic_write_bytes, make_private_dir

PROMPTS_FILE = "prompts.json"
_OPENING = "the opening"
_FILE_HEADING = re.compile(r"## (.+\.md)(?: \([^()]*\))?")
"""A file of the project, with or without a word on whose it is."""
_FILES_HEADING = "Project Context"


class PromptTexts(msgspec.Struct, frozen=True):
    """`tools` is each tool's whole definition as JSON, by name, in the order it is sent."""

    stable: str
    dynamic: str
    tools: dict[str, str]


class Spot(msgspec.Struct, frozen=True):
    """Where two prompts part: the section or tool, its line in the new text, and both lines."""

    where: str
    line: int
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.where}, line {self.line}" if self.line else self.where


class PromptSnapshots:
    """`last` and `previous` are different; keeping the same prompt again changes nothing."""

    def __init__(self, folder: Path | None) -> None:
        self._path = folder / PROMPTS_FILE if folder else None
        self._kept: list[PromptTexts] = _read(self._path)

    @property
    def last(self) -> PromptTexts | None:
        return self._kept[-1] if self._kept else None

    @property
    def previous(self) -> PromptTexts | None:
        return self._kept[-2] if len(self._kept) > 1 else None

    def keep(self, texts: PromptTexts) -> None:
        """Remember a prompt that was sent. That it cannot be written costs an explanation, not the turn."""
        if texts == self.last:
            return
        self._kept = [*self._kept[-1:], texts]
        if self._path is not None:
            with contextlib.suppress(OSError):
                make_private_dir(self._path.parent)
                atomic_write_bytes(self._path, msgspec.json.encode(self._kept), durable=False)


def first_difference(old: PromptTexts, new: PromptTexts) -> Spot | None:
    """The first spot in wire order: tools, then the system prompt above and below the boundary."""
    return _tools_difference(old.tools, new.tools) or _text_difference(old, new)


def changed_sections(old: str, new: str) -> list[str]:
    """Names of the sections of a prompt that differ, are new or are gone, in their order."""
    before, after = prompt_sections(old), prompt_sections(new)
    names = [*after, *(name for name in before if name not in after)]
    return [name for name in names if before.get(name) != after.get(name)]


def _tools_difference(old: Mapping[str, str], new: Mapping[str, str]) -> Spot | None:
    if list(old.items()) == list(new.items()):
        return None
    for at, (was, now) in enumerate(zip_longest(old, new)):
        if was == now and was is not None and old[was] == new[was]:
            continue
        if was == now and was is not None:
            return Spot(f"tools[{at}] {was}, schema", 0, old[was], new[was])
        if now is not None and now not in old:
            return Spot(f"tools[{at}] {now}, new", 0, "", new[now])
        if was is not None and was not in new:
            return Spot(f"tools[{at}] {was}, gone", 0, old[was], "")
        return Spot(f"tools[{at}] {now or was}, order", 0, was or "", now or "")
    return None


def _text_difference(old: PromptTexts, new: PromptTexts) -> Spot | None:
    for part, was, now in (("", old.stable, new.stable), ("below the boundary: ", old.dynamic, new.dynamic)):
        if was != now:
            return _line_difference(part, was.split("\n"), now.split("\n"))
    return None


def _line_difference(part: str, old: Sequence[str], new: Sequence[str]) -> Spot:
    """The first line that differs, counted from its heading; a file of the project counts from its own first line."""
    named = list(_named_lines(new))
    for number, (was, now) in enumerate(zip_longest(old, new)):
        if was != now:
            name, begun = named[min(number, len(named) - 1)]
            return Spot(part + name, number - begun, was or "", now or "")
    return Spot(part.strip() or "the system prompt", 0, "", "")


def _named_lines(lines: Iterable[str]) -> Iterator[tuple[str, int]]:
    """For each line the section it stands in and the number of that section's heading."""
    name, begun, in_files = _OPENING, -1, False
    for number, line in enumerate(lines):
        heading = line.lstrip("#").strip() if line.startswith(("# ", "## ")) else ""
        file = _FILE_HEADING.fullmatch(line) if in_files else None
        if file is not None or (heading and not in_files):
            name, begun = file[1] if file else heading, number
            in_files = in_files or heading == _FILES_HEADING
        yield name, begun


def prompt_sections(text: str) -> dict[str, str]:
    """The text of each section of a prompt by its heading; a file of the project is a section of its own."""
    lines = text.split("\n")
    found: dict[str, list[str]] = {}
    for line, (name, _) in zip(lines, _named_lines(lines), strict=True):
        found.setdefault(name, []).append(line)
    return {name: "\n".join(part).strip() for name, part in found.items()}


def _read(path: Path | None) -> list[PromptTexts]:
    if path is None:
        return []
    try:
        return msgspec.json.decode(path.read_bytes(), type=list[PromptTexts])[-2:]
    except (OSError, ValueError):
        return []
