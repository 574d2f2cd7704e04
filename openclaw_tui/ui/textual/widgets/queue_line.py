"""What waits to be sent, above the prompt: texts that steer the running turn, texts and commands for after it."""

from textual.app import RenderResult
from textual.content import Content
from textual.widget import Widget

from openclaw_tui.constants import QUEUE_LINES_SHOWN
from openclaw_tui.ui.textual.rendering.safe_text import fit, one_line


class QueueLine(Widget):
    """Takes no room while nothing waits."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.steering: tuple[str, ...] = ()
        self.later: tuple[str, ...] = ()
        self.commands: tuple[str, ...] = ()
        self.display = False

    def show_messages(self, steering: tuple[str, ...], later: tuple[str, ...]) -> None:
        self.steering, self.later = steering, later
        self._changed()

    def show_commands(self, commands: tuple[str, ...]) -> None:
        self.commands = commands
        self._changed()

    def _changed(self) -> None:
        self.display = bool(self._rows())
        self.refresh(layout=True)

    def _rows(self) -> list[str]:
        rows = [f"↳ next: {one_line(text)}" for text in self.steering]
        rows += [f"↳ after this turn: {one_line(text)}" for text in (*self.later, *self.commands)]
        if len(rows) > QUEUE_LINES_SHOWN:
            rows = [*rows[: QUEUE_LINES_SHOWN - 1], f"… and {len(rows) - QUEUE_LINES_SHOWN + 1} more"]
        return rows

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        return len(self._rows())

    def render(self) -> RenderResult:
        width = max(1, self.content_size.width)
        hint = "  (↑ takes it back)" if self.steering or self.later else ""
        rows = self._rows()
        lines = [fit(row + (hint if number == len(rows) - 1 else ""), width) for number, row in enumerate(rows)]
        return Content("\n").join(Content.styled(line, "$foreground 75%") for line in lines)
