"""Selecting and copying in the transcript: from a range of rows to the logical text.

Gutters, bullets' glyphs, bars and padding are not copied; rows that only the width of the screen broke are joined
again. Offsets are characters of a row, as Textual counts them.
"""

from collections.abc import Iterable

from rich.segment import Segment
from rich.style import Style
from textual.selection import Selection
from textual.strip import Strip

from openclaw_tui.ui.textual.rendering.rows import LINE_END, FinalRow


def selected_text(rows: Iterable[tuple[int, FinalRow | None]], selection: Selection) -> str:
    """The text of a selection; `rows` are numbered as the selection numbers them, None stands for a blank row."""
    parts: list[str] = []
    new_line = True
    for number, row in rows:
        span = selection.get_span(number)
        if span is None:
            continue
        if row is None:
            parts.append(LINE_END)
            new_line = True
            continue
        text = _row_text(row, span, new_line)
        if row.join == LINE_END:
            text = text.rstrip(" ")
        parts.append(text + row.join)
        new_line = row.join == LINE_END
    return "".join(parts).strip(LINE_END)


def _row_text(row: FinalRow, span: tuple[int, int], new_line: bool) -> str:
    start, end = span
    text = row.strip.text
    if end == -1:
        end = len(text)
    if row.whole is not None:
        return row.whole if start < end else ""
    copied = row.lead_copy if new_line and start < row.lead and row.lead < end else ""
    body = text[max(start, row.lead) : end]
    return copied + (body.rstrip(" ") if row.join != LINE_END else body)


def highlighted(row: FinalRow, span: tuple[int, int], style: Style) -> Strip:
    """The strip of a row with the selected characters marked; chrome stays as it is."""
    start, end = span
    if end == -1:
        end = len(row.strip.text.rstrip(" "))
    start = max(start, row.lead)
    segments: list[Segment] = []
    offset = 0
    for segment in row.strip:
        length = len(segment.text)
        low, high = min(max(start - offset, 0), length), min(max(end - offset, 0), length)
        if low < high:
            marked = (segment.style + style) if segment.style else style
            pieces = (
                (segment.text[:low], segment.style),
                (segment.text[low:high], marked),
                (segment.text[high:], segment.style),
            )
            segments += [Segment(text, piece_style) for text, piece_style in pieces if text]
        else:
            segments.append(segment)
        offset += length
    return Strip(segments, row.strip.cell_length)
