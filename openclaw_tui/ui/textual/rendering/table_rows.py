"""Tables as rows: column widths shared out fairly, cells wrapped; too narrow for columns, a list of name and value."""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
from rich.segment import Segment

from openclaw_tui.constants import TABLE_COLUMN_MIN_CELLS
from openclaw_tui.ui.textual.rendering.palette import Palette
from openclaw_tui.ui.textual.rendering.rows import Row, cells_of, prefixed, wrap, wrap_lines

_GAP = " │ "


class Cell(NamedTuple):
    """One cell: its runs, `left`, `center`, `right` or nothing, and its source text for copies."""

    runs: list[Segment]
    align: str
    source: str


class _Columns(msgspec.Struct, frozen=True):
    widths: list[int]
    palette: Palette


def table_rows(table: Sequence[Sequence[Cell]], width: int, palette: Palette) -> list[Row]:
    """Rows of a table whose first line is its header."""
    if not table or not table[0]:
        return []
    count = len(table[0])
    widths = column_widths([[cells_of(cell.runs) for cell in line] for line in table], width - len(_GAP) * (count - 1))
    if not widths:
        return _as_list(table, width, palette)
    columns = _Columns(widths, palette)
    rule = "─┼─".join("─" * cells for cells in widths)
    rows = _line_rows(table[0], columns)
    rows.append(Row([Segment(rule, palette.rule)], whole="| " + " | ".join(["---"] * count) + " |"))
    for line in table[1:]:
        rows += _line_rows(line, columns)
    return rows


def column_widths(natural: Sequence[Sequence[int]], room: int) -> list[int]:
    """A width per column that together need at most `room` cells; empty where columns would be too narrow to read.

    Columns that are narrower than a fair share keep their width; the others share what is left.
    """
    wanted = [max(1, *column) if len(column) > 1 else max(1, column[0]) for column in zip(*natural, strict=True)]
    if sum(wanted) <= room:
        return wanted
    widths = [0] * len(wanted)
    open_columns = sorted(range(len(wanted)), key=lambda column: wanted[column])
    while open_columns:
        share = room // len(open_columns)
        column = open_columns.pop(0)
        widths[column] = min(wanted[column], share)
        room -= widths[column]
    return (
        widths
        if min(width - min(want, TABLE_COLUMN_MIN_CELLS) for width, want in zip(widths, wanted, strict=True)) >= 0
        else []
    )


def _line_rows(line: Sequence[Cell], columns: _Columns) -> list[Row]:
    wrapped = [wrap_lines(cell.runs, width) for cell, width in zip(line, columns.widths, strict=True)]
    height = max(len(rows) for rows in wrapped)
    copied = "| " + " | ".join(cell.source for cell in line) + " |"
    rows: list[Row] = []
    for number in range(height):
        segments: list[Segment] = []
        for column, (cell, width) in enumerate(zip(line, columns.widths, strict=True)):
            runs = wrapped[column][number].segments if number < len(wrapped[column]) else []
            space = max(0, width - cells_of(runs))
            left = {"right": space, "center": space // 2}.get(cell.align, 0)
            if column:
                segments.append(Segment(_GAP, columns.palette.rule))
            segments += [Segment(" " * left), *runs, Segment(" " * (space - left))]
        last = number == height - 1
        rows.append(Row(segments, whole=copied if number == 0 else "", join="\n" if last else ""))
    return rows


def _as_list(table: Sequence[Sequence[Cell]], width: int, palette: Palette) -> list[Row]:
    """Each line of the table as its cells one under the other, named by the header."""
    rows: list[Row] = []
    for line in table[1:]:
        if rows:
            rows.append(Row([Segment("─" * min(width, 8), palette.rule)], whole="", join=""))
        for head, cell in zip(table[0], line, strict=True):
            rows += wrap([*head.runs, Segment(": ", palette.muted), *cell.runs], width)
    return rows or prefixed(wrap([run for head in table[0] for run in [*head.runs, Segment(" ")]], width), [], [])
