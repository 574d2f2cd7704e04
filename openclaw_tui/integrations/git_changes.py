"""Uncommitted changes of a git working tree, untracked files included, read without running anything of the repository.

A repository can name programs that git runs while it looks (file-system monitors, filters, text converters, external
diffs). So git is only asked for lists and for stored contents; comparing is done here. It may neither write nor fetch.
"""

import os
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from openclaw_tui.constants import GIT_TIMEOUT_SECONDS

_QUIET = (
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "protocol.allow=never"),
    *("-c", "core.untrackedCache=false"),
)
_ENVIRONMENT = {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
_GITLINK = "160000"


@dataclass(frozen=True, slots=True)
class GitFile:
    """One file that may differ from the last commit. `blob` is the stored object, empty for an untracked file."""

    path: Path
    blob: str = ""


@dataclass(frozen=True, slots=True)
class GitChanges:
    """`root` is None outside a repository; `problem` says why nothing could be read."""

    root: Path | None = None
    files: tuple[GitFile, ...] = ()
    problem: str = ""


def git_changes(folder: Path) -> GitChanges:
    """Files that may differ from the last commit, and untracked ones. Blocks; bounded in time."""
    try:
        top = _git(folder, "rev-parse", "--show-toplevel")
        if top is None:
            return GitChanges()
        root = Path(os.fsdecode(top.rstrip(b"\n")))
        tracked = list(_different(root))
        others = _git(root, "ls-files", "--others", "--exclude-standard", "-z") or b""
        untracked = [GitFile(root / os.fsdecode(name)) for name in others.split(b"\0") if name]
        return GitChanges(root, (*tracked, *untracked))
    except FileNotFoundError:
        return GitChanges(problem="git is not installed")
    except subprocess.TimeoutExpired:
        return GitChanges(problem=f"git took longer than {GIT_TIMEOUT_SECONDS:g} s")
    except OSError as error:
        return GitChanges(problem=f"git cannot be run ({error.strerror or error})")


def stored_content(root: Path, blob: str) -> bytes | None:
    """A stored object as it is; None where it cannot be had."""
    try:
        return _git(root, "cat-file", "blob", blob)
    except (OSError, subprocess.TimeoutExpired):
        return None


def _different(root: Path) -> Iterator[GitFile]:
    """Tracked files whose size or time, or whose staged content, is another than that of the last commit."""
    head = "HEAD" if _git(root, "rev-parse", "--verify", "--quiet", "HEAD") is not None else _empty_tree(root)
    fields = (_git(root, "diff-index", "--raw", "--no-renames", "--no-abbrev", "-z", head) or b"").split(b"\0")
    for about, name in zip(fields[::2], fields[1::2], strict=False):
        old_mode, new_mode, blob = about.decode("ascii").lstrip(":").split(" ")[:3]
        if _GITLINK not in (old_mode, new_mode):
            yield GitFile(root / os.fsdecode(name), "" if set(blob) == {"0"} else blob)


def _empty_tree(root: Path) -> str:
    made = subprocess.run(
        ["git", *_QUIET, "hash-object", "-t", "tree", "--stdin"],
        cwd=root,
        input=b"",
        capture_output=True,
        timeout=GIT_TIMEOUT_SECONDS,
        env={**os.environ, **_ENVIRONMENT},
        check=False,
    )
    return made.stdout.decode("ascii", "replace").strip()


def _git(folder: Path, *arguments: str) -> bytes | None:
    """What git prints; None when it fails."""
    command: Sequence[str] = ("git", *_QUIET, *arguments)
    done = subprocess.run(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=GIT_TIMEOUT_SECONDS,
        env={**os.environ, **_ENVIRONMENT},
        check=False,
    )
    return done.stdout if done.returncode == 0 else None
