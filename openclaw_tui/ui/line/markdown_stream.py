"""Markdown made a little lighter as it streams: headings and emphasis styled, code left word for word.

Text arrives in pieces of any size. Rows are given out as soon as they are certain: a line at its end, a long paragraph
row by row at the width of the terminal, so that nothing has to be drawn twice. Foreign control characters never pass.
"""

import re
from dataclasses import dataclass

from prompt_toolkit.utils import get_cwidth

from openclaw_tui.tools.terminal_text import clean_terminal_text

RESET, BOLD, DIM, ITALIC = "\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[3m"
CYAN, GREEN, RED, YELLOW = "\x1b[36m", "\x1b[32m", "\x1b[31m", "\x1b[33m"

_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r"#{1,6}\s+(.*?)\s*#*$")
_INLINE = re.compile(r"(`+)(.+?)\1(?!`)|\*\*(.+?)\*\*|(?<![\w*])\*([^*\s][^*]*?)\*(?![\w*])", re.DOTALL)
_LEAD = re.compile(r"\s+")
_WORD = re.compile(r"\S+\s*|\s+")
_LIST = re.compile(r"(\s*)([-*+]|\d{1,9}[.)])(\s+)")


@dataclass(slots=True)
class MarkdownStream:
    """One answer. `styled` False passes the text on unchanged but clean, as it comes; `width` is in columns."""

    styled: bool
    width: int
    _waiting: str = ""
    _fence: str = ""
    _indent: str = ""
    _inside: bool = False

    def feed(self, text: str) -> str:
        """What can be printed now that `text` has arrived."""
        if not self.styled:
            return clean_terminal_text(text)
        self._waiting += text
        out: list[str] = []
        while "\n" in self._waiting:
            line, _, self._waiting = self._waiting.partition("\n")
            out.append(self._line(clean_terminal_text(line)) + "\n")
        if not self._fence and get_cwidth(self._waiting) > self.width:
            out.append(self._full_rows())
        return "".join(out)

    def finish(self) -> str:
        """The rest at the end of the answer, with its line end."""
        rest, self._waiting = self._waiting, ""
        self._fence, self._inside = "", False
        return self._line(clean_terminal_text(rest)) + "\n" if rest else ""

    def _full_rows(self) -> str:
        """The rows of an unfinished paragraph that no later word can change."""
        text = clean_terminal_text(self._waiting)
        if _HEADING.match(text) or text.lstrip().startswith("|"):
            return ""
        rows = self._wrapped(text)
        count = next((n for n in range(len(rows) - 1, 0, -1) if _is_balanced("".join(rows[:n]))), 0)
        if not count:
            return ""
        self._waiting = "".join(row.removeprefix(self._indent) for row in rows[count:])
        self._inside = True
        return _styled(rows[:count]) + "\n"

    def _line(self, line: str) -> str:
        fence = _FENCE.match(line)
        if self._fence:
            if fence and fence[1].startswith(self._fence):
                self._fence = ""
                return f"{DIM}{line}{RESET}"
            return f"{CYAN}{line}{RESET}" if line.strip() else line
        if fence and not self._inside:
            self._fence = fence[1]
            return f"{DIM}{line}{RESET}"
        if not self._inside and (heading := _HEADING.match(line)):
            return f"{BOLD}{heading[1]}{RESET}"
        rows = [line] if line.lstrip().startswith("|") else self._wrapped(line)
        self._inside = False
        return _styled(rows)

    def _wrapped(self, line: str) -> list[str]:
        """Rows that fit, later ones indented like the text of a list item. A word longer than a row stays whole."""
        if not self._inside:
            item = _LIST.match(line) or _LEAD.match(line)
            self._indent = " " * len(item[0]) if item else ""
        rows, row = [], self._indent if self._inside else ""
        for word in _WORD.findall(line):
            if row.strip() and get_cwidth(row + word.rstrip()) > self.width:
                rows.append(row)
                row = self._indent
            row += word
        return [*rows, row]


def _is_balanced(text: str) -> bool:
    """Whether no emphasis is open at the end, so that a row may end here."""
    return not (text.count("`") % 2 or text.count("**") % 2 or text.count("*") % 2)


def _styled(rows: list[str]) -> str:
    """Rows of one paragraph; emphasis may begin in one and end in another."""
    return _INLINE.sub(_emphasised, "\n".join(row.rstrip() for row in rows))


def _emphasised(match: re.Match[str]) -> str:
    if match[2] is not None:
        return f"{CYAN}{match[2]}{RESET}"
    if match[3] is not None:
        return f"{BOLD}{match[3]}{RESET}"
    return f"{ITALIC}{match[4]}{RESET}"
