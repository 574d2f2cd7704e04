"""Pictures on their way into a prompt: a pasted or dropped path, or what lies on the system's clipboard.

Terminals hand over text only; the clipboard is read by the usual small programs where one of them is installed.
"""

import os
import shlex
import shutil
import subprocess
import time
from pathlib import Path
from urllib.parse import unquote, urlsplit

from openclaw_tui.atomic_write import make_private_dir
from openclaw_tui.constants import CLIPBOARD_SECONDS

_SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".webp")
_READERS = (
    ("wl-paste", ("--no-newline", "--type", "image/png")),
    ("xclip", ("-selection", "clipboard", "-target", "image/png", "-out")),
    ("pngpaste", ("-",)),
)
_PNG = b"\x89PNG\r\n\x1a\n"


def pasted_picture(text: str) -> Path | None:
    """The picture file that a pasted text names: bare, quoted, with escaped blanks, or as a file URL."""
    line = text.strip()
    if "\n" in line or not line.rstrip("'\"").lower().endswith(_SUFFIXES):
        return None
    if line.startswith("file://"):
        line = unquote(urlsplit(line).path)
    else:
        try:
            words = shlex.split(line)
        except ValueError:
            words = [line]
        line = words[0] if len(words) == 1 else line
    path = Path(os.path.expanduser(line))
    return path if path.is_absolute() and os.path.isfile(path) else None


def clipboard_picture(folder: Path) -> Path | None:
    """The picture on the clipboard, written to a file below `folder`; None where there is none. Slow."""
    for program, arguments in _READERS:
        found = shutil.which(program)
        if found is None:
            continue
        try:
            run = subprocess.run(
                [found, *arguments], capture_output=True, timeout=CLIPBOARD_SECONDS, stdin=subprocess.DEVNULL
            )
        except (OSError, subprocess.SubprocessError):
            continue
        if run.stdout.startswith(_PNG):
            make_private_dir(folder)
            file = folder / f"clipboard-{int(time.time() * 1000)}.png"
            file.write_bytes(run.stdout)
            return file
    return None


def has_clipboard_reader() -> bool:
    return any(shutil.which(program) for program, _arguments in _READERS)
