"""The Textual application: screens, theme, the conversation on the screen. No features live here.

Every way out ends in `close`, which stops the work and gives the session file back; the terminal itself is restored by
whoever started the program (`ui/start.py`).
"""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Callable
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, ClassVar

from textual import work
from textual.app import App
from textual.binding import Binding, BindingType

from openclaw_tui.cli_options import Options
from openclaw_tui.errors import EXIT_FAILED, OpenClawError, SessionLocked
from openclaw_tui.ui.first_frame import Handover
from openclaw_tui.ui.opening import Opened, compose_for_screen
from openclaw_tui.ui.textual.acts import LeaveAsked, SwitchAsked
from openclaw_tui.ui.textual.driver import ScreenDriver
from openclaw_tui.ui.textual.screens.main import MainScreen
from openclaw_tui.ui.textual.themes import BUNDLED, choose_theme

if TYPE_CHECKING:
    from openclaw_tui.ui.textual.conversation import Conversation

_log = logging.getLogger(__name__)


class OpenClawApp(App[int]):
    """Runs until the user leaves; `crash` is what ended it otherwise, `failure` why nothing could be opened.

    `opening` composes the first conversation, or is one. It is called in a thread when the first picture stands, so
    that nothing heavy keeps the prompt waiting; `early_theme` is the theme until the settings are read.
    """

    TITLE = "openclaw-tui"
    CSS_PATH: ClassVar[str | PurePath | list[str | PurePath] | None] = ["styles/main.tcss", "styles/side.tcss"]
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+q", "leave", "Leave", show=False, priority=True)]

    def __init__(
        self, opening: Opened | Callable[[], Opened], handover: Handover | None = None, *, early_theme: str = "auto"
    ) -> None:
        super().__init__(driver_class=ScreenDriver)
        self._opening = opening
        self._handover = handover or Handover()
        self._talk: Conversation | None = None
        self._begun: asyncio.Task[None] | None = None
        self.main = MainScreen()
        self.crash: Exception | None = None
        self.failure: OpenClawError | None = None
        self._leaving = False
        self._closed_talks: set[asyncio.Task[None]] = set()
        for theme in BUNDLED:
            self.register_theme(theme)
        self.main.acts.background = self._handover.background
        self.theme, _ = choose_theme(early_theme, self._handover.background, set(self.available_themes))
        if isinstance(opening, Opened):
            self._take(opening)

    @property
    def talk(self) -> Conversation:
        """The conversation on the screen. Raises RuntimeError before the first one is open."""
        if self._talk is None:
            raise RuntimeError("no conversation is open yet")
        return self._talk

    @property
    def has_talk(self) -> bool:
        return self._talk is not None

    def get_default_screen(self) -> MainScreen:
        """The main screen from the start, so that no key can arrive before there is a prompt."""
        return self.main

    # ── the first conversation ─────────────────────────────────────────────────────────────────────────────────
    async def on_ready(self) -> None:
        """The first picture stands: open the conversation beside it."""
        for which in (signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(which, self.exit, 128 + which)
        self.app_resume_signal.subscribe(self.main, lambda _app: self.main.action_redraw())
        self.main.restore_typed(self._handover)
        if isinstance(self._opening, Opened):
            await self._begin(self._opening)
        else:
            self._begun = asyncio.create_task(self._open_first(self._opening), name="open the first conversation")
            self._begun.add_done_callback(self._opening_ended)

    def _opening_ended(self, task: asyncio.Task[None]) -> None:
        """A defect is told like one of the screen, the terminal given back."""
        if not task.cancelled() and isinstance(error := task.exception(), Exception):
            self._handle_exception(error)

    async def _open_first(self, opening: Callable[[], Opened]) -> None:
        try:
            opened = await asyncio.to_thread(opening)
        except OpenClawError as error:
            self.failure = error
            self.exit(EXIT_FAILED)
            return
        self._take(opened)
        if not self._leaving:
            await self._begin(opened)

    def _take(self, opened: Opened) -> None:
        from openclaw_tui.ui.textual.conversation import Conversation

        self._talk = Conversation(opened.app)

    async def _begin(self, opened: Opened) -> None:
        """Show it, ask what has to be asked, then send what waits."""
        self._use_themes()
        self.main.runner.table.commands[:] = opened.commands
        await self.main.attach(self.talk)
        composed = self.talk.composed
        if composed.config.trust.asks or composed.offer or composed.crash or composed.left_over:
            self._begin_with_questions(opened)
        else:
            self._send_first(opened)

    @work(exclusive=True, group="begin")
    async def _begin_with_questions(self, opened: Opened) -> None:
        from openclaw_tui.ui.textual.first_questions import ask_first

        await ask_first(self)
        self._send_first(opened)

    def _send_first(self, opened: Opened) -> None:
        """What was typed before there was anybody to send it to."""
        self.main.bring_draft_back()
        self.main.send_early(self.talk.composed.options.prompt)
        if opened.pick_session:
            self.main.acts.pick_session()
        if opened.held is not None:
            self._switch(opened.held)

    def _use_themes(self) -> None:
        """The user's own themes, and the one that is wanted."""
        from openclaw_tui.ui.textual.theme_files import own_themes

        composed = self.talk.composed
        own, problems = own_themes(composed.paths.state / "themes")
        for theme in own:
            self.register_theme(theme)
        wanted = str(composed.config.get("ui.theme"))
        self.theme, problem = choose_theme(wanted, self._handover.background, set(self.available_themes))
        composed.notices += [*problems, *([problem] if problem else [])]

    # ── other conversations ────────────────────────────────────────────────────────────────────────────────────
    def on_switch_asked(self, event: SwitchAsked) -> None:
        self._switch(event.options)

    @work(exclusive=True, group="switch")
    async def _switch(self, options: Options) -> None:
        if not await self.open_other(options):
            return
        if options.prompt:
            self.main.submit(options.prompt)

    async def open_other(self, options: Options, *, with_mode: bool = True) -> bool:
        """The new one is opened before the old one is let go: when it cannot be, nothing has changed."""
        from openclaw_tui.commands.help_command import refresh_commands
        from openclaw_tui.ui.textual.conversation import Conversation

        try:
            composed = await asyncio.to_thread(compose_for_screen, options)
        except SessionLocked as error:
            self._offer_ways(options, error)
            return False
        except OpenClawError as error:
            self.main.acts.say("error", str(error))
            return False
        old, self._talk = self.talk, Conversation(composed)
        if with_mode:
            composed.permissions.mode = old.composed.permissions.mode
        await self.main.attach(self.talk)
        closing = asyncio.create_task(old.close(), name="close session")
        self._closed_talks.add(closing)
        closing.add_done_callback(self._closed_talks.discard)
        refresh_commands(self.main.runner.table, composed)
        return True

    def _offer_ways(self, options: Options, error: SessionLocked) -> None:
        """Another process has the session: reading, a copy, or taking it over are the user's to choose."""
        from openclaw_tui.ui.textual.screens.locked import locked_screen, opened_by

        def chosen(way: str | None) -> None:
            if way is not None:
                self._switch(opened_by(options, way))

        self.push_screen(locked_screen(error), chosen)

    # ── leaving ────────────────────────────────────────────────────────────────────────────────────────────────
    def on_leave_asked(self, event: LeaveAsked) -> None:
        self.action_leave()

    def action_leave(self) -> None:
        """Leave; commands that still run in the background are asked about first."""
        from openclaw_tui.ui.textual.screens.confirm import ConfirmScreen

        running = self.talk.background_commands() if self.has_talk else []
        if not running:
            self.exit(0)
            return
        count = "A command still runs" if len(running) == 1 else f"{len(running)} commands still run"
        question = f"{count} in the background:\n" + "\n".join(f"  {command}" for command in running[:5])

        def answered(leave: bool | None) -> None:
            if leave:
                self.exit(0)

        self.push_screen(ConfirmScreen(question, "stop it and leave", "stay"), answered)

    def exit(self, *arguments: Any, **named: Any) -> None:
        """As any app; what is being opened then is not shown any more."""
        self._leaving = True
        super().exit(*arguments, **named)

    async def close(self) -> None:
        """Stop the work, keep the draft, give the session file back."""
        self._leaving = True
        if self._begun is not None:
            await asyncio.wait({self._begun})
        if self._talk is not None:
            self.main.keep_typed(None if self.main.has_talk else self._talk.composed.paths)
            await self._talk.close()
        if self._closed_talks:
            await asyncio.wait(self._closed_talks)

    def _fatal_error(self) -> None:
        """A defect ended the screen: the log gets the whole of it, the user one line when the terminal is back."""
        if isinstance(self._exception, Exception):
            self.crash = self._exception
            _log.error("the screen failed", exc_info=self._exception)
        self._return_code = EXIT_FAILED
        self._close_messages_no_wait()


async def serve(app: OpenClawApp) -> int:
    """Run until the end, whatever it is; returns the exit code."""
    try:
        code = await app.run_async()
    finally:
        await app.close()
    return app.return_code or code or 0
