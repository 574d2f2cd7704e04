"""Summaries in stages, with fallbacks down to a text that needs no model.

Levels: everything → without oversized messages, with a note for each → a smaller subset (all in smaller pieces, then
the newer part alone) → one line with counts and an extractive list under it. An answer that is empty, cut off, longer
than its source or a tool call is refused at every level. Where no further request would help (a summariser that hangs,
no key, no credit) the levels end at once with `SummarizerGone`. Details of tool results are stripped before anything
is sent.
"""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from openclaw_tui.compaction.extract import extractive_summary
from openclaw_tui.compaction.instructions import merge_instructions, summary_instructions
from openclaw_tui.compaction.plan import (
    chunk_messages_by_max_tokens,
    is_oversized_for_summary,
    max_chunk_tokens,
    pair_groups,
    split_messages_by_token_share,
)
from openclaw_tui.compaction.serialize import serialize_conversation
from openclaw_tui.compaction.settings import CompactionSettings
from openclaw_tui.compaction.summarizer import (
    Summarizer,
    SummarizerGone,
    SummarizerLimits,
    SummaryAnswer,
    SummaryRequest,
)
from openclaw_tui.constants import (
    DEFAULT_SUMMARY_PARTS,
    MIN_MESSAGES_TO_SPLIT,
    SAFETY_MARGIN,
    SUMMARY_MAX_OUTPUT_TOKENS,
)
from openclaw_tui.errors import (
    AuthenticationFailed,
    CompactionFailed,
    ContextOverflow,
    ModelNotFound,
    ProviderError,
    QuotaExhausted,
)
from openclaw_tui.messages import Message, Usage
from openclaw_tui.tokens import estimate_message_tokens, estimate_text_tokens
from openclaw_tui.transcript.details import strip_tool_result_details

NO_HISTORY = "No prior history."
_CALL_MARKS = re.compile(r"\A(?:```\w*\s*)?(?:<(?:tool_call|function_calls?|invoke)\b|\{\s*\"(?:name|tool|function)\")")


@dataclass(slots=True)
class SummaryJob:
    """What all stages of one compaction share; usage and price add up, `notes` say which fallbacks were taken.

    `instructions` replace the usual ones for a part.
    """

    summarizer: Summarizer
    limits: SummarizerLimits
    settings: CompactionSettings
    focus: str = ""
    instructions: str = ""
    usage: Usage = field(default_factory=Usage)
    cost_usd: float | None = 0.0
    calls: int = 0
    notes: list[str] = field(default_factory=list)
    model: str = ""
    sealed: str = ""

    async def ask(self, request: SummaryRequest, source_chars: int) -> str:
        """One summary, checked. Raises CompactionFailed when it is none, ProviderError when the call failed.

        SummarizerGone where asking again is of no use.
        """
        self.calls += 1
        try:
            answer = await self.summarizer(request)
        except (AuthenticationFailed, QuotaExhausted, ModelNotFound) as error:
            raise SummarizerGone(f"no summary can be made: {error}") from error
        self.usage = self.usage + answer.usage
        self.cost_usd = None if self.cost_usd is None or answer.cost_usd is None else self.cost_usd + answer.cost_usd
        self.model = answer.model or self.model
        self.sealed = answer.sealed
        problem = problem_with(answer, source_chars)
        if problem:
            raise CompactionFailed(f"the summary was refused: {problem}")
        return answer.text.strip()


def problem_with(answer: SummaryAnswer, source_chars: int) -> str | None:
    """Why an answer is no summary; None when it is one."""
    text = answer.text.strip()
    if answer.called_tools:
        return "the model called a tool instead of summarising"
    if not text and not answer.sealed:
        return "it is empty"
    if answer.stop_reason == "length":
        return "it was cut off by the output limit"
    if answer.stop_reason in ("error", "aborted", "refusal"):
        return f"the model stopped with {answer.stop_reason}"
    if source_chars and len(text) > max(source_chars, 2_000):
        return "it is longer than what it summarises"
    if _CALL_MARKS.match(text):
        return "it looks like a tool call"
    return None


async def summarize_in_stages(
    job: SummaryJob, messages: Sequence[Message], previous_summary: str = "", parts: int = DEFAULT_SUMMARY_PARTS
) -> str:
    """A summary of any length of history: in one go if it fits, else part by part with a merge at the end."""
    safe, _ = strip_tool_result_details(tuple(messages))
    if not safe:
        return previous_summary or NO_HISTORY
    limit = max_chunk_tokens(safe, job.limits.context_window)
    if parts <= 1 or len(safe) < MIN_MESSAGES_TO_SPLIT or _serialized_tokens(safe) <= limit:
        return await summarize_with_fallback(job, safe, previous_summary)
    chunks = split_messages_by_token_share(safe, parts)
    partial = [
        await summarize_with_fallback(job, chunk, previous_summary if at == 0 else "")
        for at, chunk in enumerate(chunks)
    ]
    return partial[0] if len(partial) == 1 else await _merge(job, partial)


async def summarize_with_fallback(job: SummaryJob, messages: Sequence[Message], previous_summary: str = "") -> str:
    """Never raises for a summariser that fails: the last level needs no model. SummarizerGone passes through."""
    oversized = [m for m in messages if is_oversized_for_summary(m, job.limits.context_window)]
    small = [m for m in messages if not is_oversized_for_summary(m, job.limits.context_window)]
    levels: list[tuple[str, Callable[[], Awaitable[str]]]] = [
        ("all messages", lambda: _summarize_chunks(job, messages, previous_summary))
    ]
    if oversized and small:
        levels.append(
            ("without oversized messages", lambda: _without_oversized(job, small, oversized, previous_summary))
        )
    if len(small) >= MIN_MESSAGES_TO_SPLIT:
        levels.append(("in smaller pieces", lambda: _without_oversized(job, small, oversized, previous_summary, 4)))
        levels.append(("the newer part", lambda: _newer_part(job, small, oversized, previous_summary)))
    for level, (name, attempt) in enumerate(levels, start=1):
        try:
            return await attempt()
        except SummarizerGone:
            raise
        except (CompactionFailed, ProviderError, ContextOverflow) as error:
            job.notes.append(f"level {level} ({name}) failed: {error}")
    job.notes.append("no level brought a summary; the text made without a model stands for it")
    return last_resort(messages, len(oversized), previous_summary)


def last_resort(messages: Sequence[Message], oversized: int, previous_summary: str = "") -> str:
    """The article's one line with counts, and under it what can be extracted without a model."""
    line = (
        f"Context contained {len(messages)} messages ({oversized} oversized). Summary unavailable due to size limits."
    )
    earlier = f"\n\nEarlier summary:\n{previous_summary}" if previous_summary else ""
    return f"{line}\n\n{extractive_summary(messages)}{earlier}"


def oversized_note(message: Message) -> str:
    """`[Large assistant (~47K tokens) omitted from summary]`"""
    role = type(message).__name__.removesuffix("Message").replace("ToolResult", "tool result").lower()
    return f"[Large {role} (~{round(estimate_message_tokens(message) / 1000)}K tokens) omitted from summary]"


async def _summarize_chunks(
    job: SummaryJob, messages: Sequence[Message], previous_summary: str, pieces: int = 1
) -> str:
    """Chunk after chunk, each with the summary so far: every request is measured and fits.

    With more `pieces` a chunk takes that part of what all messages together take, or of what fits at most.
    """
    limit = max_chunk_tokens(messages, job.limits.context_window)
    if pieces > 1:
        limit = max(1, min(limit, int(_serialized_tokens(messages) * SAFETY_MARGIN)) // pieces)
    summary = previous_summary
    for chunk in chunk_messages_by_max_tokens(messages, limit, _measure_serialized):
        summary = await _summarize_text(job, serialize_conversation(chunk), summary, limit)
    return summary


async def _summarize_text(job: SummaryJob, text: str, previous: str, limit: int) -> str:
    carried = f"\n\n<previous-summary>\n{previous}\n</previous-summary>" if previous else ""
    instructions = job.instructions or summary_instructions(job.settings, job.focus)
    if previous:
        instructions += (
            "\n\nBuild on the previous summary: keep what still holds, move on what has changed, add what is new."
        )
    body = f"<conversation>\n{_fitted(text, limit)}\n</conversation>{carried}"
    return await job.ask(
        SummaryRequest(instructions=instructions, text=body, max_tokens=summary_tokens(job.limits)), len(body)
    )


async def _without_oversized(
    job: SummaryJob,
    small: Sequence[Message],
    oversized: Sequence[Message],
    previous_summary: str,
    pieces: int = 1,
) -> str:
    summary = await _summarize_chunks(job, small, previous_summary, pieces)
    return _with_notes(summary, oversized)


def _with_notes(summary: str, oversized: Sequence[Message]) -> str:
    return "\n".join([summary, "", *(oversized_note(message) for message in oversized)]) if oversized else summary


async def _newer_part(
    job: SummaryJob, small: Sequence[Message], oversized: Sequence[Message], previous_summary: str
) -> str:
    """Half of the talk by tokens is summarised; of the older half stands what can be extracted."""
    groups = pair_groups(small)
    half = split_messages_by_token_share(small, 2) if len(groups) > 1 else [[], list(small)]
    older, newer = half[0], half[-1]
    summary = await _summarize_chunks(job, newer, previous_summary)
    extract = (
        f"{summary}\n\nOf {len(older)} earlier messages only this could be extracted:\n{extractive_summary(older)}"
    )
    return _with_notes(extract, oversized)


async def _merge(job: SummaryJob, partial: Sequence[str]) -> str:
    """One summary out of several; if the model cannot, they are kept one after the other."""
    text = "\n\n".join(f"<part number={at}>\n{summary}\n</part>" for at, summary in enumerate(partial, start=1))
    request = SummaryRequest(
        instructions=merge_instructions(job.settings, job.focus), text=text, max_tokens=summary_tokens(job.limits)
    )
    try:
        return await job.ask(request, len(text))
    except SummarizerGone:
        raise
    except (CompactionFailed, ProviderError, ContextOverflow) as error:
        job.notes.append(f"merging {len(partial)} parts failed: {error}")
        return "\n\n".join(partial)


def summary_tokens(limits: SummarizerLimits) -> int:
    """Most tokens a summary may have: 4,096, less for a small window or a model with a smaller output."""
    return max(256, min(limits.max_output, limits.context_window // 8, SUMMARY_MAX_OUTPUT_TOKENS))


def _serialized_tokens(messages: Sequence[Message]) -> int:
    return sum(_measure_serialized(message) for message in messages)


def _measure_serialized(message: Message) -> int:
    return min(estimate_message_tokens(message), estimate_text_tokens(serialize_conversation([message])) + 8)


def _fitted(text: str, limit_tokens: int) -> str:
    """The material within the request's limit: a single huge message is cut in its middle."""
    tokens = estimate_text_tokens(text)
    if tokens * SAFETY_MARGIN <= limit_tokens * 2 and tokens <= limit_tokens:
        return text
    keep = max(400, int(len(text) * limit_tokens / (max(1, tokens) * SAFETY_MARGIN)))
    if keep >= len(text):
        return text
    return f"{text[: keep // 2]}\n[... {len(text) - keep} characters left out ...]\n{text[-keep // 2 :]}"
