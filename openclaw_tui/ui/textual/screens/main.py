"""The main screen: conversation, queue, prompt, status line. Keys come in here and go to the widgets or the session."""

from time import monotonic
from typing import ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import BindingType

from openclaw_tui.commands.registry import CommandTable
from openclaw_tui.constants import APPROVAL_GUARD_SECONDS, LEAVE_CONFIRM_SECONDS
from openclaw_tui.errors import OpenClawError
from openclaw_tui.events import ApprovalRequested, TurnEnded
from openclaw_tui.messages import THINKING_LEVELS
from openclaw_tui.safety.permissions import PermissionMode
from openclaw_tui.tools.approval import Decision
from openclaw_tui.ui.prompt_history import PromptHistory, StoredDraft
from openclaw_tui.ui.textual.acts import ScreenActs
from openclaw_tui.ui.textual.approval_desk import ApprovalDesk
from openclaw_tui.ui.textual.bindings import actions_of, bindings_of
from openclaw_tui.ui.textual.command_runner import CommandRunner
from openclaw_tui.ui.textual.conversation import Conversation
from openclaw_tui.ui.textual.event_router import EventRouter
from openclaw_tui.ui.textual.history_items import history_items
from openclaw_tui.ui.textual.panels.with_panels import WithPanels
from openclaw_tui.ui.textual.widgets.prompt_area import PromptArea
from openclaw_tui.ui.textual.widgets.prompt_input import PromptInput
from openclaw_tui.ui.textual.widgets.queue_line import QueueLine
from openclaw_tui.ui.textual.widgets.status_bar import StatusBar
from openclaw_tui.ui.textual.widgets.transcript import Transcript
from openclaw_tui.ui.welcome import welcome

_MODES: tuple[PermissionMode, ...] = ("default", "acceptEdits", "plan")
_LEAVING_WORDS = ("exit", "quit", ":q")
_PROMPT_ACTIONS = actions_of("prompt") | {"backspace": "delete_left"}


class MainScreen(WithPanels):
    """Shows one conversation at a time; `attach` gives it another."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("main")
    AUTO_FOCUS = "#prompt-area"

    def __init__(self, commands: CommandTable) -> None:
        super().__init__()
        self.VERTICAL_BREAKPOINTS = [(0, "-tiny"), (5, "-low"), (10, "-tall")]
        self.transcript = Transcript(id="transcript")
        self.queue = QueueLine(id="queue")
        self.prompt = PromptInput(commands, self._take_back, id="prompt")
        self.prompt.area.on_typed = self._typed
        self.status = StatusBar(id="status")
        self.acts = ScreenActs(self, commands, transcript=self.transcript, prompt=self.prompt, status=self.status)
        self.desk = ApprovalDesk(self, self._decide, self._is_typing, self.prompt.insert)
        self.runner = CommandRunner(commands, self.acts, self.queue.show_commands)
        self._talk: Conversation | None = None
        self._typed_at = 0.0
        self._pressed: dict[str, float] = {}

    def compose(self) -> ComposeResult:
        yield self.transcript
        yield self.queue
        yield self.strip
        yield self.prompt
        yield self.status
        yield self.side

    # ── the conversation ───────────────────────────────────────────────────────────────────────────────────────
    @property
    def talk(self) -> Conversation:
        if self._talk is None:
            raise RuntimeError("no conversation is attached")
        return self._talk

    async def attach(self, talk: Conversation) -> None:
        """Show another conversation. What is being typed stays."""
        composed = talk.composed
        self._talk = self.acts.talk = talk
        self.desk.close()
        self.runner.forget()
        self.transcript.clear()
        self.queue.show_messages((), ())
        self.status.tell(activity="idle", detail="", hint="", step=0)
        history, project = composed.paths.history, composed.paths.project
        self.prompt.use_project(
            project, PromptHistory.of_project(history, project), StoredDraft.of_project(history, project)
        )
        earlier = history_items(composed.session.deps.manager.branch())
        self.transcript.load_history(earlier)
        if not earlier:
            self.transcript.add_notice("info", welcome(composed.paths.project))
        for notice in composed.notices:
            self.transcript.add_notice("info", notice)
        talk.start(EventRouter(self.transcript, self.status, self.queue, self))
        self.acts.measure()
        await talk.session.start()
        self.observe(composed)

    def submit(self, text: str, *, follow_up: bool = False) -> bool:
        """Send a message to the session. False when it could not be stored; the prompt keeps it then."""
        composed = self.talk.composed
        later = follow_up or composed.config.get("ui.enterWhileWorking") == "follow-up"
        try:
            self.talk.session.prompt(text, while_busy="follow_up" if later else "steering")
        except OpenClawError as error:
            self.acts.say("error", str(error))
            return False
        self.transcript.follow()
        return True

    @on(PromptArea.Sent)
    def _sent(self, event: PromptArea.Sent) -> None:
        """A leaving word, a command, or a message. What cannot be sent goes back into the prompt."""
        self._typed_at = 0.0  # whoever sends has stopped writing
        text = event.text.strip("\n")
        busy = self.talk.session.is_busy
        parsed = self.runner.table.parse(text)
        if text.strip().lower() in _LEAVING_WORDS:
            self.acts.leave()
        elif event.follow_up and not busy:
            self.prompt.give_back(event.shown)
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
        waiting = self.talk.session.take_back()
        return waiting.text if waiting is not None else None

    # ── what the router asks for ───────────────────────────────────────────────────────────────────────────────
    def ask(self, request: ApprovalRequested) -> None:
        self.desk.ask(request)

    def answered(self, approval_id: str) -> None:
        self.desk.settled(approval_id)

    def measure(self) -> None:
        self.acts.measure()
        self.panels_changed()

    def turn_ended(self, event: TurnEnded) -> None:
        self.acts.measure()
        if self.runner.waiting:
            self._run_waiting_commands()

    @work(exclusive=True, group="waiting-commands")
    async def _run_waiting_commands(self) -> None:
        talk = self.talk
        await talk.session.wait_idle()
        await self.runner.run_waiting(talk.composed)

    def _decide(self, approval_id: str, decision: Decision) -> None:
        self.talk.session.resolve_approval(approval_id, decision)

    def _is_typing(self) -> bool:
        return monotonic() - self._typed_at < 2 * APPROVAL_GUARD_SECONDS

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
        elif focused in (None, self.prompt.area) and event.key in _PROMPT_ACTIONS:
            event.stop()
            await self.prompt.area.run_action(_PROMPT_ACTIONS[event.key])

    def on_paste(self, event: events.Paste) -> None:
        self.prompt.area.focus()
        self.prompt.area.post_message(event)

    def _typed(self) -> None:
        self._typed_at = monotonic()
        self.acts.hint("")
        self.draft_changed()

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
        elif self.talk.session.has_work:
            self._stop()
        elif self.prompt.text:
            if self._again("escape"):
                self._clear_prompt()
            else:
                self.acts.hint("Esc again clears the prompt")

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
        elif self.talk.session.has_work:
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

    def action_cycle_mode(self) -> None:
        permissions = self.talk.composed.permissions
        at = _MODES.index(permissions.mode) if permissions.mode in _MODES else -1
        permissions.mode = _MODES[(at + 1) % len(_MODES)]
        self.acts.measure()

    def action_cycle_thinking(self) -> None:
        session = self.talk.session
        levels = [level for level in THINKING_LEVELS if level in (session.model.thinking_levels or ("off",))]
        if len(levels) < 2:
            self.acts.hint(f"{session.model.id} has no thinking levels")
            return
        at = levels.index(session.thinking) if session.thinking in levels else -1
        self.acts.hint(f"thinking is now {session.set_thinking(levels[(at + 1) % len(levels)])}")
        self.acts.measure()

    def action_pick_model(self) -> None:
        self.acts.pick_model()

    def action_search_history(self) -> None:
        self.acts.search_history()

    def action_toggle_output(self) -> None:
        self.transcript.toggle_fold("all")

    def action_page(self, step: int) -> None:
        if step < 0:
            self.transcript.scroll_page_up(animate=False)
        else:
            self.transcript.scroll_page_down(animate=False)

    def action_line(self, step: int) -> None:
        self.transcript.scroll_relative(y=step, animate=False)

    def action_top(self) -> None:
        self.transcript.scroll_home(animate=False)

    def action_bottom(self) -> None:
        self.transcript.follow()

    def action_redraw(self) -> None:
        self.app.refresh(repaint=True, layout=True)
        self.refresh(repaint=True, layout=True)

    def action_suspend(self) -> None:
        self.prompt.save_draft()
        self.app.action_suspend_process()

    @on(Transcript.FollowChanged)
    def _follow_changed(self, event: Transcript.FollowChanged) -> None:
        self.prompt.show_mark("" if event.following or not event.unseen else "↓ new output below · Ctrl+End")
