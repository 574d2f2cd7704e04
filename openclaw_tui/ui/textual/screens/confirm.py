"""A plain question with yes and no."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static


class ConfirmScreen(ModalScreen[bool]):
    """`y` is the only way to say yes."""

    CSS_PATH = "../styles/picker.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "Yes", show=False),
        Binding("n,escape,ctrl+c,enter", "answer(False)", "No", show=False),
    ]

    def __init__(self, question: str, yes: str, no: str) -> None:
        super().__init__()
        self._question, self._yes, self._no = question, yes, no

    def compose(self) -> ComposeResult:
        with Vertical(id="confirm"):
            yield Static(self._question, markup=False)
            yield Static(f"y {self._yes} · n {self._no}", id="picker-keys", markup=False)

    def action_answer(self, answer: bool) -> None:
        self.dismiss(answer)
