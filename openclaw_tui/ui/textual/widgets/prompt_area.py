"""The text area of the prompt: the keys people expect, whole graphemes, pastes as blocks, a history at its edges."""

from collections.abc import Callable, Iterator
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.message import Message
from textual.widgets import TextArea
from textual.widgets.text_area import Location

from openclaw_tui.ui.early_draft import graphemes
from openclaw_tui.ui.prompt_history import PromptHistory
from openclaw_tui.ui.terminal_input import clean_paste
from openclaw_tui.ui.textual.bindings import bindings_of
from openclaw_tui.ui.textual.keymap import actions_of, rebind
from openclaw_tui.ui.textual.widgets.completion_menu import CompletionMenu
from openclaw_tui.ui.textual.widgets.paste_chips import PasteChips
from openclaw_tui.ui.textual.widgets.vi_keys import ViKeys


class PromptArea(TextArea):
    """`take_back` gives the last queued message, for ↑ on an empty prompt; `complete` takes what the menu offers and
    says whether the text is now to be sent; `on_typed` hears of every key and paste before it acts."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("prompt")

    class Sent(Message):
        """Enter, or Tab for `follow_up`. `shown` is what stood in the prompt, `text` what it stands for.

        The prompt is empty already, so that what is typed right behind Enter is a text of its own.
        """

        def __init__(self, text: str, shown: str, *, follow_up: bool = False) -> None:
            super().__init__()
            self.text = text
            self.shown = shown
            self.follow_up = follow_up

    class LeaveAsked(Message):
        pass

    class HelpAsked(Message):
        pass

    def __init__(self, menu: CompletionMenu, take_back: Callable[[], str | None], complete: Callable[[], bool]) -> None:
        super().__init__(
            soft_wrap=True,
            show_line_numbers=False,
            tab_behavior="focus",
            highlight_cursor_line=False,
            compact=True,
            id="prompt-area",
        )
        self.cursor_blink = False
        self.take_keys()
        self.menu = menu
        self.take_back = take_back
        self.complete = complete
        self.on_typed: Callable[[], None] = lambda: None
        self._in_chord = False
        self.vi: ViKeys | None = None
        self.on_mode: Callable[[str], None] = lambda mode: None
        self.prompts = PromptHistory()
        self.chips = PasteChips()

    # ── text ───────────────────────────────────────────────────────────────────────────────────────────────────
    @property
    def whole_text(self) -> str:
        """What is sent: chips replaced by what they stand for."""
        return self.chips.expanded(self.text)

    @property
    def cursor_index(self) -> int:
        """Characters before the cursor."""
        row, column = self.cursor_location
        return sum(len(self.document.get_line(number)) + 1 for number in range(row)) + column

    def set_text(self, text: str, cursor: int | None = None) -> None:
        """Replace everything; the cursor goes to the end, or behind `cursor` characters. Can be undone."""
        self.replace(text, (0, 0), self.document.end)
        before = text if cursor is None else text[:cursor]
        self.move_cursor((before.count("\n"), len(before) - before.rfind("\n") - 1))

    def replace_before_cursor(self, start: int, text: str) -> None:
        """Replace what stands between the character `start` and the cursor."""
        result = self.replace(text, self._place(start), self.cursor_location)
        self.move_cursor(result.end_location)

    # ── for vi ─────────────────────────────────────────────────────────────────────────────────────────────────
    def take_keys(self) -> None:
        """The keys as the keymap has them now; those of the main screen come before the text area's own."""
        rebind(self, "prompt")
        self._outer = actions_of("main")

    def use_vi(self, on: bool) -> None:
        """Vi keys on or off; on, the prompt begins in insert mode."""
        if on != (self.vi is not None):
            self.vi = ViKeys(self, lambda mode: self.on_mode(mode)) if on else None
            self.on_mode("insert" if on else "")

    def put_between(self, start: int, end: int, text: str) -> None:
        self.replace(text, self._place(start), self._place(end), maintain_selection_offset=False)
        self.go(start + len(text))

    def go(self, index: int) -> None:
        self.move_cursor(self._place(index))

    def leave_line(self, step: int) -> None:
        if step < 0:
            self.action_up()
        else:
            self.action_down()

    def _place(self, index: int) -> Location:
        before = self.text[:index]
        return before.count("\n"), len(before) - before.rfind("\n") - 1

    # ── keys ───────────────────────────────────────────────────────────────────────────────────────────────────
    async def _on_key(self, event: events.Key) -> None:
        """Run the action of a key at once.

        Left to the toolkit, a bound key goes round by the application, and what is typed right behind it overtakes it.
        """
        self.on_typed()
        in_chord, self._in_chord = self._in_chord, False
        if self.vi is not None and not self.menu.is_open and self.vi.press(event.key, event.character):
            event.prevent_default().stop()
        elif in_chord:
            event.prevent_default().stop()
            if event.key == "ctrl+e":
                await self.screen.run_action("edit_draft")
        elif event.character == "?" and not self.text:
            event.prevent_default().stop()
            self.post_message(self.HelpAsked())
        elif event.key in self._outer:
            event.prevent_default().stop()
            await self.screen.run_action(self._outer[event.key])
        elif not event.is_printable and (bound := self._bindings.key_to_bindings.get(event.key)):
            event.prevent_default().stop()
            await self.run_action(bound[0].action)

    async def _on_paste(self, event: events.Paste) -> None:
        event.prevent_default().stop()
        self.on_typed()
        self.insert(self.chips.shown(clean_paste(event.text)))

    def action_send(self) -> None:
        if self.menu.is_open and not self.complete():
            return
        if self._backslash_before_cursor():
            row, column = self.cursor_location
            self.replace("\n", (row, column - 1), (row, column), maintain_selection_offset=False)
        else:
            self._send(follow_up=False)

    def _send(self, *, follow_up: bool) -> None:
        if self.text.strip():
            self.post_message(self.Sent(self.whole_text, self.text, follow_up=follow_up))
            self.set_text("")

    def action_newline(self) -> None:
        self._replace_via_keyboard("\n", *self.selection)

    def action_tab(self) -> None:
        if self.menu.is_open:
            self.complete()
        else:
            self._send(follow_up=True)

    def action_up(self) -> None:
        if self.menu.is_open:
            self.menu.move(-1)
            return
        if not self.text and not self.prompts.is_walking and (queued := self.take_back()) is not None:
            self.set_text(queued)
            return
        if self._visual_row() > 0:
            self.action_cursor_up()
            self._snap()
        elif (older := self.prompts.older(self.text)) is not None:
            self.set_text(older, len(older.partition("\n")[0]))

    def action_take_back(self) -> None:
        """Alt+↑: the last queued message, in front of what is being written."""
        queued = self.take_back()
        if queued is not None:
            self.set_text(f"{queued}\n{self.text}" if self.text else queued, len(queued))

    def action_chord(self) -> None:
        """Ctrl+X: the next key decides; Ctrl+E opens the editor."""
        self._in_chord = True

    def action_down(self) -> None:
        if self.menu.is_open:
            self.menu.move(1)
        elif self._visual_row() < self.wrapped_document.height - 1:
            self.action_cursor_down()
            self._snap()
        elif (newer := self.prompts.newer(self.text)) is not None:
            self.set_text(newer)

    def action_delete_or_leave(self) -> None:
        if self.text:
            self.action_delete_right()
        else:
            self.post_message(self.LeaveAsked())

    def action_delete_left(self) -> None:
        row, column = self.cursor_location
        start = self.chips.span_at(self.document.get_line(row), column) if self.selection.is_empty else None
        if start is None:
            super().action_delete_left()
        else:
            self.delete((row, start), (row, column), maintain_selection_offset=False)

    # ── graphemes ──────────────────────────────────────────────────────────────────────────────────────────────
    def get_cursor_left_location(self) -> Location:
        row, column = self.cursor_location
        if column == 0:
            return super().get_cursor_left_location()
        return row, max((start for start, _end in self._graphemes(row) if start < column), default=0)

    def get_cursor_right_location(self) -> Location:
        row, column = self.cursor_location
        ends = [end for _start, end in self._graphemes(row) if end > column]
        return (row, min(ends)) if ends else super().get_cursor_right_location()

    def _graphemes(self, row: int) -> Iterator[tuple[int, int]]:
        start = 0
        for part in graphemes(self.document.get_line(row)):
            yield start, start + len(part)
            start += len(part)

    def _snap(self) -> None:
        """Moving up or down may end inside a grapheme: go to its begin."""
        row, column = self.cursor_location
        inside = next((start for start, end in self._graphemes(row) if start < column < end), None)
        if inside is not None:
            self.move_cursor((row, inside))

    def _visual_row(self) -> int:
        return self.wrapped_document.location_to_offset(self.cursor_location).y

    def _backslash_before_cursor(self) -> bool:
        row, column = self.cursor_location
        return column > 0 and self.document.get_line(row)[column - 1] == "\\"
