"""Starts sub-agents: admits them within the limits, runs each as a session of its own, tells the parent how it ended.

A child never has more than its parent: the same permissions and questions, a part of its tools, what is left of its
budget. Invariants: every admitted child ends in exactly one report (the result of the call that waited, or one message
later) unless it was stopped with its parent; the engine hears of every child that began; nothing of a child outlives
its parent's session.
"""

import asyncio
import uuid
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from openclaw_tui.agent.agent_files import AgentSet
from openclaw_tui.agent.child_plan import ChildPlan, SubagentSettings, choose_definition, choose_model, choose_tools
from openclaw_tui.agent.child_report import (
    accepted_text,
    announcement,
    first_message,
    last_words,
    note_down,
    report_text,
)
from openclaw_tui.agent.child_runs import ChildRun, ChildRuns, Crowd
from openclaw_tui.agent.session import AgentSession
from openclaw_tui.constants import SUBAGENT_LABEL_CHARS
from openclaw_tui.context.engine import SubagentPreparation
from openclaw_tui.errors import OpenClawError, SessionError, ToolError
from openclaw_tui.events import (
    AgentEvent,
    MessageEnded,
    MessageStarted,
    Notice,
    SubagentEvent,
    TextDelta,
    ThinkingDelta,
    ToolEnded,
    ToolProgress,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)
from openclaw_tui.routing.session_key import parse_session_key, subagent_key
from openclaw_tui.session.custom_types import SUBAGENT_RUN
from openclaw_tui.tools.base import ToolOutcome, text_outcome
from openclaw_tui.tools.session_tools import SpawnOrder

_SHOWN = (
    TurnStarted,
    TurnEnded,
    MessageStarted,
    TextDelta,
    ThinkingDelta,
    MessageEnded,
    ToolStarted,
    ToolProgress,
    ToolEnded,
    Notice,
    SubagentEvent,
)
"""Events of a child that its parent's screen is given; what tells the state of a session would be taken for its own."""


ComposeChild = Callable[[ChildPlan], AgentSession]


class Subagents:
    """One for each session. `bind` tells whose children they are; `definitions` reads the agent files anew."""

    def __init__(
        self,
        key: str,
        settings: SubagentSettings,
        *,
        compose: ComposeChild,
        definitions: Callable[[], AgentSet],
        crowd: Crowd | None = None,
    ) -> None:
        self.key = key
        self.settings = settings
        self.definitions = definitions
        self.crowd = crowd or Crowd()
        self.runs = ChildRuns()
        self._compose = compose
        self._parent: AgentSession | None = None
        parsed = parse_session_key(key)
        self.depth = parsed.depth if parsed is not None else 0

    def bind(self, parent: AgentSession) -> None:
        self._parent = parent

    @property
    def may_spawn(self) -> bool:
        return self.depth < self.settings.max_depth

    async def spawn(self, order: SpawnOrder, call_id: str) -> ToolOutcome:
        """Admit, start, and wait where the order says so. Raises ToolError for what is refused."""
        run = self._admit(order, call_id)
        try:
            child = await self._start(run, order)
        except BaseException as failure:
            run.outcome, run.reason = "failed", str(failure)
            self._release(run)
            if isinstance(failure, OpenClawError) and not isinstance(failure, ToolError):
                raise ToolError(f"the sub-agent could not be started: {failure}") from failure
            raise
        run.task = asyncio.create_task(self._drive(run, child, order.task), name=f"sub-agent {run.label}")
        if not order.wait:
            return text_outcome(accepted_text(run), subagent=run.key, session=run.session_id)
        try:
            await asyncio.wait({run.task})
        finally:
            if not run.task.done():
                self.runs.stop_soon(run)
        run.task.result()
        return text_outcome(
            report_text(run), is_error=run.status != "completed", subagent=run.key, session=run.session_id
        )

    def status_rows(self) -> list[tuple[str, str]]:
        """What `session_status` tells of the parent."""
        parent = self._bound()
        requests, size = parent.deps.requests, parent.deps.requests.context_size()
        rows = [
            ("session", parent.session_id),
            ("model", parent.model.ref),
            ("thinking", parent.thinking),
            (
                "context",
                f"{'~' if size.is_estimate else ''}{size.tokens:,} of {requests.budget.usable_tokens:,} tokens",
            ),
            ("engine", parent.deps.engine.in_use),
            ("cost so far", f"${parent.deps.spent_usd:.4f}"),
        ]
        return rows + [("sub-agent", " · ".join(part for part in row if part)) for row in running_lines(self.runs.runs)]

    # ── admission ─────────────────────────────────────────────────────────────────────────────────────────────────
    def _admit(self, order: SpawnOrder, call_id: str) -> ChildRun:
        """A place for one more child. Nothing is awaited here, so calls that run together cannot share a place."""
        limits = self.settings
        if not self.may_spawn:
            raise ToolError(
                f"sessions_spawn is not allowed at this depth (current depth: {self.depth}, max: {limits.max_depth});"
                " do the task yourself"
            )
        active = len(self.runs.running)
        if active >= limits.max_children:
            raise ToolError(
                f"there are {active} active sub-agents of this session already (max: {limits.max_children}); go on when"
                " one has ended"
            )
        if self.crowd.running >= limits.max_concurrent:
            raise ToolError(
                f"{self.crowd.running} sub-agents run at once already (max: {limits.max_concurrent});"
                " go on when one has ended"
            )
        label = (order.label or " ".join(order.task.split()))[:SUBAGENT_LABEL_CHARS]
        run = ChildRun(subagent_key(self.key, str(uuid.uuid4())), label, call_id, waited_for=order.wait)
        self.runs.add(run)
        self.crowd.running += 1
        return run

    def _release(self, run: ChildRun) -> None:
        self.crowd.running -= 1
        self.runs.ended(run)

    # ── start ─────────────────────────────────────────────────────────────────────────────────────────────────────
    async def _start(self, run: ChildRun, order: SpawnOrder) -> AgentSession:
        """The child, composed but at rest; what the engine prepared is taken back where that fails."""
        parent = self._bound()
        plan = self._plan(run, order, parent)
        prepared: SubagentPreparation | None = await parent.deps.engine.prepare_subagent_spawn(self.key, run.key)
        try:
            child = self._compose(plan)
        except BaseException:
            if prepared is not None:
                await prepared.rollback()
            raise
        run.session_id = child.session_id
        run.stop = child.abort
        run.spent = lambda: child.deps.spent_usd
        run.tell = lambda text: child.is_busy and not child.prompt(text)
        return child

    def _plan(self, run: ChildRun, order: SpawnOrder, parent: AgentSession) -> ChildPlan:
        definition = choose_definition(order.agent, self.definitions)
        model, thinking = choose_model(order, definition, self.settings, parent)
        return ChildPlan(
            key=run.key,
            label=run.label,
            depth=self.depth + 1,
            tools=choose_tools(order, definition, parent, leaf=self.depth + 1 >= self.settings.max_depth),
            model=model,
            thinking=thinking,
            instructions=definition.instructions if definition else "",
            parent=parent,
            call_prefix=f"{run.mark}/",
            see=lambda event: self._see(run, event),
            spent_elsewhere=lambda: parent.deps.spent_usd - run.counted_usd,
        )

    # ── life ──────────────────────────────────────────────────────────────────────────────────────────────────────
    async def _drive(self, run: ChildRun, child: AgentSession, task: str) -> None:
        """From the first message to the report. What goes wrong on the way is the report."""
        parent = self._bound()
        try:
            if not run.stopping:
                await self._work(run, child, task)
            run.answer = last_words(child.deps.manager.project().messages)
            await child.close()
        except OpenClawError as error:
            run.outcome, run.reason = "failed", str(error)
        if run.killed:
            run.outcome, run.reason = "stopped", "by the user"
        parent.deps.spent_usd += run.take_spent()
        self._release(run)
        self._write_down(run, parent)
        await parent.deps.engine.on_subagent_ended(run.key, "released" if run.stopping else "completed")
        if not run.waited_for and (run.killed or not run.stopping):
            parent.announce(announcement(run), f"[sub-agent {run.label}: {run.status}]")

    async def _work(self, run: ChildRun, child: AgentSession, task: str) -> None:
        await child.start()
        child.prompt(first_message(task, self.depth + 1, self.settings.max_depth))
        try:
            async with asyncio.timeout(self.settings.timeout_seconds or None):
                await child.wait_done()
        except TimeoutError:
            await child.abort()
            run.outcome, run.reason = "timed out", f"after {self.settings.timeout_seconds:g} s"

    def _see(self, run: ChildRun, event: AgentEvent) -> None:
        """Every event of the child: its spending is counted at once, what concerns the parent's screen goes on."""
        parent = self._bound()
        parent.deps.spent_usd += run.take_spent()
        if isinstance(event, TurnEnded):
            _learn(run, event)
        note_down(run, event)
        if isinstance(event, _SHOWN):
            parent.deps.emit(SubagentEvent(self.key, run.call_id, _marked(event, run.mark)))

    def _write_down(self, run: ChildRun, parent: AgentSession) -> None:
        """One entry in the parent's file, so that a resume knows what it cost."""
        data = {
            "key": run.key,
            "sessionId": run.session_id,
            "label": run.label,
            "status": run.status,
            "steps": run.steps,
            "tokens": run.usage.prompt_tokens + run.usage.output,
            "costUsd": run.counted_usd,
        }
        try:
            parent.deps.manager.append_custom(SUBAGENT_RUN, data)
        except SessionError as error:
            parent.deps.emit(Notice(self.key, "warning", f"{error} The sub-agent's cost is not noted there."))

    def _bound(self) -> AgentSession:
        if self._parent is None:
            raise ToolError("sub-agents cannot be started here")
        return self._parent


def _learn(run: ChildRun, ended: TurnEnded) -> None:
    """The last turn of a child decides how it ended; usage and price of all of them add up."""
    run.steps += ended.steps
    run.usage = run.usage + ended.usage
    run.cost_usd = None if run.cost_usd is None or ended.cost_usd is None else run.cost_usd + ended.cost_usd
    run.outcome = "completed" if ended.outcome == "done" else "stopped" if ended.outcome == "aborted" else "failed"
    run.reason = str(ended.error) if ended.error is not None else ""


def _marked(event: AgentEvent, mark: str) -> AgentEvent:
    """The event with call ids of its own: models number their calls anew, and a parent's may be open."""
    match event:
        case ToolStarted(call=call):
            return replace(event, call=replace(call, id=f"{mark}/{call.id}"))
        case ToolProgress(call_id=call_id) | ToolEnded(call_id=call_id):
            return replace(event, call_id=f"{mark}/{call_id}")
    return event


def running_lines(runs: Sequence[ChildRun]) -> list[tuple[str, ...]]:
    """Rows for people: label, how it stands, calls, cost, session."""
    return [
        (
            run.label,
            f"{run.status}{f' ({run.reason})' if run.reason else ''}",
            f"{run.steps} calls",
            f"${run.cost_usd:.4f}" if run.cost_usd else "",
            run.session_id,
        )
        for run in runs
    ]
