"""The question about the files of a folder: what each would do, and three answers, the careful one first."""

from typing import ClassVar, Literal, TypeAlias

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

TrustAnswer: TypeAlias = Literal["grant", "", "never"]

_ANSWERS: tuple[tuple[TrustAnswer, str], ...] = (
    ("", "Not now: go on without them, ask next time"),
    ("grant", "Trust this folder as it is now"),
    ("never", "Never ask for this folder"),
)


class TrustScreen(ModalScreen[TrustAnswer]):
    """No letter says yes: keys typed ahead must not trust a folder. Enter takes the answer that is marked."""

    CSS_PATH = "../styles/picker.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+c", "later", "Not now", show=False),
        Binding("pageup", "page(-1)", "Up", show=False, priority=True),
        Binding("pagedown", "page(1)", "Down", show=False, priority=True),
    ]

    def __init__(self, folder: str, text: str, *, changed: bool) -> None:
        super().__init__()
        self._title = f"{folder} {'changed since you trusted it' if changed else 'brings files that would act here'}"
        self._text = text

    def compose(self) -> ComposeResult:
        with Vertical(id="confirm"):
            yield Static(self._title, id="picker-title", markup=False)
            with VerticalScroll(id="trust-things", can_focus=False):
                yield Static(self._text, markup=False)
            yield OptionList(*(Option(label, id=answer or "later") for answer, label in _ANSWERS), id="picker-list")
            yield Static("↑↓ choose · Enter answer · PgUp PgDn read · Esc not now", id="picker-keys", markup=False)

    def on_mount(self) -> None:
        choices = self.query_one(OptionList)
        choices.highlighted = 0
        choices.focus()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(_ANSWERS[event.option_index][0])

    def action_later(self) -> None:
        self.dismiss("")

    def action_page(self, way: int) -> None:
        things = self.query_one(VerticalScroll)
        things.scroll_page_down() if way > 0 else things.scroll_page_up()
