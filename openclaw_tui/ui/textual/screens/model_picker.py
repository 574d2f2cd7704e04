"""Choosing the model: those that can be used now, with window, price and thinking levels."""

from collections.abc import Sequence

from openclaw_tui.app.models import HOW_TO_CONNECT
from openclaw_tui.models import ModelInfo
from openclaw_tui.ui.textual.screens.picker import PickerRow, PickerScreen
from openclaw_tui.ui.textual.widgets.status_bar import count_text


def model_picker(models: Sequence[ModelInfo], current: ModelInfo) -> PickerScreen:
    """A picker that gives back `provider/model`."""
    rows = [_row(model, model.ref == current.ref) for model in models]
    rows.append(PickerRow("", "connect another …", "", f"to connect more: {HOW_TO_CONNECT}"))
    return PickerScreen("Model", rows, empty=f"to connect one: {HOW_TO_CONNECT}")


def _row(model: ModelInfo, is_current: bool) -> PickerRow:
    price = f"${model.price.input:g} in, ${model.price.output:g} out" if model.price else "price unknown"
    levels = ", ".join(model.thinking_levels) or "off"
    window = f"window {model.context_window:,}"
    return PickerRow(
        key=model.ref,
        label=f"{'● ' if is_current else '  '}{model.ref}",
        detail=f"{count_text(model.context_window)} · {price}",
        preview=f"{model.name or model.id} · {window} · {price} per million · thinking: {levels}",
    )
