"""One compaction from beginning to end: plan, summarise, check, and only then write.

`draft_compaction` changes nothing, so a preview can be shown and edited; `apply_draft` appends the entry, synced.
Until then the old state stands. Sizes before and after are measured with one method. A draft that frees nothing is
refused, and where the configured tail leaves too much, a smaller one is kept.
"""

import asyncio
import time
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from openclaw_tui.compaction.audit import unasked_names, with_headings
from openclaw_tui.compaction.draft import CompactionDraft, CompactionInput, NothingToCompact
from openclaw_tui.compaction.instructions import (
    in_place_instructions,
    retry_instructions,
    sealed_instructions,
    turn_prefix_instructions,
)
from openclaw_tui.compaction.plan import Cut, first_coverable, prune_history_for_context_share
from openclaw_tui.compaction.recent_turns import recent_turn_lines
from openclaw_tui.compaction.retention import lost_identifiers
from openclaw_tui.compaction.serialize import serialize_conversation
from openclaw_tui.compaction.summarize import SummaryJob, last_resort, summarize_in_stages, summary_tokens
from openclaw_tui.compaction.summarizer import Summarizer, SummarizerGone, SummaryRequest
from openclaw_tui.compaction.summary_text import Appendix, build_appendix, critical_rules, finish_summary, summary_body
from openclaw_tui.compaction.tail import Tail, choose_tail
from openclaw_tui.compaction.user_words import not_word_for_word, user_words
from openclaw_tui.constants import (
    CHARS_PER_TOKEN_ESTIMATE,
    MIN_COVERED_TOKENS,
    MIN_NEW_TOKENS_TO_COMPACT_AGAIN,
    RETENTION_RETRY_LOST,
    SAFETY_MARGIN,
)
from openclaw_tui.errors import CompactionFailed, ContextOverflow, ProviderError
from openclaw_tui.messages import Message
from openclaw_tui.session.custom_types import COMPACTION_CUT, PROVIDER_COMPACTION
from openclaw_tui.session.entries import CompactionEntry
from openclaw_tui.session.manager import SessionManager
from openclaw_tui.tokens import estimate_text_tokens

PROVIDER_FAILED = "the provider's own compaction was not used"


async def draft_compaction(given: CompactionInput, summarizer: Summarizer) -> CompactionDraft:
    """Plan and summarise. Raises NothingToCompact; CompactionFailed when the summariser is gone or the time is up.

    Under `must_succeed` the text made without a model stands for the summary instead of such a failure.
    """
    tail = plan_tail(given)
    started = time.monotonic()
    try:
        async with asyncio.timeout(given.settings.timeout_seconds):
            draft = await _draft(given, tail, summarizer)
    except TimeoutError:
        draft = _without_model(given, tail, f"it did not end within {given.settings.timeout_seconds:g} s")
    except SummarizerGone as gone:
        draft = _without_model(given, tail, str(gone))
    return replace(draft, seconds=time.monotonic() - started)


def apply_draft(manager: SessionManager, draft: CompactionDraft, *, last_result: int = 0) -> CompactionEntry:
    """Write the entry; it is on disk when this returns. Refuses an empty summary.

    Where nothing was kept, the tail begins with what came after the draft, or at a marker no model sees.
    """
    if not draft.summary.strip():
        raise CompactionFailed("an empty summary is never stored; the history is unchanged")
    if draft.sealed:
        manager.append_custom(PROVIDER_COMPACTION, {"model": draft.model, "block": draft.sealed})
    first_kept = (
        draft.first_kept_entry_id or _first_after(manager, draft.leaf_id) or manager.append_custom(COMPACTION_CUT).id
    )
    return manager.append_compaction(
        summary=draft.summary,
        first_kept_entry_id=first_kept,
        tokens_before=draft.tokens_before,
        details={**draft.details, "lastResult": last_result},
        durable=True,
    )


def _first_after(manager: SessionManager, leaf_id: str) -> str:
    ids = [entry.id for entry in manager.branch()]
    later = ids[ids.index(leaf_id) + 1 :] if leaf_id in ids else []
    return later[0] if later else ""


def plan_tail(given: CompactionInput) -> Tail:
    """Which tail is kept. Raises NothingToCompact with the reason, and with what fills the context where it is full."""
    over = given.is_over_target
    new = sum(given.measure(m) for m in given.messages[given.fresh_from :])
    if given.previous_summary and not over and new < MIN_NEW_TOKENS_TO_COMPACT_AGAIN:
        raise NothingToCompact(f"already compacted, and only ~{new:,} tokens are new since then")
    tail = _tail(given)
    if tail is not None:
        return tail
    if over:
        raise NothingToCompact(f"no history is left that a summary could replace; {_what_fills(given)}")
    raise NothingToCompact("the whole talk fits the part that is kept word for word")


def _tail(given: CompactionInput, *, verbatim: bool = False) -> Tail | None:
    return choose_tail(
        given.messages,
        given.settings.keep_recent_tokens,
        room=given.tail_room,
        smaller=given.force or given.is_over_target,
        verbatim=verbatim,
        measure=given.measure,
    )


def _what_fills(given: CompactionInput) -> str:
    """The fixed parts and the largest message by name, when nothing but them is left."""
    parts = dict(given.fixed_parts) or {"system prompt and tools": given.fixed_tokens}
    largest = max((given.measure(message) for message in given.messages), default=0)
    parts["largest message"] = largest
    named = ", ".join(f"{name} ~{size:,}" for name, size in sorted(parts.items(), key=lambda p: -p[1]) if size)
    return f"the context is filled by: {named} tokens (room for {given.target_tokens:,})"


async def _draft(given: CompactionInput, tail: Tail, summarizer: Summarizer) -> CompactionDraft:
    job = SummaryJob(summarizer, given.limits, given.settings, given.focus)
    draft = await _sealed(job, given) if given.limits.can_seal else None
    if draft is None:
        covered, kept = _parts(given, tail)
        body = await _summarize(job, given, covered, kept, tail.cut)
        summary, missing = await _checked(job, given, body, covered, kept)
        draft = replace(_finished(given, tail, summary), missing=tuple(missing))
    return replace(
        draft, notes=tuple(job.notes), usage=job.usage, cost_usd=job.cost_usd, calls=job.calls, model=job.model
    )


async def _sealed(job: SummaryJob, given: CompactionInput) -> CompactionDraft | None:
    """The provider's own compaction; None, with a note, where it does not work.

    What stays must stay as it was sent, or the reasoning in it is lost: nothing in the tail is shortened. The readable
    summary beside the block is the block's own text where it has one, else what can be extracted without a model.
    """
    tail = _tail(given, verbatim=True)
    if tail is None or (given.tail_room is not None and tail.tokens > given.tail_room):
        job.notes.append(f"{PROVIDER_FAILED}: what stays does not fit unless it is shortened")
        return None
    covered, kept = _parts(given, tail)
    appendix = _appendix(given, covered, kept)
    words = (*appendix.user_texts, *appendix.standing)
    request = SummaryRequest(
        instructions=sealed_instructions(given.settings, words, given.focus, splits_turn=tail.cut.is_split),
        sealed=True,
        before=_first_id(kept),
        max_tokens=summary_tokens(given.limits),
    )
    try:
        text = await job.ask(request, len(serialize_conversation(covered)) + len(given.previous_summary))
    except (CompactionFailed, ProviderError, ContextOverflow) as error:
        job.notes.append(f"{PROVIDER_FAILED}: {error}")
        return None
    if lost_words := not_word_for_word(words, text):
        job.notes.append(
            f"{lost_words} of {len(words)} texts of the user are not word for word in the provider's block"
        )
    body = text or last_resort(covered, 0, summary_body(given.previous_summary))
    lost = lost_identifiers(covered, body, kept, given.previous_summary)
    summary = finish_summary(body, replace(appendix, missing=tuple(lost)), given.max_summary_chars)
    return replace(_finished(given, tail, summary), missing=tuple(lost), sealed=job.sealed)


def _without_model(given: CompactionInput, tail: Tail, reason: str) -> CompactionDraft:
    """The last resort as the whole summary where room must be made; else the failure, with the history unchanged."""
    if not given.must_succeed:
        raise CompactionFailed(f"{reason}; the history is unchanged")
    covered, kept = _parts(given, tail)
    body = last_resort(covered, 0, summary_body(given.previous_summary))
    draft = _finished(given, tail, finish_summary(body, _appendix(given, covered, kept), given.max_summary_chars))
    return replace(draft, notes=(f"{reason}; the text made without a model stands for the summary",))


def _finished(given: CompactionInput, tail: Tail, summary: str) -> CompactionDraft:
    covered, kept = _parts(given, tail)
    before = given.fixed_tokens + sum(given.measure(message) for message in given.messages)
    after = given.fixed_tokens + estimate_text_tokens(summary) + tail.tokens
    if after >= before:
        raise NothingToCompact(f"a compaction would free nothing (~{before:,} tokens before, ~{after:,} after)")
    appendix = _appendix(given, covered, kept)
    return CompactionDraft(
        summary=summary,
        first_kept_entry_id=_first_id(kept),
        tokens_before=before,
        tokens_after=after,
        covered=len(covered),
        kept=len(kept),
        shortened=tail.shortened,
        first_covered_entry_id=_first_id(covered),
        leaf_id=given.leaf_id,
        read_files=appendix.read_files,
        changed_files=appendix.changed_files,
    )


def _first_id(messages: Sequence[Message]) -> str:
    return next((m.entry_id for m in messages if m.entry_id is not None), "")


def _parts(given: CompactionInput, tail: Tail) -> tuple[tuple[Message, ...], tuple[Message, ...]]:
    """Covered and kept messages; an earlier summary in front is carried on, not covered again."""
    return given.messages[first_coverable(given.messages) : tail.cut.index], given.messages[tail.cut.index :]


async def _summarize(
    job: SummaryJob, given: CompactionInput, covered: Sequence[Message], kept: Sequence[Message], cut: Cut
) -> str:
    """In place on the cached prefix where that fits, else in stages; the last resort needs no model."""
    if _fits_in_place(given):
        request = SummaryRequest(
            instructions=in_place_instructions(
                given.settings, len(kept), given.focus, splits_turn=cut.turn_start is not None
            ),
            in_place=True,
            max_tokens=summary_tokens(given.limits),
        )
        try:
            return await job.ask(request, len(serialize_conversation(covered)) + len(given.previous_summary))
        except SummarizerGone:
            raise
        except (CompactionFailed, ProviderError, ContextOverflow) as error:
            job.notes.append(f"summary on the cached prefix failed: {error}")
    prefix = 0 if cut.turn_start is None else cut.index - cut.turn_start
    if not 0 < prefix < len(covered):
        return await _history(job, given, covered, kept)
    text = await _history(job, given, covered[:-prefix], kept)
    job.instructions = turn_prefix_instructions(given.settings)
    prefix_text = await summarize_in_stages(job, covered[-prefix:], parts=1)
    job.instructions = ""
    return f"{text}\n\n---\n\n**Turn Context (split turn):**\n\n{prefix_text}"


async def _history(job: SummaryJob, given: CompactionInput, covered: Sequence[Message], kept: Sequence[Message]) -> str:
    """In stages; where much stays, the oldest part beforehand, so that the rest fills its share of the window only."""
    previous = summary_body(given.previous_summary)
    share, window = given.settings.max_history_share, given.limits.context_window
    stays = given.fixed_tokens + sum(given.measure(message) for message in kept)
    if given.settings.mode == "safeguard" and stays > window * share * SAFETY_MARGIN:
        dropped, covered = prune_history_for_context_share(covered, window, share, given.measure)
        previous = await summarize_in_stages(job, dropped, previous) if dropped else previous
    return await summarize_in_stages(job, covered, previous)


def _appendix(given: CompactionInput, covered: Sequence[Message], kept: Sequence[Message]) -> Appendix:
    quotes = given.settings.recent_turns_preserve if _is_safeguarded(given, covered) else 0
    return build_appendix(
        covered,
        given.previous_summary,
        rules=critical_rules(given.agents_md, given.settings.post_compaction_sections),
        read_before=given.read_before,
        changed_before=given.changed_before,
        recent=recent_turn_lines(covered, kept, quotes),
    )


async def _checked(
    job: SummaryJob, given: CompactionInput, body: str, covered: Sequence[Message], kept: Sequence[Message]
) -> tuple[str, list[str]]:
    """The finished text and what it still lacks, after one more try where too much was lost."""
    body = _audited(given, body, covered)
    appendix = _appendix(given, covered, kept)
    said = [*user_words((*covered, *kept)), *appendix.user_texts]

    def finished(text: str, lost: Sequence[str] = ()) -> str:
        names = unasked_names(text, said)
        return finish_summary(
            text, replace(appendix, missing=tuple(lost), unasked=tuple(names)), given.max_summary_chars
        )

    def missing(text: str) -> list[str]:
        return lost_identifiers(covered, finished(text), kept, given.previous_summary)

    if given.settings.identifier_policy == "off":
        return finished(body), []
    lost = missing(body)
    retries = given.settings.quality_retries if given.settings.quality_guard else 0
    while retries > 0 and len(lost) >= RETENTION_RETRY_LOST:
        retries -= 1
        better = _audited(given, await _asked_again(job, given, body, lost), covered)
        still = missing(better)
        if len(still) >= len(lost):
            break
        body, lost = better, still
    return finished(body, lost), lost


def _audited(given: CompactionInput, body: str, covered: Sequence[Message]) -> str:
    """With every heading where headings were asked for; no further call is made for a missing one."""
    return with_headings(body) if _is_safeguarded(given, covered) else body


def _is_safeguarded(given: CompactionInput, covered: Sequence[Message]) -> bool:
    """Whether headings and quoted turns are wanted, and the covered talk is long enough to carry them."""
    worth_it = sum(given.measure(message) for message in covered) >= MIN_COVERED_TOKENS
    return given.settings.mode == "safeguard" and worth_it


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
    limits = given.limits
    if not limits.can_read_in_place:
        return False
    instructions = estimate_text_tokens(in_place_instructions(given.settings, 1, given.focus, splits_turn=True))
    estimate = given.fixed_tokens + sum(given.measure(message) for message in given.messages)
    size = limits.in_place_tokens or int(estimate * SAFETY_MARGIN)
    return size + instructions + summary_tokens(limits) <= limits.context_window


def summary_chars(summary_budget_tokens: int) -> int:
    """Characters a stored summary may have where the window plans this many tokens for it."""
    return summary_budget_tokens * CHARS_PER_TOKEN_ESTIMATE


def files_before(details: Mapping[str, object] | None, key: str) -> tuple[str, ...]:
    """A list of paths from the details of an earlier compaction (`readFiles`, `modifiedFiles`)."""
    found = (details or {}).get(key)
    return tuple(path for path in found if isinstance(path, str)) if isinstance(found, list) else ()
