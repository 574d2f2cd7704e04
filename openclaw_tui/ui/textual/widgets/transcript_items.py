"""The items of a transcript: what was said and done, as state, with no word on how it looks.

Each item lists its parts (`sources`). An item that streams keeps the parts it has finished, so that listing them
again costs nothing. Foreign text is made safe here, once, on its way in.
"""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from openclaw_tui.constants import TOOL_BODY_LINE_CHARS, TOOL_LIVE_TAIL_LINES, USER_TEXT_MAX_LINES
from openclaw_tui.events import NoticeLevel
from openclaw_tui.ui.textual.rendering.diff_lines import diff_counts
from openclaw_tui.ui.textual.rendering.markdown_blocks import BlockSplitter
from openclaw_tui.ui.textual.rendering.safe_text import one_line, plain_output, visible
from openclaw_tui.ui.textual.rendering.sources import (
    DiffSource,
    HeadSource,
    LineSource,
    MarkdownSource,
    OutputSource,
    SeparatorSource,
    Source,
    UserSource,
    estimated_rows,
)
from openclaw_tui.ui.textual.widgets.tool_output import bounded, duration_text, size_text

ToolState: TypeAlias = Literal["waiting", "running", "done", "failed", "stopped", "denied"]

_STATES: dict[ToolState, tuple[str, str]] = {
    "waiting": ("◌", "warning"),
    "running": ("●", "running"),
    "done": ("✓", "done"),
    "failed": ("✗", "error"),
    "stopped": ("■", "warning"),
    "denied": ("⊘", "warning"),
}
"""Glyph and tone of each state. The word of the state is always beside them."""

_NOTICES: dict[NoticeLevel, tuple[str, str]] = {
    "info": ("i", "info"),
    "warning": ("!", "warning"),
    "error": ("✗", "error"),
}


@dataclass(slots=True, kw_only=True)
class UserItem:
    """A message of the user. `images` are the words on its chips."""

    id: str
    text: str
    images: tuple[str, ...] = ()
    depth: int = 0
    folded: bool = True
    foldable: bool = field(default=False, init=False)
    is_card: bool = field(default=False, init=False)
    empty: bool = field(default=False, init=False)

    def sources(self) -> list[Source]:
        text = visible(self.text).strip("\n")
        lines = text.split("\n")
        self.foldable = len(lines) > USER_TEXT_MAX_LINES
        hidden = len(lines) - USER_TEXT_MAX_LINES if self.foldable and self.folded else 0
        if hidden:
            text = "\n".join(lines[:USER_TEXT_MAX_LINES])
        return [UserSource(text, tuple(one_line(image) for image in self.images), hidden)]

    def estimate(self, width: int) -> int:
        return 1 + estimated_rows(self.text, width)

    def plain(self) -> str:
        return self.text

    def searched(self) -> str:
        """What a search looks through."""
        return self.text


class _Section:
    """A stretch of prose or thinking in an answer."""

    def __init__(self, thinking: bool) -> None:
        self.thinking = thinking
        self.words = 1
        self._parts: list[str] = []
        self._unread: list[str] = []
        self._held = ""
        self._splitter = BlockSplitter()
        self._sources: list[Source] = []
        self._closed = False

    @property
    def text(self) -> str:
        if len(self._parts) > 1:
            self._parts = ["".join(self._parts)]
        return self._parts[0] if self._parts else ""

    def add(self, delta: str) -> None:
        self._parts.append(delta)
        self._unread.append(delta)
        self.words += delta.count(" ") + delta.count("\n")

    def sources(self, closed: bool) -> list[Source]:
        if self._unread:
            self._feed("".join(self._unread))
            self._unread.clear()
        if closed and not self._closed:
            self._splitter.feed(visible(self._held))
            self._splitter.finish()
            self._closed = True
        finished = self._splitter.finished
        self._sources += [MarkdownSource(chunk, self.thinking) for chunk in finished[len(self._sources) :]]
        chunk = None if self._closed else self._splitter.open_chunk()
        return self._sources if chunk is None else [*self._sources, MarkdownSource(chunk, self.thinking)]

    def _feed(self, text: str) -> None:
        text = self._held + text
        self._held = "\r" if text.endswith("\r") else ""
        self._splitter.feed(visible(text.removesuffix("\r") if self._held else text))


@dataclass(slots=True, kw_only=True)
class AssistantItem:
    """An answer of the model: sections of thinking and prose in the order they came, and how it ended."""

    id: str
    note: str | None = None
    streaming: bool = False
    depth: int = 0
    folded: bool = True
    is_card: bool = field(default=False, init=False)
    _sections: list[_Section] = field(default_factory=list, init=False)

    @classmethod
    def whole(
        cls, id: str, text: str, *, thinking: str = "", note: str | None = None, depth: int = 0
    ) -> "AssistantItem":
        """A finished answer, as history has it."""
        item = cls(id=id, note=note, depth=depth)
        if thinking:
            item.append(thinking, thinking=True)
        if text:
            item.append(text)
        return item

    @property
    def foldable(self) -> bool:
        return any(section.thinking for section in self._sections)

    @property
    def empty(self) -> bool:
        return not self._sections and not self.note

    @property
    def text(self) -> str:
        """The prose alone, as the model wrote it."""
        return "\n\n".join(section.text for section in self._sections if not section.thinking)

    def append(self, delta: str, *, thinking: bool = False) -> None:
        if not delta:
            return
        if not self._sections or self._sections[-1].thinking != thinking:
            self._sections.append(_Section(thinking))
        self._sections[-1].add(delta)

    def discard(self) -> None:
        """Take back everything the answer said."""
        self._sections.clear()
        self.note = None
        self.streaming = False

    def sources(self) -> list[Source]:
        parts: list[Source] = []
        for section in self._sections:
            open_end = self.streaming and section is self._sections[-1]
            if section.thinking:
                parts.append(self._thinking_head(section, open_end))
                if self.folded:
                    continue
            parts += section.sources(closed=not open_end)
        if self.note:
            parts.append(LineSource("■", one_line(self.note), "warning"))
        return parts

    def _thinking_head(self, section: _Section, live: bool) -> HeadSource:
        title = "thinking…" if live else "thinking"
        return HeadSource("▸" if self.folded else "▾", title, "", (f"{section.words} words",), "muted", quiet=True)

    def estimate(self, width: int) -> int:
        shown = [section.text for section in self._sections if not (section.thinking and self.folded)]
        return sum(estimated_rows(text, width) for text in shown) + len(self._sections) + (2 if self.note else 0)

    def plain(self) -> str:
        return self.text

    def searched(self) -> str:
        """Thinking too: it is unfolded where something is found in it."""
        return "\n".join(section.text for section in self._sections)


@dataclass(slots=True, kw_only=True)
class ToolItem:
    """A tool call. Of its output only the head and the tail are kept, whatever its size."""

    id: str
    name: str
    summary: str = ""
    state: ToolState = "running"
    seconds: float | None = None
    size: int | None = None
    diff: str | None = None
    depth: int = 0
    folded: bool = True
    is_card: bool = field(default=True, init=False)
    empty: bool = field(default=False, init=False)
    _body: OutputSource | None = field(default=None, init=False)
    _live: str = field(default="", init=False)

    @property
    def foldable(self) -> bool:
        return bool(self.diff or self._body)

    def set_output(self, output: str) -> None:
        """The output of the finished call."""
        self._live = ""
        self._body = bounded(output)

    def set_live_tail(self, text: str) -> None:
        """The newest output of a running call."""
        tail = plain_output(text[-TOOL_LIVE_TAIL_LINES * TOOL_BODY_LINE_CHARS :]).rstrip("\n")
        self._live = "\n".join(tail.split("\n")[-TOOL_LIVE_TAIL_LINES:])

    def sources(self) -> list[Source]:
        glyph, tone = _STATES[self.state]
        parts: list[Source] = [HeadSource(glyph, one_line(self.name), one_line(self.summary), self._facts(), tone)]
        if self._live:
            parts.append(OutputSource(self._live))
        if not self.folded:
            parts += [DiffSource(self.diff)] if self.diff else []
            parts += [self._body] if self._body else []
        return parts

    def _facts(self) -> tuple[str, ...]:
        facts: list[str] = [self.state]
        if self.diff:
            added, removed = diff_counts(self.diff)
            facts.append(f"+{added} −{removed}")
        if self.seconds is not None and self.seconds >= 0.05:
            facts.append(duration_text(self.seconds))
        if self.size:
            facts.append(size_text(self.size))
        return tuple(facts)

    def estimate(self, width: int) -> int:
        return 1

    def plain(self) -> str:
        return f"{self.name} {self.summary} ({' · '.join(self._facts())})"

    def searched(self) -> str:
        """The card's line and what unfolding it shows."""
        body = (self._body.head, self._body.tail) if self._body else ()
        return "\n".join([f"{self.name} {self.summary}", self._live, self.diff or "", *body])


@dataclass(slots=True, kw_only=True)
class NoticeItem:
    """A word of the program to the user."""

    id: str
    level: NoticeLevel
    text: str
    depth: int = 0
    folded: bool = True
    foldable: bool = field(default=False, init=False)
    is_card: bool = field(default=False, init=False)
    empty: bool = field(default=False, init=False)

    def sources(self) -> list[Source]:
        glyph, tone = _NOTICES[self.level]
        word = "" if self.level == "info" else f"{self.level}: "
        return [LineSource(glyph, word + visible(self.text), tone)]

    def estimate(self, width: int) -> int:
        return estimated_rows(self.text, width)

    def plain(self) -> str:
        return f"{self.level}: {self.text}"

    def searched(self) -> str:
        return self.text


@dataclass(slots=True, kw_only=True)
class SeparatorItem:
    """What a layer did to the context, as a line between the turns."""

    id: str
    text: str
    depth: int = 0
    folded: bool = True
    foldable: bool = field(default=False, init=False)
    is_card: bool = field(default=False, init=False)
    empty: bool = field(default=False, init=False)

    def sources(self) -> list[Source]:
        return [SeparatorSource(one_line(self.text))]

    def estimate(self, width: int) -> int:
        return 2

    def plain(self) -> str:
        return f"── {self.text} ──"

    def searched(self) -> str:
        return self.text


Item: TypeAlias = UserItem | AssistantItem | ToolItem | NoticeItem | SeparatorItem
