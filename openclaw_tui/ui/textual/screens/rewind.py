"""Going back: the prompts of the current branch, what going back to before one of them would do, and how much of it."""

import asyncio
import time
from collections.abc import Sequence

from textual import work
from textual.content import Content

from openclaw_tui.agent.rewind_desk import Prompt, RewindDesk, RewindPreview
from openclaw_tui.commands.rewind_text import ago, files_word, preview_text, title
from openclaw_tui.ui.textual.panels.choice import Answer, ChoiceScreen
from openclaw_tui.ui.textual.rendering.safe_text import fit, one_line
from openclaw_tui.ui.textual.screens.picker import PickerRow, PickerScreen


class RewindPicker(PickerScreen):
    """Gives back the line of the command that does it, such as `/rewind 3 both`."""

    KEYS_TOLD = "↑ ↓ choose · Enter go back to before it · Esc close"

    def __init__(self, desk: RewindDesk, *, last_change: bool = False) -> None:
        self._desk = desk
        self._prompts = desk.prompts()
        wanted = [prompt for prompt in self._prompts if prompt.files] if last_change else self._prompts
        rows = _rows(self._prompts)
        super().__init__("Go back to before a prompt", rows, empty="there is no prompt to go back to yet")
        self.begin_at = str(wanted[-1].number) if wanted else None

    def about(self, row: PickerRow) -> None:
        self.tell("looking…")
        self._look(self._prompts[int(row.key) - 1])

    @work(exclusive=True, group="preview")
    async def _look(self, prompt: Prompt) -> None:
        view = await asyncio.to_thread(self._desk.preview, prompt)
        if (row := self.selected) is not None and row.key == str(prompt.number):
            width = max(20, self.query_one("#picker-preview").size.width)
            lines = preview_text(view, self._desk)
            self.tell(Content("\n".join(fit(one_line(line), width) for line in lines)))

    def take(self, row: PickerRow) -> None:
        self._choose(self._prompts[int(row.key) - 1])

    @work(exclusive=True, group="take")
    async def _choose(self, prompt: Prompt) -> None:
        view = await asyncio.to_thread(self._desk.preview, prompt)
        what = await self.app.push_screen_wait(_what_screen(view))
        if not what:
            return
        line = f"/rewind {prompt.number} {what}"
        if what != "talk" and view.plan.conflicts:
            answer = await self.app.push_screen_wait(_conflict_screen(view, self._desk))
            if not answer:
                return
            line += " overwrite" if answer == "overwrite" else ""
        self.dismiss(line)


def _rows(prompts: Sequence[Prompt]) -> list[PickerRow]:
    now = time.time()
    return [
        PickerRow(
            key=str(prompt.number),
            label=f"{prompt.number}  {title(prompt)}",
            detail=" · ".join(part for part in (files_word(prompt), ago(now - prompt.at / 1000)) if part),
        )
        for prompt in prompts
    ]


def _what_screen(view: RewindPreview) -> ChoiceScreen:
    """Which of the two goes back."""
    files = len(view.plan.files)
    facts = [("talk", f"{view.messages} messages, ~{view.tokens:,} tokens; they stay in the session tree")]
    facts.append(("files", view.stat or "nothing to put back"))
    if view.commands:
        facts.append(("not covered", f"what {len(view.commands)} shell commands changed"))
    answers = [
        Answer("both", "talk and files", is_off=not files),
        Answer("talk", "the talk only", "files stay as they are"),
        Answer("files", "files only", "the talk goes on", is_off=not files),
    ]
    return ChoiceScreen(f"Back to before prompt {view.prompt.number}", facts, answers, "both" if files else "talk")


def _conflict_screen(view: RewindPreview, desk: RewindDesk) -> ChoiceScreen:
    """Somebody else changed these files since."""
    facts = [(desk.name_of(file), file.conflict or "") for file in view.plan.conflicts[:8]]
    answers = [
        Answer("keep", "leave these files alone", "the others go back"),
        Answer("overwrite", "put them back all the same", "what is there now is kept and can be brought back"),
    ]
    return ChoiceScreen("Changed by somebody else since", facts, answers, "keep")
