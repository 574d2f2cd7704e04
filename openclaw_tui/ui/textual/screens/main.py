"""The main screen: conversation, queue, prompt, status line. Keys come in here and go to the widgets or the session."""

from __future__ import annotations

import os
from time import monotonic
from typing import TYPE_CHECKING, ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import BindingType

from openclaw_tui.commands.registry import CommandTable
from openclaw_tui.constants import APPROVAL_GUARD_SECONDS, LEAVE_CONFIRM_SECONDS, WARM_FROM_CHARS
from openclaw_tui.errors import OpenClawError
from openclaw_tui.events import ApprovalRequested, TurnEnded
from openclaw_tui.ui.textual.acts import ScreenActs
from openclaw_tui.ui.textual.approval_desk import ApprovalDesk
from openclaw_tui.ui.textual.attention import Attention
from openclaw_tui.ui.textual.background_cards import BackgroundCards
from openclaw_tui.ui.textual.bindings import bindings_of
from openclaw_tui.ui.textual.command_runner import CommandRunner
from openclaw_tui.ui.textual.screens.main_drafting import WithDrafting
from openclaw_tui.ui.textual.widgets.plan_view import PlanView
from openclaw_tui.ui.textual.widgets.prompt_area import PromptArea
from openclaw_tui.ui.textual.widgets.prompt_input import PromptInput
from openclaw_tui.ui.textual.widgets.queue_line import QueueLine
from openclaw_tui.ui.textual.widgets.search_bar import SearchBar
from openclaw_tui.ui.textual.widgets.status_bar import StatusBar
from openclaw_tui.ui.textual.widgets.transcript import Transcript

if TYPE_CHECKING:
    from openclaw_tui.tools.approval import Decision
    from openclaw_tui.ui.textual.conversation import Conversation

_ENTER_MEANS = {"steer": "steers", "follow-up": "sends after this turn", "interrupt": "stops it and sends"}
_LEAVING_WORDS = ("exit", "quit", ":q")
_WITHOUT_TALK = frozenset({"escape", "interrupt", "redraw"})
"""Keys that mean something before the first conversation is open."""


class MainScreen(WithDrafting):
    """Shows one conversation at a time; `attach` gives it another."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("main")
    AUTO_FOCUS = "#prompt-area"

    def __init__(self) -> None:
        super().__init__()
        commands = CommandTable()
        self.VERTICAL_BREAKPOINTS = [(0, "-tiny"), (5, "-low"), (10, "-tall")]
        self.transcript = Transcript(id="transcript")
        self.search = SearchBar(self.transcript, id="search")
        self.queue = QueueLine(id="queue")
        self.prompt = PromptInput(commands, self._take_back, id="prompt")
        self.prompt.area.on_typed = self._typed
        self.status = StatusBar(id="status")
        self.plan = PlanView(id="plan")
        self.status.tell(activity="opening")
        self.acts = ScreenActs(
            self, commands, transcript=self.transcript, prompt=self.prompt, status=self.status, plan=self.plan
        )
        self.acts.use_keys = self.use_own_keys
        self.desk = ApprovalDesk(self, self._decide, self._is_typing, self.prompt.insert)
        self.runner = CommandRunner(commands, self.acts, self.queue.show_commands)
        self.background = BackgroundCards(self, self.transcript, lambda: self.talk.processes())
        self.attention = Attention(self._to_terminal, os.environ)
        self._talk: Conversation | None = None
        self.take_keys()
        self._typed_at = 0.0
        self._warmed = ""
        self._pressed: dict[str, float] = {}

    def compose(self) -> ComposeResult:
        yield self.transcript
        yield self.search
        yield self.plan
        yield self.queue
        yield self.prompt
        yield self.status
        yield self.side

    # ── the conversation ───────────────────────────────────────────────────────────────────────────────────────
    @property
    def talk(self) -> Conversation:
        if self._talk is None:
            raise RuntimeError("no conversation is attached")
        return self._talk

    @property
    def has_talk(self) -> bool:
        return self._talk is not None

    async def attach(self, talk: Conversation) -> None:
        """Show another conversation. What is being typed stays."""
        from openclaw_tui.ui.textual.event_router import EventRouter

        self.mount_panels()
        composed = talk.composed
        self._talk = self.acts.talk = talk
        self.desk.close()
        self.runner.forget()
        self.background.forget()
        self.attention.when = str(composed.config.get("ui.notifications"))
        self.queue.show_messages((), ())
        self.status.tell(activity="idle", detail="", hint="", step=0)
        self.use_drafts(composed.paths)
        self.prompt.area.use_vi(bool(composed.config.get("ui.vim")))
        self.acts.show_branch()
        self.use_own_keys(composed.config.get("ui.keys"))
        for notice in composed.notices:
            self.transcript.add_notice("info", notice)
        talk.start(EventRouter(self.transcript, self.status, self.queue, self))
        self.acts.measure()
        await talk.session.start()
        self.observe(composed)

    def submit(self, text: str, *, follow_up: bool = False) -> bool:
        """Send a message to the session. False when it could not be stored; the prompt keeps it then."""
        composed = self.talk.composed
        enter = composed.config.get("ui.enterWhileWorking")
        later = follow_up or enter == "follow-up"
        try:
            started = self.talk.session.prompt(self.content_of(text), while_busy="follow_up" if later else "steering")
        except OpenClawError as error:
            self.acts.say("error", str(error))
            return False
        if not started and enter == "interrupt" and not follow_up:
            self.run_worker(self.talk.session.abort(), group="stop")  # what waits goes out next
        self.transcript.follow()
        return True

    @on(PromptArea.Sent)
    def _sent(self, event: PromptArea.Sent) -> None:
        """A leaving word, a command, or a message. What cannot be sent goes back into the prompt."""
        self._typed_at = 0.0  # whoever sends has stopped writing
        text = event.text.strip("\n")
        if text.strip().lower() in _LEAVING_WORDS:
            self.acts.leave()
            return
        if self._talk is None:
            self.keep_for_later(text)
            return
        busy = self.talk.session.is_busy
        parsed = self.runner.table.parse(text)
        if event.follow_up and not busy:
            self.prompt.give_back(event.shown)
        elif self.run_typed_command(text):
            self._accepted(text)
        elif parsed is None:
            if self.submit(text, follow_up=event.follow_up):
                self._accepted(text)
            else:
                self.prompt.give_back(event.shown)
        elif parsed.command is None:
            self.prompt.give_back(event.shown)
            self.acts.hint(parsed.problem)
        elif parsed.command.while_busy == "wait" and busy:
            self.runner.queue(parsed)
            self._accepted(text)
        else:
            self._accepted("" if parsed.command.name == "login" else text)
            self.run_worker(self.runner.run(self.talk.composed, parsed.command, parsed.argument), group="command")

    def _accepted(self, text: str) -> None:
        self.prompt.area.prompts.add(text)
        self.prompt.save_draft()

    def _take_back(self) -> str | None:
        if self._talk is None:
            return self.take_early()
        waiting = self.talk.session.take_back()
        return waiting.text if waiting is not None else None

    # ── what the router asks for ───────────────────────────────────────────────────────────────────────────────
    def ask(self, request: ApprovalRequested) -> None:
        self.attention.asked(self._project_name)
        self.desk.ask(request)

    def answered(self, approval_id: str) -> None:
        self.desk.settled(approval_id)

    def measure(self) -> None:
        self.acts.measure()
        self.panels_changed()

    def turn_began(self) -> None:
        self.attention.turn_began()
        means = _ENTER_MEANS[str(self.talk.composed.config.get("ui.enterWhileWorking"))]
        self.prompt.show_keys(f"Enter {means} · Tab after this turn")

    def plan_changed(self, steps: tuple[tuple[str, str], ...]) -> None:
        self.plan.show(steps)
        self.has_planned = True

    def runs_on(self, card: str, process_id: str) -> bool:
        return self.background.follow(card, process_id)

    def turn_ended(self, event: TurnEnded) -> None:
        self.attention.turn_ended(self._project_name, event.outcome)
        self.prompt.show_keys("")
        self.acts.measure()
        if self.runner.waiting:
            self._run_waiting_commands()
        if event.outcome == "done" and self.has_planned and self.talk.composed.permissions.mode == "plan":
            self.ask_about_plan()
        self.has_planned = False

    @work(exclusive=True, group="waiting-commands")
    async def _run_waiting_commands(self) -> None:
        talk = self.talk
        await talk.session.wait_idle()
        await self.runner.run_waiting(talk.composed)

    def _decide(self, approval_id: str, decision: Decision) -> None:
        self.talk.session.resolve_approval(approval_id, decision)

    @property
    def _project_name(self) -> str:
        return self.talk.composed.paths.project.name

    def _to_terminal(self, sequence: str) -> None:
        if not self.app.is_headless and self.app._driver is not None:
            self.app._driver.write(sequence)

    def _is_typing(self) -> bool:
        return monotonic() - self._typed_at < 2 * APPROVAL_GUARD_SECONDS

    @property
    def _has_work(self) -> bool:
        return self._talk is not None and self._talk.session.has_work

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Before the first conversation is open, only what needs none."""
        return (self._talk is not None or action in _WITHOUT_TALK) and super().check_action(action, parameters)

    # ── keys ───────────────────────────────────────────────────────────────────────────────────────────────────
    async def on_key(self, event: events.Key) -> None:
        """Typing goes to the prompt, wherever the focus is; also keys that came before the prompt had it."""
        focused = self.focused
        if focused is not None and event.key in focused._bindings.key_to_bindings and focused is not self.prompt.area:
            return
        if event.character == "?" and not self.prompt.text:
            event.stop()
            self.acts.show_help()
        elif event.is_printable and event.character:
            event.stop()
            self.prompt.area.focus()
            self.prompt.insert(event.character)
        elif focused in (None, self.prompt.area) and event.key in self.prompt_actions:
            event.stop()
            await self.prompt.area.run_action(self.prompt_actions[event.key])

    def on_paste(self, event: events.Paste) -> None:
        self.prompt.area.focus()
        self.prompt.area.post_message(event)

    def _typed(self) -> None:
        self._typed_at = monotonic()
        self._warm_model()
        self.acts.hint("")
        self.draft_changed()

    def _warm_model(self) -> None:
        """Who writes a message will send it: the model's SDK is imported meanwhile. Commands, and an idle screen, do
        without its memory."""
        text = self.prompt.text.lstrip()
        if self._talk is None or len(text) < WARM_FROM_CHARS or text.startswith(("/", "!")):
            return
        if (api := self._talk.session.model.api) == self._warmed:
            return
        from openclaw_tui.providers.registry import warm

        self._warmed = api
        warm(api)

    @on(PromptArea.HelpAsked)
    def action_help(self) -> None:
        self.acts.show_help()

    @on(PromptArea.LeaveAsked)
    def _leave_asked(self) -> None:
        self.acts.leave()

    def action_escape(self) -> None:
        """The innermost thing first: menu, running turn, then the text (pressed twice)."""
        if self.prompt.menu_is_open:
            self.prompt.close_menu()
        elif self.focused is not self.prompt.area:
            self.prompt.area.focus()
        elif self._has_work:
            self._stop()
        elif self.prompt.text:
            if self._again("escape"):
                self._clear_prompt()
            else:
                self.acts.hint("Esc again clears the prompt")
        elif self._talk is None:
            return
        elif self._again("escape"):
            self.acts.run_line("/rewind")
        else:
            self.acts.hint("Esc again goes back to an earlier prompt")

    def action_interrupt(self) -> None:
        """Ctrl+C: copy a selection, clear the prompt, stop the turn, leave; the first that applies."""
        selected = self.prompt.area.selected_text or self.get_selected_text()
        if selected:
            self.acts.copy_text(selected, "copied")
            self.clear_selection()
        elif self.prompt.text:
            self._clear_prompt()
        elif self._again("interrupt"):
            self.acts.leave()
        elif self._has_work:
            self._stop()
        else:
            self.acts.hint("Ctrl+C again leaves")

    def _again(self, key: str) -> bool:
        """Whether this key was pressed a moment ago as well."""
        before, self._pressed[key] = self._pressed.get(key, 0.0), monotonic()
        return monotonic() - before <= LEAVE_CONFIRM_SECONDS

    def _clear_prompt(self) -> None:
        self.prompt.area.prompts.add(self.prompt.area.whole_text)
        self.prompt.clear()

    @work(group="stop")
    async def _stop(self) -> None:
        """Stop the turn; what was queued comes back into the prompt."""
        self.status.tell(activity="stopping", detail="", hint="")
        back = [*self.runner.forget()]
        while (waiting := self.talk.session.take_back()) is not None:
            back.insert(0, waiting.text)
        if back:
            self.prompt.set_text("\n".join([*back, self.prompt.text]).rstrip("\n"))
        await self.talk.session.abort()

    @on(events.AppFocus)
    def _focused(self) -> None:
        self.attention.focused = True

    @on(events.AppBlur)
    def _unfocused(self) -> None:
        self.attention.focused = False

    @on(Transcript.FollowChanged)
    def _follow_changed(self, event: Transcript.FollowChanged) -> None:
        self.prompt.show_mark("" if event.following or not event.unseen else "↓ new output below · Ctrl+End")
