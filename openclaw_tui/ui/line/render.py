"""The stream of events as lines of a terminal with native scroll-back: printed once, never drawn again."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from openclaw_tui.agent.child_report import announced_line
from openclaw_tui.constants import LINE_DIFF_MAX_LINES
from openclaw_tui.events import (
    AgentEvent,
    ApprovalRequested,
    CompactionEnded,
    CompactionStarted,
    ContextAct,
    MemoryFlushEnded,
    MessageEnded,
    Notice,
    PlanChanged,
    RetryScheduled,
    SubagentEvent,
    TextDelta,
    ThinkingDelta,
    ToolEnded,
    ToolStarted,
    TurnEnded,
    TurnStarted,
    UserMessageAdded,
)
from openclaw_tui.messages import ToolResultMessage, text_of
from openclaw_tui.tools.terminal_text import clean_terminal_text, one_line
from openclaw_tui.ui.line.look import Look
from openclaw_tui.ui.line.markdown_stream import BOLD, CYAN, DIM, GREEN, RED, YELLOW, MarkdownStream
from openclaw_tui.ui.text import (
    CallSummary,
    ToolState,
    act_line,
    approval_choices,
    approval_text,
    compaction_line,
    error_lines,
    retry_line,
    shortened,
    tool_state,
    turn_line,
)

_STATE_COLOURS: Mapping[ToolState, str] = {
    "done": GREEN,
    "failed": RED,
    "refused": YELLOW,
    "stopped": YELLOW,
    "running": DIM,
}
_PLAN_MARKS = {"completed": "[x]", "in_progress": "[>]"}


@dataclass(slots=True)
class LineRenderer:
    """`write` takes text for the terminal. What is open of an answer is closed before anything else is printed."""

    write: Callable[[str], None]
    look: Look
    show_thinking: bool = False
    _answer: MarkdownStream | None = None
    _calls: dict[str, ToolStarted] = field(default_factory=dict)
    _shown_diffs: set[str] = field(default_factory=set)
    _shown_answers: set[str] = field(default_factory=set)
    _mid_line: bool = False
    _thinking: bool = False
    _said: str = ""

    def line(self, text: str, *codes: str) -> None:
        """Print whole lines of our own words, or of cleaned ones."""
        self._close_answer()
        self.write(self.look.paint(text, *codes) + "\n")

    def announce(self, call_id: str) -> None:
        """Say that a call is still running; called when it takes long."""
        started = self._calls.get(call_id)
        if started is not None:
            self.line(CallSummary("running", started.call.name, started.summary).line(self.look.width), DIM)

    def show(self, event: AgentEvent) -> None:
        """Print what an event means to the reader; many mean nothing."""
        match event:
            case TextDelta(message_id=message_id, text=text):
                self._show_text(message_id, text)
            case ThinkingDelta(text=text):
                self._show_thinking(text)
            case MessageEnded():
                self._end_message(event)
            case ToolStarted():
                self._close_answer()
                self._calls[event.call.id] = event
            case ToolEnded():
                self._end_tool(event)
            case ApprovalRequested():
                self._ask(event)
            case SubagentEvent(event=ToolEnded() as inner):
                self.line(f"  {self._summary_of(inner.result, inner.seconds, inner.call_id)}", DIM)
            case _:
                self._show_notice(event)

    def _show_notice(self, event: AgentEvent) -> None:
        match event:
            case UserMessageAdded(message=message):
                said = announced_line(message) or f"> {text_of(message.content)}"
                self.line(clean_terminal_text(said), DIM)
            case TurnStarted(message=message) if report := announced_line(message):
                self.line(clean_terminal_text(report), DIM)
            case RetryScheduled():
                self.line(retry_line(event), YELLOW)
            case CompactionStarted(trigger=trigger):
                self.line(f"compacting ({trigger})", DIM)
            case CompactionEnded():
                self.line(compaction_line(event), DIM if event.ok else YELLOW)
            case ContextAct(layer=layer) if layer not in ("compaction", "memory"):
                self.line(act_line(event), DIM)
            case MemoryFlushEnded(written=written) if written:
                self.line(f"memory written: {', '.join(one_line(name) for name in written)}", DIM)
            case PlanChanged(steps=steps):
                rows = [f"  {_PLAN_MARKS.get(state, '[ ]')} {one_line(step)}" for step, state in steps]
                self.line("\n".join(["plan", *rows]))
            case Notice(level=level, text=text):
                self._said = one_line(text)
                self.line(clean_terminal_text(text), RED if level == "error" else YELLOW if level == "warning" else DIM)
            case TurnEnded() if (text := turn_line(event)) and text != self._said:
                self.line(text, YELLOW if event.outcome == "aborted" else RED)
            case TurnEnded():
                self._close_answer()

    def _show_text(self, message_id: str, text: str) -> None:
        self._end_thinking()
        if self._answer is None:
            self._answer = MarkdownStream(self.look.styled, self.look.width)
            self._shown_answers.add(message_id)
        self._put(self._answer.feed(text))

    def _show_thinking(self, text: str) -> None:
        if not self.show_thinking:
            return
        if not self._thinking:
            self._close_answer()
            self._thinking = True
        self._put(self.look.paint(clean_terminal_text(text), DIM))

    def _end_message(self, event: MessageEnded) -> None:
        text = text_of(event.message.content)
        if text and event.message_id not in self._shown_answers:
            self._show_text(event.message_id, text)
        self._close_answer()
        if event.discarded:
            self.line("the answer so far is thrown away; trying again", YELLOW)
        elif event.message.stop_reason == "length":
            self.line("the answer was cut at its longest length; say 'go on'", YELLOW)
        elif event.message.stop_reason == "refusal":
            self.line("the model declined to answer", YELLOW)

    def _end_tool(self, event: ToolEnded) -> None:
        state = tool_state(event.result)
        self.line(self._summary_of(event.result, event.seconds, event.call_id), _STATE_COLOURS[state])
        if state == "failed":
            self.line("\n".join(f"  {line}" for line in error_lines(event.result)), DIM)
        details: Mapping[str, Any] = event.result.details or {}
        diff = details.get("diff")
        if isinstance(diff, str) and diff and event.call_id not in self._shown_diffs and state == "done":
            self._diff(clean_terminal_text(diff), limit=LINE_DIFF_MAX_LINES)
        self._calls.pop(event.call_id, None)

    def _summary_of(self, result: ToolResultMessage, seconds: float, call_id: str) -> str:
        started = self._calls.get(call_id)
        summary = started.summary if started is not None else ""
        chars = len(text_of(result.content))
        return CallSummary(tool_state(result), result.tool_name, summary, seconds, chars).line(self.look.width)

    def _ask(self, question: ApprovalRequested) -> None:
        """The whole question. A diff is coloured; nothing of it is cut."""
        self._close_answer()
        if question.preview_kind == "diff":
            self._shown_diffs.add(question.call.id)
            self.line(approval_text(replace(question, preview="")), BOLD)
            self._diff(approval_text(replace(question, title="", reasons=(), parts=())).partition("\n")[2])
        else:
            self.line(approval_text(question), BOLD)
        self.line(approval_choices(question))

    def _diff(self, text: str, *, limit: int | None = None) -> None:
        lines = text.rstrip("\n").split("\n")
        for line in shortened(lines, limit) if limit else lines:
            body = line.lstrip(" ") if line.startswith("  ") and not line.startswith("   ") else line
            colour = {"+": GREEN, "-": RED, "@": CYAN}.get(body[:1], "")
            self.line(f"  {body}", *([colour] if colour else []))

    def _put(self, text: str) -> None:
        if text:
            self.write(text)
            self._mid_line = not text.endswith("\n")

    def _end_thinking(self) -> None:
        if self._thinking:
            self._thinking = False
            self._end_line()

    def _close_answer(self) -> None:
        self._end_thinking()
        if self._answer is not None:
            self._put(self._answer.finish())
            self._answer = None
        self._end_line()

    def _end_line(self) -> None:
        if self._mid_line:
            self.write("\n")
            self._mid_line = False
