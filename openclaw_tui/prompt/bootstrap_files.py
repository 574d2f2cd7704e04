"""The project's and the user's own files that are loaded before the first word: AGENTS.md, SOUL.md, MEMORY.md …

Each is bounded, all together are bounded, and the budget is given from the nearest file outwards, so that the file
closest to the working directory is cut last. What was cut is marked in the text for the model and recorded with raw
and injected size for the user. Reading never leaves the folder a file stands in through a link.
"""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec
from msgspec.structs import replace

from openclaw_tui.constants import (
    BOOTSTRAP_FILES_KEPT,
    BOOTSTRAP_HEAD_SHARE,
    BOOTSTRAP_MAX_CHARS,
    BOOTSTRAP_MAX_FILE_BYTES,
    BOOTSTRAP_MIN_CHARS,
    BOOTSTRAP_TAIL_SHARE,
    BOOTSTRAP_TOTAL_MAX_CHARS,
    BOOTSTRAP_WINDOW_SHARE,
    CHARS_PER_TOKEN_ESTIMATE,
    FILE_CLOCK_SECONDS,
    WORKSPACE_FILES_TO_MISS,
)
from openclaw_tui.prompt.imports import Imports
from openclaw_tui.visible_text import show_controls, show_hidden

GUIDE, GUIDE_FALLBACK, HEARTBEAT, MEMORY = "AGENTS.md", "CLAUDE.md", "HEARTBEAT.md", "MEMORY.md"
BOOTSTRAP = "BOOTSTRAP.md"
PERSONAL_FILES = ("SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", HEARTBEAT, BOOTSTRAP, MEMORY)
SUBAGENT_FILES = frozenset({GUIDE, GUIDE_FALLBACK, "TOOLS.md", "SOUL.md", "IDENTITY.md", "USER.md"})
_WORKSPACE_FILES = ("SOUL.md", "IDENTITY.md", "USER.md", "TOOLS.md")
Origin: TypeAlias = Literal["project", "personal", "notes"]
_ORDER = (GUIDE, GUIDE_FALLBACK, "SOUL.md", "IDENTITY.md", "USER.md", "TOOLS.md", "BOOTSTRAP.md", MEMORY, HEARTBEAT)


class BootstrapFile(msgspec.Struct, frozen=True):
    """One file. `raw_chars` is its whole length, `content` what is injected, `cut_lines` the lines that are missing.

    `nearness` orders the budget: 0 is the working directory, larger is farther; personal copies come last. `origin`
    tells whose words it holds. `hidden` counts invisible characters that were made visible, `imported` names files that
    `@path` brought in, `notes` are lines for the user.
    """

    name: str
    path: Path
    shown_path: str
    content: str = ""
    raw_chars: int = 0
    nearness: int = 0
    cut_lines: tuple[int, int] | None = None
    problem: str = ""
    origin: Origin = "project"
    hidden: int = 0
    imported: tuple[str, ...] = ()
    imported_paths: tuple[Path, ...] = ()
    notes: tuple[str, ...] = ()
    missing: bool = False

    @property
    def injected_chars(self) -> int:
        return len(self.content)

    @property
    def is_cut(self) -> bool:
        return self.cut_lines is not None


class BootstrapLimits(msgspec.Struct, frozen=True):
    """Characters per file and in total; the total also follows the window."""

    per_file: int = BOOTSTRAP_MAX_CHARS
    total: int = BOOTSTRAP_TOTAL_MAX_CHARS

    def for_window(self, window_tokens: int) -> "BootstrapLimits":
        share = int(window_tokens * CHARS_PER_TOKEN_ESTIMATE * BOOTSTRAP_WINDOW_SHARE)
        return replace(self, total=min(self.total, share))


def load_bootstrap_files(
    cwd: Path,
    *,
    project_root: Path | None,
    personal: Path | None,
    limits: BootstrapLimits,
    notes: Path | None = None,
    refused: Callable[[Path], str] = lambda path: "",
) -> list[BootstrapFile]:
    """All files in prompt order, cut to the limits; those that cannot be read carry the reason.

    `notes` is the folder of the project's notes where it keeps them outside. `refused` may give a reason to leave a
    file out: it takes nothing of the budget then.
    """
    candidates = _candidates(cwd, project_root, personal, notes)
    root = project_root or cwd
    found = [replace(file, problem=why) if (why := refused(file.path)) else _read(file, root) for file in candidates]
    found += _missing(cwd, found)
    budgeted = _within_budget(found, limits)
    return sorted(budgeted, key=lambda file: (_ORDER.index(file.name), -file.nearness))


def truncation_warning(files: Sequence[BootstrapFile]) -> str:
    """What the model is told under the file list when something was cut; empty when nothing was."""
    cut = [file for file in files if file.is_cut]
    if not cut:
        return ""
    lines = [
        "[Bootstrap truncation warning]",
        "Some files above are not complete. Read them with `read` when it matters:",
    ]
    lines += [f"- {file.shown_path}: {file.raw_chars} raw -> {file.injected_chars} injected" for file in cut]
    return "\n".join(lines)


def cut_text(name: str, text: str, limit: int) -> tuple[str, tuple[int, int] | None]:
    """Head 70 % and tail 20 % of the limit with the markers between them, and the first and last missing line."""
    text = text.rstrip()
    if len(text) <= limit:
        return text, None
    head_chars, tail_chars = int(limit * BOOTSTRAP_HEAD_SHARE), int(limit * BOOTSTRAP_TAIL_SHARE)
    head, tail = text[:head_chars], text[-tail_chars:] if tail_chars else ""
    markers = (
        f"\n[...truncated, read {name} for full content...]\n"
        f"…(truncated {name}: kept {head_chars}+{tail_chars} chars of {len(text)})…\n"
    )
    first = head.count("\n") + 1
    last = text.count("\n") + 1 - tail.count("\n")
    whole = f"{head}{markers}{tail}"
    return (whole if len(whole) <= limit else f"{whole[: max(0, limit - 1)]}…"), (first, last)


def _candidates(
    cwd: Path, project_root: Path | None, personal: Path | None, notes: Path | None
) -> Iterator[BootstrapFile]:
    folders = [cwd, *_up_to(cwd, project_root)]
    for nearness, folder in enumerate(folders):
        for name in (GUIDE, GUIDE_FALLBACK):
            if (folder / name).is_file():
                yield BootstrapFile(name, folder / name, _shown(folder / name, cwd), nearness=nearness)
                break
    for name in PERSONAL_FILES:
        places: list[tuple[int, Path | None, Origin]] = [(0, cwd, "project"), (len(folders), personal, "personal")]
        if name == MEMORY:
            places.insert(1, (len(folders), notes, "notes"))
        for nearness, place, origin in places:
            if place is not None and (place / name).is_file():
                yield BootstrapFile(name, place / name, _shown(place / name, cwd), nearness=nearness, origin=origin)
                break


def _missing(cwd: Path, found: Sequence[BootstrapFile]) -> list[BootstrapFile]:
    """Marks for files a workspace should have. A directory that is no workspace is not told what it lacks."""
    names = {file.name for file in found}
    here = sum(file.name in _WORKSPACE_FILES and file.origin == "project" for file in found)
    if here < WORKSPACE_FILES_TO_MISS:
        return []
    wanted = [name for name in _WORKSPACE_FILES if name not in names]
    wanted += [GUIDE] if not {GUIDE, GUIDE_FALLBACK} & names else []
    return [
        BootstrapFile(name, cwd / name, name, f"[MISSING] Expected at: {cwd / name}", missing=True) for name in wanted
    ]


def _up_to(cwd: Path, root: Path | None) -> list[Path]:
    if root is None or root == cwd or not cwd.is_relative_to(root):
        return []
    return [folder for folder in cwd.parents if folder.is_relative_to(root)]


def _shown(path: Path, cwd: Path) -> str:
    return os.path.relpath(path, cwd) if path.is_relative_to(cwd) or cwd.is_relative_to(path.parent) else str(path)


def _read(file: BootstrapFile, root: Path) -> BootstrapFile:
    if file.path.is_symlink():
        real = Path(os.path.realpath(file.path))
        if not real.is_relative_to(os.path.realpath(file.path.parent)):
            return replace(file, problem="is a link that leads out of its folder; it is left out")
    try:
        status = file.path.stat()
        if status.st_size > BOOTSTRAP_MAX_FILE_BYTES:
            size = BOOTSTRAP_MAX_FILE_BYTES // 1024 // 1024
            return replace(file, problem=f"is larger than {size} MiB; it is left out")
        old = status.st_mtime < time.time() - FILE_CLOCK_SECONDS
        signature = (status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        read = _visible_text if old else _visible_text.__wrapped__
        text, hidden = read(str(file.path), signature)
    except UnicodeDecodeError:
        return replace(file, problem="is not UTF-8 text; it is left out")
    except OSError as error:
        return replace(file, problem=f"cannot be read ({error.strerror}); it is left out")
    return _expanded(file, root, text, hidden)


@lru_cache(maxsize=BOOTSTRAP_FILES_KEPT)
def _visible_text(path: str, signature: tuple[int, ...]) -> tuple[str, int]:
    """A file's text with what is hidden made visible, and how much that was; read again when the signature changes."""
    text = Path(path).read_bytes().decode("utf-8-sig").replace("\r\n", "\n").rstrip()
    shown = show_hidden(show_controls(text))
    return shown.text, shown.hidden


def _expanded(file: BootstrapFile, root: Path, text: str, hidden: int) -> BootstrapFile:
    imports = Imports(root)
    if "@" in text and file.name in (GUIDE, GUIDE_FALLBACK):
        shown = show_hidden(show_controls(imports.expand(text, file.path)))
        text, hidden = shown.text, hidden + shown.hidden
    notes = imports.notes + ([f"holds {hidden} invisible characters, shown as escapes"] if hidden else [])
    return replace(
        file,
        content=text,
        raw_chars=len(text),
        hidden=hidden,
        imported=tuple(imports.files),
        imported_paths=tuple(imports.paths),
        notes=tuple(notes),
    )


def _within_budget(files: Sequence[BootstrapFile], limits: BootstrapLimits) -> list[BootstrapFile]:
    """Spend the total from the nearest file outwards; a file with too little left is skipped with a reason."""
    left = limits.total
    done: list[BootstrapFile] = []
    for file in sorted(files, key=lambda f: (f.nearness, _ORDER.index(f.name))):
        if file.problem or not file.content:
            done.append(file)
            continue
        limit = min(limits.per_file, left)
        if limit < BOOTSTRAP_MIN_CHARS and len(file.content) > limit:
            lines = file.content.count("\n") + 1
            done.append(replace(file, content="", cut_lines=(1, lines), problem="no budget was left for it"))
            continue
        content, missing = cut_text(file.name, file.content, limit)
        left -= len(content)
        done.append(replace(file, content=content, cut_lines=missing))
    return done
