"""Executes the tool calls of one step: check, judge, ask, run, and turn whatever happens into a result.

Calls that only read run together, all others one after the other in source order; results are handed over in source
order, each as soon as it may be stored. Invariants: one result for each call id, started and ended events in pairs, and
no failure of a tool leaves here as an exception. Cancellation passes through.
"""

import asyncio
import dataclasses
import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from openclaw_tui.constants import EXEC_TAIL_CHARS, MAX_CONSECUTIVE_TOOL_FAULTS
from openclaw_tui.errors import ToolArgumentsInvalid, ToolDenied, ToolError
from openclaw_tui.events import Notice, Sink, ToolEnded, ToolProgress, ToolStarted
from openclaw_tui.messages import Message, TextBlock, ToolCallBlock, ToolResultMessage, UserContent
from openclaw_tui.safety.masking import Masks
from openclaw_tui.safety.permissions import Act, Permissions
from openclaw_tui.tools import repeats
from openclaw_tui.tools.approval import ApprovalBroker, refusal
from openclaw_tui.tools.base import TYPED, Tool, ToolContext, ToolIntent, ToolOutcome, text_outcome
from openclaw_tui.tools.registry import Toolset
from openclaw_tui.tools.schema import arguments_of, check_arguments
from openclaw_tui.tools.secret_marks import masked_result, with_secrets
from openclaw_tui.tools.skill_scope import SkillScope
from openclaw_tui.tools.told_intent import told_intent
from openclaw_tui.tools.workspace import Workspace

_log = logging.getLogger("openclaw_tui.tools")
_STOPPED = "not run: the turn was stopped before this call"
_INTERRUPTED = "[interrupted by the user before it finished]"
STOPPED_COMMAND = "[stopped by the user before its end]"

_ANSWERS = {"once": "yes, once", "session": "yes, this session", "prefix": "yes, always so", "deny": "no"}

OnResult = Callable[[ToolResultMessage], ToolResultMessage | None]
"""Stores a result. It may return the form in which it was stored."""


class StepOutcome(msgspec.Struct, frozen=True):
    """Results in source order. `stop_reason` is a line for the user where the turn should not go on."""

    results: tuple[ToolResultMessage, ...]
    stop_reason: str | None = None


@dataclass(slots=True)
class _Job:
    """One call on its way: after checking it has a tool and arguments, or already an outcome."""

    call: ToolCallBlock
    tool: Tool | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    title: str = ""
    outcome: ToolOutcome | None = None
    label: str = ""
    approved: frozenset[Path] | None = None
    started: float | None = None
    ended: bool = False


class ToolRunner:
    """One for each session. It owns nothing but counters; `closers` are called by `aclose`."""

    def __init__(
        self,
        toolset: Toolset,
        workspace: Workspace,
        permissions: Permissions,
        approvals: ApprovalBroker,
        sink: Sink,
        session_key: str,
        *,
        closers: Sequence[Callable[[], Awaitable[None]]] = (),
        masks: Masks | None = None,
    ) -> None:
        self.toolset = toolset
        self.workspace = workspace
        self.permissions = permissions
        self.approvals = approvals
        self._sink = sink
        self._session_key = session_key
        self.scope = SkillScope(workspace)
        self._closers = closers
        self.masks = masks or Masks(None)
        self._outcomes: list[repeats.CallOutcome] = []
        self._faults = 0
        self._stop_reason: str | None = None

    def start_turn(self, history: Sequence[Message] = ()) -> None:
        """Begin to count repeats anew, or from the whole branch of a session whose turn goes on."""
        self._outcomes = repeats.window(repeats.outcomes_since_user(history))
        self._faults = 0
        self.scope.start_turn()

    async def run(self, calls: Sequence[ToolCallBlock], on_result: OnResult) -> StepOutcome:
        """Run all calls of one assistant message. `on_result` stores a result; what it raises ends the step."""
        self._stop_reason = None
        results: list[ToolResultMessage] = []

        def deliver(job: _Job) -> None:
            result = self._finish(job)
            result = on_result(result) or result  # on disk before it is shown as done
            results.append(result)
            self._end(job, result)

        for batch in self._batches(calls):
            if not self._is_stopped():
                await self._run_batch([_Job(call) for call in batch], deliver)
            else:
                for call in batch:
                    deliver(_Job(call, outcome=text_outcome(_STOPPED, is_error=True)))
        return StepOutcome(tuple(results), self._stop_reason)

    async def run_typed(self, call: ToolCallBlock, label: str) -> ToolResultMessage:
        """Run a call the user typed in person: a question would only ask who typed it, a rule that refuses holds.

        Cancelled, it ends what it started and gives a result all the same.
        """
        arguments = {**call.arguments, **({"sandbox": TYPED} if call.name == "exec" else {})}
        job = _Job(call, tool=self.toolset.find(call.name), arguments=arguments, label=label)
        seen: list[str] = []
        try:
            if job.tool is None:
                raise ToolError(self.toolset.unknown(call.name))
            intent = job.tool.intent(arguments, self.workspace)
            job.title = intent.title
            verdict = self.permissions.judge(_act(job.tool, intent))
            if verdict.decision == "deny" and verdict.rule is not None:
                raise ToolDenied(f"Not run: {'; '.join(verdict.reasons)}.")
            self._start(job)
            context = ToolContext(self.workspace, call.id, self._progress_of(call.id, seen.append), None)
            job.outcome = await job.tool.execute(arguments, context)
        except asyncio.CancelledError:
            job.outcome = text_outcome("\n".join([*seen, STOPPED_COMMAND])[-EXEC_TAIL_CHARS:], is_error=True)
        except ToolError as error:
            job.outcome = text_outcome(str(error), is_error=True, denied=isinstance(error, ToolDenied))
        if job.started is None:
            self._start(job)
        result = self._masked(_result(call, job.outcome))
        self._end(job, result)
        return result

    async def aclose(self) -> None:
        """End what the tools left running."""
        for close in self._closers:
            await close()

    def _is_stopped(self) -> bool:
        return self._stop_reason is not None

    def _batches(self, calls: Sequence[ToolCallBlock]) -> list[list[ToolCallBlock]]:
        """Neighbouring calls that may run together; an id that comes twice is run once and said so."""
        batches: list[list[ToolCallBlock]] = []
        seen: set[str] = set()
        together = False
        for call in calls:
            if call.id in seen:
                text = f"The model used the call id {call.id} twice; only the first call was run."
                self._sink(Notice(self._session_key, "warning", text))
                continue
            seen.add(call.id)
            tool = self.toolset.find(call.name)
            parallel = tool is not None and tool.parallel_safe
            if parallel and together:
                batches[-1].append(call)
            else:
                batches.append([call])
            together = parallel
        return batches

    async def _run_batch(self, jobs: list[_Job], deliver: Callable[[_Job], None]) -> None:
        """Check and ask in order, run together, hand over in order."""
        for job in jobs:
            await self._admit(job)
        try:
            if len(jobs) == 1:
                await self._execute(jobs[0])
                deliver(jobs[0])
            else:
                await self._run_together(jobs, deliver)
        finally:
            for job in jobs:
                if job.started is not None and not job.ended:
                    self._end(job, _result(job.call, text_outcome(_INTERRUPTED, is_error=True)))

    async def _run_together(self, jobs: list[_Job], deliver: Callable[[_Job], None]) -> None:
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._execute(job)) for job in jobs]
                for job, task in zip(jobs, tasks, strict=True):
                    await task
                    deliver(job)
        except ExceptionGroup as group_error:
            raise group_error.exceptions[0] from group_error  # storing failed; tools themselves raise nothing

    async def _admit(self, job: _Job) -> None:
        """Find the tool, check the arguments, get permission. A refusal becomes the job's outcome."""
        try:
            job.tool = self.toolset.find(job.call.name)
            if job.tool is None:
                raise ToolArgumentsInvalid(self.toolset.unknown(job.call.name))
            arguments = check_arguments(job.tool.definition, arguments_of(job.call))
            job.arguments = with_secrets(self.masks, job.call.name, arguments, self.workspace)
            self._faults = 0
            intent = told_intent(job.tool, job.arguments, self.workspace, self.permissions)
            job.title = intent.title
            if outside := self.scope.refusal(_act(job.tool, intent)):
                raise ToolDenied(outside)
            job.approved = frozenset(intent.paths) or None
            await self._permit(job, job.tool, intent)
        except ToolArgumentsInvalid as error:
            self._count_fault()
            job.outcome = text_outcome(str(error), is_error=True)
        except ToolError as error:
            job.outcome = text_outcome(str(error), is_error=True, denied=isinstance(error, ToolDenied))
        except Exception:
            job.outcome = self._crashed(job)

    async def _permit(self, job: _Job, tool: Tool, intent: ToolIntent) -> None:
        """Raise ToolDenied unless the act is allowed by rule, by mode or by the user."""
        act = _act(tool, intent)
        verdict = self.permissions.judge(act)
        why = "; ".join(verdict.reasons)
        if verdict.decision == "allow":
            return
        if verdict.decision == "deny":
            raise ToolDenied(
                f"Not run: {why}. Only the user can change that (/permissions); do not try to get around it."
            )
        decision = await self.approvals.ask(job.call, job.arguments, intent, verdict)
        self.permissions.answered(act, _ANSWERS[decision.kind])
        if not decision.allowed:
            raise ToolDenied(refusal(decision.reason, why))
        if _act(tool, tool.intent(job.arguments, self.workspace)) != act:
            raise ToolDenied("Not run: what the call would touch changed while the question was open. Call it again.")
        if decision.kind != "deny":
            self.permissions.remember(act, verdict, decision.kind)

    async def _execute(self, job: _Job) -> None:
        """Run an admitted job; its outcome is set afterwards, whatever happened."""
        self._start(job)
        if job.outcome is not None or job.tool is None:
            return
        workspace = dataclasses.replace(self.workspace, approved=job.approved)
        context = ToolContext(workspace, job.call.id, self._progress_of(job.call.id), None)
        try:
            job.outcome = await job.tool.execute(job.arguments, context)
            if job.call.name == "read" and not job.outcome.is_error:
                self.scope.note_read(self.workspace.resolve(str(job.arguments.get("path", ""))))
        except ToolError as error:
            job.outcome = text_outcome(str(error), is_error=True)
        except Exception:
            job.outcome = self._crashed(job)

    def _finish(self, job: _Job) -> ToolResultMessage:
        """The message for a finished job, with a warning where it goes in circles."""
        outcome = job.outcome or text_outcome(_STOPPED, is_error=True)
        result = self._masked(_result(job.call, outcome))
        self._outcomes.append(repeats.outcome_of(job.call.name, job.call.arguments, result.content))
        count = repeats.streak(self._outcomes)
        warning = repeats.warning_for(count)
        if warning is not None:
            result = dataclasses.replace(result, content=(*result.content, TextBlock(warning)))
        stop = repeats.stop_for(count, job.call.name)
        if stop is not None:
            self._stop_reason = self._stop_reason or stop
            self._outcomes.clear()
        self._outcomes = repeats.window(self._outcomes)
        if job.started is None:
            self._start(job)
        return result

    def _masked(self, result: ToolResultMessage) -> ToolResultMessage:
        """Without secrets, from here on: what is stored, shown, sent, summarised and exported has only their marks."""
        result, new = masked_result(self.masks, result)
        if new:
            count = "a secret" if new == 1 else f"{new} secrets"
            text = f"{count} in the output of {result.tool_name} reached the model as ⟦secret:N⟧ only (secrets.mask)"
            self._sink(Notice(self._session_key, "info", text))
        return result

    def _start(self, job: _Job) -> None:
        job.started = time.monotonic()
        label = job.label or (job.tool.label if job.tool is not None else job.call.name)
        self._sink(ToolStarted(self._session_key, job.call, label, job.title or job.call.name))

    def _end(self, job: _Job, result: ToolResultMessage) -> None:
        job.ended = True
        seconds = time.monotonic() - job.started if job.started is not None else 0.0
        self._sink(ToolEnded(self._session_key, job.call.id, result, seconds))

    def _crashed(self, job: _Job) -> ToolOutcome:
        """A defect of a tool: the log gets the whole, the model a plain line."""
        _log.exception("tool %s failed", job.call.name)
        return text_outcome(f"{job.call.name}: failed unexpectedly; the details are in the log file", is_error=True)

    def _count_fault(self) -> None:
        self._faults += 1
        if self._faults >= MAX_CONSECUTIVE_TOOL_FAULTS:
            self._stop_reason = (
                f"the model sent {self._faults} malformed or unknown tool calls in a row; the turn was stopped."
                " Try again, or choose another model with /model."
            )
            self._faults = 0

    def _progress_of(self, call_id: str, seen: Callable[[str], None] | None = None) -> Callable[[str], None]:
        def told(text: str) -> None:
            if seen is not None:
                seen(text)
            self._sink(ToolProgress(self._session_key, call_id, _clean(text)))

        return told


def _act(tool: Tool, intent: ToolIntent) -> Act:
    return Act(tool.definition.name, intent.risk, intent.paths, intent.command, intent.url, intent.reach)


def _result(call: ToolCallBlock, outcome: ToolOutcome) -> ToolResultMessage:
    content: tuple[UserContent, ...] = tuple(
        replace(block, text=_clean(block.text)) if isinstance(block, TextBlock) else block for block in outcome.content
    )
    details = dict(outcome.details)
    if outcome.full_output is not None:
        details["fullOutput"] = str(outcome.full_output)
    return ToolResultMessage(
        call.id, call.name, content or (TextBlock("(no output)"),), outcome.is_error, details or None, _now_ms()
    )


def _clean(text: str) -> str:
    """Without lone surrogates: they can be neither stored nor sent."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def _now_ms() -> int:
    return int(time.time() * 1000)
