"""Which files and folders a parsed command line names, as real paths.

A word is taken for a path wherever it could be one, against every folder the command line may have gone to. Invariant:
a doubt makes more paths, never fewer.
"""

import glob
import itertools
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from openclaw_tui.constants import SHELL_GLOB_MAX_NAMES
from openclaw_tui.safety import command_tables
from openclaw_tui.safety.git_repository import starts_programs
from openclaw_tui.safety.shell_parts import Part

_DEVICES = re.compile(r"^/dev/(?:null|zero|stdin|stdout|stderr|fd/\d+)$")
_URL = re.compile(r"^[a-z][a-z0-9+.-]*://", re.IGNORECASE)


class PartPaths(msgspec.Struct, frozen=True):
    """A part with the existing or makeable paths its words name, and the targets of its redirections."""

    part: Part
    named: tuple[Path, ...]
    written: tuple[Path, ...]


def paths_of_parts(parts: Sequence[Part], cwd: Path) -> list[PartPaths]:
    """The paths of every part, in order; `cd` and `-C` add folders that later words may be relative to."""
    folders = [cwd]
    found: list[PartPaths] = []
    for part in parts:
        named = tuple(dict.fromkeys(_named(part, folders)))
        written = tuple(
            dict.fromkeys(_real(folder / text) for text in part.writes for folder in folders if _counts(text))
        )
        found.append(PartPaths(_in_its_repository(part, folders), named, written))
        for text in _folders_entered(part):
            folders += [path for path in {_real(folder / text) for folder in folders} if path not in folders]
    return found


def _in_its_repository(part: Part, folders: Sequence[Path]) -> Part:
    """A repository that somebody packed can run programs by git commands that only look."""
    if part.program != "git" or not part.read_only:
        return part
    places = [*folders, *(_real(folder / text) for text in part.reads for folder in folders)]
    settings = [file for place in places if (file := starts_programs(place)) is not None]
    if not settings:
        return part
    return replace(part, read_only=False, dangerous_reasons=(f"git starts programs here, by {settings[0]}",))


def _folders_entered(part: Part) -> Iterator[str]:
    if part.program in ("cd", "pushd"):
        operands = [word for word in part.words[1:] if not word.startswith("-")]
        yield os.path.expanduser(operands[0] if operands else "~")
    elif part.program == "git":
        yield from part.reads
    elif part.program in ("env", "sudo", "make", "tar"):
        for option, value in itertools.pairwise(part.words):
            if option in ("-C", "--chdir", "-D", "--directory"):
                yield value
        yield from (word.partition("=")[2] for word in part.words if word.startswith(("--chdir=", "--directory=")))


def _named(part: Part, folders: Sequence[Path]) -> Iterator[Path]:
    texts = [text for text in part.reads if _counts(text)]
    literal = part.literal or (True,) * len(part.words)
    for index, word in enumerate(part.words[1:], start=1):
        if not literal[index]:
            continue
        if index in part.patterns:  # the shell looks at the files, whatever the program does
            yield from _expanded(word, folders)
        if command_tables.opens_files(part.program):
            texts += _readings(word)
    if part.program == "cd" and len(part.words) == 1:
        texts.append("~")
    for text, folder in itertools.product(texts, folders):
        path = _real(folder / os.path.expanduser(text))
        if _matters(path, text, part):
            yield path


def _readings(word: str) -> list[str]:
    """What a word could name: itself, the value of an option, a file after `@`."""
    if not _counts(word) or len(word) > os.pathconf("/", "PC_PATH_MAX"):
        return []
    found = [word] if not word.startswith("-") else []
    value = word.partition("=")[2]
    if value:
        found.append(value)
    if word.startswith("-") and not word.startswith("--") and re.match(r"-\w[/~.]", word):
        found.append(word[2:])
    found += [text[1:] for text in (word, value) if text.startswith("@")]
    return found


def _counts(text: str) -> bool:
    return bool(text) and not _URL.match(text) and not _DEVICES.match(text)


def _matters(path: Path, text: str, part: Part) -> bool:
    """A name of nothing cannot be read; it can be made where its folder exists."""
    if os.path.lexists(path):
        return True
    looks_like_path = "/" in text or text.startswith((".", "~"))
    return not part.read_only and looks_like_path and os.path.lexists(path.parent)


def _expanded(pattern: str, folders: Sequence[Path]) -> Iterator[Path]:
    head = re.split(r"[*?\[]", os.path.expanduser(pattern), maxsplit=1)[0].rpartition("/")
    for folder in folders:
        yield _real(folder / (head[0] + head[1]))  # where it looks, also where it finds nothing yet
        names = glob.iglob(str(folder / os.path.expanduser(pattern)), include_hidden=True)
        yield from (_real(Path(name)) for name in itertools.islice(names, SHELL_GLOB_MAX_NAMES))
        if next(names, None) is not None:
            yield Path("/")  # more than can be looked at: counts as outside


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))
