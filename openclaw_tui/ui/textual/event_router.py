"""One `match`: an event of the agent in, widget calls out. Nothing else decides what an event looks like.

Works on the transcript, the status line and the queue of one screen. Call ids of models repeat, so items have ids of
their own.
"""

from time import monotonic
from typing import Protocol, assert_never

from openclaw_tui.agent.child_report import announced_line
from openclaw_tui.constants import TOOL_BODY_LINE_CHARS, TOOL_LIVE_TAIL_LINES
from openclaw_tui.events import (
    AgentEvent,
    ApprovalRequested,
    ApprovalResolved,
    AttemptStarted,
    CompactionEnded,
    CompactionStarted,
    ContextAct,
    ContextStatus,
    MemoryFlushEnded,
    MemoryFlushStarted,
    MessageEnded,
    MessageStarted,
    Notice,
    PlanChanged,
    QueueChanged,
    RetryScheduled,
    StepStarted,
    SubagentEvent,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    ToolEnded,
    ToolProgress,
    ToolStarted,
    TurnEnded,
    TurnStarted,
    UserMessageAdded,
)
from openclaw_tui.messages import UserMessage, text_of
from openclaw_tui.tools.session_tools import SPAWN_TOOL
from openclaw_tui.ui.textual.history_items import image_words, note_of, state_of
from openclaw_tui.ui.textual.rendering.safe_text import one_line
from openclaw_tui.ui.textual.widgets.queue_line import QueueLine
from openclaw_tui.ui.textual.widgets.status_bar import StatusBar, count_text
from openclaw_tui.ui.textual.widgets.tool_output import size_text
from openclaw_tui.ui.textual.widgets.transcript import Transcript

_TOLD_ELSEWHERE = frozenset(
    {
        ("compaction", "started"),
        ("compaction", "failed"),
        ("compaction", "skipped"),
        ("memory", "flush_started"),
    }
)
"""Acts that the status line, a notice or the answer to `/compact` already tells; the Events panel lists them all."""
_VERB_WORDS = {"flush_done": "flushed", "flush_skipped": "not flushed"}


class RouterHost(Protocol):
    """What the router needs of the screen beside its widgets."""

    def ask(self, request: ApprovalRequested) -> None: ...
    def answered(self, approval_id: str) -> None: ...
    def measure(self) -> None: ...
    def turn_began(self) -> None: ...
    def turn_ended(self, event: TurnEnded) -> None: ...
    def plan_changed(self, steps: tuple[tuple[str, str], ...]) -> None: ...
    def runs_on(self, card: str, process_id: str) -> bool: ...


class EventRouter:
    """`deliver` takes every event of one session, in order."""

    def __init__(self, transcript: Transcript, status: StatusBar, queue: QueueLine, host: RouterHost) -> None:
        self._transcript = transcript
        self._status = status
        self._queue = queue
        self._host = host
        self._cards: dict[str, str] = {}
        self._questions: dict[str, str] = {}
        self._spawned: dict[str, str] = {}
        self._tails: dict[str, str] = {}
        self._made = 0
        self._in_turn = False
        self._by_hand = False

    def deliver(self, event: AgentEvent, parent: str | None = None) -> None:
        """`parent` is the item a sub-agent's events are shown under."""
        match event:
            case TurnStarted(message=message):
                self._user(message, parent)
                if parent is None:
                    self._in_turn = True
                    self._status.tell(activity="working", detail="", hint="", step=0)
                    self._host.turn_began()
            case TurnEnded():
                if parent is None:
                    self._in_turn = False
                    self._status.tell(activity="idle", detail="", step=0)
                    self._host.turn_ended(event)
            case AttemptStarted(number=number, reason=reason):
                if number > 1 and parent is None:
                    self._status.tell(activity="working", detail=f"attempt {number}: {reason}")
            case StepStarted(number=number):
                if parent is None:
                    self._status.tell(activity="working", step=number, detail="")
            case UserMessageAdded(message=message):
                self._user(message, parent)
            case MessageStarted(message_id=id):
                self._transcript.start_assistant(id, parent=parent)
                if parent is None:
                    self._status.tell(activity="working", detail="waiting for the model")
            case TextDelta(message_id=id, text=text):
                self._transcript.append_text(id, text)
                self._doing("answering", parent)
            case ThinkingDelta(message_id=id, text=text):
                self._transcript.append_thinking(id, text)
                self._doing("thinking", parent)
            case ToolCallDelta(name=name, chars=chars):
                self._doing(
                    f"writing a call of {name} ({size_text(chars)})" if chars > 500 else f"calling {name}", parent
                )
            case MessageEnded(message_id=id, message=answer, discarded=discarded):
                if discarded:
                    self._transcript.discard_assistant(id)
                self._transcript.finish_assistant(id, None if discarded else note_of(answer))
                self._host.measure()
            case ToolStarted(call=call, label=label, summary=summary):
                self._start_card(call.id, label or call.name, card_words(label, summary), parent)
                self._doing(summary or call.name, parent)
            case ToolProgress(call_id=call_id, text=text):
                self._progress(call_id, text)
            case ToolEnded():
                self._end_card(event)
                self._doing("", parent)
                self._host.measure()
            case ApprovalRequested(approval_id=approval_id, call=call, title=title):
                self._cards[call.id] = self._questions[approval_id] = self._new_id(call.id)
                self._transcript.add_tool(
                    self._cards[call.id], call.name, card_words(call.name, title), state="waiting", parent=parent
                )
                self._status.tell(activity="waiting", detail="")
                self._host.ask(event)
            case ApprovalResolved(approval_id=approval_id, allowed=allowed, reason=reason):
                card = self._questions.pop(approval_id, None)
                if card is not None and not allowed:
                    self._transcript.update_tool(card, state="stopped" if "interrupted" in reason else "denied")
                self._doing("", parent)
                self._host.answered(approval_id)
            case RetryScheduled(attempt=attempt, max_attempts=most, seconds=seconds, reason=reason):
                self._status.tell(
                    activity="retry", detail=f"try {attempt} of {most} · {reason}", until=monotonic() + seconds
                )
            case ContextAct(layer=layer, verb=verb):
                if (layer, verb) not in _TOLD_ELSEWHERE:
                    self._transcript.add_separator(act_words(event))
                self._host.measure()
            case CompactionStarted(trigger=trigger):
                self._by_hand = trigger == "manual"
                self._status.tell(activity="compacting")
            case CompactionEnded(ok=ok, reason=reason):
                self._status.tell(activity="working" if self._in_turn else "idle", detail="")
                if not ok and reason and not self._by_hand:
                    self._transcript.add_notice("warning", f"the context was not summarised: {one_line(reason)}")
                self._host.measure()
            case MemoryFlushStarted():
                self._doing("writing notes to memory", parent)
            case MemoryFlushEnded():
                self._doing("", parent)
            case ContextStatus(used_tokens=used, usable_tokens=usable, estimated=estimated):
                self._status.tell(context_tokens=used, window_tokens=usable, estimated=estimated)
            case QueueChanged(steering=steering, follow_up=later):
                self._queue.show_messages(steering, later)
            case PlanChanged(steps=steps):
                done = sum(state == "completed" for _step, state in steps)
                self._doing(f"plan {done} of {len(steps)} done", parent)
                if parent is None:
                    self._host.plan_changed(steps)
            case SubagentEvent(parent_call_id=call_id, event=inner):
                self.deliver(inner, parent=self._cards.get(call_id) or self._spawned.get(call_id) or parent or "")
            case Notice(level=level, text=text):
                self._transcript.add_notice(level, text, parent=parent)
            case _:
                assert_never(event)

    def _user(self, message: UserMessage, parent: str | None) -> None:
        if message.origin == "bash":
            return  # its card stands there already
        if line := announced_line(message):
            self._transcript.add_notice("info", one_line(line), parent=parent)
            return
        self._transcript.add_user(
            self._new_id("user"), text_of(message.content), image_words(message.content), parent=parent
        )

    def _doing(self, detail: str, parent: str | None) -> None:
        if parent is None and self._status.status.activity not in ("stopping", "idle"):
            self._status.tell(activity="working", detail=detail)

    def _start_card(self, call_id: str, name: str, summary: str, parent: str | None) -> None:
        card = self._cards.get(call_id)
        if card is not None:
            self._transcript.update_tool(card, state="running", summary=summary)
            return
        self._cards[call_id] = self._new_id(call_id)
        self._transcript.add_tool(self._cards[call_id], name, summary, parent=parent)

    def _progress(self, call_id: str, text: str) -> None:
        card = self._cards.get(call_id)
        if card is None:
            return
        room = TOOL_LIVE_TAIL_LINES * TOOL_BODY_LINE_CHARS
        self._tails[call_id] = f"{self._tails.get(call_id, '')}\n{text}"[-room:].lstrip("\n")
        self._transcript.update_tool(card, output_tail=self._tails[call_id])

    def _end_card(self, event: ToolEnded) -> None:
        card = self._cards.pop(event.call_id, None)
        self._tails.pop(event.call_id, None)
        if card is None:
            return
        if event.result.tool_name == SPAWN_TOOL:
            self._spawned[event.call_id] = card  # a sub-agent nobody waits for works on under it
        text = text_of(event.result.content)
        details = event.result.details or {}
        diff = details.get("diff")
        runs_on = details.get("status") == "running" and self._host.runs_on(card, str(details.get("sessionId")))
        self._transcript.finish_tool(
            card,
            "running" if runs_on else state_of(event.result),
            seconds=event.seconds,
            size=len(text.encode("utf-8", "replace")),
            output=text,
            diff=diff if isinstance(diff, str) and diff else None,
        )

    def _new_id(self, base: str) -> str:
        self._made += 1
        return f"live{self._made}/{base}"


def card_words(label: str, title: str) -> str:
    """What a card says beside its name: the title, without the name at its begin."""
    first, _, rest = title.partition(" ")
    return rest if first.lower() == label.lower() else title


def act_words(act: ContextAct) -> str:
    """An act of a layer in one line: `guard trimmed 41k → 12k · why`."""
    size = ""
    if act.tokens_before is not None and act.tokens_after is not None:
        size = f" {count_text(act.tokens_before)} → {count_text(act.tokens_after)} tokens"
    cost = f" · ${act.cost_usd:.2f}" if act.cost_usd else ""
    reason = f" · {one_line(act.reason)}" if act.reason else ""
    return f"{act.layer} {_VERB_WORDS.get(act.verb, act.verb)}{size}{cost}{reason}"
