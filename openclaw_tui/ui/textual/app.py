"""The Textual application: screens, theme, the conversation on the screen. No features live here.

Every way out ends in `close`, which stops the work and gives the session file back; the terminal itself is restored by
whoever started the program (`ui/start.py`).
"""

import asyncio
import logging
import signal
from pathlib import PurePath
from typing import ClassVar

from textual import work
from textual.app import App
from textual.binding import Binding, BindingType

from openclaw_tui.app.compose import App as Composed
from openclaw_tui.app.compose import build_app
from openclaw_tui.cli_options import Options
from openclaw_tui.commands.help_command import all_commands, refresh_commands
from openclaw_tui.errors import EXIT_FAILED, OpenClawError, SessionLocked
from openclaw_tui.providers.registry import warm
from openclaw_tui.ui.first_frame import Handover
from openclaw_tui.ui.textual.acts import LeaveAsked, SwitchAsked
from openclaw_tui.ui.textual.conversation import Conversation
from openclaw_tui.ui.textual.driver import ScreenDriver
from openclaw_tui.ui.textual.screens.confirm import ConfirmScreen
from openclaw_tui.ui.textual.screens.locked import locked_screen, opened_by
from openclaw_tui.ui.textual.screens.main import MainScreen
from openclaw_tui.ui.textual.theme_files import own_themes
from openclaw_tui.ui.textual.themes import BUNDLED, choose_theme
from openclaw_tui.ui.welcome import short_path

_log = logging.getLogger(__name__)


class OpenClawApp(App[int]):
    """Runs until the user leaves; `crash` is what ended it otherwise."""

    TITLE = "openclaw-tui"
    CSS_PATH: ClassVar[str | PurePath | list[str | PurePath] | None] = ["styles/main.tcss", "styles/side.tcss"]
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+q", "leave", "Leave", show=False, priority=True)]

    def __init__(self, composed: Composed, handover: Handover | None = None, *, pick_session: bool = False) -> None:
        super().__init__(driver_class=ScreenDriver)
        self.talk = Conversation(composed)
        self.main = MainScreen(all_commands(composed.paths, trusted=composed.config.project_trusted))
        self.crash: Exception | None = None
        self._handover = handover or Handover()
        self._pick_session = pick_session
        self.held: Options | None = None
        self._leaving = False
        self._closed_talks: set[asyncio.Task[None]] = set()
        self._choose_theme(str(composed.config.get("ui.theme")))

    def _choose_theme(self, wanted: str) -> None:
        own, problems = own_themes(self.talk.composed.paths.state / "themes")
        for theme in (*BUNDLED, *own):
            self.register_theme(theme)
        self.main.acts.background = self._handover.background
        self.theme, problem = choose_theme(wanted, self._handover.background, set(self.available_themes))
        self.talk.composed.notices += [*problems, *([problem] if problem else [])]

    def get_default_screen(self) -> MainScreen:
        """The main screen from the start, so that no key can arrive before there is a prompt."""
        return self.main

    async def on_ready(self) -> None:
        """The first frame stands: fill it, then warm the model's SDK."""
        for which in (signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(which, self.exit, 128 + which)
        self.app_resume_signal.subscribe(self.main, lambda _app: self.main.action_redraw())
        await self.main.attach(self.talk)
        warm(self.talk.session.model.api)
        if self.talk.composed.config.trust.asks or self.talk.composed.offer:
            self._begin_with_a_question()
        else:
            self._begin()

    def _begin(self) -> None:
        self._take_over(self._handover)
        if self._pick_session:
            self.main.acts.pick_session()
        if self.held is not None:
            self._switch(self.held)

    @work(exclusive=True, group="begin")
    async def _begin_with_a_question(self) -> None:
        """Nothing is sent before the user has said what the folder's own files may do, and which model works."""
        if self.talk.composed.config.trust.asks:
            await self._ask_trust()
        await self._ask_for_server()
        self._begin()

    async def _ask_for_server(self) -> None:
        """A model server found on this machine is offered once."""
        from openclaw_tui.app.local_offer import remember_offer
        from openclaw_tui.commands.model_commands import switch_model

        composed = self.talk.composed
        if (offer := composed.offer) is None:
            return
        yes = await self.push_screen_wait(ConfirmScreen(offer.question, "use it", "no, do not ask again"))
        problem = remember_offer(composed.paths, offer, accepted=bool(yes))
        if yes:
            self.main.acts.say("info", switch_model(composed, offer.model))
        if problem:
            self.main.acts.say("warning", problem)

    async def _ask_trust(self) -> None:
        """Ask about the folder. A talk that has not begun is composed anew with what is trusted now."""
        from openclaw_tui.app.trust import trust_text
        from openclaw_tui.commands.trust_commands import answer_trust
        from openclaw_tui.ui.textual.screens.trust import TrustScreen

        composed = self.talk.composed
        trust = composed.trust_shown = composed.config.trust
        screen = TrustScreen(short_path(composed.paths.project), trust_text(trust), changed=trust.state == "changed")
        answer = await self.push_screen_wait(screen)
        if not answer:
            return
        try:
            said = answer_trust(composed, answer, trust)
        except OpenClawError as error:
            self.main.acts.say("error", str(error))
            return
        options = composed.options
        begun = bool(composed.session.deps.manager.project().messages) or options.session_id is not None
        if answer == "grant" and not begun:
            await self._open_other(options, with_mode=False)
        else:
            self.main.acts.say("info", said)
        refresh_commands(self.main.runner.table, self.talk.composed)

    def _take_over(self, handover: Handover) -> None:
        """What was typed before this screen stood; keys that came since are in the prompt already."""
        prompt = self.main.prompt
        if handover.draft:
            later = prompt.text
            prompt.set_text(handover.draft + later, handover.cursor + len(later))
        elif prompt.restore_draft():
            self.main.acts.hint("your unsent text is back")
        first = self.talk.composed.options.prompt
        for text in ([first] if first else []) + list(handover.submitted):
            if self.main.submit(text):
                prompt.area.prompts.add(text)

    # ── other conversations ────────────────────────────────────────────────────────────────────────────────────
    def on_switch_asked(self, event: SwitchAsked) -> None:
        self._switch(event.options)

    @work(exclusive=True, group="switch")
    async def _switch(self, options: Options) -> None:
        if not await self._open_other(options):
            return
        if options.prompt:
            self.main.submit(options.prompt)

    async def _open_other(self, options: Options, *, with_mode: bool = True) -> bool:
        """The new one is opened before the old one is let go: when it cannot be, nothing has changed."""
        try:
            composed = await asyncio.to_thread(build_app, options, channel="tui", interactive=True)
        except SessionLocked as error:
            self._offer_ways(options, error)
            return False
        except OpenClawError as error:
            self.main.acts.say("error", str(error))
            return False
        old, self.talk = self.talk, Conversation(composed)
        if with_mode:
            composed.permissions.mode = old.composed.permissions.mode
        await self.main.attach(self.talk)
        closing = asyncio.create_task(old.close(), name="close session")
        self._closed_talks.add(closing)
        closing.add_done_callback(self._closed_talks.discard)
        refresh_commands(self.main.runner.table, composed)
        warm(self.talk.session.model.api)
        return True

    def _offer_ways(self, options: Options, error: SessionLocked) -> None:
        """Another process has the session: reading, a copy, or taking it over are the user's to choose."""

        def chosen(way: str | None) -> None:
            if way is not None:
                self._switch(opened_by(options, way))

        self.push_screen(locked_screen(error), chosen)

    # ── leaving ────────────────────────────────────────────────────────────────────────────────────────────────
    def on_leave_asked(self, event: LeaveAsked) -> None:
        self.action_leave()

    def action_leave(self) -> None:
        """Leave; commands that still run in the background are asked about first."""
        running = self.talk.background_commands()
        if not running:
            self.exit(0)
            return
        count = "A command still runs" if len(running) == 1 else f"{len(running)} commands still run"
        question = f"{count} in the background:\n" + "\n".join(f"  {command}" for command in running[:5])

        def answered(leave: bool | None) -> None:
            if leave:
                self.exit(0)

        self.push_screen(ConfirmScreen(question, "stop it and leave", "stay"), answered)

    async def close(self) -> None:
        """Stop the work, keep the draft, give the session file back."""
        self.main.prompt.save_draft()
        await self.talk.close()
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
