"""Choosing the model: window, prices, whether there is a key; how hard it thinks is chosen in the same place."""

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType

from openclaw_tui.app.models import HOW_TO_CONNECT
from openclaw_tui.messages import THINKING_LEVELS, ThinkingLevel
from openclaw_tui.models import ModelInfo
from openclaw_tui.ui.textual.screens.picker import PickerRow, PickerScreen
from openclaw_tui.ui.textual.widgets.status_bar import count_text


class ModelPicker(PickerScreen):
    """Gives back `provider/model:level`, or `login:provider` for one that has no key yet."""

    KEYS_TOLD = "↑ ↓ choose · Tab Shift+Tab thinking · Enter take · Esc close"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "think(1)", "More thinking", show=False, priority=True),
        Binding("shift+tab", "think(-1)", "Less thinking", show=False, priority=True),
    ]

    def __init__(
        self, models: Sequence[ModelInfo], *, usable: Sequence[ModelInfo], current: ModelInfo, thinking: ThinkingLevel
    ) -> None:
        self._usable = {model.ref for model in usable}
        self._current = current.ref
        self._models = {model.ref: model for model in sorted(models, key=self._order)}
        self._levels: dict[str, ThinkingLevel] = {
            model.ref: thinking if model.ref == current.ref else model.default_thinking for model in models
        }
        super().__init__("Model", self._listed(), empty=f"to connect one: {HOW_TO_CONNECT}")

    def take(self, row: PickerRow) -> None:
        model = self._models[row.key]
        self.dismiss(f"{row.key}:{self._levels[row.key]}" if row.key in self._usable else f"login:{model.provider}")

    def action_think(self, step: int) -> None:
        """The next level that the model knows."""
        row = self.selected
        levels = levels_of(self._models[row.key]) if row is not None else []
        if row is None or len(levels) < 2:
            return
        at = levels.index(self._levels[row.key]) if self._levels[row.key] in levels else 0
        self._levels[row.key] = levels[(at + step) % len(levels)]
        self.show_rows(self._listed())

    def _order(self, model: ModelInfo) -> tuple[bool, bool]:
        return model.ref != self._current, model.ref not in self._usable

    def _listed(self) -> list[PickerRow]:
        return [self._row(model) for model in self._models.values()]

    def _row(self, model: ModelInfo) -> PickerRow:
        sign = "●" if model.ref == self._current else "✓" if model.ref in self._usable else " "
        level = self._levels[model.ref]
        known = levels_of(model)
        thinking = f"thinking {level}" if len(known) > 1 else "no thinking"
        key = "" if model.ref in self._usable else " · no key"
        levels = " ".join(f"[{name}]" if name == level else name for name in known)
        choose = f"thinking: {levels}" if len(known) > 1 else "no thinking levels"
        how = f" · Enter asks for the key of {model.provider}" if key else ""
        return PickerRow(
            key=model.ref,
            label=f"{sign} {model.ref}",
            detail=f"{count_text(model.context_window)} · {price_text(model)} · {thinking}{key}",
            preview=f"{model.name or model.id} · window {model.context_window:,} · {choose}{how}",
        )


def levels_of(model: ModelInfo) -> list[ThinkingLevel]:
    """The levels a model knows, from none to most."""
    return [level for level in THINKING_LEVELS if level in (model.thinking_levels or ("off",))]


def price_text(model: ModelInfo) -> str:
    """Dollars per million tokens in, out and read from the cache."""
    price = model.price
    return f"${price.input:g} in ${price.output:g} out ${price.cache_read:g} cached" if price else "price unknown"
