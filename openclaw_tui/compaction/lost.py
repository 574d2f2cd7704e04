"""What stood in the covered talk and stands neither in the summary nor in what is still sent. No model is asked.

Names that cannot be guessed again count: paths, hashes, ids, addresses, commands, open to-dos. How often something was
said tells how much it may matter.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, TypeAlias, get_args

import msgspec

from openclaw_tui.compaction.identifiers import extract_identifiers
from openclaw_tui.constants import LOST_COMMAND_CHARS, LOST_ITEMS_KEPT

LostKind: TypeAlias = Literal["to-do", "command", "path", "port", "url", "hash", "id", "number"]
KINDS: tuple[LostKind, ...] = get_args(LostKind)

_OPEN_BOX = re.compile(r"^\s*(?:[-*]|\d+[.)])\s*\[ \]\s+(\S.{2,160})$", re.MULTILINE)
_TODO = re.compile(r"\b(?:TO-?DO|FIX-?ME|to do)\b[:\s]+([^\n]{3,160})", re.IGNORECASE)
_HEX = re.compile(r"[0-9a-fA-F]{8,64}")
_PORT = re.compile(r"[\w.-]+:\d{2,5}")


class Lost(msgspec.Struct, frozen=True):
    """`times` is how often it stood in the covered talk."""

    kind: LostKind
    text: str
    times: int = 1


def lost_items(covered: Sequence[str], commands: Iterable[str], todos: Iterable[str], present: str) -> tuple[Lost, ...]:
    """Everything of the covered texts that `present` (the summary and what is sent beside it) does not hold.

    To-dos and commands first, then names by how often they were said; bounded.
    """
    held = " ".join(present.lower().split())
    names = Counter(name for text in covered for name in extract_identifiers(text))
    found = [Lost("to-do", text) for text in dict.fromkeys([*todos, *_boxes(covered)])]
    said = Counter(" ".join(command.split()) for command in commands)
    found += [Lost("command", text[:LOST_COMMAND_CHARS], times) for text, times in said.most_common()]
    found += [Lost(_kind(name), name, times) for name, times in names.most_common()]
    missing = [item for item in found if item.text and not _holds(held, item)]
    missing.sort(key=lambda item: KINDS.index(item.kind) if item.kind in ("to-do", "command") else len(KINDS))
    return tuple(missing[:LOST_ITEMS_KEPT])


def _boxes(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        yield from (" ".join(box.split()) for box in _OPEN_BOX.findall(text))
        yield from (" ".join(todo.split()) for todo in _TODO.findall(text))


def _holds(held: str, item: Lost) -> bool:
    wanted = " ".join(item.text.lower().split())
    if wanted in held:
        return True
    parts = wanted.strip("/").split("/")
    return item.kind == "path" and len(parts) > 2 and "/".join(parts[-2:]) in held


def _kind(name: str) -> LostKind:
    if "://" in name:
        return "url"
    if "/" in name or "\\" in name:
        return "path"
    if _PORT.fullmatch(name):
        return "port"
    if name.isdigit():
        return "number"
    return "hash" if _HEX.fullmatch(name) else "id"
