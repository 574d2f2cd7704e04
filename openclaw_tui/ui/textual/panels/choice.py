"""A small sheet with figures and two or three answers: the price of an act, the ways to undo a compaction."""

from collections.abc import Sequence
from typing import ClassVar

import msgspec
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from openclaw_tui.agent.price_sheet import PriceSheet
from openclaw_tui.agent.undoing import UndoWays
from openclaw_tui.ui.figures import tokens_short
from openclaw_tui.ui.textual.bindings import bindings_of


class Answer(msgspec.Struct, frozen=True):
    """`key` is what choosing gives back; one that `is_off` is shown and cannot be chosen."""

    key: str
    words: str
    detail: str = ""
    is_off: bool = False


class ChoiceScreen(ModalScreen[str]):
    """Dismisses with the key of the answer; Esc gives the empty one. Enter takes the marked answer."""

    CSS_PATH = "../styles/panels.tcss"
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("choice")

    def __init__(
        self, title: str, facts: Sequence[tuple[str, str]], answers: Sequence[Answer], default: str = ""
    ) -> None:
        super().__init__()
        self._title, self._facts, self.answers = title, tuple(facts), tuple(answers)
        self._at = next((n for n, answer in enumerate(answers) if answer.key == default and not answer.is_off), 0)

    def compose(self) -> ComposeResult:
        with Vertical(id="choice"):
            yield Static(self._title, id="choice-title", markup=False)
            yield Static(self._facts_text(), id="choice-facts", markup=False)
            yield Static(id="choice-answers", markup=False)
            yield Static("↑ ↓ or a digit choose · Enter take · Esc leave it", id="choice-keys", markup=False)

    def on_mount(self) -> None:
        self._draw()

    @property
    def chosen(self) -> Answer:
        return self.answers[self._at]

    def _facts_text(self) -> Content:
        width = max((len(name) for name, _ in self._facts), default=0)
        parts: list[tuple[str, str]] = []
        for number, (name, figure) in enumerate(self._facts):
            parts += [("\n" if number else "", ""), (f"{name.ljust(width)}  ", "$foreground 62%"), (figure, "bold")]
        return Content.assemble(*parts)

    def _draw(self) -> None:
        parts: list[tuple[str, str]] = []
        for number, answer in enumerate(self.answers):
            mark = "▸" if number == self._at else " "
            style = "$foreground 50%" if answer.is_off else "bold" if number == self._at else "$foreground 90%"
            parts += [("\n" if number else "", ""), (f"{mark} {number + 1} {answer.words}", style)]
            parts += [(f"  {answer.detail}", "$foreground 62%")] if answer.detail else []
        self.query_one("#choice-answers", Static).update(Content.assemble(*parts))

    # ── keys ───────────────────────────────────────────────────────────────────────────────────────────────────
    def action_move(self, step: int) -> None:
        self._at = (self._at + step) % len(self.answers)
        self._draw()

    def action_take(self) -> None:
        if not self.chosen.is_off:
            self.dismiss(self.chosen.key)

    def action_digit(self, number: int) -> None:
        if number <= len(self.answers):
            self._at = number - 1
            self._draw()
            self.action_take()

    def action_close(self) -> None:
        self.dismiss("")


_ANSWERS = {
    "now": Answer("now", "now"),
    "later": Answer("later", "at the next compaction"),
    "no": Answer("no", "leave it as it is"),
}


def price_screen(sheet: PriceSheet) -> ChoiceScreen:
    """The price of an act that breaks the prefix; the answer is `now`, `later`, `no` or nothing."""
    facts = [(name, figure) for name, figure in sheet.rows]
    answers = [_ANSWERS[choice] for choice in sheet.choices]
    title = f"{sheet.title[:1].upper()}{sheet.title[1:]} breaks the cached prefix"
    return ChoiceScreen(title, facts, answers, sheet.default)


def undo_screen(ways: UndoWays) -> ChoiceScreen:
    """How to undo a compaction that turns followed; the answer is `keep`, `branch`, `again` or nothing."""
    size = f"~{tokens_short(ways.whole_tokens)} of {tokens_short(ways.usable)} usable"
    facts = [
        ("said since", f"{ways.later} messages, ~{tokens_short(ways.later_tokens)} tokens"),
        ("whole history with them", f"{size}: {'fits' if ways.fits else 'does not fit'}"),
    ]
    answers = [
        Answer("keep", "keep them behind the whole history", size, is_off=not ways.fits),
        Answer("branch", "go back to before it", "they stay on their branch"),
        Answer("again", "summarise the same span anew", "/compact again FOCUS"),
    ]
    return ChoiceScreen("Turns followed this compaction", facts, answers, "keep" if ways.fits else "branch")
