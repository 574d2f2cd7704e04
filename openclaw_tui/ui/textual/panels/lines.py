"""A panel's rows as runs of text with the role that paints them; pure, so that tests read what a panel says.

Invariant: a line handed out by `fitted` or `spread` is never wider than asked for and never splits a character.
"""

from collections.abc import Sequence
from typing import TypeAlias

from rich.cells import cell_len

from openclaw_tui.ui.textual.rendering.safe_text import fit

Run: TypeAlias = tuple[str, str]
"""Text and role. Roles are the names of the component classes in `panel.py`."""

Line: TypeAlias = list[Run]


def width_of(line: Sequence[Run]) -> int:
    return sum(cell_len(text) for text, _ in line)


def plain(line: Sequence[Run]) -> str:
    return "".join(text for text, _ in line)


def chosen_line(line: Sequence[Run], *, mark: str = "▸ ") -> Line:
    """The row that is chosen: one run behind a mark, so that colour is not alone."""
    return [(mark + plain(line), "selected")]


def fitted(line: Sequence[Run], width: int) -> Line:
    """The line cut to a width, with an ellipsis where something is missing."""
    if width_of(line) <= width:
        return list(line)
    shown: Line = []
    room = width
    for text, role in line:
        cells = cell_len(text)
        if cells < room or (cells == room and (text, role) == line[-1]):
            shown.append((text, role))
            room -= cells
            continue
        shown.append((fit(text, room) if cells > room else fit(text + " ", room), role))
        break
    return shown


def spread(left: Sequence[Run], right: Sequence[Run], width: int) -> Line:
    """Left and right with blanks between them; the left one gives way, the right one only when it is alone too wide."""
    right = fitted(right, width)
    room = width - width_of(right)
    left = fitted(left, max(0, room - 1)) if right else fitted(left, width)
    return [*left, (" " * max(0, room - width_of(left)), "text"), *right]


def wrapped(text: str, width: int, role: str, *, indent: int = 0, limit: int = 0) -> list[Line]:
    """Words broken into lines of a width; with a `limit` the last line says that there is more."""
    room = max(1, width - indent)
    rows: list[str] = [""]
    for word in text.split():
        joined = f"{rows[-1]} {word}".strip()
        if cell_len(joined) <= room:
            rows[-1] = joined
        else:
            rows.append(word)
    rows = [row for row in rows if row]
    if limit and len(rows) > limit:
        rows = [*rows[: limit - 1], f"{rows[limit - 1]} …"]
    return [[(" " * indent, "text"), (fit(row, room), role)] for row in rows]
