"""What a new session begins with: where one is, and the three signs worth knowing."""

import os
from pathlib import Path

import openclaw_tui


def welcome(project: Path) -> str:
    """Two lines."""
    return (
        f"openclaw-tui {openclaw_tui.__version__} in {short_path(project)}\n"
        "Write what you want done. / lists the commands, @ names a file, ? shows the keys."
    )


def short_path(path: Path) -> str:
    """The path with `~` for the home folder."""
    home = os.path.expanduser("~")
    text = str(path)
    return f"~{text[len(home) :]}" if text == home or text.startswith(home + os.sep) else text
