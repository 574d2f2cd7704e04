"""Searching the prompts that were sent from this project, newest first."""

from openclaw_tui.ui.prompt_history import PromptHistory
from openclaw_tui.ui.textual.rendering.safe_text import one_line
from openclaw_tui.ui.textual.screens.picker import PickerRow, PickerScreen


def history_search(history: PromptHistory, typed: str) -> PickerScreen:
    """A picker that gives back the place of a prompt in the history, as text. What was typed is searched first."""
    newest_of = {text: place for place, text in enumerate(history.entries)}
    rows = [
        PickerRow(str(place), one_line(text), preview=f"{text.count(chr(10)) + 1} lines" if "\n" in text else "")
        for text, place in sorted(newest_of.items(), key=lambda found: -found[1])
    ]
    return PickerScreen("Earlier prompts", rows, empty="nothing was sent from this project yet", search=typed)
