"""Events and reports as plain text, without any toolkit: what line mode prints and other front ends may show.

Everything that comes from a model, a tool, a file or a page is made safe here: no control character leaves this module
but tab and line end. What is to be approved is shown with its control characters visible, since hiding them would hide
what is run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec

from openclaw_tui.constants import LINE_ABOUT_MIN_CHARS, LINE_ERROR_MAX_LINES
from openclaw_tui.events import ApprovalRequested, CompactionEnded, ContextAct, RetryScheduled, TurnEnded
from openclaw_tui.messages import AssistantMessage, ToolResultMessage, Usage, text_of
from openclaw_tui.session.listing import short_id
from openclaw_tui.tools.terminal_text import clean_terminal_text, one_line, show_controls, show_hidden
from openclaw_tui.ui.figures import percent, seconds_short, tokens_short, usd_text
from openclaw_tui.visible_text import show_unseen

if TYPE_CHECKING:
    from openclaw_tui.app.compose import App
    from openclaw_tui.session.manager import SessionManager

OFFLINE_LABEL = "offline guide, not an AI model"
ToolState: TypeAlias = Literal["done", "failed", "refused", "stopped", "running"]


def size_text(chars: int) -> str:
    """A number of characters in few letters."""
    if chars < 1000:
        return f"{chars} chars"
    return f"{chars / 1000:.1f}k chars" if chars < 1_000_000 else f"{chars / 1_000_000:.1f}M chars"


def visible(text: str) -> str:
    """Text word for word, with every character seen that is not: for what the user is asked to allow."""
    shown = show_controls(show_unseen(text).replace("\r\n", "␍\n")).replace("\r", "␍").replace("\x0c", "␌")
    return show_hidden(shown).text


def tool_state(result: ToolResultMessage) -> ToolState:
    details = result.details or {}
    if not result.is_error:
        return "done"
    if details.get("denied"):
        return "refused"
    first = text_of(result.content).lstrip()
    return "stopped" if first.startswith(("[interrupted", "not run: the turn was stopped")) else "failed"


class CallSummary(msgspec.Struct, frozen=True):
    """What one line says of one call: what came of it, which tool, on what, how long, how much."""

    state: ToolState
    name: str
    about: str
    seconds: float | None = None
    chars: int | None = None

    def line(self, width: int) -> str:
        """The line, its description shortened so that it fits a row of `width` columns."""
        shown = one_line(self.about)
        about = shown[len(self.name) :].strip() if f"{shown} ".lower().startswith(f"{self.name} ") else shown
        tail = f" · {seconds_short(self.seconds)}" if self.seconds is not None else ""
        tail += f" · {size_text(self.chars)}" if self.chars is not None else ""
        head = f"{self.state:8}{self.name} "
        room = max(LINE_ABOUT_MIN_CHARS, width - len(head) - len(tail))
        return f"{head}{about if len(about) <= room else about[: room - 1] + '…'}".rstrip() + tail


def error_lines(result: ToolResultMessage) -> list[str]:
    """The end of a failed call's text, where the reason stands."""
    lines = [line for line in clean_terminal_text(text_of(result.content)).split("\n") if line.strip()]
    return lines[-LINE_ERROR_MAX_LINES:]


def retry_line(event: RetryScheduled) -> str:
    return (
        f"waiting {seconds_short(event.seconds)}, then trying again ({event.attempt} of {event.max_attempts}): "
        f"{one_line(event.reason)} · Ctrl+C stops"
    )


def act_line(act: ContextAct) -> str:
    """One act of a context layer, with sizes where it has them."""
    sizes = ""
    if act.tokens_before is not None and act.tokens_after is not None:
        sizes = f" {tokens_short(act.tokens_before)} → {tokens_short(act.tokens_after)} tokens"
    reason = f" · {one_line(act.reason)}" if act.reason else ""
    cost = f" · {usd_text(act.cost_usd)}" if act.cost_usd else ""
    return f"{act.layer} {act.verb}{sizes}{reason}{cost}"


def compaction_line(event: CompactionEnded) -> str:
    if not event.ok:
        return f"not compacted: {one_line(event.reason)}"
    return f"compacted: {tokens_short(event.tokens_before)} → {tokens_short(event.tokens_after)} tokens"


def turn_line(event: TurnEnded) -> str:
    """Why a turn did not end as it should; empty when it did."""
    if event.outcome == "aborted":
        return "stopped"
    if event.error is None:
        return ""
    advice = getattr(event.error, "advice", "")
    return one_line(f"{event.error} {advice}")


def approval_text(question: ApprovalRequested) -> str:
    """The whole question: what, why it is asked, each part of a chain, and the command or diff word for word."""
    lines = [f"May I? {visible(question.title)}"]
    lines += [f"  because {visible(reason)}" for reason in question.reasons]
    preview = visible(question.preview).rstrip("\n")
    if preview and preview != visible(question.title):
        lines += [f"  {line}" for line in preview.split("\n")]
    if len(question.parts) > 1:
        lines += ["  parts:", *(f"    {visible(line)}" for line in part_lines(question))]
    return "\n".join(lines)


def left_over_lines(app: App) -> list[str]:
    """One line about commands of a killed run that still live."""
    if not app.left_over:
        return []
    what = "; ".join(one_line(found.words) for found in app.left_over)
    return [f"still running from a run that was killed: {what}; openclaw-tui doctor --end-leftovers ends them"]


def part_lines(question: ApprovalRequested) -> list[str]:
    """The commands of a chain, numbered, each with what lets it run or why it asks."""
    words = [f" · {word}" for word in question.part_words] or [""] * len(question.parts)
    return [f"{n}. {part}{word}" for n, (part, word) in enumerate(zip(question.parts, words, strict=True), 1)]


def approval_choices(question: ApprovalRequested) -> str:
    rule = visible(question.prefix_rule or "")
    prefix = f"  p = yes, and all like it this session: {rule}\n" if rule else ""
    return f"  y = yes, once\n  a = yes, for this session\n{prefix}  n = no; write what to do instead behind it"


def status_parts(app: App, *, busy: str, queued: int, brief: bool = False) -> list[str]:
    """What goes on, model, mode, queue: the front of the toolbar; context, cache and money follow (`context_line`).

    `brief` leaves the sandbox out, for narrow terminals; `/permissions` tells of it there.
    """
    session = app.session
    parts = [busy] if busy else []
    thinking = f":{session.thinking}" if session.thinking != "off" else ""
    model = OFFLINE_LABEL if session.model.api == "offline" else f"{session.model.ref}{thinking}"
    parts += [model, app.permissions.mode, *([] if brief else [app.sandbox.label()])]
    parts += [f"{queued} queued"] if queued else []
    parts += [storage] if (storage := storage_text(session.deps.manager)) else []
    return parts


def storage_text(manager: SessionManager) -> str:
    """What is not as usual with the session's file; empty where all is well."""
    if manager.read_only:
        return "read only"
    return f"{len(manager.pending)} UNSAVED" if manager.pending else ""


def exit_line(app: App) -> str:
    """What is said on leaving: tokens, cache share, cost, and how to come back."""
    manager = app.session.deps.manager
    answers = [m for m in manager.project().messages if isinstance(m, AssistantMessage)]
    usage = sum((message.usage for message in answers), start=Usage())
    parts = [f"{tokens_short(usage.prompt_tokens)} tokens in, {tokens_short(usage.output)} out"] if answers else []
    if answers and usage.cache_reported and usage.prompt_tokens:
        parts.append(f"{percent(usage.cache_read, usage.prompt_tokens)}% from cache")
    if answers and app.session.model.price is not None:
        parts.append(usd_text(app.session.deps.spent_usd))
    if manager.path is not None and manager.entries():
        parts.append(f"resume: openclaw-tui -r {short_id(manager.session_id)}")
    return " · ".join(parts)


def shortened(lines: Sequence[str], limit: int) -> list[str]:
    """The first lines, and how many more there are."""
    if len(lines) <= limit:
        return list(lines)
    return [*lines[:limit], f"… {len(lines) - limit} more lines"]
