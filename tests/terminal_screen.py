"""What a terminal would show of a byte stream: enough of one to read screens in tests, and no more.

    screen = Screen(80, 24)
    screen.feed(data)
    assert "ready" in "\n".join(screen.display)

Text, line ends, cursor moves, erasing, inserting and deleting, scrolling within margins; colours, modes, titles and
questions are read over. The alternate screen is the same screen. A stream may be cut anywhere.
"""

import codecs
import re
from collections.abc import Callable
from dataclasses import dataclass

from wcwidth import wcwidth

_SEQUENCE = re.compile(
    r"\x1b\[(?P<private>[<-?]?)(?P<numbers>[\d;:]*)(?P<between>[ -/]*)(?P<final>[@-~])"
    r"|\x1b\](?:[^\x07\x1b]|\x1b(?!\\))*(?:\x07|\x1b\\)"
    r"|\x1b[P_^X](?:[^\x1b]|\x1b(?!\\))*\x1b\\"
    r"|\x1b[ -/][ -~]"
    r"|\x1b(?P<single>[0-Z\\^-~])"
    r"|(?P<text>[^\x00-\x1f\x7f]+)"
    r"|(?P<control>[\x00-\x1a\x1c-\x1f\x7f])",
)
_TAB = 8


@dataclass(slots=True)
class Cursor:
    x: int = 0
    y: int = 0


class Screen:
    """`display` are its rows, `gone` those that scrolled off the top. A wide character fills two cells."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns, self.rows = columns, rows
        self.cursor = Cursor()
        self.gone: list[str] = []
        self._cells = [self._blank() for _ in range(rows)]
        self._saved = Cursor()
        self._top, self._bottom = 0, rows - 1
        self._wraps = False
        self._pending = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    @property
    def display(self) -> list[str]:
        return ["".join(row) for row in self._cells]

    def feed(self, data: bytes | str) -> None:
        text = self._pending + (self._decoder.decode(data) if isinstance(data, bytes) else data)
        at = 0
        while at < len(text):
            found = _SEQUENCE.match(text, at)
            if found is None:
                break
            self._take(found)
            at = found.end()
        self._pending = text[at:]

    def _take(self, found: re.Match[str]) -> None:
        if found["text"]:
            for character in found["text"]:
                self._put(character)
        elif found["control"]:
            self._control(found["control"])
        elif found["final"] and not found["private"] and not found["between"]:
            numbers = [int(number) if number.isdigit() else 0 for number in found["numbers"].split(";")]
            self._command(found["final"], numbers)
        elif found["single"]:
            self._escape(found["single"])

    def _put(self, character: str) -> None:
        width = wcwidth(character)
        if width <= 0:
            self._join(character)
            return
        if self._wraps or self.cursor.x + width > self.columns:
            self.cursor.x = 0
            self._line_feed()
        row = self._cells[self.cursor.y]
        row[self.cursor.x] = character
        if width == 2 and self.cursor.x + 1 < self.columns:
            row[self.cursor.x + 1] = ""
        self._wraps = self.cursor.x + width >= self.columns
        self.cursor.x = min(self.cursor.x + width, self.columns - 1)

    def _join(self, mark: str) -> None:
        """A combining mark belongs to the character before it."""
        row = self._cells[self.cursor.y]
        at = self.cursor.x if self._wraps else self.cursor.x - 1
        while at > 0 and row[at] == "":
            at -= 1
        if at >= 0:
            row[at] += mark

    def _control(self, control: str) -> None:
        self._wraps = False
        match control:
            case "\r":
                self.cursor.x = 0
            case "\n" | "\x0b" | "\x0c":
                self._line_feed()
            case "\b":
                self.cursor.x = max(0, self.cursor.x - 1)
            case "\t":
                self.cursor.x = min(self.columns - 1, (self.cursor.x // _TAB + 1) * _TAB)

    def _escape(self, letter: str) -> None:
        match letter:
            case "7":
                self._saved = Cursor(self.cursor.x, self.cursor.y)
            case "8":
                self.cursor = Cursor(self._saved.x, self._saved.y)
            case "D":
                self._line_feed()
            case "E":
                self.cursor.x = 0
                self._line_feed()
            case "M" if self.cursor.y == self._top:
                self._scroll_down(1)
            case "M":
                self.cursor.y = max(0, self.cursor.y - 1)
            case "c":
                self._cells = [self._blank() for _ in range(self.rows)]
                self.cursor = Cursor()

    def _command(self, final: str, numbers: list[int]) -> None:
        self._wraps = self._wraps and final == "m"
        first, count = numbers[0], max(1, numbers[0])
        moves: dict[str, Callable[[], None]] = {
            "A": lambda: self._go(self.cursor.x, self.cursor.y - count),
            "B": lambda: self._go(self.cursor.x, self.cursor.y + count),
            "C": lambda: self._go(self.cursor.x + count, self.cursor.y),
            "D": lambda: self._go(self.cursor.x - count, self.cursor.y),
            "E": lambda: self._go(0, self.cursor.y + count),
            "F": lambda: self._go(0, self.cursor.y - count),
            "G": lambda: self._go(count - 1, self.cursor.y),
            "d": lambda: self._go(self.cursor.x, count - 1),
            "H": lambda: self._go((numbers[1] if len(numbers) > 1 else 1) - 1, count - 1),
            "f": lambda: self._go((numbers[1] if len(numbers) > 1 else 1) - 1, count - 1),
            "J": lambda: self._erase_screen(first),
            "K": lambda: self._erase_line(first),
            "X": lambda: self._blank_cells(self.cursor.x, self.cursor.x + count),
            "L": lambda: self._insert_lines(count),
            "M": lambda: self._delete_lines(count),
            "P": lambda: self._shift(count),
            "@": lambda: self._shift(-count),
            "S": lambda: self._scroll_up(count),
            "T": lambda: self._scroll_down(count),
            "r": lambda: self._margins(count, numbers[1] if len(numbers) > 1 else 0),
            "s": lambda: self._escape("7"),
            "u": lambda: self._escape("8"),
        }
        if final in moves:
            moves[final]()

    def _go(self, x: int, y: int) -> None:
        self.cursor = Cursor(min(max(x, 0), self.columns - 1), min(max(y, 0), self.rows - 1))

    def _line_feed(self) -> None:
        self._wraps = False
        if self.cursor.y == self._bottom:
            self._scroll_up(1)
        else:
            self.cursor.y = min(self.cursor.y + 1, self.rows - 1)

    def _scroll_up(self, count: int) -> None:
        for _ in range(min(count, self.rows)):
            row = self._cells.pop(self._top)
            if self._top == 0:
                self.gone.append("".join(row))
            self._cells.insert(self._bottom, self._blank())

    def _scroll_down(self, count: int) -> None:
        for _ in range(min(count, self.rows)):
            self._cells.pop(self._bottom)
            self._cells.insert(self._top, self._blank())

    def _insert_lines(self, count: int) -> None:
        for _ in range(min(count, self._bottom - self.cursor.y + 1)):
            self._cells.pop(self._bottom)
            self._cells.insert(self.cursor.y, self._blank())

    def _delete_lines(self, count: int) -> None:
        for _ in range(min(count, self._bottom - self.cursor.y + 1)):
            self._cells.pop(self.cursor.y)
            self._cells.insert(self._bottom, self._blank())

    def _shift(self, count: int) -> None:
        """Delete cells at the cursor, or insert blank ones for a negative count."""
        row, at = self._cells[self.cursor.y], self.cursor.x
        kept = row[at + count :] if count > 0 else [" "] * -count + row[at:]
        self._cells[self.cursor.y] = (row[:at] + kept + self._blank())[: self.columns]

    def _erase_screen(self, how: int) -> None:
        self._erase_line(how)
        rows = {0: range(self.cursor.y + 1, self.rows), 1: range(self.cursor.y)}.get(how, range(self.rows))
        for y in rows:
            self._cells[y] = self._blank()

    def _erase_line(self, how: int) -> None:
        start, end = {0: (self.cursor.x, self.columns), 1: (0, self.cursor.x + 1)}.get(how, (0, self.columns))
        self._blank_cells(start, end)

    def _blank_cells(self, start: int, end: int) -> None:
        row = self._cells[self.cursor.y]
        for x in range(start, min(end, self.columns)):
            row[x] = " "

    def _margins(self, top: int, bottom: int) -> None:
        self._top, self._bottom = top - 1, (bottom or self.rows) - 1
        self._go(0, 0)

    def _blank(self) -> list[str]:
        return [" "] * self.columns
