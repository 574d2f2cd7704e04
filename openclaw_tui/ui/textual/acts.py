"""What slash commands and keys make the screen do beside the talk: pickers, help, copying, words to the user."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from textual.message import Message
from textual.screen import Screen
from textual.timer import Timer

from openclaw_tui.cli_options import Options
from openclaw_tui.constants import HINT_SECONDS
from openclaw_tui.errors import OpenClawError
from openclaw_tui.events import NoticeLevel
from openclaw_tui.messages import THINKING_LEVELS
from openclaw_tui.ui.first_frame import Background
from openclaw_tui.ui.textual.themes import choose_theme
from openclaw_tui.ui.textual.widgets.plan_view import PlanView
from openclaw_tui.ui.textual.widgets.prompt_area import PromptArea
from openclaw_tui.ui.textual.widgets.prompt_input import PromptInput
from openclaw_tui.ui.textual.widgets.status_bar import StatusBar
from openclaw_tui.ui.textual.widgets.transcript import Transcript

if TYPE_CHECKING:
    from openclaw_tui.commands.registry import CommandOutput, CommandTable
    from openclaw_tui.ui.textual.conversation import Conversation
    from openclaw_tui.ui.textual.openings import Openings


class SwitchAsked(Message):
    """The conversation of these options is to take the screen."""

    def __init__(self, options: Options) -> None:
        super().__init__()
        self.options = options


class LookAsked(Message):
    """The conversation is to be searched (`find`), or shown alone (`pager`)."""

    def __init__(self, how: str, words: str) -> None:
        super().__init__()
        self.how = how
        self.words = words


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
        plan: PlanView,
    ) -> None:
        self._screen = screen
        self._commands = commands
        self._transcript = transcript
        self._prompt = prompt
        self._status = status
        self._plan = plan
        self.talk: Conversation | None = None
        self._hint_timer: Timer | None = None
        self.background: Background | None = None
        self.asks: Callable[[CommandOutput], object] | None = None
        self.use_keys: Callable[[Mapping[str, object]], None] = lambda _wanted: None
        self._openings: Openings | None = None

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
        from openclaw_tui.ui.text import storage_text

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
        from openclaw_tui.ui.textual.screens.help import HelpScreen

        self._screen.app.push_screen(HelpScreen(self._commands))

    def pick_session(self) -> None:
        self._screen.run_worker(self._pick_session(), exclusive=True, group="picker")

    async def _pick_session(self) -> None:
        from openclaw_tui.app.session import list_sessions
        from openclaw_tui.ui.textual.screens.session_picker import SessionPicker

        if self.talk is None:
            return
        composed = self.talk.composed
        sessions = await asyncio.to_thread(list_sessions, composed.paths)
        picker = SessionPicker(sessions, current=self.talk.session.session_id, paths=composed.paths)

        def chosen(session_id: str | None) -> None:
            if session_id:
                options = replace(composed.options, prompt=None, resume=session_id, continue_last=False, fork=False)
                self.switch(replace(options, session_id=None, model=None))

        self._screen.app.push_screen(picker, chosen)

    def pick_model(self) -> None:
        from openclaw_tui.commands.model_commands import usable_models
        from openclaw_tui.commands.registry import CommandOutput
        from openclaw_tui.providers.catalog import list_models
        from openclaw_tui.ui.textual.screens.model_picker import ModelPicker

        if self.talk is None:
            return
        composed, session = self.talk.composed, self.talk.session

        def chosen(answer: str | None) -> None:
            if answer and answer.startswith("login:"):
                self.open(CommandOutput(action="ask_key", payload=answer.removeprefix("login:")))
            elif answer:
                self._take_model(*answer.rpartition(":")[::2])
            self.measure()

        known = list_models(composed.config.get("models.providers"))
        picker = ModelPicker(known, usable=usable_models(composed), current=session.model, thinking=session.thinking)
        self._screen.app.push_screen(picker, chosen)

    def _take_model(self, reference: str, level: str) -> None:
        """The price first, where a warm prefix would be lost."""
        from openclaw_tui.agent.price_sheet import model_sheet
        from openclaw_tui.commands.model_commands import switch_model
        from openclaw_tui.commands.registry import CommandOutput
        from openclaw_tui.providers.catalog import find_model

        if self.talk is None:
            return
        composed, session = self.talk.composed, self.talk.session
        thinking = next((known for known in THINKING_LEVELS if known == level), session.thinking)
        try:
            model = find_model(reference, composed.config.get("models.providers"))
            if model.ref == session.model.ref and thinking != session.thinking:
                self.say("info", f"thinking is now {session.set_thinking(thinking)}")
                return
            sheet = model_sheet(session.deps, model)
            if sheet is not None and self.asks is not None:
                self.asks(CommandOutput(action="price", payload=f"/model {model.ref}:{thinking}", sheet=sheet))
                return
            self.say("info", switch_model(composed, model))
            session.set_thinking(thinking)
        except OpenClawError as error:
            self.say("error", str(error))

    # ── screens of commands ────────────────────────────────────────────────────────────────────────────────────
    @property
    def openings(self) -> Openings:
        from openclaw_tui.ui.textual.openings import Openings

        if self._openings is None:
            self._openings = Openings(self._screen, self, self._commands, self.run_line)
        return self._openings

    def open(self, output: CommandOutput) -> None:
        """Show the screen that a command asks for."""
        if self.talk is not None:
            self.openings.open(self.talk.composed, output)

    def palette(self) -> None:
        if self.talk is not None:
            self._screen.run_worker(self.openings.palette(self.talk.composed), exclusive=True, group="picker")

    def run_line(self, line: str) -> None:
        """As if a command had been typed."""
        self._screen.post_message(PromptArea.Sent(line, line))

    def look_through(self, how: str, words: str) -> None:
        self._screen.post_message(LookAsked(how, words))

    def write(self, text: str) -> None:
        """Into the prompt, to be finished by the user."""
        self._prompt.set_text(text)

    def show_branch(self) -> None:
        """The conversation as its branch is now; the plan with it."""
        from openclaw_tui.ui.textual.history_items import history_items, last_plan
        from openclaw_tui.ui.welcome import welcome

        if self.talk is None:
            return
        branch = self.talk.session.deps.manager.branch()
        self._plan.show(last_plan(branch))
        earlier = history_items(branch)
        self._transcript.clear()
        self._transcript.load_history(earlier)
        if not earlier:
            self.say("info", welcome(self.talk.composed.paths.project))
        self.measure()

    # ── settings ───────────────────────────────────────────────────────────────────────────────────────────────
    def theme_names(self) -> list[str]:
        """The program's own first, then those of the user and of the toolkit."""
        names = sorted(self._screen.app.available_themes, key=lambda name: not name.startswith("openclaw-"))
        return [name for name in names if not name.endswith("ansi")]

    def show_theme(self, wanted: str) -> None:
        app = self._screen.app
        app.theme = choose_theme(wanted, self.background, set(app.available_themes))[0]

    def settings_changed(self) -> None:
        """What the screen itself goes by is taken over."""
        if self.talk is None:
            return
        self.show_theme(str(self.talk.composed.config.get("ui.theme")))
        self._prompt.area.use_vi(bool(self.talk.composed.config.get("ui.vim")))
        self.measure()

    def keep_key_of(self, action: str, keys: str) -> None:
        """Into the user's settings, and in force at once."""
        from openclaw_tui.config.write import write_user_value
        from openclaw_tui.ui.textual.keymap import own_keys

        if self.talk is None:
            return
        try:
            write_user_value(self.talk.composed.paths, f"ui.keys.{action}", keys)
        except OpenClawError as error:
            self.say("error", str(error))
            return
        self.use_keys({**own_keys(), action: keys})
        self.say("info", f"/keymap · {action} has the key {keys} now")

    def search_history(self) -> None:
        from openclaw_tui.ui.textual.screens.history_search import history_search

        prompt = self._prompt
        history = prompt.area.prompts

        def chosen(place: str | None) -> None:
            if place is not None:
                prompt.set_text(history.entries[int(place)])

        self._screen.app.push_screen(history_search(history, prompt.text), chosen)
