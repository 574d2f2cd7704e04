"""Whether a repository's own settings make git start programs when it only looks.

A folder somebody else packed may bring a `.git/config` along: file monitors, filters and hooks run on `git status`.
Invariant: a setting of a kind that can start a program counts, whatever it names, but for those of Git LFS.
"""

import os
import re
from pathlib import Path

from openclaw_tui.constants import BOOTSTRAP_TOTAL_MAX_CHARS

_STARTS = re.compile(
    r"^\s*(?:fsmonitor|external|textconv|clean|smudge|process|program|path|worktreeconfig|cmd)"
    r"\s*=\s*(?!\s*(?:true|false|yes|no|on|off|0|1|\"?git-lfs [\w -]+%?f?\"?)?\s*$)",
    re.IGNORECASE | re.MULTILINE,
)
_HOOKS_PATH = re.compile(r"^\s*hookspath\s*=\s*(\S.*?)\s*$", re.IGNORECASE | re.MULTILINE)
_HOOKS_OF_LOOKING = ("post-index-change", "fsmonitor-watchman")


def starts_programs(folder: Path) -> Path | None:
    """The file by which git would start something of the repository's around `folder`; None where there is none."""
    for place in (folder, *folder.parents):
        marker = place / ".git"
        if marker.is_dir():
            return _found(marker)
        if (place / "HEAD").is_file() and (place / "objects").is_dir():
            return _found(place)  # a bare repository is one by its contents alone
        if marker.exists():
            return None  # a working tree or submodule: its repository is looked at where it lies
    return None


def _found(repository: Path) -> Path | None:
    config = repository / "config"
    try:
        with config.open(encoding="utf-8", errors="replace") as handle:
            text = handle.read(BOOTSTRAP_TOTAL_MAX_CHARS)
            cut = bool(handle.read(1))
    except OSError:
        text, cut = "", False
    if cut or _STARTS.search(text.replace("\\\n", " ")):
        return config
    named = [match[1].strip('"') for match in _HOOKS_PATH.finditer(text)]
    folders = [repository / "hooks", *(repository.parent / Path(os.path.expanduser(name)) for name in named)]
    hooks = (folder / name for folder in folders for name in _HOOKS_OF_LOOKING)
    return next((hook for hook in hooks if hook.exists()), None)
