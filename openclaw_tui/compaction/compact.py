"""One compaction from beginning to end: plan, summarise, check, and only then write.

`draft_compaction` changes nothing, so a preview can be shown and edited; `apply_draft` appends the entry, synced.
Until then the old state stands. Sizes before and after are measured with one method. A draft that frees nothing is
refused, and a history whose tail alone is too large is tried again with a smaller tail.
"""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from openclaw_tui.compaction.instructions import in_place_instructions, retry_instructions, turn_prefix_instructions
from openclaw_tui.compaction.plan import Cut, find_cut
from openclaw_tui.compaction.retention import lost_identifiers
from openclaw_tui.compaction.serialize import serialize_conversation
from openclaw_tui.compaction.settings import CompactionSettings
from openclaw_tui.compaction.summarize import SummaryJob, last_resort, summarize_in_stages, summary_tokens
from openclaw_tui.compaction.summarizer import Summarizer, SummarizerLimits, SummaryRequest
from openclaw_tui.compaction.summary_text import build_appendix, critical_rules, finish_summary
from openclaw_tui.constants import COMPACTION_TAIL_SHARES, RETENTION_RETRY_LOST, SAFETY_MARGIN
from openclaw_tui.errors import CompactionFailed, ContextOverflow, ProviderError
from openclaw_tui.messages import Message, Usage
from openclaw_tui.session.custom_types import COMPACTION_CUT
from openclaw_tui.session.entries import CompactionEntry
from openclaw_tui.session.manager import SessionManager
from openclaw_tui.tokens import estimate_messages_tokens, estimate_text_tokens


class NothingToCompact(CompactionFailed):
    """There is no history before the tail that is kept; nothing was changed."""


@dataclass(frozen=True, slots=True)
class CompactionInput:
    """`messages` as projected, each with its entry id; `fixed_tokens` are the system prompt and the tools.

    `force` allows a smaller tail than configured when the configured one leaves nothing to cover.
    """

    messages: tuple[Message, ...]
    settings: CompactionSettings
    limits: SummarizerLimits
    previous_summary: str = ""
    fixed_tokens: int = 0
    focus: str = ""
    force: bool = False
    agents_md: str = ""


@dataclass(frozen=True, slots=True)
class CompactionDraft:
    """A compaction that has not been applied. `summary` may be edited (`replace`) before it is."""

    summary: str
    first_kept_entry_id: str
    tokens_before: int
    tokens_after: int
    covered: int
    kept: int
    missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    cost_usd: float | None = None
    calls: int = 0
    seconds: float = 0.0
    model: str = ""

    @property
    def details(self) -> Mapping[str, Any]:
        """What is stored beside the summary: numbers and notes, never the covered text."""
        return {
            "covered": self.covered,
            "kept": self.kept,
            "tokensAfter": self.tokens_after,
            "missing": list(self.missing),
            "notes": list(self.notes),
            "calls": self.calls,
            "model": self.model,
            "costUsd": self.cost_usd,
        }


async def draft_compaction(given: CompactionInput, summarizer: Summarizer) -> CompactionDraft:
    """Plan and summarise. Raises NothingToCompact, CompactionFailed on timeout; never for a failing summariser."""
    started = time.monotonic()
    try:
        async with asyncio.timeout(given.settings.timeout_seconds):
            draft = await _draft(given, summarizer)
    except TimeoutError:
        raise CompactionFailed(
            f"the compaction did not end within {given.settings.timeout_seconds} s; the history is unchanged"
        ) from None
    return replace(draft, seconds=time.monotonic() - started)


def apply_draft(manager: SessionManager, draft: CompactionDraft, *, last_result: int = 0) -> CompactionEntry:
    """Write the entry; it is on disk when this returns. Refuses an empty summary.

    Where nothing is kept, the tail begins at a marker of ours, which no model sees.
    """
    if not draft.summary.strip():
        raise CompactionFailed("an empty summary is never stored; the history is unchanged")
    first_kept = draft.first_kept_entry_id or manager.append_custom(COMPACTION_CUT).id
    return manager.append_compaction(
        summary=draft.summary,
        first_kept_entry_id=first_kept,
        tokens_before=draft.tokens_before,
        details={**draft.details, "lastResult": last_result},
        durable=True,
    )


async def _draft(given: CompactionInput, summarizer: Summarizer) -> CompactionDraft:
    cut = choose_cut(given)
    covered, kept = given.messages[: cut.index], given.messages[cut.index :]
    covered = _without_summaries(covered)
    job = SummaryJob(summarizer, given.limits, given.settings, given.focus)
    body = await _summarize(job, given, covered, kept, cut)
    summary, missing = await _checked(job, given, body, covered, kept)
    before = given.fixed_tokens + estimate_messages_tokens(given.messages)
    after = given.fixed_tokens + estimate_text_tokens(summary) + estimate_messages_tokens(kept)
    if after >= before:
        raise NothingToCompact(f"a compaction would free nothing ({before} tokens before, {after} after)")
    return CompactionDraft(
        summary=summary,
        first_kept_entry_id=_first_kept_id(kept),
        tokens_before=before,
        tokens_after=after,
        covered=len(covered),
        kept=len(kept),
        missing=tuple(missing),
        notes=tuple(job.notes),
        usage=job.usage,
        cost_usd=job.cost_usd,
        calls=job.calls,
        model=job.model,
    )


def choose_cut(given: CompactionInput) -> Cut:
    """The cut for the configured tail; under force for smaller and smaller tails. Raises NothingToCompact."""
    shares = COMPACTION_TAIL_SHARES if given.force else COMPACTION_TAIL_SHARES[:1]
    for share in shares:
        cut = find_cut(given.messages, int(given.settings.keep_recent_tokens * share))
        if cut is not None and _without_summaries(given.messages[: cut.index]):
            return cut
    raise NothingToCompact("there is nothing to compact: the whole talk fits the part that is kept")


async def _summarize(
    job: SummaryJob, given: CompactionInput, covered: Sequence[Message], kept: Sequence[Message], cut: Cut
) -> str:
    """In place on the cached prefix where that fits, else in stages; the last resort needs no model."""
    if _fits_in_place(given):
        request = SummaryRequest(
            instructions=in_place_instructions(given.settings, len(kept), given.focus),
            in_place=True,
            max_tokens=summary_tokens(given.limits),
        )
        try:
            return await job.ask(request, len(serialize_conversation(covered)))
        except (CompactionFailed, ProviderError, ContextOverflow) as error:
            job.notes.append(f"summary on the cached prefix failed: {error}")
    if cut.turn_start is None or cut.turn_start <= 0:
        return await summarize_in_stages(job, covered, given.previous_summary)
    return await _split_turn(job, given, covered, cut)


async def _split_turn(job: SummaryJob, given: CompactionInput, covered: Sequence[Message], cut: Cut) -> str:
    """History before the split turn, and the turn's own beginning, summarised apart."""
    prefix_length = cut.index - (cut.turn_start or 0)
    history, prefix = covered[:-prefix_length], covered[-prefix_length:]
    text = await summarize_in_stages(job, history, given.previous_summary) if history else given.previous_summary
    prefix_job = SummaryJob(job.summarizer, job.limits, job.settings, turn_prefix_instructions(given.settings))
    prefix_text = await summarize_in_stages(prefix_job, prefix, parts=1)
    job.usage, job.calls = job.usage + prefix_job.usage, job.calls + prefix_job.calls
    job.notes.extend(prefix_job.notes)
    return f"{text}\n\n---\n\n**Turn Context (split turn):**\n\n{prefix_text}" if text else prefix_text


async def _checked(
    job: SummaryJob, given: CompactionInput, body: str, covered: Sequence[Message], kept: Sequence[Message]
) -> tuple[str, list[str]]:
    """The finished text and what it still lacks, after one more try where too much was lost."""
    rules = critical_rules(given.agents_md, given.settings.post_compaction_sections)
    if given.settings.identifier_policy == "off":
        return finish_summary(body, build_appendix(covered, given.previous_summary, rules=rules)), []
    appendix = build_appendix(covered, given.previous_summary, rules=rules)
    lost = lost_identifiers(covered, finish_summary(body, appendix), kept)
    if given.settings.quality_guard and len(lost) >= RETENTION_RETRY_LOST and given.settings.quality_retries:
        better = await _asked_again(job, given, body, lost)
        still = lost_identifiers(covered, finish_summary(better, appendix), kept)
        if len(still) < len(lost):
            body, lost = better, still
    return finish_summary(body, replace(appendix, missing=tuple(lost))), lost


async def _asked_again(job: SummaryJob, given: CompactionInput, body: str, lost: list[str]) -> str:
    request = SummaryRequest(
        instructions=retry_instructions(lost),
        text=f"<summary>\n{body}\n</summary>",
        max_tokens=summary_tokens(given.limits),
    )
    try:
        return await job.ask(request, 0)
    except (CompactionFailed, ProviderError, ContextOverflow) as error:
        job.notes.append(f"asking again for lost identifiers failed: {error}")
        return body


def _fits_in_place(given: CompactionInput) -> bool:
    if not given.limits.can_read_in_place:
        return False
    instructions = estimate_text_tokens(in_place_instructions(given.settings, 0, given.focus))
    size = given.fixed_tokens + estimate_messages_tokens(given.messages) + instructions
    return size * SAFETY_MARGIN + summary_tokens(given.limits) <= given.limits.context_window


def _without_summaries(messages: Sequence[Message]) -> tuple[Message, ...]:
    return tuple(m for m in messages if getattr(m, "origin", "") != "compaction_summary")


def _first_kept_id(kept: Sequence[Message]) -> str:
    """The entry the kept tail begins with; empty where nothing is kept."""
    return next((message.entry_id for message in kept if message.entry_id is not None), "")


def no_model_draft(given: CompactionInput, reason: str) -> CompactionDraft:
    """A compaction that needs no model at all: the last resort as the whole summary."""
    cut = choose_cut(replace(given, force=True))
    covered, kept = _without_summaries(given.messages[: cut.index]), given.messages[cut.index :]
    rules = critical_rules(given.agents_md, given.settings.post_compaction_sections)
    body = last_resort(covered, 0, given.previous_summary)
    summary = finish_summary(body, build_appendix(covered, given.previous_summary, rules=rules))
    return CompactionDraft(
        summary=summary,
        first_kept_entry_id=_first_kept_id(kept),
        tokens_before=given.fixed_tokens + estimate_messages_tokens(given.messages),
        tokens_after=given.fixed_tokens + estimate_text_tokens(summary) + estimate_messages_tokens(kept),
        covered=len(covered),
        kept=len(kept),
        notes=(reason,),
    )
