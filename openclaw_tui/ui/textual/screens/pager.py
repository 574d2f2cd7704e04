"""The whole conversation on the whole screen, everything unfolded, with a search: for reading, and for copying."""

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import Static

from openclaw_tui.ui.textual.widgets.search_bar import SearchBar
from openclaw_tui.ui.textual.widgets.transcript import Transcript
from openclaw_tui.ui.textual.widgets.transcript_items import Item

_KEYS = "/ search · n N next, before · g G ends · [ ] prompts · y c copy · q back"


class PagerScreen(Screen[None]):
    """Reads a copy of the items: what goes on in the talk does not move it."""

    CSS = """
    PagerScreen { background: $background; }
    #pager { height: 1fr; }
    #pager-keys { height: 1; padding: 0 1; background: $surface; color: $foreground 75%; }
    """
    AUTO_FOCUS = "#pager"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q,escape,f5,ctrl+c", "close", "Back", show=False),
        Binding("slash,ctrl+f", "find", "Search", show=False),
    ]

    def __init__(self, items: Sequence[Item], words: str = "") -> None:
        super().__init__()
        self._items = items
        self._words = words
        self.transcript = Transcript(id="pager")
        self.search = SearchBar(self.transcript, id="pager-search")

    def compose(self) -> ComposeResult:
        yield self.transcript
        yield self.search
        yield Static(_KEYS, id="pager-keys", markup=False)

    def on_mount(self) -> None:
        self.transcript.toggle_fold("all")
        for item in self._items:
            item.folded = False
        self.transcript.load_history(self._items)
        if self._words:
            self.call_after_refresh(self.search.open, self._words)

    def action_close(self) -> None:
        self.dismiss(None)

    @on(Transcript.SearchAsked)
    def action_find(self) -> None:
        self.search.open()

    @on(SearchBar.Closed)
    def _found(self) -> None:
        self.transcript.focus()

    @on(Transcript.CopyAsked)
    def _copy(self, event: Transcript.CopyAsked) -> None:
        event.stop()
        self.app.copy_to_clipboard(event.text)
        self.query_one("#pager-keys", Static).update(event.what)
