"""Uncommitted changes of a git working tree, untracked files included, read without running anything of the repository.

A repository can name programs that git runs while it looks (file-system monitors, filters, text converters, external
diffs). So git is only asked for lists and for stored contents; comparing is done here. It may neither write nor fetch.
"""

import hashlib
import os
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from openclaw_tui.constants import GIT_TIMEOUT_SECONDS

_QUIET = (
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "protocol.allow=never"),
    *("-c", "core.untrackedCache=false"),
)
_ENVIRONMENT = {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
_INDEX_ENTRY = re.compile(
    rb"(?P<mode>\d{6}) (?P<blob>[0-9a-f]+) \d\t(?P<name>[^\0]+)\0  ctime: [^\n]*\n"
    rb"  mtime: (?P<seconds>\d+):(?P<nanoseconds>\d+)\n  dev: [^\n]*\n  uid: [^\n]*\n  size: (?P<size>\d+)\t[^\n]*\n"
)


class GitFile(msgspec.Struct, frozen=True):
    """One file that may differ from the last commit. `blob` is the stored object, empty for an untracked file."""

    path: Path
    blob: str = ""


class GitChanges(msgspec.Struct, frozen=True):
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
        committed = _committed(root)
        tracked = list(_different(root, committed))
        others = _git(root, "ls-files", "--others", "--exclude-standard", "-z") or b""
        untracked = [
            GitFile(root / os.fsdecode(name)) for name in others.split(b"\0") if name and name not in committed
        ]
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


def _different(root: Path, committed: Mapping[bytes, str]) -> Iterator[GitFile]:
    """Tracked files that are not what the last commit holds, by git's own digest of their bytes.

    git itself would put a file through the repository's filter programs before it compares it.
    """
    listed = _git(root, "ls-files", "--stage", "--debug", "-z") or b""
    known = set()
    for entry in _INDEX_ENTRY.finditer(listed):
        name, blob = entry["name"], entry["blob"].decode("ascii")
        known.add(name)
        path = root / os.fsdecode(name)
        may_differ = entry["mode"].startswith(b"100") and (committed.get(name) != blob or _was_touched(path, entry))
        if may_differ and _digest(path, len(blob)) != committed.get(name, ""):
            yield GitFile(path, committed.get(name, ""))
    yield from (GitFile(root / os.fsdecode(name), blob) for name, blob in committed.items() if name not in known)


def _committed(root: Path) -> dict[bytes, str]:
    """Digests of the last commit's regular files by name; none before the first commit."""
    listed = _git(root, "ls-tree", "-r", "-z", "HEAD") or b""
    heads = (line.partition(b"\t") for line in listed.split(b"\0") if line.startswith(b"100"))
    return {name: head.split(b" ")[2].decode("ascii") for head, _, name in heads}


def _was_touched(path: Path, entry: re.Match[bytes]) -> bool:
    """Whether a file may be another than when git last looked. git leaves the size of one it was unsure of at 0."""
    try:
        status = path.lstat()
    except OSError:
        return True
    seen = int(entry["seconds"]) * 1_000_000_000 + int(entry["nanoseconds"])
    return status.st_mtime_ns != seen or status.st_size != int(entry["size"])


def _digest(path: Path, digits: int) -> str:
    """The name git would give the content; empty without a file."""
    try:
        data = path.read_bytes()
    except OSError:
        return ""
    made = hashlib.sha1 if digits == hashlib.sha1().digest_size * 2 else hashlib.sha256
    return made(b"blob %d\0" % len(data) + data).hexdigest()


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
