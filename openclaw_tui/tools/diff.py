"""Unified diffs of a change, for the question before it and the result after it.

Only the region that differs is compared, and a very long one is shown as removed and added, so that a diff of any file
is quick.
"""

from collections.abc import Iterator
from difflib import SequenceMatcher

import msgspec

from openclaw_tui.constants import DIFF_CONTEXT_LINES, DIFF_MAX_COMPARED_LINES

_Change = tuple[int, int, int, int]


class FileDiff(msgspec.Struct, frozen=True):
    """`text` is a unified diff with headers; `first_changed_line` counts from 1 in the new file, 0 for no change."""

    text: str
    added: int
    removed: int
    first_changed_line: int

    def summary(self) -> str:
        return f"+{self.added} -{self.removed} lines"

    def shortened(self, max_lines: int) -> str:
        """The hunks without the file headers, cut to `max_lines`."""
        lines = self.text.split("\n")[2:]
        if len(lines) <= max_lines:
            return "\n".join(lines)
        return "\n".join([*lines[:max_lines], f"[... {len(lines) - max_lines} more diff lines]"])


def diff_texts(old: str | None, new: str | None, name: str, *, new_name: str | None = None) -> FileDiff:
    """The difference of two contents; None stands for a file that does not exist."""
    before, after = _lines(old), _lines(new)
    changes = list(_changes(before, after))
    added = sum(stop - start for _, _, start, stop in changes)
    removed = sum(stop - start for start, stop, _, _ in changes)
    header = [
        f"--- {'/dev/null' if old is None else f'a/{name}'}",
        f"+++ {'/dev/null' if new is None else f'b/{new_name or name}'}",
    ]
    body = [line for group in _grouped(changes) for line in _hunk(group, before, after)]
    return FileDiff("\n".join([*header, *body]), added, removed, changes[0][2] + 1 if changes else 0)


def _lines(text: str | None) -> list[str]:
    if not text:
        return []
    lines = text.split("\n")
    if lines[-1]:
        lines[-1] += "\n\\ No newline at end of file"
    else:
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def _changes(before: list[str], after: list[str]) -> Iterator[_Change]:
    """Changed ranges (old start, old end, new start, new end), in order."""
    start = 0
    shortest = min(len(before), len(after))
    while start < shortest and before[start] == after[start]:
        start += 1
    end = 0
    while end < shortest - start and before[-1 - end] == after[-1 - end]:
        end += 1
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    if not old and not new:
        return
    if max(len(old), len(new)) > DIFF_MAX_COMPARED_LINES:
        yield start, start + len(old), start, start + len(new)
        return
    for tag, old_start, old_end, new_start, new_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            yield start + old_start, start + old_end, start + new_start, start + new_end


def _grouped(changes: list[_Change]) -> Iterator[list[_Change]]:
    group: list[_Change] = []
    for change in changes:
        if group and change[0] - group[-1][1] > 2 * DIFF_CONTEXT_LINES:
            yield group
            group = []
        group.append(change)
    if group:
        yield group


def _hunk(group: list[_Change], before: list[str], after: list[str]) -> Iterator[str]:
    lead = min(group[0][0], DIFF_CONTEXT_LINES)
    trail = min(len(before) - group[-1][1], DIFF_CONTEXT_LINES)
    old_from, old_to = group[0][0] - lead, group[-1][1] + trail
    new_from, new_to = group[0][2] - lead, group[-1][3] + trail
    yield f"@@ -{_range(old_from, old_to)} +{_range(new_from, new_to)} @@"
    at = old_from
    for old_start, old_end, new_start, new_end in group:
        yield from (f" {line}" for line in before[at:old_start])
        yield from (f"-{line}" for line in before[old_start:old_end])
        yield from (f"+{line}" for line in after[new_start:new_end])
        at = old_end
    yield from (f" {line}" for line in before[at:old_to])


def _range(start: int, end: int) -> str:
    length = end - start
    return f"{start + (1 if length else 0)},{length}"
