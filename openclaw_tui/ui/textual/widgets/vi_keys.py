"""Vi keys for the prompt: a small set that behaves as in vi, over a text and a cursor, with no word on widgets.

Two modes. In insert mode only Esc is taken; in normal mode every printed key is, so that none is typed by mistake.
What a key does not know here (Enter, control keys) goes the usual way.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from openclaw_tui.ui.textual.widgets.vi_motions import MOTIONS, line_end, line_start, moved, next_stop

_OPERATORS = "dcy"
_INSERTS = ("i", "a", "I", "A", "o", "O", "s", "S", "C")


class Editing(Protocol):
    """The text that is edited. Places are counted in characters."""

    @property
    def text(self) -> str: ...
    @property
    def cursor_index(self) -> int: ...
    def put_between(self, start: int, end: int, text: str) -> None:
        """Replace a stretch; the cursor stands behind what was put in."""

    def go(self, index: int) -> None: ...
    def undo(self) -> None: ...
    def redo(self) -> None: ...
    def leave_line(self, step: int) -> None:
        """One line up or down, from the first and the last into the history."""


@dataclass(slots=True)
class ViKeys:
    """`press` takes a key and says whether it was one of vi's. `changed` hears of the mode."""

    area: Editing
    changed: Callable[[str], None]
    normal: bool = False
    register: str = ""
    _typed: str = ""
    _last: str = ""
    _begun: tuple[int, str] | None = None
    _replaying: bool = False
    _inserted: str = field(default="", init=False)

    def press(self, key: str, character: str | None) -> bool:
        if not self.normal:
            if key == "escape":
                self._leave_insert()
                return True
            return False
        if key == "escape":
            waiting, self._typed = bool(self._typed), ""
            return waiting
        if key == "ctrl+r":
            self.area.redo()
            return True
        if character is None or not character.isprintable() or len(character) != 1:
            return False
        self._typed += character
        self._run()
        return True

    # ── one command ────────────────────────────────────────────────────────────────────────────────────────────
    def _run(self) -> None:
        """Carry out what was typed, once it is whole."""
        digits, rest = _counted(self._typed)
        count = int(digits or 1)
        if not rest:
            return
        if rest[0] in _OPERATORS:
            inner, motion = _counted(rest[1:])
            if motion in ("", "g") or (motion in ("f", "t", "F", "T")):
                return
            self._finish(rest[0] != "y", lambda: self._operate(rest[0], motion, count * int(inner or 1)))
        elif rest in ("g", "r", "f", "t", "F", "T"):
            return
        elif rest[0] == "r":
            self._finish(True, lambda: self._replace_one(rest[1]))
        elif rest == ".":
            self._typed = ""
            self._repeat()
        else:
            self._finish(rest not in MOTIONS and rest[0] not in "ftFTyuY", lambda: self._simple(rest, count, digits))

    def _finish(self, is_change: bool, act: Callable[[], None]) -> None:
        keys, self._typed = self._typed, ""
        if is_change and not self._replaying:
            self._last, self._inserted = keys, ""
        act()

    def _simple(self, keys: str, count: int, digits: str) -> None:
        area, text, at = self.area, self.area.text, self.area.cursor_index
        if keys in _INSERTS:
            self._begin_insert(keys, count)
        elif keys in ("x", "X", "D", "J", "~", "p", "P"):
            self._change(keys, count)
        elif keys == "Y":
            self.register = text[line_start(text, at) : line_end(text, at)] + "\n"
        elif keys == "u":
            area.undo()
        elif keys in ("j", "k") and not digits:
            area.leave_line(1 if keys == "j" else -1)
        elif keys == "G" and digits:
            area.go(moved(text, 0, "j", count - 1))
        else:
            area.go(moved(text, at, keys, count))
            self._settle()

    def _change(self, keys: str, count: int) -> None:
        """Changes that stay in normal mode."""
        area, text, at = self.area, self.area.text, self.area.cursor_index
        start, end = line_start(text, at), line_end(text, at)
        match keys:
            case "x":
                self._cut(at, min(end, moved(text, at, "l", count)))
            case "X":
                self._cut(max(start, moved(text, at, "h", count)), at)
            case "D":
                self._cut(at, end)
            case "~" if at < end:
                stop = next_stop(text, at)
                area.put_between(at, stop, text[at:stop].swapcase())
            case "J" if end < len(text):
                area.put_between(end, end + 1, " ")
            case "p" | "P":
                self._put(keys == "p", count)

    def _begin_insert(self, keys: str, count: int) -> None:
        area, text, at = self.area, self.area.text, self.area.cursor_index
        start, end = line_start(text, at), line_end(text, at)
        match keys:
            case "i":
                self._insert_at(at)
            case "a":
                self._insert_at(min(end, next_stop(text, at)))
            case "I":
                self._insert_at(moved(text, at, "^", 1))
            case "A":
                self._insert_at(end)
            case "o":
                area.put_between(end, end, "\n")
                self._insert_at(end + 1)
            case "O":
                area.put_between(start, start, "\n")
                self._insert_at(start)
            case "s":
                self._cut(at, min(end, moved(text, at, "l", count)))
                self._insert_at(at)
            case "C":
                self._cut(at, end)
                self._insert_at(at)
            case "S":
                self._operate_lines("c", "c", count)

    def _operate(self, operator: str, motion: str, count: int) -> None:
        text, at = self.area.text, self.area.cursor_index
        if motion == operator or motion in ("j", "k", "G", "gg"):
            self._operate_lines(operator, motion, count)
            return
        if operator == "c" and motion == "w" and text[at : at + 1].strip():
            motion = "e"  # vi's own exception: the blanks behind the word stay
        if motion not in MOTIONS and motion[0] not in "ftFT":
            return
        target = moved(text, at, motion, count)
        if motion == "e" or (motion[0] in "ft" and target > at):
            target = next_stop(text, target)
        if motion == "w":
            target = min(target, max(at, line_end(text, at))) if "\n" in text[at:target] else target
        low, high = min(at, target), max(at, target)
        self.register = text[low:high] or self.register
        if operator == "y":
            self.area.go(low)
        else:
            self.area.put_between(low, high, "")
            self._insert_at(low, operator == "c")

    def _operate_lines(self, operator: str, motion: str, count: int) -> None:
        text, at = self.area.text, self.area.cursor_index
        other = moved(text, at, "j", count - 1) if motion == operator else moved(text, at, motion, count)
        low, high = line_start(text, min(at, other)), line_end(text, max(at, other))
        self.register = text[low:high] + "\n"
        if operator == "y":
            self.area.go(low if other < at else at)
        elif operator == "c":
            self.area.put_between(low, high, "")
            self._insert_at(low)
        else:
            if high < len(text):
                high += 1
            elif low:
                low -= 1
            self.area.put_between(low, high, "")
            self.area.go(line_start(self.area.text, min(low, len(self.area.text))))

    def _cut(self, start: int, end: int) -> None:
        if start < end:
            self.register = self.area.text[start:end]
            self.area.put_between(start, end, "")
        self._settle()

    def _replace_one(self, character: str) -> None:
        text, at = self.area.text, self.area.cursor_index
        if at < line_end(text, at):
            self.area.put_between(at, next_stop(text, at), character)
            self.area.go(at)

    def _put(self, behind: bool, count: int) -> None:
        text, at = self.area.text, self.area.cursor_index
        whole = self.register * count
        if not whole:
            return
        if not self.register.endswith("\n"):
            place = min(line_end(text, at), next_stop(text, at)) if behind and text else at
            self.area.put_between(place, place, whole)
            self.area.go(place + len(whole) - 1)
        elif behind:
            end = line_end(text, at)
            self.area.put_between(end, end, "\n" + whole[:-1])
            self.area.go(end + 1)
        else:
            start = line_start(text, at)
            self.area.put_between(start, start, whole)
            self.area.go(start)

    # ── modes ──────────────────────────────────────────────────────────────────────────────────────────────────
    def _insert_at(self, index: int, really: bool = True) -> None:
        self.area.go(index)
        if not really:
            self._settle()
            return
        self.normal = False
        self._begun = (index, self.area.text[:index])
        self.changed("insert")

    def _leave_insert(self) -> None:
        text, at = self.area.text, self.area.cursor_index
        if self._begun is not None and not self._replaying and text.startswith(self._begun[1]) and at >= self._begun[0]:
            self._inserted = text[self._begun[0] : at]
        self.normal, self._begun = True, None
        self.area.go(moved(text, at, "h", 1))
        self.changed("normal")

    def _settle(self) -> None:
        """In normal mode the cursor stands on a character, not behind the line."""
        text, at = self.area.text, self.area.cursor_index
        if at == line_end(text, at) and at > line_start(text, at):
            self.area.go(moved(text, at, "h", 1))

    def _repeat(self) -> None:
        keys, inserted = self._last, self._inserted
        self._replaying = True
        try:
            for character in keys:
                self.press(character, character)
            if not self.normal:
                at = self.area.cursor_index
                self.area.put_between(at, at, inserted)
                self._leave_insert()
        finally:
            self._replaying = False


def _counted(typed: str) -> tuple[str, str]:
    """The number in front, and the rest. A 0 in front is a motion."""
    end = 0
    while end < len(typed) and typed[end].isdecimal() and (end or typed[end] != "0"):
        end += 1
    return typed[:end], typed[end:]
