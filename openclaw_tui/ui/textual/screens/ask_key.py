"""Asking for a provider's key: masked, kept nowhere but where it is to be kept."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from openclaw_tui.providers.credentials import key_variables


class AskKeyScreen(ModalScreen[str | None]):
    """Dismisses with the key, or None."""

    CSS_PATH = "../styles/picker.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,ctrl+c", "cancel", "Close", show=False, priority=True)]

    def __init__(self, provider: str) -> None:
        super().__init__()
        self._provider = provider

    def compose(self) -> ComposeResult:
        with Vertical(id="picker"):
            yield Static(f"Key of {self._provider}", id="picker-title", markup=False)
            yield Input(password=True, placeholder="paste it here", id="picker-search", compact=True)
            yield Static(self._told(), id="picker-preview", markup=False)
            yield Static("Enter keep it · Esc close", id="picker-keys", markup=False)

    def on_mount(self) -> None:
        self.query_one(Input).cursor_blink = False

    @on(Input.Submitted)
    def _given(self, event: Input.Submitted) -> None:
        event.stop()
        key, event.input.value = event.value.strip(), ""
        if key:
            self.dismiss(key)

    def action_cancel(self) -> None:
        self.dismiss(None)

    def _told(self) -> str:
        names = " or ".join(key_variables(self._provider))
        return (
            "It is kept in the system keyring, or where there is none in a file only you can read; it is never shown, "
            f"logged or stored with the talk. {names} in the environment goes first."
        )
