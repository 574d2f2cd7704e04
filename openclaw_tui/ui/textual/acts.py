"""What slash commands and keys make the screen do beside the talk: pickers, help, copying, words to the user."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

from textual.message import Message
from textual.screen import Screen
from textual.timer import Timer

from openclaw_tui.agent.price_sheet import model_sheet
from openclaw_tui.app.session import list_sessions
from openclaw_tui.cli_options import Options
from openclaw_tui.commands.model_commands import switch_model, usable_models
from openclaw_tui.commands.registry import CommandOutput, CommandTable
from openclaw_tui.constants import HINT_SECONDS
from openclaw_tui.errors import OpenClawError
from openclaw_tui.events import NoticeLevel
from openclaw_tui.providers.catalog import find_model
from openclaw_tui.ui.text import storage_text
from openclaw_tui.ui.textual.conversation import Conversation
from openclaw_tui.ui.textual.screens.help import HelpScreen
from openclaw_tui.ui.textual.screens.history_search import history_search
from openclaw_tui.ui.textual.screens.model_picker import model_picker
from openclaw_tui.ui.textual.screens.session_picker import session_picker
from openclaw_tui.ui.textual.widgets.prompt_input import PromptInput
from openclaw_tui.ui.textual.widgets.status_bar import StatusBar
from openclaw_tui.ui.textual.widgets.transcript import Transcript


class SwitchAsked(Message):
    """The conversation of these options is to take the screen."""

    def __init__(self, options: Options) -> None:
        super().__init__()
        self.options = options


class LeaveAsked(Message):
    """The program is to end."""


class ScreenActs:
    """Acts on the widgets of the main screen; `talk` is the conversation it shows now."""

    def __init__(
        self,
        screen: Screen[None],
        commands: CommandTable,
        *,
        transcript: Transcript,
        prompt: PromptInput,
        status: StatusBar,
    ) -> None:
        self._screen = screen
        self._commands = commands
        self._transcript = transcript
        self._prompt = prompt
        self._status = status
        self.talk: Conversation | None = None
        self._hint_timer: Timer | None = None
        self.asks: Callable[[CommandOutput], object] | None = None

    # ── words ──────────────────────────────────────────────────────────────────────────────────────────────────
    def say(self, level: NoticeLevel, text: str) -> None:
        self._transcript.add_notice(level, text)

    def hint(self, text: str) -> None:
        """A word in the status line; it goes after a while, or with the next change of the prompt."""
        if text or self._status.status.hint:
            self._status.tell(hint=text)
        if self._hint_timer is not None:
            self._hint_timer.stop()
            self._hint_timer = None
        if text:
            self._hint_timer = self._screen.set_timer(HINT_SECONDS, lambda: self.hint(""))

    def measure(self) -> None:
        """Bring the figures of the status line up to date."""
        if self.talk is None:
            return
        composed, session = self.talk.composed, self.talk.session
        requests = session.deps.requests
        size = requests.context_size()
        self._status.tell(
            model=session.model.ref,
            offline=session.model.api == "offline",
            thinking=session.thinking,
            mode=composed.permissions.mode,
            context_tokens=size.tokens,
            window_tokens=requests.budget.usable_tokens,
            estimated=size.is_estimate,
            cost_usd=session.deps.spent_usd if session.model.price is not None or session.deps.spent_usd else None,
            session=session.deps.manager.name or "",
            engine=session.deps.engine.in_use,
            sandbox=composed.sandbox.label(),
            storage=storage_text(session.deps.manager),
        )

    def copy_text(self, text: str, done: str) -> None:
        """To the clipboard, through the terminal (OSC 52), so that it works over SSH as well."""
        self._screen.app.copy_to_clipboard(text)
        self.hint(done)

    # ── going elsewhere ────────────────────────────────────────────────────────────────────────────────────────
    def leave(self) -> None:
        self._screen.post_message(LeaveAsked())

    def switch(self, options: Options) -> None:
        self._screen.post_message(SwitchAsked(options))

    def show_help(self) -> None:
        self._screen.app.push_screen(HelpScreen(self._commands))

    def pick_session(self) -> None:
        self._screen.run_worker(self._pick_session(), exclusive=True, group="picker")

    async def _pick_session(self) -> None:
        if self.talk is None:
            return
        composed = self.talk.composed
        sessions = await asyncio.to_thread(list_sessions, composed.paths)
        picker = session_picker(sessions, current=self.talk.session.session_id, project=composed.paths.project)

        def chosen(session_id: str | None) -> None:
            if session_id:
                options = replace(composed.options, prompt=None, resume=session_id, continue_last=False, fork=False)
                self.switch(replace(options, session_id=None, model=None))

        self._screen.app.push_screen(picker, chosen)

    def pick_model(self) -> None:
        if self.talk is None:
            return
        composed = self.talk.composed

        def chosen(reference: str | None) -> None:
            if not reference:
                return
            try:
                model = find_model(reference, composed.config.get("models.providers"))
                sheet = model_sheet(composed.session.deps, model)
                if sheet is not None and self.asks is not None:
                    self.asks(CommandOutput(action="price", payload=f"/model {model.ref}", sheet=sheet))
                    return
                self.say("info", switch_model(composed, model))
            except OpenClawError as error:
                self.say("error", str(error))
            self.measure()

        self._screen.app.push_screen(model_picker(usable_models(composed), composed.session.model), chosen)

    def search_history(self) -> None:
        prompt = self._prompt
        history = prompt.area.prompts

        def chosen(place: str | None) -> None:
            if place is not None:
                prompt.set_text(history.entries[int(place)])

        self._screen.app.push_screen(history_search(history, prompt.text), chosen)
