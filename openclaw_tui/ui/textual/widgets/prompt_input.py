"""The prompt with its sign and its completion menu: what the main screen puts text into and gets messages from."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Static, TextArea

from openclaw_tui.constants import DRAFT_SAVE_SECONDS
from openclaw_tui.ui.completion import (
    command_completions,
    file_completions,
    project_files,
    wanted_at,
)
from openclaw_tui.ui.key_hint import KeyHints
from openclaw_tui.ui.prompt_history import PromptHistory, StoredDraft
from openclaw_tui.ui.textual.widgets.completion_menu import CompletionMenu
from openclaw_tui.ui.textual.widgets.prompt_area import PromptArea

if TYPE_CHECKING:
    from openclaw_tui.commands.registry import CommandTable


class PromptInput(Vertical):
    """Sends `PromptArea.Sent`, `LeaveAsked` and `HelpAsked` up to the screen."""

    class KeyTyped(Message):
        """What is being typed holds something like a key; once for each."""

    def __init__(self, commands: CommandTable, take_back: Callable[[], str | None], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._commands = commands
        self._menu = CompletionMenu(id="completion")
        self.area = PromptArea(self._menu, take_back, self._take_completion)
        self.area.on_mode = self._show_mode
        self._root = Path()
        self._files: list[str] | None = None
        self._draft = StoredDraft()
        self._saving: Timer | None = None
        self._keys = KeyHints()
        self._dismissed_at: str | None = None

    def compose(self) -> ComposeResult:
        yield self._menu
        with Horizontal(id="prompt-row"):
            yield Static("›", id="prompt-sign", markup=False)
            yield self.area

    def use_project(self, root: Path, history: PromptHistory, draft: StoredDraft) -> None:
        """Where `@` looks, and whose history and draft these are. What is being typed stays."""
        if root != self._root:
            self._root, self._files = root, None
        self.area.prompts = history
        self._draft = draft

    # ── text ───────────────────────────────────────────────────────────────────────────────────────────────────
    @property
    def text(self) -> str:
        return self.area.text

    def set_text(self, text: str, cursor: int | None = None) -> None:
        self.area.set_text(text, cursor)

    def insert(self, text: str) -> None:
        self.area.insert(text)

    def clear(self) -> None:
        """Empty the prompt; undo brings the text back."""
        self.set_text("")
        self.save_draft()

    def give_back(self, text: str) -> None:
        """A text that could not be sent stands in the prompt again, before what was typed since."""
        self.set_text(f"{text}\n{self.text}" if self.text else text)

    def restore_draft(self) -> bool:
        """Bring back what a crashed program was being told. True when there was something."""
        text = self._draft.load()
        if text and not self.text:
            self.set_text(text)
            return True
        return False

    def stored_draft(self) -> str:
        """The text that was being typed when the program ended last, as it is on disk."""
        return self._draft.load()

    def save_draft(self) -> None:
        """Put what is being typed on disk now."""
        if self._saving is not None:
            self._saving.stop()
            self._saving = None
        self._draft.save(self.area.whole_text)

    def show_mark(self, text: str) -> None:
        """A word of our own on the upper rule, at the right."""
        self.query_one("#prompt-row").border_title = text

    def _show_mode(self, mode: str) -> None:
        """Vi's mode at the sign of the prompt."""
        if self.is_mounted:
            self.query_one("#prompt-sign", Static).update({"normal": "N", "insert": "I"}.get(mode, "›"))

    def show_keys(self, text: str) -> None:
        """What the keys do now, on the lower rule; nothing while nothing runs."""
        for row in self.query("#prompt-row"):  # none once the screen is being taken down
            row.border_subtitle = text

    # ── completion ─────────────────────────────────────────────────────────────────────────────────────────────
    @property
    def menu_is_open(self) -> bool:
        return self._menu.is_open

    def close_menu(self) -> None:
        """Until the text changes."""
        self._dismissed_at = self.text
        self._menu.close()

    @on(TextArea.Changed)
    def _text_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        if self._keys.is_new(self.area.whole_text):
            self.post_message(self.KeyTyped())
        if self._saving is None:
            self._saving = self.set_timer(DRAFT_SAVE_SECONDS, self.save_draft)
        self._update_menu()

    @on(TextArea.SelectionChanged)
    def _cursor_moved(self, event: TextArea.SelectionChanged) -> None:
        event.stop()
        if self._menu.is_open:
            self._update_menu()

    def _update_menu(self) -> None:
        wanted = None if self.area.prompts.is_walking else wanted_at(self.text, self.area.cursor_index)
        if self.text != self._dismissed_at:
            self._dismissed_at = None
        if wanted is None or self._dismissed_at is not None:
            self._menu.close()
        elif wanted.kind == "command":
            self._menu.show(command_completions(self._commands, wanted.text))
        else:
            self._complete_file(wanted.text)

    @work(exclusive=True)
    async def _complete_file(self, typed: str) -> None:
        """List and match in a thread; shown only if the cursor still stands behind the same text."""
        if self._files is None or not typed:
            self._files = await asyncio.to_thread(project_files, self._root)
        found = await asyncio.to_thread(file_completions, self._files, typed)
        wanted = wanted_at(self.text, self.area.cursor_index)
        if wanted is not None and wanted.kind == "file" and wanted.text == typed and self._dismissed_at is None:
            self._menu.show(found)

    def _take_completion(self) -> bool:
        """Put in what the menu offers. True when the text can be sent as it is now."""
        chosen, wanted = self._menu.chosen, wanted_at(self.text, self.area.cursor_index)
        self._menu.close()
        if wanted is None:  # the menu is of an older text: keys act at once, its messages come behind them
            return True
        if chosen is None:
            return False
        if wanted.kind == "command" and self._names_a_command(wanted.text):
            return True
        self.area.replace_before_cursor(wanted.start, chosen.insert)
        return chosen.runs

    def _names_a_command(self, typed: str) -> bool:
        return any(typed == c.name or typed in c.aliases for c in self._commands.commands)
