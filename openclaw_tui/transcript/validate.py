"""Step 4 of the pipeline: the order of turns each provider insists on.

Neighbouring user messages are merged, answers likewise, the first message is the user's, and where a provider takes no
history that ends with the model a neutral line closes it. Only the request is changed; the file keeps every entry.
"""

from dataclasses import replace

from openclaw_tui.messages import (
    AssistantMessage,
    Message,
    TextBlock,
    ThinkingBlock,
    ToolCallBlock,
    ToolResultMessage,
    UserMessage,
)
from openclaw_tui.report import StepReport
from openclaw_tui.transcript.incremental import Fold, FoldCache
from openclaw_tui.transcript.policy import TranscriptPolicy

OPENING_TEXT = "(the conversation begins with an earlier answer)"
CLOSING_TEXT = "(continue)"
UNANSWERED_TEXT = "(no answer was given before the next message)"

_folds: FoldCache[None] = FoldCache()


def validate_replay_turns(
    messages: tuple[Message, ...], policy: TranscriptPolicy, *, pairs_closed: bool = False
) -> tuple[tuple[Message, ...], StepReport]:
    """Messages in an order the provider accepts. Idempotent; the same tuple comes back where nothing changed.

    Pairs of calls and results are not looked at here: `repair_tool_use_result_pairing` does that later and calls this
    once more with `pairs_closed`, since what it drops can make neighbours of messages that were none. Only then is it
    certain which user message stands behind a result, where strict templates want a word of the assistant between.
    """
    if not policy.alternates or not messages:
        return messages, StepReport("validate", {})
    separate = pairs_closed and policy.validate_openai_turns
    fold = _folds.take((policy, pairs_closed), messages) or Fold(state=None)
    for message in messages[len(fold.inputs) :]:
        fold.inputs.append(message)
        _add(message, fold, policy, separate)
    _folds.keep((policy, pairs_closed), fold)
    last = fold.outputs[-1]
    if not isinstance(last, AssistantMessage) or last.tool_calls:
        return fold.result(messages), StepReport("validate", dict(fold.counts))
    closed = (*fold.outputs, _note(CLOSING_TEXT))
    return closed, StepReport("validate", {**fold.counts, "closing_added": 1})


def _note(text: str) -> UserMessage:
    return UserMessage(content=(TextBlock(text),), origin="custom")


def _add(message: Message, fold: Fold[None], policy: TranscriptPolicy, separate: bool) -> None:
    outputs = fold.outputs
    previous = outputs[-1] if outputs else None
    match previous, message:
        case None, AssistantMessage():
            outputs.append(_note(OPENING_TEXT))
            outputs.append(message)
            fold.count("opening_added")
        case UserMessage(sealed=None), UserMessage():
            outputs[-1] = _merge_users(previous, message)
            fold.count("users_merged")
        case AssistantMessage(), AssistantMessage() if _is_superseded(previous):
            outputs.pop()
            fold.count("partial_dropped")
            _add(message, fold, policy, separate)
        case AssistantMessage(), AssistantMessage() if not previous.tool_calls:
            outputs[-1] = _merge_answers(previous, message, policy)
            fold.count("answers_merged")
        case ToolResultMessage(), UserMessage() if separate:
            outputs.append(AssistantMessage(content=(TextBlock(UNANSWERED_TEXT),)))
            outputs.append(message)
            fold.count("notes_added")
        case _:
            outputs.append(message)


def _is_superseded(message: AssistantMessage) -> bool:
    """A half answer without calls, followed by another answer: the retry took its place."""
    return message.is_partial and not message.tool_calls


def _merge_users(first: UserMessage, second: UserMessage) -> UserMessage:
    """One user message with the blocks of both, unchanged and in order. A summary in it stays known as one."""
    origins = (first.origin, second.origin)
    origin = next((kind for kind in ("compaction_summary", "user") if kind in origins), first.origin)
    return replace(first, content=first.content + second.content, origin=origin)


def _merge_answers(first: AssistantMessage, second: AssistantMessage, policy: TranscriptPolicy) -> AssistantMessage:
    """One answer with the blocks of both. Who made its opaque parts stays known."""
    content = first.content + second.content
    source = first if _is_opaque(first) and not _is_opaque(second) else second
    if policy.thinking_first and not isinstance(content[0], ThinkingBlock):
        content = tuple(block for block in content if not isinstance(block, ThinkingBlock))
    return replace(source, content=content, entry_id=first.entry_id)


def _is_opaque(message: AssistantMessage) -> bool:
    return any(
        isinstance(block, ThinkingBlock)
        or (isinstance(block, TextBlock) and block.signature is not None)
        or (isinstance(block, ToolCallBlock) and block.thought_signature is not None)
        for block in message.content
    )
