"""The question at the end of a turn that planned: the steps, and whether to go on with them."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from openclaw_tui.ui.plan_answer import CHOICES, QUESTION, PlanAnswer
from openclaw_tui.ui.textual.rendering.safe_text import one_line

_SIGNS = {"completed": "✓", "in_progress": "▸", "pending": "○"}


class PlanQuestion(ModalScreen[PlanAnswer]):
    """Dismisses with the answer. Enter takes the marked row, which begins at the careful one."""

    CSS_PATH = "../styles/approval.tcss"
    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(key, f"take('{answer}')", words, show=False) for answer, key, words in CHOICES),
        Binding("escape,ctrl+c", "take('keep')", "Keep planning", show=False),
        Binding("up", "move(-1)", "Up", show=False),
        Binding("down,tab", "move(1)", "Down", show=False),
        Binding("enter", "take_marked", "Take", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown,space", "page(1)", "Page down", show=False),
    ]

    def __init__(self, steps: Sequence[tuple[str, str]]) -> None:
        super().__init__()
        self._steps = tuple(steps)
        self._at = 1

    def compose(self) -> ComposeResult:
        with Vertical(id="approval"):
            yield Static(QUESTION, id="approval-question", markup=False)
            with VerticalScroll(id="approval-preview", can_focus=False):
                rows = [f"{_SIGNS.get(state, '○')} {one_line(step)}" for step, state in self._steps]
                yield Static(Content("\n".join(rows)), markup=False)
            yield Static("", id="approval-choices", markup=False)
            yield Static("↑ ↓ Enter, or the key · Esc keeps planning", id="approval-keys", markup=False)

    def on_mount(self) -> None:
        self.query_one("#approval-preview").styles.max_height = max(1, self.size.height - 10)
        self._show()

    def action_take(self, answer: PlanAnswer) -> None:
        self.dismiss(answer)

    def action_take_marked(self) -> None:
        self.dismiss(CHOICES[self._at][0])

    def action_move(self, step: int) -> None:
        self._at = (self._at + step) % len(CHOICES)
        self._show()

    def action_page(self, step: int) -> None:
        preview = self.query_one("#approval-preview")
        preview.scroll_relative(y=step * max(1, preview.size.height - 1), animate=False)

    def _show(self) -> None:
        lines = [
            Content.styled(f"{'▸' if n == self._at else ' '} {words} ({key})", _style(n == self._at))
            for n, (_answer, key, words) in enumerate(CHOICES)
        ]
        self.query_one("#approval-choices", Static).update(Content("\n").join(lines))


def _style(marked: bool) -> str:
    return "$text-primary bold" if marked else "$foreground"
