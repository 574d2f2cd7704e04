"""The question to the user and its answer: an event out, a future by id back in.

The verdict that a question is needed comes from `safety.permissions`; here it is only asked. Invariants: every
`ApprovalRequested` is followed by one `ApprovalResolved`, also on abort; where nobody can be asked nothing is allowed.
"""

import asyncio
import uuid
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import msgspec
from msgspec.structs import replace

from openclaw_tui.events import ApprovalRequested, ApprovalResolved, Sink
from openclaw_tui.messages import ToolCallBlock
from openclaw_tui.safety.permissions import Verdict
from openclaw_tui.tools.base import ToolIntent

DecisionKind: TypeAlias = Literal["once", "session", "prefix", "deny"]
NOBODY_TO_ASK = "it needs the user's approval and nobody can be asked here"


class Decision(msgspec.Struct, frozen=True):
    """The answer: once, for this session, always for the offered prefix, or no (with what the user wants instead)."""

    kind: DecisionKind
    reason: str = ""

    @property
    def allowed(self) -> bool:
        return self.kind != "deny"


class PermissionDenial(msgspec.Struct, frozen=True):
    """A call that needed asking where nobody could be asked; a row of `permission_denials`."""

    tool: str
    input: Mapping[str, Any]


class ApprovalBroker:
    """`interactive` False: every question is answered no at once and listed in `denials`."""

    def __init__(self, sink: Sink, session_key: str, *, interactive: bool) -> None:
        self._sink = sink
        self._session_key = session_key
        self.interactive = interactive
        self.denials: list[PermissionDenial] = []
        self._open: dict[str, asyncio.Future[Decision]] = {}

    @property
    def pending(self) -> tuple[str, ...]:
        """Ids of questions that wait for an answer, oldest first."""
        return tuple(self._open)

    async def ask(
        self, call: ToolCallBlock, arguments: Mapping[str, Any], intent: ToolIntent, verdict: Verdict
    ) -> Decision:
        """Ask and wait. A cancelled wait resolves the question as refused."""
        if not self.interactive:
            self.denials.append(PermissionDenial(call.name, dict(arguments)))
            return Decision("deny", NOBODY_TO_ASK)
        approval_id = uuid.uuid4().hex[:8]
        answer: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()
        self._open[approval_id] = answer
        decision = Decision("deny", "the turn was interrupted")
        self._sink(self._question(approval_id, call, intent, verdict))
        try:
            decision = await answer
        finally:
            self._open.pop(approval_id, None)
            self._sink(ApprovalResolved(self._session_key, approval_id, decision.allowed, decision.reason))
        return decision

    def resolve(self, approval_id: str, decision: Decision) -> bool:
        """Answer a question. False when it is not open (any more): a late answer changes nothing."""
        answer = self._open.get(approval_id)
        if answer is None or answer.done():
            return False
        answer.set_result(decision)
        return True

    def refuse_all(self, reason: str) -> None:
        """Answer no to everything that waits, for a front end that goes away."""
        for approval_id in self.pending:
            self.resolve(approval_id, Decision("deny", reason))

    def relayed(self, who: str, call_prefix: str) -> "ApprovalBroker":
        """Questions of a sub-agent: asked here under its name, and listed here where nobody can be asked."""
        return _Relayed(self, who, call_prefix)

    def _question(
        self, approval_id: str, call: ToolCallBlock, intent: ToolIntent, verdict: Verdict
    ) -> ApprovalRequested:
        kind: Literal["command", "diff", "text"] = "text"
        if intent.preview_kind == "command" or intent.preview_kind == "diff":
            kind = "command" if intent.preview_kind == "command" else "diff"
        return ApprovalRequested(
            self._session_key,
            approval_id,
            call,
            intent.risk,
            intent.title,
            intent.preview or intent.command or intent.url or intent.title,
            kind,
            verdict.reasons,
            verdict.parts,
            verdict.prefix_rule,
            verdict.part_words,
        )


class _Relayed(ApprovalBroker):
    """Asks its parent's user. `call_prefix` sets the child's call ids apart."""

    def __init__(self, parent: ApprovalBroker, who: str, call_prefix: str) -> None:
        super().__init__(parent._sink, parent._session_key, interactive=parent.interactive)
        self._parent = parent
        self._who = who
        self._prefix = call_prefix

    async def ask(
        self, call: ToolCallBlock, arguments: Mapping[str, Any], intent: ToolIntent, verdict: Verdict
    ) -> Decision:
        marked = replace(call, id=f"{self._prefix}{call.id}")
        return await self._parent.ask(
            marked, arguments, replace(intent, title=f"{intent.title} [{self._who}]"), verdict
        )


def refusal(reason: str, why: str) -> str:
    """What the model is told of a call that was not allowed: why, and what the user said."""
    if reason == NOBODY_TO_ASK:
        return (
            f"Not run: {why}, and {reason}. The user can allow it beforehand by --permission-mode or --allowed-tools;"
            " go on without it, or say what you would need."
        )
    said = f" The user says: {reason}" if reason else " Ask what to do instead, or go on without it."
    return f"Not run: the user refused this call.{said}"
