"""What to say when a path does not exist: the names that come close."""

import os
from pathlib import Path

from rapidfuzz import fuzz, process

from openclaw_tui.constants import NEAR_NAME_MIN_SCORE
from openclaw_tui.errors import ToolError
from openclaw_tui.tools.terminal_text import one_line
from openclaw_tui.tools.workspace import Workspace


def missing(path: Path, workspace: Workspace) -> ToolError:
    """The error for a path that is not there, with up to three near names of its folder."""
    name = one_line(workspace.display(path))
    parent = path.parent
    if not parent.is_dir():
        while not parent.is_dir():
            parent = parent.parent
        return ToolError(f"{name} does not exist, nor does its folder; the nearest is {workspace.display(parent)}/")
    near = process.extract(path.name, _names(parent), scorer=fuzz.WRatio, limit=3, score_cutoff=NEAR_NAME_MIN_SCORE)
    if not near:
        return ToolError(f"{name} does not exist; use ls or find to see what does")
    return ToolError(f"{name} does not exist; near names there: {', '.join(one_line(choice) for choice, _, _ in near)}")


def _names(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []
