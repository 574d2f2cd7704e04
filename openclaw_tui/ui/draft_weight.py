"""What the mentions in a draft would bring along, weighed without reading more than their sizes and lines.

A plain `@path` costs nothing by itself; lines (`@path:10-20`) and pictures travel with the message.
"""

import os
import re
from pathlib import Path

import msgspec

from openclaw_tui.constants import ATTACHED_LINES_MAX_CHARS, UNKNOWN_IMAGE_TOKENS
from openclaw_tui.tokens import estimate_text_tokens
from openclaw_tui.ui.figures import plural

_MENTION = re.compile(r"(?:^|(?<=\s))@(?:\"([^\"\n]+)\"|([^\s\":]+))(?::(\d+)(?:-(\d+))?)?")
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp")


class Named(msgspec.Struct, frozen=True):
    """Tokens of what comes along, and `1 file, 2 images`."""

    tokens: int = 0
    words: str = ""


NOTHING_NAMED = Named()


def named_in(draft: str, root: Path) -> Named:
    """Weigh what a draft names. What cannot be read weighs nothing; sending tells why."""
    tokens = files = images = 0
    for match in _MENTION.finditer(draft):
        path = root / os.path.expanduser(match[1] or match[2].rstrip(".,;!?)"))
        if path.suffix.lower() in _PICTURES and os.path.isfile(path):
            images, tokens = images + 1, tokens + UNKNOWN_IMAGE_TOKENS
        elif match[3]:
            size = _lines_tokens(path, int(match[3]), int(match[4] or match[3]))
            files, tokens = files + (size > 0), tokens + size
    words = [plural(files, "file")] if files else []
    words += [plural(images, "image")] if images else []
    return Named(tokens, ", ".join(words))


def _lines_tokens(path: Path, first: int, last: int) -> int:
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines() if os.path.isfile(path) else []
    except OSError:
        return 0
    first, last = min(first, last), max(first, last)
    return estimate_text_tokens("\n".join(lines[max(0, first - 1) : last])[:ATTACHED_LINES_MAX_CHARS])
