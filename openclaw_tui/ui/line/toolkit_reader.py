"""The live prompt of line mode: always at the bottom, with toolbar, menus and history; the talk scrolls above it."""

import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TextIO

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import Completer, ThreadedCompleter
from prompt_toolkit.enums import EditingMode
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import ANSI
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.input.vt100 import Vt100Input
from prompt_toolkit.patch_stdout import StdoutProxy
from prompt_toolkit.styles import Style

from openclaw_tui.constants import LINE_WRITE_PAUSE_SECONDS
from openclaw_tui.ui.line.keys import line_keys
from openclaw_tui.ui.line.paste import PasteSafeParser
from openclaw_tui.ui.line.reader import Hooks, LineKind, TypedLine
from openclaw_tui.ui.line.typed_early import KeptKeys

_STYLE = Style.from_dict({"bottom-toolbar": "noreverse", "bottom-toolbar.text": ""})


class LineInput(Vt100Input):
    """The terminal's input without the two moments in which typed keys change their meaning.

    In a paste that holds its own end mark, and while something is printed above the prompt: the toolkit then switches
    to the mode in which the terminal echoes keys and Enter is a line feed.
    """

    def __init__(self, stdin: TextIO) -> None:
        super().__init__(stdin)
        self.vt100_parser = PasteSafeParser(self.vt100_parser.feed_key_callback)

    def cooked_mode(self) -> AbstractContextManager[None]:
        return nullcontext()


class ToolkitReader:
    """`history` holds earlier prompts, oldest first. Answers to questions never enter it."""

    def __init__(self, hooks: Hooks, *, history: Sequence[str], completer: Completer, vim: bool, styled: bool) -> None:
        self._hooks = hooks
        self._history = InMemoryHistory(list(history))
        self._stashed = ""
        self._was_asking = False
        self._is_left = False
        self._draft = ""
        self._kind: LineKind = "send"
        source = LineInput(sys.stdin)
        self._kept_keys = KeptKeys(source)
        self._session: PromptSession[str] = PromptSession(
            self._label,
            input=source,
            multiline=True,
            history=self._history,
            completer=ThreadedCompleter(completer),
            complete_while_typing=Condition(lambda: not hooks.is_asking()),
            key_bindings=line_keys(hooks, self._finish),
            bottom_toolbar=lambda: hooks.toolbar(self._session.default_buffer.text),
            prompt_continuation=lambda width, number, soft: " " * width,
            editing_mode=EditingMode.VI if vim else EditingMode.EMACS,
            enable_suspend=True,
            enable_open_in_editor=True,
            reserve_space_for_menu=6,
            style=_STYLE if styled else None,
        )
        self._proxy = StdoutProxy(sleep_between_writes=LINE_WRITE_PAUSE_SECONDS, raw=True)

    @property
    def is_live(self) -> bool:
        return True

    async def read(self) -> TypedLine:
        if self._is_left:
            raise EOFError
        self._kind = "send"
        draft, self._draft = self._draft, ""
        text = await self._session.prompt_async(default=draft, handle_sigint=False)
        return TypedLine(text, self._kind)

    def write(self, text: str) -> None:
        self._proxy.write(text)
        self._proxy.flush()

    def refresh(self) -> None:
        """Draw label and toolbar again. A draft makes room for the answer to a question and comes back after it."""
        buffer, asking = self._session.default_buffer, self._hooks.is_asking()
        if asking and not self._was_asking:
            self._stashed = buffer.text
            buffer.reset()
        elif self._was_asking and not asking and self._stashed:
            self.put_draft(self._stashed)
            self._stashed = ""
        self._was_asking = asking
        self._session.app.invalidate()

    def put_draft(self, text: str) -> None:
        """Into the editor where it is open, else for the next time it opens."""
        if self._session.app.is_running:
            buffer = self._session.default_buffer
            buffer.text = f"{text}\n{buffer.text}" if buffer.text else text
            buffer.cursor_position = len(buffer.text)
        else:
            self._draft = f"{text}\n{self._draft}" if self._draft else text

    def leave(self) -> None:
        self._is_left = True
        if self._session.app.is_running and not self._session.app.is_done:
            self._session.app.exit(exception=EOFError())

    def close(self) -> None:
        self._proxy.close()
        self._kept_keys.restore()

    def remember(self, text: str) -> None:
        """For the arrow keys of this run."""
        self._history.append_string(text)

    def _label(self) -> ANSI:
        return ANSI(self._hooks.label())

    def _finish(self, kind: LineKind) -> None:
        self._kind = kind
        self._session.app.exit(result=self._session.default_buffer.text)
