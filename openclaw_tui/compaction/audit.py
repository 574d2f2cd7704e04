"""Two checks of a finished summary that need no model: its headings, and whose words its asks are.

Headings that are missing are added, since a further call would cost more than they are worth. Names in the asks (paths,
quoted words, identifiers) that no message of the user holds are listed, so that a summary which drifted to other files
of the workspace is not taken for the user's wish.
"""

import re
from collections.abc import Sequence

from openclaw_tui.compaction.identifiers import extract_identifiers
from openclaw_tui.compaction.instructions import HEADINGS
from openclaw_tui.constants import UNASKED_NAMES_LISTED

NOTHING_CAPTURED = "None captured."
_ASKS = re.compile(r"^[#*\s]*(?:pending user asks|goal)\b[*:]*\s*", re.IGNORECASE | re.MULTILINE)
_NEXT_HEADING = re.compile(r"^(?:#{1,6}\s|\*\*\w)", re.MULTILINE)
_FILE_NAME = re.compile(r"(?<![\w/.-])[\w-]+\.[A-Za-z][A-Za-z0-9]{0,4}\b(?![\w(])")
_QUOTED = re.compile(r"`([^`\n]{2,80})`")


def with_headings(body: str) -> str:
    """The summary with each of the five headings; what the model did not write stands under its own empty one."""
    missing = [heading for heading in HEADINGS if not _has(body, heading)]
    return "\n\n".join([body.rstrip(), *(f"{heading}\n{NOTHING_CAPTURED}" for heading in missing)]).lstrip()


def unasked_names(body: str, user_texts: Sequence[str]) -> list[str]:
    """Names in the goal or the pending asks that the user never used, in order, bounded."""
    said = "\n".join(user_texts).lower()
    asks = _asks(body)
    names = [*_QUOTED.findall(asks), *_FILE_NAME.findall(asks), *extract_identifiers(asks)]
    strange = [name for name in dict.fromkeys(names) if name.lower() not in said and not _is_part_of(name, said)]
    return strange[:UNASKED_NAMES_LISTED]


def _has(body: str, heading: str) -> bool:
    name = re.escape(heading.lstrip("# "))
    return re.search(rf"^[#*\s]*{name}[*:\s]*$", body, re.IGNORECASE | re.MULTILINE) is not None


def _asks(body: str) -> str:
    """What stands under the goal and under the pending asks."""
    found: list[str] = []
    for heading in _ASKS.finditer(body):
        end = _NEXT_HEADING.search(body, heading.end())
        found.append(body[heading.end() : end.start() if end else len(body)])
    return "\n".join(found)


def _is_part_of(name: str, said: str) -> bool:
    """A path counts as said when the user named its last part."""
    last = name.rstrip("/").rsplit("/", 1)[-1].lower()
    return len(last) > 2 and last in said
