"""Two screens to read in: one text, and two versions of a text side by side."""

import difflib
from collections.abc import Iterator
from itertools import zip_longest
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.screen import Screen
from textual.widgets import Static, TextArea

from openclaw_tui.constants import SIDE_BY_SIDE_MIN_COLUMNS
from openclaw_tui.ui.context_line import ContextView
from openclaw_tui.ui.figures import plural
from openclaw_tui.ui.textual.bindings import bindings_of
from openclaw_tui.ui.textual.panels.lines import Line, Run, fitted, width_of
from openclaw_tui.ui.textual.panels.panel import Panel
from openclaw_tui.ui.textual.rendering.safe_text import visible


class TextScreen(Screen[None]):
    """One text to read; its lines can be selected and copied."""

    CSS_PATH = "../styles/panels.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("look")

    def __init__(self, title: str, text: str) -> None:
        super().__init__()
        self._title, self.text = title, visible(text)

    def compose(self) -> ComposeResult:
        lines = self.text.count("\n") + 1
        yield Static(f"{self._title}  ·  {plural(lines, 'line')}", id="zoom-title", markup=False)
        area = TextArea(self.text, read_only=True, soft_wrap=True, show_line_numbers=True, id="look-text")
        area.show_cursor = False
        yield area
        yield Static("↑ ↓ PgUp PgDn scroll · Esc back", id="zoom-keys", markup=False)

    def on_mount(self) -> None:
        self.query_one(TextArea).focus()

    def action_close(self) -> None:
        self.dismiss(None)


class VersionsScreen(Screen[None]):
    """Old and new beside each other where there is room, else above each other; what differs is marked with − and +."""

    CSS_PATH = "../styles/panels.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("look")

    def __init__(self, title: str, old: str, new: str) -> None:
        super().__init__()
        self._title = title
        self.versions = VersionsPanel(visible(old), visible(new))

    def compose(self) -> ComposeResult:
        yield Static(self._title, id="zoom-title", markup=False)
        with VerticalScroll(id="versions"):
            yield self.versions
        yield Static("↑ ↓ PgUp PgDn scroll · Esc back", id="zoom-keys", markup=False)

    def on_mount(self) -> None:
        self.query_one("#versions").focus()

    def action_close(self) -> None:
        self.dismiss(None)


class VersionsPanel(Panel):
    """The rows of two versions."""

    def __init__(self, old: str, new: str) -> None:
        super().__init__(id="versions-body")
        self._pairs = list(paired(old.split("\n"), new.split("\n")))

    def _lines(self, width: int, height: int) -> list[Line]:
        return versions_lines(self._pairs, width)

    def body(self, view: ContextView, width: int, height: int) -> list[Line]:
        return versions_lines(self._pairs, width)


def paired(old: list[str], new: list[str]) -> Iterator[tuple[str | None, str | None]]:
    """Lines that belong beside each other; None where the other side has no such line."""
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for _, first, last, begin, end in matcher.get_opcodes():
        yield from zip_longest(old[first:last], new[begin:end])


def versions_lines(pairs: list[tuple[str | None, str | None]], width: int) -> list[Line]:
    """The rows: two columns with a rule between them, or one above the other on narrow screens."""
    if width < SIDE_BY_SIDE_MIN_COLUMNS:
        return [line for was, now in pairs for line in _above(was, now, width)]
    half = (width - 3) // 2
    head: Line = [("before".ljust(half), "muted"), (" │ ", "rule"), ("after", "muted")]
    rows = [row for was, now in pairs for row in _beside(was, now, half)]
    return [head, *rows]


def _beside(was: str | None, now: str | None, half: int) -> list[Line]:
    same = was == now
    left, right = _column(was, "−", "error", half, same), _column(now, "+", "good", half, same)
    blank: Line = [(" " * half, "text")]
    return [[*(one or blank), (" │ ", "rule"), *(other or [("", "text")])] for one, other in zip_longest(left, right)]


def _column(text: str | None, sign: str, role: str, width: int, same: bool) -> list[Line]:
    if text is None:
        return [[(" " * width, "text")]]
    room = max(1, width - 2)
    pieces = [text[at : at + room] for at in range(0, len(text), room)] or [""]
    rows: list[Line] = []
    for number, piece in enumerate(pieces):
        mark = "  " if same or number else f"{sign} "
        run: Run = (piece, "text" if same else role)
        line = fitted([(mark, role), run], width)
        rows.append([*line, (" " * max(0, width - width_of(line)), "text")])
    return rows


def _above(was: str | None, now: str | None, width: int) -> list[Line]:
    if was == now and was is not None:
        return _column(was, " ", "text", width, True)
    rows = _column(was, "−", "error", width, False) if was is not None else []
    return [*rows, *(_column(now, "+", "good", width, False) if now is not None else [])]
