"""A unified diff as rows: line numbers, a sign, a tint for the line and a stronger one for the words that changed.

The sign column says what the colour says, so that nothing is lost without colours. A copy takes sign and text.
"""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Literal, TypeAlias

import msgspec
from rich.segment import Segment
from rich.style import Style

from openclaw_tui.constants import DIFF_MAX_LINES, DIFF_WORD_MAX_CHARS, DIFF_WORD_MIN_SIMILARITY
from openclaw_tui.ui.textual.rendering.palette import Palette
from openclaw_tui.ui.textual.rendering.rows import Row, filled, prefixed, wrap
from openclaw_tui.ui.textual.rendering.safe_text import visible

Sign: TypeAlias = Literal["+", "-", " ", "@", "\\", "="]
"""What a line is: added, removed, context, start of a hunk, a remark, or the name of a file."""
Span: TypeAlias = tuple[int, int]

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)")
_WORD = re.compile(r"\w+|\s+|[^\w\s]")


class DiffLine(msgspec.Struct, frozen=True):
    """One line: `number` is the old one for a removed line, else the new one; `marks` are the changed words."""

    sign: Sign
    number: int
    text: str
    marks: tuple[Span, ...] = ()


def diff_counts(diff: str) -> tuple[int, int]:
    """Added and removed lines of a unified diff."""
    lines = parse_diff(diff)
    return sum(line.sign == "+" for line in lines), sum(line.sign == "-" for line in lines)


def parse_diff(diff: str) -> list[DiffLine]:
    """The lines of a unified diff. The counts of a hunk say where it ends, whatever its lines look like."""
    lines: list[DiffLine] = []
    old = new = old_left = new_left = 0
    for raw in visible(diff).split("\n"):
        sign, text = raw[:1], raw[1:]
        if old_left <= 0 and new_left <= 0:
            if hunk := _HUNK.match(raw):
                old, new = int(hunk.group(1)), int(hunk.group(3))
                old_left, new_left = int(hunk.group(2) or 1), int(hunk.group(4) or 1)
                lines.append(DiffLine("@", new, hunk.group(5)))
            elif raw.startswith("+++ "):
                lines.append(DiffLine("=", 0, text[3:].partition("\t")[0].removeprefix("b/")))
            elif sign == "\\":
                lines.append(DiffLine("\\", new, text.strip()))
        elif sign == "+":
            lines.append(DiffLine("+", new, text))
            new, new_left = new + 1, new_left - 1
        elif sign == "-":
            lines.append(DiffLine("-", old, text))
            old, old_left = old + 1, old_left - 1
        elif sign == "\\":
            lines.append(DiffLine("\\", new, text.strip()))
        else:
            lines.append(DiffLine(" ", new, text))
            old, new, old_left, new_left = old + 1, new + 1, old_left - 1, new_left - 1
    return lines if sum(line.sign == "=" for line in lines) > 1 else [line for line in lines if line.sign != "="]


def diff_rows(diff: str, width: int, palette: Palette) -> list[Row]:
    """Rows of a unified diff, bounded; each is filled to the width."""
    lines = parse_diff(diff)
    shown = with_marks(lines[:DIFF_MAX_LINES])
    digits = max((len(str(line.number)) for line in shown), default=1)
    rows: list[Row] = []
    for line in shown:
        rows += _line_rows(line, digits, width, palette)
    if len(lines) > len(shown):
        rows.append(Row([Segment(f"… {len(lines) - len(shown)} more lines of the diff", palette.muted)], whole=""))
    return rows


def _line_rows(line: DiffLine, digits: int, width: int, palette: Palette) -> list[Row]:
    if line.sign == "=":
        return [Row([Segment(line.text, palette.tool_name)])]
    if line.sign == "@":
        return [Row([Segment(f"{'⋯':>{digits}}  {line.text}", palette.hunk)], whole="", join="")]
    base, word = {
        "+": (palette.added, palette.added_word),
        "-": (palette.removed, palette.removed_word),
    }.get(line.sign, (palette.tool_text, palette.tool_text))
    number = Segment(f"{line.number:>{digits}} ", palette.muted if line.sign == " " else base)
    if digits + 3 >= width:
        return prefixed(wrap(list(_runs(line, base, word)), width, hard=True), [], [], line.sign)
    room = width - digits - 3
    first = [number, Segment(f"{line.sign} ", base)]
    rest = [Segment(" " * (digits + 1), base), Segment("  ", base)]
    rows = prefixed(wrap(list(_runs(line, base, word)), room, hard=True), first, rest, line.sign)
    return [filled(row, width, base) for row in rows] if line.sign in "+-" else rows


def _runs(line: DiffLine, base: Style, word: Style) -> Iterator[Segment]:
    position = 0
    for start, end in line.marks:
        if start > position:
            yield Segment(line.text[position:start], base)
        yield Segment(line.text[start:end], word)
        position = end
    if position < len(line.text):
        yield Segment(line.text[position:], base)


def with_marks(lines: Sequence[DiffLine]) -> list[DiffLine]:
    """Marks the changed words: each run of removed lines is paired with the added lines right after it."""
    result = list(lines)
    index = 0
    while index < len(result):
        removed = _run_of("-", result, index)
        added = _run_of("+", result, index + removed)
        for offset in range(min(removed, added)):
            first, second = index + offset, index + removed + offset
            result[first], result[second] = _marked(result[first], result[second])
        index += max(1, removed + added)
    return result


def _run_of(sign: Sign, lines: Sequence[DiffLine], start: int) -> int:
    end = start
    while end < len(lines) and lines[end].sign == sign:
        end += 1
    return end - start


def _marked(old: DiffLine, new: DiffLine) -> tuple[DiffLine, DiffLine]:
    if max(len(old.text), len(new.text)) > DIFF_WORD_MAX_CHARS:
        return old, new
    old_words, new_words = _WORD.findall(old.text), _WORD.findall(new.text)
    matcher = SequenceMatcher(None, old_words, new_words, autojunk=False)
    if matcher.ratio() < DIFF_WORD_MIN_SIMILARITY:
        return old, new
    old_marks, new_marks = [], []
    for tag, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        if tag == "equal":
            continue
        old_marks.append(_span(old_words, old_start, old_end))
        new_marks.append(_span(new_words, new_start, new_end))
    return (
        DiffLine(old.sign, old.number, old.text, tuple(mark for mark in old_marks if mark[0] < mark[1])),
        DiffLine(new.sign, new.number, new.text, tuple(mark for mark in new_marks if mark[0] < mark[1])),
    )


def _span(words: Sequence[str], start: int, end: int) -> Span:
    begin = sum(len(word) for word in words[:start])
    return begin, begin + sum(len(word) for word in words[start:end])
