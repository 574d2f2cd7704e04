"""The facade of a conversation: what a front end may ask of it. Thin on purpose; the work is in turn and attempt.

A front end sends commands and reads events. It never touches the history, a provider or a tool.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from openclaw_tui.agent.broadcast import Broadcast, Subscription
from openclaw_tui.agent.compaction_desk import CompactionDesk
from openclaw_tui.agent.deps import AgentDeps
from openclaw_tui.agent.inbox import InboxKind, Waiting
from openclaw_tui.agent.interruption import keep_reports, put_in_order
from openclaw_tui.agent.item_desk import ItemDesk
from openclaw_tui.agent.keep_warm import KeepWarm, KeepWarmSettings
from openclaw_tui.agent.keeper import Keeper
from openclaw_tui.agent.spending import spent_usd
from openclaw_tui.agent.state import TurnState
from openclaw_tui.agent.supervisor import Supervisor
from openclaw_tui.agent.turn import finish, note_failure, run_turn
from openclaw_tui.agent.user_shell import UserShell
from openclaw_tui.errors import OpenClawError, SessionWriteFailed
from openclaw_tui.events import Notice, TurnStarted
from openclaw_tui.messages import TextBlock, ThinkingLevel, UserContent, UserMessage, UserOrigin
from openclaw_tui.models import ModelInfo
from openclaw_tui.tools.approval import ApprovalBroker, Decision

_log = logging.getLogger("openclaw_tui.agent")

COMPACTION_STOPPED = "Compaction stopped; the history is unchanged."


@dataclass(slots=True)
class SessionParts:
    """What the composition root builds and hands to the facade."""

    deps: AgentDeps
    broadcast: Broadcast
    approvals: ApprovalBroker


class AgentSession:
    """One conversation. All methods are called on the event loop."""

    def __init__(self, parts: SessionParts) -> None:
        self.deps = parts.deps
        self.compactions = CompactionDesk(parts.deps)
        self.items = ItemDesk(parts.deps)
        self.approvals = parts.approvals
        self._broadcast = parts.broadcast
        self._supervisor = Supervisor()
        self._state = TurnState()
        self._holds_queue = False
        self.keeper = Keeper(parts.deps)
        self.last_words = ""
        warm = KeepWarmSettings(parts.deps.requests.settings.keep_warm_seconds)
        self.keep_warm = KeepWarm(parts.deps, warm, lambda: self.has_work)
        self.shell = UserShell(parts.deps, lambda: self.is_busy)
        self.deps.spent_usd = spent_usd(self.deps.manager.branch())

    @property
    def session_key(self) -> str:
        return self.deps.session_key

    @property
    def session_id(self) -> str:
        return self.deps.manager.session_id

    @property
    def model(self) -> ModelInfo:
        return self.deps.requests.model

    @property
    def thinking(self) -> ThinkingLevel:
        return self.deps.requests.thinking

    @property
    def is_busy(self) -> bool:
        return self._supervisor.is_running

    @property
    def has_work(self) -> bool:
        """Whether there is something to stop: a turn, a typed command, or a sub-agent that nobody waits for."""
        return self.is_busy or self.shell.is_running or bool(self.deps.children.running)

    def subscribe(self) -> Subscription:
        return self._broadcast.subscribe()

    def unsubscribe(self, subscription: Subscription) -> None:
        self._broadcast.unsubscribe(subscription)

    def prompt(self, content: str | Sequence[UserContent], *, while_busy: InboxKind = "steering") -> bool:
        """Send a message. True when a turn began, False when the message waits in the inbox.

        The message is on disk before this returns. Raises SessionWriteFailed when it cannot be stored.
        """
        blocks = (TextBlock(content),) if isinstance(content, str) else tuple(content)
        if self.is_busy:
            text = content if isinstance(content, str) else _first_text(blocks)
            self.deps.inbox.put(Waiting(text=text, content=blocks, kind=while_busy))
            return False
        self._begin_turn(blocks)
        return True

    async def abort(self) -> None:
        """Stop the running turn or compaction, and all sub-agents; what there is of an answer is kept and marked.

        Queued messages go out next; `take_back` them before where they should not.
        """
        await self.shell.stop()
        await self._supervisor.abort()
        await self.deps.children.stop()

    async def wait_idle(self) -> None:
        """Until nothing runs and nothing waits to be sent."""
        while self.is_busy:
            await self._supervisor.wait()

    async def wait_done(self) -> None:
        """Until nothing runs, nothing waits, and no sub-agent works whose report would begin another turn."""
        while True:
            await self.wait_idle()
            working = {run.task for run in self.deps.children.running if run.task is not None}
            if not working:
                return
            await asyncio.wait(working, return_when=asyncio.FIRST_COMPLETED)

    def announce(self, text: str, shown: str) -> None:
        """Take in a sub-agent's report: at the next safe point of a running turn, else as the beginning of a turn."""
        content = (TextBlock(text),)
        self.deps.inbox.put(Waiting(text=shown, content=content, kind="steering", origin="subagent"))
        self._send_queued()

    def take_back(self) -> Waiting | None:
        """The latest queued message, for the editor."""
        return self.deps.inbox.take_back()

    def resolve_approval(self, approval_id: str, decision: Decision) -> None:
        self.approvals.resolve(approval_id, decision)

    def set_model(self, model: ModelInfo, thinking: ThinkingLevel | None = None) -> None:
        """Use another model from the next request on; the change is an entry of the session."""
        self.deps.requests.use_model(model, thinking)
        self.deps.manager.append_model_change(model.provider, model.id)

    def set_thinking(self, level: ThinkingLevel) -> ThinkingLevel:
        """Set how hard the model thinks; returns the level the model really supports."""
        applied = self.deps.requests.use_thinking(level)
        self.deps.manager.append_thinking_level_change(applied)
        return applied

    async def compact(self, focus: str = "") -> str:
        """Compact now. Returns one line that says what came of it."""
        return await self.apart(lambda: self.compactions.compact(focus), stopped=COMPACTION_STOPPED)

    async def apart(self, work: Callable[[], Awaitable[str]], *, stopped: str) -> str:
        """Do something with the session that is no turn; a running turn is stopped first. Its line, or `stopped`.

        It runs like a turn: `abort` ends it, and what is typed meanwhile waits for its end.
        """
        self._holds_queue = True
        try:
            while self.is_busy:
                await self.abort()
        finally:
            self._holds_queue = False
        line = stopped

        async def worked() -> None:
            nonlocal line
            line = await work()

        async def aborted() -> None:
            self.deps.emit.close()

        async def failed(error: BaseException) -> None:
            nonlocal line
            line = f"Failed: {error}"
            self.deps.emit.close(str(error))

        task = self._supervisor.start(worked, on_abort=aborted, on_failure=failed)
        task.add_done_callback(self._send_queued)
        await asyncio.wait({task})
        return line

    async def start(self) -> None:
        """Let the engine look at a conversation that existed before, and say what was mended on opening."""
        self.keeper.start()
        self.keep_warm.start()
        damage = self.deps.manager.damage
        if damage is not None:
            self.deps.acts.record("repair", "quarantined", damage.text, way_back=str(damage.backup or ""))
            self.deps.emit(Notice(self.session_key, "warning", damage.text))
        if self.deps.manager.project().messages:
            self.deps.outputs.recover()
            session = self.deps.requests.session_ref
            await self.deps.engine.bootstrap(session)
            await self.deps.engine.maintain(session, "bootstrap", self.deps.requests.rewrite_entries)

    async def close(self) -> None:
        """Stop, flush and let go of everything the session holds; `last_words` says what could not be saved."""
        self._holds_queue = True
        await self.keep_warm.stop()
        await self.abort()
        await self.deps.runner.aclose()
        await self.deps.engine.dispose()
        await self.deps.providers.aclose()
        self.deps.requests.save_metadata()
        await self.keeper.stop()
        self.last_words = self.keeper.last_words()
        if self.last_words:
            self.deps.emit(Notice(self.session_key, "error", self.last_words))
        with suppress(SessionWriteFailed):
            self.deps.manager.close()
        self._broadcast.close()

    def _begin_turn(self, content: Sequence[UserContent], origin: UserOrigin = "user") -> None:
        """Store the message, announce the turn, start its task. From here on a `TurnEnded` follows, come what may."""
        before = self.deps.manager.leaf_id
        try:
            entry = self.deps.manager.append_message(UserMessage(tuple(content), self.deps.now_ms(), origin))
        except SessionWriteFailed:
            self.deps.manager.branch_to(before)  # the talk goes on without it; sent again, it is not there twice
            raise
        message = entry.message
        if not isinstance(message, UserMessage):
            raise TypeError(f"a user message was stored as {type(message).__name__}")
        state = self._state = TurnState(started=time.monotonic())
        self.deps.emit(TurnStarted(self.session_key, message))
        task = self._supervisor.start(
            lambda: run_turn(self.deps, state, message), on_abort=self._after_abort, on_failure=self._after_failure
        )
        task.add_done_callback(self._send_queued)

    def _send_queued(self, _: "asyncio.Task[None] | None" = None) -> None:
        """What waits when a turn is over begins the next one, also what came in its very last instant."""
        if self._holds_queue or self.is_busy:
            return
        self.shell.keep_waiting()
        waiting = self._left_over_steering() or self.deps.inbox.take_next_follow_up()
        if waiting is None:
            return
        try:
            self._begin_turn(waiting.content, waiting.origin)
        except SessionWriteFailed as error:
            self.deps.inbox.put(waiting)
            self.deps.emit(Notice(self.session_key, "error", f"{error} The queued message still waits."))

    def _left_over_steering(self) -> Waiting | None:
        """Steering that arrived after the last safe point becomes the next turn; nothing typed is lost."""
        waiting = self.deps.inbox.take_first("steering")
        if not waiting:
            return None
        content = tuple(block for item in waiting for block in item.content)
        text = "\n".join(item.text for item in waiting)
        return Waiting(text=text, content=content, kind="follow_up", origin=waiting[0].origin)

    async def _after_abort(self) -> None:
        await self.deps.children.stop()
        put_in_order(self.deps, self._state)
        keep_reports(self.deps)
        finish(self.deps, self._state, "aborted")

    async def _after_failure(self, error: BaseException) -> None:
        """The last net: something nothing handled. The history is closed, the user is told in one line."""
        known = error if isinstance(error, OpenClawError) else None
        if known is None:
            _log.error("the turn ended with an internal error", exc_info=error)
            known = OpenClawError(f"internal error: {type(error).__name__}: {error}")
        note_failure(self.deps, self._state, known)
        finish(self.deps, self._state, "failed", known)


def _first_text(blocks: tuple[UserContent, ...]) -> str:
    return next((block.text for block in blocks if isinstance(block, TextBlock)), "[image]")
