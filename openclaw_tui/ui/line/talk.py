"""One conversation on the screen of line mode: its events printed, its state for prompt and toolbar kept.

Knows the session and the renderer; knows nothing of keys. When the user switches sessions this object is replaced, the
reader stays.
"""

import asyncio
import shutil
from collections import deque
from dataclasses import dataclass, field
from typing import Literal

from openclaw_tui.agent.broadcast import Subscription
from openclaw_tui.app.compose import App
from openclaw_tui.app.watching import watch_workspace
from openclaw_tui.constants import LINE_ABOUT_MIN_CHARS, LINE_TOOL_NOTICE_SECONDS, STRIP_MIN_COLUMNS
from openclaw_tui.events import (
    AgentEvent,
    ApprovalRequested,
    ApprovalResolved,
    CompactionEnded,
    CompactionStarted,
    ContextAct,
    ContextStatus,
    MessageEnded,
    MessageStarted,
    PlanChanged,
    QueueChanged,
    RetryScheduled,
    TextDelta,
    ThinkingDelta,
    ToolEnded,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)
from openclaw_tui.integrations.watch import FileWatch
from openclaw_tui.log import log_event
from openclaw_tui.tools.terminal_text import clean_terminal_text, one_line
from openclaw_tui.ui.attachments import message_content
from openclaw_tui.ui.context_line import ContextView, context_view, toolbar_text
from openclaw_tui.ui.key_hint import KeyHints, key_hint, keys_in
from openclaw_tui.ui.line.approvals import answer_prompt, read_answer
from openclaw_tui.ui.line.markdown_stream import YELLOW
from openclaw_tui.ui.line.offering import ask_for_server
from openclaw_tui.ui.line.reader import Reader
from openclaw_tui.ui.line.render import LineRenderer
from openclaw_tui.ui.plan_answer import CHOICES, GO_ON, QUESTION, mode_after, read_plan_answer
from openclaw_tui.ui.text import status_parts

_BAR = " │ "
_CHANGES_CONTEXT = (ContextAct, ContextStatus, MessageEnded, ToolEnded, TurnEnded)
"""After these the toolbar's figures are gathered again, when it is drawn next."""


@dataclass(slots=True)
class Talk:
    """`questions` are open ones, the first being asked now. `last_error` is that of the last turn that failed."""

    app: App
    renderer: LineRenderer
    reader: Reader | None = None
    questions: deque[ApprovalRequested] = field(default_factory=deque)
    last_error: BaseException | None = None
    _view: ContextView | None = None
    _doing: str = ""
    _queued: int = 0
    _planned: bool = False
    _plan_waits: bool = False
    _keys: KeyHints = field(default_factory=KeyHints)
    _watch: FileWatch | None = None
    _subscription: Subscription | None = None
    _listener: asyncio.Task[None] | None = None
    _ending: asyncio.Task[None] | None = None
    _timers: dict[str, asyncio.TimerHandle] = field(default_factory=dict)

    async def start(self) -> None:
        """Listen, and let the engine look at what there is."""
        self._subscription = self.app.session.subscribe()
        self._listener = asyncio.get_running_loop().create_task(self._listen(self._subscription))
        await self.app.session.start()
        self._watch = watch_workspace(self.app)
        self._watch.start()
        if self.reader is not None:
            await ask_for_server(self.app, self.reader, lambda text: self.renderer.line(text, YELLOW))

    async def settle(self) -> None:
        """Wait for the end of the turn, and print what is left to print."""
        await self.app.session.wait_idle()
        self.catch_up()

    async def close(self) -> None:
        """Refuse open questions, end the session, print its last events."""
        self.app.session.approvals.refuse_all("the program was left")
        if self._watch is not None:
            await self._watch.close()
        await self.app.session.close()
        self.catch_up()
        if self._listener is not None:
            await self._listener

    def catch_up(self) -> None:
        for event in self._subscription.drain() if self._subscription is not None else []:
            self.see(event)

    def label(self) -> str:
        """What stands before the cursor."""
        return answer_prompt(self.questions[0]) if self.questions else "> "

    def title(self) -> str:
        """The session's name, else where it works."""
        name = self.app.session.deps.manager.name
        return one_line(name) if name else str(self.app.paths.project)

    def prompt(self, text: str, *, while_busy: Literal["steering", "follow_up"]) -> bool:
        """Send a text; where no toolbar could warn of a key in it, a line does. Raises as the session does."""
        if self._keys.is_new(text):
            self.renderer.line(key_hint(self.app.session.model), YELLOW)
        content, problems = message_content(self.app, text)
        for problem in problems:
            self.renderer.line(clean_terminal_text(problem), YELLOW)
        return self.app.session.prompt(content, while_busy=while_busy)

    def plan_answered(self, text: str) -> str | None:
        """Take a line as the answer to the question about a plan: what is to be sent then, nothing when planning goes
        on; None when the line is no answer or there is no such question."""
        waits, self._plan_waits = self._plan_waits, False
        answer = read_plan_answer(text) if waits else None
        if answer is None:
            return None
        self.app.permissions.mode = mode_after(answer)
        return "" if answer == "keep" else GO_ON

    def toolbar(self, draft: str = "") -> str:
        if keys_in(draft):
            self._keys.is_new(draft)  # told by this line: it is not said again when it is sent
            return key_hint(self.app.session.model)
        busy = (self._doing or "working") if self.app.session.is_busy else ""
        columns = shutil.get_terminal_size().columns
        brief = columns < STRIP_MIN_COLUMNS
        front = " · ".join(status_parts(self.app, busy=busy, queued=self._queued, brief=brief))
        if self._view is None:
            self._view = context_view(self.app)
        room = columns - len(front) - len(_BAR) - 1
        return f"{front}{_BAR}{toolbar_text(self._view, width=max(LINE_ABOUT_MIN_CHARS, room))}"

    def see(self, event: AgentEvent) -> None:
        """One event: log it, print it, keep what prompt and toolbar show."""
        log_event(event)
        if isinstance(event, ApprovalRequested):
            self.questions.append(event)
            if len(self.questions) > 1:
                return
        self.renderer.show(event)
        self._keep(event)
        if self.reader is not None and not isinstance(event, TextDelta | ThinkingDelta):
            self.reader.refresh()

    async def _listen(self, subscription: Subscription) -> None:
        async for event in subscription:
            self.see(event)

    async def _refresh_when_idle(self) -> None:
        """The turn's last event comes a moment before it is over; only then may a plain prompt be shown again."""
        await self.app.session.wait_idle()
        if self.reader is not None:
            self.reader.refresh()

    def _ask_about_plan(self, done: bool) -> None:
        planned, self._planned = self._planned, False
        is_live = self.reader is not None and self.reader.is_live
        self._plan_waits = planned and done and is_live and self.app.permissions.mode == "plan"
        if self._plan_waits:
            self.renderer.line("\n".join([QUESTION, *(f"  {key} = {words}" for _, key, words in CHOICES)]))

    def _keep(self, event: AgentEvent) -> None:
        if isinstance(event, _CHANGES_CONTEXT):
            self._view = None
        match event:
            case QueueChanged(steering=steering, follow_up=follow_up):
                self._queued = len(steering) + len(follow_up)
            case ApprovalResolved(approval_id=approval_id):
                self.close_question(approval_id)
            case ToolStarted(call=call):
                self._doing = f"running {call.name}"
                later = asyncio.get_running_loop().call_later
                self._timers[call.id] = later(LINE_TOOL_NOTICE_SECONDS, self.renderer.announce, call.id)
            case ToolEnded(call_id=call_id):
                self._doing = ""
                if timer := self._timers.pop(call_id, None):
                    timer.cancel()
            case PlanChanged():
                self._planned = True
            case TurnEnded(error=error, outcome=outcome):
                self._doing, self.last_error = "", error
                self._ask_about_plan(outcome == "done")
                self._ending = asyncio.get_running_loop().create_task(self._refresh_when_idle())
            case _:
                self._doing = _activity(event, self._doing)

    def close_question(self, approval_id: str) -> None:
        """Take the question away; one that waited behind it is asked now."""
        asked = self.questions[0].approval_id if self.questions else ""
        self.questions = deque(q for q in self.questions if q.approval_id != approval_id)
        if asked == approval_id and self.questions:
            self.renderer.show(self.questions[0])


def _activity(event: AgentEvent, before: str) -> str:
    """A word for what goes on, for the toolbar."""
    match event:
        case TurnStarted() | MessageStarted():
            return "working"
        case ThinkingDelta():
            return "thinking"
        case TextDelta():
            return "answering"
        case RetryScheduled():
            return "waiting to try again"
        case CompactionStarted():
            return "compacting"
        case CompactionEnded():
            return "working"
        case ApprovalRequested():
            return "asking"
    return before


def answered(talk: Talk, text: str) -> bool:
    """Take a line as the answer to the open question; False when it is none."""
    question = talk.questions[0]
    decision = read_answer(text, question)
    if decision is None:
        return False
    talk.app.session.resolve_approval(question.approval_id, decision)
    talk.close_question(question.approval_id)
    return True
