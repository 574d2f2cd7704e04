"""The user's own editor for a long prompt: which program it is, and one round trip through a private file.

The terminal belongs to the editor while `edited` runs; the caller gives it away and takes it back.
"""

import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from openclaw_tui.errors import OpenClawError

_USUAL = ("nano", "vim", "vi")


def editor_command(environ: Mapping[str, str]) -> list[str]:
    """The words that start it: VISUAL, else EDITOR, else a usual one. Raises OpenClawError where there is none."""
    for name in ("VISUAL", "EDITOR"):
        value = environ.get(name, "").strip()
        if not value:
            continue
        try:
            words = shlex.split(value)
        except ValueError as error:
            raise OpenClawError(f"{name} is no command line ({error}): {value}") from error
        if words:
            return words
    found = next((path for usual in _USUAL if (path := shutil.which(usual))), None)
    if found is None:
        raise OpenClawError("no editor: set VISUAL or EDITOR to the program that is to open")
    return [found]


def edited(text: str, command: list[str]) -> str:
    """The text as the editor left it; unchanged when the editor failed is an error. Blocks until it is closed."""
    with tempfile.TemporaryDirectory(prefix="openclaw-prompt-") as folder:
        file = Path(folder) / "prompt.md"
        file.write_text(text, encoding="utf-8")
        file.chmod(0o600)
        try:
            code = subprocess.run([*command, str(file)], check=False).returncode
        except OSError as error:
            raise OpenClawError(f"{command[0]} cannot be started: {error.strerror or error}") from error
        if code != 0:
            raise OpenClawError(f"{os.path.basename(command[0])} ended with code {code}; the prompt is as it was")
        try:
            return file.read_text(encoding="utf-8", errors="replace").rstrip("\n")
        except OSError as error:
            raise OpenClawError(f"the editor left no file ({error.strerror}); the prompt is as it was") from error


def opened(path: Path, command: list[str]) -> None:
    """Let the editor have a file; its folder is made. Blocks until it is closed. Raises OpenClawError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        code = subprocess.run([*command, str(path)], check=False).returncode
    except OSError as error:
        raise OpenClawError(f"{path} cannot be edited with {command[0]}: {error.strerror or error}") from error
    if code != 0:
        raise OpenClawError(f"{os.path.basename(command[0])} ended with code {code}; look at {path} first")
