"""One compaction looked at afterwards: its text, what it covers, what it lost, what changed, what it cost and earned.

Covered messages come from the branch, and from the archive where they have left the file. Changes nothing.
"""

import difflib
import math
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from openclaw_tui.agent.cache_prices import dollars, reread_usd
from openclaw_tui.agent.deps import AgentDeps
from openclaw_tui.agent.recall_texts import session_texts
from openclaw_tui.artifacts.recall import RecallText
from openclaw_tui.compaction.lost import Lost, lost_items
from openclaw_tui.constants import COMPACTION_ROW_SECONDS
from openclaw_tui.ledger.ledger import LedgerRow
from openclaw_tui.messages import AssistantMessage, Message, ToolCallBlock, Usage, text_of
from openclaw_tui.providers.pricing import likely_usd
from openclaw_tui.session.archive import archive_path, archived_entries
from openclaw_tui.session.entries import CompactionEntry, Entry
from openclaw_tui.session.projection import message_of, milliseconds, project_branch


class CompactionRecord(msgspec.Struct, frozen=True):
    """`covered` oldest first; `usd` is the summary call's price, `rewrite_usd` that of sending the new prefix once.

    `saved_usd` is what each later call costs less, `calls` how many there were since. `is_current` says that requests
    stand below it now: only then can its text be changed.
    """

    entry_id: str
    summary: str
    previous: str
    covered: tuple[RecallText, ...]
    lost: tuple[Lost, ...]
    tokens_before: int
    tokens_after: int
    usd: float | None
    rewrite_tokens: int
    rewrite_usd: float | None
    saved_usd: float | None
    calls: int
    is_current: bool
    is_edited: bool = False

    @property
    def break_even(self) -> int | None:
        """Calls after which it is paid back; None where no price is known or nothing is saved."""
        if self.saved_usd is None or self.saved_usd <= 0 or self.usd is None or self.rewrite_usd is None:
            return None
        return math.ceil((self.usd + self.rewrite_usd) / self.saved_usd)

    @property
    def cost_text(self) -> str:
        """`$0.12 + $0.18 cache rewrite; paid back after 3 calls (2 made)`."""
        paid = f"{dollars(self.usd)} + {dollars(self.rewrite_usd)} cache rewrite"
        if self.break_even is None:
            return paid
        done = self.calls >= self.break_even
        return f"{paid}; paid back {'since' if done else 'after'} {self.break_even} calls ({self.calls} made)"

    @property
    def diff(self) -> tuple[str, ...]:
        """Lines of the summary before and of this one; each begins with `+`, `-` or a blank."""
        before, after = self.previous.splitlines(), self.summary.splitlines()
        lines = difflib.unified_diff(before, after, lineterm="", n=2)
        return tuple(line for line in lines if not line.startswith(("---", "+++")))

    def as_data(self) -> dict[str, Any]:
        return {
            "entry": self.entry_id,
            "summary": self.summary,
            "covered_messages": len(self.covered),
            "lost": [{"kind": item.kind, "text": item.text, "times": item.times} for item in self.lost],
            "tokens_before": self.tokens_before,
            "tokens_after": self.tokens_after,
            "cost_usd": self.usd,
            "rewrite_usd": self.rewrite_usd,
            "saved_usd_per_call": self.saved_usd,
            "calls_since": self.calls,
            "break_even_calls": self.break_even,
            "current": self.is_current,
            "edited": self.is_edited,
        }


def latest_compaction(deps: AgentDeps) -> CompactionEntry | None:
    """The one requests stand below now."""
    return deps.manager.project().compaction


def compaction_of_row(deps: AgentDeps, row: LedgerRow) -> CompactionEntry | None:
    """The entry that a row of the ledger tells of; rows of older files name none and are matched by their time."""
    named = row.data.get("entry")
    if isinstance(named, str) and isinstance(entry := deps.manager.entry(named), CompactionEntry):
        return entry
    entries = [entry for entry in deps.manager.entries() if isinstance(entry, CompactionEntry)]
    near = min(entries, key=lambda entry: abs(_seconds(entry) - row.time), default=None)
    return near if near is not None and abs(_seconds(near) - row.time) <= COMPACTION_ROW_SECONDS else None


def compaction_record(deps: AgentDeps, entry: CompactionEntry) -> CompactionRecord:
    """Look at one compaction of the session, on this branch or another."""
    requests, details = deps.requests, entry.details or {}
    branch = deps.manager.branch(entry.id)
    before = project_branch(branch[:-1])
    size_before, after = _sizes(deps, entry)
    covered, messages = _covered(deps, entry, branch)
    kept = [text_of(m.content) for m in project_branch(branch).messages[1:]]
    current = deps.manager.project().compaction
    rewritten = max(0, after - requests.fixed_tokens())
    cost = details.get("costUsd")
    return CompactionRecord(
        entry_id=entry.id,
        summary=entry.summary,
        previous=before.summary_text or "",
        covered=covered,
        lost=lost_items(
            [text.text for text in covered],
            _commands(messages),
            _open_steps(messages),
            "\n".join([entry.summary, *kept]),
        ),
        tokens_before=size_before,
        tokens_after=after,
        usd=float(cost) if isinstance(cost, int | float) else None,
        rewrite_tokens=rewritten,
        rewrite_usd=reread_usd(requests.model, rewritten, requests.settings.cache_retention),
        saved_usd=likely_usd(requests.model, Usage(cache_read=max(0, size_before - after))),
        calls=sum(row.compaction == entry.id for row in requests.cache.calls.rows),
        is_current=current is not None and current.id == entry.id,
        is_edited="edited" in details,
    )


def _sizes(deps: AgentDeps, entry: CompactionEntry) -> tuple[int, int]:
    """Before and after as the events tell it, so that no two figures disagree; else as the entry does."""
    details = entry.details or {}
    known = details.get("tokensAfter")
    before, after = entry.tokens_before, known if isinstance(known, int) else 0
    for row in deps.acts.ledger.of_layer("compaction"):
        name = row.data.get("entry")
        if row.verb == "done" and row.tokens_before and name in (entry.id, details.get("edited")):
            before, after = row.tokens_before, row.tokens_after or after
        elif row.verb == "edited" and name == entry.id:
            after = row.tokens_after or after
    return before, after


def _covered(
    deps: AgentDeps, entry: CompactionEntry, branch: Sequence[Entry]
) -> tuple[tuple[RecallText, ...], tuple[Message, ...]]:
    """Texts and messages between the first covered and the first kept entry, from the archive where they are gone."""
    inside = {found.id for found in branch}
    path = deps.manager.path
    archived = list(archived_entries(archive_path(path))) if path is not None else []
    whole = [*(found for found in archived if found.id not in inside), *branch[:-1]]
    ids = [found.id for found in whole]
    first = (entry.details or {}).get("firstCovered")
    start = ids.index(first) if isinstance(first, str) and first in ids else 0
    end = ids.index(entry.first_kept_entry_id) if entry.first_kept_entry_id in ids else len(whole)
    span = whole[start:end]
    wanted = {found.id for found in span}
    texts = tuple(text for text in session_texts(deps.manager, branch) if text.entry_id in wanted)
    return texts, tuple(message for found in span if (message := message_of(found)) is not None)


def _calls(messages: Sequence[Message]) -> Iterator[ToolCallBlock]:
    for message in messages:
        if isinstance(message, AssistantMessage):
            yield from message.tool_calls


def _commands(messages: Sequence[Message]) -> Iterator[str]:
    for call in _calls(messages):
        command = call.arguments.get("command")
        if isinstance(command, str):
            yield command


def _open_steps(messages: Sequence[Message]) -> Iterator[str]:
    """Steps of the last plan of the span that were not done."""
    plans = [call for call in _calls(messages) if call.name == "update_plan"]
    steps = plans[-1].arguments.get("plan") if plans else None
    for step in steps if isinstance(steps, list) else ():
        if isinstance(step, dict) and step.get("status") != "completed" and isinstance(step.get("step"), str):
            yield step["step"]


def _seconds(entry: CompactionEntry) -> float:
    return milliseconds(entry.timestamp) / 1000
