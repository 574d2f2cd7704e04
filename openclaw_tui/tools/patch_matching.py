"""Chunks of a patch put into the text of a file.

Old lines are searched from where the last chunk ended: exact, then without trailing blanks, without outer blanks, and
with plain punctuation. Kept lines stay as the file has them, byte for byte, however loosely they matched.
"""

import itertools
from collections.abc import Callable, Sequence

from openclaw_tui.errors import ToolError
from openclaw_tui.tools.edit_matching import plain
from openclaw_tui.tools.patch_parsing import Chunk

_LEVELS: tuple[Callable[[str], str], ...] = (lambda line: line, str.rstrip, str.strip, plain)


def apply_chunks(text: str, chunks: Sequence[Chunk], line_end: str, name: str) -> str:
    """The changed text. Raises ToolError naming what was not found; line ends are the file's."""
    cr = "\r" if line_end == "\r\n" else ""
    ended = text.endswith("\n") or not text
    lines = text.removesuffix("\n").split("\n") if text else []
    if lines and not ended:
        lines[-1] += cr
    result: list[str] = []
    at = 0
    last_is_new = False
    for chunk in chunks:
        start, taken = _place(lines, chunk, at, name)
        result += lines[at:start]
        here = start
        for kind, new in taken:
            if kind == "+":
                result.append(new + cr)
            else:
                result += lines[here : here + 1] if kind == " " else []
                here += 1
            last_is_new = kind != " "
        at = here
    rest = lines[at:]
    result += rest
    if not result:
        return ""
    if ended or (last_is_new and not rest):
        return "\n".join(result) + "\n"
    return "\n".join(result).removesuffix(cr)


def _place(lines: list[str], chunk: Chunk, at: int, name: str) -> tuple[int, list[tuple[str, str]]]:
    """Where the chunk's lines go, and the lines that count (a stray empty last one may be left out)."""
    taken: list[tuple[str, str]] = list(chunk.lines)
    for context in chunk.contexts:
        found = _find(lines, [context], at, at_end=False)
        if found is None:
            raise ToolError(f"failed to find the context {context!r} in {name} after line {at}; nothing was changed")
        at = found + 1
    if not chunk.old_lines:
        return (at if chunk.contexts else len(lines)), taken
    place = _find(lines, chunk.old_lines, at, at_end=chunk.at_end)
    if place is None and taken[-1] == (" ", ""):
        taken = taken[:-1]
        place = _find(lines, [text for kind, text in taken if kind != "+"], at, at_end=chunk.at_end)
    if place is None and chunk.contexts:
        place = _find(lines, chunk.old_lines, at - 1, at_end=chunk.at_end)
    if place is None:
        shown = "\n".join(chunk.old_lines[:6])
        raise ToolError(f"failed to find these lines in {name} after line {at}; nothing was changed:\n{shown}")
    return place, taken


def _find(lines: list[str], wanted: list[str], at: int, *, at_end: bool) -> int | None:
    last = len(lines) - len(wanted)
    starts = [last] if at_end and last >= at else []
    for level in _LEVELS:
        keys = [level(line) for line in wanted]
        for start in itertools.chain(starts, range(at, last + 1)):
            if level(lines[start].removesuffix("\r")) == keys[0] and all(
                level(lines[start + offset].removesuffix("\r")) == key for offset, key in enumerate(keys)
            ):
                return start
    return None
