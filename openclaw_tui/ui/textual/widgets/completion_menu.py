"""The list above the prompt while a command or a file is being completed. It never takes the focus."""

from collections.abc import Sequence

from textual.app import RenderResult
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from openclaw_tui.constants import COMPLETION_ROWS
from openclaw_tui.ui.completion import Completion
from openclaw_tui.ui.textual.rendering.safe_text import fit, one_line


class CompletionMenu(Widget):
    """Shows `items`, one of them selected; hidden while there are none."""

    items: reactive[tuple[Completion, ...]] = reactive((), layout=True)
    selected: reactive[int] = reactive(0)

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.display = False

    @property
    def is_open(self) -> bool:
        return bool(self.items)

    @property
    def chosen(self) -> Completion | None:
        return self.items[self.selected] if self.items else None

    def show(self, items: Sequence[Completion]) -> None:
        if tuple(items) != self.items:
            self.selected = 0
            self.items = tuple(items)
            self.display = bool(items)

    def close(self) -> None:
        self.show(())

    def move(self, step: int) -> None:
        if self.items:
            self.selected = (self.selected + step) % len(self.items)

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        return min(len(self.items), COMPLETION_ROWS)

    def render(self) -> RenderResult:
        width = max(1, self.content_size.width)
        first = max(0, min(self.selected - COMPLETION_ROWS // 2, len(self.items) - COMPLETION_ROWS))
        shown = self.items[first : first + COMPLETION_ROWS]
        column = min(max((len(one_line(item.label)) for item in shown), default=0), max(8, width // 2))
        lines = [self._line(item, first + number, column, width) for number, item in enumerate(shown)]
        return Content("\n").join(lines)

    def _line(self, item: Completion, number: int, column: int, width: int) -> Content:
        label = fit(one_line(item.label), column if item.detail else width - 2)
        mark = "▸ " if number == self.selected else "  "
        text = fit(f"{mark}{label.ljust(column)}  {one_line(item.detail)}".rstrip(), width)
        style = "$text-primary bold" if number == self.selected else "$foreground 75%"
        return Content.styled(text, style)
