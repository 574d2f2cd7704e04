"""The transcript of the full-screen chat: what was said and done, in order, in the words of the conversation.

Front ends call it synchronously, an event at a time; each call marks one item and asks for a frame. Nothing here
knows where events come from, and no text that comes in is ever parsed as markup.
"""

from collections.abc import Iterable, Iterator, Sequence
from time import monotonic
from typing import ClassVar, Literal, TypeVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.timer import Timer

from openclaw_tui.constants import RUNNING_TICK_SECONDS
from openclaw_tui.events import NoticeLevel
from openclaw_tui.ui.textual.rendering.markdown_rows import code_blocks
from openclaw_tui.ui.textual.rendering.safe_text import visible
from openclaw_tui.ui.textual.rendering.sources import MarkdownSource
from openclaw_tui.ui.textual.widgets.transcript_finding import FindingTranscript
from openclaw_tui.ui.textual.widgets.transcript_items import (
    AssistantItem,
    Item,
    NoticeItem,
    SeparatorItem,
    ToolItem,
    ToolState,
    UserItem,
)
from openclaw_tui.ui.textual.widgets.transcript_layout import Entry, Piece

_Kind = TypeVar("_Kind", AssistantItem, ToolItem)


class Transcript(FindingTranscript):
    """Holds items by id. `parent` nests an item under another one (a sub-agent under the call that began it)."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("k", "scroll_up", "Up", show=False),
        Binding("j", "scroll_down", "Down", show=False),
        Binding("g", "scroll_home", "Top", show=False),
        Binding("G,end", "follow", "End", show=False),
        Binding("left_square_bracket", "user_message(-1)", "Message before", show=False),
        Binding("right_square_bracket", "user_message(1)", "Message after", show=False),
        Binding("enter", "toggle_lowest", "Unfold", show=False),
        Binding("n", "find_again(1)", "Next hit", show=False),
        Binding("N", "find_again(-1)", "Hit before", show=False),
        Binding("slash", "find", "Search", show=False),
        Binding("y", "copy_lowest", "Copy", show=False),
        Binding("c", "copy_code", "Copy code", show=False),
    ]

    class SearchAsked(Message):
        """A search is to begin."""

    class CopyAsked(Message):
        """A text is to go to the clipboard; `what` it is is told."""

        def __init__(self, text: str, what: str) -> None:
            super().__init__()
            self.text = text
            self.what = what

    class SeparatorSelected(Message):
        """A separator was clicked; `item_id` is the id it was added with."""

        def __init__(self, item_id: str) -> None:
            super().__init__()
            self.item_id = item_id

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._unfold_new = False
        self._started_at: dict[str, float] = {}
        self._ticker: Timer | None = None
        self._made = 0

    # ── the conversation ───────────────────────────────────────────────────────────────────────────────────────
    def add_user(self, id: str, text: str, images: Sequence[str] = (), *, parent: str | None = None) -> None:
        """A message of the user. `images` are the words on the chips, for example `screen.png 34 KB`."""
        self._add(UserItem(id=id, text=text, images=tuple(images)), parent)

    def start_assistant(self, id: str, *, parent: str | None = None) -> None:
        """An answer begins. It takes no room until it says something."""
        self._add(AssistantItem(id=id, streaming=True, folded=not self._unfold_new), parent)

    def append_text(self, id: str, delta: str) -> None:
        self._append(id, delta, thinking=False)

    def append_thinking(self, id: str, delta: str) -> None:
        self._append(id, delta, thinking=True)

    def finish_assistant(self, id: str, note: str | None = None) -> None:
        """The answer is whole, or `note` says why not (`interrupted`). Shown at once, without waiting for a frame."""
        entry, item = self._find(id, AssistantItem)
        item.streaming, item.note = False, note
        self._plan.touch(entry)
        self._news = True
        self.flush()

    def discard_assistant(self, id: str) -> None:
        """A retry throws this answer away."""
        entry, item = self._find(id, AssistantItem)
        item.discard()
        self._changed(entry)

    def add_tool(
        self, id: str, name: str, summary: str = "", *, state: ToolState = "running", parent: str | None = None
    ) -> None:
        """A tool call as a card of one line; its time runs from now while it is `running`."""
        self._add(ToolItem(id=id, name=name, summary=summary, state=state, folded=not self._unfold_new), parent)
        self._watch_time(id, state)

    def update_tool(
        self, id: str, *, state: ToolState | None = None, output_tail: str | None = None, summary: str | None = None
    ) -> None:
        """Another state, or newer output, of a call that is not finished. `output_tail` replaces the one before."""
        entry, item = self._find(id, ToolItem)
        if state is not None:
            item.state = state
            self._watch_time(id, state)
        if output_tail is not None:
            item.set_live_tail(output_tail)
        if summary is not None:
            item.summary = summary
        self._changed(entry)

    def finish_tool(
        self,
        id: str,
        state: ToolState = "done",
        *,
        seconds: float | None = None,
        size: int | None = None,
        output: str = "",
        diff: str | None = None,
        is_error: bool = False,
    ) -> None:
        """The call has ended. `size` is in bytes; of `output` only head and tail are kept; `diff` is unified."""
        entry, item = self._find(id, ToolItem)
        item.state = "failed" if is_error and state == "done" else state
        item.seconds, item.size, item.diff = seconds, size, diff
        item.set_output(output)
        self._watch_time(id, item.state)
        self._changed(entry)

    def add_notice(self, level: NoticeLevel, text: str, *, parent: str | None = None) -> None:
        self._add(NoticeItem(id=self._new_id(), level=level, text=text), parent)

    def add_separator(self, text: str, id: str | None = None) -> None:
        """What a layer did to the context. A click on it posts `SeparatorSelected` with its id."""
        self._add(SeparatorItem(id=id or self._new_id(), text=text), None)

    def load_history(self, items: Iterable[Item]) -> None:
        """Items of an older session, added as they are. Only the last screen is rendered."""
        self._plan.extend(items)
        if self.following:
            self.flush()
        else:
            self.ask_frame()

    def clear(self) -> None:
        """Forget everything; the view is as new."""
        self._plan.clear()
        self._started_at.clear()
        self._stop_ticker()
        self._anchor, self._origin, self._anchor_row = None, 0, 0
        self.following = True
        self.flush()

    # ── folding and moving ─────────────────────────────────────────────────────────────────────────────────────
    def toggle_fold(self, target: str | Literal["all"]) -> None:
        """Fold or unfold one item, or all of them and those to come."""
        if target == "all":
            self._unfold_new = not self._unfold_new
            for entry in self._plan.entries:
                entry.item.folded = not self._unfold_new
            self._plan.touch_all()
            self.ask_frame(news=False)
        else:
            entry = self._plan.by_id[target]
            entry.item.folded = not entry.item.folded
            self._plan.touch(entry, folds=True)
            self.hold()

    def scroll_to_item(self, id: str) -> None:
        """Bring an item to the top of the view."""
        self.show_entry(self._plan.by_id[id])

    def action_follow(self) -> None:
        self.follow()

    def action_user_message(self, step: int) -> None:
        """To the message of the user before or after the top of the view."""
        if self._anchor is None:
            return
        place = self._anchor.entry.position
        entries = self._plan.entries
        wanted = range(place - 1, -1, -1) if step < 0 else range(place + 1, len(entries))
        entry = next((entries[number] for number in wanted if isinstance(entries[number].item, UserItem)), None)
        if entry is not None:
            self.show_entry(entry)

    def action_toggle_lowest(self) -> None:
        """Fold or unfold the lowest item in view that can be."""
        heads = (entry.item for entry, piece in self._upwards() if entry.item.foldable and piece.source.is_head)
        if (item := next(heads, None)) is not None:
            self.toggle_fold(item.id)

    def action_find(self) -> None:
        self.post_message(self.SearchAsked())

    def action_find_again(self, step: int) -> None:
        self.find_again(step)

    def action_copy_lowest(self) -> None:
        """Copy the lowest item in sight, as it was written."""
        found = next((f for f in self._upwards() if f[0].item.plain().strip()), None)
        if found is not None:
            self.post_message(self.CopyAsked(found[0].item.plain(), "the lowest item in sight is copied"))

    def action_copy_code(self) -> None:
        """Copy the lowest code block in sight."""
        for entry, piece in self._upwards():
            if isinstance(piece.source, MarkdownSource) and piece.source.chunk.kind == "code":
                self.post_message(
                    self.CopyAsked(_code_around(entry, piece), "the lowest code block in sight is copied")
                )
                return

    def _upwards(self) -> Iterator[tuple[Entry, Piece]]:
        """What is in sight, the lowest first."""
        bottom = self.scroll_offset.y + self.size.height
        for row in range(bottom - 1, self.scroll_offset.y - 1, -1):
            found = self._plan.piece_at(row)
            if found is not None:
                yield found

    def on_click(self, event: events.Click) -> None:
        if event.chain != 1 or self.text_selection is not None:
            return
        found = self._plan.piece_at(self.scroll_offset.y + event.y)
        if found is None or not found[1].source.is_head:
            return
        item = found[0].item
        if isinstance(item, SeparatorItem):
            self.post_message(self.SeparatorSelected(item.id))
        elif item.foldable:
            self.toggle_fold(item.id)

    # ── for the panels ─────────────────────────────────────────────────────────────────────────────────────────
    def separators(self) -> list[tuple[str, str]]:
        """Id and words of every line about a layer's act, in their order."""
        return [(e.item.id, e.item.text) for e in self._plan.entries if isinstance(e.item, SeparatorItem)]

    def lowest_separator(self) -> str | None:
        """The id of the lowest such line in sight, else of the last one there is."""
        seen = (entry.item.id for entry, _piece in self._upwards() if isinstance(entry.item, SeparatorItem))
        return next(seen, None) or next((id for id, _ in reversed(self.separators())), None)

    # ── for copy commands ──────────────────────────────────────────────────────────────────────────────────────
    def last_answer_text(self) -> str:
        """The newest answer's Markdown as the model wrote it; empty when there is none."""
        return next((item.text for item in self._answers() if item.text.strip()), "")

    def code_blocks(self) -> list[tuple[str, str]]:
        """Language and bare code of each block of the newest answer that has one."""
        return next((blocks for item in self._answers() if (blocks := code_blocks(item.text))), [])

    def plain_text(self) -> str:
        """The whole conversation as text."""
        return visible("\n\n".join(entry.item.plain() for entry in self._plan.entries if not entry.item.empty))

    # ── inside ─────────────────────────────────────────────────────────────────────────────────────────────────
    def _answers(self) -> Iterable[AssistantItem]:
        return (entry.item for entry in reversed(self._plan.entries) if isinstance(entry.item, AssistantItem))

    def _new_id(self) -> str:
        self._made += 1
        return f"transcript-{self._made}"

    def _add(self, item: Item, parent: str | None) -> None:
        if parent is None or parent not in self._plan.by_id:
            self._plan.append(item)
        else:
            above = self._plan.by_id[parent]
            item.depth = above.item.depth + 1
            self._plan.insert_after(self._last_below(above), item)
        self.ask_frame()

    def _last_below(self, entry: Entry) -> Entry:
        entries = self._plan.entries
        position = entry.position
        while position + 1 < len(entries) and entries[position + 1].item.depth > entry.item.depth:
            position += 1
        return entries[position]

    def _append(self, id: str, delta: str, *, thinking: bool) -> None:
        entry, item = self._find(id, AssistantItem)
        item.append(delta, thinking=thinking)
        self._changed(entry)

    def _changed(self, entry: Entry) -> None:
        self._plan.touch(entry)
        self.ask_frame()

    def _find(self, id: str, kind: type[_Kind]) -> tuple[Entry, _Kind]:
        entry = self._plan.by_id[id]
        if not isinstance(entry.item, kind):
            raise TypeError(f"transcript item {id} is no {kind.__name__}")
        return entry, entry.item

    def _watch_time(self, id: str, state: ToolState) -> None:
        """Count the seconds of running calls; the timer exists only while there is one."""
        if state == "running":
            self._started_at.setdefault(id, monotonic())
            if self._ticker is None:
                self._ticker = self.set_interval(RUNNING_TICK_SECONDS, self._tick)
            return
        self._started_at.pop(id, None)
        if not self._started_at:
            self._stop_ticker()

    def _stop_ticker(self) -> None:
        if self._ticker is not None:
            self._ticker.stop()
            self._ticker = None

    def _tick(self) -> None:
        now = monotonic()
        for id, started in self._started_at.items():
            entry, item = self._find(id, ToolItem)
            item.seconds = now - started
            self._plan.touch(entry)
        self.ask_frame(news=False)


def _code_around(entry: Entry, piece: Piece) -> str:
    """The whole code block that a piece is a part of: a long one is drawn in several."""
    pieces = entry.pieces or []
    chunks = [p.source.chunk if isinstance(p.source, MarkdownSource) else None for p in pieces]
    first = last = pieces.index(piece)
    while (chunk := chunks[first]) is not None and not chunk.opens and first > 0:
        first -= 1
    while (chunk := chunks[last]) is not None and not chunk.closes and last + 1 < len(chunks):
        last += 1
    return "\n".join(chunk.text for chunk in chunks[first : last + 1] if chunk is not None)
