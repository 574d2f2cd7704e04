"""One line for searching the conversation: words, how many there are, and keys to go from one to the next."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Input, Static

from openclaw_tui.constants import SEARCH_PAUSE_SECONDS
from openclaw_tui.ui.textual.widgets.transcript import Transcript

_KEYS = "Enter ↓ next · ↑ before · Esc close"


class SearchBar(Horizontal):
    """Hidden until `open`. Esc closes it and leaves the view where it is; `n` and `N` in the transcript go on."""

    DEFAULT_CSS = """
    SearchBar { height: 1; display: none; background: $surface; color: $foreground; }
    SearchBar > Static { width: auto; padding: 0 1; background: $surface; color: $foreground 75%; }
    SearchBar > Input, SearchBar > Input:focus {
        width: 1fr; height: 1; border: none; padding: 0; background: $panel; color: $foreground;
    }
    SearchBar.-missing > #search-count { color: $text-warning; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "Close", show=False, priority=True),
        Binding("enter,down,ctrl+n", "again(1)", "Next", show=False, priority=True),
        Binding("shift+enter,up,ctrl+p", "again(-1)", "Before", show=False, priority=True),
    ]

    class Closed(Message):
        """The search is over."""

    def __init__(self, transcript: Transcript, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._transcript = transcript
        self._pause: Timer | None = None

    def compose(self) -> ComposeResult:
        yield Static("find", markup=False)
        yield Input(compact=True, id="search-words")
        yield Static("", id="search-count", markup=False)
        yield Static(_KEYS, id="search-keys", markup=False)

    @property
    def is_open(self) -> bool:
        return self.display

    def open(self, words: str = "") -> None:
        """Show it, with words to look for at once, else with those of before."""
        field = self.query_one(Input)
        field.cursor_blink = False
        self.display = True
        if words and words != field.value:
            field.value = words
        field.focus()
        if field.value:
            self._search()

    def action_close(self) -> None:
        self.display = False
        self._transcript.find_nothing()
        self.post_message(self.Closed())

    def action_again(self, step: int) -> None:
        if self._pause is not None:
            self._search()
        else:
            self._transcript.find_again(step)
            self._tell()

    def on_resize(self) -> None:
        self.query_one("#search-keys").display = self.size.width >= 70

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        if self._pause is not None:
            self._pause.stop()
        self._pause = self.set_timer(SEARCH_PAUSE_SECONDS, self._search)

    def _search(self) -> None:
        if self._pause is not None:
            self._pause.stop()
            self._pause = None
        self._transcript.find(self.query_one(Input).value)
        self._tell()

    def _tell(self) -> None:
        said = self._transcript.found_words
        self.set_class(said == "not found", "-missing")
        self.query_one("#search-count", Static).update(said)
