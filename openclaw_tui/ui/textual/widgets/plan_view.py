"""The model's plan above the prompt: what is done, what it works on, what is to come. Hidden until it is asked for."""

from collections.abc import Sequence

from textual.app import RenderResult
from textual.content import Content
from textual.widget import Widget

from openclaw_tui.constants import PLAN_ROWS
from openclaw_tui.ui.textual.rendering.safe_text import fit, one_line

_SIGNS = {"completed": ("✓", "$foreground 75%"), "in_progress": ("▸", "$text-primary bold"), "pending": ("○", "")}


class PlanView(Widget):
    """Takes no room while it is folded or there is no plan."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.steps: tuple[tuple[str, str], ...] = ()
        self.unfolded = False
        self.display = False

    def show(self, steps: Sequence[tuple[str, str]]) -> None:
        self.steps = tuple(steps)
        self._changed()

    def toggle(self) -> bool:
        """Fold or unfold; False when there is no plan."""
        self.unfolded = not self.unfolded and bool(self.steps)
        self._changed()
        return bool(self.steps)

    def _changed(self) -> None:
        self.display = self.unfolded and bool(self.steps)
        self.refresh(layout=True)

    def _shown(self) -> list[tuple[str, str]]:
        """The steps around the one in work."""
        at = next((n for n, (_step, state) in enumerate(self.steps) if state != "completed"), len(self.steps) - 1)
        first = max(0, min(at - 2, len(self.steps) - PLAN_ROWS))
        return list(self.steps[first : first + PLAN_ROWS])

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        return 1 + len(self._shown()) if self.steps else 0

    def render(self) -> RenderResult:
        width = max(1, self.content_size.width)
        done = sum(state == "completed" for _step, state in self.steps)
        lines = [Content.styled(fit(f"plan · {done} of {len(self.steps)} done · Ctrl+T folds", width), "bold")]
        for step, state in self._shown():
            sign, style = _SIGNS.get(state, _SIGNS["pending"])
            lines.append(Content.styled(fit(f"  {sign} {one_line(step)}", width), style))
        return Content("\n").join(lines)
